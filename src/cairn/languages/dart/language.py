"""Dart: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.dart.grammar import GRAMMAR
from cairn.languages.dart.imports import bindings
from cairn.languages.dart.modules import Dart
from cairn.languages.heads import NAME_LAST, HeadRules
from cairn.languages.members import OBJECT_MEMBERS
from cairn.languages.record import Language

LANGUAGE = Language(
    name="dart",
    grammar=GRAMMAR,
    bindings=bindings,
    modules=Dart,
    customs=Customs(sees_members=True, members=OBJECT_MEMBERS),
    heads=HeadRules(order=NAME_LAST),
)
