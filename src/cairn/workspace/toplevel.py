"""The top of a work tree, read from the file system where git would surely say the same: a child process costs more.

Only what is plain is decided here: nothing but ordinary folders on the way up, a repository of the user's own, and a
configuration that says nothing about where its work tree is. For all else git is asked.
"""

import os
import re
import stat
from collections.abc import Mapping

from cairn.base.environment import is_handed_on

_HEAD = re.compile(rb"ref: refs/\S+\n|[0-9a-f]{40}\n")
_OPEN = re.compile(rb"(?i)worktree|include|extensions|bare(?!\s*=\s*false\s)|formatversion(?!\s*=\s*0\s)")
"""What may move the work tree, or make it no work tree; `bare` and the version are written by every `git init`."""
_OF_OTHER_THINGS = (
    "GIT_AUTHOR_", "GIT_COMMITTER_", "GIT_HTTP_", "GIT_LFS_", "GIT_PS1_", "GIT_SSL_", "GIT_TERMINAL_PROMPT",
)  # fmt: skip
"""Variables that have no say in where a work tree is."""
_MOST_BYTES = 65_536


def plain_top_level(folder: str, environ: Mapping[str, str]) -> str | None:
    """The work tree that holds a folder, by its real path; None where only git can tell."""
    steering = [name for name in environ if name.startswith("GIT_") and not name.startswith(_OF_OTHER_THINGS)]
    if any(map(is_handed_on, steering)):
        return None
    try:
        device = os.lstat(folder).st_dev
        while not os.path.lexists(os.path.join(folder, ".git")):
            parent = os.path.dirname(folder)
            # A folder with a HEAD may be a bare repository, and git stops at the border of a file system.
            if parent == folder or os.path.lexists(os.path.join(folder, "HEAD")) or os.lstat(parent).st_dev != device:
                return None
            folder = parent
        return folder if _is_plain(folder, os.path.join(folder, ".git")) else None
    except (OSError, UnicodeError):
        return None


def _is_plain(top: str, git: str) -> bool:
    """Whether `.git` is a repository of this user's own, or the link of a further work tree to one."""
    said = os.lstat(git)
    places = {top, git}
    if stat.S_ISREG(said.st_mode):
        git = os.path.join(top, os.fsdecode(_read(git).removeprefix(b"gitdir: ").removesuffix(b"\n")))
        places.add(git)
    elif not stat.S_ISDIR(said.st_mode):
        return False
    common = git
    if os.path.lexists(place := os.path.join(git, "commondir")):
        common = os.path.join(git, os.fsdecode(_read(place).removesuffix(b"\n")))
    return (
        all(os.stat(place).st_uid == os.geteuid() for place in places)
        and _HEAD.fullmatch(_read(os.path.join(git, "HEAD"))) is not None
        and all(os.access(os.path.join(common, name, ""), os.X_OK) for name in ("objects", "refs"))
        and _OPEN.search(_read(os.path.join(common, "config")) + b"\n") is None
    )


def _read(path: str) -> bytes:
    """A small file; OSError for what is none."""
    fd = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(fd).st_mode):
            raise OSError(f"{path} is no file")
        data = os.read(fd, _MOST_BYTES)
        if len(data) == _MOST_BYTES:
            raise OSError(f"{path} is too long")
        return data
    finally:
        os.close(fd)
