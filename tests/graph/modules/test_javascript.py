"""Imports of JavaScript and TypeScript."""

import json

import pytest

from cairn.graph.customs import Target
from tests.graph.modules.trees import NOTHING, Files, found, guess, sure, tree

LAYOUT = tree(
    "src/main.ts src/a.ts src/a.js src/b.tsx src/c/index.ts src/d.d.ts src/e.vue src/f.svelte src/g.json src/h.mts",
    "src/i.js src/j/index.jsx src/k.test.ts src/style.css src/old.js src/main.js index.ts src/l.cts src/both.ts",
    "src/both/index.ts",
)


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("src/main.ts", "./a", sure("src/a.ts")),
        ("src/main.ts", "./a.js", sure("src/a.ts")),
        ("src/main.js", "./a", sure("src/a.js")),
        ("src/main.js", "./a.js", sure("src/a.js")),
        ("src/main.ts", "./b.js", sure("src/b.tsx")),
        ("src/main.ts", "./b.jsx", sure("src/b.tsx")),
        ("src/main.ts", "./c", sure("src/c/index.ts")),
        ("src/main.ts", "./c/", sure("src/c/index.ts")),
        ("src/main.ts", "./d", sure("src/d.d.ts")),
        ("src/main.ts", "./e", sure("src/e.vue")),
        ("src/main.ts", "./e.vue", sure("src/e.vue")),
        ("src/main.ts", "./f", sure("src/f.svelte")),
        ("src/main.ts", "./g.json", sure("src/g.json")),
        ("src/main.ts", "./h.mjs", sure("src/h.mts")),
        ("src/main.ts", "./l.cjs", sure("src/l.cts")),
        ("src/main.ts", "./i", sure("src/i.js")),
        ("src/main.ts", "./j", sure("src/j/index.jsx")),
        ("src/main.ts", "./k.test", sure("src/k.test.ts")),
        ("src/main.ts", "./style.css?inline", sure("src/style.css")),
        ("src/main.ts", "raw-loader!./i.js", sure("src/i.js")),
        ("src/main.ts", "./both", sure("src/both.ts")),
        ("src/main.ts", "./both/", sure("src/both/index.ts")),
        ("src/c/index.ts", "..", NOTHING),
        ("src/main.ts", "..", sure("index.ts")),
        ("src/c/index.ts", "../a", sure("src/a.ts")),
        ("src/main.ts", "../../a", NOTHING),
        ("src/main.ts", "./none", NOTHING),
        ("src/main.ts", "react", NOTHING),
        ("src/main.ts", "node:fs", NOTHING),
        ("src/main.ts", "@/a", guess("src/a.ts")),
        ("src/main.ts", "~/c", guess("src/c/index.ts")),
        ("src/main.ts", "/src/a.ts", guess("src/a.ts")),
    ],
)
def test_files(importer: str, source: str, expected: Target) -> None:
    assert found(LAYOUT, "typescript", importer, source) == expected


CONFIG = """
// the aliases
{
  "compilerOptions": {
    /* seen from here */ "baseUrl": ".",
    "paths": {
      "@/*": ["src/*"],
      "@/special/*": ["gone/*", "other/*"],
      "exact": ["src/exact/mod.ts"],
      "*.style": ["src/styles/*"],
      "url": ["https://x/*,}"],
    },
  },
}
"""


@pytest.mark.parametrize(
    ("source", "expected"),
    [
        ("@/a", sure("src/a.ts")),
        ("@/special/x", sure("other/x.ts")),
        ("exact", sure("src/exact/mod.ts")),
        ("red.style", sure("src/styles/red.ts")),
        ("src/a", sure("src/a.ts")),
        ("exact/more", NOTHING),
        ("@/../../etc", NOTHING),
    ],
)
def test_paths_of_tsconfig(source: str, expected: Target) -> None:
    files = tree("src/a.ts other/x.ts src/exact/mod.ts src/styles/red.ts src/special/x.ts")
    assert found(files | {"tsconfig.json": CONFIG}, "tsx", "src/deep/main.tsx", source) == expected


