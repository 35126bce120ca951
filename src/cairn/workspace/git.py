"""What git knows about a tree: its top-level, its head, what is tracked, what a commit changed.

Git is asked by its command line, NUL-delimited, without a shell, without taking locks and without
running anything that a repository's configuration names. Another git process that is in the way
is waited for within bounds.
"""

from __future__ import annotations

import os
import re
import shlex
import time
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.environment import ChildEnvironment, child_environment, finds_program
from cairn.base.errors import (
    CairnError,
    DeadlineError,
    GitBusyError,
    GitError,
    RootNotFoundError,
    RootRefusedError,
    UsageError,
)
from cairn.base.notes import Note
from cairn.base.values import dataclass
from cairn.workspace.deltas import Basis, CommittedDelta, Delta, deltas_in
from cairn.workspace.gitfolders import dot_git_above
from cairn.workspace.pathkey import quoted
from cairn.workspace.toplevel import plain_top_level

if TYPE_CHECKING:
    import subprocess
else:
    subprocess = lazy.module("subprocess")  # most questions ask git nothing

ATTEMPTS = 6
FIRST_PAUSE_S = 0.02
TIMEOUT_S = 60.0

_SAFE = (
    "-c", "core.fsmonitor=false",
    "-c", "core.hooksPath=/dev/null",
    "-c", "core.pager=cat",
    "-c", "core.quotePath=false",
    # The program that checks signatures is named by settings too.
    "-c", "log.showSignature=false",
)  # fmt: skip
_HEAD = b"# branch.oid "
_DUBIOUS = lazy.expression(r"dubious ownership in repository at '(.*)'$", re.MULTILINE)
_BUSY = (b"index.lock", b".lock': File exists", b"Another git process", b"unable to lock", b"cannot lock ref")


@dataclass(frozen=True, slots=True)
class GitState:
    """The commit and branch that a snapshot was made from."""

    head: str | None
    dirty: bool | None
    """None where nobody can tell: there is a repository, but no git to ask."""
    untracked_included: bool


def shared_store_notes(state: GitState | None) -> tuple[Note, ...]:
    """What others should know about a snapshot that is published to a store they share."""
    if state is None or not state.dirty:
        return ()
    return (Note("uncommitted_shared", {"untracked": state.untracked_included}),)


@dataclass(frozen=True, slots=True)
class GitStatus:
    """The result of `git status`."""

    head: str | None
    has_changes: bool


@dataclass(frozen=True, slots=True)
class Worktree:
    """A work tree of a repository, whether its folder is still there or not."""

    root: str
    head: str | None


def top_level(folder: str) -> str | None:
    """The work tree that holds a folder, or None outside of any repository."""
    if not is_installed(folder):
        return dot_git_above(folder)
    plain = plain_top_level(folder, os.environ)
    if plain is not None:
        return plain
    result = _run(folder, "rev-parse", "--show-toplevel")
    if result.returncode == 0:
        return os.fsdecode(result.stdout.removesuffix(b"\n"))
    message = result.stderr.decode("utf-8", "replace").strip()
    if "not a git repository" in message:
        return None
    foreign = _DUBIOUS.search(message)
    if foreign is not None:
        raise RootRefusedError(
            f"Git refuses {quoted(foreign[1])} because another user owns it.",
            hint=f"If you trust it: git config --global --add safe.directory {shlex.quote(foreign[1])}",
        )
    if "must be run in a work tree" in message:
        raise RootRefusedError(
            f"{quoted(folder)} is a bare repository or lies inside .git: it has no files to index.",
            hint="Give the path of a work tree, or make one with `git worktree add`.",
        )
    if not os.path.isdir(folder):
        raise RootNotFoundError(f"The folder {quoted(folder)} is not there any more.")
    raise GitError(f"git rev-parse failed in {quoted(folder)}: {_one_line(message)}.")


def top_level_or_none(folder: str) -> str | None:
    """As `top_level`, for a tree that works without git too."""
    try:
        found = top_level(folder)
    except CairnError:
        return None
    return os.path.realpath(found) if found is not None and is_installed(folder) else None


