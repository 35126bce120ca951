"""Answers about what belongs together: calls, imports, the map of it all."""

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.text import plural, printable
from cairn.surfaces.cli.drawing import Arrow, Dot, cut, tree
from cairn.surfaces.cli.envelope import BOLD, DIM, PATH, paint
from cairn.surfaces.cli.here import opened
from cairn.surfaces.cli.knowledge import Shown, nothing, painted_tier, since, width
from cairn.surfaces.cli.numbers import numbered

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.codebase.past import Past
    from cairn.graph.calls import CallGraph
    from cairn.graph.cycles import ImportCycles
    from cairn.graph.graphnotes import GraphNote
    from cairn.graph.hierarchy import Hierarchy
    from cairn.graph.imports import Imports
    from cairn.graph.repomap import RepoMap
    from cairn.questions.parameters import Values

_PLACES_SHOWN = 5
_MAPPED = lazy.expression(r"((?:  )?)(\S.*?)(?=/?  |: |$)")
"""The path that a line of the map begins with."""
SURE = frozenset({"proven"})
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
            yield nothing(values["name"], answer.notes)
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


def hierarchy(answer: "Answer[Hierarchy]", values: "Values") -> Shown:
    """What is above and below a type or a member, as trees."""
    value = answer.value
    titles = {"up": "derived from:", "down": "derived from it:"}

    def lines(colour: bool) -> Iterable[str]:
        for way in titles if value.direction == "both" else (value.direction,):
            children = _kindred(value, way)
            if value.direction == "both" and children:
                yield paint(titles[way], BOLD, colour)
            if children or value.direction == way:
                yield from _tree_lines(answer, children, colour)
        if not value.roots:
            yield nothing(values["name"], answer.notes)
        elif not value.edges and not value.limits_hit:
            if value.direction == "both":
                yield from _tree_lines(answer, {}, colour)
            yield {"up": "no base is known", "down": "nothing that is derived from it is known"}.get(
                value.direction, "neither a base nor anything derived from it is known"
            )
        names = {node.id: node.name for node in value.nodes}
        for each in value.unknown:
            text = (
                f"note: {printable(names[each.id])} is derived from {printable(each.name)}, which nothing here defines"
            )
            yield paint(text, DIM, colour)
        for place in value.foreign:
            yield f"{opened(place.path)}:{place.line}  {cut(printable(place.text), width())}"
            yield paint(f"  derives from {printable(names[place.id])} what is not defined here", DIM, colour)
        if value.unresolved:
            text = f"note: {plural(value.unresolved, 'head')} of that name may mean another type"
            yield paint(text, DIM, colour)

    tiers = Counter(edge.tier for edge in value.edges)
    sure = ", ".join(f"{count:,} {tier}" for tier, count in sorted(tiers.items(), reverse=True))
    summary = plural(len(value.nodes), "definition") + (f" ({sure})" if sure else "")
    nodes = tuple(Dot(node.id, node.name, f"{node.path}:{node.line}") for node in value.nodes)
    return Shown(
        answer, lines, summary, nodes, tuple(Arrow(each.source, each.target, each.tier) for each in value.edges)
    )


def _kindred(value: "Hierarchy", way: str) -> dict[str, list[tuple[str, str]]]:
    """What hangs below each node of the tree of one direction."""
    depth = {node.id: node.depth for node in value.nodes}
    found: dict[str, list[tuple[str, str]]] = {}
    for edge in value.edges:
        outer, inner = (edge.source, edge.target) if way == "up" else (edge.target, edge.source)
        if value.direction == "both" and any(depth[each] * (1 if way == "up" else -1) > 0 for each in (outer, inner)):
            continue
        unsure = "" if edge.tier in SURE else f", {edge.tier}"
        found.setdefault(outer, []).append((inner, f"{edge.relation}{unsure}"))
    return found


