"""What a repository is made of, from its files alone."""

import json

import pytest

from cairn.graph.overview import Overview, overview
from cairn.store import FileRow


def told(files: dict[str, tuple[str, int]], mains: tuple[str, ...] = (), **texts: str) -> Overview:
    """An overview of files, each with its language and lines; `texts` are those of manifests."""
    rows = [FileRow(path, "h", 1, language, 1, lines) for path, (language, lines) in files.items()]
    manifests = {name.replace("__", "/").replace("_", "."): text for name, text in texts.items()}
    rows += [FileRow(name, "h", 1, "json", 1, 1) for name in manifests if name not in files]
    return overview(rows, dict.fromkeys(mains, "is run"), manifests.get)


def test_languages_and_folders_stand_by_their_lines() -> None:
    made = told(
        {
            "src/a/one.py": ("python", 300),
            "src/a/deep/er/two.py": ("python", 10),
            "src/b/x.ts": ("typescript", 200),
            "src/b/y.py": ("python", 50),
            "small/1.js": ("javascript", 1),
            "small/2.js": ("javascript", 1),
            "small/3.js": ("javascript", 1),
            "small/4.js": ("javascript", 1),
            "small/5.js": ("javascript", 1),
            "top.py": ("python", 2),
        }
    )
    assert [(share.language, share.files, share.lines) for share in made.languages] == [
        ("python", 4, 362),
        ("typescript", 1, 200),
        ("javascript", 5, 5),
    ]
    assert [(folder.path, folder.files, folder.lines, folder.language) for folder in made.folders] == [
        ("src/a", 2, 310, "python"),
        ("src/b", 2, 250, "typescript"),
        ("small", 5, 5, "javascript"),
        ("", 1, 2, "python"),
    ]


@pytest.mark.requirement("MAP.1")
def test_tests_and_examples_are_no_folders_of_the_code_and_no_ways_in() -> None:
    made = told(
        {
            "src/app.py": ("python", 9),
            "tests/main.py": ("python", 90),
            "examples/main.py": ("python", 90),
            "README.md": ("markdown", 900),
        },
        ("tests/main.py",),
    )
    assert [folder.path for folder in made.folders] == ["src"]
    assert [folder.path for folder in made.tests] == ["tests"]
    assert [(each.path, each.why) for each in made.entry_points] == [("src/app.py", "by its name")]
    alone = told({"tests/a.py": ("python", 9)})
    assert [folder.path for folder in alone.folders] == ["tests"]


@pytest.mark.requirement("MAP.1")
def test_what_is_installed_comes_first_then_what_runs_then_what_is_named_so() -> None:
    files = {
        "bin/release": ("bash", 3),
        "cmd/serve/main.go": ("go", 3),
        "scripts/run.py": ("python", 3),
        "src/manage.py": ("python", 3),
        "src/begin.py": ("python", 3),
        "lib/web.js": ("javascript", 3),
        "lib/all.mjs": ("javascript", 3),
    }
    package = json.dumps({"name": "web", "bin": "./lib/web.js", "module": "lib/all.mjs", "main": 3})
    mains = ("src/begin.py", "cmd/serve/main.go", "scripts/run.py")
    made = told(files, mains, package_json=package)
    assert [(each.path, each.why) for each in made.entry_points] == [
        ("lib/web.js", "command web"),
        ("lib/all.mjs", "package web"),
        ("cmd/serve/main.go", "is run"),
        ("src/begin.py", "is run"),
    ]
    assert made.installed == ("lib/web.js", "lib/all.mjs")
    # A name alone says little where a manifest says what is installed.
    assert ("src/manage.py", "by its name") in [(each.path, each.why) for each in told(files, mains).entry_points]
    assert [(each.kind, each.files, each.folders) for each in made.folded] == [("scripts", 1, ("scripts",))]
    alone = told({"bin/tool": ("bash", 3), "bin/lib/help.sh": ("bash", 3)})
    assert [(each.path, each.why) for each in alone.entry_points] == [("bin/tool", "lies among commands")]


