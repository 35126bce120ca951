"""The tree as it is: its root, its files, what they hold and what changed."""

from cairn.config.user import cairn_home
from cairn.workspace.beneath import Beneath
from cairn.workspace.changes import ChangeSet, compare
from cairn.workspace.detector import Baseline, ChangeDetector, Detection, read_config
from cairn.workspace.eligibility import Skip, SkipReason, eligible_content, largest_size
from cairn.workspace.entries import FileEntry, ScanFailure, TreeScan, blocking_collisions, require_no_collisions
from cairn.workspace.git import Basis, GitState, Worktree, shared_store_notes
from cairn.workspace.leftout import tree_notes
from cairn.workspace.livefiles import file_state, out_of_sight, read_now, real_key, unreadable
from cairn.workspace.pathfilter import path_matcher
from cairn.workspace.pathkey import Collision, display, fold, key_beneath, path_key
from cairn.workspace.plan import IndexPlan, plan_index
from cairn.workspace.reads import FileRead, NotRegularError, TooLargeError, read_stable
from cairn.workspace.root import Root, find_root, store_id
from cairn.workspace.scan import without_collections
from cairn.workspace.secrets import is_private_key, require_no_secret
from cairn.workspace.watch import Hint, HintReason, watch

__all__ = [
    "Baseline",
    "Basis",
    "Beneath",
    "ChangeDetector",
    "ChangeSet",
    "Collision",
    "Detection",
    "FileEntry",
    "FileRead",
    "GitState",
    "Hint",
    "HintReason",
    "IndexPlan",
    "NotRegularError",
    "Root",
    "ScanFailure",
    "Skip",
    "SkipReason",
    "TooLargeError",
    "TreeScan",
    "Worktree",
    "blocking_collisions",
    "cairn_home",
    "compare",
    "display",
    "eligible_content",
    "file_state",
    "find_root",
    "fold",
    "is_private_key",
    "key_beneath",
    "largest_size",
    "out_of_sight",
    "path_key",
    "path_matcher",
    "plan_index",
    "read_config",
    "read_now",
    "read_stable",
    "real_key",
    "require_no_collisions",
    "require_no_secret",
    "shared_store_notes",
    "store_id",
    "tree_notes",
    "unreadable",
    "watch",
    "without_collections",
]
