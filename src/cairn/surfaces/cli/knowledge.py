"""Answers about the structure of code, as JSON, as text, and as pictures."""

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

from cairn.base.text import plural, printable
from cairn.base.values import dataclass
from cairn.graph.outline import walk
from cairn.graph.semantics import SEMANTIC
from cairn.graph.targets import is_id, place_of
from cairn.store.versions import writable
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.drawing import Arrow, Dot, cut, dot, mermaid
from cairn.surfaces.cli.envelope import (
    BOLD,
    DIM,
    PATH,
    WARN,
    age_of,
    git_document,
    is_terminal,
    paint,
    show_footer,
    wants_colour,
)
from cairn.surfaces.cli.notes import sentences
from cairn.surfaces.cli.notes import told as noted
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    import argparse

    from cairn.base.notes import Note
    from cairn.codebase.bodies import FileOutline, Symbols, Told, Uses
    from cairn.graph.outline import Branch, Exact
    from cairn.graph.references import Reference
    from cairn.graph.symbols import Definition
    from cairn.store import SymbolRow
    from cairn.syntax.uses import Slice

_TIER_COLOUR = {"proven": "\x1b[32m", "likely": "\x1b[33m", "name": "\x1b[2m"}
_IN_A_PIPE = 120
_DEFINITIONS_SHOWN = 10
Document = dict[str, object]


@dataclass(frozen=True, slots=True)
class Shown:
    """One answer in every form."""

    told: "Told[Any]"
    document: Document
    lines: Callable[[bool], Iterable[str]]
    summary: str
    nodes: tuple[Dot, ...] = ()
    arrows: tuple[Arrow, ...] = ()

    def draw(self, kind: str, notes: "Sequence[Note]") -> None:
        """A picture, which names its snapshot; all else is beside it, so that it stays one."""
        about = f"snapshot {self.told.snapshot_id}, {self._state}"
        say((dot if kind == "dot" else mermaid)(self.nodes, self.arrows, about))
        self._warn(notes)
        if self.told.limits_hit:
            say(f"cut short: {', '.join(self.told.limits_hit)}", error=True)

    def print(self, notes: "Sequence[Note]") -> None:
        for line in self.lines(wants_colour()):
            say(line)
        self._warn(notes)
        manifest, told = self.told.manifest, self.told
        parts = [self.summary, f"snapshot {manifest.snapshot_id}, {age_of(manifest.created_at)}", self._state]
        if told.limits_hit:
            parts.append("cut short: " + ", ".join(told.limits_hit))
        show_footer(" · ".join([*parts, f"{told.timings_ms['total']:.0f} ms"]))

    @property
    def _state(self) -> str:
        return "the tree was just synced" if self.told.freshness.get("synced") else "not synced"

    def _warn(self, notes: "Sequence[Note]") -> None:
        for sentence in sentences((*notes, *self.told.notes)):
            say(paint(f"warning: {sentence}", WARN, wants_colour()), error=True)


def envelope(told: "Told[Any]", notes: "Sequence[Note]", document: Document) -> Document:
    """The JSON answer: what it rests on, and then what it says."""
    manifest = told.manifest
    return {
        "schema_version": writable("graph_json"),
        "request_id": told.request_id,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "git": git_document(manifest),
        "degraded": manifest.degraded,
        "freshness": dict(told.freshness),
        **noted((*notes, *told.notes)),
        "limits_hit": list(told.limits_hit),
        "timings_ms": dict(told.timings_ms),
        **document,
    }


def symbols(told: "Told[Symbols]", _options: "argparse.Namespace") -> Shown:
    value = told.value

    def lines(colour: bool) -> Iterable[str]:
        room = width() - 4
        for item in value.definitions:
            symbol = item.symbol
            name = paint(printable(symbol.qualified_name), BOLD, colour)
            layer = f"  {symbol.layer}" if symbol.layer == SEMANTIC else ""
            yield f"{_place(item, colour)}  {name}  {symbol.kind}{layer}{since(told, item.path)}"
            if symbol.signature:
                yield f"    {cut(symbol.signature, room)}"
            if symbol.doc:
                yield paint(f"    {cut(symbol.doc, room)}", DIM, colour)
        if not value.definitions:
            yield nothing(value.name)
        if value.otherwise:
            others = (f"{printable(name)} ({count})" for name, count in value.otherwise.items())
            yield paint(f"written otherwise: {', '.join(others)}", DIM, colour)

    document: Document = {
        "name": value.name,
        "total": value.total,
        "semantic": value.semantic,
        "otherwise": dict(value.otherwise),
        "results": [
            {"id": each, **_definition(told, item)} for each, item in zip(value.ids, value.definitions, strict=True)
        ],
    }
    summary = plural(value.total, "definition") + (f" ({value.semantic:,} semantic)" if value.semantic else "")
    return Shown(told, document, lines, summary)


