"""From a syntax tree to facts: one query, one pass over its matches, the same for all languages."""

import re
from bisect import bisect_right
from typing import Any

from cairn.base.values import dataclass
from cairn.syntax.definitions import (
    Comment,
    FoundDefinition,
    clean_comment,
    one_of_clauses,
    qualify,
    spaced,
    top_comment,
)
from cairn.syntax.facts import Call, Import, Symbol
from cairn.syntax.grammar import WRAPPER, Loaded, all_matches
from cairn.syntax.imported import bindings_of, packed
from cairn.syntax.lines import line_starts
from cairn.syntax.receivers import receiver_of

MAX_SIGNATURE = 300
MAX_NAME = 200
_QUOTES = "\"'`"
_MAX_STATEMENT = 20_000
_DEFINITION = "definition."
_SEPARATOR = re.compile(r"::|\\\\")
_SPACES_OF_NAMES = frozenset({"class", "enum", "interface", "module", "struct", "trait"})
Lines = tuple[int, ...]
_Sections = dict[tuple[int, int], list[tuple[int, bool]]]


@dataclass(frozen=True, slots=True)
class Span:
    """A definition's place in bytes, with its doc comment: what chunks follow."""

    start: int
    end: int
    symbol: int


@dataclass(frozen=True, slots=True)
class Extracted:
    """What a syntax tree says of a file."""

    symbols: tuple[Symbol, ...]
    spans: tuple[Span, ...]
    imports: tuple[Import, ...]
    calls: tuple[Call, ...]
    top_comment: str


def extract(loaded: Loaded, root: Any, data: bytes) -> Extracted:
    """Symbols, imports, calls and comments of one tree."""
    definitions: dict[tuple[int, int, str], FoundDefinition] = {}
    imports: dict[tuple[int, str], Import] = {}
    raw_calls: dict[int, str] = {}
    comments: list[Comment] = []
    given: set[str] = set()
    sections: _Sections = {}
    heads: list[tuple[str, Any, dict[str, list[Any]], int]] = []
    wrapped: dict[int, Any] = {}
    lines = line_starts(data)
    for pattern, captures in all_matches(loaded.query, root):
        if "call" in captures:
            called: Any = captures["name"][0]
            at = called.start_byte
            raw_calls[at] = data[at : called.end_byte].decode("utf-8", "replace")[:MAX_NAME]
            if len(captures) == 2:
                continue  # most matches are calls and nothing else
        for capture, nodes in captures.items():
            if capture in ("comment", "attribute"):
                comments += [_comment(node, capture, lines, data) for node in nodes]
            elif capture == "import":
                sources = captures.get("source", ())
                if sources:
                    # A path may come in parts: what is asked for is all of it.
                    first = sources[0]
                    written = _unquoted(data[first.start_byte : sources[-1].end_byte].decode("utf-8", "replace"))
                    if written:
                        names, again = _given(loaded.language.name, nodes[0], written, data)
                        imports[(first.start_byte, written)] = Import(
                            written[:MAX_NAME], bisect_right(lines, first.start_byte), names, again
                        )
            elif capture == "exported":
                given.update(text_of(data, node) for node in nodes)
            elif capture in ("hides", "shows"):
                mark: Any = nodes[0]
                place = (mark.parent.start_byte, mark.parent.end_byte)
                sections.setdefault(place, []).append((mark.start_byte, capture == "hides"))
            elif capture == "scope" or capture.startswith(_DEFINITION):
                heads.append((capture, nodes[0], captures, pattern))
            elif capture == WRAPPER:
                wrapped.update((child.id, nodes[0]) for child in nodes[0].children)
    for head in heads:
        define(definitions, loaded, *head, wrapped, lines, data)
    comments.sort()
    ordered = sorted(definitions.values(), key=lambda item: (item.start, -item.end, item.is_scope, item.name))
    if loaded.grammar.clauses:
        ordered = one_of_clauses(ordered, comments, data)
    qualify(ordered)
    symbols, spans = _symbols(ordered, comments, data, loaded, given, sections)
    for at, _, _ in definitions:
        raw_calls.pop(at, None)  # some grammars write a definition's head as a call
    calls = _calls(raw_calls, lines, data, ordered)
    return Extracted(
        tuple(symbols),
        tuple(spans),
        tuple(imports[key] for key in sorted(imports)),
        tuple(calls),
        top_comment(comments, data),
    )


