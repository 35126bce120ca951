"""Answers about the structure of code, as JSON, as text, and as pictures."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from cairn.base.notes import ELSEWHERE, NAMES_LIKE, Note
from cairn.base.text import plural, printable
from cairn.base.values import dataclass, field
from cairn.graph.outline import walk
from cairn.graph.semantics import SEMANTIC
from cairn.graph.targets import is_id, place_of
from cairn.questions.parameters import Values
from cairn.questions.semantic_documents import TIERS
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.drawing import Arrow, Dot, cut, dot, mermaid
from cairn.surfaces.cli.envelope import (
    BOLD,
    DIM,
    PATH,
    WARN,
    age_of,
    is_terminal,
    paint,
    show_footer,
    state_of,
    taken,
    wants_colour,
)
from cairn.surfaces.cli.here import opened
from cairn.surfaces.cli.joblines import last_refresh
from cairn.surfaces.cli.notes import sentences
from cairn.surfaces.cli.numbers import label_width, numbered
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer, FileOutline, Symbols, Uses
    from cairn.graph.outline import Branch, Exact
    from cairn.graph.symbols import Definition
    from cairn.semantic.contexts.survey import Survey
    from cairn.semantic.contexts.values import Context
    from cairn.semantic.control import KnownContext
    from cairn.semantic.states import FileStatus
    from cairn.syntax.slices import Slice


_TIER_COLOUR = {"proven": "\x1b[32m", "likely": "\x1b[33m", "name": "\x1b[2m"}
_IN_A_PIPE = 120
WHY_NOTHING = (NAMES_LIKE, ELSEWHERE)
"""Notes that stand in the place of an answer: no warnings beside it."""
_DEFINITIONS_SHOWN = 10
_PLACES_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer in every form."""

    answer: "Answer[Any]"
    lines: Callable[[bool], Iterable[str]]
    summary: str
    nodes: tuple[Dot, ...] = ()
    arrows: tuple[Arrow, ...] = ()
    warnings: Sequence[str] = ()
    """What to know, as sentences that are safe for a terminal."""
    listings: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """Bare lines for another program, by their form."""

    def form(self, kind: str) -> None:
        """Print a listing or draw a picture; what to know of it is told beside it."""
        if kind not in self.listings:
            self.draw(kind)
            return
        for line in self.listings[kind]:
            say(line)
        self._warn()

    def draw(self, kind: str) -> None:
        """A picture, which names its snapshot; all else is beside it, so that it stays one."""
        about = f"snapshot {self.answer.snapshot_id}, {self._state}"
        say((dot if kind == "dot" else mermaid)(self.nodes, self.arrows, about))
        self._warn()
        if self.answer.limits_hit:
            say(f"cut short: {', '.join(self.answer.limits_hit)}", error=True)

    def print(self) -> None:
        """Print the answer, its warnings, and what it rests on."""
        for line in self.lines(wants_colour()):
            say(line)
        self._warn()
        manifest, answer = self.answer.manifest, self.answer
        parts = [self.summary, f"snapshot {manifest.snapshot_id}, {age_of(manifest.created_at)}", self._state]
        if answer.limits_hit:
            parts.append("cut short: " + ", ".join(answer.limits_hit))
        show_footer(" · ".join([*parts, taken()]))

    @property
    def _state(self) -> str:
        return state_of(self.answer.freshness)

    def _warn(self) -> None:
        for sentence in self.warnings:
            say(paint(f"warning: {sentence}", WARN, wants_colour()), error=True)


