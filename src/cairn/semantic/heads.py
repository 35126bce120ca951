"""Where HEAD stands, read anew each time it matters.

Not knowing is no place: two unknown HEADs are never the same. A folder outside of git and a branch without a
commit are known to be what they are, and stay so until that changes.
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
    return a is not None and a == b
