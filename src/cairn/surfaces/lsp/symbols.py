"""Symbols of a document, and of the workspace."""

import contextlib
import os
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from cairn.codebase.names import DefinedName
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.places import EditorPlaces
from cairn.surfaces.lsp.session import EditorSession

KINDS = {
    "class": 5,
    "constant": 14,
    "constructor": 9,
    "enum": 10,
    "field": 8,
    "function": 12,
    "heading": 15,
    "interface": 11,
    "key": 20,
    "macro": 12,
    "method": 6,
    "module": 2,
    "namespace": 3,
    "property": 7,
    "rule": 19,
    "struct": 23,
    "table": 23,
    "trait": 11,
    "type": 5,
    "variable": 13,
}
"""The protocol has numbers for kinds."""
MOST = 64
"""Names of a codebase in one answer: the protocol has no word for more, and a client asks again at each letter."""
_MOST_KNOWN = 5_000


def kind_of(kind: str) -> int:
    """The protocol's kind for one of Cairn's."""
    return KINDS.get(kind, KINDS["variable"])


def document_symbols(
    session: EditorSession, params: types.DocumentParams
) -> list[types.DocumentSymbol] | list[types.FlatSymbol] | None:
    """What a document defines: as a tree, or as a list for an editor that shows none."""
    uri = params.text_document.uri
    spot = session.spot(uri)
    if spot is None:
        return None
    found = session.ask("outline", {"file": spot.path}, uri)
    places = EditorPlaces(session, spot.root)
    top: list[types.DocumentSymbol] = []
    below: dict[str | None, list[types.DocumentSymbol]] = {None: top}
    for row in found["symbols"]:
        inner: list[types.DocumentSymbol] = []
        symbol = _symbol(places, spot.path, row, inner)
        if symbol is not None:
            below[row["id"]] = inner
            below.get(row["parent"], top).append(symbol)
    return top if session.shows_trees else [*_listed(uri, top)]


def _listed(uri: str, symbols: Iterable[types.DocumentSymbol], within: str = "") -> Iterator[types.FlatSymbol]:
    for each in symbols:
        yield types.FlatSymbol(types.Location(uri, each.range), each.name, each.kind, container_name=within or None)
        yield from _listed(uri, each.children or (), each.name)


def _symbol(
    places: EditorPlaces, path: str, row: dict[str, Any], inner: list[types.DocumentSymbol]
) -> types.DocumentSymbol | None:
    whole = places.lines(path, row["start_line"], row["end_line"])
    name = places.range_of(path, row["line"], row["name"], near=0)
    if whole is None:
        return None
    if name is None or not (whole.start <= name.start and name.end <= whole.end):
        name = whole
    return types.DocumentSymbol(
        row["name"] or "(unnamed)", kind_of(row["kind"]), whole, name, row["signature"] or None, children=inner
    )


def workspace_symbols(session: EditorSession, params: types.QueryParams) -> list[types.FlatSymbol]:
    """Every name that begins like the query, then those that hold it in order."""
    found: list[types.FlatSymbol] = []
    query = "".join(params.query.split())
    for root in session.roots() if query else ():
        found += [
            types.FlatSymbol(location, each.name, kind_of(each.kind), container_name=each.container or None)
            for each, location in _located(session, root, query)
            if location is not None
        ]
    return found


def _located(session: EditorSession, root: str, query: str) -> list[tuple[DefinedName, types.Location | None]]:
    """Names with their places. Files whose names don't stand where they did are looked at as they are now, once."""
    located: list[tuple[DefinedName, types.Location | None]] = []
    for _ in range(2):
        unsaved = partial(session.asking.unsaved_names, root, session.buffers.texts())
        snapshot, names = session.names.like(root, query, MOST, unsaved)
        if snapshot:
            session.saw(root, snapshot)
        places = EditorPlaces(session, root)
        located = [(each, _known_place(session, places, root, each)) for each in names]
        lost = {each.path for each, location in located if location is None}
        if not lost or not session.asking.look_at(root, snapshot, lost):
            break
    return located


def _known_place(session: EditorSession, places: EditorPlaces, root: str, found: DefinedName) -> types.Location | None:
    """Where a name stands: with every key the same ones are asked for, so places stand as long as their files do."""
    path = os.path.join(root, found.path)
    if session.buffers.at(path) is not None:
        return places.location(found.path, found.line, found.name)
    try:
        status = os.stat(path)
    except OSError:
        return None
    key = (path, found.name, found.line, status.st_mtime_ns, status.st_size)
    with contextlib.suppress(KeyError):
        return session.known_places[key]
    if len(session.known_places) >= _MOST_KNOWN:
        session.known_places.clear()
    place = session.known_places[key] = places.location(found.path, found.line, found.name)
    return place


FEATURES = {
    "textDocument/documentSymbol": document_symbols,
    "workspace/symbol": workspace_symbols,
}
