"""What an index of a tree takes in, and what the tree's rules leave out where that is nearly everything."""

from __future__ import annotations

import os
from collections import Counter
from typing import TYPE_CHECKING

from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.workspace.detector import ChangeDetector, Detection
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.entries import TreeScan
from cairn.workspace.root import Root, find_root

if TYPE_CHECKING:
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


SHARE = 10
"""Less than one in so many files that lie there is little."""
_MOST = 200_000
_MOST_RULES = 5


def tree_notes(root: str, detection: Detection) -> tuple[Note, ...]:
    """What one should know of a tree that is indexed, whatever becomes of its files."""
    scan, git = detection.scan, detection.git
    unknown = (Note("git_missing"),) if git is not None and git.dirty is None else ()
    return (*unknown, *scan.notes, *_little(root, scan))


def _little(root: str, scan: TreeScan) -> tuple[Note, ...]:
    """Which rules leave out how many files, where nothing or less than a tenth of what lies there counts."""
    by_rule: Counter[str] = Counter()
    for skip in scan.skips:
        by_rule[_rule(skip)] += _files_of(root, skip.path, _MOST - by_rule.total())
    left_out, counted = by_rule.total(), len(scan.files)
    if not left_out or SHARE * counted >= counted + left_out:
        return ()
    rules = [{"rule": rule, "files": files} for rule, files in by_rule.most_common(_MOST_RULES)]
    return (Note("little_indexed", {"indexed": counted, "left_out": left_out, "rules": rules, "count": len(by_rule)}),)


def _rule(skip: Skip) -> str:
    """The rule as its file spells it, or the reason where no rule is to blame."""
    return skip.detail if skip.reason is SkipReason.IGNORED and skip.detail else skip.reason.value


def _files_of(root: str, path: str, most: int) -> int:
    """How many files a skip stands for; a folder stands for all beneath it, of which about `most` are counted."""
    if not path.endswith("/"):
        return 1
    found = 0
    for _, _, names in os.walk(os.path.join(root, path)):
        found += len(names)
        if found >= most:
            break
    return found