def is_installed(folder: str) -> bool:
    """Whether there is a `git` program on PATH for the tree that holds a folder."""
    return finds_program("git", _trees(folder), os.environ)


_LOOKED_BACK = 5_000
"""Commits among which those of a file are looked for: a history may be as long as that of Linux."""


class Git:
    """A work tree's git; every answer is fresh."""

    def __init__(self, root: str) -> None:
        self.root = root

    def head(self) -> str | None:
        """The commit that HEAD names; None while the branch is unborn."""
        result = _run(self.root, "rev-parse", "--verify", "--quiet", "HEAD^{commit}")
        if result.returncode == 0:
            return result.stdout.decode().strip()
        if result.returncode != 1:
            raise self._failed("rev-parse HEAD", result)
        named = _run(self.root, "rev-parse", "--verify", "--quiet", "HEAD")
        if named.returncode == 0:
            raise GitError(
                f"HEAD of {quoted(self.root)} names {named.stdout.decode().strip()[:12]}, which is not there.",
                hint="The repository is damaged: see `git fsck`.",
            )
        return None

    def status(self, paths: Sequence[str] = ()) -> GitStatus:
        """The head, and whether a tracked file differs from it, in the work tree or in the index.

        Of some raw `paths` alone, whether one of them does or is not tracked. Submodules are not entered: git would do
        that by a process under their own configuration.
        """
        question = ("--literal-pathspecs", "status", "--porcelain=v2", "--branch", "--no-ahead-behind", "-z")
        extent = ("--untracked-files=all", "--", *paths) if paths else ("--untracked-files=no",)
        result = _run(self.root, *question, "--ignore-submodules=dirty", *extent, settings=self._without_filters())
        if result.returncode != 0:
            raise self._failed("status", result)
        lines = [line for line in result.stdout.split(b"\0") if line]
        head = next((line.removeprefix(_HEAD).decode() for line in lines if line.startswith(_HEAD)), "")
        # For an unborn branch git prints words in place of a commit.
        return GitStatus(None if head == "(initial)" else head, any(not line.startswith(b"# ") for line in lines))

    def _without_filters(self) -> dict[str, str]:
        """Settings that switch every content filter off: they are commands, and a repository may name them."""
        listed = _run(self.root, "config", "-z", "--name-only", "--get-regexp", r"^filter\..*\.(clean|smudge|process)$")
        names = [name.decode("utf-8", "surrogateescape") for name in listed.stdout.split(b"\0") if name]
        drivers = {name.rpartition(".")[0] for name in names}
        return dict.fromkeys(names, "") | {f"{driver}.required": "false" for driver in drivers}

    def tracked(self) -> frozenset[str]:
        """Raw paths of all tracked files, those of checked-out submodules included."""
        return _paths(self.ask("ls-files", "-z", "--cached", "--recurse-submodules"))

    def worktrees(self) -> tuple[Worktree, ...]:
        """Every work tree of this repository, its own included; a bare repository is none."""
        found = []
        for record in self.ask("worktree", "list", "--porcelain", "-z").split(b"\0\0"):
            fields = dict(field.partition(b" ")[::2] for field in record.split(b"\0") if field)
            if b"worktree" in fields and b"bare" not in fields:
                root = os.path.realpath(os.fsdecode(fields[b"worktree"]))
                head = fields.get(b"HEAD", b"").decode()
                # For an unborn branch git prints zeros.
                found.append(Worktree(root, head if head.strip("0") else None))
        return tuple(found)

    def committed_delta(self, last: str | None, head: str | None) -> CommittedDelta:
        """Which paths may differ because HEAD moved from one commit to another.

        When the old head is no ancestor of the new one, both sides of their merge base count:
        a file that only the old branch had changed goes back to its former content.
        """
        if last is None or head is None:
            return CommittedDelta(Basis.FULL_SCAN)
        if last == head:
            return CommittedDelta(Basis.SAME_HEAD)
        base = self.merge_base(last, head)
        if base is None:
            return CommittedDelta(Basis.FULL_SCAN)
        try:
            changed = self._changed(base, head)
            if base == last:
                return CommittedDelta(Basis.DIFF, changed)
            return CommittedDelta(Basis.MERGE_BASE, changed | self._changed(base, last))
        except GitError:
            # In a shallow, partial or damaged repository only the files themselves can tell.
            return CommittedDelta(Basis.FULL_SCAN)

    def commit_of(self, revision: str) -> str:
        """The commit that a revision names; UsageError where it names none."""
        question = ("rev-parse", "--verify", "--end-of-options", f"{revision}^{{commit}}")
        # No argument of a process can hold a NUL.
        result = None if "\0" in revision else _run(self.root, *question)
        # `^name` is understood too, as what to leave out.
        if result is None or result.returncode != 0 or result.stdout.startswith(b"^"):
            if result is not None and b"is ambiguous" in result.stderr:
                raise UsageError(f"Several commits begin with {quoted(revision)}.", hint="Give more of the id.")
            is_shallow = self.ask("rev-parse", "--is-shallow-repository") == b"true\n"
            more = " This clone is shallow: `git fetch --unshallow` brings what came before." if is_shallow else ""
            raise UsageError(
                f"There is no revision {quoted(revision)} here.", hint=f"Name a commit, branch or tag.{more}"
            )
        return result.stdout.decode().strip()

    def changed_since(self, commit: str) -> frozenset[str]:
        """Raw paths beneath the root of tracked files that differ from a commit now."""
        return _paths(self._diff("--name-only", "--no-renames", commit))

    def merge_base(self, one: str, other: str) -> str | None:
        """The last commit that two have in common; None if they have none, or the history at hand is too short."""
        result = _run(self.root, "merge-base", one, other)
        return result.stdout.decode().strip() if result.returncode == 0 else None

    def deltas(self, commit: str, end: str | None = None) -> list[Delta]:
        """Which tracked files differ between a commit and another one, or the tree; those that were renamed as such."""
        commits = (commit,) if end is None else (commit, end)
        return deltas_in(self._diff("--raw", "--numstat", "--abbrev=40", "--find-renames", *commits))

    def _diff(self, *arguments: str) -> bytes:
        safe = ("-z", "--no-ext-diff", "--no-textconv", "--relative", "--ignore-submodules=all")
        return self.ask("diff", *safe, *arguments, "--", unfiltered=True)

    def untracked(self) -> frozenset[str]:
        """Raw paths beneath the root of files that are neither tracked nor ignored."""
        found = _paths(self.ask("ls-files", "-z", "--others", "--exclude-standard"))
        # A repository inside of this one is told as a folder.
        return frozenset(path for path in found if not path.endswith("/"))

    def blob(self, commit: str, path: str) -> bytes | None:
        """A file beneath the root as a commit has it; None if it has none."""
        result = _run(self.root, "cat-file", "blob", f"{commit}:./{path}")
        return result.stdout if result.returncode == 0 else None

    def blamed(self, path: str, data: bytes) -> bytes:
        """What `git blame` says of a file beneath the root, as if it held this text."""
        question = ("-c", "blame.ignoreRevsFile=", "--literal-pathspecs", "blame", "--porcelain", "--no-textconv")
        return self.ask(*question, "--contents", "-", "--", path, given=data, unfiltered=True)

    def commits_of(self, paths: Sequence[str], most: int = 100) -> list[frozenset[str]]:
        """What the last commits that changed one of some files changed in all, as raw paths beneath the root."""
        if self.head() is None or not paths:
            return []
        oldest = self.ask("rev-list", f"--max-count={_LOOKED_BACK}", "HEAD").split()[-1].decode()
        names = ("--no-merges", "--format=%x01", "--name-only", "-z", "--no-renames", "--full-diff", "--relative")
        named = (f":(literal){path}" for path in paths)
        said = self.ask("log", f"--max-count={most}", *names, f"{oldest}..HEAD", "--", *named)
        return [_paths(each.removeprefix(b"\0\n")) for each in said.split(b"\x01")[1:]]

    def _changed(self, old: str, new: str) -> frozenset[str]:
        fields = self.ask(
            "diff", "--name-status", "-z", "--no-renames", "--no-ext-diff", "--no-textconv", old, new, "--"
        ).split(b"\0")
        return frozenset(os.fsdecode(path) for path in fields[1::2] if path)

    def ask(self, *arguments: str, given: bytes = b"", unfiltered: bool = False, wait_s: float = TIMEOUT_S) -> bytes:
        """What git says, with content filters or without them; GitError where it fails."""
        settings = self._without_filters() if unfiltered else None
        result = _run(self.root, *arguments, settings=settings, given=given, wait_s=wait_s)
        if result.returncode != 0:
            raise self._failed(" ".join(arguments[:2]), result)
        return result.stdout

    def _failed(self, what: str, result: subprocess.CompletedProcess[bytes]) -> CairnError:
        if not os.path.isdir(self.root):
            return RootNotFoundError(f"The folder {quoted(self.root)} is not there any more.")
        message = result.stderr.decode("utf-8", "replace").strip() or f"exit status {result.returncode}"
        return GitError(f"git {what} failed in {quoted(self.root)}: {_one_line(message)}.")


