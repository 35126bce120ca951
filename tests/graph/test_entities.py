"""One thing with several places: counted once, the implementation first, in every question."""

from collections.abc import Sequence
from pathlib import Path

import pytest

from cairn.graph.calls import CALLEES, CALLERS, Limits, call_graph
from cairn.graph.entities import entities_of, place_of
from cairn.graph.references import find_uses
from cairn.graph.repomap import ground_of, repo_map
from cairn.graph.symbols import find_definitions
from tests.graph.worlds import places, resolver_of, uses

PYTHON = {
    "a.py": "from typing import overload\n\n\n@overload\ndef one(a: int) -> int: ...\n@overload\n"
    "def one(a: str) -> str: ...\ndef one(a):\n    return two(a)\n\n\ndef two(a):\n    return a\n",
    "b.py": "from a import one\n\n\ndef go():\n    return one(1)\n",
}
PYTHON_STUB = {
    "a.py": "def one(a):\n    return two(a)\n\n\ndef two(a):\n    return a\n",
    "a.pyi": "def one(a: int) -> int: ...\n",
    "b.py": "from a import one\n\n\ndef go():\n    return one(1)\n",
}
TYPESCRIPT = {
    "a.ts": "export function one(a: number): number;\nexport function one(a: string): string;\n"
    "export function one(a: any): any { return two(a); }\nexport function two(a: any) { return a; }\n",
    "b.ts": "import { one } from './a';\nexport function go() { return one(1); }\n",
}
TYPESCRIPT_STUB = {
    "lib/a.js": "export function one(a) { return two(a); }\nexport function two(a) { return a; }\n",
    "lib/a.d.ts": "export declare function one(a: number): number;\nexport declare function one(a: string): string;\n",
    "b.ts": "import { one } from './lib/a';\nexport function go() { return one(1); }\n",
}
C = {
    "a.h": "int one(int a);\n",
    "a.c": '#include "a.h"\nstatic int two(int a) { return a; }\nint one(int a) { return two(a); }\n',
    "b.c": '#include "a.h"\nint go(void) { return one(1); }\n',
}
CPP = {
    "a.hpp": "class A {\npublic:\n  int one(int a);\n  int two(int a);\n};\n",
    "a.cpp": '#include "a.hpp"\nint A::two(int a) { return a; }\nint A::one(int a) { return two(a); }\n',
    "b.cpp": '#include "a.hpp"\nint go(A *a) { return a->one(1); }\n',
}
CSHARP = {
    "A1.cs": "namespace N {\npublic partial class A {\n  partial void one(int a);\n  void go() { one(1); }\n}\n}\n",
    "A2.cs": "namespace N {\npublic partial class A {\n  partial void one(int a) { two(a); }\n"
    "  void two(int a) { }\n}\n}\n",
}


@pytest.mark.slow
@pytest.mark.requirement("REF.22")
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        (PYTHON, ["a.py:8", "a.py:5", "a.py:7"]),
        (PYTHON_STUB, ["a.py:1", "a.pyi:1"]),
        (TYPESCRIPT, ["a.ts:3", "a.ts:1", "a.ts:2"]),
        (TYPESCRIPT_STUB, ["lib/a.js:1", "lib/a.d.ts:1", "lib/a.d.ts:2"]),
        (C, ["a.c:3", "a.h:1"]),
        (CPP, ["a.cpp:3", "a.hpp:3"]),
        (CSHARP, ["A2.cs:3", "A1.cs:3"]),
    ],
)
def test_a_thing_is_counted_once_and_its_implementation_stands_for_it(
    folder: Path, files: dict[str, str], expected: Sequence[str]
) -> None:
    with resolver_of(folder, files) as resolver:
        found = find_definitions(resolver.world.view, "one")
        (entity,) = entities_of(resolver.world, found)
        assert list(map(place_of, entity.places)) == expected
        # Whichever of its places is asked for: the same uses, each once, of the implementation.
        for asked in (found, *([each] for each in found)):
            said = find_uses(resolver, asked)
            assert list(map(place_of, (said.definitions[0], *said.definitions[0].places))) == expected
            (call,) = (each for each in said.items if each.role == "call")
            assert call.target is not None
            assert (place_of(call.target), call.tier, len(said.definitions)) == (expected[0], "proven", 1)
            callers = call_graph(resolver, asked, CALLERS, Limits())
            assert [(each.tier, each.count) for each in callers.calls] == [("proven", 1)]
            (root,) = (node for node in callers.nodes if node.depth == 0)
            assert [f"{root.path}:{root.line}", *root.places] == expected
            inner = call_graph(resolver, asked, CALLEES, Limits())
            assert [node.name.rpartition(".")[2] for node in inner.nodes if node.depth] == ["two"]
        outer = call_graph(resolver, find_definitions(resolver.world.view, "go"), CALLEES, Limits())
        assert [f"{node.path}:{node.line}" for node in outer.nodes if node.depth] == [expected[0]]


