"""TypeScript with JSX."""

from cairn.languages.customs import Customs
from cairn.languages.heads import NAME_FIRST, HeadRules
from cairn.languages.javascript.grammar import JSX
from cairn.languages.javascript.imports import bindings
from cairn.languages.javascript.modules import JavaScript
from cairn.languages.javascript.scoping import SCOPING
from cairn.languages.javascript.words import LASTING, MEMBERS, OTHER_THIS, RESERVED, VALUES
from cairn.languages.naming import Naming
from cairn.languages.record import Language
from cairn.languages.typescript.language import QUERY, grammar

LANGUAGE = Language(
    name="tsx",
    grammar=grammar("language_tsx", QUERY.replace("(type_assertion)", "") + JSX),
    scoping=SCOPING,
    bindings=bindings,
    modules=JavaScript,
    kin="javascript",
    customs=Customs(namespaces=True, default_export=True, front="index.", other_this=OTHER_THIS, members=MEMBERS),
    heads=HeadRules(order=NAME_FIRST, transparent="Readonly|Partial|Required|NonNullable"),
    naming=Naming(
        dollar=True,
        values=VALUES,
        reserved=RESERVED,
        capital_tells=True,
        proves_locals=True,
        corners=("of_an_element", "listed_in_enum", "types_apart"),
        lasting=LASTING,
    ),
    ambiguity="script",
)
