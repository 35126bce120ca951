"""Words of code: identifiers, whole and split, as the index and the query both see them."""

import re

_WORD = re.compile(r"[^\W_]+(?:_+[^\W_]+)*|_+[^\W_]+(?:_+[^\W_]+)*")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+|[^\W\d_A-Za-z]+")
MAX_TOKEN_CHARS = 64


def tokens(text: str) -> list[str]:
    """Lower-case tokens in order: each identifier, and after it its parts if it has several."""
    found = []
    for word in _WORD.findall(text):
        whole = word.strip("_").lower()[:MAX_TOKEN_CHARS]
        found.append(whole)
        parts = _PART.findall(word)
        if len(parts) > 1:
            found.extend(part.lower()[:MAX_TOKEN_CHARS] for part in parts)
    return found
