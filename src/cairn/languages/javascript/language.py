"""JavaScript: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.javascript.grammar import GRAMMAR
from cairn.languages.javascript.imports import bindings
from cairn.languages.javascript.modules import JavaScript
from cairn.languages.javascript.scoping import SCOPING
from cairn.languages.javascript.words import LASTING, MEMBERS, OTHER_THIS, RESERVED, VALUES
from cairn.languages.naming import Naming
from cairn.languages.record import Language

LANGUAGE = Language(
    name="javascript",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=JavaScript,
    customs=Customs(
        namespaces=True,
        default_export=True,
        front="index.",
        other_this=OTHER_THIS,
        other_members=OTHER_THIS,
        members=MEMBERS,
    ),
    naming=Naming(
        dollar=True,
        values=VALUES,
        reserved=RESERVED,
        capital_tells=True,
        proves_locals=True,
        corners=("of_an_element",),
        lasting=LASTING,
    ),
    ambiguity="script",
)
