"""Which files of the snapshot an import means."""

from cairn.graph.modules.modules import Modules
from cairn.graph.modules.target import Target

__all__ = ["Modules", "Target"]
