"""Whether a language allows a name."""

import re
import unicodedata
from functools import cache

from cairn.languages.registry import record_of
from cairn.syntax.grammar import load

_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_WITH_DOLLAR = re.compile(r"[^\W\d]\w*|[\w$]*\$[\w$]*")
MAX_NAME = 200


def naming_fault(new: str, old: str, language: str) -> str:
    """Why a name is not allowed; empty if it is."""
    if new == old:
        return "it is called so already"
    if len(new) > MAX_NAME:
        return f"it has more than {MAX_NAME} characters"
    naming = record_of(language).naming
    form = _WITH_DOLLAR if naming.dollar else _IDENTIFIER
    if form.fullmatch(new) is None or new[:1].isdigit():
        return "it is no identifier"
    if new in keywords(language) or new in naming.values:
        return f"it is a keyword of {language}"
    if new in naming.reserved:
        return f"{language} gives it a meaning"
    if language == "python" and unicodedata.normalize("NFKC", new) != new:
        return f"Python reads it as {unicodedata.normalize('NFKC', new)}"
    if language == "python" and new.startswith("__"):
        return "Python gives names that begin with two underscores a meaning"
    if (
        language == "python"
        and new.startswith("_")
        and new.endswith("_")
        and not (old.startswith("_") and old.endswith("_"))
    ):
        return "names between underscores have a meaning to enumerations"
    if new.lower().startswith("test") and not old.lower().startswith("test"):
        return "test runners look for names that begin so"
    if naming.capital_tells and old[:1].isupper() != new[:1].isupper():
        return "the first letter tells components from elements of a page"
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
