"""What install and uninstall would change: everything is read and worked out before anything is written."""

import os
from collections.abc import Callable, Iterable, Sequence

from cairn.base.errors import RefusedError
from cairn.base.values import dataclass, field
from cairn.surfaces.agents import settings
from cairn.surfaces.agents.backup import BackupRecord, digest
from cairn.surfaces.agents.clients import CLIENTS, AgentClient, SettingsScope, with_sessions
from cairn.surfaces.agents.edits import EditError
from cairn.surfaces.agents.files import SettingsFile, look, require_writable
from cairn.surfaces.agents.parts import AGENT, ENTRY, HOOKS, NOTES, Part

_MEND = "Nothing was changed. Mend the file or move it away, then run the command again."


@dataclass(frozen=True, slots=True)
class SettingsChange:
    """One file: its present content and its new one."""

    path: str
    target: str
    before: bytes | None
    after: bytes | None
    mode: int
    clients: tuple[str, ...]
    undone: tuple[BackupRecord, ...] = ()
    """Records that this change settles, the newest first."""

    @property
    def action(self) -> str:
        """What happens to the file: `keep`, `create`, `remove` or `update`."""
        if self.before == self.after:
            return "keep"
        return "create" if self.before is None else "remove" if self.after is None else "update"


@dataclass(frozen=True, slots=True)
class InstallPlan:
    """The changes that an install or uninstall would make."""

    changes: tuple[SettingsChange, ...]
    """Files that would be written, made or removed."""
    same: tuple[SettingsChange, ...]
    """Files that are already as they should be."""
    skipped: tuple[tuple[str, str], ...] = field(default=())
    """Clients that nothing can be done for here, and why."""


@dataclass(frozen=True, slots=True)
class _Use:
    """A file that a client reads, and what of ours it holds."""

    client: AgentClient
    path: str
    part: Part


def uses(scope: SettingsScope, client: AgentClient, *, notes: bool = True, hooks: bool = True) -> list[_Use]:
    """The files of a client in a scope: its settings and, where they are wanted, its instructions and hooks."""
    if scope.config(client) is None:
        return []
    parts = (ENTRY, *((NOTES,) if notes else ()), *((HOOKS, AGENT) if hooks else ()))
    return [_Use(client, path, part) for part in parts if (path := part.place(scope, client)) is not None]


def plan_install(
    scope: SettingsScope,
    clients: Iterable[AgentClient],
    command: Sequence[str],
    *,
    notes: bool = True,
    hooks: bool = True,
) -> InstallPlan:
    """Our entry and our block in the files of some clients; a file that several read is changed once."""
    skipped = []
    wanted: list[_Use] = []
    for client in clients:
        if scope.config(client) is None:
            skipped.append((client.name, f"{client.title} has settings of a project only: use --project PATH"))
        wanted += uses(scope, client, notes=notes, hooks=hooks)

    def edit(use: _Use, data: bytes | None) -> bytes:
        return use.part.add(use.client, data, with_sessions(use.client, command) if hooks else command)

    changes = [_changed(found, readers, found.data, edit) for found, readers in _grouped(scope, wanted)]
    for change in changes:
        if change.before != change.after:
            require_writable(SettingsFile(change.path, change.target, change.before, change.mode))
    return _plan(changes, skipped)


def plan_uninstall(
    scope: SettingsScope,
    clients: Sequence[AgentClient],
    records: Sequence[BackupRecord],
    before: Callable[[BackupRecord], bytes | None],
) -> InstallPlan:
    """Restore the old bytes of files that nobody edited since; from others only remove what is ours.

    A file that another client, which stays wired up, reads too is left as it is. So are the user's settings when
    a project is meant, unless they were changed for that project.
    """
    names = {client.name for client in clients}
    kept = {
        os.path.realpath(use.path)
        for client in CLIENTS
        if client.name not in names and is_wired(scope, client)
        for use in uses(scope, client)
    }
    touched = {record.target for record in records}
    for_project = {record.target for record in records if record.project == (scope.project or "")}
    wanted, skipped = [], []
    for use in (use for client in clients for use in uses(scope, client)):
        target = os.path.realpath(use.path)
        if target in kept:
            continue
        if scope.project is not None and not _inside(scope, use.path) and target not in for_project:
            if is_wired(scope, use.client):
                skipped.append((use.client.name, f"{use.path} is for all projects: use --user"))
            continue
        if target in touched or _looks_ours(use):
            wanted.append(use)
    changes = []
    for found, readers in _grouped(scope, wanted):
        mine = [record for record in records if record.target == found.target]
        changes.append(_undo(found, readers, mine, before))
    for change in changes:
        if change.before != change.after:
            require_writable(SettingsFile(change.path, change.target, change.before, change.mode))
    return _plan(changes, skipped)


def _looks_ours(use: _Use) -> bool:
    """Whether a file without a backup record holds something of ours; False if it can't be read."""
    try:
        return use.part.is_in(use.client, look(use.path).data)
    except (EditError, RefusedError):
        return False


def is_wired(scope: SettingsScope, client: AgentClient) -> bool:
    """Whether the client's settings name our server; settings that can't be read name nothing."""
    path = scope.config(client)
    if path is None:
        return False
    try:
        return settings.entry_in(client, look(path).data) is not None
    except (EditError, RefusedError):
        return False


def _undo(
    found: SettingsFile,
    readers: list[_Use],
    records: list[BackupRecord],
    before: Callable[[BackupRecord], bytes | None],
) -> SettingsChange:
    data, reached = found.data, None
    for record in records:
        if digest(data) == record.sha256_after:
            data, reached = before(record), record
    if records and reached is records[-1]:
        # All that stood there before the first install, an entry of the user's own included.
        return _changed(found, readers, data, lambda _, same: same, tuple(records))
    original = (before(records[-1]) or b"") if records else None

    def edit(use: _Use, data: bytes | None) -> bytes | None:
        return use.part.remove(use.client, data, original) if data is not None else None

    return _changed(found, readers, data, edit, tuple(records))


def _changed(
    found: SettingsFile,
    readers: list[_Use],
    data: bytes | None,
    edit: Callable[[_Use, bytes | None], bytes | None],
    records: tuple[BackupRecord, ...] = (),
) -> SettingsChange:
    for use in readers:
        try:
            data = edit(use, data)
        except EditError as error:
            raise RefusedError(f"{use.path} can't be edited: {error}.", hint=_MEND) from error
    clients = tuple(dict.fromkeys(use.client.name for use in readers))
    return SettingsChange(found.path, found.target, found.data, data, found.mode, clients, records)


def _grouped(scope: SettingsScope, wanted: list[_Use]) -> list[tuple[SettingsFile, list[_Use]]]:
    """Each file once, even if several names lead to it."""
    groups: dict[str, tuple[SettingsFile, list[_Use]]] = {}
    for use in wanted:
        inside = _inside(scope, use.path)
        found = look(use.path, beneath=scope.project if inside else None, new_mode=0o644 if inside else 0o600)
        groups.setdefault(found.target, (found, []))[1].append(use)
    return list(groups.values())


def _inside(scope: SettingsScope, path: str) -> bool:
    return scope.project is not None and path.startswith(scope.project + "/")


def _plan(changes: list[SettingsChange], skipped: list[tuple[str, str]]) -> InstallPlan:
    return InstallPlan(
        tuple(change for change in changes if change.before != change.after),
        tuple(change for change in changes if change.before == change.after),
        tuple(skipped),
    )
