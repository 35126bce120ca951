"""A disk without room and a home without rights: a sentence, nothing lost, and well again afterwards."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from tests.surfaces.cli.test_main import assert_one_sentence_and_a_hint
from tests.trees import Repo, cairn, write

pytestmark = pytest.mark.slow

NOBODY = 65534
PATIENCE_S = 60
# From nothing at all, past the lease and the rows, to the postings and the vectors.
LIMITS = (0, 1000, 8192, 60_000)

LIMITED = """
import resource, sys
from cairn.program.start import main
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
sys.exit(main(sys.argv[2:]))
"""


def limited(limit: int, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command line in a process whose files can't grow beyond a limit: a disk that fills up."""
    command = (sys.executable, "-c", LIMITED, str(limit), *arguments)
    return subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def found(root: Path, query: str, home: str = "") -> list[str]:
    done = cairn("search", "--no-sync", "--json", query, str(root), CAIRN_HOME=home or os.environ["CAIRN_HOME"])
    assert done.returncode in (0, 1), done.stdout + done.stderr
    return [item["path"] for item in json.loads(done.stdout)["results"] if query in item["text"]]


def assert_told_as_shortage(done: subprocess.CompletedProcess[str]) -> None:
    assert done.returncode == 15
    assert done.stdout == ""
    assert "Traceback" not in done.stderr
    assert "Unexpected" not in done.stderr
    assert_one_sentence_and_a_hint(done.stderr)
    assert "disk is full" in done.stderr or "ulimit -f" in done.stderr


def a_lot(word: str) -> str:
    return "".join(f"{word}_{number} = {number}\n" for number in range(3000))


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.write("a.py", "alpha = 1\n")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    return repo


@pytest.mark.parametrize("limit", LIMITS)
def test_a_full_disk_is_told_in_a_sentence_and_costs_nothing(indexed: Repo, limit: int) -> None:
    indexed.write("a.py", "beta = 1\n")
    indexed.write("b.py", a_lot("gamma"))
    done = limited(limit, "index", str(indexed.path))

    assert_told_as_shortage(done)
    assert found(indexed.path, "alpha") == ["a.py"]
    assert found(indexed.path, "gamma") == []
    after = cairn("index", "--json", str(indexed.path))
    assert (after.returncode, after.stderr) == (0, "")
    assert json.loads(after.stdout)["indexed"] == 2
    assert found(indexed.path, "beta") == ["a.py"]
    assert cairn("health", str(indexed.path)).returncode == 0
    with Codebase(str(indexed.path)) as codebase:
        assert os.listdir(codebase.store().layout.staging) == []


def test_a_disk_that_is_full_from_the_start_leaves_no_half_made_store(repo: Repo) -> None:
    repo.write("a.py", "alpha = 1\n")
    assert_told_as_shortage(limited(0, "index", str(repo.path)))
    assert cairn("status", str(repo.path)).returncode == 3
    assert cairn("index", str(repo.path)).returncode == 0
    assert found(repo.path, "alpha") == ["a.py"]


