"""What an index of a tree would take in and leave out."""

from cairn.base.values import dataclass
from cairn.workspace.detector import ChangeDetector, Detection
from cairn.workspace.root import Root, find_root
from cairn.workspace.scan import Progress


@dataclass(frozen=True, slots=True)
class IndexPlan:
    """A root, and what a scan of it found."""

    root: Root
    detection: Detection


def plan_index(path: str, progress: Progress | None = None) -> IndexPlan:
    """Scan a tree without writing anything."""
    root = find_root(path)
    with ChangeDetector(root, hashing=False) as detector:
        return IndexPlan(root, detector.detect(progress=progress))
