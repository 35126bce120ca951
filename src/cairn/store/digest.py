"""The canonical hash and size of an artifact, file or folder."""

import hashlib
import os

from cairn.base.ownfile import unfollowed
from cairn.base.values import dataclass

_BLOCK = 1 << 20
# Tantivy leaves its lock files behind and makes them anew when it opens an index.
VOLATILE = frozenset({".tantivy-writer.lock", ".tantivy-meta.lock"})


@dataclass(frozen=True, slots=True)
class Digest:
    """The size and the hash of an artifact."""

    size_bytes: int
    sha256: str


def digest_file(path: str) -> Digest:
    """The digest of one file."""
    hasher = hashlib.sha256()
    size = 0
    with open(path, "rb", buffering=0, opener=unfollowed) as file:
        while block := file.read(_BLOCK):
            hasher.update(block)
            size += len(block)
    return Digest(size, hasher.hexdigest())


def combine(parts: dict[str, Digest]) -> Digest:
    """A folder's digest: sha256 over its files' (relative path, size, sha256), sorted by path."""
    hasher = hashlib.sha256()
    for name in sorted(parts, key=os.fsencode):
        part = parts[name]
        hasher.update(f"{name}\0{part.size_bytes}\0{part.sha256}\n".encode())
    return Digest(sum(part.size_bytes for part in parts.values()), hasher.hexdigest())


def digest_folder(path: str) -> Digest:
    """The digest of all files beneath a folder."""
    return combine({name: digest_file(os.path.join(path, name)) for name in files_beneath(path)})


def files_beneath(path: str) -> list[str]:
    """Relative names of all files that count towards a folder's digest."""
    return [name for name in names_beneath(path) if not is_volatile(name)]


def volatile_beneath(path: str) -> list[str]:
    """Relative names of those that don't."""
    return [name for name in names_beneath(path) if is_volatile(name)]


def is_volatile(name: str) -> bool:
    """Whether a file doesn't count towards the digest of its folder."""
    return os.path.basename(name) in VOLATILE


def names_beneath(path: str) -> list[str]:
    """Relative names of all that isn't a folder, and of folders that aren't where they should: links, and locks."""
    found = []
    for folder, folders, names in os.walk(path):
        names += [name for name in folders if is_volatile(name) or os.path.islink(os.path.join(folder, name))]
        inside = os.path.relpath(folder, path)
        found += [name if inside == "." else f"{inside}/{name}" for name in names]
    return found
