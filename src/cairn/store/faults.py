"""Named points at which a test lets the process die or stop.

`CAIRN_CRASH_AT=<point>` makes the process kill itself there with SIGKILL, `CAIRN_STOP_AT=<point>`
makes it stop itself with SIGSTOP. Without them a point costs one look into the environment.
"""

import os
import signal
import threading

POINTS: tuple[str, ...] = (
    "lease.guard_created",
    "lease.written",
    "lease.guard_removed",
    "lease.heartbeat",
    "lease.stolen",
    "lease.released",
    "staging.folder_made",
    "staging.created",
    "segment.rows_written",
    "segment.vectors_written",
    "segment.lexical_written",
    "segment.synced",
    "segment.hashed",
    "segment.moved",
    "semantic.written",
    "semantic.hashed",
    "seed.linked",
    "seed.verified",
    "seed.placed",
    "arrival.part",
    "arrival.verified",
    "export.part",
    "export.written",
    "push.part",
    "push.listed",
    "push.resent",
    "tables.sent",
    "remote.listing_removed",
    "remote.part_aside",
    "remote.part_removed",
    "publish.tombstones_written",
    "publish.file_index_written",
    "publish.history_written",
    "publish.gate_passed",
    "publish.manifest_written",
    "publish.pointer_staged",
    "publish.lease_checked",
    "publish.pointer_swapped",
    "publish.state_written",
    "publish.staging_removed",
    "compact.planned",
    "compact.built",
    "gc.planned",
    "gc.manifest_removed",
    "gc.snapshot_removed",
    "gc.segment_removed",
    "gc.staging_removed",
    "semantic.written",
    "semantic.hashed",
    "edit.contents_written",
    "edit.prepared",
    "edit.staged",
    "edit.exchanged",
    "edit.file_written",
    "edit.reverting",
    "edit.file_reverted",
)


def reach(point: str) -> None:
    """Mark that execution has come to a point."""
    if os.environ.get("CAIRN_CRASH_AT") == point:
        os.kill(os.getpid(), signal.SIGKILL)
    if os.environ.get("CAIRN_STOP_AT") == point:
        # To this very thread: one that is sent to the process may let it run on for a moment.
        signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)
