"""From a syntax tree to facts: one query, one pass over its matches, the same for all languages."""

import re
from bisect import bisect_right
from dataclasses import dataclass, replace
from typing import Any

from cairn.syntax.facts import Call, Import, Symbol
from cairn.syntax.grammar import Loaded

MAX_SIGNATURE = 300
MAX_DOC = 600
MAX_NAME = 200
_DEFINITION = "definition."
_TYPES = frozenset({"class", "enum", "interface", "struct", "trait", "type"})
_SPACES = re.compile(r"\s+")
_DECORATION = re.compile(r"^[\s/*#!;%\-\"'`(<{|]+|[\s*/\"'`)\->}|]+$")


@dataclass(frozen=True, slots=True)
class Span:
    """A definition's place in bytes, with its doc comment: what chunks follow."""

    start: int
    end: int
    symbol: int


@dataclass(frozen=True, slots=True)
class Extracted:
    symbols: tuple[Symbol, ...]
    spans: tuple[Span, ...]
    imports: tuple[Import, ...]
    calls: tuple[Call, ...]
    top_comment: str


@dataclass(slots=True)
class _Definition:
    start: int
    end: int
    start_row: int
    end_row: int
    name: str
    name_row: int
    kind: str
    signature: str
    head: str
    container: str
    doc: str
    is_scope: bool
    symbol: int = -1
    qualified: str = ""


def extract(loaded: Loaded, root: Any, data: bytes) -> Extracted:
    """Symbols, imports, calls and comments of one tree."""
    import tree_sitter

    definitions: dict[tuple[int, int, str], _Definition] = {}
    imports: dict[tuple[int, str], Import] = {}
    raw_calls: dict[int, str] = {}
    call_rows: dict[int, int] = {}
    comments: list[tuple[int, int, int, int]] = []
    for _, captures in tree_sitter.QueryCursor(loaded.query).matches(root):
        for capture, nodes in captures.items():
            if capture == "comment":
                comments += [(node.start_point.row, _last_row(node), node.start_byte, node.end_byte) for node in nodes]
            elif capture == "call":
                name = captures["name"][0]
                raw_calls[name.start_byte] = _text(data, name)[:MAX_NAME]
                call_rows[name.start_byte] = name.start_point.row
            elif capture == "import":
                for source in captures.get("source", ()):
                    written = _unquoted(_text(data, source))
                    row = source.start_point.row
                    if written:
                        imports[(source.start_byte, written)] = Import(written[:MAX_NAME], row + 1)
            elif capture == "scope" or capture.startswith(_DEFINITION):
                _define(definitions, loaded, capture, nodes[0], captures, data)
    comments.sort()
    ordered = sorted(definitions.values(), key=lambda item: (item.start, -item.end, item.is_scope, item.name))
    _qualify(ordered)
    symbols, spans = _symbols(ordered, comments, data, loaded)
    calls = _calls(raw_calls, call_rows, ordered)
    return Extracted(
        tuple(symbols),
        tuple(spans),
        tuple(imports[key] for key in sorted(imports)),
        tuple(calls),
        _top_comment(comments, data),
    )


def _define(
    definitions: dict[tuple[int, int, str], _Definition],
    loaded: Loaded,
    capture: str,
    node: Any,
    captures: dict[str, list[Any]],
    data: bytes,
) -> None:
    names = captures.get("name")
    if not names:
        return
    name = _SPACES.sub(" ", _text(data, names[0])).strip()[:MAX_NAME]
    if not name:
        return
    outer = node
    while outer.parent is not None and outer.parent.type in loaded.grammar.wrappers:
        outer = outer.parent
    head = _head(outer, node, loaded, data)
    docs = captures.get("doc")
    containers = captures.get("container")
    is_scope = capture == "scope"
    found = _Definition(
        start=outer.start_byte,
        end=outer.end_byte,
        start_row=outer.start_point.row,
        end_row=_last_row(outer),
        name=name,
        name_row=names[0].start_point.row,
        kind="" if is_scope else capture.removeprefix(_DEFINITION),
        signature=_SPACES.sub(" ", _signature(node, loaded, data)).strip()[:MAX_SIGNATURE],
        head=head,
        container=_text(data, containers[0])[:MAX_NAME] if containers else "",
        doc=clean_comment(_text(data, docs[0])) if docs else "",
        is_scope=is_scope,
    )
    key = (names[0].start_byte, names[0].end_byte, "scope" if is_scope else "")
    before = definitions.get(key)
    # Several patterns may fit one name: the first of the query decides, a later one may add its doc.
    if before is None:
        definitions[key] = found
    elif not before.doc:
        before.doc = found.doc


