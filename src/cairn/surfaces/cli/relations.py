"""Answers about what belongs together: calls, imports, the reach of a change, the map of it all."""

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Protocol

from cairn.base.text import plural, printable
from cairn.surfaces.cli.drawing import Arrow, Dot, tree
from cairn.surfaces.cli.envelope import BOLD, DIM, PATH, is_terminal, paint
from cairn.surfaces.cli.knowledge import Shown, nothing, painted_tier, since, width

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.graph.calls import CallGraph
    from cairn.graph.graphnotes import GraphNote
    from cairn.graph.impact import ChangedSymbol, Impact, Reached
    from cairn.graph.imports import Imports
    from cairn.graph.repomap import RepoMap
    from cairn.graph.testing import ReachingTest, Reason
    from cairn.questions.parameters import Values

_MOST_ON_SCREEN = 20
_PLACES_SHOWN = 5
_SURE = frozenset({"proven"})
"""Tiers of which a text says nothing: it is the others that a reader should know."""


def calls(answer: "Answer[CallGraph]", values: "Values") -> Shown:
    """A call graph, as a tree."""
    graph = answer.value

    def lines(colour: bool) -> Iterable[str]:
        for way in ("callers", "callees") if graph.direction == "both" else (graph.direction,):
            if graph.direction == "both" and graph.roots:
                yield paint(f"{way}:", BOLD, colour)
            yield from _tree_lines(answer, _children(graph, way), colour)
        if not graph.roots:
            yield nothing(values["name"])
        elif not graph.calls and not graph.limits_hit:
            yield f"no {'calls' if graph.direction == 'both' else graph.direction} are known"
        for note in graph.notes.items:
            yield paint(f"note: {_noted(note)}", DIM, colour)

    tiers = Counter(call.tier for call in graph.calls)
    sure = ", ".join(f"{count:,} {tier}" for tier, count in sorted(tiers.items(), reverse=True))
    summary = f"{plural(len(graph.nodes), 'definition')}, {plural(len(graph.calls), 'call')}"
    summary += f" ({sure})" if sure else ""
    if graph.unresolved:
        summary += f", {graph.unresolved:,} not resolved"
    return Shown(answer, lines, summary, *_graph_picture(graph))


def repo_map(answer: "Answer[RepoMap]", values: "Values") -> Shown:
    """The map of a repository, in lines."""
    value = answer.value

    def lines(_colour: bool) -> Iterable[str]:
        yield from (printable(line) for line in value.text().rstrip("\n").split("\n"))

    summary = f"{plural(len(value.entries), 'file')}, {plural(value.tokens, 'token')}"
    return Shown(answer, lines, summary)


