"""How a language is parsed.


The query is tree-sitter's own pattern language. Its captures mean:

    @definition.KIND   a definition; KIND is one of facts.SYMBOL_KINDS
    @name              its name (of a definition, a scope or a call)
    @container         the name of what it belongs to, where that is not around it (Go's receivers)
    @doc               a doc comment that stands inside it (Python's docstrings)
    @scope             something that names what is in it without being a definition (Rust's impl)
    @call              a call; @name is what is called
    @import            an import; @source is what is asked for (several are the parts of one path)
    @body              its body, where that is no field or child of the definition's own node
    @exported          a name that is exported elsewhere than where it is defined (JavaScript's export lists)
    @hides, @shows     from here on, what stands beside it is private, or public again (Ruby, C++)
    @attribute         what stands above a definition and belongs to it (Rust's attributes)
    @comment           a comment: those right above a definition are its doc comment
"""

import re
from collections.abc import Callable

from cairn.base.values import dataclass

Exported = Callable[[str, str], bool]
"""(name, head of the definition) -> whether other files can use it."""


def always(_name: str, _head: str) -> bool:
    """Everything is exported."""
    return True


def without_underscore(name: str, _head: str) -> bool:
    """What doesn't start with an underscore is exported, and so are names like `__init__`."""
    return not name.startswith("_") or (name.startswith("__") and name.endswith("__"))


def upper_case(name: str, _head: str) -> bool:
    """What starts with a capital letter is exported."""
    return name[:1].isupper()


def said(*words: str) -> Exported:
    """Exported when the head holds one of some words."""
    pattern = re.compile(r"\b(?:" + "|".join(words) + r")\b")
    return lambda _name, head: pattern.search(head) is not None


def unless_said(*words: str) -> Exported:
    """Exported unless the head holds one of some words."""
    pattern = re.compile(r"\b(?:" + "|".join(words) + r")\b")
    return lambda _name, head: pattern.search(head) is None


@dataclass(frozen=True, slots=True)
class Grammar:
    """The tree-sitter grammar of a language, and what is asked of its trees."""

    identity: str
    """The wheel and its pinned version, as pip spells them: part of the fingerprint, checked before the first parse.
    The wheel's module has its name, with underscores."""
    query: str
    function: str = "language"
    """The function of the module that gives the grammar."""
    wrappers: frozenset[str] = frozenset()
    """Nodes around a definition that belong to it: decorators, export statements, templates."""
    bodies: frozenset[str] = frozenset({"body"})
    """Fields or kinds of children of a definition that hold its body: the head before it is the signature."""
    exported: Exported = always
    clauses: bool = False
    """Whether definitions of one name that follow each other are one: a signature and its equations."""
    mends: tuple[tuple[re.Pattern[bytes], bytes], ...] = ()
    """What the language allows and the grammar can't read, each with as many bytes that it reads instead."""
    reserved: frozenset[str] = frozenset()
    """Words that are no names, whatever a broken text looks like."""
