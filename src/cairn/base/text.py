"""Text for people and programs: nothing from a repository may act on the terminal it is shown on."""

import json
import unicodedata
from collections.abc import Iterable

# Cc: control; Cf: format, with the bidirectional overrides; Cs: lone surrogates; Zl, Zp: line breaks.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Zl", "Zp"})


def printable(text: str) -> str:
    """The text with every invisible or unsafe character escaped."""
    if text.isascii() and text.isprintable():
        return text
    return "".join(
        character if unicodedata.category(character) not in _UNSAFE else ascii(character)[1:-1] for character in text
    )


def printable_lines(text: str) -> str:
    """The text of a file as a terminal may show it: line breaks and tabs stay, everything else unsafe is escaped."""
    return "\n".join("\t".join(map(printable, line.split("\t"))) for line in text.split("\n"))


def json_text(document: object) -> str:
    """One line of JSON in plain ASCII: valid in every encoding and harmless on every terminal."""
    return json.dumps(document).replace("\x7f", "\\u007f")


def nearest(word: str, known: Iterable[str]) -> str:
    """The known word that is nearest to a mistyped one; empty if none is like it."""
    from difflib import get_close_matches  # only for what is wrong

    return next(iter(get_close_matches(word, list(known), n=1)), "")


def perhaps_meant(name: str, known: Iterable[str]) -> str:
    """A sentence that names the known word which is nearest to a mistyped one, to follow another; empty if none is."""
    near = nearest(name.lower(), known)
    return f" Perhaps {near} is meant." if near else ""


def human_bytes(count: int) -> str:
    """A size in bytes, rounded for people: `1.5 MB`."""
    size = float(count)
    for unit in ("B", "KB", "MB"):
        if size < 1023.95:
            return f"{size:.0f} {unit}" if unit == "B" else f"{size:.1f} {unit}"
        size /= 1024
    return f"{size:.1f} GB"


def plural(count: int, noun: str) -> str:
    """A count with its noun: `1 file`, `1,200 files`."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"