def _run(
    folder: str,
    *arguments: str,
    settings: Mapping[str, str] | None = None,
    given: bytes = b"",
    wait_s: float = TIMEOUT_S,
) -> subprocess.CompletedProcess[bytes]:
    environment = _environment(folder, settings or {})
    command = ("git", *_SAFE, "-C", folder, *arguments)
    for attempt in range(ATTEMPTS):
        if attempt:
            time.sleep(FIRST_PAUSE_S * 2 ** (attempt - 1))
        result = _run_once(command, environment, given, wait_s)
        if result.returncode == 0 or not any(sign in result.stderr for sign in _BUSY):
            return result
    message = _one_line(result.stderr.decode("utf-8", "replace"))
    raise GitBusyError(f"git stayed busy in {quoted(folder)}: {message}.", retry_after_ms=1000)


def _environment(folder: str, settings: Mapping[str, str]) -> ChildEnvironment:
    environment = child_environment(_trees(folder))
    environment |= {
        "LC_ALL": "C",
        # Without optional locks `git status` never writes to .git, so it never gets in anybody's way.
        "GIT_OPTIONAL_LOCKS": "0",
        "GIT_TERMINAL_PROMPT": "0",
        # A partial clone would fetch what it lacks: no question of ours is worth contacting a host.
        "GIT_NO_LAZY_FETCH": "1",
        "GIT_ALLOW_PROTOCOL": "none",
    }
    # Unlike `-c name=value`, these can carry any name.
    counted = environment.get("GIT_CONFIG_COUNT") or "0"
    # Git itself tells the user about a count that is no number.
    first = int(counted) if counted.isdecimal() and counted.isascii() else 0
    for number, (name, value) in enumerate(settings.items(), start=first):
        environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
    if settings and counted.isdecimal():
        environment["GIT_CONFIG_COUNT"] = str(first + len(settings))
    return environment


