"""Which files a file asks for, and which ask for it."""

from cairn.base.values import dataclass
from cairn.graph.resolve import LIKELY, PROVEN, Resolver


@dataclass(frozen=True, slots=True)
class Imported:
    """One import of a file."""

    source: str
    """As written."""
    line: int
    names: str
    paths: tuple[str, ...]
    """Files that it leads to; empty where it leads out of the tree or nobody knows."""
    tier: str


@dataclass(frozen=True, slots=True)
class Importer:
    """A file that imports another."""

    path: str
    line: int
    tier: str


@dataclass(frozen=True, slots=True)
class Imports:
    """The imports of one file, in both directions."""

    path: str
    outgoing: tuple[Imported, ...]
    incoming: tuple[Importer, ...]

    @property
    def unresolved(self) -> int:
        """Imports that lead to no file of the snapshot: libraries, and what isn't understood."""
        return sum(not item.paths for item in self.outgoing)


def imports_of(resolver: Resolver, path: str) -> Imports:
    """What a file imports, and which files import it."""
    said: dict[tuple[str, int], Imported] = {}
    for edge, target in resolver.files_imported(path):
        key = (edge.target, edge.line)
        tier = (PROVEN if target.certain else LIKELY) if target.paths else ""
        before = said.get(key)
        if before is None:
            said[key] = Imported(edge.target, edge.line, edge.names, target.paths, tier)
        else:
            paths = tuple(dict.fromkeys((*before.paths, *target.paths)))
            said[key] = Imported(edge.target, edge.line, edge.names, paths, before.tier or tier)
    incoming = [Importer(importer, line, tier) for importer, tier, line in sorted(resolver.importers.get(path, ()))]
    return Imports(path, tuple(sorted(said.values(), key=lambda item: (item.line, item.source))), tuple(incoming))
