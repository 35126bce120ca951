"""PHP: all that is known of it."""

from cairn.languages.php.grammar import GRAMMAR
from cairn.languages.php.imports import bindings
from cairn.languages.php.modules import Php
from cairn.languages.php.scoping import SCOPING
from cairn.languages.record import Language

LANGUAGE = Language(
    name="php",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Php,
)
