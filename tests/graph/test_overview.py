"""What a repository is made of, from its files alone."""

import json

import pytest

from cairn.graph.overview import Overview, overview
from cairn.store import FileRow


def told(files: dict[str, tuple[str, int]], mains: tuple[str, ...] = (), **texts: str) -> Overview:
    """An overview of files, each with its language and lines; `texts` are those of manifests."""
    rows = [FileRow(path, "h", 1, language, 1, lines) for path, (language, lines) in files.items()]
    manifests = {name.replace("_", "."): text for name, text in texts.items()}
    return overview(rows, mains, manifests.get)


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


def test_ways_in_are_declared_defined_named_or_lie_among_commands() -> None:
    files = {
        "bin/tool": ("bash", 3),
        "bin/lib/help.sh": ("bash", 3),
        "cmd/serve/main.go": ("go", 3),
        "scripts/run.py": ("python", 3),
        "src/manage.py": ("python", 3),
        "src/begin.py": ("python", 3),
        "lib/web.js": ("javascript", 3),
        "lib/all.mjs": ("javascript", 3),
    }
    package = json.dumps({"name": "web", "bin": "./lib/web.js", "module": "lib/all.mjs", "main": 3})
    made = told({**files, "package.json": ("json", 9)}, ("src/begin.py",), package_json=package)
    assert {each.path: each.why for each in made.entry_points} == {
        "lib/web.js": "command web",
        "lib/all.mjs": "package module",
        "bin/tool": "lies among commands",
        "scripts/run.py": "lies among commands",
        "src/begin.py": "defines main",
        "src/manage.py": "by its name",
        "cmd/serve/main.go": "by its name",
    }


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
