"""TypeScript with JSX."""

from cairn.languages.javascript.grammar import JSX
from cairn.languages.javascript.imports import bindings
from cairn.languages.javascript.modules import JavaScript
from cairn.languages.javascript.scoping import SCOPING
from cairn.languages.record import Language
from cairn.languages.typescript import QUERY, grammar

LANGUAGE = Language(
    name="tsx",
    grammar=grammar("language_tsx", QUERY.replace("(type_assertion)", "") + JSX),
    scoping=SCOPING,
    bindings=bindings,
    modules=JavaScript,
)
