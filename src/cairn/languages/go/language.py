"""Go: all that is known of it."""

import re

from cairn.languages.customs import Customs
from cairn.languages.go.grammar import GRAMMAR
from cairn.languages.go.imports import bindings
from cairn.languages.go.modules import TESTS, Go
from cairn.languages.go.scoping import SCOPING
from cairn.languages.heads import UNDIVIDED, HeadRules
from cairn.languages.naming import Naming
from cairn.languages.record import Language

_CLAUSE = re.compile(r"(?:\s+|//[^\n]*|/\*.*?\*/)*package\s+(\w+)", re.DOTALL)

LANGUAGE = Language(
    name="go",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Go,
    customs=Customs(
        selves=frozenset(),
        parents=frozenset(),
        sees_package=True,
        clause=_CLAUSE,
        tests=TESTS,
        scattered=True,
        overloads=True,
    ),
    heads=HeadRules(order=UNDIVIDED, square=True),
    naming=Naming(
        reserved=frozenset({"_", "init", "main", "iota"}), proves_locals=True, corners=("body_of_a_function", "keyed")
    ),
)
