"""A home that can't be written: whoever asks is answered all the same."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.config.user import cairn_home
from tests.surfaces.cli.test_store import answer, layout_of
from tests.trees import Repo

_MOUNTED = 'mount --bind "$1" "$1" && mount -o remount,ro,bind "$1" || exit 77; shift; exec "$@"'


def read_only(home: str, *arguments: str) -> dict[str, object]:
    """What a command says while its home is mounted read-only, in a mount namespace of its own."""
    if shutil.which("unshare") is None:
        pytest.skip("unshare(1) is needed to mount a folder read-only")
    command = ["unshare", "-m", "sh", "-c", _MOUNTED, "sh", home, sys.executable, "-m", "cairn", *arguments, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    if done.returncode == 77 or "unshare" in done.stderr:
        pytest.skip("nothing can be mounted here")
    assert done.returncode == 0, done.stdout + done.stderr
    document: dict[str, object] = json.loads(done.stdout)
    return document


@pytest.mark.requirement("STO.23")
def test_reading_works_in_a_home_that_can_not_be_written(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("walrus.py", "def walrus():\n    return 1\n")
    repo.commit()
    answer("index", str(repo.path))
    home, path = cairn_home(), str(repo.path)
    assert read_only(home, "search", "walrus", path, "--no-sync")["results"]
    # A store that was never read has no lock to share yet, and a backup drops empty folders.
    Path(layout_of(repo.path).readers).unlink()
    shutil.rmtree(layout_of(repo.path).cache)
    assert read_only(home, "search", "walrus", path)["results"]
    assert read_only(home, "status", path)["state"] == "indexed"
    assert read_only(home, "health", path)["checks"]
