"""Health: everything that can be wrong with a store, looked at afresh."""

import hashlib
import os
import shlex
import stat
from collections.abc import Iterator
from enum import StrEnum

from cairn.base.errors import CairnError, CorruptStoreError, IncompatibleError, ProbeFailedError, RefusedError
from cairn.base.ownfile import ASIDE
from cairn.base.steps import Advice, NextStep
from cairn.base.text import plural
from cairn.base.values import dataclass
from cairn.engines import LITE_FOLDER
from cairn.store import gc
from cairn.store.audit import audit
from cairn.store.compact import compaction_overdue
from cairn.store.digest import VOLATILE
from cairn.store.gate import MAX_SEGMENTS_REFERENCED
from cairn.store.integrity import Verifier, artifacts
from cairn.store.inventory import trash_beside
from cairn.store.layout import Layout
from cairn.store.lease import read_lease
from cairn.store.manifest import Manifest
from cairn.store.readers import reading
from cairn.store.recovery import find_active, newest_first
from cairn.store.rows import row_faults
from cairn.store.staging import is_left
from cairn.store.strangers import strangers
from cairn.store.view import SnapshotView

_UNASKED = (ProbeFailedError, RefusedError, IncompatibleError)
"""An engine that can't be asked says nothing of what it holds."""
REPAIR = Advice(NextStep("repair"), ".")
_COLLECT = Advice(NextStep("collect"), ".")


class Level(StrEnum):
    """How bad a finding is."""

    OK = "ok"
    WARNING = "warning"
    ERROR = "error"


@dataclass(frozen=True, slots=True)
class HealthCheck:
    """One thing that was looked at."""

    code: str
    level: Level
    message: str
    action: str = ""


def check_store(layout: Layout) -> list[HealthCheck]:
    """Look at a store without trusting any cache, in a fixed order."""
    found = strangers(layout)
    if found:
        # With a lock or a folder that is none, nothing else can be looked at in safety.
        return [HealthCheck("own_files", Level.ERROR, f"{name} {said}", REPAIR) for name, said in found.items()]
    with reading(layout):
        return _checks(layout)


def _checks(layout: Layout) -> list[HealthCheck]:
    pointer, manifest = _pointer(layout)
    checks = [pointer]
    if manifest is None:
        return [*checks, _modes(layout)]
    damaged = _damaged(layout, manifest)
    checks.append(
        HealthCheck("artifact_integrity", Level.OK, f"{len(artifacts(manifest))} artifacts match their sha256")
        if not damaged
        else HealthCheck("artifact_integrity", Level.ERROR, damaged[0], REPAIR)
    )
    if not damaged:
        with SnapshotView(layout, snapshot_id=manifest.snapshot_id) as view:
            checks += _contents(view)
    checks += [_policy(layout, manifest), _modes(layout), _garbage(layout)]
    if manifest.degraded:
        checks.append(
            HealthCheck(
                "degraded",
                Level.WARNING,
                f"{plural(len(manifest.errors), 'file')} could not be indexed, first {manifest.errors[0].path_key}",
                Advice(NextStep("index"), "."),
            )
        )
    return checks


def _pointer(layout: Layout) -> tuple[HealthCheck, Manifest | None]:
    try:
        active = find_active(layout, Verifier(layout, fresh=True))
    except IncompatibleError:
        raise
    except CairnError as error:
        level = Level.ERROR if isinstance(error, CorruptStoreError) else Level.WARNING
        return HealthCheck("manifest_present", level, error.message, error.hint), None
    if active.recovered:
        return HealthCheck("manifest_present", Level.ERROR, active.recovered, REPAIR), active.manifest
    return HealthCheck("manifest_present", Level.OK, f"snapshot {active.manifest.snapshot_id}"), active.manifest


def _damaged(layout: Layout, manifest: Manifest) -> list[str]:
    verifier = Verifier(layout, fresh=True)
    found = []
    for name, digest in artifacts(manifest):
        try:
            verifier.check(name, digest)
        except CorruptStoreError as error:
            found.append(error.message)
    return found


def _contents(view: SnapshotView) -> Iterator[HealthCheck]:
    drifts = audit(view)
    if drifts:
        yield HealthCheck("counts", Level.ERROR, f"{drifts[0].code}: {drifts[0].message}", drifts[0].action)
    else:
        yield HealthCheck("counts", Level.OK, f"{plural(view.manifest.counts.chunks_live, 'live chunk')} counted")
    try:
        view.upkeep.open_everything()
        yield HealthCheck("segment_parts", Level.OK, "vectors, terms and postings of every segment open")
    except CorruptStoreError as error:
        yield HealthCheck("segment_parts", Level.ERROR, error.message, REPAIR)
    except _UNASKED as error:
        yield HealthCheck("segment_parts", Level.WARNING, f"{error.code}: {error.message}", error.hint)
    yield from _outside(view)
    try:
        faults = _row_faults(view)
    except CorruptStoreError as error:
        faults = error.message
    if faults:
        yield HealthCheck("row_schema", Level.ERROR, faults, Advice(NextStep("reindex"), "."))
    else:
        yield HealthCheck("row_schema", Level.OK, "every live row conforms to the schema")