def references(told: "Told[Uses]", options: "argparse.Namespace") -> Shown:
    value = told.value

    def lines(colour: bool) -> Iterable[str]:
        room = width()
        for item in value.definitions[:_DEFINITIONS_SHOWN]:
            name = paint(printable(item.symbol.qualified_name), BOLD, colour)
            yield f"{_place(item, colour)}  {name}  defined here{since(told, item.path)}"
        if len(value.definitions) > _DEFINITIONS_SHOWN:
            more = plural(len(value.definitions) - _DEFINITIONS_SHOWN, "more definition")
            yield f"and {more}: see `cairn symbol`"
        if value.items and not value.definitions:
            yield f"{cut(options.name, room // 2)} is not defined here; these are uses of the name"
        path = ""
        for use in value.items:
            if use.path != path:
                path = use.path
                yield paint(printable(path), PATH, colour) + since(told, path)
            layer = f"{use.layer if use.layer == SEMANTIC else '':<8}  " if SEMANTIC in value.layers else ""
            lead = f"{use.line:>6}  {use.tier:<6}  {layer}{use.role:<6}  "
            text = cut(use.text, room - len(lead))
            inside = f"  in {printable(use.within)}" if use.within else ""
            if len(lead) + len(text) + len(inside) > room:
                inside = ""
            tier = painted_tier(f"{use.tier:<6}", use.tier, colour)
            yield f"{use.line:>6}  {tier}  {layer}{use.role:<6}  {text}{paint(inside, DIM, colour)}"
        if not value.definitions and not value.items:
            yield nothing(options.name)

    document: Document = {
        "definitions": [_definition(told, item) for item in value.definitions],
        "total": value.total,
        "tiers": dict(value.tiers),
        "layers": dict(value.layers),
        "unresolved": value.unresolved,
        "elsewhere": value.elsewhere,
        "complete": value.complete,
        "results": [use_document(told, use) for use in value.items],
    }
    tiers = ", ".join(f"{count:,} {tier}" for tier, count in value.tiers.items())
    summary = ("" if value.complete else "at least ") + plural(value.total, "use") + (f" ({tiers})" if tiers else "")
    if SEMANTIC in value.layers:
        summary += f", {value.layers[SEMANTIC]:,} semantic"
    if value.elsewhere:
        summary += f", {value.elsewhere:,} of that name elsewhere"
    return Shown(told, document, lines, summary)


def use_document(told: "Told[Uses]", use: "Reference") -> Document:
    return {
        "path": use.path,
        "line": use.line,
        "column": use.column + 1,
        "name": use.name,
        "role": use.role,
        "within": use.within or None,
        "tier": use.tier,
        "layer": use.layer,
        "target": None if use.target is None else f"{use.target.path}:{use.target.symbol.name_line}",
        "text": use.text,
        "changed_since": use.path in told.changed,
    }


def outline(told: "Told[FileOutline]", options: "argparse.Namespace") -> Shown:
    value = told.value
    wanted = value.branches if value.exact is None else value.exact.branches
    ambiguous = value.exact is not None and value.exact.status == "ambiguous"

    def lines(colour: bool) -> Iterable[str]:
        room = width()
        yield paint(printable(value.path), PATH, colour) + since(told, value.path)
        rows = [] if ambiguous else [(depth, branch.symbol) for depth, branch in walk(wanted)]
        digits = max((len(_span(symbol)) for _, symbol in rows), default=0)
        for depth, symbol in rows:
            text = "  " * depth + (symbol.signature or symbol.name)
            yield f"  {paint(_span(symbol).rjust(digits), DIM, colour)}  {cut(text, room - digits - 4)}"
        if value.exact is not None and value.exact.status != "ok":
            yield f"  {_which(value.exact, options.symbol, room)}"
            for branch in value.exact.branches:
                name = paint(printable(branch.symbol.qualified_name), BOLD, colour)
                yield f"  {branch.id}  {name}  {branch.symbol.kind} at {_span(branch.symbol)}"
        elif not rows and not value.left_out:
            yield "  nothing is defined here"
        if value.left_out:
            yield f"  ({plural(value.left_out, 'definition')} more: ask for {value.full_tokens} tokens)"

    document: Document = {
        "path": value.path,
        "language": value.language,
        "status": "ok" if value.exact is None else value.exact.status,
        "suggestions": [] if value.exact is None else list(value.exact.suggestions),
        "changed_since": value.path in told.changed,
        "left_out": value.left_out,
        "full_tokens": value.full_tokens,
        "symbols": _branches(wanted),
    }
    return Shown(told, document, lines, plural(sum(1 for _ in walk(wanted)), "definition"))


