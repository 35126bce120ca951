"""What the interpreter's tables say of a character: the native core asks once for each that it meets."""

import unicodedata

_DEPENDS = "Σ"
"""Its lower case depends on where it stands in a word."""


def described(character: str) -> tuple[bool, bool, str, list[tuple[bool, str]], bool]:
    """Whether it is of a word and whether it is a digit, its lower case, what it decomposes into, and if that is all.

    Of each part but marks: whether it is of a word, and its lower case. That is all to be known unless a part that
    isn't left out may change places with others.
    """
    parts = unicodedata.normalize("NFD", character)
    kept = [part for part in parts if unicodedata.category(part) != "Mn"]
    is_regular = character != _DEPENDS and not any(map(unicodedata.combining, kept))
    plain = [(part.isalnum(), part.lower()) for part in kept]
    return character.isalnum(), character.isdecimal(), character.lower(), plain, is_regular
