"""Decisions of the graph that other tests touch and don't hold: each of these fails where one is made otherwise."""

from pathlib import Path

import pytest

from cairn.graph.calls import CALLEES, Limits, call_graph
from cairn.graph.difference import ADDED, RENAMED, differences
from cairn.graph.entities import entities_of
from cairn.graph.handed import other_holders
from cairn.graph.hierarchy import hierarchy
from cairn.graph.joins import Joins
from cairn.graph.meaning import LIKELY, NAME, PROVEN, Meaning
from cairn.graph.reach import reach
from cairn.graph.references import find_uses
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import Definition
from cairn.syntax.parse import parse_file
from tests.graph.test_unused import found
from tests.graph.worlds import one, resolver_of


def called_by(resolver: Resolver, name: str) -> dict[str, str]:
    graph = call_graph(resolver, [one(resolver, name)], CALLEES, Limits())
    names = {node.id: node.name for node in graph.nodes}
    return {names[call.target]: call.tier for call in graph.calls}


def tiers(resolver: Resolver, *definitions: Definition) -> dict[tuple[str, int], str]:
    return {(each.path, each.line): each.tier for each in find_uses(resolver, definitions).items}


def test_a_variable_that_something_unknown_flows_into_likely_holds_a_function(folder: Path) -> None:
    sure = "def sure():\n    x = f\n    x()\n"
    unsure = "def unsure(p, q):\n    x = f\n    if p:\n        x = q()\n    x()\n"
    with resolver_of(folder, {"a.py": f"def f(): ...\n\n\n{sure}\n\n{unsure}"}) as resolver:
        assert called_by(resolver, "sure") == {"f": "proven"}
        assert called_by(resolver, "unsure") == {"f": "likely"}


def test_a_local_holds_a_function_in_its_own_file_alone(folder: Path) -> None:
    files = {
        "a.py": "def f(): ...\n\n\nheld = f\n",
        "b.py": "from a import f\n\n\ndef g():\n    x = f\n    x()\n",
        "c.py": "def h(x, held):\n    x()\n    held()\n",
    }
    with resolver_of(folder, files) as resolver:
        holders = set(other_holders(resolver, [one(resolver, "f")], {"f"}))
        assert holders == {("b.py", "x"), ("a.py", "held"), ("c.py", "held")}


@pytest.mark.parametrize(
    ("maker", "tier"),
    [
        ("        return super().__new__(cls)\n", "proven"),
        ("        made = super().__new__(cls)\n        return made\n", "proven"),
        ("        made = super().__new__(cls)\n        return other\n", "likely"),
        ("        if x:\n            return super().__new__(cls)\n        return other\n", "likely"),
        ("        super().__new__(cls)\n", "likely"),
        (
            "        made = super().__new__(cls)\n        return made\n\n"
            "    def far(self, other):\n        made = other\n",
            "proven",
        ),
    ],
)
def test_a_type_is_surely_made_where_every_way_gives_what_its_base_made(folder: Path, maker: str, tier: str) -> None:
    text = (
        f"class A:\n    def __new__(cls, x=1, other=2):\n{maker}\n    def go(self): ...\n\n\ndef f():\n    A().go()\n"
    )
    with resolver_of(folder, {"a.py": text}) as resolver:
        assert called_by(resolver, "f")["A.go"] == tier


def test_a_static_method_and_one_of_values_are_two_things(folder: Path) -> None:
    text = "export class A {\n  static go(x?: number) { return 1 }\n  go() { return 2 }\n}\nA.go()\nnew A().go()\n"
    with resolver_of(folder, {"a.ts": text}) as resolver:
        both = [Definition("a.ts", each) for each in resolver.world.scope("a.ts").named("A.go")]
        assert [len(each.places) for each in entities_of(resolver.world, both)] == [1, 1]
        static, own = both
        assert tiers(resolver, static) == {("a.ts", 5): "proven"}
        assert tiers(resolver, own) == {("a.ts", 6): "proven"}


