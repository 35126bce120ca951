"""Java: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.heads import NAME_LAST, HeadRules
from cairn.languages.imports import last_part
from cairn.languages.java.grammar import GRAMMAR
from cairn.languages.java.scoping import SCOPING
from cairn.languages.java.words import OTHER_THIS
from cairn.languages.members import OBJECT_MEMBERS
from cairn.languages.modules.jvm import Jvm, source_package
from cairn.languages.naming import Naming
from cairn.languages.record import Language

LANGUAGE = Language(
    name="java",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=last_part,
    modules=Jvm,
    customs=Customs(
        sees_members=True,
        sees_package=True,
        package=source_package,
        overloads=True,
        paths_to_names=True,
        uncalled_fields=True,
        other_this=OTHER_THIS,
        other_members=OTHER_THIS,
        members=OBJECT_MEMBERS,
    ),
    heads=HeadRules(order=NAME_LAST),
    naming=Naming(
        dollar=True,
        reserved=frozenset({"goto", "const", "_", "strictfp", "record", "var", "yield", "sealed", "permits"}),
        proves_locals=True,
        corners=("in_a_class", "label", "flowing"),
    ),
)
