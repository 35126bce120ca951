"""Answers about programs of known meaning: nothing real is left out, nothing proven is wrong, all questions agree."""

from collections import Counter
from pathlib import Path

import pytest

from cairn.graph.calls import CALLEES, CALLERS, CallGraph, Limits, call_graph
from cairn.graph.references import References, find_uses
from cairn.graph.resolve import NAME, PROVEN, Resolver
from cairn.graph.symbols import Definition
from tests.graph.meant import LANGUAGES, Program, Spot, program
from tests.graph.worlds import resolver_of

_LIMITS = Limits(nodes=1_000, fan_out=1_000, notes=1_000)


@pytest.mark.sampled
@pytest.mark.requirement("REF.20")
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_every_answer_holds_against_what_is_meant(folder: Path, language: str) -> None:
    _assert_holds(folder, program(language, 0))


@pytest.mark.slow
@pytest.mark.requirement("REF.20")
@pytest.mark.parametrize("seed", range(1, 6))
@pytest.mark.parametrize("language", sorted(LANGUAGES))
def test_answers_hold_against_parts_of_it_in_other_orders_and_names(folder: Path, language: str, seed: int) -> None:
    _assert_holds(folder, program(language, seed))


def _assert_holds(folder: Path, made: Program) -> None:
    with resolver_of(folder, made.files) as resolver:
        faults = faults_of(resolver, made)
        assert not faults, "\n".join(faults)


def faults_of(resolver: Resolver, made: Program) -> list[str]:
    """Where answers are wrong, or don't agree with each other."""
    faults = []
    called: Counter[_Edge] = Counter()
    functions = _functions(resolver, made)
    asked = {f"{item.path}:{item.symbol.qualified_name}" for item in functions}
    things = things_of(resolver, made)
    known = {f"{each.path}:{each.symbol.qualified_name}" for items in things.values() for each in items}
    for thing, definitions in things.items():
        found = find_uses(resolver, definitions)
        callers = call_graph(resolver, definitions, CALLERS, _LIMITS)
        faults += [f"thing {thing}: {fault}" for fault in _against(made, thing, found)]
        faults += [f"thing {thing}: {fault}" for fault in _against_callers(found, callers)]
        # What is called at the top of a file is asked for by nobody's name, and a type calls what its members do.
        called.update(edge for edge in _edges(callers) if edge[0] in asked)
    for item in functions:
        for edge in _edges(call_graph(resolver, [item], CALLEES, _LIMITS)):
            # A method of an object that is written out is another place of a thing, and none of the things.
            if edge[1] in known and edge not in called:
                faults.append(f"callees alone have {edge}")
            called.pop(edge, None)
    return faults + [f"callers alone have {edge}" for edge in called]


def things_of(resolver: Resolver, made: Program) -> dict[int, list[Definition]]:
    """The definitions of each thing; a thing and what only declares it are one."""
    found: dict[int, list[Definition]] = {}
    for spot in made.spots:
        if spot.kind == "D":
            here = [
                Definition(spot.path, symbol)
                for symbol in resolver.world.scope(spot.path).symbols
                if symbol.name == made.name and symbol.name_line == spot.line
            ]
            assert here, spot
            found.setdefault(spot.things[0], []).append(here[0])
    return found


def _against(made: Program, thing: int, found: References) -> list[str]:
    """What is wrong with the uses of a thing."""
    told = {(item.path, item.line, item.column): item for item in found.items if item.name == made.name}
    faults = []
    for spot in made.spots:
        item = told.get((spot.path, spot.line, spot.column))
        if thing in spot.things and spot.kind != "D" and item is None:
            faults.append(f"left out {_at(made, spot)}")
        if item is not None and item.tier == PROVEN and spot.things[:1] != (thing,):
            faults.append(f"wrongly proven {_at(made, spot)}")
    heads = sum(spot.kind == "D" and spot.things[0] == thing for spot in made.spots)
    if len(told) + found.elsewhere != len(made.spots) - heads:
        faults.append(f"{len(told)} told and {found.elsewhere} elsewhere of {len(made.spots) - heads} places")
    if len(told) != sum(item.name == made.name for item in found.items):
        faults.append("one place is told twice")
    return faults


def _against_callers(found: References, callers: CallGraph) -> list[str]:
    """Where uses and callers don't agree."""
    faults = []
    paths = {node.id: node.path for node in callers.nodes}
    said = {(paths[call.source], line) for call in callers.calls for line in call.lines}
    calls = [item for item in found.items if item.role == "call"]
    used = {(item.path, item.line) for item in calls if item.tier != NAME}
    # Of several calls of one caller the surest tells what the edge is.
    for call in callers.calls:
        sites = [each for each in calls if each.path == paths[call.source] and each.line in call.lines]
        if call.dispatch != all(each.dispatch for each in sites if each.tier == call.tier):
            faults.append(f"uses and callers differ on dispatch at {paths[call.source]}:{call.lines}")
    faults += [f"callers alone have {place}" for place in sorted(said - used)]
    faults += [f"uses alone have {place}" for place in sorted(used - said)]
    unresolved = sum(item.tier == NAME for item in calls)
    if unresolved != callers.unresolved:
        faults.append(f"{unresolved} calls by name, and {callers.unresolved} for callers")
    return faults


def _functions(resolver: Resolver, made: Program) -> list[Definition]:
    """Everything that may call, and the tops of files."""
    scopes = [resolver.world.scope(path) for path in made.files]
    kinds = ("function", "method", "constructor", "variable", "constant", "field", "macro")
    return [Definition(scope.path, symbol) for scope in scopes for symbol in scope.symbols if symbol.kind in kinds]


_Edge = tuple[str, str, str, bool]
"""Who calls, what, how surely, and whether by dispatch."""


def _edges(graph: CallGraph) -> list[_Edge]:
    names = {node.id: f"{node.path}:{node.name}" for node in graph.nodes}
    return [(names[call.source], names[call.target], call.tier, call.dispatch) for call in graph.calls]


def _at(made: Program, spot: Spot) -> str:
    return f"{spot.path}:{spot.line}:{spot.column} {made.files[spot.path].splitlines()[spot.line - 1].strip()}"
