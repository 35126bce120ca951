"""Discovers contexts from file names and a few small manifests: one owner or none for each (path, family)."""

import hashlib
import json
from collections.abc import Mapping
from typing import NamedTuple

from cairn.base.values import dataclass
from cairn.semantic.contexts.extending import MOST_BASES, bases_of
from cairn.semantic.contexts.families import FAMILIES, SKIPPED_FOLDERS, Family, ManifestKind, manifests_named
from cairn.semantic.contexts.members import is_wild, lister
from cairn.semantic.contexts.values import (
    AMBIENT,
    PACKAGE,
    WORKSPACE,
    Context,
    ContextTree,
    Fault,
    PackageListing,
    folders_of,
)

MAX_MANIFEST_BYTES = 500_000
MAX_PATTERNS = 500
_RULES = 2
"""To be raised when older facts must not be mixed with new ones."""


class _Marker(NamedTuple):
    path: str
    tier: int
    weak: bool
    listing: PackageListing
    digest: str
    bases: tuple[tuple[str, str], ...] = ()
    """What it extends, by path and digest."""


_Roots = Mapping[str, list[_Marker]]
"""The markers of one family, by the root that they mark."""


@dataclass(frozen=True, slots=True)
class Discovery:
    """The contexts of a tree, by family and root, and the manifests that could not be read whole."""

    contexts: tuple[Context, ...]
    faults: tuple[Fault, ...] = ()


def discover(tree: ContextTree) -> Discovery:
    """The contexts of a tree; the order of its paths doesn't matter."""
    faults: dict[str, Fault] = {}
    roots: dict[str, dict[str, list[_Marker]]] = {}
    manifests = [(path, marks) for path in tree.paths() if (marks := manifests_named(path))]
    for path, marks in sorted(manifests, key=lambda item: item[0]):
        if not SKIPPED_FOLDERS.isdisjoint(path.split("/")[:-1]):
            continue
        data = tree.read(path)
        for family, item in marks:
            marker, problem = _marker(path, item, data)
            if item.extends:
                marker = marker._replace(bases=bases_of(path, data, tree.read))
                if len(marker.bases) == MOST_BASES:
                    problem = problem or f"of what it extends only {MOST_BASES} files are looked at"
            roots.setdefault(family.name, {}).setdefault(item.root_of(path), []).append(marker)
            if problem:
                faults[path] = Fault(path, problem)
    contexts: list[Context] = []
    for family in sorted(FAMILIES, key=lambda family: family.name):
        if family.ambient:
            contexts.append(Context(family.name, "", AMBIENT, config_hash=_config_hash(family.name, [])))
        else:
            contexts += _settled(family, roots.get(family.name, {}))
    return Discovery(tuple(contexts), tuple(faults.values()))


def _marker(path: str, item: ManifestKind, data: bytes | None) -> tuple[_Marker, str]:
    """A manifest, and what is wrong with it. One that can't be read still marks its root, and lists nothing."""
    listing, problem = PackageListing(), ""
    if item.tells:
        try:
            listing = item.read(_text(data))
            if len([each for each in listing.members or () if is_wild(each)]) > MAX_PATTERNS:
                raise ValueError(f"it has more than {MAX_PATTERNS} patterns")
        except (ValueError, RecursionError) as error:
            problem = str(error) or type(error).__name__
            listing = PackageListing()
            if item.tier == WORKSPACE:
                # A workspace whose list is not known must not be taken for one that has none.
                listing = PackageListing(())
    tier = WORKSPACE if listing.workspace else item.tier
    digest = "" if data is None else hashlib.sha256(data).hexdigest()
    return _Marker(path, tier, item.weak, listing, digest), problem or listing.note


def _text(data: bytes | None) -> str:
    if data is None:
        raise ValueError("its content can't be had")
    if len(data) > MAX_MANIFEST_BYTES:
        raise ValueError(f"it has more than {MAX_MANIFEST_BYTES:,} bytes")
    return data.decode("utf-8-sig")


def _settled(family: Family, marked: _Roots) -> list[Context]:
    """Workspaces decide first, then packages; each root is cut out of the one above it."""
    roots = _without_needless(marked)
    workspaces = {root for root in roots if any(marker.tier == WORKSPACE for marker in roots[root])}
    deciders = {root: next((above for above in folders_of(root) if above in workspaces), None) for root in roots}
    attached = {root for root in roots if root in workspaces or deciders[root] is None}
    beneath: dict[str, set[str]] = {}
    for root, decider in deciders.items():
        if decider is not None and root not in workspaces:
            beneath.setdefault(decider, set()).add(root)
    for workspace, packages in beneath.items():
        attached |= _listed(family, workspace, packages, roots)
    holes: dict[str, list[str]] = {root: [] for root in roots}
    for root in sorted(roots):
        outer = next((above for above in folders_of(root) if above in roots), None)
        if outer is not None:
            holes[outer].append(root)
    return [
        Context(
            family=family.name,
            root=root,
            tier=WORKSPACE if root in workspaces else PACKAGE,
            detached=root not in attached,
            workspace=root if root in workspaces else deciders[root],
            manifests=tuple(marker.path for marker in roots[root]),
            holes=tuple(holes[root]),
            config_hash=_config_hash(family.name, roots[root] + _markers_of(deciders[root], roots)),
        )
        for root in sorted(roots)
    ]


def _without_needless(marked: _Roots) -> _Roots:
    """The roots, except those that only a weak manifest marks and that have another root above them."""
    kept: dict[str, list[_Marker]] = {}
    strong = {root for root, markers in marked.items() if not all(marker.weak for marker in markers)}
    for root in sorted(marked, key=lambda root: (root.count("/") + bool(root), root)):
        if root in strong or not any(above in kept or above in strong for above in folders_of(root)):
            kept[root] = marked[root]
    return kept


def _listed(family: Family, workspace: str, packages: set[str], roots: _Roots) -> set[str]:
    """Which of the packages beneath a workspace belong to it; all of them where it lists none."""
    said = [marker.listing.members for marker in roots[workspace]]
    if all(members is None for members in said):
        return packages
    # A package that the workspace excludes stays out, even if another package names it.
    refused = lister(workspace, [item[1:] for members in said for item in members or () if item.startswith("!")])
    found: set[str] = set()
    todo = [workspace]
    while todo:
        at = todo.pop()
        lists = lister(at, [item for marker in roots[at] for item in marker.listing.members or ()])
        fresh = {root for root in packages - found if lists(root) and not refused(root)}
        found |= fresh
        todo += fresh if family.bring else ()
    return found


def _markers_of(root: str | None, roots: _Roots) -> list[_Marker]:
    return roots[root] if root is not None else []


def _config_hash(family: str, markers: list[_Marker]) -> str:
    files = {each for marker in markers for each in ((marker.path, marker.digest), *marker.bases)}
    said = [_RULES, family, *sorted(files)]
    return hashlib.sha256(json.dumps(said, separators=(",", ":")).encode()).hexdigest()
