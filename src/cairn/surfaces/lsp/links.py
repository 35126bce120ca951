"""`textDocument/documentLink`: from every import that leads to a file of the tree to that file."""

import posixpath
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import islice, pairwise
from typing import Any, NamedTuple

from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.places import EditorPlaces
from cairn.surfaces.lsp.session import EditorSession

_PARTS = re.compile(rb"[^\w\x80-\xff]+")
_QUOTED = rb"(?<=[\"'`<])", rb"(?=[\"'`>])"
_ALONE = rb"(?<![\w./\\:@$\x80-\xff-])", rb"(?![\w./\\:\x80-\xff-])"
_LONGEST = 100
"""Lines of a statement that are looked at."""
_SHOWN = 3


class ImportLink(NamedTuple):
    """Some bytes of a file, and the file that they lead to."""

    start: int
    end: int
    path: str
    others: tuple[str, ...] = ()
    """Further files that are imported there, as all those of a package."""


def links_in(data: bytes, imports: Iterable[Mapping[str, Any]]) -> list[ImportLink]:
    """The links of a file, by the answer of the question `imports`; one whose text doesn't stand there is left out."""
    starts = [0, *(found.end() for found in re.finditer(b"\n", data)), len(data) + 1]
    found = [each for each in imports if each["paths"] and 1 <= each["line"] < len(starts)]
    links: list[ImportLink] = []
    for each in sorted(found, key=lambda each: -len(each["source"])):
        links += _leading(data, each, _statement(data, starts, each["line"]), links)
    return sorted(links)


def _statement(data: bytes, starts: list[int], line: int) -> tuple[int, int]:
    """From the beginning of a line to the end of that by which its brackets are closed."""
    start, depth = starts[line - 1], 0
    for begin, end in islice(pairwise(starts[line - 1 :]), _LONGEST):
        text = data[begin : end - 1]
        depth += sum(map(text.count, (b"(", b"{", b"["))) - sum(map(text.count, (b")", b"}", b"]")))
        if depth <= 0:
            return start, end - 1
    return start, starts[line] - 1


def _leading(
    data: bytes, said: Mapping[str, Any], statement: tuple[int, int], known: list[ImportLink]
) -> Iterator[ImportLink]:
    source, paths = said["source"].encode(), said["paths"]
    taken = [(link.start, link.end) for link in known]
    # What is written in parts, as `use one::{two, three}`, stands there by its last part alone.
    last = next((word for word in reversed(_PARTS.split(source)) if word), b"")
    span = _span(data, source, statement, taken) or _span(data, last, statement, taken)
    if span is None:
        return
    names = re.split(r"\W+", said["names"])
    behind = (span[1], statement[1])
    named = {path: _span(data, _stem(path).encode(), behind, taken) for path in paths[1:] if _stem(path) in names}
    yield ImportLink(*span, paths[0], tuple(path for path in paths[1:] if named.get(path) is None))
    yield from (ImportLink(*own, path) for path, own in named.items() if own is not None)


def _span(data: bytes, word: bytes, within: tuple[int, int], taken: list[tuple[int, int]]) -> tuple[int, int] | None:
    """Where a text stands by itself: between quotes if it does so anywhere, and not in another link."""
    text = re.escape(word)
    for form in (_QUOTED[0] + text + _QUOTED[1], _ALONE[0] + text + _ALONE[1]):
        for match in re.compile(form).finditer(data, *within):
            if word and not any(start < match.end() and match.start() < end for start, end in taken):
                return match.span()
    return None


def _stem(path: str) -> str:
    return posixpath.basename(path).partition(".")[0]


def tooltip(link: ImportLink) -> str:
    """What is shown of a link: the file, and those that belong to it."""
    more = f" and {len(link.others) - _SHOWN} more" if len(link.others) > _SHOWN else ""
    return ", ".join((link.path, *link.others[:_SHOWN])) + more


def document_links(session: EditorSession, params: types.DocumentParams) -> list[types.DocumentLink] | None:
    """The links of a document."""
    uri = params.text_document.uri
    spot = session.spot(uri)
    positions = EditorPlaces(session, spot.root).positions(spot.path) if spot is not None else None
    if spot is None or positions is None:
        return None
    found = session.ask("imports", {"file": spot.path}, uri)["outgoing"]
    return [
        types.DocumentLink(
            types.Range(
                types.Position(*positions.position_at(link.start)), types.Position(*positions.position_at(link.end))
            ),
            session.uri(spot.root, link.path),
            tooltip(link),
        )
        for link in links_in(positions.data, found)
    ]


FEATURES = {"textDocument/documentLink": document_links}
