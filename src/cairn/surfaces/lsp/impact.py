"""What a change of something would reach, and what the tree is made of: requests of Cairn's own."""

from typing import Any

from cairn.base.errors import CairnError
from cairn.languages.files import language_of
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.navigation import SURENESS, meant
from cairn.surfaces.lsp.places import EditorPlaces
from cairn.surfaces.lsp.session import EditorSession
from cairn.surfaces.lsp.wishes import NOT_INDEXED, given
from cairn.syntax.filekind import kinds_of

_DEPTH, _MOST = 3, 500
_CERTAINTY = {"proven": "proven", "likely": "likely", "name": "possible"}
_ORDER = (*_CERTAINTY.values(),)
Row = dict[str, Any]


def impact(session: EditorSession, params: object) -> Row:
    """Who uses something, directly and through others, the nearest and surest first."""
    root, subject = _subject(session, params)
    if root is None or not subject:
        return {"subject": "", "items": [], "notes": [NOT_INDEXED] if root is None else [], "snapshot": ""}
    asked = {"name": subject, "direction": "callers", "depth": _DEPTH, "nodes": _MOST, "fan_out": _MOST}
    graph = session.ask_root("callgraph", asked, root)
    uses = session.ask_root("refs", {"name": subject, "limit": _MOST}, root)
    notes = [*dict.fromkeys((*graph["warnings"], *uses["warnings"]))]
    items = _called(session, root, graph) + _used(session, root, uses)
    kept: dict[tuple[str, str], Row] = {}
    for item in sorted(items, key=lambda each: (each["distance"], _ORDER.index(each["certainty"]), each["path"])):
        kept.setdefault((item["path"], item["name"]), item)
    names = [node["name"] for node in graph["nodes"] if node["id"] in graph["roots"]]
    names += [row["qualified_name"] for row in uses["definitions"]]
    subject = next(iter(names), subject)
    return {"subject": subject, "items": [*kept.values()], "notes": notes, "snapshot": graph["snapshot_id"]}


def code_map(session: EditorSession, params: object) -> Row:
    """What the tree is made of, and which files matter most."""
    root = session.root_meant(given(params, "root", str, None))
    if root is None:
        return {"text": "", "notes": [NOT_INDEXED], "snapshot": ""}
    try:
        found = session.ask_root("map", {"budget_tokens": given(params, "budget", int, 2_000)}, root)
    except CairnError as error:
        return {"text": "", "notes": [f"{error.message} {error.hint}".strip()], "snapshot": ""}
    return {"text": found["text"], "notes": found["warnings"], "snapshot": found["snapshot_id"]}


def _subject(session: EditorSession, params: object) -> tuple[str | None, str]:
    """The codebase that is asked, and the place or name."""
    if name := given(params, "name", str, ""):
        return session.root_meant(given(params, "root", str, None)), name
    uri = given(given(params, "textDocument", object, None), "uri", str, "")
    place = given(params, "position", object, None)
    position = types.Position(given(place, "line", int, 0), given(place, "character", int, 0))
    found = meant(session, uri, position)
    return (None, "") if found is None else (found[0].root, found[1])


def _called(session: EditorSession, root: str, graph: Row) -> list[Row]:
    """The callers, each as sure as the surest way to it."""
    nodes = {node["id"]: node for node in graph["nodes"]}
    tiers: dict[str, int] = dict.fromkeys(graph["roots"], 0)
    for depth in range(1, _DEPTH + 1):
        for edge in graph["edges"]:
            source = nodes.get(edge["source"])
            if source is not None and abs(source["depth"]) == depth and edge["target"] in tiers:
                tier = max(tiers[edge["target"]], SURENESS.index(edge["tier"]))
                tiers[edge["source"]] = min(tier, tiers.get(edge["source"], len(SURENESS) - 1))
    places = EditorPlaces(session, root)
    found = []
    for each, tier in tiers.items():
        node = nodes[each]
        if each not in graph["roots"] and (at := places.definition(node)) is not None:
            found.append(_item(at, node["path"], node["name"], node["kind"], abs(node["depth"]), SURENESS[tier]))
    return found


def _used(session: EditorSession, root: str, uses: Row) -> list[Row]:
    """Other uses, by what they stand in."""
    places = EditorPlaces(session, root)
    found = []
    for row in uses["results"]:
        at = places.location(row["path"], row["line"], row["name"], row["column"])
        if row["role"] != "definition" and at is not None:
            found.append(_item(at, row["path"], row["within"] or row["path"], row["role"], 1, row["tier"]))
    return found


def _item(at: types.Location, path: str, name: str, kind: str, distance: int, tier: str) -> Row:
    return {
        "location": at,
        "path": path,
        "name": name,
        "kind": kind,
        "distance": distance,
        "certainty": _CERTAINTY.get(tier, "possible"),
        "isTest": "test" in kinds_of(path, language_of(path)),
    }


FEATURES = {"cairn/impact": impact, "cairn/map": code_map}
