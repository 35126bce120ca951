"""Which clients are wired up, and whether what they start is still there and is this Cairn."""

import os
import shutil
from collections.abc import Sequence

from cairn.base.errors import CairnError
from cairn.surfaces.agents import settings
from cairn.surfaces.agents.checks import DoctorCheck, failed, ok, warning
from cairn.surfaces.agents.clients import CLIENTS, SESSIONS, AgentClient, SettingsScope, command_of
from cairn.surfaces.agents.edits import EditError
from cairn.surfaces.agents.files import look


def check_agents(scopes: Sequence[SettingsScope], command: Sequence[str]) -> list[DoctorCheck]:
    """A check for every client whose settings name us, else one that says that there is none."""
    found: list[DoctorCheck] = []
    seen: set[str] = set()
    for scope in scopes:
        for client in CLIENTS:
            path = scope.config(client)
            if path is not None and path not in seen:
                seen.add(path)
                found += _check(client, path, scope, command)
    return found or [
        warning("agents", "No coding agent is wired up.", "Run `cairn install --dry-run` to see what could be.")
    ]


def _check(client: AgentClient, path: str, scope: SettingsScope, command: Sequence[str]) -> list[DoctorCheck]:
    code = f"agent {client.name}"
    again = f"cairn install {client.name}" + (f" --project {scope.project}" if scope.project is not None else "")
    try:
        found = settings.entry_in(client, look(path).data)
    except (EditError, CairnError) as error:
        if not scope.finds(client):
            return []
        return [warning(code, f"{path} can't be read: {error}.", "Mend that file; the client can't read it either.")]
    if found is None:
        return []
    started = command_of(found)
    if started is None:
        return [failed(code, f"{path} names no command for it.", f"Run `{again}`.")]
    if shutil.which(started[0]) is None:
        return [failed(code, f"{path} starts {started[0]}, which is not there.", f"Run `{again}`.")]
    if [word for word in started if word != SESSIONS] != list(command):
        return [warning(code, f"{path} starts another Cairn: {' '.join(started)}", f"Run `{again}` to start this one.")]
    if isinstance(found, dict) and (found.get("enabled") is False or found.get("disabled") is True):
        return [warning(code, f"{path} has it, but switched off.", f"Switch it on in {client.title}.")]
    return [ok(code, f"{path} starts {os.path.basename(started[0])} {' '.join(started[1:])}")]
