"""C: all that is known of it."""

from cairn.languages.c.grammar import GRAMMAR
from cairn.languages.c.scoping import SCOPING
from cairn.languages.c.words import BUILTINS
from cairn.languages.customs import Customs
from cairn.languages.heads import NAME_LAST, HeadRules
from cairn.languages.imports import everything
from cairn.languages.modules.includes import Includes
from cairn.languages.record import Language

LANGUAGE = Language(
    name="c",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Includes,
    customs=Customs(any_file=True, overloads=True, passes_on=True, arrows=True, builtins=BUILTINS),
    heads=HeadRules(order=NAME_LAST),
)
