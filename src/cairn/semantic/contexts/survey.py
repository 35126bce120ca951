"""Everything about the contexts of a tree, in one walk: discovered, probed, and ready to route."""

from collections import Counter
from collections.abc import Mapping

from cairn.base.values import dataclass, field
from cairn.semantic.contexts.discover import discover
from cairn.semantic.contexts.families import family_of
from cairn.semantic.contexts.owners import Owners, Router
from cairn.semantic.contexts.probe import probe_all
from cairn.semantic.contexts.values import Context, ContextTree, Fault, Probe
from cairn.syntax import language_of


@dataclass(frozen=True, slots=True)
class Survey:
    """The contexts of a tree with their probes, their files and the faults of their manifests."""

    contexts: tuple[Context, ...]
    probes: dict[str, Probe]
    members: dict[str, list[str]]
    """The files of each context, by its id."""
    unowned: dict[str, int]
    """How many files of each family have no owner."""
    faults: tuple[Fault, ...] = ()
    states: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    """How many files of each context have each freshness, by its id; empty if nobody asked."""

    def router(self) -> Router:
        """A router over these contexts."""
        return Router(self.contexts, self.probes)


def survey(tree: ContextTree) -> Survey:
    """Discover and probe the contexts of a tree."""
    found = discover(tree)
    paths = list(tree.paths())
    members = Owners(found.contexts).members(paths)
    owned = {path for files in members.values() for path in files}
    families = (family_of(language_of(path)) for path in paths if path not in owned)
    unowned = Counter(family.name for family in families if family is not None)
    probes = probe_all(found.contexts, members, tree.read)
    return Survey(found.contexts, probes, members, dict(sorted(unowned.items())), found.faults)