def test_settings_are_inherited_and_targets_stay_where_they_were_written() -> None:
    files = tree("packages/web/main.ts libs/ui/button.ts packages/web/own.ts")
    files["tsconfig.base.json"] = '{"compilerOptions": {"paths": {"ui/*": ["./libs/ui/*"]}}}'
    files["packages/web/tsconfig.json"] = '{"extends": ["../../tsconfig.base"]}'
    assert found(files, "typescript", "packages/web/main.ts", "ui/button") == sure("libs/ui/button.ts")
    files["packages/web/tsconfig.json"] = '{"extends": "../../tsconfig.base", "compilerOptions": {"paths": {}}}'
    assert found(files, "typescript", "packages/web/main.ts", "ui/button") == NOTHING


def test_the_nearest_configuration_alone_decides() -> None:
    files = tree("src/a.ts src/inner/main.ts")
    files["tsconfig.json"] = '{"compilerOptions": {"paths": {"x": ["src/a.ts"]}}}'
    assert found(files, "typescript", "src/inner/main.ts", "x") == sure("src/a.ts")
    files["src/inner/tsconfig.json"] = "{}"
    assert found(files, "typescript", "src/inner/main.ts", "x") == NOTHING


def test_a_solution_file_refers_to_the_project_with_the_aliases() -> None:
    files = tree("src/a.ts src/main.ts")
    files["tsconfig.json"] = '{"files": [], "references": [{"path": "./node.json"}, {"path": "./tsconfig.app.json"}]}'
    files["node.json"] = "{}"
    files["tsconfig.app.json"] = '{"compilerOptions": {"paths": {"#a": ["./src/a.ts"], "~a": ["${configDir}/src/a"]}}}'
    assert found(files, "typescript", "src/main.ts", "~a") == sure("src/a.ts")


def package(name: str, **fields: object) -> str:
    return json.dumps({"name": name, **fields})


def workspace() -> Files:
    return tree("packages/ui/src/index.ts packages/ui/src/button.ts packages/web/src/main.ts packages/web/util.ts") | {
        "package.json": package("root", workspaces=["packages/*"]),
        "packages/ui/package.json": package("@acme/ui", main="./src/index.ts"),
        "packages/web/package.json": package("web"),
    }


def test_packages_of_a_workspace_are_linked() -> None:
    files = workspace()
    assert found(files, "typescript", "packages/web/src/main.ts", "@acme/ui") == sure("packages/ui/src/index.ts")
    assert found(files, "typescript", "packages/web/src/main.ts", "@acme/ui/src/button") == sure(
        "packages/ui/src/button.ts"
    )
    assert found(files, "typescript", "packages/web/src/main.ts", "@acme/gone") == NOTHING


def test_a_package_outside_of_any_workspace_is_a_guess() -> None:
    files = workspace() | {"package.json": package("root")}
    importer = "packages/web/src/main.ts"
    assert found(files, "typescript", importer, "@acme/ui") == guess("packages/ui/src/index.ts")
    files["packages/web/package.json"] = package("web", dependencies={"@acme/ui": "workspace:*"})
    assert found(files, "typescript", importer, "@acme/ui") == sure("packages/ui/src/index.ts")


def test_members_that_pnpm_names() -> None:
    files = workspace() | {"package.json": "{}", "pnpm-workspace.yaml": "packages:\n  - 'packages/**'\n"}
    assert found(files, "typescript", "packages/web/src/main.ts", "@acme/ui").certain
    files["pnpm-workspace.yaml"] += '  - "!packages/ui"\n'
    assert not found(files, "typescript", "packages/web/src/main.ts", "@acme/ui").certain


