"""The pointer to the active snapshot, and the one rename that publishes."""

from collections.abc import Callable

from cairn.base import durable
from cairn.base.errors import LeaseLostError, StorageError, UnknownOutcomeError
from cairn.store import faults
from cairn.store.guard import guard
from cairn.store.layout import Layout
from cairn.store.lease import WriterLease
from cairn.store.recovery import read_pointer


def swap_pointer(
    layout: Layout, lease: WriterLease, snapshot_id: str, swapped: Callable[[], None] = lambda: None
) -> None:
    """Make a snapshot the active one if, and only if, the lease is still ours.

    The staged pointer bears the owner's name. Whoever takes the lease over removes it first, so a
    writer that was stopped between check and rename has nothing left to rename.
    """
    data = f"{snapshot_id}\n".encode()
    staged = lease.staged_pointer()
    replaced = False

    def renamed() -> None:
        nonlocal replaced
        replaced = True
        swapped()

    with durable.staged_file(layout.pointer, data, layout.kind.file_mode, temporary=staged, renamed=renamed) as swap:
        faults.reach("publish.pointer_staged")
        with guard(layout):
            if not lease.is_ours():
                raise LeaseLostError(f"The writer lease (epoch {lease.epoch}) was lost before the publish.")
            faults.reach("publish.lease_checked")
            try:
                swap()
            except FileNotFoundError as error:
                raise LeaseLostError(f"The writer lease (epoch {lease.epoch}) was lost during the publish.") from error
            except OSError as error:
                if not replaced:
                    raise StorageError(f"The pointer can't be replaced: {error.strerror}.") from error
                raise UnknownOutcomeError(
                    f"The pointer was replaced but may not survive a crash: {error.strerror}."
                ) from error
            faults.reach("publish.pointer_swapped")
            if read_pointer(layout) != snapshot_id or not lease.is_ours():
                raise UnknownOutcomeError(f"Snapshot {snapshot_id} was published while the lease was lost.")
