"""Swift: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.heads import BEHIND_COLON, NAME_FIRST, HeadRules
from cairn.languages.imports import everything
from cairn.languages.members import OBJECT_MEMBERS
from cairn.languages.record import Language
from cairn.languages.swift.grammar import GRAMMAR
from cairn.languages.swift.modules import Swift
from cairn.languages.swift.scoping import SCOPING
from cairn.languages.swift.words import BUILTINS

LANGUAGE = Language(
    name="swift",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Swift,
    customs=Customs(
        selves=frozenset({"Self", "self"}),
        sees_members=True,
        sees_package=True,
        any_file=True,
        scattered=True,
        reopened=True,
        overloads=True,
        builtins=BUILTINS,
        members=OBJECT_MEMBERS,
    ),
    heads=HeadRules(order=NAME_FIRST, transparent="Optional", bases=BEHIND_COLON),
)
