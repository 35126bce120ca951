"""A definition of C and all that declares it are one thing."""

from pathlib import Path

import pytest

from cairn.graph.repeated import is_declaration
from tests.graph.worlds import places, resolver_of, uses

_FILES = {
    "a.h": "int foo(int x,\n        int y);\nextern int size;\n",
    "a.c": '#include "a.h"\nint size = 1;\nint foo(int x, int y)\n{\n    return x;\n}\n'
    "int own(void) { return foo(1, 2); }\n",
    "b.c": '#include "a.h"\nint two(void) { return foo(2, 3) + size; }\n',
    "c.c": "extern int foo(int, int);\nint three(void) { return foo(3, 4); }\n",
    "d.c": "static int foo(int x) { return x; }\nint four(void) { return foo(4); }\n",
}


@pytest.mark.slow
@pytest.mark.parametrize("home", ["a.c", "a.h", "c.c"])
def test_uses_are_the_same_whichever_declaration_is_asked_about(folder: Path, home: str) -> None:
    with resolver_of(folder, _FILES) as resolver:
        found = uses(resolver, "foo", home)
        assert places(found) == ["a.c:7:23 proven call", "b.c:2:23 proven call", "c.c:2:25 proven call"]
        assert {(item.target.path, item.target.symbol.name_line) for item in found.items if item.target} == {("a.c", 3)}
        # The one that its file keeps to itself, and its use.
        assert found.elsewhere == 2
        assert places(uses(resolver, "size", "a.c")) == ["b.c:2:35 proven read"]


def test_of_two_definitions_a_declaration_proves_none(folder: Path) -> None:
    files = _FILES | {"e.c": "int foo(int x, int y) { return y; }\n"}
    with resolver_of(folder, files) as resolver:
        assert places(uses(resolver, "foo", "a.c")) == [
            "a.c:7:23 proven call",
            "b.c:2:23 likely call",
            "c.c:2:25 likely call",
        ]


def test_a_declaration_has_no_body_however_many_lines_it_has(folder: Path) -> None:
    files = {
        "a.c": "int one(int a,\n        int b);\nint one(int a,\n        int b) {\n    return a;\n}\n"
        "extern int two;\nextern int three = 3;\nint four;\n#define five(x) x\nint six(void);\nint seven(void) {};\n",
        "a.py": "def six(): pass\n",
    }
    with resolver_of(folder, files) as resolver:
        named = [
            (path, item.symbol.name, item.symbol.start_line)
            for path in files
            for name in ("one", "two", "three", "four", "five", "six", "seven")
            for item in resolver.world.namesakes(name)
            if item.path == path and is_declaration(resolver.world, item)
        ]
        assert named == [("a.c", "one", 1), ("a.c", "two", 7), ("a.c", "six", 11)]