@pytest.mark.slow
@pytest.mark.requirement("REF.22")
@pytest.mark.parametrize(
    ("files", "name", "expected", "tier"),
    [
        (
            {
                "A1.cs": "namespace N {\npublic partial class A { }\n}\n",
                "A2.cs": "namespace N {\npublic partial class A { }\n}\n",
                "B.cs": "namespace N {\nclass B { object go() { return new A(); } }\n}\n",
            },
            "A",
            ["A1.cs:2", "A2.cs:2"],
            "proven",
        ),
        (
            {
                "a.rb": "class Foo\n  def one\n  end\nend\n",
                "b.rb": "class Foo\n  def two\n  end\nend\n",
                "c.rb": "def go\n  Foo.new\nend\n",
            },
            "Foo",
            ["a.rb:1", "b.rb:1"],
            "likely",
        ),
        (
            {
                "a.ts": "export interface Shape { a: number }\nexport class Shape { b = 1 }\n",
                "b.ts": "import { Shape } from './a';\nexport function go() { return new Shape(); }\n",
            },
            "Shape",
            ["a.ts:1", "a.ts:2"],
            "proven",
        ),
        (
            {
                "A.h": "@interface A : NSObject\n- (int)one;\n@end\n",
                "A.m": '#import "A.h"\n@implementation A\n- (int)one { return 1; }\n@end\n',
                "b.m": '#import "A.h"\nint go(void) {\n  A *a = 0;\n  return [a one];\n}\n',
            },
            "A",
            ["A.m:2", "A.h:1"],
            "proven",
        ),
    ],
)
def test_parts_of_a_type_are_one(
    folder: Path, files: dict[str, str], name: str, expected: Sequence[str], tier: str
) -> None:
    with resolver_of(folder, files) as resolver:
        found = find_definitions(resolver.world.view, name)
        (entity,) = entities_of(resolver.world, found)
        assert list(map(place_of, entity.places)) == expected
        assert {item.tier for item in uses(resolver, name).items} == {tier}
        assert {each.tier for each in call_graph(resolver, found, CALLERS, Limits()).calls} <= {tier}


@pytest.mark.requirement("REF.22")
def test_interfaces_of_one_name_in_two_files_are_two(folder: Path) -> None:
    files = {"a.ts": "export interface A { one: number }\n", "b.ts": "export interface A { two: number }\n"}
    with resolver_of(folder, files) as resolver:
        assert len(entities_of(resolver.world, find_definitions(resolver.world.view, "A"))) == 2


@pytest.mark.parametrize(
    ("files", "shown"),
    [
        (TYPESCRIPT, ["a.ts", "  function one(a: any): any", "  function two(a: any)", "b.ts", "  function go()"]),
        (PYTHON_STUB, ["a.py", "  def one(a)", "  def two(a)", "b.py", "  def go()"]),
    ],
)
def test_a_map_says_a_thing_once_by_its_implementation(folder: Path, files: dict[str, str], shown: list[str]) -> None:
    with resolver_of(folder, files) as resolver:
        made = repo_map(resolver.world, ground_of(resolver.world), 10_000)
        assert [line for entry in made.entries for line in entry.text().splitlines()] == shown
        assert (made.files_left_out, made.definitions_left_out) == (0, 0)


@pytest.mark.requirement("REF.22")
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("A.java", "class A {\n  int over(int a) { return 1; }\n  int over(String a) { return 2; }\n"
         "  void go() { over(1); }\n}\n"),
        ("A.cs", "class A {\n  int over(int a) { return 1; }\n  int over(string a) { return 2; }\n"
         "  void go() { over(1); }\n}\n"),
        ("a.kt", "fun over(a: Int) {}\nfun over(a: String) {}\nfun go() {\n    over(1)\n}\n"),
    ],
)  # fmt: skip
def test_overloads_are_several_things_whose_callers_count_once(folder: Path, path: str, text: str) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        found = find_definitions(resolver.world.view, "over")
        assert len(entities_of(resolver.world, found)) == 2
        together = call_graph(resolver, found, CALLERS, Limits())
        # It is surely one of them; which of them is likely each.
        assert ([each.tier for each in together.calls], len(together.roots)) == (["proven"], 1)
        assert [place.split()[1] for place in places(find_uses(resolver, found))] == ["proven"]
        for item in found:
            assert [each.tier for each in call_graph(resolver, [item], CALLERS, Limits()).calls] == ["likely"]
            assert [place.split()[1] for place in places(find_uses(resolver, [item]))] == ["likely"]


def test_namesakes_of_other_files_are_other_things(folder: Path) -> None:
    files = {
        "a.py": "def one():\n    pass\n",
        "b.py": "def one():\n    pass\n",
        "c.pyi": "def one(): ...\n",
        "A1.cs": "namespace N {\nclass one { }\n}\n",
        "A2.cs": "namespace N {\nclass one { }\n}\n",
        "x/a.c": "int one(void) { return 1; }\n",
        "y/a.c": "int one(void) { return 2; }\n",
        "a.h": "int one(void);\n",
    }
    with resolver_of(folder, files) as resolver:
        found = entities_of(resolver.world, find_definitions(resolver.world.view, "one"))
        told = sorted([place_of(each) for each in entity.places] for entity in found)
        assert told == [
            ["A1.cs:2"], ["A2.cs:2"], ["a.py:1"], ["b.py:1"], ["c.pyi:1"], ["x/a.c:1", "a.h:1"], ["y/a.c:1", "a.h:1"],
        ]  # fmt: skip
