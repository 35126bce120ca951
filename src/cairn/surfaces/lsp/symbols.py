"""Symbols of a document, and of the workspace."""

import os
from typing import Any

from lsprotocol import types

from cairn.base.errors import CairnError
from cairn.codebase.names import DefinedName, like_names
from cairn.surfaces.lsp.places import EditorPlaces
from cairn.surfaces.lsp.session import EditorSession

KINDS = {
    "class": types.SymbolKind.Class,
    "constant": types.SymbolKind.Constant,
    "constructor": types.SymbolKind.Constructor,
    "enum": types.SymbolKind.Enum,
    "field": types.SymbolKind.Field,
    "function": types.SymbolKind.Function,
    "heading": types.SymbolKind.String,
    "interface": types.SymbolKind.Interface,
    "key": types.SymbolKind.Key,
    "macro": types.SymbolKind.Function,
    "method": types.SymbolKind.Method,
    "module": types.SymbolKind.Module,
    "namespace": types.SymbolKind.Namespace,
    "property": types.SymbolKind.Property,
    "rule": types.SymbolKind.Object,
    "struct": types.SymbolKind.Struct,
    "table": types.SymbolKind.Struct,
    "trait": types.SymbolKind.Interface,
    "type": types.SymbolKind.Class,
    "variable": types.SymbolKind.Variable,
}
MOST = 64
_MOST_KNOWN = 5_000


def kind_of(kind: str) -> types.SymbolKind:
    """The protocol's kind for one of Cairn's."""
    return KINDS.get(kind, types.SymbolKind.Variable)


def document_symbols(session: EditorSession, params: types.DocumentSymbolParams) -> list[types.DocumentSymbol] | None:
    """What a document defines, as a tree."""
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
    return top


def _symbol(
    places: EditorPlaces, path: str, row: dict[str, Any], inner: list[types.DocumentSymbol]
) -> types.DocumentSymbol | None:
    whole = places.lines(path, row["start_line"], row["end_line"])
    name = places.range_of(path, row["start_line"], row["name"])
    if whole is None:
        return None
    if name is None or not (whole.start <= name.start and name.end <= whole.end):
        name = whole
    return types.DocumentSymbol(
        row["name"] or "(unnamed)", kind_of(row["kind"]), whole, name, row["signature"] or None, children=inner
    )


def workspace_symbols(session: EditorSession, params: types.WorkspaceSymbolParams) -> list[types.SymbolInformation]:
    """Every name that begins like the query, then those that hold it in order."""
    found: list[types.SymbolInformation] = []
    query = "".join(params.query.split())
    for root in session.roots() if query else ():
        unsaved = session.asking.unsaved_names(root, session.buffers.texts())
        snapshot, names = session.names.like(root, query, MOST, unsaved)
        if snapshot:
            session.saw(root, snapshot)
        typed = _typed(session, root)
        kept = [each for each in names if each.path not in typed]
        new = like_names([each for own in typed.values() for each in own], query, MOST)
        places = EditorPlaces(session, root)
        found += [
            types.SymbolInformation(location, each.name, kind_of(each.kind), container_name=each.container or None)
            for each in (*new, *kept)
            if (location := _known_place(session, places, root, each)) is not None
        ]
    return found


def _typed(session: EditorSession, root: str) -> dict[str, list[DefinedName]]:
    """What open documents define that are not as on disk, by their paths."""
    found: dict[str, list[DefinedName]] = {}
    for buffer in session.buffers:
        file = session.spot(buffer.uri)
        if file is None or file.root != root or not _is_unsaved(os.path.join(root, file.path), buffer.data):
            continue
        try:
            rows = session.ask_root("outline", {"file": file.path}, root)["symbols"]
        except CairnError:
            continue  # one that the index leaves out
        found[file.path] = [
            DefinedName(
                row["name"], row["kind"], row["qualified_name"].rpartition(".")[0], file.path, row["start_line"]
            )
            for row in rows
        ]
    return found


def _is_unsaved(path: str, data: bytes) -> bool:
    try:
        if os.stat(path).st_size != len(data):
            return True
        with open(path, "rb") as file:
            return file.read() != data
    except OSError:
        return True


def _known_place(session: EditorSession, places: EditorPlaces, root: str, found: DefinedName) -> types.Location | None:
    """Where a name stands: with every key the same ones are asked for, so places stand as long as their files do."""
    path = os.path.join(root, found.path)
    if session.buffers.at(session.named(path)) is not None:
        return places.definition(found._asdict())
    try:
        status = os.stat(path)
    except OSError:
        return None
    key = (path, found.name, found.line, status.st_mtime_ns, status.st_size)
    if key not in session.known_places:
        if len(session.known_places) >= _MOST_KNOWN:
            session.known_places.clear()
        session.known_places[key] = places.definition(found._asdict())
    return session.known_places[key]


FEATURES = {
    types.TEXT_DOCUMENT_DOCUMENT_SYMBOL: document_symbols,
    types.WORKSPACE_SYMBOL: workspace_symbols,
}
