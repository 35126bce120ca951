"""Contexts are found by manifests, workspaces before packages."""

import pytest

from cairn.semantic.contexts.discover import MOST_BASES, bases_of, discover
from cairn.semantic.contexts.families import FAMILIES
from tests.semantic.contexts.trees import Files, TextTree, contexts, found, owners, shown

SLN = (
    "Microsoft Visual Studio Solution File, Format Version 12.00\r\n"
    'Project("{FAE0}") = "App", "src\\App\\App.csproj", "{1}"\r\nEndProject\r\n'
    'Project("{2150}") = "folder", "folder", "{2}"\r\nEndProject\r\n'
)

CASES: list[tuple[str, str, Files, dict[str, str]]] = [
    (
        "npm workspaces",
        "javascript",
        {
            "package.json": '{"workspaces": ["packages/*", "!packages/out"]}',
            "packages/a/package.json": "{}",
            "packages/out/package.json": "{}",
            "other/package.json": "{}",
        },
        {".": "workspace", "packages/a": "package", "packages/out": "detached", "other": "detached"},
    ),
    (
        "yarn's object",
        "javascript",
        {"package.json": '{"workspaces": {"packages": ["{a,b}/*"]}}', "a/x/package.json": "{}", "c/package.json": "{}"},
        {".": "workspace", "a/x": "package", "c": "detached"},
    ),
    (
        "pnpm",
        "javascript",
        {
            "pnpm-workspace.yaml": "# why\npackages:\n  # some\n  - 'packages/**'\n  - \"!**/test\"\n\n"
            "catalog:\n  a: 1\n",
            "package.json": "{}",
            "packages/package.json": "{}",
            "packages/a/b/package.json": "{}",
            "packages/a/test/package.json": "{}",
        },
        {".": "workspace", "packages": "package", "packages/a/b": "package", "packages/a/test": "detached"},
    ),
    (
        "pnpm in one line",
        "javascript",
        {"pnpm-workspace.yaml": "packages: [a, 'b']\n", "b/package.json": "{}", "c/package.json": "{}"},
        {".": "workspace", "b": "package", "c": "detached"},
    ),
    (
        "lerna, and rush with comments",
        "javascript",
        {
            "l/lerna.json": '{"packages": ["m/*"]}',
            "l/m/a/package.json": "{}",
            "l/n/package.json": "{}",
            "r/rush.json": '// rush\n{"projects": [{"projectFolder": "libs/a",},]}',
            "r/libs/a/package.json": "{}",
            "r/libs/b/package.json": "{}",
        },
        {
            "l": "workspace",
            "l/m/a": "package",
            "l/n": "detached",
            "r": "workspace",
            "r/libs/a": "package",
            "r/libs/b": "detached",
        },
    ),
    (
        "nx and turbo list nothing by themselves",
        "javascript",
        {"nx.json": "{}", "turbo.json": "{}", "apps/a/package.json": "{}"},
        {".": "workspace", "apps/a": "package"},
    ),
    (
        "deno",
        "javascript",
        {"deno.json": '{"workspace": ["./a"]}', "a/deno.json": "{}", "b/deno.jsonc": "{} // b"},
        {".": "workspace", "a": "package", "b": "detached"},
    ),
    (
        "packages without a workspace stand by themselves; lock files and nested settings make none",
        "javascript",
        {"package.json": "{}", "package-lock.json": "{}", "sub/package.json": "{}", "sub/test/tsconfig.json": "{}"},
        {".": "package", "sub": "package"},
    ),
    ("settings alone", "javascript", {"a/tsconfig.json": "{}", "a/b/tsconfig.json": "{}"}, {"a": "package"}),
    (
        "uv",
        "python",
        {
            "pyproject.toml": '[tool.uv.workspace]\nmembers = ["libs/*"]\nexclude = ["libs/old"]\n',
            "uv.lock": "",
            "libs/a/pyproject.toml": "",
            "libs/old/pyproject.toml": "",
            "tool/setup.py": "raise SystemExit",
            "docs/requirements.txt": "sphinx",
        },
        {".": "workspace", "libs/a": "package", "libs/old": "detached", "tool": "detached"},
    ),
    (
        "locks list nothing by themselves",
        "python",
        {"poetry.lock": "", "a/setup.cfg": "", "b/Pipfile": "", "b/Pipfile.lock": "{}", "b/c/pyproject.toml": ""},
        {".": "workspace", "a": "package", "b": "workspace", "b/c": "package"},
    ),
    ("requirements alone", "python", {"a/requirements.txt": "", "b.py": ""}, {"a": "package"}),
    (
        "go",
        "go",
        {
            "go.work": "go 1.22\n\nuse (\n\t./a // the first\n\t./b\n)\nuse ./c\n",
            "a/go.mod": "",
            "b/go.mod": "",
            "c/go.mod": "",
            "d/go.mod": "",
        },
        {".": "workspace", "a": "package", "b": "package", "c": "package", "d": "detached"},
    ),
    (
        "cargo: members, exceptions, and path dependencies near and far",
        "rust",
        {
            "Cargo.toml": '[workspace]\nmembers = ["crates/*"]\nexclude = ["crates/out"]\n'
            '[dependencies]\nroot = { path = "root" }\n',
            "crates/a/Cargo.toml": '[target."cfg(unix)".dependencies]\nfar = { path = "../../far" }\n',
            "crates/out/Cargo.toml": "",
            "crates/out/in/Cargo.toml": "",
            "root/Cargo.toml": '[dependencies]\nout = { path = "../crates/out" }\n',
            "far/Cargo.toml": "",
            "apart/Cargo.toml": "",
        },
        {
            ".": "workspace",
            "crates/a": "package",
            "crates/out": "detached",
            "crates/out/in": "detached",
            "root": "package",
            "far": "package",
            "apart": "detached",
        },
    ),
    (
        "gradle",
        "jvm",
        {
            "settings.gradle": "// include ':not'\nrootProject.name = 'x'\ninclude ':a', ':lib:b'\ninclude('moved')\n"
            "project(':moved').projectDir = new File(settingsDir, 'else/where')\n",
            "a/build.gradle": "",
            "lib/b/build.gradle.kts": "",
            "else/where/build.gradle": "",
            "moved/build.gradle": "",
            "not/build.gradle": "",
        },
        {
            ".": "workspace",
            "a": "package",
            "lib/b": "package",
            "else/where": "package",
            "moved": "detached",
            "not": "detached",
        },
    ),
    (
        "maven: modules of modules",
        "jvm",
        {
            ".mvn/wrapper/maven-wrapper.properties": "",
            "pom.xml": "<project><modules><module>a</module><!-- <module>no</module> --></modules></project>",
            "a/pom.xml": "<project><modules><module>b/pom.xml</module></modules></project>",
            "a/b/pom.xml": "<project/>",
            "no/pom.xml": "<project/>",
        },
        {".": "workspace", "a": "package", "a/b": "package", "no": "detached"},
    ),
    (
        "poms without a workspace, and sbt",
        "jvm",
        {
            "pom.xml": "<project><modules><module>a</module></modules></project>",
            "b/pom.xml": "<project/>",
            "s/build.sbt": "",
        },
        {".": "package", "b": "package", "s": "package"},
    ),
    (
        "dotnet",
        "dotnet",
        {"All.sln": "\ufeff" + SLN, "src/App/App.csproj": "", "src/Lib/Lib.fsproj": ""},
        {".": "workspace", "src/App": "package", "src/Lib": "detached"},
    ),
    (
        "dotnet in XML",
        "dotnet",
        {"All.slnx": '<Solution><Project Path="a/A.csproj" /></Solution>', "a/A.csproj": "", "b/B.csproj": ""},
        {".": "workspace", "a": "package", "b": "detached"},
    ),
    (
        "cpp: the topmost folder of a build",
        "cpp",
        {"CMakeLists.txt": "", "src/CMakeLists.txt": "", "b/compile_commands.json": "[]"},
        {".": "package", "b": "workspace"},
    ),
    ("ruby", "ruby", {"Gemfile": "", "gems/a/a.gemspec": "", ".gemspec": ""}, {".": "package", "gems/a": "package"}),
    ("php", "php", {"composer.json": "{}", "lib/composer.json": "{}"}, {".": "package", "lib": "package"}),
    ("what others brought is no root", "javascript", {"node_modules/a/package.json": "{}", "a.js": ""}, {}),
]