def _given(language: str, statement: Any, source: str, data: bytes) -> tuple[str, bool]:
    """What an import binds, and whether it is offered again."""
    start = statement.start_byte
    end = statement.end_byte
    if data.startswith(b"require", start):
        # What is taken of the module stands behind the call.
        end = max(data.find(b"\n", end), end)
    text = data[start : min(end, start + _MAX_STATEMENT)].decode("utf-8", "replace")
    line = data[data.rfind(b"\n", 0, start) + 1 : start].decode("utf-8", "replace")
    return packed(bindings_of(language, text, source, line)), text.startswith(("export", "pub "))


def define(
    definitions: dict[tuple[int, int, str], FoundDefinition],
    loaded: Loaded,
    capture: str,
    node: Any,
    captures: dict[str, list[Any]],
    pattern: int,
    wrapped: dict[int, Any],
    lines: Lines,
    data: bytes,
) -> None:
    """Add the definition of one match of the query to those that were found."""
    names = captures.get("name")
    if not names:
        return
    name = text_of(data, names[0])
    if not name.isidentifier():  # which needs no cleaning, and most are
        name = spaced(name)
        if not capture.endswith(".rule"):
            name = bare(name[:MAX_NAME])
    name = name[:MAX_NAME]
    if not name or name in loaded.grammar.reserved:
        return
    outer = node
    while wrapped and (around := wrapped.get(outer.id)) is not None:
        outer = around
    bodies = captures.get("body")
    body = bodies[0] if bodies else _body(node, names[0], loaded)
    signature = _signature(node, names[0], body, data)
    start = outer.start_byte
    before_it = data[start : min(node.start_byte, start + 4 * MAX_SIGNATURE)] if outer is not node else b""
    head = before_it.decode("utf-8", "replace") + " " + signature
    last = body if body is not None and body.end_byte > outer.end_byte else outer
    docs = captures.get("doc")
    containers = captures.get("container")
    is_scope = capture == "scope"
    outside = ""
    if not is_scope and capture.removeprefix(_DEFINITION) in _SPACES_OF_NAMES:
        # `Plug.BasicAuth` is found as `BasicAuth` too.
        outside, _, name = _SEPARATOR.sub(".", name).rpartition(".")
    end = _last_byte(last, data)
    name_at = names[0].start_byte
    found = FoundDefinition(
        start=start,
        end=end,
        start_row=_row(lines, start),
        end_row=_row(lines, end),
        name=name,
        name_row=_row(lines, name_at),
        kind="" if is_scope else capture.removeprefix(_DEFINITION),
        signature=spaced(signature)[:MAX_SIGNATURE],
        head=head,
        container=text_of(data, containers[0]).replace("::", ".")[:MAX_NAME] if containers else outside,
        doc=clean_comment(text_of(data, docs[0])) if docs else "",
        is_scope=is_scope,
        pattern=pattern,
        outer=outer,
    )
    key = (name_at, names[0].end_byte, "scope" if is_scope else "")
    before = definitions.get(key)
    # Several patterns may fit one name: the first of the query decides, a later one may add its doc.
    if before is None or found.pattern < before.pattern:
        found.doc = found.doc or (before.doc if before is not None else "")
        definitions[key] = found
    elif not before.doc:
        before.doc = found.doc


def _body(node: Any, name: Any, loaded: Loaded) -> Any:
    """Where a definition's body begins: a field or, in grammars that name no field, a kind of child."""
    bodies = loaded.grammar.bodies
    found = [body for field in bodies if (body := node.child_by_field_name(field)) is not None]
    for child in node.children:
        # Some grammars leave the comments at the head of a body outside of it.
        if child.type in bodies or (child.type.endswith("comment") and child.start_byte >= name.end_byte):
            found.append(child)
            break
    return min(found, key=lambda body: body.start_byte, default=None)


def _signature(node: Any, name: Any, body: Any, data: bytes) -> str:
    """What stands before the body; without one, all up to the end of the name's line."""
    if body is not None:
        end = body.start_byte
    else:
        line = data.find(b"\n", name.end_byte, node.end_byte)
        end = node.end_byte if line < 0 else line
    text = data[node.start_byte : min(end, node.start_byte + 4 * MAX_SIGNATURE)].decode("utf-8", "replace")
    return text.rstrip().rstrip("{=:").rstrip()


def _shown(item: FoundDefinition, loaded: Loaded, given: set[str], sections: _Sections) -> bool:
    if sections:
        parent = item.outer.parent
        place = (parent.start_byte, parent.end_byte) if parent is not None else (0, 0)
        marks = [hidden for at, hidden in sections.get(place, ()) if at < item.start]
        if marks:
            return not marks[-1]
    return loaded.grammar.exported(item.name, item.head) or (not item.container and item.name in given)


