"""Everything that `cairn doctor` looks at, one after the other."""

import os
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor

from cairn.base.errors import CairnError
from cairn.surfaces.agents import machine, storage, vectors
from cairn.surfaces.agents.checks import DoctorCheck, failed
from cairn.surfaces.agents.clients import SettingsScope
from cairn.surfaces.agents.languages import check_indexers
from cairn.surfaces.agents.remotes import check_remotes
from cairn.surfaces.agents.roundtrip import check_round_trip
from cairn.surfaces.agents.wiring import check_agents
from cairn.workspace.root import find_root


def examine(
    home: str, scopes: Sequence[SettingsScope], command: Sequence[str], server: Sequence[str], project: str = "."
) -> Iterator[DoctorCheck]:
    """`command` is what clients should start; `server` is what is started to prove a round trip."""
    # The round trip mostly waits for another process: the rest is looked at meanwhile.
    with ThreadPoolExecutor(1) as beside:
        answering = beside.submit(check_round_trip, server)
        yield from _examine_here(home, scopes, command, project)
        yield answering.result()


def _examine_here(
    home: str, scopes: Sequence[SettingsScope], command: Sequence[str], project: str
) -> Iterator[DoctorCheck]:
    yield machine.check_python()
    yield machine.check_packages()
    yield machine.check_grammars()
    yield machine.check_kernel()
    yield machine.check_model(home, os.environ)
    # The folder one stands in may be anybody's: what it puts on the search path is not run.
    yield machine.check_git(roots=_roots_here())
    yield storage.check_file_system(home)
    try:
        yield storage.check_locks(home)
        yield storage.check_stores(home, time.time())
        yield storage.check_ledger(home)
        yield vectors.check_engines(home)
        yield from check_remotes()
        yield machine.check_watching(storage.folders_at_most(home))
    except (CairnError, OSError) as error:
        yield failed("stores", f"The stores in {home} can't be looked at: {error}.", f"Mend the rights of {home}.")
    yield from check_indexers(project)
    yield from check_agents(scopes, command)


def _roots_here() -> tuple[str, ...]:
    try:
        return (find_root(os.getcwd()).path,)
    except (CairnError, OSError):
        return ()  # the home folder, or one that is gone