@pytest.mark.requirement("CTX.1")
@pytest.mark.parametrize(("family", "files", "expected"), [case[1:] for case in CASES], ids=[case[0] for case in CASES])
def test_roots_of_a_family(family: str, files: Files, expected: dict[str, str]) -> None:
    assert shown(files, family) == expected
    assert [fault.path for fault in found(files).faults] == []


@pytest.mark.requirement("CTX.1")
def test_nested_roots_are_cut_out_and_detached_ones_have_no_owner() -> None:
    files = {
        "package.json": '{"workspaces": ["lib"]}',
        "top.ts": "",
        "lib/package.json": "{}",
        "lib/a.ts": "",
        "lib2/b.ts": "",
        "loose/package.json": "{}",
        "loose/deep/c.js": "",
        "lib/node_modules/x/d.js": "",
        "script.py": "",
        "README.md": "",
        "a.unknown": "",
    }
    assert contexts(files, "javascript")[""].holes == ("lib", "loose")
    told = owners(files)
    assert {path: owner for path, owner in told.items() if not path.endswith(".json")} == {
        "top.ts": "javascript:.",
        "lib/a.ts": "javascript:lib",
        "lib2/b.ts": "javascript:.",
        "loose/deep/c.js": None,
        "lib/node_modules/x/d.js": None,
        "script.py": None,
        "README.md": "docs:.",
        "a.unknown": None,
    }


