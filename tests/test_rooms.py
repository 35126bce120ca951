"""How a room is kept: modules that can be read at a sitting, names that are one thing, and a word on each of them."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest

import cairn

SOURCE = Path(cairn.__file__).resolve().parent
ROOMS = ("store", "indexing", "lifecycle")
SHARED = frozenset({"Decision", "Failure", "Level", "Manifest", "Step", "Verdict"})
"""Names of these rooms that a class of another room bears too, and should not."""

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


def public(node: ast.Module | ast.ClassDef, within: str = "") -> Iterator[tuple[str, Definition]]:
    """Every class, function and method that others may use, with its qualified name."""
    for each in node.body:
        if isinstance(each, Definition) and not each.name.startswith("_"):
            yield within + each.name, each
            if isinstance(each, ast.ClassDef):
                yield from public(each, f"{within}{each.name}.")


@pytest.mark.parametrize("room", ROOMS)
def test_everything_public_says_what_it_is(room: str) -> None:
    bare = [
        f"{path.relative_to(SOURCE)}:{node.lineno} {name}"
        for path in sorted((SOURCE / room).rglob("*.py"))
        for name, node in public(ast.parse(path.read_bytes()))
        if not ast.get_docstring(node)
    ]
    assert bare == []


def test_a_class_of_these_rooms_has_its_name_for_itself() -> None:
    homes: dict[str, set[str]] = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_bytes()).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(str(path.relative_to(SOURCE)))
    twice = {
        name for name, paths in homes.items() if len(paths) > 1 and any(path.split("/")[0] in ROOMS for path in paths)
    }
    assert twice <= SHARED
