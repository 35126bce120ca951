"""Whether something may be called so, by the language alone."""

import re
from functools import cache

from cairn.syntax.grammar import load

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_WITH_DOLLAR = re.compile(r"[^\W\d]\w*|[\w$]*\$[\w$]*")
_DOLLAR = frozenset({"javascript", "typescript", "tsx", "php", "java"})
_VALUES = frozenset({"True", "False", "None", "true", "false", "null", "nil", "undefined", "self", "this", "super"})
MAX_NAME = 200


def naming_fault(new: str, old: str, language: str) -> str:
    """Why a name can't be given; empty when it can."""
    if new == old:
        return "it is called so already"
    if len(new) > MAX_NAME:
        return f"it has more than {MAX_NAME} characters"
    form = _WITH_DOLLAR if language in _DOLLAR else _IDENTIFIER
    if form.fullmatch(new) is None or new[:1].isdigit():
        return "it is no identifier"
    if new in keywords(language) or new in _VALUES:
        return f"it is a keyword of {language}"
    return ""


@cache
def keywords(language: str) -> frozenset[str]:
    """The words that a grammar writes out itself."""
    loaded = load(language)
    if loaded is None:
        return frozenset()
    spoken = loaded.parser.language
    kinds = (spoken.node_kind_for_id(number) for number in range(spoken.node_kind_count))
    words = (kind for number, kind in enumerate(kinds) if kind and not spoken.node_kind_is_named(number))
    return frozenset(word for word in words if _IDENTIFIER.fullmatch(word))
