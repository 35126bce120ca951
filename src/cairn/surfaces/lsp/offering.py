"""What the server offers an editor: by the settings, and only for files that an index holds.

An editor that takes registrations is told which files each feature is for; to one that doesn't, a feature that is
offered for some language is offered as a whole, and requests about other files are answered with nothing.
"""

import re
from collections.abc import Iterable
from typing import Any

from lsprotocol import types

from cairn.base.values import dataclass
from cairn.surfaces.lsp.session import EditorSession

_SPECIAL = re.compile(r"[\[\]{}*?]")
_MOST_PATTERNS = 200
"""Of one codebase; no editor compares a file with thousands."""


@dataclass(frozen=True, slots=True)
class Offer:
    """A feature as the protocol knows it."""

    feature: str
    """Its name in the settings."""
    method: str
    capability: str
    """The field of what a server can."""
    client: str
    """The field of what an editor can with documents."""
    options: tuple[tuple[str, Any], ...] = ()


_OFFERS = (
    Offer("documentSymbol", types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, "document_symbol_provider", "document_symbol"),
    Offer("definition", types.TEXT_DOCUMENT_DEFINITION, "definition_provider", "definition"),
    Offer("declaration", types.TEXT_DOCUMENT_DECLARATION, "declaration_provider", "declaration"),
    Offer("implementation", types.TEXT_DOCUMENT_IMPLEMENTATION, "implementation_provider", "implementation"),
    Offer("references", types.TEXT_DOCUMENT_REFERENCES, "references_provider", "references"),
    Offer("hover", types.TEXT_DOCUMENT_HOVER, "hover_provider", "hover"),
    Offer(
        "callHierarchy",
        types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY,
        "call_hierarchy_provider",
        "call_hierarchy",
    ),
    Offer(
        "typeHierarchy",
        types.TEXT_DOCUMENT_PREPARE_TYPE_HIERARCHY,
        "type_hierarchy_provider",
        "type_hierarchy",
    ),
    Offer("rename", types.TEXT_DOCUMENT_RENAME, "rename_provider", "rename", (("prepareProvider", True),)),
    Offer("documentLink", types.TEXT_DOCUMENT_DOCUMENT_LINK, "document_link_provider", "document_link"),
)
_FEATURES = {each.method: each.feature for each in _OFFERS} | {
    types.TEXT_DOCUMENT_PREPARE_RENAME: "rename",
    types.TEXT_DOCUMENT_CODE_ACTION: "rename",
    types.WORKSPACE_SYMBOL: "workspaceSymbol",
    types.CALL_HIERARCHY_INCOMING_CALLS: "callHierarchy",
    types.CALL_HIERARCHY_OUTGOING_CALLS: "callHierarchy",
    types.TYPE_HIERARCHY_SUPERTYPES: "typeHierarchy",
    types.TYPE_HIERARCHY_SUBTYPES: "typeHierarchy",
    "cairn/search": "search",
    "cairn/map": "search",
    "cairn/impact": "impact",
}


def narrow(capabilities: types.ServerCapabilities, session: EditorSession, client: types.ClientCapabilities) -> None:
    """Take away what is not offered, and what is to be registered."""
    if not session.settings.offers("workspaceSymbol"):
        capabilities.workspace_symbol_provider = None
    if not session.settings.offers("rename"):
        capabilities.code_action_provider = None  # They are the choices of a rename.
    for offer in _OFFERS:
        if not session.settings.offers(offer.feature) or _registers(client, offer):
            setattr(capabilities, offer.capability, None)


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
    for offer in _OFFERS:
        if not _registers(client, offer):
            continue
        selector = [
            {"scheme": "file", "pattern": pattern}
            for root, languages in held.items()
            for pattern in _patterns(
                session.named(root),
                (globs for language, globs in languages.items() if session.settings.offers(offer.feature, language)),
            )
        ]
        if selector:
            options = {"documentSelector": selector, **dict(offer.options)}
            found.append(types.Registration(f"cairn-{offer.feature}", offer.method, options))
    if held and _can(client, "workspace", "did_change_watched_files"):
        watchers = [
            {"globPattern": pattern}
            for root, languages in held.items()
            for pattern in _patterns(session.named(root), languages.values())
        ]
        method = types.WORKSPACE_DID_CHANGE_WATCHED_FILES
        found.append(types.Registration("cairn-files", method, {"watchers": watchers}))
    if _can(client, "workspace", "did_change_configuration"):
        method = types.WORKSPACE_DID_CHANGE_CONFIGURATION
        found.append(types.Registration("cairn-settings", method, {"section": "cairn"}))
    return found


def _registers(client: types.ClientCapabilities, offer: Offer) -> bool:
    return _can(client, "text_document", offer.client)


def _can(client: types.ClientCapabilities, area: str, name: str) -> bool:
    return bool(getattr(getattr(getattr(client, area, None), name, None), "dynamic_registration", False))


def _patterns(root: str, languages: Iterable[frozenset[str]]) -> list[str]:
    """Globs for the files of some languages beneath a root, by the globs that their names fit."""
    globs = sorted(frozenset().union(*languages))[:_MOST_PATTERNS]
    lead = _SPECIAL.sub(lambda found: f"[{found[0]}]", root.rstrip("/"))
    return [f"{lead}/**/{glob}" for glob in globs]