def test_exports_of_a_package() -> None:
    files = workspace() | {
        "packages/ui/package.json": package(
            "@acme/ui",
            exports={
                ".": {"types": "./gone.d.ts", "import": {"default": "./src/index.ts"}},
                "./parts/*": ["./src/*.ts"],
                "./built": "./dist/button.js",
            },
        )
    }
    importer = "packages/web/src/main.ts"
    assert found(files, "typescript", importer, "@acme/ui") == sure("packages/ui/src/index.ts")
    assert found(files, "typescript", importer, "@acme/ui/parts/button") == sure("packages/ui/src/button.ts")
    assert found(files, "typescript", importer, "@acme/ui/built") == guess("packages/ui/src/button.ts")
    assert found(files, "typescript", importer, "@acme/ui/src/button") == guess("packages/ui/src/button.ts")


def test_a_built_entry_is_guessed_back_to_its_source() -> None:
    files = workspace() | {"packages/ui/package.json": package("@acme/ui", main="dist/esm/button.js")}
    assert found(files, "typescript", "packages/web/src/main.ts", "@acme/ui") == guess("packages/ui/src/button.ts")


def test_a_package_may_ask_for_itself_and_by_its_own_imports() -> None:
    files = workspace() | {"packages/web/package.json": package("web", imports={"#util": "./util.ts"})}
    assert found(files, "typescript", "packages/web/src/main.ts", "web/util") == sure("packages/web/util.ts")
    assert found(files, "typescript", "packages/web/src/main.ts", "#util") == sure("packages/web/util.ts")


def test_a_folder_with_a_package_of_its_own_says_where_it_starts() -> None:
    files = tree("main.js part/lib/start.js part/index.js") | {"part/package.json": '{"main": "lib/start"}'}
    assert found(files, "javascript", "main.js", "./part") == sure("part/lib/start.js")


HOSTILE = [
    "",
    "[]",
    "null",
    "{",
    '{"extends": "./tsconfig.json"}',
    '{"extends": ["./loop.json", 3, null, {}]}',
    '{"extends": {"a": 1}, "compilerOptions": []}',
    '{"compilerOptions": {"baseUrl": 7, "paths": []}}',
    '{"compilerOptions": {"baseUrl": "../../..", "paths": {"*": ["../*"], "x": "y", "z": [1, {}]}}}',
    '{"compilerOptions": {"paths": {"**": ["**"], "": [""]}}}',
    '{"references": [1, {"path": 2}, {"path": "../.."}]}',
    "[" * 100_000,
    '{"a":' * 100_000,
    '"' + "\\" * 100_001,
    "/*" * 200_000,
    ("{" + ",") * 200_000,
    '{"compilerOptions": {"baseUrl": ' + "9" * 100_000 + "}}",
    '{"compilerOptions": {"baseUrl": "' + "x/" * 400_000 + '"}}',
    '{"pad": "' + "x" * 10_000_000 + '"}',
]


@pytest.mark.sampled
@pytest.mark.parametrize("text", HOSTILE, ids=range(len(HOSTILE)))
@pytest.mark.parametrize("name", ["tsconfig.json", "package.json"])
def test_hostile_configuration_leads_nowhere(name: str, text: str) -> None:
    files = tree("src/main.ts") | {name: text, "loop.json": '{"extends": "./tsconfig.json"}'}
    for source in ("x", "@/x", "#x", "a/b", "z"):
        assert found(files, "typescript", "src/main.ts", source) == NOTHING


def test_packages_with_fields_of_wrong_kinds_lead_nowhere() -> None:
    fields = ["workspaces", "exports", "imports", "main", "dependencies"]
    for value in (1, None, [1], {"a": 1}, {".": {"import": [None, 3]}}, {"packages": 3}, "../../x", {"*": "*" * 50}):
        text = json.dumps({"name": "pkg", **dict.fromkeys(fields, value)})
        files = tree("src/main.ts other/x.ts") | {"pkg/package.json": text, "package.json": text}
        for source in ("pkg", "pkg/x", "#x", "./pkg", "../pkg"):
            assert found(files, "typescript", "src/main.ts", source) == NOTHING
    files = tree("src/main.ts") | {"package.json": '{"name": ["x"]}'}
    assert found(files, "typescript", "src/main.ts", "x") == NOTHING
