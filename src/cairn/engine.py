"""The coordinator that every surface calls: it connects the parts and decides nothing itself."""

from dataclasses import dataclass

from cairn.workspace import ChangeDetector, Detection, Root, find_root
from cairn.workspace.scan import Progress


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """What `index` would take in and leave out."""

    root: Root
    detection: Detection


def plan_index(path: str, progress: Progress | None = None) -> IndexPlan:
    """Look at a tree without writing anything."""
    root = find_root(path)
    with ChangeDetector(root, hashing=False) as detector:
        return IndexPlan(root, detector.detect(progress=progress))