def test_a_full_disk_keeps_no_reader_out(indexed: Repo) -> None:
    done = limited(0, "search", "--no-sync", "--json", "alpha", str(indexed.path))
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of its own with 32 MB."""
    place = tmp_path / "disk"
    place.mkdir()
    if os.geteuid() != 0:
        pytest.skip("only root may mount a file system")
    done = subprocess.run(
        ("mount", "-t", "tmpfs", "-o", "size=32m", "tmpfs", str(place)), capture_output=True, text=True, check=False
    )
    if done.returncode:
        pytest.skip(f"a file system can't be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(("umount", str(place)), check=True)


def test_a_small_disk_fills_up_and_is_well_again_when_there_is_room(repo: Repo, small_disk: Path) -> None:
    home = str(small_disk / "home")
    repo.write("a.py", "alpha = 1\n")
    assert cairn("index", str(repo.path), CAIRN_HOME=home).returncode == 0
    for number in range(12):
        repo.write(f"large{number}.txt", os.urandom(300_000).hex())
    ballast = small_disk / "ballast"
    ballast.write_bytes(b"x" * 20_000_000)
    done = cairn("index", str(repo.path), CAIRN_HOME=home)
    assert_told_as_shortage(done)
    assert found(repo.path, "alpha", home) == ["a.py"]
    ballast.unlink()
    for number in range(2, 12):
        (repo.path / f"large{number}.txt").unlink()
    repo.write("b.py", "beta = 1\n")
    after = cairn("index", str(repo.path), CAIRN_HOME=home)
    assert (after.returncode, after.stderr) == (0, "")
    assert found(repo.path, "beta", home) == ["b.py"]


AS_NOBODY = f"""
import contextlib, io, os, sys
from cairn.program.start import main
# Python itself may lie where only root can read: what is imported late is imported now.
os.environ["CAIRN_HOME"], home = sys.argv[1], os.environ["CAIRN_HOME"]
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    main(["index", sys.argv[2]]), main(["search", "x", sys.argv[2]]), main(["nonsense"]), main(["stores"])
os.environ["CAIRN_HOME"] = home
if os.geteuid() == 0:
    os.setgroups([]), os.setresgid(*[{NOBODY}] * 3), os.setresuid(*[{NOBODY}] * 3)
sys.exit(main(sys.argv[3:]))
"""


@pytest.fixture
def common_folder() -> Iterator[Path]:
    """A folder that other users can reach, unlike those of pytest."""
    path = Path(tempfile.mkdtemp(prefix="cairn-test-")).resolve()
    path.chmod(0o755)
    yield path
    for inner in path.rglob("*"):
        if inner.is_dir() and not inner.is_symlink():
            inner.chmod(0o755)
    shutil.rmtree(path)


def as_nobody(place: Path, home: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    warm_up = place / "warm-up"
    warm_up.mkdir(exist_ok=True)
    write(warm_up, "x.py", "x = 1\n")
    command: tuple[Any, ...] = (sys.executable, "-c", AS_NOBODY, str(place / "spare"), str(warm_up), *arguments)
    environment = os.environ | {"CAIRN_HOME": str(home), "HOME": str(place)}
    return subprocess.run(
        command, env=environment, cwd="/", capture_output=True, text=True, timeout=PATIENCE_S, check=False
    )


@pytest.mark.parametrize("arguments", [("index",), ("search", "alpha")], ids=" ".join)
def test_a_home_that_may_not_be_written_is_told_in_a_sentence(common_folder: Path, arguments: tuple[str, ...]) -> None:
    tree = common_folder / "tree"
    write(tree, "a.py", "alpha = 1\n")
    home = common_folder / "home"
    home.mkdir()
    home.chmod(0o555)
    done = as_nobody(common_folder, home, *arguments, str(tree))

    assert (done.returncode, done.stdout) == (70, "")
    assert_one_sentence_and_a_hint(done.stderr)
    assert "Permission denied" in done.stderr
    assert list(home.iterdir()) == []


@pytest.mark.parametrize("command", ["index", "status", "stores", "clear"])
def test_a_store_of_somebody_else_is_told_in_a_sentence_and_stays_whole(common_folder: Path, command: str) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can act as two users")
    tree = common_folder / "tree"
    write(tree, "a.py", "alpha = 1\n")
    home = common_folder / "home"
    assert cairn("index", str(tree), CAIRN_HOME=str(home)).returncode == 0
    # A home is private too; here its owner has opened it, and the stores in it are not.
    os.chmod(home, 0o755)
    path = () if command == "stores" else (str(tree),)
    done = as_nobody(common_folder, home, command, *path)

    assert done.returncode == 70, done.stdout + done.stderr
    assert "Permission denied" in done.stderr
    assert_one_sentence_and_a_hint(done.stderr)
    assert found(tree, "alpha", str(home)) == ["a.py"]
