"""Python: all that is known of it."""

from cairn.languages.customs import Customs
from cairn.languages.heads import IN_PARENTHESES, NAME_FIRST, HeadRules
from cairn.languages.naming import Naming
from cairn.languages.python.grammar import GRAMMAR
from cairn.languages.python.imports import bindings
from cairn.languages.python.modules import Python
from cairn.languages.python.scoping import SCOPING
from cairn.languages.python.words import MEMBERS
from cairn.languages.record import Language

LANGUAGE = Language(
    name="python",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Python,
    customs=Customs(
        selves=frozenset({"cls", "self"}),
        parents=frozenset({"super()"}),
        passes_on=True,
        retyped=True,
        front="__init__.",
        members=MEMBERS,
    ),
    heads=HeadRules(
        order=NAME_FIRST, transparent="Optional|Annotated|Final|ClassVar|Type|type", square=True, bases=IN_PARENTHESES
    ),
    naming=Naming(
        values=frozenset({"True", "False", "None", "self", "super"}),
        reserved=frozenset({"print", "exec", "type", "match", "case", "_"}),
        proves_locals=True,
        named_arguments=True,
        lasting=("declared_in_class", "shown", "listed", "mangled", "named_by_itself"),
    ),
    ambiguity="python",
)
