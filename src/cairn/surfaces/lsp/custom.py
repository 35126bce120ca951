"""Requests of Cairn's own, beside those of the protocol: search, status."""

import os
import time
from datetime import datetime
from typing import Any

from cairn.base.errors import CairnError, CancelledError
from cairn.daemon.folder import DaemonFolder
from cairn.languages.files import language_of
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.places import EditorPlaces
from cairn.surfaces.lsp.session import EditorSession
from cairn.surfaces.lsp.wishes import NOT_INDEXED, given

_MODES = frozenset(("auto", "code", "docs", "symbol"))
_MOST = 200


def search(session: EditorSession, params: object) -> dict[str, Any]:
    """What a query finds, the best first."""
    begun = time.monotonic()
    query, uri = given(params, "query", str, ""), given(params, "root", str, None)
    limit = min(max(given(params, "limit", int, 20), 1), _MOST)
    asked: dict[str, Any] = {"query": query, "limit": limit}
    if (mode := given(params, "mode", str, None)) in _MODES:
        asked["mode"] = mode
    if include := given(params, "include", list, None):
        asked["paths"] = [str(each) for each in include]
    roots = session.roots() if uri is None else [root] if (root := session.codebase(uri)) else []
    results: list[dict[str, Any]] = []
    notes: list[str] = [] if roots else [NOT_INDEXED]
    snapshot = ""
    for root in roots if query.strip() else ():
        try:
            found = session.ask_root("search", asked, root)
        except CancelledError:
            raise
        except CairnError as error:
            notes.append(f"{error.message} {error.hint}".strip())
            continue
        snapshot = snapshot or found["snapshot_id"]
        notes += found["warnings"]
        results += _results(session, root, found["results"])
    # Those of several codebases are each in order; what they are worth can be compared.
    results.sort(key=lambda row: -row["score"]) if len(roots) > 1 else None
    return {
        "results": results[:limit],
        "notes": notes,
        "snapshot": snapshot,
        "age": _age(session, roots[0]) if roots else None,
        "elapsed_ms": round((time.monotonic() - begun) * 1_000, 1),
    }


def _results(session: EditorSession, root: str, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    places, found = EditorPlaces(session, root), []
    for row in rows:
        whole = places.lines(row["path"], row["start_line"], row["end_line"])
        if whole is None:
            continue  # gone since
        name = row["symbol"] or os.path.basename(row["path"])
        own = places.range_of(row["path"], row["start_line"], row["symbol"]) if row["symbol"] else None
        at = own if own is not None and whole.start <= own.start and own.end <= whole.end else whole
        found.append(
            {
                "location": types.Location(session.uri(root, row["path"]), at),
                "path": row["path"],
                "name": name,
                "kind": row["kind"],
                "language": row["language"] or language_of(row["path"]),
                "text": row["text"],
                "score": row["score"],
                "changed": row["changed_since"],
            }
        )
    return found


def status(session: EditorSession, params: object) -> dict[str, Any]:
    """What is known of a codebase and of its index, without a look at the tree."""
    uri = given(params, "root", str, None) or next((each.uri for each in session.folders), None)
    session.look_again()
    root = session.root_meant(uri)
    row = next((each for each in session.tracked() if each.root == root), None)
    running = DaemonFolder(session.asking.home).running()
    page = page_of(session)
    folder = next((each.path for each in session.folders if each.uri == uri), "")
    return {
        "root": session.uri(root) if root else uri,
        "name": os.path.basename(root or folder),
        "state": row.state.value if row is not None else "not_found",
        "snapshot": row.snapshot_id if row is not None else "",
        "age": _age(session, root),
        "files": row.files if row is not None else 0,
        "indexed": row is not None,
        "daemon": running is not None and running.ready,
        "page": page,
        "notes": [] if row is not None else [NOT_INDEXED],
    }


def page_of(session: EditorSession) -> str | None:
    """Where the page is, with what opens it; None while no daemon serves it."""
    place = DaemonFolder(session.asking.home)
    running = place.running()
    return f"{running.url}/#token={place.token()}" if running is not None and running.url else None


def _age(session: EditorSession, root: str | None) -> float | None:
    """For how many seconds the index of a codebase has stood."""
    row = next((each for each in session.tracked() if each.root == root), None)
    if row is None or not row.updated_at:
        return None
    try:
        return max(0.0, round(time.time() - datetime.fromisoformat(row.updated_at).timestamp(), 1))
    except ValueError:
        return None


FEATURES = {"cairn/search": search, "cairn/status": status}
