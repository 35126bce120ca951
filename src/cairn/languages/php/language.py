"""PHP: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.heads import NAME_LAST, HeadRules
from cairn.languages.naming import Naming
from cairn.languages.php.grammar import GRAMMAR
from cairn.languages.php.imports import bindings
from cairn.languages.php.modules import Php
from cairn.languages.php.scoping import SCOPING
from cairn.languages.php.words import BUILTINS, OTHER_THIS
from cairn.languages.record import Language

LANGUAGE = Language(
    name="php",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Php,
    customs=Customs(
        selves=frozenset({"$this", "self", "static"}),
        parents=frozenset({"parent"}),
        any_file=True,
        overloads=True,
        paths_to_names=True,
        passes_on=True,
        retyped=True,
        arrows=True,
        joint="\\",
        other_this=OTHER_THIS,
        other_members=OTHER_THIS,
        builtins=BUILTINS,
    ),
    heads=HeadRules(order=NAME_LAST),
    naming=Naming(dollar=True),
)
