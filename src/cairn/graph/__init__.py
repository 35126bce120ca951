"""What is defined where and used where, over one view."""

from cairn.graph.outline import Outline, outline_line, outline_within
from cairn.graph.repomap import MapEntry, RepoMap, repo_map
from cairn.graph.symbols import MAX_PLACES, Definition, Reference, find_definitions, find_references, standing

__all__ = [
    "MAX_PLACES",
    "Definition",
    "MapEntry",
    "Outline",
    "Reference",
    "RepoMap",
    "find_definitions",
    "find_references",
    "outline_line",
    "outline_within",
    "repo_map",
    "standing",
]
