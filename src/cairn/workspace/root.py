"""The canonical root of a tree and the identity of its store."""

import hashlib
import os
import re
import sys

from cairn.base.errors import RootNotFoundError, RootRefusedError, UsageError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass
from cairn.config.user import cairn_home
from cairn.workspace import git
from cairn.workspace.pathkey import display, quoted


@dataclass(frozen=True, slots=True)
class Root:
    """A canonical root: a real path without a trailing separator."""

    path: str
    requested: str
    """The real path that was asked for: the root itself or something beneath it."""
    in_git: bool


def find_root(path: str) -> Root:
    """The git top-level that holds `path`, else `path` itself; senseless roots are refused."""
    if not path or "\0" in path:
        raise UsageError("A path can't be empty or contain a NUL character.", hint="Give the path of a folder.")
    if sys.getfilesystemencoding().lower().replace("-", "") != "utf8":
        raise UsageError(
            f"Python reads file names as {sys.getfilesystemencoding()} here; Cairn needs UTF-8.",
            hint="Set LC_ALL=C.UTF-8 or PYTHONUTF8=1 and try again.",
        )
    try:
        requested = os.path.realpath(path)
    except OSError as error:
        raise RootNotFoundError(f"The path {quoted(path)} can't be resolved: {error.strerror}.") from error
    if not os.path.exists(requested):
        raise RootNotFoundError(f"The path {quoted(path)} doesn't exist.")
    if not os.path.isdir(requested):
        raise UsageError(
            f"{quoted(path)} is a file; an index covers a folder.",
            hint=f"Give its folder: {display(os.path.dirname(requested))}",
        )
    _refuse_senseless(requested, path)
    if not os.access(requested, os.R_OK | os.X_OK):
        raise RootNotFoundError(
            f"The folder {quoted(path)} can't be opened: Permission denied.", hint=f"Run `ls -ld {display(requested)}`."
        )
    found = git.top_level(requested)
    root = os.path.realpath(found) if found is not None else requested
    if requested != root and not requested.startswith(root.rstrip("/") + "/"):
        # `core.worktree` can name any folder: a repository must not point Cairn at another one.
        raise RootRefusedError(
            f"Git says that {quoted(path)} belongs to the work tree {quoted(root)}, which doesn't hold it.",
            hint=Advice("If you mean that folder itself, ", NextStep("preview_folder", root), "."),
        )
    if root != requested:
        _refuse_senseless(root, path)
    return Root(root, requested, in_git=found is not None and git.is_installed(root))


def store_id(root: str, config_fingerprint: str) -> str:
    """`<name>__<hash of the root>__<index fingerprint>`: two worktrees never share a store."""
    name = re.sub(r"[^A-Za-z0-9._-]+", "-", os.path.basename(root)).strip("-.")[:40] or "root"
    root_hash = hashlib.sha256(os.fsencode(root)).hexdigest()[:16]
    return f"{name}__{root_hash}__{config_fingerprint[:16]}"


def _refuse_senseless(root: str, asked: str) -> None:
    home = os.path.realpath(os.path.expanduser("~"))
    store = cairn_home()
    if root == "/":
        what = "the root of the file system"
    elif root == home:
        what = "your home folder"
    elif root == store or root.startswith(store + "/"):
        what = "Cairn's own home"
    else:
        return
    if root == os.path.realpath(asked):
        raise RootRefusedError(f"{quoted(asked)} is {what}, which is never indexed.")
    raise RootRefusedError(
        f"{quoted(asked)} belongs to the git repository at {quoted(root)}, which is {what} and never indexed.",
        hint="Run `git init` in the project folder to make it a root of its own.",
    )
