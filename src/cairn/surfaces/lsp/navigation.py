"""From a name to where it is defined, declared, implemented and used."""

import re
from collections.abc import Iterable
from typing import Any

from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.places import EditorPlaces, place_text
from cairn.surfaces.lsp.session import DocumentFile, EditorSession

SURENESS = ("proven", "likely", "name")
"""How sure a use or a call is, the surest first; the last is known by its name alone."""
_MOST = 2_000


def meant(session: EditorSession, uri: str, position: types.Position) -> tuple[DocumentFile, str] | None:
    """The file that is asked about, and the place in it as questions name it; None where nothing is indexed."""
    file = session.spot(uri)
    place = None if file is None else place_text(session, file, position)
    return None if file is None or place is None else (file, place)


def definition(session: EditorSession, params: Any) -> list[types.Location]:
    """Where what is named there is defined."""
    found = meant(session, params.text_document.uri, params.position)
    if found is None:
        return []
    file, place = found
    places = EditorPlaces(session, file.root)
    return located(places.definition(row) for row in definitions(session, places, file, place))


def definitions(session: EditorSession, places: EditorPlaces, file: DocumentFile, place: str) -> list[dict[str, Any]]:
    """The rows of what is named at a place: of the index, else of the scope that binds it."""
    rows: list[dict[str, Any]] = session.ask_root("symbol", {"name": place}, file.root)["results"]
    if rows:
        return rows
    answer = session.ask_root("refs", {"name": place, "limit": _MOST}, file.root)
    return _own(places, answer) if _is_local(answer) else []


def _is_local(answer: dict[str, Any]) -> bool:
    return any(each["code"] == "local" for each in answer["notices"])


def _own(places: EditorPlaces, answer: dict[str, Any]) -> list[dict[str, Any]]:
    """The definitions of an answer. A line may use a local before it binds it: its place is the one that is no use."""
    rows: list[dict[str, Any]] = answer["definitions"]
    if not _is_local(answer):
        return rows
    used = {(each["path"], each["line"], each["column"]) for each in answer["results"]}
    return [{**row, "column": _column(places, row, used)} for row in rows]


def _column(places: EditorPlaces, row: dict[str, Any], used: set[tuple[str, int, int]]) -> int | None:
    line = (places.data(row["path"]) or b"").split(b"\n")[row["line"] - 1 : row["line"]]
    word = re.compile(rb"(?<![\w\x80-\xff])" + re.escape(row["name"].encode()) + rb"(?![\w\x80-\xff])")
    columns = (each.start() + 1 for text in line for each in word.finditer(text))
    return next((each for each in columns if (row["path"], row["line"], each) not in used), None)


def declaration(session: EditorSession, params: types.PlaceParams) -> list[types.Location]:
    """Where it is declared apart from its definition, like in a header; else where it is defined."""
    found = meant(session, params.text_document.uri, params.position)
    if found is None:
        return []
    file, place = found
    rows = session.ask_root("symbol", {"name": place}, file.root)["results"]
    places = EditorPlaces(session, file.root)
    apart = [
        places.location(path, int(line), row["name"])
        for row in rows
        for path, _, line in (each.rpartition(":") for each in row["places"])
    ]
    return [each for each in apart if each is not None] or definition(session, params)


def implementation(session: EditorSession, params: types.PlaceParams) -> list[types.Location]:
    """What implements, extends or overrides it."""
    found = meant(session, params.text_document.uri, params.position)
    if found is None:
        return []
    file, place = found
    graph = session.ask_root("hierarchy", {"name": place, "direction": "down", "nodes": _MOST}, file.root)
    places = EditorPlaces(session, file.root)
    rows = [node for node in graph["nodes"] if node["id"] not in graph["roots"]]
    return located(places.definition(row) for row in rows) or definition(session, params)


def references(session: EditorSession, params: types.ReferenceParams) -> list[types.Location]:
    """Where it is used, the proven ones first; how sure the others are stands in the log and in the progress."""
    found = meant(session, params.text_document.uri, params.position)
    if found is None:
        return []
    file, place = found
    answer = session.ask_root("refs", {"name": place, "limit": _MOST}, file.root)
    session.tell(params.work_done_token, counted(answer["tiers"]))
    places = EditorPlaces(session, file.root)
    rows = sorted(answer["results"], key=lambda row: SURENESS.index(row["tier"]) if row["tier"] in SURENESS else 9)
    uses = [places.location(row["path"], row["line"], row["name"], row["column"]) for row in rows]
    own = [places.definition(row) for row in _own(places, answer)] if params.context.include_declaration else []
    return located([*own, *uses])


def counted(tiers: dict[str, int]) -> str:
    """How many uses there are, and how sure they are."""
    words = {"proven": "proven", "likely": "likely", "name": "by name alone"}
    total = sum(tiers.values())
    parts = [f"{tiers[each]} {words[each]}" for each in SURENESS if tiers.get(each)]
    return f"{total} {'use' if total == 1 else 'uses'}{': ' if parts else ''}{', '.join(parts)}"


def located(found: Iterable[types.Location | None]) -> list[types.Location]:
    """Places that could be told, each once."""
    kept: dict[tuple[str, int, int], types.Location] = {}
    for each in found:
        if each is not None:
            kept.setdefault((each.uri, each.range.start.line, each.range.start.character), each)
    return list(kept.values())


FEATURES = {
    "textDocument/definition": definition,
    "textDocument/declaration": declaration,
    "textDocument/implementation": implementation,
    "textDocument/references": references,
}
