"""TypeScript with JSX."""

from cairn.base.values import replace
from cairn.languages.javascript import JSX
from cairn.languages.typescript import LANGUAGE as TYPESCRIPT
from cairn.languages.typescript import QUERY, grammar

LANGUAGE = replace(
    TYPESCRIPT,
    name="tsx",
    grammar=grammar("language_tsx", QUERY.replace("(type_assertion)", "") + JSX),
    naming=replace(TYPESCRIPT.naming, capital_tells=True),
)
