"""What a language lets things be called, and what may ask for them by name."""

from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Naming:
    """What a rename has to know."""

    dollar: bool = False
    """Whether a new name may have a dollar in it."""
    dollar_found: bool = False
    """Whether a dollar beside a name belongs to it, though no new name should have one."""
    values: frozenset[str] = frozenset({"true", "false", "null", "nil", "self", "this", "super"})
    """Words that are values: no names, though a grammar may not write them out."""
    reserved: frozenset[str] = frozenset()
    """Names that have a meaning of their own."""
    capital_tells: bool = False
    """Whether the first letter tells components from elements of a page."""
    proves_locals: bool = False
    """Whether nothing but code can name a local variable; elsewhere macros, formats or templates can."""
    named_arguments: bool = False
    """Whether a caller may name a parameter."""
    corners: tuple[str, ...] = ()
    """Rules of `edit.corners` in which one scope doesn't prove what a name means, though an index might."""
    lasting: tuple[str, ...] = ()
    """Rules of `edit.corners` that no index could decide either."""
