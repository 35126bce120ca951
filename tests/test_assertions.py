"""Every test says what it expects: by itself, or through a helper that does."""

import ast
from pathlib import Path

import pytest

_SAYING = ("assert", "raises", "warns", "fail")
Definition = ast.FunctionDef | ast.AsyncFunctionDef


def _called(node: Definition) -> set[str]:
    """The names of what a function calls; `assert` where it expects something by itself."""
    found = set()
    for each in ast.walk(node):
        if isinstance(each, ast.Assert | ast.Raise):
            found.add("assert")
        elif isinstance(each, ast.Call):
            found.add(getattr(each.func, "attr", getattr(each.func, "id", "")))
            # A child whose exit code is checked.
            found |= {"assert" for keyword in each.keywords if keyword.arg == "check"}
    return found


def silent(folder: Path) -> list[str]:
    """Tests that would pass whatever the code answers."""
    calls = [
        (f"{path.name}:{node.name}", node.name, _called(node))
        for path in sorted(folder.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_bytes()))
        if isinstance(node, Definition)
    ]
    saying = {name for _, _, called in calls for name in called if name.startswith(_SAYING)}
    while more := {name for _, name, called in calls if called & saying} - saying:
        saying |= more
    return [place for place, name, called in calls if name.startswith("test_") and not called & saying]


@pytest.mark.slow
def test_no_test_is_silent() -> None:
    assert silent(Path(__file__).parent) == []


def test_a_silent_test_is_noticed(tmp_path: Path) -> None:
    (tmp_path / "test_a.py").write_text(
        "def agrees(a):\n    assert a\n\n\n"
        "def test_one():\n    agrees(1)\n\n\n"
        "def test_two():\n    with pytest.raises(ValueError):\n        int('x')\n\n\n"
        "def test_three():\n    int('1')\n"
    )
    assert silent(tmp_path) == ["test_a.py:test_three"]
