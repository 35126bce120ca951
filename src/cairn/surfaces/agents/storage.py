"""Checks of CAIRN_HOME: whether its file system is reliable, and whether its stores are in use."""

import contextlib
import fcntl
import os
import shutil
import stat
from collections.abc import Sequence

from cairn.base import durable
from cairn.base.errors import CairnError
from cairn.codebase import ledger
from cairn.codebase.homestores import UNUSED_DAYS, StoreInfo, files_live, list_stores, writers
from cairn.surfaces.agents.checks import DoctorCheck, failed, ok, warning

LITTLE_SPACE = 1024 * 1024 * 1024
NO_SPACE = 64 * 1024 * 1024
_NAMED = 3


def check_file_system(home: str, free: int | None = None) -> DoctorCheck:
    """Try what the store relies on, in a folder of its own that is removed again."""
    mend = f"Mend the rights of {home}, or set CAIRN_HOME to a folder on a local disk."
    made = not os.path.isdir(home)
    try:
        durable.make_private_folders(home)
        mode = stat.S_IMODE(os.stat(home).st_mode)
        free = shutil.disk_usage(home).free if free is None else free
        fault = _fault(home)
    except OSError as error:
        return failed("storage", f"{home} can't be used: {error.strerror}.", mend)
    finally:
        if made:
            with contextlib.suppress(OSError):
                os.rmdir(home)
    if fault:
        return failed("storage", f"{home}: {fault}.", mend)
    space = f"{free / 1024**3:.1f} GB free"
    if free < NO_SPACE:
        return failed("storage", f"{home} is full: {space}.", "Run `cairn gc --stores`, or make room on the disk.")
    if mode & 0o077:
        return warning("storage", f"{home} has mode {mode:04o}: others can look in.", f"Run `chmod 700 {home}`.")
    if free < LITTLE_SPACE:
        return warning("storage", f"{home}: {space}.", "Run `cairn gc --stores`, or make room on the disk.")
    return ok("storage", f"{home}: O_EXCL, rename, fsync and locks work, {space}")


def _fault(home: str) -> str:
    """What the file system does wrong; OSError if it refuses an operation."""
    folder = os.path.join(home, f"doctor-{os.urandom(8).hex()}")
    os.mkdir(folder, 0o700)
    try:
        first, second = os.path.join(folder, "first"), os.path.join(folder, "second")
        durable.write_new_file(first, b"1", 0o600)
        try:
            durable.write_new_file(first, b"2", 0o600)
            return "O_EXCL doesn't keep a second writer out"
        except FileExistsError:
            pass
        except OSError as error:
            return f"O_EXCL answers with {error.strerror}"
        durable.write_new_file(second, b"2", 0o600)
        durable.move(second, first)
        with open(first, "rb") as file:
            if file.read() != b"2" or os.path.exists(second):
                return "a rename doesn't replace a file"
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            with open(first, "rb") as other:
                try:
                    fcntl.flock(other, fcntl.LOCK_EX | fcntl.LOCK_NB)
                    return "a lock doesn't keep a second process out"
                except BlockingIOError:
                    pass
        if stat.S_IMODE(os.stat(first).st_mode) != 0o600:
            return "files can't be kept private"
        return ""
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def check_locks(home: str) -> DoctorCheck:
    """Leases whose owner is proven dead: harmless, since the next writer takes them over, but worth a word."""
    found = writers(home)
    dead, held = found.dead, found.held
    if dead:
        return warning(
            "locks",
            f"A writer died and left its lease: {_named(dead)}.",
            f"Run `cairn index {dead[0]}`: it takes the lease over.",
        )
    return ok("locks", f"{held} writing now, none left behind" if held else "no lease left behind")


def check_stores(home: str, now: float) -> DoctorCheck:
    """Whether there are stores that nobody uses any more."""
    stores = list_stores(home)
    gone = [store for store in stores if store.canonical_root and not os.path.isdir(store.canonical_root)]
    old = [store for store in stores if store.last_used_at < now - UNUSED_DAYS * 86_400]
    size = f"{sum(store.size_bytes for store in stores) / 1024**2:,.1f} MB"
    if gone:
        return warning(
            "stores",
            f"The root is gone: {_named(_roots(gone))}.",
            "Run `cairn gc --gone` to remove its store.",
        )
    if old:
        return warning(
            "stores",
            f"Unused for {UNUSED_DAYS} days: {_named(_roots(old))}.",
            "Run `cairn gc --stores` to remove them.",
        )
    return ok("stores", f"{len(stores)} in use, {size}" if stores else "none yet")


def check_ledger(home: str) -> DoctorCheck:
    """Whether answers are counted for `cairn gain`: where they can't be, nobody else would say so."""
    try:
        if not ledger.is_on(home):
            return ok("gain", "answers are not counted, as [gain] in config.toml says")
        said = ledger.fault(home)
    except CairnError as error:
        said = error.message.removesuffix(".")
    if said:
        folder = os.path.join(home, ledger.FOLDER)
        return warning("gain", f"Answers are not counted: {said}.", f"Make {folder} writable, or remove it.")
    return ok("gain", "answers are counted")


def folders_at_most(home: str) -> int:
    """How many folders the indexed trees can have: no more than they have files."""
    return files_live(home)


def _roots(stores: list[StoreInfo]) -> list[str]:
    return [store.canonical_root or store.store_id for store in stores]


def _named(names: Sequence[str]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more
