"""With an index uses, callers and callees agree as they do without one, and it takes away no proof."""

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.graph.references import find_uses
from cairn.graph.resolve import PROVEN, Resolver
from cairn.graph.symbols import Definition
from cairn.graph.world import World
from cairn.semantic.meanings import Meanings
from cairn.semantic.states import FactRecords
from tests.graph.meant import Program, program
from tests.graph.test_meant import faults_of, things_of
from tests.semantic.facts import Placed, publish
from tests.semantic.test_meanings import Make, make, tell, uses
from tests.trees import write

CONTEXTS = {
    "python": ("python:.", "pyproject.toml", '[project]\nname = "x"\n'),
    "typescript": ("javascript:.", "package.json", "{}"),
}


__all__ = ["make"]


@contextmanager
def _told(folder: Path, made: Program, language: str, left_out: int = 0, edited: str = "") -> Iterator[Resolver]:
    """A program with facts of what each place means, but for some places; one file is edited behind their back."""
    context, manifest, text = CONTEXTS[language]
    for path, content in {manifest: text, **made.files}.items():
        write(folder, path, content)
    with Codebase(str(folder)) as codebase:
        codebase.index()
        publish(codebase, context, _facts(made, left_out))
        if edited:
            comment = "#" if language == "python" else "//"
            write(folder, edited, made.files[edited] + f"{comment} edited\n")
            codebase.index()
        with codebase.view() as view:
            world = World(view)
            yield Resolver(world, Meanings(world, FactRecords()))


def _facts(made: Program, left_out: int) -> Mapping[str, list[Placed]]:
    """What a compiler would say: the first of the things that a place may be."""
    found: dict[str, list[Placed]] = {path: [] for path in made.files}
    width = len(made.name)
    for place, spot in enumerate(made.spots):
        # Of a value of several types no tool says which of them it is.
        is_union = len(spot.things) > 1 and spot.path.startswith("valued.")
        if spot.things and not is_union and (not left_out or place % left_out or spot.kind == "D"):
            symbol = f"scip-python python x 0 `m{spot.things[0]}`/C#{made.name}()."
            role = int(spot.kind == "D")
            found[spot.path].append((spot.line, spot.column, spot.line, spot.column + width, symbol, role))
    return found


@pytest.mark.slow
@pytest.mark.requirement("SEMA.20")
@pytest.mark.parametrize("language", sorted(CONTEXTS))
def test_every_answer_holds_with_facts(folder: Path, language: str) -> None:
    made = program(language, 0)
    with _told(folder, made, language) as resolver:
        faults = faults_of(resolver, made)
        assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.requirement("SEMA.20")
@pytest.mark.parametrize("left_out", [0, 2, 3])
@pytest.mark.parametrize("seed", range(1, 4))
@pytest.mark.parametrize("language", sorted(CONTEXTS))
def test_every_answer_holds_with_facts_of_a_part(folder: Path, language: str, seed: int, left_out: int) -> None:
    made = program(language, seed)
    with _told(folder, made, language, left_out) as resolver:
        faults = faults_of(resolver, made)
        assert not faults, "\n".join(faults)


@pytest.mark.slow
@pytest.mark.requirement("SEMA.20")
@pytest.mark.parametrize("edited", ["", "a", "klass"])
@pytest.mark.parametrize("language", sorted(CONTEXTS))
def test_an_index_takes_away_no_proof(folder: Path, language: str, edited: str) -> None:
    """Neither whole, nor when what it was made from has changed: fewer facts are no reason to say less."""
    made = program(language, 0)
    path = next((each for each in made.files if edited and each.startswith(f"{edited}.")), "")
    with _told(folder, made, language, left_out=3, edited=path) as resolver:
        faults = faults_of(resolver, made)
        assert not faults, "\n".join(faults)
        for definitions in things_of(resolver, made).values():
            before = _proven(Resolver(resolver.world), definitions)
            assert before <= _proven(resolver, definitions)


def _proven(resolver: Resolver, definitions: list[Definition]) -> set[tuple[str, int, int]]:
    items = find_uses(resolver, definitions).items
    return {(item.path, item.line, item.column) for item in items if item.tier == PROVEN}


A = "class A:\n    def drop(self):\n        pass\n\n\nclass B:\n    def drop(self):\n        pass\n"
U = "from a import A, B\n\n\ndef use(one, two):\n    one.drop()\n    two.drop()\n"


