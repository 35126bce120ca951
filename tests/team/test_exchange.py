"""Remotes: two machines, two pushers, kills at every step, and what a bucket or a server may do wrong."""

import contextlib
import hashlib
import http.server
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import CorruptStoreError, ProbeFailedError
from cairn.codebase import teamwork
from cairn.codebase.codebase import Codebase
from cairn.store import faults
from cairn.team import exchange
from cairn.team.remote import FolderRemote, LackingError, TeamRemote
from tests.surfaces.cli.test_store import run
from tests.team.samples import FILES, at_home, clone, committed, done, found, leftovers, live, refused
from tests.trees import Repo, cairn

PUSH_POINTS = ["push.part", "push.listed"]
"""Without that of a part which is sent again: see the test of a push whose parts were taken."""
PULL_POINTS = ["arrival.part", "arrival.verified", "seed.placed"]
SWEEP_POINTS = [point for point in faults.POINTS if point.startswith("remote.")]
Machines = tuple[Path, Path]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    path = tmp_path / "remote"
    path.mkdir()
    return path


@pytest.fixture
def machines(tmp_path: Path, folder: Path) -> Machines:
    """Two machines that know the same remote."""
    made = (tmp_path / "one", tmp_path / "two")
    for home in made:
        with at_home(home):
            done("remote", "add", "team", str(folder))
    return made


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return committed(tmp_path / "repo")


@pytest.fixture
def other(repo: Repo, tmp_path: Path) -> Repo:
    return clone(repo, tmp_path / "clone")


