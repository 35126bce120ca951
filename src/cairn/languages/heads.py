"""How a language writes the types in the heads of functions, fields and classes."""

from cairn.base.values import dataclass

NAME_FIRST, NAME_LAST, UNDIVIDED = "first", "last", "undivided"
"""Where a parameter's name stands: before a colon and its type, behind its type, or before it with no sign between."""
BY_WORDS, IN_PARENTHESES, BEHIND_COLON, BEHIND_ANGLE = "words", "parentheses", "colon", "angle"
"""Where a type's head has what it is derived from: behind words like `extends`, or as the name says."""


@dataclass(frozen=True, slots=True)
class HeadRules:
    """How heads are read."""

    order: str = ""
    """Where a parameter's name stands; empty where types aren't read. Where nothing divides the two, names may share
    a type, and what stands before the name of a function is a parameter too."""
    transparent: str = ""
    """Types whose members are those of what they are given, with "|" between them."""
    square: bool = False
    """Whether a type has its arguments in square brackets, which elsewhere make a list or ask for a part."""
    many_star: bool = False
    """Whether a star behind a type means several values; elsewhere it is a pointer."""
    bases: str = BY_WORDS
    """Where a type's head has what it is derived from."""
