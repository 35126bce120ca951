"""One question to several codebases."""

from cairn.codebase.several.codebases import Codebases
from cairn.codebase.several.members import bring_up_to_date, known_roots
from cairn.codebase.several.values import DefinitionIn, SeveralDefinitions, SeveralUses

__all__ = [
    "Codebases",
    "DefinitionIn",
    "SeveralDefinitions",
    "SeveralUses",
    "bring_up_to_date",
    "known_roots",
]
