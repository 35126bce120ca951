"""The shortest way of calls from one definition to another."""

from collections.abc import Callable, Sequence

from cairn.base.values import replace
from cairn.graph.calls import CALLEES, CallEdge, CallGraph, Limits, call_graph
from cairn.graph.entities import one_thing
from cairn.graph.nodes import id_of
from cairn.graph.resolve import PROVEN, Resolver
from cairn.graph.symbols import Definition

STEPS = 12
_BOUNDS = Limits(STEPS, nodes=3_000, fan_out=500, notes=0)


def shortest_way(
    resolver: Resolver,
    starts: Sequence[Definition],
    ends: Sequence[Definition],
    present: Callable[[str], bool] = lambda _path: True,
) -> CallGraph:
    """The fewest calls that lead from one of the first to one of the last, the surest of such ways; none where there
    is none within so many steps."""
    world = resolver.world
    goal = {id_of(world, each) for end in ends for each in one_thing(world, end)}
    graph = call_graph(resolver, starts, CALLEES, _BOUNDS, present, goal)
    ways: dict[str, tuple[int, tuple[CallEdge, ...]]] = dict.fromkeys(graph.roots, (0, ()))
    # Nodes and calls stand in the order of their depth: what a call comes from is known before it is looked at.
    depth = {node.id: node.depth for node in graph.nodes}
    for call in sorted(graph.calls, key=lambda call: depth[call.source]):
        if depth[call.target] != depth[call.source] + 1 or call.source not in ways:
            continue
        unsure, before = ways[call.source]
        way = (unsure + (call.tier != PROVEN), (*before, call))
        if call.target not in ways or way[0] < ways[call.target][0]:
            ways[call.target] = way
    reached = [ways[each] for each in goal & ways.keys() if ways[each][1]]
    calls = min(reached, key=lambda way: (len(way[1]), way[0]))[1] if reached else ()
    met = {end for call in calls for end in (call.source, call.target)} or set(graph.roots)
    return replace(
        graph,
        roots=tuple(each for each in graph.roots if each in met),
        nodes=tuple(node for node in graph.nodes if node.id in met),
        calls=calls,
        unresolved=graph.unresolved if not calls else 0,
        limits_hit=graph.limits_hit if not calls else (),
    )
