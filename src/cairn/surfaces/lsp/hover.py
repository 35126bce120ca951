"""What is under the pointer: its signature, what is said of it, who uses it and how sure that is."""

import os
from typing import Any

from cairn.base.errors import CairnError, CancelledError
from cairn.codebase.heads import doc_of, head_of
from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.navigation import counted, definitions, meant
from cairn.surfaces.lsp.places import EditorPlaces
from cairn.surfaces.lsp.session import EditorSession

_MOST = 3
"""How many definitions are shown, and how many of those who use it are named."""
_PATIENCE_S = 0.5
"""How long uses are counted for: nobody waits for a hover."""


def hover(session: EditorSession, params: types.PlaceParams) -> dict[str, Any] | None:
    """A text in Markdown."""
    found = meant(session, params.text_document.uri, params.position)
    if found is None:
        return None
    file, place = found
    places = EditorPlaces(session, file.root)
    rows = definitions(session, places, file, place)
    if not rows:
        return None
    parts = [_defined(session, places, file.root, row) for row in rows[:_MOST]]
    if len(rows) > _MOST:
        parts.append(f"and {len(rows) - _MOST} more definitions")
    if uses := _used(session, file.root, place):
        parts.append(uses)
    return {"contents": {"kind": "markdown", "value": "\n\n---\n\n".join(parts)}}


def _defined(session: EditorSession, places: EditorPlaces, root: str, row: dict[str, Any]) -> str:
    language = session.language(session.uri(root, row["path"])) or ""
    link = f"[{_escaped(row['path'])}:{row['line']}]({session.uri(root, row['path'])}#L{row['line']})"
    lines = (places.data(row["path"]) or b"").decode("utf-8", "replace").replace("\r\n", "\n").split("\n")
    head = f"```{language}\n{head_of(lines, row)}\n```"
    said = f"{row['kind']} `{row['qualified_name']}` in {link}"
    # What a comment says is shown as it is, not as Markdown of ours: two blanks at the end keep its lines apart.
    doc = "".join(f"{_escaped(each)}  \n" if each else "\n" for each in doc_of(lines, row)).rstrip()
    return f"{head}\n{said}\n\n{doc}".rstrip()


def _used(session: EditorSession, root: str, place: str) -> str:
    try:
        answer = session.ask_root("refs", {"name": place, "limit": 50}, root, patience_s=_PATIENCE_S)
    except CancelledError:
        raise
    except CairnError:
        return ""
    places = EditorPlaces(session, root)
    users: dict[str, str] = {}
    for row in sorted(answer["results"], key=lambda row: row["tier"] != "proven"):
        if row["tier"] == "name" or row["role"] in ("import", "definition"):
            continue
        name = row["within"] or os.path.basename(row["path"])
        location = places.location(row["path"], row["line"], row["name"], row["column"])
        if location is not None:
            users.setdefault(name, f"[`{name}`]({location.uri}#L{location.range.start.line + 1})")
    named = ", ".join([*users.values()][:_MOST])
    more = f" and {len(users) - _MOST} more" if len(users) > _MOST else ""
    return f"{counted(answer['tiers'])}{f'; used by {named}{more}' if named else ''}"


def _escaped(text: str) -> str:
    """A text that Markdown leaves as it is."""
    return "".join(f"\\{letter}" if letter in "\\`*_{}[]<>#|" else letter for letter in text)


FEATURES = {"textDocument/hover": hover}
