"""What is defined where and used where, over one view."""

from cairn.graph.repomap import MapEntry, RepoMap, repo_map
from cairn.graph.symbols import MAX_PLACES, Definition, Reference, find_definitions, find_references

__all__ = [
    "MAX_PLACES",
    "Definition",
    "MapEntry",
    "Reference",
    "RepoMap",
    "find_definitions",
    "find_references",
    "repo_map",
]
