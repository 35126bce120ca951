"""Which folders a client may see, and what a path that it names means."""

import os
from collections.abc import Sequence

from cairn.base.errors import CairnError, OutOfRootError, RootNotFoundError, UsageError
from cairn.base.values import dataclass
from cairn.lifecycle.roots import effective_root
from cairn.workspace.pathkey import quoted
from cairn.workspace.permission import Door, seen_folders
from cairn.workspace.root import find_root

BY_ROOTS = "the client's roots allow more or, where it names none, --root of `cairn mcp`"
BY_INDEXING = "the user allows more by indexing it"


@dataclass(frozen=True, slots=True)
class Access:
    """The folders that a client may see, canonical."""

    folders: tuple[str, ...]
    more: str = BY_ROOTS
    """What lets a client see more at its door."""

    def path(self, given: str | None) -> str:
        """The canonical path that a client means: absolute, or from the only folder that it may see."""
        if given is None or not os.path.isabs(given):
            if len(self.folders) != 1:
                raise UsageError(
                    f"{'No path is given' if given is None else f'The path {quoted(given)} is relative'}, and there is "
                    f"not one root that it could start from.",
                    hint=f"Give an absolute path beneath {self._named()}.",
                )
            given = os.path.join(self.folders[0], given or "")
        found = os.path.realpath(given)
        self.require(found)
        return found

    def require(self, path: str) -> None:
        """OutOfRootError for a path that the client may not see."""
        if effective_root(path, self.folders) is None:
            raise OutOfRootError(
                f"{quoted(path)} is not beneath what this client may see.",
                hint=self._allowed(),
            )

    def root(self, path: str, tracked: Sequence[str]) -> str:
        """The codebase that a path belongs to: a tracked one, else the one that indexing it would make."""
        # One that lies above what this client may see is the concern of others.
        known = effective_root(path, [root for root in tracked if effective_root(root, self.folders) is not None])
        if known is None:
            folder = path
            while not os.path.isdir(folder):
                folder = os.path.dirname(folder)
            if folder != path and not os.path.exists(path):
                raise RootNotFoundError(f"The path {quoted(path)} doesn't exist.")
            known = find_root(folder).path
        self.require_root(known)
        return known

    def require_root(self, root: str) -> None:
        """OutOfRootError for a codebase that reaches beyond what the client may see."""
        if effective_root(root, self.folders) is None:
            raise OutOfRootError(
                f"The codebase of that path is {quoted(root)}, which lies above what this client may see.",
                hint=self._allowed(),
            )

    def _allowed(self) -> str:
        return f"Allowed: {self._named()}; {self.more}."

    def _named(self) -> str:
        return ", ".join(self.folders) or "(nothing)"


def access_to(
    named: Sequence[str], put_up: Sequence[str] = (), door: Door = Door.PROGRAM, more: str = BY_ROOTS
) -> Access:
    """Access to the folders that a client names, as far as its door allows; one that is away for now is among them."""
    return Access(seen_folders(door, _canonical(put_up), _canonical(named)), more)


def _canonical(folders: Sequence[str]) -> list[str]:
    return [os.path.realpath(folder) for folder in folders if "\0" not in folder]


def nested_repository(path: str, root: str) -> str | None:
    """The repository beneath a root that a path lies in; None where there is none in between."""
    folder = path
    while folder.startswith(root.rstrip("/") + "/"):
        if os.path.lexists(os.path.join(folder, ".git")):
            found = find_root(folder).path
            return found if found != root and effective_root(found, (root,)) else None
        folder = os.path.dirname(folder)
    return None


def working_folder() -> str:
    """Where the server was started, and with it the codebase around it."""
    here = os.getcwd()
    try:
        return find_root(here).path
    except CairnError:
        return here
