"""Whether a text looks as if it bound a name: by this a file is found worth parsing, or, without rules, judged."""

import re
from functools import lru_cache

from cairn.graph.customs import customs_of

_IMPORTS = re.compile(r"\s*(?:import|from|use|using|package|#\s*include)\b")
_USED = re.compile(r"\s*(?:\??\.|!\.|\(|::|\[)")
_USED_BY_ARROW = re.compile(r"\s*(?:\??\.|!\.|\(|::|\[|->)")
_TYPED = re.compile(r"[\w>*&\]][ \t]+[*&]*$|[*&]$")
_ASSIGNED = re.compile(r"\s*(?:(?:[-+*%&|^@:]|//?|\*\*|<<|>>)?=(?!=)|,[^=\n()]*=(?!=)|[^=()]*[)\]]\s*=(?!=))")
_IN_TARGET = re.compile(r"[^=\n()]*=(?!=)|[^=()]*[)\]]\s*=(?!=)")
_PYTHON = re.compile(
    r"\bas\s*[(\[]?[^)\n]*$|\bfor\s(?:(?!\bin\b)[^:])*$|\blambda\b[^:]*$"
    r"|\b(?:case|global|nonlocal|del)\b[^\n]*$|\b(?:def|class)\s+\w+\s*\[[^\]]*$"
)
_BEFORE = 200
_AFTER = 200


def may_bind(language: str, text: str, name: str) -> bool:
    """Whether a text may bind a name, imports and the parameters of named functions aside; True where in doubt."""
    at = text.find(name)
    while at >= 0:
        end = at + len(name)
        whole = not (text[end : end + 1].isalnum() or text[end : end + 1] == "_")
        before = text[max(0, at - _BEFORE) : at]
        if whole and not before[-1:].isalnum() and before[-1:] not in ("_", "."):
            after = text[end : end + _AFTER]
            if _binds_here(language, before, after):
                return True
        at = text.find(name, end)
    return False


def _binds_here(language: str, before: str, after: str) -> bool:
    if _IMPORTS.match(before[before.rfind("\n") + 1 :]):
        return False
    if language != "python":
        used = (_USED_BY_ARROW if customs_of(language).arrows else _USED).match(after)
        return used is None or (after.lstrip()[:1] in ("(", "[") and _TYPED.search(before) is not None)
    if _USED.match(after):
        return False
    if _ASSIGNED.match(after):
        return True
    follows = before.rstrip().rstrip("*").rstrip()[-1:]
    if follows == "," and _IN_TARGET.match(after):
        return True
    if after.lstrip()[:1] == ":" and not before.rstrip().endswith("except"):
        return True
    return _PYTHON.search(before) is not None


@lru_cache(maxsize=5_000)
def _binding(name: str) -> re.Pattern[str]:
    word = rf"(?<![\w$.]){re.escape(name)}(?![\w$])"
    return re.compile(
        # A statement that assigns, with or without a type before or after the name; `name=1` in a call is none.
        rf"^[ \t]*{word}\s*(?::[^=\n(){{}}]*)?=(?![=>])|[\w>\]*&][ \t]+[*&]*{word}\s*=(?![=>])|{word}\s*:="
        rf"|^[ \t]*\(?[\w ,*\[\]]*{word}\s*,[^=\n(]*=(?!=)|^[ \t]*\(?[\w ,*\[\]]*,\s*\*?{word}[ )\]]*=(?!=)"
        rf"|{word}\s*,[^=\n(]*:=|,\s*{word}[^=\n(]*:="
        rf"|\b(?:for|let|const|var|val|mut|catch|case|lambda|fn)\b[^=\n;]*{word}"
        rf"|\bas\s+{word}|\|[^|\n]*{word}[^|\n]*\||{word}\)?\s*=>|\([^()\n]*{word}[^()\n]*\)\s*=>"
        rf"|\(\s*\*\s*{word}\s*\)\s*\(|{word}\s*->",
        re.MULTILINE,
    )


def binds(text: str, name: str) -> bool:
    """Whether the text of a function, its head aside, looks as if it bound a name."""
    return name in text and _binding(name).search(text) is not None