@pytest.mark.requirement("CTX.1")
def test_only_the_closest_workspace_decides() -> None:
    files = {
        "package.json": '{"workspaces": ["inner", "inner/a"]}',
        "inner/package.json": '{"workspaces": ["b"]}',
        "inner/a/package.json": "{}",
        "inner/b/package.json": "{}",
    }
    assert shown(files, "javascript") == {
        ".": "workspace",
        "inner": "workspace",
        "inner/a": "detached",
        "inner/b": "package",
    }
    assert contexts(files, "javascript")["inner/b"].workspace == "inner"


@pytest.mark.requirement("CTX.1")
def test_ambient_families_have_one_context_and_others_none_without_a_manifest() -> None:
    alone = {context.id for context in found({"a.py": "x"}).contexts}
    assert alone == {f"{family.name}:." for family in FAMILIES if family.ambient}
    assert {"data:.", "docs:.", "sql:.", "docker:.", "graphql:.", "config:."} <= alone


BROKEN = [
    ("package.json", "{", "javascript", "package"),
    ("package.json", "[" * 100_000, "javascript", "package"),
    ("package.json", '{"workspaces": 3}', "javascript", "package"),
    ("package.json", "[]", "javascript", "package"),
    ("pnpm-workspace.yaml", "packages: x\n", "javascript", "workspace"),
    ("pnpm-workspace.yaml", "packages:\n  - 'a\n", "javascript", "workspace"),
    ("pnpm-workspace.yaml", "packages:\n  a: b\n", "javascript", "workspace"),
    ("pnpm-workspace.yaml", "- a\n", "javascript", "workspace"),
    ("rush.json", '{"projects": [1]}', "javascript", "workspace"),
    ("tsconfig.json", "{a}", "javascript", "package"),
    ("pyproject.toml", "[[[", "python", "package"),
    ("pyproject.toml", "[tool.uv]\nworkspace = 1\n", "python", "package"),
    ("Cargo.toml", "workspace = []", "rust", "package"),
    ("go.work", "what", "go", "workspace"),
    ("pom.xml", "nothing", "jvm", "package"),
    ("All.sln", "nothing", "dotnet", "workspace"),
    ("All.slnx", "nothing", "dotnet", "workspace"),
    ("composer.json", "", "php", "package"),
]


