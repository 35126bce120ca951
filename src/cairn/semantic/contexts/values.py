"""The values that describe contexts, and the tree that they are read from."""

from collections.abc import Iterable
from typing import Protocol

from cairn.base.values import dataclass
from cairn.syntax.trees import StoredTree

AMBIENT, WORKSPACE, PACKAGE = 0, 1, 2
"""The tiers of roots: the whole tree, a workspace, a package."""

VALID, FAILED, EMPTY, DETACHED = "valid", "failed", "empty", "detached"
"""What a probe may find."""


class ContextTree(Protocol):
    """The files that contexts are looked for in; a manifest is only ever read, never run."""

    def paths(self) -> Iterable[str]:
        """Every file, by its path key, in any order."""
        ...

    def read(self, path: str) -> bytes | None:
        """A file's content; None if it can't be read."""
        ...

    def tree(self, path: str) -> StoredTree | None:
        """Its syntax tree; None if no grammar has parsed it."""
        ...


@dataclass(frozen=True, slots=True)
class PackageListing:
    """What a manifest says about the packages beneath it."""

    members: tuple[str, ...] | None = None
    """Patterns of folders from the manifest's own on, those with a `!` before them left out again; None for a manifest
    that says nothing about packages."""
    workspace: bool = False
    """Whether it makes its folder a workspace, whatever tier its name stands for."""
    note: str = ""
    """What can't be known from it without running it."""


@dataclass(frozen=True, slots=True)
class Fault:
    """A manifest that could not be read, or not whole."""

    path: str
    message: str


@dataclass(frozen=True, slots=True)
class Context:
    """Files of one family beneath one root that are understood together."""

    family: str
    root: str
    """Folder from the top of the tree on; empty for the top itself."""
    tier: int
    detached: bool = False
    """A workspace is above it and doesn't list it: its files have no owner."""
    workspace: str | None = None
    """The root of the workspace that decides about it."""
    manifests: tuple[str, ...] = ()
    """The manifests that mark its root."""
    holes: tuple[str, ...] = ()
    """The nearest roots of its family beneath it: not its own."""
    config_hash: str = ""
    """Changes with the manifests of its root and of its workspace, and with what those extend."""

    @property
    def id(self) -> str:
        """The context's stable name: its family and root."""
        return f"{self.family}:{self.root or '.'}"


@dataclass(frozen=True, slots=True)
class Probe:
    """Whether a context's files can be understood at all."""

    status: str
    samples: tuple[str, ...] = ()
    """The files that were parsed."""
    sound: tuple[str, ...] = ()
    """Those among them that could be understood."""


def is_within(path: str, root: str) -> bool:
    """Whether a path is a folder or stands beneath it, by whole segments: `lib2/a` is not within `lib`."""
    return not root or path == root or path.startswith(root + "/")


def folders_of(path: str) -> Iterable[str]:
    """The folders around a path, the nearest first, the top last."""
    while path:
        path = path.rpartition("/")[0]
        yield path
