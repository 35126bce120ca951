"""PHP: all that is known of it."""

from cairn.languages.php.grammar import GRAMMAR
from cairn.languages.record import Language

LANGUAGE = Language("php", GRAMMAR)