def imports(answer: "Answer[Imports]", values: "Values") -> Shown:
    """Imports of a file in both directions, in lines."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        yield paint(printable(value.path), PATH, colour) + since(answer, value.path)
        left = min(max((len(printable(item.source)) for item in value.outgoing), default=0), _column())
        for item in value.outgoing:
            to = ", ".join(printable(path) + since(answer, path) for path in item.paths)
            to = to or paint("outside or unknown", DIM, colour)
            yield f"{item.line:>6}  {printable(item.source):<{left}}  {to}{_unsure(item.tier, colour)}"
        if value.incoming:
            yield f"imported by {plural(len(value.incoming), 'file')}"
        for importer in value.incoming:
            place = f"{printable(importer.path)}:{importer.line}"
            yield f"  {place}{_unsure(importer.tier, colour)}{since(answer, importer.path)}"

    nodes = dict.fromkeys((value.path, *(path for item in value.outgoing for path in item.paths)))
    nodes |= dict.fromkeys(item.path for item in value.incoming)
    arrows = [Arrow(value.path, path, item.tier) for item in value.outgoing for path in item.paths]
    arrows += [Arrow(item.path, value.path, item.tier) for item in value.incoming]
    summary = (
        f"{plural(len(value.outgoing), 'import')}, {value.unresolved:,} outside or unknown, "
        f"imported by {plural(len(value.incoming), 'file')}"
    )
    return Shown(answer, lines, summary, tuple(Dot(path, path) for path in nodes), tuple(arrows))


def impact(answer: "Answer[Impact]", values: "Values") -> Shown:
    """What a change reaches, in lines."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        if not value.changed_files and not value.removed_files:
            yield "nothing that is indexed differs"
        telling = {item.path for item in value.symbols}
        sections: tuple[tuple[str, list[tuple[str, str, str]]], ...] = (
            ("changed symbols", [_changed(item) for item in value.symbols]),
            ("other changed files", [(path, "", "") for path in value.changed_files if path not in telling]),
            ("used by", [_reached(answer, each, colour) for each in value.users]),
            (
                "files that import them",
                [(file.path, "", _away(answer, file.path, file, colour)) for file in value.dependants],
            ),
            (
                "tests that reach them",
                [(test.path, _because(test), since(answer, test.path).strip()) for test in value.tests],
            ),
            ("files that are gone", [(path, "", "") for path in value.removed_files]),
        )
        most = _MOST_ON_SCREEN if is_terminal() else sys.maxsize
        for title, rows in sections:
            if rows:
                yield paint(f"{title} ({len(rows)})", BOLD, colour)
            shown = [(printable(place), printable(name), behind) for place, name, behind in rows[:most]]
            first = min(max((len(place) for place, _, _ in shown), default=0), _column())
            for place, name, behind in shown:
                yield f"  {place:<{first}}  {name}{'  ' if name and behind else ''}{behind}".rstrip()
            if len(rows) > most:
                yield paint(f"  and {len(rows) - most} more: --json has all of them", DIM, colour)

    changed = len(value.changed_files) + len(value.removed_files)
    summary = f"{plural(changed, 'changed file')}, {plural(len(value.tests), 'test file')} to run"
    if value.unresolved:
        summary += f", {plural(value.unresolved, 'use')} not resolved"
    return Shown(answer, lines, summary, *_impact_picture(value))


def _children(graph: "CallGraph", way: str) -> dict[str, list[tuple[str, str]]]:
    """What hangs below each node of the tree of one direction."""
    depth = {node.id: node.depth for node in graph.nodes}
    found: dict[str, list[tuple[str, str]]] = {}
    for call in graph.calls:
        # A caller may call further things too, which hang below it on the way down.
        upwards = graph.direction == "callers" or (depth[call.source] < 0 and depth[call.target] <= 0)
        if upwards != (way == "callers"):
            continue
        outer, inner = (call.target, call.source) if upwards else (call.source, call.target)
        lines_shown = ", ".join(map(str, call.lines[:3])) + (", ..." if call.count > 3 else "")
        unsure = "" if call.tier in _SURE else f", {call.tier}"
        unsure += ", dispatch" if call.dispatch else ""
        found.setdefault(outer, []).append((inner, f"at {lines_shown}{unsure}"))
    return found


def _tree_lines(answer: "Answer[CallGraph]", children: dict[str, list[tuple[str, str]]], colour: bool) -> Iterator[str]:
    """A tree whose places stand below each other, as far as names are of a common length."""
    graph = answer.value
    by_id = {node.id: node for node in graph.nodes}
    rows = [(twig, by_id[twig.node]) for twig in tree(graph.roots, children)]
    left = min(max((len(twig.lead) + len(printable(node.name)) for twig, node in rows), default=0), _column())
    for twig, node in rows:
        name = printable(node.name)
        pad = " " * (left - len(twig.lead) - len(name))
        place = paint(f"{printable(node.path)}:{node.line}", PATH, colour)
        behind = f"  {twig.behind}" if twig.behind else ""
        again = "  (see above)" if twig.again else ""
        also = f"  also at {', '.join(map(printable, node.places[:_PLACES_SHOWN]))}" if node.places else ""
        also += f" and {len(node.places) - _PLACES_SHOWN} more" * (len(node.places) > _PLACES_SHOWN)
        yield f"{twig.lead}{paint(name, BOLD, colour)}{pad}  {place}{behind}{since(answer, node.path)}{again}{also}"


