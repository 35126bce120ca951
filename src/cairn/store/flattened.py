"""A snapshot whose vectors lie elsewhere, with all of them in its own segments: as another machine can read it."""

import os

from cairn.base import durable
from cairn.base.values import replace
from cairn.engines import engine_named
from cairn.store.digest import digest_folder, files_beneath
from cairn.store.integrity import artifacts
from cairn.store.layout import Layout
from cairn.store.manifest import SegmentRef, encode
from cairn.store.view import SnapshotView

FLAT = "flat"
RECORD = "vectors.json"


def flatten(view: SnapshotView, target: Layout) -> bytes:
    """Put a snapshot into an empty store of one's own, where it can be read; its manifest."""
    manifest, segments = view.manifest, {ref.segment_id for ref in view.manifest.segments}
    for name, _ in artifacts(manifest):
        if os.path.basename(name) not in segments:
            _copy(view.layout, target, name)
    refs = tuple(_flattened(view, target, ref) for ref in manifest.segments)
    data, folder = encode(replace(manifest, segments=refs)), target.snapshot(manifest.snapshot_id)
    if not os.path.isdir(folder):
        target.make_folder(folder)
    target.write_file(target.manifest(manifest.snapshot_id), data)
    return data


def _flattened(view: SnapshotView, target: Layout, ref: SegmentRef) -> SegmentRef:
    folder = target.segment(ref.segment_id)
    target.make_folder(folder)
    _copy(view.layout, target, f"segments/{ref.segment_id}")
    engine_named(FLAT, target.path).write(folder, view.upkeep.all_vectors(ref.segment_id))
    os.chmod(os.path.join(folder, "vectors.npy"), target.kind.file_mode)
    return replace(ref, engine=FLAT, digest=digest_folder(folder))


def _copy(source: Layout, target: Layout, name: str) -> None:
    """Copy a file, or the files of a folder; what tells where vectors lie elsewhere stays behind."""
    top = os.path.join(source.path, name)
    for file in files_beneath(top) if os.path.isdir(top) else [""]:
        if file != RECORD:
            inside = os.path.join(name, file) if file else name
            os.makedirs(os.path.dirname(os.path.join(target.path, inside)), target.kind.folder_mode, exist_ok=True)
            durable.copy_file(
                os.path.join(source.path, inside), os.path.join(target.path, inside), target.kind.file_mode
            )
