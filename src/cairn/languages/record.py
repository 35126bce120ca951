"""All that Cairn knows of one language, as one value."""

import re
from collections.abc import Callable, Sequence

from cairn.base.values import dataclass
from cairn.languages.grammar import Grammar
from cairn.languages.imports import Rule
from cairn.languages.modules.tree import ModuleRules, Tree, parent
from cairn.languages.scoping import Scoping

_OTHERS = (
    "add all any append as_mut as_ref as_str at begin clear clone close cmp collect contains copy count data "
    "default deref drop each each_with_index empty end eq err error expect extend filter find first flush fmt "
    "format from get hash insert inspect into is_empty is_none is_some iter join keys last len length lines lock "
    "map max merge min name new next nil? ok open parse pop print printf push push_back read remove replace reset "
    "resize run select send size sleep sort split start stop str string sub sum swap take to_a to_h to_i to_s "
    "to_string to_sym trim unlock unwrap update values write"
)
_OBJECTS = (
    "add addAll append apply charAt clear close compareTo contains containsKey entrySet equals filter find first "
    "forEach format get getClass getKey getName getOrDefault getValue hashCode hasNext indexOf isEmpty iterator "
    "join keySet last length let map matches name next of open ordinal parse put putAll print println read remove "
    "replace run set size sort split start stream stop substring test toList toString trim use valueOf values "
    "write"
)

MEMBERS = frozenset(_OTHERS.split())
OBJECT_MEMBERS = frozenset(_OBJECTS.split())
"""In languages whose libraries are like Java's."""


@dataclass(frozen=True, slots=True)
class Customs:
    """The customs of one language."""

    selves: frozenset[str] = frozenset({"this"})
    """Words for the value whose member one is in."""
    parents: frozenset[str] = frozenset({"super"})
    """Words for that value as what its type is derived from."""
    makers: frozenset[str] = frozenset()
    """Words that stand for the type around them, or its base, where they are called: they make values of it."""
    sees_members: bool = False
    """Whether a bare name may be a member of the type around it."""
    constructors: frozenset[str] = frozenset()
    """What constructors are called, where their grammar tells them by their names alone."""
    explained: bool = False
    """Whether a file says where all of its names come from, so that a bare one that it doesn't explain is a library's
    or the language's own."""
    values_apart: bool = False
    """Whether what is asked of a value is never a thing of the top: no module or namespace is a value."""
    types_apart: bool = False
    """Whether a type is asked of packages and namespaces alone, whatever variables are called like these."""
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
    structural: bool = False
    """Whether whatever has the methods of an interface is of it, so that what a type embeds is no base of it."""
    scattered: bool = False
    """Whether the members of a type may stand in several files."""
    reopened: bool = False
    """Whether several files may write the head of one type."""
    spread: str = ""
    """Where names are seen that stand in braces but have no scope of their own: "top", or "around" these."""
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
    of_package: "Callable[[str, str, Callable[[], str], Sequence[str]], bool] | None" = None
    """Where an import may name a definition whose file is called otherwise: whether one is what a path of names means,
    by its file, its qualified name and what the file says."""
    merged: bool = False
    """Whether types of one name in one place are one: an interface that is written twice, a class with a namespace."""
    pieces: re.Pattern[str] | None = None
    """In the heads of definitions that are one with others of their name; None where no word says so."""
    stubs: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """How names of files end that only declare, and how those beside them do that define the same."""
    keyed_by_values: bool = False
    """Whether what is written before a colon in a literal may be a value: of a map, as well as a field's name."""
    decorators: bool = False
    """Whether what stands with an `@` before a definition is called with it."""
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
    statics_apart: bool = False
    """Whether a class and its values may each have a member of one name."""
    class_side: re.Pattern[str] | None = None
    """The head of a method of a class itself, where a bare name sees those and methods of its values apart."""
    mixed_sides: re.Pattern[str] | None = None
    """What makes methods of a class itself whose heads don't say so."""
    builtins: frozenset[str] = frozenset()
    """Functions that need no import: a call of one says nothing about a file that defines the name."""
    apart: re.Pattern[str] | None = None
    """The head of a block of members apart from their type; `promise` is there where it says what they are to be."""
    protocols: frozenset[str] = frozenset()
    """Members that the language's own library asks of any value that has them: nothing else here need use them."""
    members: frozenset[str] = MEMBERS
    """Members that a value of any type may well have: a call of one says nothing about who defines the name."""


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
    awaited: str = ""
    """Types whose values one waits for, or looks whether they are there, before anything is asked of what they hold."""
    awaited_own: frozenset[str] = frozenset()
    """What values of those types have themselves: chains don't say whether it is asked of them or of what they hold."""
    passing: frozenset[str] = frozenset()
    """Methods that give what they are asked of, or what that holds."""
    returns_said: bool = False
    """Whether a head that names no result gives none."""
    closed_values: bool = False
    """Whether nothing can be added to the members of what the language itself has."""
    called_values: bool = True
    """Whether a value may be called; elsewhere what looks so is the value."""
    square: bool = False
    """Whether a type has its arguments in square brackets, which elsewhere make a list or ask for a part."""
    many_star: bool = False
    """Whether a star behind a type means several values; elsewhere it is a pointer."""
    bases: str = BY_WORDS
    """Where a type's head has what it is derived from."""
    joins: re.Pattern[str] | None = None
    """What else says it, as `bases`, of the `type` that it names, else of that around it."""


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
    capital_exports: bool = False
    """Whether the first letter tells what other packages see."""
    proves_locals: bool = False
    """Whether nothing but code can name a local variable; elsewhere macros, formats or templates can."""
    named_arguments: bool = False
    """Whether a caller may name a parameter."""
    corners: tuple[str, ...] = ()
    """Rules of `edit.corners` in which one scope doesn't prove what a name means, though an index might."""
    lasting: tuple[str, ...] = ()
    """Rules of `edit.corners` that no index could decide either."""


CODE, SCRIPT, DATA, PROSE = "code", "script", "data", "prose"
"""Scripts and data may name something of the code; prose is for people."""


@dataclass(frozen=True, slots=True)
class Language:
    """One language; what it doesn't say of itself is as in most languages."""

    name: str
    grammar: Grammar | None = None
    """How it is parsed; None where its files are only divided into lines."""
    scoping: Scoping | None = None
    """Where its names are bound; None where a place alone doesn't tell what a name means."""
    bindings: Rule | None = None
    """What an import binds; None where it gives no names."""
    modules: Callable[[Tree], ModuleRules] | None = None
    """Which files an import means, over one tree; languages that share the maker share what it makes."""
    kin: str = ""
    """The language whose names it calls as its own, and whose family it is of."""
    content: str = CODE
    """What its files hold."""
    customs: Customs = Customs()
    heads: HeadRules = HeadRules()
    naming: Naming = Naming()
    ambiguity: str = ""
    """The rules of `semantic.ambiguity` by which files are flagged; empty where they can't be."""

    @property
    def family(self) -> str:
        """Languages that call each other's names."""
        return self.kin or self.name