def _outside(view: SnapshotView) -> Iterator[HealthCheck]:
    """What lies elsewhere is under no checksum of the store: every vector is read."""
    try:
        count = view.upkeep.verify_outside()
    except CorruptStoreError as error:
        yield HealthCheck("vectors_outside", Level.ERROR, error.message, REPAIR)
    except _UNASKED as error:
        yield HealthCheck("vectors_outside", Level.WARNING, f"{error.code}: {error.message}", error.hint)
    else:
        if count:
            yield HealthCheck(
                "vectors_outside", Level.OK, f"the vectors of {plural(count, 'segment')} match their digests"
            )


def _row_faults(view: SnapshotView) -> str:
    seen: set[tuple[str, int]] = set()
    for file in view.files():
        text = view.rows.whole_text_of(file.path_key) or b""
        if hashlib.sha256(text).hexdigest() != file.file_hash:
            return f"{file.path_key}: its text is not what its file_hash was taken of"
        for row in view.rows.of(file.path_key):
            found = row_faults(row)
            if (row.path_key, row.ordinal) in seen:
                found.append("the same (path_key, ordinal) is live twice")
            if found:
                return f"{row.path_key}, chunk {row.ordinal}: {found[0]}"
            seen.add((row.path_key, row.ordinal))
    return ""


def _policy(layout: Layout, manifest: Manifest) -> HealthCheck:
    referenced = {name for older in newest_first(layout) for name in older.segment_ids}
    count = plural(len(manifest.segments), "segment")
    if compaction_overdue(manifest):
        return HealthCheck("compaction_policy", Level.WARNING, f"{count}: overdue", Advice(NextStep("compact"), "."))
    if len(referenced) > MAX_SEGMENTS_REFERENCED:
        return HealthCheck(
            "compaction_policy", Level.WARNING, f"{plural(len(referenced), 'segment')} referenced", _COLLECT
        )
    return HealthCheck("compaction_policy", Level.OK, count)


def _modes(layout: Layout) -> HealthCheck:
    for folder, folders, names in os.walk(layout.path):
        if folder == layout.path:
            # What lies in staging counts for nothing yet, and its folder lets nobody else in.
            # So does that of Milvus Lite, which makes its files with the modes of the umask.
            folders[:] = [name for name in folders if name not in ("staging", LITE_FOLDER)]
        for name, wanted in (
            *((name, layout.kind.folder_mode) for name in folders),
            *((name, layout.kind.file_mode) for name in names),
        ):
            path = os.path.join(folder, name)
            try:
                found = os.lstat(path)
            except FileNotFoundError:
                continue  # a writer beside us is done with it
            mode = stat.S_IMODE(found.st_mode)
            if not stat.S_ISREG(found.st_mode) and not stat.S_ISDIR(found.st_mode):
                continue  # a link or a pipe is damage, which no mode mends
            if ASIDE in name or name in VOLATILE:
                continue  # what was set aside keeps its mode, and Tantivy makes its locks
            if mode & 0o777 & ~wanted:
                inside = os.path.relpath(path, layout.path)
                said = f"{inside} has mode {mode:04o}, not {wanted:04o}"
                mend = f"Run `chmod {wanted:o} {shlex.quote(path)}`."
                return HealthCheck("permissions", Level.ERROR, said, mend)
    return HealthCheck("permissions", Level.OK, f"{layout.kind.name.lower()} store")


def _garbage(layout: Layout) -> HealthCheck:
    lease = read_lease(layout)
    try:
        plan = gc.plan_gc(layout, leased_txn=lease.staging_txn_id if lease is not None else "")
    except CairnError as error:
        return HealthCheck("garbage", Level.OK, f"not looked for: {error.message}")
    left = [name for name in plan.staging if is_left(layout, name)]
    count = len(plan.snapshots) + len(plan.segments) + len(left)
    trash = trash_beside(layout)
    if trash:
        return HealthCheck("garbage", Level.WARNING, f"{plural(len(trash), 'store')} removed in part", _COLLECT)
    if left:
        return HealthCheck("garbage", Level.WARNING, plural(len(left), "abandoned transaction"), _COLLECT)
    return HealthCheck("garbage", Level.OK, f"{plural(count, 'thing')} to collect in the store")
