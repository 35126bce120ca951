"""A tree's index, made anew, to look into."""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.lifecycle.gates import NonOkReason
from cairn.store import SnapshotView


@contextmanager
def indexed(work: Path, root: Path) -> Iterator[SnapshotView]:
    """A view of a tree as the code at hand sees it; vectors play no part, so they are the cheapest ones."""
    home = work / "homes" / f"oracle-{root.name}"
    # What an earlier state of the code extracted would be judged otherwise.
    shutil.rmtree(home, ignore_errors=True)
    home.mkdir(parents=True)
    settings = {"CAIRN_HOME": str(home), "CAIRN_EMBED_PROVIDER": "hashing"}
    with patch.dict(os.environ, settings), Codebase(str(root)) as codebase:
        # A work folder may hold an index of another version.
        codebase.index(SyncOptions(reindex=codebase.verdict().reason is NonOkReason.REQUIRES_REINDEX))
        with codebase.view() as view:
            yield view