def test_a_field_of_a_type_with_an_unknown_base_is_likely_given_by_its_name(folder: Path) -> None:
    text = "from dataclasses import dataclass\n{head}\n\n\n@dataclass\nclass P{base}:\n    name: str\n\n\nP(name='x')\n"
    for folder_name, head, base, tier in (("sure", "", "", "proven"), ("open", "from far import B", "(B)", "likely")):
        root = folder / folder_name
        with resolver_of(root, {"a.py": text.format(head=head, base=base)}) as resolver:
            assert tiers(resolver, one(resolver, "P.name")) == {("a.py", 10): tier}


@pytest.mark.slow
def test_an_include_is_of_the_innermost_class_around_it(folder: Path) -> None:
    text = "module M\n  def go; end\nend\nclass A\n  class B\n    include M\n  end\nend\n"
    with resolver_of(folder, {"a.rb": text}) as resolver:
        below = hierarchy(resolver, [one(resolver, "M")], "down", 9)
        assert [node.name for node in below.nodes] == ["M", "A.B"]


@pytest.mark.parametrize(("tier", "bases"), [(PROVEN, ["M"]), (LIKELY, ["M"]), (NAME, [])])
def test_what_is_included_is_a_base_where_more_than_its_name_is_known(
    folder: Path, tier: str, bases: list[str]
) -> None:
    with resolver_of(folder, {"a.rb": "module M\nend\nclass B\n  include M\nend\n"}) as resolver:
        joins = Joins(resolver.world, lambda *_: Meaning((one(resolver, "M"),), tier))
        assert [base.symbol.name for base, _ in joins.of(one(resolver, "B"))] == bases


def test_a_change_of_stubs_is_one_of_their_function(folder: Path) -> None:
    text = "export function f(a: string): void\nexport function f(a: number): void\nexport function f(a: any) {}\n"
    files = {"a.ts": text, "b.ts": "import { f } from './a'\nfunction g() { f(1) }\n"}
    with resolver_of(folder, files) as resolver:
        all_of_it = [Definition("a.ts", each) for each in resolver.world.scope("a.ts").named("f")]
        assert len(all_of_it) == 3
        found_of = reach(resolver, all_of_it[:2], Limits())
        assert [(node.name, node.line) for node in found_of.nodes if node.depth == 0] == [("f", 3)]
        assert [link.target for link in found_of.links] == list(found_of.roots)


def test_a_former_definition_is_the_former_name_of_one_alone() -> None:
    def symbols(text: str) -> tuple[object, ...]:
        return tuple(parse_file("m.py", "python", text.encode(), 2_000, 100).symbols)

    body = "(x):\n    y = x + 1\n    z = y * 2\n    return z\n"
    before, after = f"def a{body}", f"def b{body}\n\ndef c{body}"
    told = differences(symbols(before), before, symbols(after), after)  # type: ignore[arg-type]
    assert [(each.qualified_name, each.change, each.former) for each in told] == [("b", RENAMED, "a"), ("c", ADDED, "")]


def test_the_values_of_a_choice_are_of_the_type_and_its_condition_is_not(folder: Path) -> None:
    text = (
        "interface T { name: number }\nconst a: T = c ? { name: 1 } : { name: 2 }\nconst b: T = { name: 3 } ? a : a\n"
    )
    with resolver_of(folder, {"a.ts": text}) as resolver:
        assert tiers(resolver, one(resolver, "T.name")) == {("a.ts", 2): "proven", ("a.ts", 3): "name"}


def test_an_argument_by_a_name_spares_a_member_that_bears_it_whatever_is_local(folder: Path) -> None:
    text = "class A:\n    def _size(self):\n        return 1\n\n\ndef f(g, _size):\n    g({}=_size)\n\n\nf(A, 2)\n"
    assert "A._size" in found(folder / "other", {"a.py": text.format("width")})
    assert "A._size" not in found(folder / "same", {"a.py": text.format("_size")})
