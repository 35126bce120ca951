"""A change of control state is on the disk before it is told of."""

import subprocess
import sys
from pathlib import Path

_CHANGE = """
import sys
from cairn.store.database import Database
database = Database(sys.argv[1], "samples", 1, (), lambda: None, ValueError)
open(sys.argv[1], "x").close()
with database.writing() as connection:
    print(connection.execute("PRAGMA synchronous").fetchone()[0])
"""
_FULL = "2"


def test_a_change_is_synced(tmp_path: Path) -> None:
    """In a process of its own: within the tests nothing waits for the disk."""
    command = (sys.executable, "-c", _CHANGE, str(tmp_path / "samples.db"))
    said = subprocess.run(command, capture_output=True, text=True, check=True)
    assert said.stdout.strip() == _FULL
