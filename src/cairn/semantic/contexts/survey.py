"""The contexts of a tree, discovered, probed by the syntax of a few files, and ready to tell who owns a file."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping

from cairn.base.values import dataclass, field
from cairn.graph.occurrences import tree_in
from cairn.semantic.contexts.discover import discover
from cairn.semantic.contexts.families import SKIPPED_FOLDERS, families, family_of, manifests_named
from cairn.semantic.contexts.values import (
    DETACHED,
    EMPTY,
    FAILED,
    VALID,
    Context,
    ContextTree,
    Fault,
    Probe,
    folders_of,
    is_within,
)
from cairn.store import SnapshotView
from cairn.syntax import language_of
from cairn.syntax.grammar import grammars
from cairn.syntax.trees import ERROR, StoredTree


def claims(context: Context, path: str, language: str) -> bool:
    """Whether a path is a context's own: it contains it, doesn't exclude it, and includes its language."""
    if context.detached or not is_within(path, context.root) or path == context.root:
        return False
    if any(is_within(path, hole) for hole in context.holes) or not SKIPPED_FOLDERS.isdisjoint(path.split("/")[:-1]):
        return False
    return language in families()[context.family].languages


class Owners:
    """Contexts by root: each (path, family) has one owner or none."""

    def __init__(self, contexts: Iterable[Context]) -> None:
        self._roots = {(context.family, context.root): context for context in contexts}

    def owner_of(self, path: str, language: str | None = None) -> Context | None:
        """The context of the deepest root around a file, of the family of its language."""
        spoken = language or language_of(path)
        family = family_of(spoken)
        if family is None:
            return None
        for folder in folders_of(path):
            context = self._roots.get((family.name, folder))
            if context is not None:
                return context if claims(context, path, spoken) else None
        return None

    def members(self, paths: Iterable[str]) -> dict[str, list[str]]:
        """The files of each context, by its id and in order."""
        found: dict[str, list[str]] = {context.id: [] for context in self._roots.values()}
        for path in paths:
            owner = self.owner_of(path)
            if owner is not None:
                found[owner.id].append(path)
        return {name: sorted(own) for name, own in found.items()}


class Router:
    """Which context answers for a file: only one that was probed and is valid, and none before all are probed."""

    def __init__(self, contexts: Iterable[Context], probes: Mapping[str, Probe]) -> None:
        known = tuple(contexts)
        self._owners = Owners(known)
        self._probes = dict(probes)
        self.ready = all(context.id in self._probes for context in known)

    def route(self, path: str, language: str | None = None) -> Context | None:
        """The context that answers for a file; None if there is none, or not all are probed yet."""
        if not self.ready:
            return None
        owner = self._owners.owner_of(path, language)
        return owner if owner is not None and self._probes[owner.id].status == VALID else None


MAX_SAMPLES = 5
_MAX_LOOKS = 40
"""How many files are opened for samples: blank and huge ones are none."""
_TOLERATED = 0.1
_UNREAL = frozenset({ERROR, "comment", "line_comment", "block_comment"})

TreeOf = Callable[[str], StoredTree | None]
"""The syntax tree of a file; None if no grammar has parsed it."""


def probe(context: Context, files: Iterable[str], tree_of: TreeOf) -> Probe:
    """Look at the syntax of the first files of a context, the shortest path first.

    One file that can be parsed is enough: a broken one may be a test's input, and a context that counts as failed has
    no semantic facts at all.
    """
    if context.detached:
        return Probe(DETACHED)
    samples: list[str] = []
    valid: list[str] = []
    for path, tree in _samples(files, tree_of):
        samples.append(path)
        if _is_understood(context, tree):
            valid.append(path)
    return Probe(VALID if valid else FAILED if samples else EMPTY, tuple(samples), tuple(valid))


def is_valid(context: Context, files: Iterable[str], tree_of: TreeOf) -> bool:
    """Whether a probe would succeed; it stops at the first file that is understood."""
    return not context.detached and any(_is_understood(context, tree) for _, tree in _samples(files, tree_of))


def _is_understood(context: Context, tree: StoredTree) -> bool:
    tolerated = 0.0 if families()[context.family].data else _TOLERATED
    root = tree.root_node
    errors = _errors_in(tree) if root.has_error else 0
    real = any(child.is_named and child.type not in _UNREAL for child in root.children)
    return real and (not errors or errors < len(tree.shapes) * tolerated)


def _samples(files: Iterable[str], tree_of: TreeOf) -> Iterator[tuple[str, StoredTree]]:
    """At most five files with their trees. What has no grammar can't tell anything."""
    known = grammars()
    fit = [path for path in files if language_of(path) in known]
    found = 0
    for path in sorted(fit, key=lambda path: (len(path), path))[:_MAX_LOOKS]:
        tree = tree_of(path)
        if tree is None or not tree.data.strip():
            continue
        yield path, tree
        found += 1
        if found == MAX_SAMPLES:
            return


def _errors_in(tree: StoredTree) -> int:
    """Nodes that are errors: missing ones, and what an ERROR holds directly without making sense of it."""
    count = 0
    for number, shape in enumerate(tree.shapes):
        if shape.kind == ERROR and tree.next[number] > number + 1:
            count += 1 + sum(tree.next[child] == child + 1 for child in tree.below(number))
        elif shape.broken and number:
            count += 1
    return count


class ViewTree:
    """The files of one pinned snapshot, without manifests that were deleted since."""

    def __init__(self, view: SnapshotView, is_there: Callable[[str], bool] = lambda _: True) -> None:
        self._view = view
        paths = (path for path, _, _ in view.rows.contents())
        self._paths = tuple(path for path in paths if not manifests_named(path) or is_there(path))

    def paths(self) -> Iterable[str]:
        return self._paths

    def read(self, path: str) -> bytes | None:
        return self._view.rows.whole_text_of(path)

    def tree(self, path: str) -> StoredTree | None:
        data = self.read(path)
        return tree_in(self._view, path, data) if data is not None else None


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
    probes = {context.id: probe(context, members.get(context.id, ()), tree.tree) for context in found.contexts}
    return Survey(found.contexts, probes, members, dict(sorted(unowned.items())), found.faults)