CASES = [
    (
        "pyproject.toml",
        '[project]\nname = "my-kit"\n[project.scripts]\nkit = "my_kit.cli:run"\n',
        {
            "src/my_kit/cli.py": "command kit",
            "src/my_kit/__main__.py": "python -m my_kit",
            "src/my_kit/__init__.py": "package my-kit",
        },
    ),
    (
        "pyproject.toml",
        '[tool.poetry]\nname = "kit"\n[tool.poetry.scripts]\nkit = "kit:run"\n',
        {"kit.py": "command kit"},
    ),
    (
        "setup.cfg",
        "[metadata]\nname = kit\n[options.entry_points]\nconsole_scripts =\n    kit = kit.app:go\n",
        {"kit/app.py": "command kit", "kit/__init__.py": "package kit"},
    ),
    ("setup.py", "setup(entry_points={'console_scripts': ['kit=kit.app:go']})\n", {"kit/app.py": "command kit"}),
    (
        "package.json",
        '{"name": "kit", "bin": {"kit": "dist/cli.js"}, "exports": {".": {"import": "./dist/index.mjs"}}}',
        {"src/cli.ts": "command kit", "src/index.ts": "package kit"},
    ),
    ("package.json", '{"name": "kit", "main": "./dist/all.js"}', {"src/index.ts": "package kit"}),
    ("package.json", '{"name": "kit"}', {"index.js": "package kit"}),
    (
        "Cargo.toml",
        '[package]\nname = "kit"\n[[bin]]\nname = "tool"\npath = "core/main.rs"\n',
        {"core/main.rs": "command tool", "src/lib.rs": "crate kit"},
    ),
    ("Cargo.toml", '[workspace]\nmembers = ["a"]\n', {}),
    (
        "composer.json",
        '{"bin": ["bin/kit"], "autoload": {"files": ["src/help.php"]}}',
        {"bin/kit": "command", "src/help.php": "loaded at the start"},
    ),
    ("kit.gemspec", "", {"lib/kit.rb": "gem kit"}),
    ("go.mod", "module example.com/go-kit/v2\n\ngo 1.22\n", {"kit.go": "package go-kit"}),
    ("go.mod", "// a tool\nmodule kit-box\n", {"kit_box.go": "package kit-box"}),
    ("go.mod", "module example.com/kit\n", {"doc.go": "package kit"}),
    ("go.mod", "require example.com/kit v1.0.0\n", {}),
    (
        "CMakeLists.txt",
        "add_executable(kit start.c rest.c)\nadd_executable(${NAME} ${ALL})\n",
        {"start.c": "program kit"},
    ),
]


@pytest.mark.parametrize("folder", ["", "packages/kit/"])
@pytest.mark.parametrize(("manifest", "text", "wanted"), CASES)
def test_every_manifest_names_its_ways_in_wherever_it_lies(
    folder: str, manifest: str, text: str, wanted: dict[str, str]
) -> None:
    rows = [FileRow(folder + path, "h", 1, "c", 1, 3) for path in (*wanted, "start.c", "rest.c", manifest)]
    made = overview(rows, {}, {folder + manifest: text}.get)
    assert {each.path: each.why for each in made.entry_points} == {folder + path: why for path, why in wanted.items()}


def test_the_default_of_node_is_no_way_in_where_a_manifest_exports_something_else() -> None:
    for package, wanted in (('{"name": "kit"}', ["index.js"]), ('{"name": "kit", "exports": {}}', [])):
        made = told({"index.js": ("javascript", 3)}, package_json=package)
        assert [each.path for each in made.entry_points if each.why == "package kit"] == wanted


def test_ways_in_of_one_kind_stand_by_the_part_that_they_lead_into_and_then_by_what_they_take_in() -> None:
    rows = [FileRow(path, "h", 1, "c", 1, 3) for path in ("a/main.c", "b/big.c", "b/main.c", "b/other.c")]
    ranks = {"b/big.c": 0.9, "a/main.c": 0.1}
    mains = ("a/main.c", "b/main.c", "b/other.c")
    made = overview(rows, dict.fromkeys(mains, "is run"), lambda _: None, {("b/other.c", "b/big.c"): 1.0}, ranks)
    assert [each.path for each in made.entry_points] == ["b/other.c", "b/main.c", "a/main.c"]


def test_a_public_header_stands_for_its_library() -> None:
    made = told({"include/kit/kit.h": ("c", 9), "include/kit/more.h": ("c", 9), "lib/kit.h": ("c", 9)})
    assert [(each.path, each.why) for each in made.entry_points] == [("include/kit/kit.h", "public header")]


def test_what_lies_beside_the_code_is_folded_by_the_folders_that_make_it_so() -> None:
    made = told(
        {
            "src/a.py": ("python", 9),
            "src/pkg/tests/test_a.py": ("python", 9),
            "src/pkg/tests/deep/test_b.py": ("python", 9),
            "src/test_c.py": ("python", 9),
            "docs/use.md": ("markdown", 9),
            "README.md": ("markdown", 9),
            ".github/run.sh": ("bash", 9),
            "fuzz/f.rs": ("rust", 9),
        }
    )
    assert [(each.kind, each.files, each.folders) for each in made.folded] == [
        ("tests", 4, ("src/pkg/tests", "fuzz", "src")),
        ("docs", 2, ("", "docs")),
        ("scripts", 1, (".github",)),
    ]
    alone = told({"tests/a.py": ("python", 9), "tests/b.md": ("markdown", 9)})
    assert alone.folded == ()


def test_an_empty_front_stands_for_nothing_and_outer_ones_come_first() -> None:
    made = told(
        {
            "src/pkg/sub/__init__.py": ("python", 3),
            "src/pkg/__init__.py": ("python", 1),
            "src/pkg/bare/__init__.py": ("python", 0),
            "lib/index.ts": ("typescript", 1),
            "tests/__init__.py": ("python", 5),
        }
    )
    assert made.fronts == ("lib/index.ts", "src/pkg/__init__.py", "src/pkg/sub/__init__.py")


def test_nothing_is_cut_from_what_is_told() -> None:
    files = {f"bin/tool_{at}": ("bash", 1) for at in range(300)}
    files |= {f"src/p{at}/__init__.py": ("python", 1) for at in range(300)}
    made = told(files)
    assert len(made.entry_points) == 300
    assert len(made.fronts) == 300
