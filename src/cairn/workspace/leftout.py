"""What an index of a tree takes in, and what the tree's rules leave out where that is nearly everything."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.workspace.detector import ChangeDetector, Detection
from cairn.workspace.eligibility import Skip, SkipReason
from cairn.workspace.entries import TreeScan
from cairn.workspace.root import Root, find_root
from cairn.workspace.wildmatch import within_matcher

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


def left_out(root: Root, places: Sequence[str]) -> tuple[Note, ...]:
    """Of places beneath a root, those of which no file counts: each with the rule or the reason."""
    with ChangeDetector(root, hashing=False) as detector:
        scan = detector.detect().scan
    return tuple(
        Note("left_out", {"path": place, "rule": _why(scan, place)})
        for place in places
        if not any(map(within_matcher((place,)), (entry.key for entry in scan.files)))
    )


def _why(scan: TreeScan, place: str) -> str:
    """Why nothing of a place counts: by what leaves it out, a folder around it, or most of what lies in it."""
    around = [skip for skip in scan.skips if f"{place}/".startswith(f"{skip.path.rstrip('/')}/")]
    rules = Counter(_rule(skip) for skip in around or scan.skips if around or skip.path.startswith(f"{place}/"))
    found = next((rule for rule, _ in rules.most_common(1)), "")
    return _IN_WORDS.get(found, found)


SHARE = 10
"""Less than one in so many files that lie there is little."""
_MOST = 200_000
_MOST_RULES = 5
_IN_WORDS = {each.value: each.value.replace("_", " ") for each in SkipReason} | {SkipReason.ENCODING.value: "not UTF-8"}


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