def local_slice(told: "Told[Slice | None]", options: "argparse.Namespace") -> Shown:
    value = told.value
    (path,) = told.cited

    def lines(colour: bool) -> Iterable[str]:
        room = width()
        if value is None:
            yield f"no function around that line holds {cut(options.name, room - 40)}"
            return
        place = paint(f"{printable(path)}:{value.start_line}-{value.end_line}", PATH, colour)
        yield f"{place}  {paint(printable(value.function), BOLD, colour)}{since(told, path)}"
        for step in value.steps:
            lead = f"{step.line:>6}  {step.kind:<10}  "
            source = f"  from {', '.join(map(str, step.from_))}" if step.from_ else ""
            yield f"{lead}{cut(step.text, room - len(lead) - len(source))}{paint(source, DIM, colour)}"

    steps = () if value is None else value.steps
    document: Document = {
        "path": path,
        "name": options.name,
        "status": "not_found" if value is None else "ok",
        "changed_since": path in told.changed,
        "function": None if value is None else value.function,
        "start_line": None if value is None else value.start_line,
        "end_line": None if value is None else value.end_line,
        "steps": [
            {
                "line": step.line,
                "column": step.column + 1,
                "kind": step.kind,
                "text": step.text,
                "from": list(step.from_),
            }
            for step in steps
        ],
    }
    return Shown(told, document, lines, plural(len(steps), "place"))


def _definition(told: "Told[Any]", item: "Definition") -> Document:
    symbol = item.symbol
    return {
        "path": item.path,
        "line": symbol.name_line,
        "start_line": symbol.start_line,
        "end_line": symbol.end_line,
        "name": symbol.name,
        "qualified_name": symbol.qualified_name,
        "kind": symbol.kind,
        "signature": symbol.signature,
        "container": symbol.container or None,
        "exported": symbol.exported,
        "doc": symbol.doc,
        "layer": symbol.layer,
        "changed_since": item.path in told.changed,
    }


def _branches(branches: "Sequence[Branch]") -> list[Document]:
    """Symbols from the top down, each with the id of what it stands in: nesting has no end, JSON's reader may."""
    found: list[Document] = []
    above: list[str] = []
    for depth, branch in walk(branches):
        del above[depth:]
        symbol = branch.symbol
        found.append(
            {
                "id": branch.id,
                "parent": above[-1] if above else None,
                "depth": depth,
                "name": symbol.name,
                "qualified_name": symbol.qualified_name,
                "kind": symbol.kind,
                "signature": symbol.signature,
                "start_line": symbol.start_line,
                "end_line": symbol.end_line,
                "exported": symbol.exported,
            }
        )
        above.append(branch.id)
    return found


def since(told: "Told[Any]", path: str) -> str:
    return "  changed since" if path in told.changed else ""


def nothing(name: str) -> str:
    """Nothing is defined under a name, or nothing is known of what stands at a place."""
    if place_of(name) is not None:
        return f"nothing that is defined here is named at {cut(name, width())}"
    if is_id(name):
        return f"nothing here has the id {name}: it changes with the file, the owner and the name"
    if "/" in name:
        return f"nothing is called {cut(name, width() // 2)} here; `cairn outline` shows what a file defines"
    return f"nothing is called {cut(name, width() // 2)} here; `cairn search --literal` finds lines that hold it"


def painted_tier(text: str, tier: str, colour: bool) -> str:
    return paint(text, _TIER_COLOUR.get(tier, ""), colour)


def width() -> int:
    """The columns of a line: those of the terminal, if there is one."""
    return current().columns(80) if is_terminal() else _IN_A_PIPE


def _place(item: "Definition", colour: bool) -> str:
    return paint(f"{printable(item.path)}:{item.symbol.name_line}", PATH, colour)


def _which(exact: "Exact", wanted: str, room: int) -> str:
    """What to ask instead where one definition was meant and that isn't what was found."""
    name = cut(wanted, room // 3)
    if exact.status == "ambiguous":
        return f"{name} is the name of {plural(len(exact.branches), 'definition')} here: ask for one by its id"
    like = ", ".join(map(printable, exact.suggestions))
    return f"nothing is called {name} here" + (f"; is it {like}?" if like else "")


def _span(symbol: "SymbolRow") -> str:
    return str(symbol.start_line) if symbol.start_line == symbol.end_line else f"{symbol.start_line}-{symbol.end_line}"