def symbols(answer: "Answer[Symbols]", values: "Values") -> Shown:
    """Definitions of a name, in lines."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        room = width() - 4
        for item in value.definitions:
            symbol = item.symbol
            name = paint(printable(symbol.qualified_name), BOLD, colour)
            layer = f"  {symbol.layer}" if symbol.layer == SEMANTIC else ""
            label = numbered(item.path, symbol.name_line, symbol.name)
            yield f"{label}{_place(item, colour)}  {name}  {symbol.kind}{layer}{since(answer, item.path)}"
            if symbol.signature:
                yield f"    {cut(symbol.signature, room)}"
            if item.places:
                yield paint(f"    also at {cut(_also(item), room - 8)}", DIM, colour)
            if symbol.doc:
                yield paint(f"    {cut(symbol.doc, room)}", DIM, colour)
        if not value.definitions:
            yield nothing(values["name"], answer.notes)
        if value.otherwise:
            others = (f"{printable(name)} ({count})" for name, count in value.otherwise.items())
            yield paint(f"written otherwise: {', '.join(others)}", DIM, colour)

    summary = plural(value.total, "definition") + (f" ({value.semantic:,} semantic)" if value.semantic else "")
    return Shown(answer, lines, summary)


def references(answer: "Answer[Uses]", values: "Values") -> Shown:
    """Uses of a name, in lines."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        room = width()
        for item in value.definitions[:_DEFINITIONS_SHOWN]:
            name = paint(printable(item.symbol.qualified_name), BOLD, colour)
            label = numbered(item.path, item.symbol.name_line, item.symbol.name)
            yield f"{label}{_place(item, colour)}  {name}  defined here{since(answer, item.path)}"
            if item.places:
                yield paint(f"    also at {cut(_also(item), room - 12)}", DIM, colour)
        if len(value.definitions) > _DEFINITIONS_SHOWN:
            more = plural(len(value.definitions) - _DEFINITIONS_SHOWN, "more definition")
            yield f"and {more}: see `cairn symbol`"
        if value.items and not value.definitions:
            yield f"{cut(values['name'], room // 2)} is not defined here; these are uses of the name"
        many = len(value.items) + len(value.definitions[:_DEFINITIONS_SHOWN])
        room_for = (label_width(many) + 1) * is_terminal()
        path, dispatched = "", any(use.dispatch for use in value.items)
        for use in value.items:
            if use.path != path:
                path = use.path
                yield paint(opened(path), PATH, colour) + since(answer, path)
            about = f"{'dispatch' if use.dispatch else '':<8}  " if dispatched else ""
            about += f"{use.layer if use.layer == SEMANTIC else '':<8}  " if SEMANTIC in value.layers else ""
            label = numbered(use.path, use.line, use.text, among=many)
            lead = f"{' ' * room_for}{use.line:>6}  {use.tier:<6}  {about}{use.role:<6}  "
            text = cut(use.text, room - len(lead))
            inside = f"  in {printable(use.within)}" if use.within else ""
            if len(lead) + len(text) + len(inside) > room:
                inside = ""
            tier = painted_tier(f"{use.tier:<6}", use.tier, colour)
            yield f"{label}{use.line:>6}  {tier}  {about}{use.role:<6}  {text}{paint(inside, DIM, colour)}"
        if not value.definitions and not value.items:
            yield nothing(values["name"], answer.notes)

    tiers = ", ".join(f"{count:,} {tier}" for tier, count in value.tiers.items())
    summary = ("" if value.complete else "at least ") + plural(value.total, "use") + (f" ({tiers})" if tiers else "")
    if SEMANTIC in value.layers:
        summary += f", {value.layers[SEMANTIC]:,} semantic"
    if value.elsewhere:
        summary += f", {value.elsewhere:,} of that name elsewhere"
    return Shown(answer, lines, summary)


def outline(answer: "Answer[FileOutline]", values: "Values") -> Shown:
    """What a file defines, as an indented list."""
    value = answer.value
    wanted = value.branches if value.exact is None else value.exact.branches
    ambiguous = value.exact is not None and value.exact.status == "ambiguous"

    def lines(colour: bool) -> Iterable[str]:
        room = width()
        yield paint(opened(value.path), PATH, colour) + since(answer, value.path)
        rows = [] if ambiguous else list(walk(wanted))
        digits = max((len(_span(branch)) for _, branch in rows), default=0)
        for depth, branch in rows:
            text = "  " * depth + (branch.symbol.signature or branch.symbol.name)
            label = numbered(value.path, branch.symbol.name_line, branch.symbol.name, among=len(rows)) or "  "
            taken = label_width(len(rows)) + 1 if is_terminal() else 2
            yield f"{label}{paint(_span(branch).rjust(digits), DIM, colour)}  {cut(text, room - digits - 2 - taken)}"
        if value.exact is not None and value.exact.status != "ok":
            yield f"  {_which(value.exact, values['symbol'], room)}"
            for branch in value.exact.branches:
                name = paint(printable(branch.symbol.qualified_name), BOLD, colour)
                yield f"  {branch.id}  {name}  {branch.symbol.kind} at {_span(branch)}"
        elif not rows and not value.left_out:
            yield "  nothing is defined here"

    layers = [branch.symbol.layer for _, branch in walk(wanted)]
    summary = plural(len(layers), "definition")
    if SEMANTIC in layers:
        summary += f", {layers.count(SEMANTIC):,} semantic"
    return Shown(answer, lines, summary)