def _trees(folder: str) -> tuple[str, ...]:
    """The tree that holds a folder, as the file system tells it: git itself can't be asked before it runs."""
    top = dot_git_above(folder)
    # What holds the system's programs too is never a codebase; see `root`.
    return (folder,) if top in (None, "/", os.path.realpath(os.path.expanduser("~"))) else (folder, top)


def _run_once(
    command: Sequence[str], environment: ChildEnvironment, given: bytes, wait_s: float
) -> subprocess.CompletedProcess[bytes]:
    try:
        return subprocess.run(command, env=environment, input=given, capture_output=True, timeout=wait_s, check=False)
    except subprocess.TimeoutExpired as error:
        raise DeadlineError(
            f"git gave no answer within {wait_s:.0f} seconds.",
            hint="Run `git status` there by hand: it may wait for a FIFO that stands in a file's place.",
        ) from error
    except OSError as error:
        raise GitError(f"git could not be started: {error.strerror}.", hint="Install git and try again.") from error


def _paths(output: bytes) -> frozenset[str]:
    return frozenset(path for path in os.fsdecode(output).split("\0") if path)


def _one_line(message: str) -> str:
    lines = [line.strip() for line in message.splitlines() if line.strip()]
    lines.sort(key=lambda line: not line.startswith(("fatal:", "error:")))
    return lines[0].rstrip(".") if lines else "no message"
