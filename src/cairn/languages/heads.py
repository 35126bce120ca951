"""How a language writes the types in the heads of functions, fields and classes."""

from cairn.base.values import dataclass

NAME_FIRST, NAME_LAST = "first", "last"


@dataclass(frozen=True, slots=True)
class Heads:
    """How heads are read."""

    order: str = ""
    """Whether a parameter's name stands before or behind its type; empty where types aren't read."""
    transparent: str = ""
    """Types whose members are those of what they are given, with "|" between them."""
    square: bool = False
    """Whether a type has its arguments in square brackets, which elsewhere make a list or ask for a part."""
    colon: bool = False
    """Whether a colon stands before what a type is derived from."""
