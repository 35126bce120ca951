"""Calls and types step by step: who calls something, what it calls, what it is derived from and what from it."""

from typing import Any

from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.navigation import meant
from cairn.surfaces.lsp.places import EditorPlaces
from cairn.surfaces.lsp.session import EditorSession
from cairn.surfaces.lsp.symbols import kind_of

_MOST = 500
_UNSURE = {"likely": "likely", "name": "by name alone"}
"""How a step that is not proven is shown, beside its name."""
_TYPES = frozenset(("class", "enum", "interface", "struct", "trait", "type"))
Row = dict[str, Any]


def prepare_calls(session: EditorSession, params: types.PlaceParams) -> list[types.HierarchyItem] | None:
    """The function that is meant at a place."""
    return _defined(session, params) or None


def incoming(session: EditorSession, params: types.ItemParams) -> list[Row]:
    """Who calls it."""
    found = _calls(session, params.item, "callers")
    return [{"from": item, "fromRanges": ranges} for item, ranges in found]


def outgoing(session: EditorSession, params: types.ItemParams) -> list[Row]:
    """What it calls."""
    found = _calls(session, params.item, "callees")
    return [{"to": item, "fromRanges": ranges} for item, ranges in found]


def prepare_types(session: EditorSession, params: types.PlaceParams) -> list[types.HierarchyItem] | None:
    """The type that is meant at a place."""
    return _defined(session, params, _TYPES) or None


def supertypes(session: EditorSession, params: types.ItemParams) -> list[types.HierarchyItem]:
    """What it is derived from, as far as that lies in the tree."""
    return _kin(session, params.item, "up")


def subtypes(session: EditorSession, params: types.ItemParams) -> list[types.HierarchyItem]:
    """What is derived from it."""
    return _kin(session, params.item, "down")


def _defined(session: EditorSession, params: Any, kinds: frozenset[str] | None = None) -> list[types.HierarchyItem]:
    found = meant(session, params.text_document.uri, params.position)
    if found is None:
        return []
    file, place = found
    rows = session.ask_root("symbol", {"name": place}, file.root)["results"]
    places = EditorPlaces(session, file.root)
    # A field or variable may hold what is called: whoever calls it is asked of the graph.
    return [
        item
        for row in rows
        if kinds is None or row["kind"] in kinds
        if (item := _item(session, places, file.root, {**row, "name": row["qualified_name"]})) is not None
    ]


def _calls(
    session: EditorSession, item: types.HierarchyItem, direction: str
) -> list[tuple[types.HierarchyItem, list[types.Range]]]:
    found = meant(session, item.uri, item.selection_range.start)
    if found is None:
        return []
    file, place = found
    given = {"name": place, "direction": direction, "depth": 1, "nodes": _MOST, "fan_out": _MOST}
    graph = session.ask_root("callgraph", given, file.root)
    places, nodes = EditorPlaces(session, file.root), {node["id"]: node for node in graph["nodes"]}
    kept = []
    for edge in sorted(graph["edges"], key=lambda edge: edge["tier"] != "proven"):
        source, target = nodes.get(edge["source"]), nodes.get(edge["target"])
        if source is None or target is None:
            continue
        other = source if direction == "callers" else target
        shown = _item(session, places, file.root, other, edge["tier"])
        if shown is not None:
            ranges = [each for line in edge["lines"] for each in places.calls(source["path"], line, target["name"])]
            kept.append((shown, ranges))
    return kept


def _kin(session: EditorSession, item: types.HierarchyItem, direction: str) -> list[types.HierarchyItem]:
    found = meant(session, item.uri, item.selection_range.start)
    if found is None:
        return []
    file, place = found
    graph = session.ask_root("hierarchy", {"name": place, "direction": direction, "nodes": _MOST}, file.root)
    places, nodes = EditorPlaces(session, file.root), {node["id"]: node for node in graph["nodes"]}
    near, far = ("source", "target") if direction == "up" else ("target", "source")
    kept = []
    for edge in graph["edges"]:
        if edge[near] in graph["roots"] and (other := nodes.get(edge[far])) is not None:
            shown = _item(session, places, file.root, other, edge["tier"])
            if shown is not None:
                kept.append(shown)
    return kept


def _item(
    session: EditorSession, places: EditorPlaces, root: str, row: Row, tier: str = "proven"
) -> types.HierarchyItem | None:
    # The top of a file has no name of its own.
    own = None if row["kind"] == "file" else places.range_of(row["path"], row["line"], row["name"], near=0)
    whole = places.lines(row["path"], row["start_line"] if "start_line" in row else row["line"], row["end_line"])
    if whole is None:
        return None
    if own is None:
        own = types.Range(whole.start, whole.start)
    if not (whole.start <= own.start and own.end <= whole.end):
        whole = own
    detail = " · ".join(filter(None, (row["path"], _UNSURE.get(tier))))
    return types.HierarchyItem(row["name"], kind_of(row["kind"]), session.uri(root, row["path"]), whole, own, detail)


FEATURES = {
    "textDocument/prepareCallHierarchy": prepare_calls,
    "callHierarchy/incomingCalls": incoming,
    "callHierarchy/outgoingCalls": outgoing,
    "textDocument/prepareTypeHierarchy": prepare_types,
    "typeHierarchy/supertypes": supertypes,
    "typeHierarchy/subtypes": subtypes,
}
