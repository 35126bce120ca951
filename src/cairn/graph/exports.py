"""Names under which a file of JavaScript offers what it calls otherwise: `export { y as x }`."""

import re

_EXPORTED = re.compile(r"^[ \t]*export\s*(?:type\s*)?\{(?P<names>[^{}]*)\}(?!\s*from\b)", re.MULTILINE)
_RENAMED = re.compile(r"\s*(?:type\s+)?([\w$]+)\s+as\s+([\w$]+)\s*")
_COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def renamed_exports(text: str) -> dict[str, str]:
    """What a file calls its exports, by the other names that it gives them."""
    found: dict[str, str] = {}
    for statement in _EXPORTED.finditer(text):
        for part in _COMMENT.sub(" ", statement["names"]).split(","):
            pair = _RENAMED.fullmatch(part)
            if pair is not None and pair[1] != pair[2]:
                found[pair[2]] = pair[1]
    return found