def _noted(note: "GraphNote") -> str:
    place = f"{printable(note.file)}:{note.start_line}" if note.start_line else printable(note.file)
    # What is called is told by the detail, and that it leads nowhere by the type alone.
    lead = "not resolved, " if note.type == "unresolved_call" else ""
    return f"{place}: {lead}{printable(note.detail or note.type)}"


def _column() -> int:
    """The most that the first of two columns takes."""
    return width() * 2 // 5


def _changed(item: "ChangedSymbol") -> tuple[str, str, str]:
    place = f"{item.path}:{item.line}" if item.line else item.path
    times = "once" if item.uses == 1 else f"{item.uses} times"
    still = f", still used {times}" if item.uses else ""
    name = "outside of definitions" if item.kind == "file" else item.name
    former = f" from {printable(item.former)}" if item.former else ""
    return place, name, "" if item.change == "named" else f"{item.change}{former}{still}"


def _reached(answer: "Answer[Impact]", each: "Reached", colour: bool) -> tuple[str, str, str]:
    reason = each.role if each.reason == "changed" else f"{each.role}, {each.reason}"
    behind = ", ".join(filter(None, (reason, _away(answer, each.node.path, each, colour))))
    return f"{each.node.path}:{each.node.line}", each.node.name, behind


class _Far(Protocol):
    @property
    def distance(self) -> int: ...
    @property
    def tier(self) -> str: ...


def _away(answer: "Answer[Impact]", path: str, far: _Far, colour: bool) -> str:
    steps = "" if far.distance <= 1 else f"{far.distance} steps away"
    unsure = "" if far.tier in _SURE else painted_tier(far.tier, far.tier, colour)
    return ", ".join(filter(None, (steps, unsure, since(answer, path).strip())))


def _because(test: "ReachingTest") -> str:
    """What speaks most for a test."""
    return because(test.reasons[0])


def because(reason: "Reason") -> str:
    """A reason to run a test, in words."""
    of = printable(reason.of)
    if reason.how == "uses":
        how = (
            f"uses {of}"
            if reason.distance == 1
            else f"reaches it through {plural(reason.distance - 1, 'use')}, by {of}"
        )
        return how if reason.tier in _SURE else f"{how} ({reason.tier})"
    if reason.how == "imports":
        return f"imports {of}" if reason.distance == 1 else f"imports it over {plural(reason.distance - 1, 'file')}"
    if reason.how == "named after":
        return f"is named after {of}"
    return {"changed": "was changed itself", "package": "is of its package"}.get(reason.how, "uses a name of it")


def _unsure(tier: str, colour: bool) -> str:
    return f"  {painted_tier(tier, tier, colour)}" if tier and tier not in _SURE else ""


def _impact_picture(value: "Impact") -> tuple[tuple[Dot, ...], tuple[Arrow, ...]]:
    """Files and who imports them, what was changed or removed in them, and who calls that."""
    files = (*value.changed_files, *value.removed_files, *(file.path for file in value.dependants))
    dots = {path: Dot(path, path, "gone" if path in value.removed_files else "") for path in files}
    for node in value.nodes:
        dots[node.id] = Dot(
            node.id, node.name, f"{node.path}:{node.line}" if node.line else f"removed from {node.path}"
        )
    drawn = {(node.path, node.name) for node in value.nodes}
    for item in value.symbols:
        if not item.line and item.kind != "file" and (item.path, item.name) not in drawn:
            dots[f"{item.path} {item.name}"] = Dot(f"{item.path} {item.name}", item.name, f"removed from {item.path}")
    arrows = [Arrow(file.path, file.imports, file.tier) for file in value.dependants]
    arrows += [Arrow(call.source, call.target, call.tier) for call in value.links]
    return tuple(dots.values()), tuple(each for each in arrows if each.source in dots and each.target in dots)


def _graph_picture(graph: "CallGraph") -> tuple[tuple[Dot, ...], tuple[Arrow, ...]]:
    nodes = tuple(Dot(node.id, node.name, f"{node.path}:{node.line}") for node in graph.nodes)
    return nodes, tuple(Arrow(call.source, call.target, call.tier) for call in graph.calls)