@pytest.mark.requirement("SEMA.20")
@pytest.mark.slow
def test_callers_callees_and_impact_know_what_uses_know(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    edges = _called(codebase, "A.drop", "callers"), _called(codebase, "use", "callees")
    assert edges == ([], [])
    tell(
        codebase,
        {
            "a.py": (A, {"!A": "a/A#", "!drop": "a/A#drop().", "!B": "a/B#", "!drop@2": "a/B#drop()."}),
            "u.py": (U, {"!use": "u/use().", "drop@1": "a/A#drop().", "drop@2": "a/B#drop()."}),
        },
    )
    assert uses(codebase, "A.drop") == ["u.py:5:8 proven semantic call"]
    assert _called(codebase, "A.drop", "callers") == [("use", "A.drop", "proven", (5,))]
    assert _called(codebase, "B.drop", "callers") == [("use", "B.drop", "proven", (6,))]
    assert _called(codebase, "use", "callees") == [("use", "A.drop", "proven", (5,)), ("use", "B.drop", "proven", (6,))]
    reached = codebase.insight.impact(None, paths=["a.py"]).value.users
    assert [(item.node.name, item.tier) for item in reached] == [("use", "proven")]


@pytest.mark.slow
@pytest.mark.requirement("SEMA.20")
def test_a_call_under_a_name_that_nobody_looked_for_has_a_caller(make: Make) -> None:
    user = "from a import load\n\nfound = load('A')\n\n\ndef use():\n    return found()\n"
    codebase = make({"a.py": A, "u.py": user})
    tell(codebase, {"a.py": (A, {"!A": "a/A#"}), "u.py": (user, {"!use": "u/use().", "found@2": "a/A#"})})
    assert uses(codebase, "A") == ["u.py:7:11 proven semantic call"]
    assert _called(codebase, "A", "callers") == [("use", "A", "proven", (7,))]
    assert _called(codebase, "use", "callees") == [("use", "A", "proven", (7,))]


@pytest.mark.slow
@pytest.mark.requirement("SEMA.20")
def test_a_call_of_a_constructor_is_a_use_of_its_class_as_well(make: Make) -> None:
    shop = "export class Shut {\n  constructor(why: string) {}\n}\n"
    user = 'import { Shut } from "./shop";\nexport function close() {\n  throw new Shut("late");\n}\n'
    codebase = make({"package.json": "{}", "shop.ts": shop, "u.ts": user})
    before = uses(codebase, "Shut")
    symbols = {"!Shut": "shop/Shut#", "!constructor": "shop/Shut#`<constructor>`()."}
    facts = {"Shut@1": "shop/Shut#", "Shut@2": "shop/Shut#`<constructor>`()."}
    tell(codebase, {"shop.ts": (shop, symbols), "u.ts": (user, facts)}, "javascript:.")
    assert uses(codebase, "Shut") == [each.replace("syntactic", "semantic") for each in before]
    assert uses(codebase, "Shut.constructor") == ["u.ts:3:12 proven semantic call"]
    assert _called(codebase, "Shut", "callers") == [("close", "Shut", "proven", (3,))]
    assert _called(codebase, "close", "callees") == [("close", "Shut", "proven", (3,))]


@pytest.mark.requirement("SEMA.20")
def test_a_word_that_is_a_key_and_a_variable_is_a_use_of_both(make: Make) -> None:
    shop = "export interface Goods { price: number; }\nexport const price = 3;\n"
    user = 'import { price, Goods } from "./shop";\nexport const made: Goods = { price };\n'
    codebase = make({"package.json": "{}", "shop.ts": shop, "u.ts": user})
    symbols = {"!price": "shop/Goods#price.", "!price@2": "shop/price."}
    tell(codebase, {"shop.ts": (shop, symbols), "u.ts": (user, {"price@2": "shop/Goods#price."})}, "javascript:.")
    assert uses(codebase, "Goods.price") == ["u.ts:2:29 proven semantic read"]
    assert uses(codebase, "shop.ts:2")[-1] == "u.ts:2:29 proven semantic read"


def _called(codebase: Codebase, name: str, direction: str) -> list[tuple[str, str, str, tuple[int, ...]]]:
    graph = codebase.insight.calls(name, direction).value
    names = {node.id: node.name for node in graph.nodes}
    return [(names[call.source], names[call.target], call.tier, call.lines) for call in graph.calls]
