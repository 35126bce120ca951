"""What a language lets a name mean: whose members it may be, which files it sees, what one calls oneself."""

import re
from collections.abc import Callable

from cairn.base.values import dataclass
from cairn.languages.members import MEMBERS
from cairn.languages.modules.tree import parent


@dataclass(frozen=True, slots=True)
class Customs:
    """The customs of one language."""

    selves: frozenset[str] = frozenset({"this"})
    """Words for the value whose member one is in."""
    parents: frozenset[str] = frozenset({"super"})
    """Words for that value as what its type is derived from."""
    sees_members: bool = False
    """Whether a bare name may be a member of the type around it."""
    sees_package: bool = False
    """Whether the files of a package see each other's top."""
    package: Callable[[str], str] = parent
    """What the paths of such files share."""
    clause: re.Pattern[str] | None = None
    """Where such a file says which package of its folder it is of; the folder may hold several."""
    tests: str = ""
    """How the paths of such files end that only tests of their package see."""
    any_file: bool = False
    """Whether a bare name may come from a file that isn't named."""
    any_member: bool = False
    """Whether it may be a member there, and needn't stand at the top."""
    scattered: bool = False
    """Whether the members of a type may stand in several files."""
    reopened: bool = False
    """Whether several files may write the head of one type."""
    overloads: bool = False
    """Whether several functions of one name may stand in one place: overloads, impls, conditions. Elsewhere they are
    signatures and clauses of one function."""
    paths_to_names: bool = False
    """Whether imports name a definition and not a file."""
    joint: str = "."
    """What stands between the parts of such a path."""
    stem: Callable[[str], str] = str
    """The part of an import's source that all it asks for share."""
    passes_on: bool = False
    """Whether importing everything also gives what was imported there."""
    default_export: bool = False
    """Whether a file may offer one thing as its whole, and others under names of its own."""
    front: str = ""
    """How the name of a file begins that stands for its folder."""
    namespaces: bool = False
    """Whether the names of a module inside of a file hide those around it."""
    macros_apart: bool = False
    """Whether macros are called in a way of their own, so that none is mistaken for a function."""
    template_heads: bool = False
    """Whether type parameters may stand on lines before a head."""
    uncalled_fields: bool = False
    """Whether `x.f()` never means a field."""
    retyped: bool = False
    """Whether a parameter may be given a value of another type than its head says."""
    arrows: bool = False
    """Whether `x->f` asks for a member."""
    other_this: re.Pattern[str] | None = None
    """What may have a `this` of its own."""
    other_members: re.Pattern[str] | None = None
    """What may have members that come before those around it."""
    class_side: re.Pattern[str] | None = None
    """The head of a method of a class itself, where a bare name sees those and methods of its values apart."""
    mixed_sides: re.Pattern[str] | None = None
    """What makes methods of a class itself whose heads don't say so."""
    builtins: frozenset[str] = frozenset()
    """Functions that need no import: a call of one says nothing about a file that defines the name."""
    members: frozenset[str] = MEMBERS
    """Members that a value of any type may well have: a call of one says nothing about who defines the name."""
