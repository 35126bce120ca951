"""Readers, writers and a collector on one store at once: every read is one whole snapshot."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cairn.base.errors import BusyError
from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.store.audit import audit
from cairn.store.recovery import newest_first
from tests.long import LONG

pytestmark = pytest.mark.slow

SECONDS = 20.0 * LONG or 4.0
FILES = 8

# Each process runs until its time is over, and once at least on a machine that is slow to start it; then it prints
# what it saw as one JSON document.
_WRITER = """
import fcntl, json, os, sys, time
from cairn.codebase.codebase import Codebase
from cairn.base.errors import BusyError
from cairn.indexing import SyncOptions
from cairn.indexing.writing import sync_under
root, until, files = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
epochs, busy, overlaps = [], 0, 0
inside = root + ".writing"
with Codebase(root) as codebase:
    while not epochs or time.time() < until:
        try:
            with codebase.store().writer() as lease:
                try:
                    fd = os.open(inside, os.O_CREAT | os.O_EXCL)
                except FileExistsError:
                    overlaps += 1
                    break
                try:
                    for number in range(files):
                        with open(os.path.join(root, f"f{number}.py"), "w") as file:
                            file.write(f"generation = {lease.epoch}\\n" * (1 + lease.epoch % 3))
                    sync_under(lease, codebase.store(), codebase.detector, codebase.embedder, SyncOptions(verify=True))
                    epochs.append(lease.epoch)
                finally:
                    os.close(fd)
                    os.unlink(inside)
            if len(epochs) % 5 == 4:
                codebase.compact(force=True)
        except BusyError:
            busy += 1
            time.sleep(0.005)
print(json.dumps({"epochs": epochs, "busy": busy, "overlaps": overlaps}))
"""

_READER = """
import json, os, sys, time
from cairn.codebase.codebase import Codebase
from cairn.kernel.tokens import stem
WORD = stem("generation")
root, until, files = sys.argv[1], float(sys.argv[2]), int(sys.argv[3])
def texts(view):
    paths = [file.path_key for file in view.files()]
    return {path: [row.text for row in view.rows.of(path) if row.kind == "text"] for path in paths}
reads, mixed, seen = 0, [], []
with Codebase(root) as codebase:
    while not reads or time.time() < until:
        with codebase.view() as view:
            first = texts(view)
            hits = [hit for hit in view.words.matches({("body", WORD): 1.0}, 100) if hit.row.kind == "text"]
            again = texts(view)
            lines = {line for held in first.values() for text in held for line in text.splitlines()}
            lines |= {line for hit in hits for line in hit.row.text.splitlines()}
            if len(first) != files or len(lines) != 1 or first != again or view.recovered or len(hits) != files:
                mixed.append([view.snapshot_id, sorted(lines), len(first), len(hits), view.recovered])
            seen.append([view.manifest.lease_epoch, view.snapshot_id])
        reads += 1
print(json.dumps({"reads": reads, "mixed": mixed, "seen": seen}))
"""

_COLLECTOR = """
import json, sys, time
from cairn.codebase.codebase import Codebase
from cairn.base.errors import BusyError
root, until = sys.argv[1], float(sys.argv[2])
done = busy = 0
with Codebase(root) as codebase:
    while not done + busy or time.time() < until:
        try:
            codebase.collect(force=True)
            done += 1
        except BusyError:
            busy += 1
        time.sleep(0.02)
print(json.dumps({"done": done, "busy": busy}))
"""


@pytest.mark.long
@pytest.mark.requirement("STO.3")
@pytest.mark.requirement("IDX.MUST.005")
@pytest.mark.requirement("LEASE.1")
def test_every_read_is_one_whole_snapshot_while_writers_and_a_collector_work(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")
    for number in range(FILES):
        (folder / f"f{number}.py").write_text("generation = 0\n")
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        until = str(time.time() + SECONDS)
        programs = [_WRITER] * 2 + [_READER] * 4 + [_COLLECTOR]
        children = [
            subprocess.Popen(
                (sys.executable, "-c", program, str(folder), until, str(FILES)),
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
            )
            for program in programs
        ]
        ended = [(*child.communicate(timeout=SECONDS + 60), child.returncode) for child in children]
        assert [(errors, code) for _, errors, code in ended] == [("", 0)] * len(children)
        answers = [json.loads(output) for output, _, _ in ended]
        writers, readers, collector = answers[:2], answers[2:6], answers[6]

        assert [reader["mixed"] for reader in readers] == [[]] * 4
        for reader in readers:
            assert reader["reads"] > 0
            assert reader["seen"] == sorted(reader["seen"]), "a reader never goes back in time"

        assert [writer["overlaps"] for writer in writers] == [0, 0]
        for writer in writers:
            assert writer["epochs"] == sorted(set(writer["epochs"]))
        together = [epoch for writer in writers for epoch in writer["epochs"]]
        assert len(together) >= 2
        assert len(set(together)) == len(together)
        assert collector["done"] + collector["busy"] > 0

        with codebase.view() as view:
            assert audit(view) == []
        manifests = list(newest_first(codebase.store().layout))
        # A crowded store is compacted by a writer under its own lease, so only the sync itself is alone in its epoch.
        synced = [manifest.lease_epoch for manifest in manifests if manifest.cause != "compact"]
        assert len(set(synced)) == len(synced)


@pytest.mark.requirement("STO.3")
@pytest.mark.requirement("IDX.MUST.005")
def test_an_open_view_keeps_its_snapshot_through_publishes_compactions_and_collections(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_RETAIN_SNAPSHOTS", "1")
    monkeypatch.setenv("CAIRN_RETAIN_AGE_MS", "0")
    (folder / "a.py").write_text("generation = 1\n")
    with Codebase(str(folder)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            (folder / "a.py").write_text("generation = 2\n")
            codebase.index(SyncOptions(verify=True))
            codebase.compact(force=True)
            with pytest.raises(BusyError):
                codebase.collect(force=True)
            assert [row.text for row in view.rows.of("a.py") if row.kind == "text"] == ["generation = 1\n"]
            with codebase.view() as newer:
                assert newer.snapshot_id > view.snapshot_id
                assert [row.text for row in newer.rows.of("a.py") if row.kind == "text"] == ["generation = 2\n"]
        codebase.collect(force=True)
        with codebase.view() as view:
            assert [row.text for row in view.rows.of("a.py") if row.kind == "text"] == ["generation = 2\n"]
        assert len(os.listdir(codebase.store().layout.snapshots)) == 1