def _symbols(
    ordered: list[FoundDefinition],
    comments: list[Comment],
    data: bytes,
    loaded: Loaded,
    given: set[str],
    sections: _Sections,
) -> tuple[list[Symbol], list[Span]]:
    symbols: list[Symbol] = []
    spans: list[Span] = []
    by_last_row = {last: index for index, (_, last, _, _, _) in enumerate(comments)}
    for item in ordered:
        start = item.start
        above = item.start_row - 1
        texts: list[str] = []
        while above in by_last_row:
            first, _, left, right, is_comment = comments[by_last_row[above]]
            if data[data.rfind(b"\n", 0, left) + 1 : left].strip():
                break  # it ends a line of code, so it belongs to that
            start = left
            text = data[left:right].decode("utf-8", "replace")
            if is_comment:
                texts.append(text)
            else:
                item.head = f"{text} {item.head}"
                item.start_row = first
            above = first - 1
        if item.is_scope:
            spans.append(Span(start, item.end, -1))
            continue
        doc = item.doc or clean_comment("\n".join(reversed(texts)))
        spans.append(Span(start, item.end, len(symbols)))
        symbols.append(
            Symbol(
                name=item.name,
                qualified_name=item.qualified,
                kind=item.kind,
                signature=item.signature,
                start_line=item.start_row + 1,
                end_line=max(item.end_row, item.start_row) + 1,
                name_line=item.name_row + 1,
                container=item.container,
                exported=_shown(item, loaded, given, sections),
                doc=doc,
            )
        )
    return _with_hidden_members(symbols), spans


def _with_hidden_members(symbols: list[Symbol]) -> list[Symbol]:
    """What stands in a definition that isn't exported isn't either."""
    hidden = {symbol.qualified_name for symbol in symbols if not symbol.exported}
    inside = {
        symbol.qualified_name for symbol in symbols if symbol.kind in ("function", "method", "constructor", "macro")
    }
    found = []
    for symbol in symbols:
        if symbol.container in hidden or symbol.container in inside:
            hidden.add(symbol.qualified_name)
            if symbol.exported:
                symbol = symbol._replace(exported=False)
        found.append(symbol)
    return found


def _calls(raw: dict[int, str], lines: Lines, data: bytes, ordered: list[FoundDefinition]) -> list[Call]:
    owners = [item for item in ordered if not item.is_scope]
    starts = [item.start for item in owners]
    ends = [item.end for item in owners]
    callers = [*(item.qualified for item in owners), ""]
    calls = []
    for at in sorted(raw):
        index = bisect_right(starts, at) - 1
        # The nearest definition that began before and hasn't ended; nesting is shallow.
        while index >= 0 and ends[index] <= at:
            index -= 1
        calls.append(Call(raw[at], bisect_right(lines, at), callers[index], receiver_of(data, at)))
    return calls


def _comment(node: Any, capture: str, lines: Lines, data: bytes) -> Comment:
    start, end = node.start_byte, node.end_byte
    # Some grammars let the blank lines after a comment belong to it.
    return _row(lines, start), _row(lines, _last_byte(node, data)), start, end, capture == "comment"


def _row(lines: Lines, byte: int) -> int:
    """The row that a byte stands in: the points of a node cost more than a look at where lines start."""
    return bisect_right(lines, byte) - 1


def _last_byte(node: Any, data: bytes) -> int:
    """Where a node's text ends: some grammars let it reach to the next token."""
    end: int = node.end_byte
    if not data[end - 1 : end].isspace():
        return end
    start: int = node.start_byte
    return start + len(data[start:end].rstrip())


def bare(name: str) -> str:
    """A name without what only quotes it: Ruby's symbols, keys in quotes."""
    if len(name) > 2 and name[0] == name[-1] and name[0] in "\"'":
        return name[1:-1]
    return name[1:] if len(name) > 1 and name[0] == ":" and (name[1].isalpha() or name[1] == "_") else name


def text_of(data: bytes, node: Any) -> str:
    """The text of a node."""
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _unquoted(text: str) -> str:
    text = text.strip()
    if " . " in text and text[0] not in _QUOTES and text[-1] in _QUOTES:
        return text  # PHP puts a path together of which the last part is quoted
    return text.strip(_QUOTES + "<>;").strip()