@pytest.mark.requirement("CTX.1")
@pytest.mark.parametrize(("name", "text", "family", "tier"), BROKEN)
def test_a_manifest_that_makes_no_sense_is_told_and_marks_its_root_all_the_same(
    name: str, text: str, family: str, tier: str
) -> None:
    files = {f"a/{name}": text, "b/pyproject.toml": ""}
    assert shown(files, family)["a"] == tier
    (fault,) = found(files).faults
    assert fault.path == f"a/{name}"
    assert fault.message
    assert shown(files, "python")["b"] == "package"


@pytest.mark.requirement("CTX.1")
def test_a_workspace_that_can_not_be_read_owns_no_package() -> None:
    files = {"pnpm-workspace.yaml": "packages: x\n", "a/package.json": "{}"}
    assert shown(files, "javascript") == {".": "workspace", "a": "detached"}


@pytest.mark.requirement("CTX.1")
@pytest.mark.parametrize(
    "text",
    [
        "include ':a'\nlist.each { include it }\n",
        "include(':a', \":$name\")\ninclude ':a'\n",
        "include ':a'\nproject(':a').projectDir = new File(base, 'z')\n",
        'include(":a")\nfor (x in y) include(x)\n',
    ],
)
def test_what_gradle_computes_is_told_and_not_trusted(text: str) -> None:
    files = {"settings.gradle": text, "a/build.gradle": "", "b/build.gradle": ""}
    assert shown(files, "jvm") == {".": "workspace", "a": "package", "b": "detached"}
    assert [fault.path for fault in found(files).faults] == ["settings.gradle"]


def test_content_that_is_not_to_be_had_or_no_text_or_huge_is_told() -> None:
    class Absent(TextTree):
        def read(self, path: str) -> bytes | None:
            return None

    assert [fault.path for fault in discover(Absent({"package.json": "{}", "uv.lock": ""})).faults] == ["package.json"]
    assert [fault.path for fault in discover(TextTree({"go.work": b"\xff"})).faults] == ["go.work"]
    assert [fault.path for fault in discover(TextTree({"go.work": "//" * 300_000})).faults] == ["go.work"]


def test_members_outside_of_the_tree_are_nowhere_and_odd_folders_are_no_patterns() -> None:
    files = {
        "app/[id]/package.json": '{"workspaces": ["../../../etc", "/abs", "x", "y*", "..\\\\other"]}',
        "app/[id]/x/package.json": "{}",
        "app/[id]/y1/package.json": "{}",
        "app/i/x/package.json": "{}",
    }
    assert shown(files, "javascript") == {
        "app/[id]": "workspace",
        "app/[id]/x": "package",
        "app/[id]/y1": "package",
        "app/i/x": "package",
    }


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("tsconfig.json", '"\\' + '\\"' * 200_000),
        ("tsconfig.json", "/* " * 200_000),
        ("settings.gradle", "'\\" + "\\'" * 200_000),
        ("settings.gradle", "include " * 50_000),
        ("pom.xml", "<project" + "<!--" * 200_000),
        ("A.slnx", "<Solution" + "<Project " * 50_000),
        ("go.work", "go 1\n" + "use (\n" * 80_000),
        ("A.sln", "Microsoft Visual Studio Solution File" + '\nProject("' * 40_000),
        ("pyproject.toml", "a." * 200_000 + "a = 1"),
        ("Cargo.toml", "\n".join(f"[a{number}." + '"b" . ' * 2_000 + "c]" for number in range(30))),
        ("package.json", '{"workspaces": [' + '"**/*a*b/*",' * 40_000 + '"a"]}'),
        ("package.json", '{"workspaces": ["' + "{a,b}" * 200 + '", "' + "*a" * 2_000 + '"]}'),
    ],
)
def test_a_hostile_manifest_is_looked_at_once(name: str, text: str) -> None:
    # Each of these would take minutes if every opening were followed to the end of the text.
    files = {name: text, "x/package.json": "{}", "a" * 200 + "/package.json": "{}"}
    assert found(files).contexts


