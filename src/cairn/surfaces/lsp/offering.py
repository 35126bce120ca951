"""What the server offers an editor: by the settings, and only for files that an index holds.

An editor that takes registrations is told which files each feature is for; to one that doesn't, a feature that is
offered for some language is offered as a whole, and requests about other files are answered with nothing.
"""

import re
from collections.abc import Iterable
from typing import Any

from cairn.surfaces.lsp import types
from cairn.surfaces.lsp.session import EditorSession

_SPECIAL = re.compile(r"[\[\]{}*?]")
_CHANGES = 2
"""Changes of a document come as what has changed."""
_MOST_PATTERNS = 200
"""Of one codebase; no editor compares a file with thousands."""


_OFFERS = {
    "documentSymbol": "textDocument/documentSymbol",
    "definition": "textDocument/definition",
    "declaration": "textDocument/declaration",
    "implementation": "textDocument/implementation",
    "references": "textDocument/references",
    "hover": "textDocument/hover",
    "callHierarchy": "textDocument/prepareCallHierarchy",
    "typeHierarchy": "textDocument/prepareTypeHierarchy",
    "rename": "textDocument/rename",
    "documentLink": "textDocument/documentLink",
}
"""The features of documents, by the names that the settings and the protocol have for them."""
_OPTIONS = {"rename": {"prepareProvider": True}, "documentLink": {"resolveProvider": False}}
_FEATURES = {method: feature for feature, method in _OFFERS.items()} | {
    "textDocument/prepareRename": "rename",
    "textDocument/codeAction": "rename",
    "workspace/symbol": "workspaceSymbol",
    "callHierarchy/incomingCalls": "callHierarchy",
    "callHierarchy/outgoingCalls": "callHierarchy",
    "typeHierarchy/supertypes": "typeHierarchy",
    "typeHierarchy/subtypes": "typeHierarchy",
    "cairn/search": "search",
    "cairn/map": "search",
    "cairn/impact": "impact",
}


def capabilities(session: EditorSession, client: types.ClientCapabilities, commands: Iterable[str]) -> dict[str, Any]:
    """What the server says that it can, without what is not offered and what is to be registered."""
    found: dict[str, Any] = {
        "positionEncoding": session.encoding.value,
        "textDocumentSync": {"openClose": True, "change": _CHANGES, "save": True},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
        "executeCommandProvider": {"commands": [*commands]},
    }
    if session.settings.offers("workspaceSymbol"):
        found["workspaceSymbolProvider"] = True
    if session.settings.offers("rename"):
        found["codeActionProvider"] = True  # They are the choices of a rename.
    for feature in _OFFERS:
        if session.settings.offers(feature) and not _registers(client, feature):
            found[f"{feature}Provider"] = _OPTIONS.get(feature, True)
    # Options are for an editor that knows of the preparing.
    if "renameProvider" in found and types.said(client, "textDocument", "rename", "prepareSupport") is not True:
        found["renameProvider"] = True
    return found


def is_offered(session: EditorSession, method: str, params: Any) -> bool:
    """Whether a request is one that is offered for its document."""
    feature = _FEATURES.get(method)
    # Parameters of requests of our own may be anything.
    uri = getattr(getattr(params, "text_document", None) or getattr(params, "item", None), "uri", None)
    language = session.language(uri) if isinstance(uri, str) else None
    return feature is None or session.settings.offers(feature, language)


def registrations(session: EditorSession, client: types.ClientCapabilities) -> list[types.Registration]:
    """What is to be registered now; the same as before where nothing has changed."""
    held = {root: session.held(root) for root in session.roots()}
    found = []
    for feature, method in _OFFERS.items():
        if not _registers(client, feature):
            continue
        selector = [
            {"scheme": "file", "pattern": pattern}
            for root, languages in held.items()
            for pattern in _patterns(
                session.named(root),
                (globs for language, globs in languages.items() if session.settings.offers(feature, language)),
            )
        ]
        if selector:
            options = {"documentSelector": selector, **_OPTIONS.get(feature, {})}
            found.append(types.Registration(f"cairn-{feature}", method, options))
    if held and _can(client, "workspace", "didChangeWatchedFiles"):
        watchers = [
            {"globPattern": pattern}
            for root, languages in held.items()
            for pattern in _patterns(session.named(root), languages.values())
        ]
        method = "workspace/didChangeWatchedFiles"
        found.append(types.Registration("cairn-files", method, {"watchers": watchers}))
    if _can(client, "workspace", "didChangeConfiguration"):
        method = "workspace/didChangeConfiguration"
        found.append(types.Registration("cairn-settings", method, {"section": "cairn"}))
    return found


def _registers(client: types.ClientCapabilities, feature: str) -> bool:
    return _can(client, "textDocument", feature)


def _can(client: types.ClientCapabilities, area: str, name: str) -> bool:
    return types.said(client, area, name, "dynamicRegistration") is True


def _patterns(root: str, languages: Iterable[frozenset[str]]) -> list[str]:
    """Globs for the files of some languages beneath a root, by the globs that their names fit."""
    globs = sorted(frozenset().union(*languages))[:_MOST_PATTERNS]
    lead = _SPECIAL.sub(lambda found: f"[{found[0]}]", root.rstrip("/"))
    return [f"{lead}/**/{glob}" for glob in globs]
