"""What pymilvus brings along when it is loaded has no say."""

import subprocess
import sys
from pathlib import Path

import pytest

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


@pytest.mark.requirement("SEC.1")
def test_a_file_that_pymilvus_reads_names_no_server(tmp_path: Path) -> None:
    # A stand-in for the package: what the real one does with a `.env` above itself, done at once.
    (tmp_path / "pymilvus.py").write_text(_FAKE)
    code = f"import sys; sys.path.insert(0, {str(tmp_path)!r})\n{_ASK}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.stderr) == ("same\n", "")
