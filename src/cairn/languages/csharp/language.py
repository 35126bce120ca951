"""C#: all that is known of it."""

from cairn.languages.csharp.grammar import GRAMMAR
from cairn.languages.csharp.imports import bindings
from cairn.languages.csharp.modules import CSharp
from cairn.languages.csharp.scoping import SCOPING
from cairn.languages.record import Language

LANGUAGE = Language(
    name="csharp",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=CSharp,
)
