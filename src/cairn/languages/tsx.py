"""TypeScript with JSX."""

from cairn.languages.javascript.grammar import JSX
from cairn.languages.record import Language
from cairn.languages.typescript import QUERY, grammar

LANGUAGE = Language("tsx", grammar("language_tsx", QUERY.replace("(type_assertion)", "") + JSX))