@pytest.mark.requirement("CTX.1")
def test_the_config_hash_follows_the_manifests_of_the_root_and_its_workspace_alone() -> None:
    files = {
        "package.json": '{"workspaces": ["a", "b"]}',
        "a/package.json": "{}",
        "a/tsconfig.json": "{}",
        "b/package.json": "{}",
        "a/x.ts": "",
    }

    def changed(**other: str) -> set[str]:
        before = {context.id: context.config_hash for context in found(files).contexts}
        after = found(files | {name.replace("_", "/").replace("0", "."): text for name, text in other.items()})
        return {context.id for context in after.contexts if before.get(context.id) != context.config_hash}

    assert changed(a_x0ts="let x") == set()
    assert changed(a_package0json='{"name": "a"}') == {"javascript:a"}
    assert changed(a_tsconfig0json='{"files": []}') == {"javascript:a"}
    assert changed(package0json='{"workspaces": ["a", "b", "c"]}') == {"javascript:.", "javascript:a", "javascript:b"}


@pytest.mark.requirement("CTX.1")
def test_the_config_hash_follows_what_a_configuration_extends() -> None:
    files = {
        "web/package.json": "{}",
        "web/tsconfig.json": '{"extends": "../config/base", /* why */}',
        "lib/package.json": "{}",
        "lib/tsconfig.json": '{"extends": ["./missing.json", "@tools/base", "../config/other.json", "../../out.json"]}',
        "config/base.json": '{"extends": "./deep.json"}',
        "config/deep.json": '{"extends": ["./base.json", 7]}',
        "config/other.json": "{",
        "py/pyproject.toml": "",
        "py/pyrightconfig.json": '{"extends": "../config/pyright.json"}',
        "config/pyright.json": "{}",
    }

    def changed(name: str, text: str) -> set[str]:
        before = {context.id: context.config_hash for context in found(files).contexts}
        after = found(files | {name: text}).contexts
        return {context.id for context in after if before.get(context.id) != context.config_hash}

    assert changed("config/base.json", "{}") == {"javascript:web"}
    assert changed("config/deep.json", "{}") == {"javascript:web"}
    assert changed("config/base", "{}") == {"javascript:web"}
    assert changed("config/other.json", "{}") == {"javascript:lib"}
    assert changed("lib/missing.json", "{}") == {"javascript:lib"}
    assert changed("lib/@tools/base.json", "{}") == set()
    assert changed("py/pyrightconfig.json", "{}") == {"python:py"}
    assert changed("config/pyright.json", '{"strict": []}') == {"python:py"}
    assert changed("out.json", "{}") == set()


def test_a_chain_without_an_end_is_followed_for_a_while() -> None:
    files = {f"c{number}.json": f'{{"extends": "./c{number + 1}.json"}}' for number in range(1_000)}
    read: list[str] = []

    def told(path: str) -> bytes | None:
        read.append(path)
        return files[path].encode()

    assert len(bases_of("tsconfig.json", b'{"extends": "./c0.json"}', told)) == MOST_BASES
    assert len(read) == MOST_BASES
    (fault,) = found({"tsconfig.json": '{"extends": "./c0.json"}', **files}).faults
    assert fault.path == "tsconfig.json"
