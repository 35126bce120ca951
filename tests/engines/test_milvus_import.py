"""What pymilvus brings along when it is loaded has no say."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.engines.kinds import served

_FAKE = """
import os
os.environ["CAIRN_MILVUS_URI"] = "http://elsewhere:1"
os.environ["LANG"] = "changed"
"""
_ASK = """
import os
from cairn.engines.milvus_import import load_pymilvus
before = dict(os.environ)
load_pymilvus()
assert dict(os.environ) == before
print("same")
"""


@pytest.mark.slow
@pytest.mark.requirement("SEC.1")
def test_a_file_that_pymilvus_reads_names_no_server(tmp_path: Path) -> None:
    # A stand-in for the package: what the real one does with a `.env` above itself, done at once.
    (tmp_path / "pymilvus.py").write_text(_FAKE)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{_ASK}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("same\n", "")


_INDEX = """
import sys
from cairn.codebase.codebase import Codebase
for root in sys.argv[1:]:
    with Codebase(root) as codebase:
        print(*codebase.index().by_lines)
"""


def test_parsers_live_on_beside_a_connection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They are forks of a process that may have talked to a server before, as the daemon has."""
    roots = [tmp_path / f"root_{number}" for number in range(8)]
    for root in roots:
        root.mkdir()
        for number in range(3):
            (root / f"file_{number}.py").write_text(f"def one_of_{root.name}_{number}():\n    return {number}\n")
    monkeypatch.setenv("CAIRN_ENGINE", "milvus")
    for _ in served("milvus", tmp_path, monkeypatch):
        asked = [sys.executable, "-c", _INDEX, *map(str, roots)]
        done = subprocess.run(asked, capture_output=True, text=True, timeout=300, check=False)
        assert (done.returncode, done.stdout) == (0, "\n" * len(roots)), done.stderr
