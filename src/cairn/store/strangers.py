"""What lies in a store where a folder or a control file of its own belongs: a link, a pipe, another's file.

Artifacts are judged with their digests, and staging counts for nothing yet.
"""

import os

from cairn.base.ownfile import ASIDE, fault_at, folder_fault, set_aside
from cairn.store.layout import FOLDERS, Layout

_FILES = frozenset({"ACTIVE_SNAPSHOT", "index_state.json", "engine.json"})
_HOLDING = ("", "locks", "cache", "logs")
"""The folders whose files are control files."""


def strangers(layout: Layout) -> dict[str, str]:
    """What is wrong with each of them, by its name within the store."""
    found = {name: folder_fault(os.path.join(layout.path, name)) for name in FOLDERS}
    for folder in _HOLDING:
        if not found.get(folder):
            found |= {name: fault_at(os.path.join(layout.path, name)) for name in _files_in(layout, folder)}
    if not found["snapshots"]:
        for name in _listed(layout.snapshots):
            inside, manifest = f"snapshots/{name}", f"snapshots/{name}/manifest.json"
            found[inside] = folder_fault(layout.snapshot(name))
            found[manifest] = "" if found[inside] else fault_at(layout.manifest(name))
    return {name: said for name, said in sorted(found.items()) if said}


def set_strangers_aside(layout: Layout) -> tuple[str, ...]:
    """Move them out of the way; the names under which they are kept."""
    kept = [set_aside(os.path.join(layout.path, name)) for name in strangers(layout)]
    layout.make_missing_folders()
    return tuple(os.path.relpath(path, layout.path) for path in kept if path)


def _files_in(layout: Layout, folder: str) -> list[str]:
    """Files that Cairn alone makes: whatever else lies in the store's own folder is none of its concern."""
    names = _listed(os.path.join(layout.path, folder))
    if not folder:
        return [name for name in names if name in _FILES]
    return [f"{folder}/{name}" for name in names if ASIDE not in name]


def _listed(folder: str) -> list[str]:
    try:
        names = os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [name for name in names if ASIDE not in name]
