"""Where HEAD is, read again each time it matters.

Two unknown HEADs are never the same. A folder outside of git and a branch without a commit are known states,
which stay the same until that changes.
"""

from cairn.base.errors import CairnError
from cairn.workspace.git import Git

NO_GIT = "no-git"
UNBORN = "unborn"
UNKNOWN = None


def read_head(root: str, *, in_git: bool) -> str | None:
    """The commit, NO_GIT or UNBORN; UNKNOWN where git doesn't answer."""
    if not in_git:
        return NO_GIT
    try:
        return Git(root).head() or UNBORN
    except (CairnError, OSError):
        return UNKNOWN


def same_head(a: str | None, b: str | None) -> bool:
    """Whether two heads are known and equal."""
    return a is not None and a == b