def local_slice(answer: "Answer[Slice | None]", values: "Values") -> Shown:
    """Steps of a name inside a function, in lines."""
    value = answer.value
    (path,) = answer.cited

    def lines(colour: bool) -> Iterable[str]:
        room = width()
        if value is None:
            yield f"no function around that line holds {cut(values['name'], room - 40)}"
            return
        place = paint(f"{opened(path)}:{value.start_line}-{value.end_line}", PATH, colour)
        yield f"{place}  {paint(printable(value.function), BOLD, colour)}{since(answer, path)}"
        for step in value.steps:
            lead = f"{step.line:>6}  {step.kind:<10}  "
            source = f"  from {', '.join(map(str, step.from_))}" if step.from_ else ""
            yield f"{lead}{cut(step.text, room - len(lead) - len(source))}{paint(source, DIM, colour)}"

    steps = () if value is None else value.steps
    return Shown(answer, lines, plural(len(steps), "place"))


def since(answer: "Answer[Any]", path: str) -> str:
    """A mark behind a file that changed since the snapshot."""
    return "  changed since" if path in answer.changed else ""


def nothing(name: str, notes: Iterable[Note]) -> str:
    """Nothing is defined under a name, or nothing is known of what stands at a place; with the nearest names."""
    if like := sentences(note for note in notes if note.code in WHY_NOTHING):
        return like[0]
    if place_of(name) is not None:
        return f"nothing that is defined here is named at {cut(name, width())}"
    if is_id(name):
        return f"nothing here has the id {name}: it changes with the file, the owner and the name"
    if "/" in name:
        return f"nothing is called {cut(name, width() // 2)} here; `cairn outline` shows what a file defines"
    return f"nothing is called {cut(name, width() // 2)} here; `cairn search --literal` finds lines that hold it"


def painted_tier(text: str, tier: str, colour: bool) -> str:
    """A text in the colour of how sure it is."""
    return paint(text, _TIER_COLOUR.get(tier, ""), colour)


def width() -> int:
    """The columns of a line: those of the terminal, if there is one."""
    return current().columns(80) if is_terminal() else _IN_A_PIPE


def _place(item: "Definition", colour: bool) -> str:
    return paint(f"{opened(item.path)}:{item.symbol.name_line}", PATH, colour)


def _also(item: "Definition") -> str:
    """Where else the same thing is said."""
    some = ", ".join(f"{opened(each.path)}:{each.symbol.name_line}" for each in item.places[:_PLACES_SHOWN])
    return some + f" and {len(item.places) - _PLACES_SHOWN} more" * (len(item.places) > _PLACES_SHOWN)


def _which(exact: "Exact", wanted: str, room: int) -> str:
    """What to ask instead where one definition was meant and that isn't what was found."""
    name = cut(wanted, room // 3)
    if exact.status == "ambiguous":
        return f"{name} is the name of {plural(len(exact.branches), 'definition')} here: ask for one by its id"
    like = " or ".join(map(printable, exact.suggestions))
    return f"nothing is called {name} here" + (f"; did you mean {like}?" if like else "")


def _span(branch: "Branch") -> str:
    first, last = branch.symbol.start_line, branch.symbol.end_line
    return str(first) if first == last else f"{first}-{last}"


def contexts(answer: "Answer[Any]", values: Values) -> Shown:
    """Contexts one below the other; or one file, with its flags."""
    if values["file"] is not None:
        return _file(answer)
    value, known = answer.value.survey, answer.value.known

    def lines(_colour: bool) -> Iterable[str]:
        # An ambient family without a file is no news.
        listed = [each for each in value.contexts if each.manifests or value.members[each.id]]
        rows = [_row(each, value, known.get(each.id)) for each in listed]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for family, count in value.unowned.items():
            yield f"{plural(count, f'{family} file')} without a context"

    return Shown(answer, lines, plural(len(value.contexts), "context"))


def _row(context: "Context", found: "Survey", known: "KnownContext | None") -> tuple[str, ...]:
    return (
        printable(context.id),
        TIERS[context.tier],
        found.probes[context.id].status,
        plural(len(found.members[context.id]), "file"),
        # No tool gives facts of an ambient family.
        *((_counts(found.states[context.id]) if context.manifests else "",) if found.states else ()),
        printable(", ".join(context.manifests)),
        last_refresh(known),
    )


def _counts(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in states.items() if count)


def _file(answer: "Answer[FileStatus]") -> Shown:
    value = answer.value

    def lines(_colour: bool) -> Iterable[str]:
        if value.context is None:
            yield f"{opened(value.path)}  no context{since(answer, value.path)}"
            return
        state = f"{value.state.freshness}, {value.state.certainty}"
        yield f"{opened(value.path)}  {printable(value.context)} ({value.probe})  {state}{since(answer, value.path)}"
        if value.job_id:
            yield f"    facts by {printable(value.tool or 'an unknown tool')}, job {value.job_id}"
        for flag in value.flags:
            yield f"{flag.line:>6}  {flag.kind}  {printable(flag.what)}"

    return Shown(answer, lines, plural(len(value.flags), "flag"))
