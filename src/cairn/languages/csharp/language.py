"""C#: all that is known of it."""

from cairn.languages.csharp.grammar import GRAMMAR
from cairn.languages.csharp.imports import bindings
from cairn.languages.csharp.modules import CSharp
from cairn.languages.csharp.scoping import SCOPING
from cairn.languages.customs import Customs
from cairn.languages.heads import BEHIND_COLON, NAME_LAST, HeadRules
from cairn.languages.members import OBJECT_MEMBERS
from cairn.languages.record import Language

LANGUAGE = Language(
    name="csharp",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=CSharp,
    customs=Customs(
        parents=frozenset({"base"}),
        sees_members=True,
        any_file=True,
        scattered=True,
        reopened=True,
        overloads=True,
        paths_to_names=True,
        members=OBJECT_MEMBERS,
    ),
    heads=HeadRules(order=NAME_LAST, bases=BEHIND_COLON),
)