def objects(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


def push(home: Path, repo: Repo, *more: str) -> dict[str, Any]:
    with at_home(home):
        return done("push", str(repo.path), *more)


def pull(home: Path, repo: Repo) -> dict[str, Any]:
    with at_home(home):
        return done("pull", str(repo.path))


def sound(home: Path, repo: Repo) -> dict[str, str]:
    with at_home(home):
        return live(repo.path)


@pytest.mark.requirement("TEAM.2")
def test_what_one_has_pushed_another_pulls(machines: Machines, repo: Repo, other: Repo, folder: Path) -> None:
    pushed = push(machines[0], repo)
    assert pushed["sent"] == pushed["parts"]
    assert push(machines[0], repo)["sent"] == 0
    taken = pull(machines[1], other)
    assert (taken["commit"], taken["indexed"], taken["embedded"]) == (pushed["commit"], 0, 0)
    assert set(sound(machines[1], other)) == set(FILES)
    with at_home(machines[0]):
        answers = found(repo.path)
    with at_home(machines[1]):
        assert found(other.path) == answers
        again = done("pull", str(other.path))
    assert (again["commit"], again["travelled_bytes"]) == (None, 0)


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_the_nearest_commit_counts_and_only_what_is_missing_travels(
    machines: Machines, repo: Repo, other: Repo
) -> None:
    # Enough for a segment that no compaction finds worth merging with a small one.
    for number in range(300):
        repo.write(f"many/{number}.py", f"def made_{number}():\n    return {number}\n" * 3)
    repo.commit()
    first = push(machines[0], repo)
    other.git("pull", "-q")
    assert pull(machines[1], other)["travelled_bytes"] < first["travelled_bytes"]
    repo.write("src/egret.py", "EGRET = 1\n")
    repo.commit()
    second = push(machines[0], repo)
    assert second["travelled_bytes"] < first["travelled_bytes"] / 4
    repo.write("src/late.py", "LATE = 1\n")
    repo.commit()
    other.git("pull", "-q")
    taken = pull(machines[1], other)
    assert taken["commit"] == second["commit"]
    assert taken["travelled_bytes"] < first["travelled_bytes"] / 4
    assert taken["indexed"] == 1
    assert {"src/egret.py", "src/late.py"} < set(sound(machines[1], other))


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_the_first_search_in_a_fresh_clone_asks_the_remote(machines: Machines, repo: Repo, other: Repo) -> None:
    push(machines[0], repo)
    with at_home(machines[1]):
        results = done("search", "heron_wades", str(other.path))["results"]
        assert results[0]["path"] == "src/heron.py"
        assert done("status", str(other.path))["cause"] == "seed"
        assert leftovers(machines[1]) == []


@pytest.mark.slow
def test_without_the_remote_the_tree_is_indexed(machines: Machines, other: Repo, folder: Path) -> None:
    folder.rmdir()
    with at_home(machines[1]):
        indexed = done("index", str(other.path))
        assert indexed["indexed"] == len(FILES)
        assert "the folder is not there" in indexed["warnings"][0]
        said = refused("pull", str(other.path))
        assert said.returncode == 10
        assert "Mount it or make it" in said.stderr
    # Nothing is written beneath a mount point.
    assert not folder.exists()


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("point", PUSH_POINTS)
def test_a_push_that_dies_shows_nothing_or_all(
    point: str, machines: Machines, repo: Repo, other: Repo, folder: Path
) -> None:
    died = cairn("push", str(repo.path), CAIRN_HOME=str(machines[0]), CAIRN_CRASH_AT=point)
    assert died.returncode == -signal.SIGKILL
    taken = pull(machines[1], other)
    assert (taken["commit"] is not None) == (point == "push.listed")
    assert set(sound(machines[1], other)) == set(FILES)
    assert push(machines[0], repo)["commit"] is not None
    with at_home(machines[1]):
        done("clear", str(other.path))
    assert pull(machines[1], other)["indexed"] == 0


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_a_push_that_dies_as_it_sends_again_what_was_taken_meanwhile_serves_nothing_of_it(
    machines: Machines, repo: Repo, other: Repo, folder: Path
) -> None:
    environment = {"CAIRN_HOME": str(machines[0]), "CAIRN_STOP_AT": "push.listed", "CAIRN_CRASH_AT": "push.resent"}
    command = (sys.executable, "-m", "cairn", "push", str(repo.path))
    with subprocess.Popen(command, env=os.environ | environment, stdout=subprocess.DEVNULL) as pushing:
        _, status = os.waitpid(pushing.pid, os.WUNTRACED)
        assert os.WIFSTOPPED(status)
        taken = sorted(folder.glob("cairn1/parts/*/*"))
        for part in taken:
            part.unlink()
        os.kill(pushing.pid, signal.SIGCONT)
    assert pushing.returncode == -signal.SIGKILL
    # The first part came back, the rest did not.
    assert len(taken) == 3
    assert len([part for part in taken if part.exists()]) == 1
    with at_home(machines[1]):
        assert "the remote doesn't have it" in refused("pull", str(other.path)).stderr
        assert done("search", "heron_wades", str(other.path))["results"]
        assert done("status", str(other.path))["cause"] == "sync"
        done("clear", str(other.path))
    assert push(machines[0], repo)["sent"] == 2
    assert pull(machines[1], other)["indexed"] == 0
    assert set(sound(machines[1], other)) == set(FILES)


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("point", PULL_POINTS)
def test_a_pull_that_dies_leaves_what_was_there(point: str, machines: Machines, repo: Repo, other: Repo) -> None:
    push(machines[0], repo)
    died = cairn("pull", str(other.path), CAIRN_HOME=str(machines[1]), CAIRN_CRASH_AT=point)
    assert died.returncode == -signal.SIGKILL
    with at_home(machines[1]):
        assert refused("search", "--no-sync", "heron_wades", str(other.path)).returncode == 3
    assert pull(machines[1], other)["indexed"] == 0
    assert set(sound(machines[1], other)) == set(FILES)
    assert leftovers(machines[1]) == []


def _age(folder: Path) -> None:
    for path in folder.rglob("*"):
        os.utime(path, (1, 1))


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("point", [*SWEEP_POINTS, ""])
def test_a_collection_that_dies_takes_nothing_that_is_needed(
    point: str, machines: Machines, repo: Repo, other: Repo, folder: Path
) -> None:
    push(machines[0], repo)
    repo.write("src/egret.py", "EGRET = 1\n")
    repo.commit()
    with at_home(machines[0]):
        # Anew, so that no part of the first is one of the second.
        done("index", "--reindex", str(repo.path))
    push(machines[0], repo)
    _age(folder)
    os.utime(next(folder.glob(f"cairn1/snapshots/*/{repo.git('rev-parse', 'HEAD').strip()}")), (2, 2))
    swept = cairn("remote", "gc", "--keep", "1", CAIRN_HOME=str(machines[0]), CAIRN_CRASH_AT=point)
    assert swept.returncode == (-signal.SIGKILL if point else 0)
    other.git("pull", "-q")
    assert pull(machines[1], other)["indexed"] == 0
    assert set(sound(machines[1], other)) == {*FILES, "src/egret.py"}
    with at_home(machines[0]):
        done("remote", "gc", "--keep", "1")
    assert len(list(folder.glob("cairn1/snapshots/*/*"))) == 1
    needed = {path for path in objects(folder) if "/parts/" in path}
    with at_home(machines[0]), Codebase(str(repo.path)) as codebase, teamwork.shared(codebase) as (_, listing):
        assert needed == {exchange.part_name(part) for part in listing.parts}


@pytest.mark.requirement("TEAM.2")
def test_what_is_young_or_can_not_be_read_is_not_collected(folder: Path) -> None:
    remote = FolderRemote(str(folder))
    young, odd = "cairn1/parts/aa/" + "a" * 64, exchange.listing_name("f" * 64, "c" * 40)
    remote.write(young, [b"of a push that is under way"])
    assert exchange.sweep(remote, keep=1).parts == 0
    assert remote.has(young)
    _age(folder)
    remote.write(odd, [b"of a newer version"])
    with pytest.raises(CorruptStoreError, match="Nobody knows what"):
        exchange.sweep(remote, keep=1)
    assert remote.has(young)
    remote.remove(odd)
    assert exchange.sweep(remote, keep=1).parts == 1


class Unreliable:
    """A bucket that forgets, lags, or changes what it was given."""

    def __init__(self, inner: TeamRemote, spoil: Callable[[str, bytes], bytes | None]) -> None:
        self._inner = inner
        self._spoil = spoil
        self.address, self.lists = inner.address, inner.lists

    def names(self, prefix: str) -> dict[str, float]:
        return self._inner.names(prefix)

    def has(self, name: str) -> bool:
        return self._inner.has(name)

    def read(self, name: str) -> Iterator[bytes]:
        given = self._spoil(name, b"".join(self._inner.read(name)))
        if given is None:
            raise LackingError(name)
        yield given

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        return self._inner.write(name, blocks)

    def move(self, name: str, to: str) -> None:
        self._inner.move(name, to)

    def remove(self, name: str) -> None:
        self._inner.remove(name)


def _resealed(data: bytes) -> bytes:
    newer = data[64:].replace(b'"schema_version": 1', b'"schema_version": 9', 1)
    return data[:32] + hashlib.sha256(data[:32] + newer).digest() + newer


SPOILT: dict[str, Callable[[str, bytes], bytes | None]] = {
    "parts are not there yet": lambda name, data: None if "/parts/" in name else data,
    "parts are cut": lambda name, data: data[: len(data) // 2] if "/parts/" in name else data,
    "parts are empty": lambda name, data: b"" if "/parts/" in name else data,
    "parts go on": lambda name, data: data + b"more" if "/parts/" in name else data,
    "a listing is cut": lambda name, data: data[:-7] if "/snapshots/" in name else data,
    "a listing is another's": lambda name, data: bytes(64) + data[64:] if "/snapshots/" in name else data,
    "a newer version": lambda name, data: _resealed(data) if "/snapshots/" in name else data,
    "the first byte": lambda _, data: bytes([data[0] ^ 1]) + data[1:],
    "the last byte": lambda _, data: data[:-1] + bytes([data[-1] ^ 1]),
}


@pytest.mark.sampled
@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("kind", SPOILT)
def test_nothing_of_a_bucket_that_errs_is_served(
    kind: str, machines: Machines, repo: Repo, other: Repo, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    push(machines[0], repo)
    monkeypatch.setattr(teamwork, "remote_at", lambda *_: Unreliable(FolderRemote(str(folder)), SPOILT[kind]))
    with at_home(machines[1]):
        said = run("pull", str(other.path))
        assert said.returncode == (13 if kind == "a newer version" else 14), said.stdout + said.stderr
        assert refused("search", "--no-sync", "heron_wades", str(other.path)).returncode == 3
        assert leftovers(machines[1]) == []


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_every_range_of_every_object_is_guarded(machines: Machines, repo: Repo, other: Repo, folder: Path) -> None:
    push(machines[0], repo)
    whole = objects(folder)
    for name, data in whole.items():
        for place in sorted({0, 31, 32, 63, 64, len(data) - 1, *range(0, len(data), max(1, len(data) // 12))}):
            flipped = bytearray(data)
            flipped[place % len(data)] ^= 0x10
            (folder / name).write_bytes(flipped)
            with at_home(machines[1]):
                said = run("pull", str(other.path))
                if said.returncode == 0:
                    # Bits that fill up the last byte of a stream say nothing.
                    assert set(live(other.path)) == set(FILES)
                    done("clear", str(other.path))
                else:
                    assert said.returncode == 14, (name, place, said.stderr)
        (folder / name).write_bytes(data)
    assert pull(machines[1], other)["indexed"] == 0


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_a_part_that_was_lost_comes_again_with_the_next_push(
    machines: Machines, repo: Repo, other: Repo, folder: Path
) -> None:
    push(machines[0], repo)
    lost = next(path for path in folder.glob("cairn1/parts/*/*") if path.stat().st_size > 1000)
    data = lost.read_bytes()
    lost.unlink()
    with at_home(machines[1]):
        assert "the remote doesn't have it" in refused("pull", str(other.path)).stderr
    assert push(machines[0], repo)["sent"] == 1
    lost.write_bytes(data[:-9])
    with at_home(machines[1]):
        assert "ends early" in refused("pull", str(other.path)).stderr
    assert push(machines[0], repo, "--again")["sent"] > 0
    assert pull(machines[1], other)["indexed"] == 0


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_two_push_at_once_while_one_reads(
    machines: Machines, repo: Repo, other: Repo, tmp_path: Path, folder: Path
) -> None:
    """Of the same commit, from two machines; whoever pulls meanwhile gets one of both, whole, or nothing."""
    third = tmp_path / "three"
    with at_home(third):
        done("remote", "add", "team", str(folder))
    reader = clone(repo, tmp_path / "reader")
    said: list[tuple[int, str]] = []

    def command(home: Path, *arguments: str) -> None:
        result = cairn(*arguments, CAIRN_HOME=str(home))
        said.append((result.returncode, result.stderr))

    work = [
        threading.Thread(target=command, args=(home, what, str(tree.path), *more))
        for home, what, tree, *more in (
            (machines[0], "push", repo, "--again"),
            (machines[1], "push", other, "--again"),
            (third, "pull", reader),
        )
    ]
    for each in work:
        each.start()
    for each in work:
        each.join()
    assert [code for code, _ in said] == [0, 0, 0], said
    assert set(sound(third, reader)) == set(FILES)
    with at_home(third):
        done("clear", str(reader.path))
    assert pull(third, reader)["indexed"] == 0
    assert set(sound(third, reader)) == set(FILES)


@contextlib.contextmanager
def serving(folder: Path, act: str, elsewhere: str = "http://192.0.2.1/elsewhere") -> Iterator[str]:
    """A web server over a remote that does one thing wrong."""
    gone = threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def __init__(self, *given: Any) -> None:
            super().__init__(*given, directory=str(folder))

        def do_GET(self) -> None:
            place = Path(folder, self.path.lstrip("/"))
            if act in ("right", "drips") or not place.is_file():
                super().do_GET()
                return
            if act == "redirects":
                self.send_response(302)
                self.send_header("Location", elsewhere + self.path)
                self.end_headers()
                return
            data = place.read_bytes()
            self.send_response(500 if act == "fails" else 200)
            length = {"says less": len(data) // 2, "says more": len(data) * 2, "cuts": len(data)}.get(act, len(data))
            self.send_header("Content-Length", str(length))
            self.end_headers()
            self.wfile.write(data[: len(data) // 2] if act == "cuts" else data)

        def end_headers(self) -> None:
            with contextlib.suppress(OSError):
                if act == "drips":
                    self.flush_headers()
                    for _ in range(40):
                        self.wfile.write(b"X-Slow: a\r\n")
                        gone.wait(0.05)
                super().end_headers()

        def log_message(self, *_: Any) -> None:
            pass

    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_address[1]}"
        finally:
            gone.set()
            server.shutdown()
            thread.join()


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("act", ["right", "cuts", "says less", "says more", "redirects", "fails"])
def test_a_web_server_is_read_and_what_it_does_wrong_is_refused(
    act: str, machines: Machines, repo: Repo, other: Repo, folder: Path
) -> None:
    push(machines[0], repo)
    repo.commit("nothing that the remote knows")
    other.git("pull", "-q")
    with serving(folder, act) as address, at_home(machines[1]):
        done("remote", "add", "team", address)
        said = run("pull", str(other.path), "--json")
        if act == "says more":
            # All of it came, and its hashes are right.
            assert said.returncode == 0, said.stderr
            assert set(live(other.path)) == set(FILES)
        elif act == "right":
            assert said.returncode == 0, said.stderr
            assert set(live(other.path)) == set(FILES)
            for command in (("push", str(other.path)), ("remote", "gc")):
                said = refused(*command)
                assert "is only read." in said.stderr
                assert "cairn remote add NAME ADDRESS" in said.stderr
        else:
            assert said.returncode in (10, 14), said.stdout + said.stderr
            # The first search asks too, and does without.
            assert done("search", "heron_wades", str(other.path))["results"]
            assert done("status", str(other.path))["cause"] == "sync"


@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize(
    "address",
    [
        "relative/path",
        "ftp://host/x",
        "https://me:secret@host/x",
        "s3://bucket/x?key=secret",
        "https://host/../up",
        "s3://",
    ],
)
def test_no_address_holds_anything_else(address: str) -> None:
    said = refused("remote", "add", "team", address)
    assert said.returncode == 2
    assert "secret" not in said.stderr


@pytest.mark.requirement("TEAM.2")
def test_remotes_are_the_users_alone(repo: Repo, tmp_path: Path) -> None:
    said = refused("pull", str(repo.path)).stderr
    assert "There is no remote" in said
    assert "cairn remote add NAME ADDRESS" in said
    done("remote", "add", "team", str(tmp_path))
    done("remote", "add", "web", "https://cairn.example/index/")
    assert [each["address"] for each in done("remote", "list")["remotes"]] == [
        str(tmp_path),
        "https://cairn.example/index",
    ]
    done("remote", "remove", "team")
    assert [each["name"] for each in done("remote", "list")["remotes"]] == ["web"]
    assert "no remote 'team'" in refused("remote", "remove", "team").stderr
    repo.write(".cairn.toml", '[team]\nremotes = ["evil=https://evil.example"]\n')
    assert "belongs in config.toml" in refused("index", str(repo.path)).stderr


def test_a_folder_that_can_not_be_asked_is_told_as_that(tmp_path: Path) -> None:
    with pytest.raises(ProbeFailedError, match="not there"):
        FolderRemote(str(tmp_path / "away")).has("x")
