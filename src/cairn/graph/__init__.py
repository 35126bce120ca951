"""What is defined where, used where, called by whom and imported by whom, over one view."""

from cairn.graph.calls import BOTH, CALLEES, CALLERS, CallGraph, Limits, Node
from cairn.graph.impact import Impact
from cairn.graph.imports import Imports
from cairn.graph.outline import Outline, outline_line, outline_within
from cairn.graph.references import Reference, References
from cairn.graph.repomap import MapEntry, RepoMap
from cairn.graph.symbols import Definition, find_definitions, standing

__all__ = [
    "BOTH",
    "CALLEES",
    "CALLERS",
    "CallGraph",
    "Definition",
    "Impact",
    "Imports",
    "Limits",
    "MapEntry",
    "Node",
    "Outline",
    "Reference",
    "References",
    "RepoMap",
    "find_definitions",
    "outline_line",
    "outline_within",
    "standing",
]
