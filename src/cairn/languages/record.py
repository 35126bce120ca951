"""All that Cairn knows of one language, as one value."""

from collections.abc import Callable

from cairn.base.values import dataclass
from cairn.languages.customs import Customs
from cairn.languages.grammar import Grammar
from cairn.languages.heads import HeadRules
from cairn.languages.imports import Rule
from cairn.languages.modules.target import ModuleRules
from cairn.languages.modules.tree import Tree
from cairn.languages.naming import Naming
from cairn.languages.scoping import Scoping

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