def cycles(answer: "Answer[ImportCycles]", values: "Values") -> Shown:
    """Circles of imports, each by its shortest way."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        for cycle in value.items:
            more = len(cycle.files) - len(cycle.steps)
            behind = f", with {more:,} more in the same knot" if more else ""
            yield paint(plural(len(cycle.steps), "file"), BOLD, colour) + behind
            places = [f"{opened(step.path)}:{step.line}" for step in cycle.steps]
            left = min(max(map(len, places)), column())
            for place, step in zip(places, cycle.steps, strict=True):
                kind = f"  {step.kind}" if step.kind else ""
                lead = f"  {place:<{left}}  -> {opened(step.imports)}{_unsure(step.tier, colour)}{kind}"
                yield f"{lead}{since(answer, step.path)}"
                yield paint(f"    {cut(step.text, width() - 4)}", DIM, colour)
        if not value.items:
            yield "no file imports itself by a way round"

    paths = dict.fromkeys(step.path for cycle in value.items for step in cycle.steps)
    arrows = tuple(Arrow(step.path, step.imports, step.tier) for cycle in value.items for step in cycle.steps)
    summary = f"{plural(value.total, 'circle')} of imports, {plural(value.files, 'file')} in them"
    return Shown(answer, lines, summary, tuple(Dot(path, path) for path in paths), arrows)


def repo_map(answer: "Answer[RepoMap]", values: "Values") -> Shown:
    """The map of a repository, in lines."""
    value = answer.value

    known = {entry.path for entry in value.entries} | {path for path, _ in value.api}
    if (said := value.overview) is not None:
        known |= {each.path for each in said.folders} | {each.path for each in said.entry_points}

    def line_of(line: str) -> str:
        """A line of the map; where it begins with a path of the codebase, with one that opens from here."""
        found = _MAPPED.match(line)
        if found is None or found[2] not in known:
            return printable(line)
        return found[1] + opened(found[2]) + printable(line[found.end(2) :])

    def lines(_colour: bool) -> Iterable[str]:
        yield from map(line_of, value.text().rstrip("\n").split("\n"))

    summary = f"{plural(len(value.entries), 'file')}, {plural(value.tokens, 'token')}"
    return Shown(answer, lines, summary)


def imports(answer: "Answer[Imports]", values: "Values") -> Shown:
    """Imports of a file in both directions, in lines."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        yield paint(opened(value.path), PATH, colour) + since(answer, value.path)
        left = min(max((len(printable(item.source)) for item in value.outgoing), default=0), column())
        for item in value.outgoing:
            to = ", ".join(opened(path) + since(answer, path) for path in item.paths)
            to = to or paint("outside or unknown", DIM, colour)
            yield f"{item.line:>6}  {printable(item.source):<{left}}  {to}{_unsure(item.tier, colour)}"
        if value.incoming:
            yield f"imported by {plural(len(value.incoming), 'file')}"
        for importer in value.incoming:
            place = f"{opened(importer.path)}:{importer.line}"
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


def past(answer: "Answer[Past]", values: "Values") -> Shown:
    """The commits that changed some lines, each with what it changed."""
    from cairn.questions.past import PAST, plain

    def lines(colour: bool) -> Iterable[str]:
        said = plain(dict(PAST.document(answer, values)), values)
        yield from said.above
        for passage in said.passages:
            lead, *rest = passage.lines
            yield paint(lead, BOLD, colour)
            yield from rest

    return Shown(answer, lines, plural(len(answer.items), "commit"))


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
        unsure = "" if call.tier in SURE else f", {call.tier}"
        unsure += ", dispatch" if call.dispatch else ""
        found.setdefault(outer, []).append((inner, f"at {lines_shown}{unsure}"))
    return found


def _tree_lines(answer: "Answer[Any]", children: dict[str, list[tuple[str, str]]], colour: bool) -> Iterator[str]:
    """A tree whose places stand below each other, as far as names are of a common length."""
    graph = answer.value
    by_id = {node.id: node for node in graph.nodes}
    rows = [(twig, by_id[twig.node]) for twig in tree(graph.roots, children)]
    left = min(max((len(twig.lead) + len(printable(node.name)) for twig, node in rows), default=0), column())
    for twig, node in rows:
        name = printable(node.name)
        pad = " " * (left - len(twig.lead) - len(name))
        place = paint(f"{opened(node.path)}:{node.line}", PATH, colour)
        behind = f"  {twig.behind}" if twig.behind else ""
        again = "  (see above)" if twig.again else ""
        also = f"  also at {', '.join(map(opened, node.places[:_PLACES_SHOWN]))}" if node.places else ""
        also += f" and {len(node.places) - _PLACES_SHOWN} more" * (len(node.places) > _PLACES_SHOWN)
        label = numbered(node.path, node.line, node.name.rpartition(".")[2], among=len(rows))
        lead = label + twig.lead
        yield f"{lead}{paint(name, BOLD, colour)}{pad}  {place}{behind}{since(answer, node.path)}{again}{also}"


def _noted(note: "GraphNote") -> str:
    place = f"{opened(note.file)}:{note.start_line}" if note.start_line else opened(note.file)
    # What is called is told by the detail, and that it leads nowhere by the type alone.
    lead = "not resolved, " if note.type == "unresolved_call" else ""
    return f"{place}: {lead}{printable(note.detail or note.type)}"


def column() -> int:
    """The most that the first of two columns takes."""
    return width() * 2 // 5


def _unsure(tier: str, colour: bool) -> str:
    return f"  {painted_tier(tier, tier, colour)}" if tier and tier not in SURE else ""


def _graph_picture(graph: "CallGraph") -> tuple[tuple[Dot, ...], tuple[Arrow, ...]]:
    nodes = tuple(Dot(node.id, node.name, f"{node.path}:{node.line}") for node in graph.nodes)
    return nodes, tuple(Arrow(call.source, call.target, call.tier) for call in graph.calls)