def _signature(node: Any, loaded: Loaded, data: bytes) -> str:
    end = node.end_byte
    for field in loaded.grammar.bodies:
        body = node.child_by_field_name(field)
        if body is not None:
            end = min(end, body.start_byte)
    text = data[node.start_byte : min(end, node.start_byte + 4 * MAX_SIGNATURE)].decode("utf-8", "replace")
    if end == node.end_byte:
        text = text.split("\n", 1)[0]
    return text.rstrip().rstrip("{=:").rstrip()


def _head(outer: Any, node: Any, loaded: Loaded, data: bytes) -> str:
    """Decorators, modifiers and the signature: where a language says who may use a definition."""
    before = data[outer.start_byte : min(node.start_byte, outer.start_byte + 4 * MAX_SIGNATURE)]
    return before.decode("utf-8", "replace") + " " + _signature(node, loaded, data)


def _qualify(ordered: list[_Definition]) -> None:
    """Containers by nesting; `ordered` is sorted so that what is around comes first."""
    stack: list[_Definition] = []
    for item in ordered:
        while stack and stack[-1].end <= item.start:
            stack.pop()
        around = next((outer for outer in reversed(stack) if outer.end >= item.end and outer is not item), None)
        if not item.container and around is not None:
            item.container = around.qualified
        if item.kind == "function" and around is not None and (around.is_scope or around.kind in _TYPES):
            item.kind = "method"
        item.qualified = f"{item.container}.{item.name}" if item.container else item.name
        if item.is_scope:
            # A scope may repeat a type's own name: it names its members, it is no member itself.
            item.qualified = item.name
        stack.append(item)


def _symbols(
    ordered: list[_Definition], comments: list[tuple[int, int, int, int]], data: bytes, loaded: Loaded
) -> tuple[list[Symbol], list[Span]]:
    symbols: list[Symbol] = []
    spans: list[Span] = []
    by_last_row = {last: index for index, (_, last, _, _) in enumerate(comments)}
    for item in ordered:
        start = item.start
        above = item.start_row - 1
        texts: list[str] = []
        while above in by_last_row:
            first, _, left, right = comments[by_last_row[above]]
            if data[data.rfind(b"\n", 0, left) + 1 : left].strip():
                break  # it ends a line of code, so it belongs to that
            start = left
            texts.append(data[left:right].decode("utf-8", "replace"))
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
                exported=loaded.grammar.exported(item.name, item.head),
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
    return [
        replace(symbol, exported=False)
        if symbol.exported and (symbol.container in hidden or symbol.container in inside)
        else symbol
        for symbol in symbols
    ]


def _calls(raw: dict[int, str], rows: dict[int, int], ordered: list[_Definition]) -> list[Call]:
    owners = [item for item in ordered if not item.is_scope]
    starts = [item.start for item in owners]
    calls = []
    for at in sorted(raw):
        index = bisect_right(starts, at) - 1
        # The nearest definition that began before and hasn't ended; nesting is shallow.
        while index >= 0 and owners[index].end <= at:
            index -= 1
        calls.append(Call(raw[at], rows[at] + 1, owners[index].qualified if index >= 0 else ""))
    return calls


def _top_comment(comments: list[tuple[int, int, int, int]], data: bytes) -> str:
    """The comment at the head of a file, licences aside."""
    texts: list[str] = []
    expected: int | None = None
    for first, last, left, right in comments:
        if expected is None and data[:left].count(b"\n") > 40:
            break
        if expected is not None and first > expected:
            text = clean_comment("\n".join(texts))
            if text and not _is_licence(text):
                return text
            texts = []
        texts.append(data[left:right].decode("utf-8", "replace"))
        expected = last + 1
    text = clean_comment("\n".join(texts))
    return "" if _is_licence(text) else text


def _is_licence(text: str) -> bool:
    low = text[:400].lower()
    return "copyright" in low or "licen" in low or "spdx" in low


def clean_comment(text: str) -> str:
    """A comment's words without its signs."""
    lines = (_DECORATION.sub("", line.strip()) for line in text.splitlines())
    return _SPACES.sub(" ", " ".join(line for line in lines if line)).strip()[:MAX_DOC]


def _last_row(node: Any) -> int:
    """The last row that a node has text on; some grammars let the newline after it belong to it."""
    end = node.end_point
    row: int = end.row
    return row - 1 if end.column == 0 and row > node.start_point.row else row


def _text(data: bytes, node: Any) -> str:
    return data[node.start_byte : node.end_byte].decode("utf-8", "replace")


def _unquoted(text: str) -> str:
    return text.strip().strip("\"'<>`;").strip()
