"""Whether a function binds a name itself, by the words that do so: a bare call of it then means that."""

import re
from functools import lru_cache


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
