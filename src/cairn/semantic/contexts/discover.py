"""Discovers contexts from file names and a few small manifests: one owner or none for each (path, family)."""

import hashlib
import json
import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import NamedTuple

from cairn.base.values import dataclass
from cairn.semantic.contexts.families import FAMILIES, SKIPPED_FOLDERS, Family, ManifestKind, manifests_named
from cairn.semantic.contexts.listings import extended
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
from cairn.workspace.wildmatch import translate

MOST_BASES = 100
"""How many files of one chain are followed."""

Read = Callable[[str], bytes | None]


def bases_of(path: str, data: bytes | None, read: Read) -> tuple[tuple[str, str], ...]:
    """Every file of the tree that a configuration extends, near and far, with its digest; "" for one that is missing.

    A package that is extended by its name lies outside of what is indexed.
    """
    found: dict[str, str] = {}
    todo = list(_named(path, data))
    while todo and len(found) < MOST_BASES:
        base = todo.pop(0)
        if base not in found and base != path:
            text = read(base)
            found[base] = "" if text is None else hashlib.sha256(text).hexdigest()
            todo += _named(base, text)
    return tuple(sorted(found.items()))


def _named(path: str, data: bytes | None) -> Iterator[str]:
    for name in _parsed(data):
        if name.startswith(("./", "../")):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(path), name))
            if not place.startswith("../"):
                # The ending may be left out.
                yield from (place,) if place.endswith(".json") else (f"{place}.json", place)


def _parsed(data: bytes | None) -> tuple[str, ...]:
    try:
        return extended((data or b"{}").decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return ()


_BRACES = re.compile(r"\{([^{},]*(?:,[^{},]*)+)\}")
_WILD = re.compile(r"[*?\[{]")
_MOST_READINGS = 1_000


def is_wild(pattern: str) -> bool:
    """Whether a pattern may stand for more than one folder."""
    return _WILD.search(pattern) is not None


def lister(root: str, patterns: Iterable[str]) -> Callable[[str], bool]:
    """A test for folders: whether one is among the patterns of a manifest at `root`, and not among its exceptions."""
    wanted, unwanted = _Patterns(), _Patterns()
    for pattern in patterns:
        without = pattern.startswith("!")
        for single in _readings(pattern[without:].replace("\\", "/")):
            for place in (single, single.removesuffix("/**")) if single.endswith("/**") else (single,):
                # The tools look for manifests beneath it, and so find that of the folder itself.
                (unwanted if without else wanted).add(root, place)
    return lambda folder: wanted.match(folder) and not unwanted.match(folder)


class _Patterns:
    """Plain folders and wildcards, relative to the top of the tree; a pattern that leads out matches nothing."""

    def __init__(self) -> None:
        self._plain: set[str] = set()
        self._wild: list[re.Pattern[bytes]] = []

    def add(self, root: str, pattern: str) -> None:
        wild = is_wild(pattern)
        # The folder of the manifest is no pattern, whatever it is called.
        place = posixpath.normpath(posixpath.join(re.sub(r"([*?\[\\])", r"\\\1", root) if wild else root, pattern))
        if place.startswith(("/", "../")) or place == "..":
            return
        if not wild:
            self._plain.add("" if place == "." else place)
        elif (translated := translate(place.encode("utf-8", "surrogatepass"))) is not None:
            self._wild.append(re.compile(translated, re.DOTALL))

    def match(self, folder: str) -> bool:
        name = folder.encode("utf-8", "surrogatepass")
        return folder in self._plain or any(item.fullmatch(name) for item in self._wild)


def _readings(pattern: str) -> list[str]:
    """Every reading of `{a,b}`, up to a bound."""
    found: list[str] = []
    todo = [pattern]
    while todo and len(found) + len(todo) < _MOST_READINGS:
        one = todo.pop()
        match = _BRACES.search(one)
        if match is None:
            found.append(one)
        else:
            todo += [one[: match.start()] + choice + one[match.end() :] for choice in match[1].split(",")]
    return found


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
