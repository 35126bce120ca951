"""How a language binds names.

A binder is a node, and the field of it, that binds the name found there (through patterns and
declarators). Where it binds is one of:

    block      the nearest scope of any kind outside of the binder
    function   the nearest function
    own        the binder itself is the scope
    types      as block, but what is bound is a type parameter: local even in a class
    assigned   the nearest function that is no comprehension (Python's :=)
    declared   as block, or function where the declaration is said with `var` (JavaScript)
"""

from cairn.base.values import dataclass, field

Binders = dict[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Scoping:
    """The rules of one language; a binder's field is "" for a child that is in none."""

    functions: frozenset[str]
    blocks: frozenset[str] = frozenset()
    spaces: frozenset[str] = frozenset()
    """Classes, modules, namespaces: what they bind is no local name."""
    binders: Binders = field(default_factory=dict)
    bodies: dict[str, frozenset[str]] = field(default_factory=dict)
    """Fields that stand inside of a function or class; all do where it isn't said."""
    outside: frozenset[tuple[str, str]] = frozenset()
    """Parts of a parameter or clause that are evaluated outside of the function."""
    prototypes: frozenset[str] = frozenset()
    """Heads of functions that are scopes of their own unless a body follows (C)."""
    opaque: frozenset[str] = frozenset()
    """Functions from which the variables of those around them can't be seen."""
    members_seen_within: bool = False
    """Whether a bare name in a method may be a member of its class."""
    called_apart: bool = False
    """Whether what is called is never a variable, so that no variable hides it."""
    hoisted: bool = False
    """Whether a name means the same before its declaration as after it."""
    constants_in_patterns: bool = False
    """Whether a capitalised name in a pattern is a constant and binds nothing (Rust)."""
    variables: str = ""
    """The node that marks a variable, where all variables of a function are local (PHP)."""
    templates: bool = False
    """Whether a `$name` in a string is code that the grammar leaves a text (Kotlin)."""
    cut_at: dict[str, str] = field(default_factory=dict)
    """Fields of a scope before which what its condition binds ends."""


def words(text: str) -> frozenset[str]:
    """The words of a text, as a set."""
    return frozenset(text.split())


def binders(**places: str) -> Binders:
    """`block="node.field node"` and so on."""
    found: Binders = {}
    for where, nodes in places.items():
        for node in nodes.split():
            kind, _, name = node.partition(".")
            found[(kind, name)] = where
    return found


NONE = Scoping(functions=frozenset())
