"""Ruby: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.heads import BEHIND_ANGLE, HeadRules
from cairn.languages.imports import everything
from cairn.languages.record import Language
from cairn.languages.ruby.grammar import GRAMMAR
from cairn.languages.ruby.modules import Ruby
from cairn.languages.ruby.scoping import SCOPING
from cairn.languages.ruby.words import BUILTINS, CLASS_SIDE, MIXED_SIDES

LANGUAGE = Language(
    name="ruby",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Ruby,
    customs=Customs(
        selves=frozenset({"self"}),
        sees_members=True,
        any_file=True,
        any_member=True,
        scattered=True,
        reopened=True,
        overloads=True,
        passes_on=True,
        class_side=CLASS_SIDE,
        mixed_sides=MIXED_SIDES,
        builtins=BUILTINS,
    ),
    heads=HeadRules(bases=BEHIND_ANGLE),
)
