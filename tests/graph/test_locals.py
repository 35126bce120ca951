"""Locals and parameters that are asked for by their places, and the arguments that are given to them by name."""

from pathlib import Path

import pytest

from cairn.graph.locals import find_local
from cairn.graph.references import References, find_uses
from cairn.graph.targets import place_of
from tests.graph.worlds import one, places, resolver_of

FILES = {
    "a.py": "def f(name, b=1):\n    name = b\n    for b in name:\n        print(b, name)\n"
    "    g = lambda name: name + b\n    def inner(x):\n        return name + x\n    return [name for name in g]\n",
    "a.ts": "export function f(name: string, { b, c: d }: any) {\n  const x = name + b;\n  if (x) { let x = 2; x; }\n"
    "  return items.map((name) => name + d + x);\n}\n",
    "a.js": "function f(name) {\n  const x = name;\n  { let x = 2; name = x; }\n  return x;\n}\n",
    "a.go": "package a\n\nfunc F(name string) int {\n\tx := name\n\tif x := 3; x > 2 {\n\t\treturn x\n\t}\n"
    "\treturn len(x)\n}\n",
    "A.java": "class A {\n  int f(int name) {\n    int x = name;\n    for (int i = 0; i < x; i++) { x += i; }\n"
    "    return x;\n  }\n}\n",
    "a.rs": "fn f(name: i32) -> i32 {\n    let x = name;\n    match x { y => y + x }\n}\n",
    "a.c": "int f(int name) {\n  int x = name;\n  { int x = 3; name = x; }\n  return x;\n}\n",
    "a.rb": "def f(name)\n  x = name\n  x.each { |name| name }\nend\n",
}


def _found(folder: Path, files: dict[str, str], place: str) -> References | None:
    with resolver_of(folder, files) as resolver:
        asked = place_of(place)
        assert asked is not None
        return find_local(resolver, asked, lambda _path: True)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("place", "name", "kind", "expected"),
    [
        ("a.py:1:7", "f.name", "parameter", ["2:4 write", "3:13 read", "4:17 read", "7:15 read"]),
        ("a.py:7:17", "f.name", "parameter", ["2:4 write", "3:13 read", "4:17 read", "7:15 read"]),
        ("a.py:5:16", "f.name", "parameter", ["5:21 read"]),
        ("a.py:8:13", "f.name", "variable", ["8:12 read"]),
        ("a.py:1:13", "f.b", "parameter", ["2:11 read", "3:8 write", "4:14 read", "5:28 read"]),
        ("a.ts:2:9", "f.x", "variable", ["3:6 read", "4:40 read"]),
        ("a.ts:3:16", "f.x", "variable", ["3:22 read"]),
        ("a.ts:4:30", "f.name", "parameter", ["4:29 read"]),
        ("a.ts:1:41", "f.d", "parameter", ["4:36 read"]),
        ("a.js:1:12", "f.name", "parameter", ["2:12 read", "3:15 write"]),
        ("a.go:4:2", "F.x", "variable", ["8:12 read"]),
        ("a.go:5:5", "F.x", "variable", ["5:12 read", "6:9 read"]),
        ("A.java:4:14", "A.f.i", "variable", ["4:20 read", "4:27 write", "4:39 read"]),
        ("A.java:2:13", "A.f.name", "parameter", ["3:12 read"]),
        ("a.rs:3:15", "f.y", "variable", ["3:19 read"]),
        ("a.c:3:9", "f.x", "variable", ["3:22 read"]),
        ("a.c:2:7", "f.x", "variable", ["4:9 read"]),
        ("a.rb:1:7", "f.name", "parameter", ["2:6 read"]),
    ],
)
def test_a_local_is_used_in_its_scope_alone(
    folder: Path, place: str, name: str, kind: str, expected: list[str]
) -> None:
    path = place.partition(":")[0]
    found = _found(folder, {path: FILES[path]}, place)
    assert found is not None
    (item,) = found.definitions
    assert (item.symbol.qualified_name, item.symbol.kind) == (name, kind)
    assert [f"{each.line}:{each.column} {each.role}" for each in found.items] == expected
    assert {each.tier for each in found.items} == {"proven"}


@pytest.mark.parametrize("place", ["a.py:1:5", "a.py:4:10", "a.py:2:1", "a.py:3", "a.py:90:1", "a.c:1:2"])
def test_what_is_no_local_is_none(folder: Path, place: str) -> None:
    path = place.partition(":")[0]
    assert _found(folder, {path: FILES[path]}, place) is None


ARGUMENTS = {
    "a.py": "def f(name, other=1):\n    return name\n\n\nclass K:\n"
    "    def __init__(self, name):\n        self.name = name\n",
    "b.py": "import a\nfrom a import f as g, K\n\na.f(name=1)\ng(2, other=(3))\ng(  # once more\n    name=h(name=4))\n"
    "unknown(name=5)\nK(name=6)\na.f({'name': 7})\nf(name=8)\n",
}


@pytest.mark.parametrize(
    ("place", "expected"),
    [
        ("a.py:1:7", ["a.py:2:11 proven read", "b.py:4:4 proven read", "b.py:7:4 proven read"]),
        ("a.py:1:13", ["b.py:5:5 proven read"]),
        ("a.py:6:24", ["a.py:7:20 proven read", "b.py:9:2 proven read"]),
    ],
)
def test_a_parameter_is_given_by_name_where_its_function_is_called(
    folder: Path, place: str, expected: list[str]
) -> None:
    found = _found(folder, ARGUMENTS, place)
    assert found is not None
    assert places(found) == expected


def test_a_function_without_a_name_is_given_nothing_by_name(folder: Path) -> None:
    files = {"a.py": "def f(name):\n    return lambda name: name\n\n\nf(name=1)\n"}
    found = _found(folder, files, "a.py:2:19")
    assert found is not None
    assert places(found) == ["a.py:2:24 proven read"]


FIELDS = {
    "d.py": "from dataclasses import dataclass\nfrom lib import Base\n\n\n@dataclass\nclass P:\n    name: str\n\n\n"
    "class N(Base):\n    name: str\n\n\nclass O:\n    name: str\n\n    def __init__(self, name):\n        pass\n\n\n"
    "P(name=1)\nN(name=2)\nO(name=3)\nunknown(name=4)\n",
}


@pytest.mark.parametrize(
    ("name", "path", "expected"),
    [
        ("P.name", "d.py", {21: "proven", 22: "name", 23: "name", 24: "name"}),
        # A base that isn't known may have a constructor; one's own says what its arguments are.
        ("N.name", "d.py", {21: "name", 22: "likely", 23: "name", 24: "name"}),
        ("O.name", "d.py", {21: "name", 22: "name", 23: "name", 24: "name"}),
    ],
)
def test_a_field_is_given_by_name_where_its_type_is_called(
    folder: Path, name: str, path: str, expected: dict[int, str]
) -> None:
    with resolver_of(folder, {path: FIELDS[path]}) as resolver:
        found = find_uses(resolver, [one(resolver, name, path)])
        assert {each.line: each.tier for each in found.items if each.line >= min(expected)} == expected
