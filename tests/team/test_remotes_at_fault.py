"""What a remote does wrong or slowly, and who works at it at the same time: told, left aside, and waited for in vain
no longer than it may take."""

import errno
import os
import shutil
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from types import SimpleNamespace

import pytest

from cairn.base.errors import CorruptStoreError, DiskFullError, PathKeyError, ProbeFailedError, RefusedError
from cairn.codebase import teamwork
from cairn.codebase.codebase import Codebase
from cairn.store.integrity import Verifier, artifacts
from cairn.store.recovery import read_manifest, read_pointer
from cairn.team import exchange, first, patience
from cairn.team.arrival import ArrivedSnapshot
from cairn.team.container import open_container
from cairn.team.patience import PatientRemote
from cairn.team.remote import FolderRemote, Span, TeamRemote
from cairn.workspace.git import Git
from tests.surfaces.cli.test_store import run
from tests.team.samples import FILES, at_home, clone, committed, done, everything, leftovers, live, refused
from tests.team.test_exchange import _age, _resealed, serving
from tests.trees import Repo

FAILSAFE_S = 20.0
"""So long a test that has failed takes."""


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "home"
    path.mkdir(mode=0o700)
    monkeypatch.setenv("CAIRN_HOME", str(path))
    return path


@pytest.fixture
def folder(tmp_path: Path, home: Path) -> Path:
    """A remote that the user of this home has."""
    path = tmp_path / "remote"
    path.mkdir()
    done("remote", "add", "team", str(path))
    return path


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    return committed(tmp_path / "repo")


@pytest.fixture
def other(repo: Repo, tmp_path: Path) -> Repo:
    return clone(repo, tmp_path / "clone")


class Hooked:
    """A remote at which something is done before one of the calls, counted from 0."""

    def __init__(self, inner: TeamRemote, before: int, act: Callable[[], object]) -> None:
        self._inner, self._left, self._act = inner, before, act
        self.address, self.lists = inner.address, inner.lists
        self.acted = False

    def _count(self) -> None:
        if self._left == 0:
            self.acted = True
            self._act()
        self._left -= 1

    def names(self, prefix: str) -> dict[str, float]:
        self._count()
        return self._inner.names(prefix)

    def has(self, name: str) -> bool:
        self._count()
        return self._inner.has(name)

    def read(self, name: str) -> Iterator[bytes]:
        self._count()
        return self._inner.read(name)

    def pieces(self, name: str, spans: Sequence[Span]) -> list[bytes]:
        self._count()
        return self._inner.pieces(name, spans)

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        self._count()
        return self._inner.write(name, blocks)

    def move(self, name: str, to: str) -> None:
        self._count()
        self._inner.move(name, to)

    def remove(self, name: str) -> None:
        self._count()
        self._inner.remove(name)


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("beside", ["a push beside a collection", "a collection beside a push"])
def test_a_collection_takes_no_part_of_a_push_whenever_the_other_looks(beside: str, folder: Path, repo: Repo) -> None:
    remote = FolderRemote(str(folder))
    done("index", str(repo.path))
    with Codebase(str(repo.path)) as codebase, teamwork.shared(codebase) as (layout, listing):

        def push(at: TeamRemote = remote) -> None:
            exchange.push(at, layout, listing, None)

        def sweep(at: TeamRemote = remote) -> None:
            exchange.sweep(at, keep=1)

        for number in range(100):
            # Parts that nobody needs, and that are old enough to go.
            exchange.push(remote, layout, listing, None, anew=True)
            remote.remove(exchange.listing_name(listing.fingerprint, listing.commit or ""))
            _age(folder)
            one, two = (sweep, push) if beside.startswith("a push") else (push, sweep)
            hooked = Hooked(remote, number, two)
            one(hooked)
            if not hooked.acted:
                break
            there = exchange.read_at(remote, listing.fingerprint, listing.commit or "", None)
            assert [part for part in there.parts if not remote.has(exchange.part_name(part))] == [], number
        assert number > 5


@pytest.mark.slow
def test_what_a_collection_that_died_laid_aside_comes_back(folder: Path, repo: Repo, other: Repo) -> None:
    done("push", str(repo.path))
    for part in sorted(folder.glob("cairn1/parts/*/*")):
        FolderRemote(str(folder)).move(str(part.relative_to(folder)), f"cairn1/aside/{part.name}")
    assert done("remote", "gc")["parts"] == 0
    assert done("pull", str(other.path))["indexed"] == 0


def test_a_listing_that_can_not_be_read_stops_a_collection_before_anything_goes(folder: Path, repo: Repo) -> None:
    done("push", str(repo.path))
    (listing,) = folder.glob("cairn1/snapshots/*/*")
    older = listing.with_name("c" * 40)
    shutil.copyfile(listing, older)
    _age(folder)
    listing.write_bytes(b"damaged")
    os.utime(listing, (2, 2))
    said = refused("remote", "gc", "--keep", "1")
    assert listing.name in said.stderr
    assert "was refused: it is not what was written" in said.stderr
    assert older.exists()
    done("push", str(repo.path), "--again")
    assert done("remote", "gc", "--keep", "1")["snapshots"] == 1


ODD: dict[str, Callable[[Path], object]] = {
    "a folder": Path.mkdir,
    "a link": lambda path: path.symlink_to("/etc/hostname"),
    "a link to itself": lambda path: path.symlink_to(path),
    "a pipe": os.mkfifo,
}


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("kind", ODD)
@pytest.mark.parametrize("what", ["part", "listing"])
def test_what_can_not_be_read_at_a_folder_is_told_and_left_aside(
    what: str, kind: str, folder: Path, repo: Repo, other: Repo, tmp_path: Path
) -> None:
    former = done("push", str(repo.path))["commit"]
    before = {*folder.rglob("*")}
    repo.commit("the same files, all of them indexed anew")
    done("index", "--reindex", str(repo.path))
    done("push", str(repo.path))
    other.git("pull", "-q")
    place = "cairn1/parts/*/*" if what == "part" else "cairn1/snapshots/*/*"
    for path in {path for path in folder.glob(place) if path.is_file()} - before:
        path.unlink()
        ODD[kind](path)
    with at_home(tmp_path / "two"):
        done("remote", "add", "team", str(folder))
        said = run("pull", str(other.path))
        assert said.returncode == 0, said.stderr
        assert f"pulled the index at {former[:10]}" in said.stdout
        if (what, kind) != ("listing", "a folder"):
            # That is no file of a name, as if nothing were there.
            assert "warning: a nearer snapshot could not be had" in said.stdout
        assert set(live(other.path)) == set(FILES)


def test_a_folder_that_can_not_be_listed_is_not_taken_for_an_empty_one(tmp_path: Path) -> None:
    (tmp_path / "cairn1").mkdir()
    (tmp_path / "cairn1" / "snapshots").write_bytes(b"")
    assert FolderRemote(str(tmp_path)).names("cairn1/parts/") == {}
    with pytest.raises(ProbeFailedError, match="Not a directory"):
        FolderRemote(str(tmp_path)).names("cairn1/snapshots/")


def test_a_full_disk_of_a_remote_is_told_as_that_of_the_remote(folder: Path) -> None:
    def blocks() -> Iterator[bytes]:
        yield b"some"
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with pytest.raises(DiskFullError, match=f"The disk of the remote {folder} is full") as told:
        FolderRemote(str(folder)).write("cairn1/parts/a", blocks())
    assert "remote gc" in told.value.hint
    assert not list(folder.rglob("*a*.tmp*"))


@pytest.mark.parametrize("number", [errno.EACCES, errno.EROFS])
def test_a_folder_that_may_not_be_written_is_told_as_that(
    number: int, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forbidden(*_: object, **__: object) -> None:
        raise OSError(number, os.strerror(number))

    remote = FolderRemote(str(folder))
    remote.write("cairn1/parts/a", [b"some"])
    for name in ("makedirs", "unlink"):
        monkeypatch.setattr(os, name, forbidden)
    works: tuple[Callable[[], object], ...] = (
        lambda: remote.write("cairn1/parts/b", [b"some"]),
        lambda: remote.move("cairn1/parts/a", "cairn1/aside/a"),
        lambda: remote.remove("cairn1/parts/a"),
    )
    for work in works:
        with pytest.raises(RefusedError, match=f"{folder} is only read by this user: {os.strerror(number)}") as told:
            work()
        assert "cairn remote add NAME ADDRESS" in told.value.hint


def test_nothing_is_indexed_for_a_push_to_what_is_only_read(home: Path, repo: Repo) -> None:
    done("remote", "add", "web", "http://127.0.0.1:9")
    assert "is only read." in refused("push", str(repo.path)).stderr
    assert everything(home) == {}


class Slow(FolderRemote):
    """A share that answers when it is let, or one byte at a time."""

    def __init__(self, address: str, go_on: threading.Event) -> None:
        super().__init__(address)
        self.go_on = go_on

    def names(self, prefix: str) -> dict[str, float]:
        assert self.go_on.wait(FAILSAFE_S)
        return super().names(prefix)

    def has(self, name: str) -> bool:
        return bool(self.names(name))

    def read(self, name: str) -> Iterator[bytes]:
        for _ in range(1000):
            self.go_on.wait(FAILSAFE_S / 1000)
            yield b"a"


@pytest.fixture
def slow(folder: Path) -> Iterator[Slow]:
    go_on = threading.Event()
    yield Slow(str(folder), go_on)
    go_on.set()


@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("method", ["names", "has", "read"])
def test_no_call_of_a_remote_is_waited_for_without_end(method: str, slow: Slow) -> None:
    asked = PatientRemote(slow, 0.2)
    with pytest.raises(ProbeFailedError, match=r"it takes longer than 0\.2 s"):
        list(getattr(asked, method)("cairn1"))


@pytest.mark.requirement("TEAM.2")
def test_larger_pieces_of_a_file_may_take_longer(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    granted = []

    def noted(seconds: float, work: Callable[[], list[bytes]]) -> list[bytes]:
        granted.append(seconds)
        return work()

    monkeypatch.setattr(patience, "within", noted)
    (folder / "a").write_bytes(bytes(10))
    asked = PatientRemote(FolderRemote(str(folder)), 2.0)
    for spans in ([(0, 10)], [(0, 3 << 20)], [(0, 1 << 20), (5, (2 << 20) + 5)]):
        asked.pieces("a", spans)
    assert granted == [2.0, 8.0, 8.0]


@pytest.mark.requirement("TEAM.2")
def test_what_brings_a_megabyte_in_time_may_go_on(slow: Slow, monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(patience, "time", SimpleNamespace(monotonic=lambda: now[0]))

    class Steady(FolderRemote):
        def read(self, name: str) -> Iterator[bytes]:
            for _ in range(8):
                now[0] += 0.7
                yield bytes(size)

    size = 1 << 19
    assert len(list(PatientRemote(Steady(slow.address), 2.0).read("a"))) == 8
    size = 1 << 10
    with pytest.raises(ProbeFailedError, match="it takes longer"):
        list(PatientRemote(Steady(slow.address), 2.0).read("a"))


@pytest.mark.requirement("TEAM.2")
def test_the_first_index_waits_for_no_more_than_all_of_it_may_take(
    slow: Slow, repo: Repo, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done("config", "set", "team.timeout_s", "0.05")
    # Each call may take its time.
    monkeypatch.setattr(patience, "remote_at", lambda *_: PatientRemote(slow, 2 * FAILSAFE_S))
    with Codebase(str(repo.path)) as codebase, ExitStack() as stack:
        git = Git(str(repo.path))
        paths, address, notes = first.fetched(str(home), codebase.identity, git, stack, codebase.detector.scanner.scan)
    assert (paths, address) == ((), str(slow.address))
    assert [note.fields["message"] for note in notes] == ["The time that was given is over."]


@pytest.mark.requirement("TEAM.2")
def test_the_tree_is_walked_through_while_the_remote_is_waited_for(slow: Slow, repo: Repo, home: Path) -> None:
    """The remote answers once the walk is over; what the walk meets with is left to the look that follows."""
    done("remote", "add", "team", slow.address)
    walked: list[str] = []

    def walk() -> None:
        walked.append(threading.current_thread().name)
        slow.go_on.set()
        raise PathKeyError("A name that can't be.")

    with pytest.MonkeyPatch.context() as patch, Codebase(str(repo.path)) as codebase, ExitStack() as stack:
        patch.setattr(patience, "remote_at", lambda *_: slow)
        found = first.fetched(str(home), codebase.identity, Git(str(repo.path)), stack, walk)
    assert found == ((), str(slow.address), ())
    assert walked == ["cairn-walk"]


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_a_server_that_brings_heads_byte_by_byte_is_given_up(folder: Path, repo: Repo, other: Repo) -> None:
    done("push", str(repo.path))
    done("clear", str(repo.path))
    with serving(folder, "drips") as address:
        done("remote", "add", "team", address)
        done("config", "set", "team.timeout_s", "0.4")
        said = refused("pull", str(other.path))
        assert said.returncode == 10
        assert "can't be asked: timed out" in said.stderr
        assert done("search", "heron_wades", str(other.path))["results"]
        assert done("status", str(other.path))["cause"] == "sync"


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_a_server_that_leads_to_where_all_is_right_is_not_followed(folder: Path, repo: Repo, other: Repo) -> None:
    done("push", str(repo.path))
    with serving(folder, "right") as right, serving(folder, "redirects", right) as address:
        done("remote", "add", "team", address)
        assert "it leads elsewhere" in refused("pull", str(other.path)).stderr
        done("remote", "add", "team", right)
        assert done("pull", str(other.path))["commit"] is not None


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
def test_an_index_of_ones_own_that_is_nearer_stays(folder: Path, repo: Repo, other: Repo, tmp_path: Path) -> None:
    pushed = done("push", str(repo.path))["commit"]
    repo.write("src/egret.py", "EGRET = 1\n")
    repo.commit()
    between = repo.git("rev-parse", "HEAD").strip()
    repo.write("src/late.py", "LATE = 1\n")
    repo.commit()
    other.git("pull", "-q")
    with at_home(tmp_path / "two"):
        done("remote", "add", "team", str(folder))
        other.git("checkout", "-q", between)
        done("index", str(other.path))
        other.git("checkout", "-q", "-")
        said = run("pull", str(other.path))
        assert "the remote has nothing nearer than what is here, indexed 1 file" in said.stdout
        # A former commit's is nearer to what came right after it than one of two commits later.
        other.git("checkout", "-q", pushed)
        assert done("pull", str(other.path))["commit"] == pushed


@pytest.mark.slow
def test_a_remote_that_has_nothing_is_told_as_that(folder: Path, other: Repo) -> None:
    for _ in range(2):
        said = run("pull", str(other.path))
        assert said.returncode == 0
        assert "the remote has no index for this history and these settings, indexed" in said.stdout


@pytest.mark.slow
@pytest.mark.requirement("TEAM.2")
@pytest.mark.parametrize("has_own", [False, True])
def test_of_a_commit_that_shares_little_the_tree_is_indexed_instead(
    has_own: bool, folder: Path, repo: Repo, tmp_path: Path
) -> None:
    done("push", str(repo.path))
    done("export", str(tmp_path / "far.cairn"), str(repo.path))
    for name in FILES:
        repo.write(name, f"anew {name}\n")
    repo.commit()
    commit = repo.git("rev-parse", "HEAD~1").strip()
    for number, command in enumerate((("pull",), ("import", str(tmp_path / "far.cairn")), ("index",))):
        other = clone(repo, tmp_path / f"clone-{number}")
        with at_home(tmp_path / f"home-{number}"):
            done("remote", "add", "team", str(folder))
            if has_own:
                done("index", str(other.path), "--reindex")
            said = run(*command, str(other.path))
            assert said.returncode == 0, said.stderr
            if not (has_own and command[0] in ("pull", "index")):
                name = {"pull": commit[:10], "import": "far.cairn", "index": str(folder)}[command[0]]
                assert f"not started from the index of {name}: Most of its files" in said.stdout + said.stderr
                assert str(repo.path) not in said.stdout + said.stderr
            assert set(live(other.path)) == set(FILES)
            assert leftovers(tmp_path / f"home-{number}") == []


@pytest.mark.slow
def test_a_newer_listing_is_no_hindrance_to_a_push(folder: Path, repo: Repo, other: Repo) -> None:
    done("push", str(repo.path))
    (listing,) = folder.glob("cairn1/snapshots/*/*")
    listing.write_bytes(_resealed(listing.read_bytes()))
    done("push", str(repo.path))
    assert done("pull", str(other.path))["indexed"] == 0


def test_a_name_with_a_sign_in_it_is_refused_as_that(folder: Path) -> None:
    said = refused("remote", "add", "a=b", str(folder))
    assert said.returncode == 2
    assert "can't be called 'a=b'" in said.stderr


def test_an_export_to_a_folder_is_refused_as_that(home: Path, repo: Repo, tmp_path: Path) -> None:
    said = refused("export", str(tmp_path), str(repo.path))
    assert said.returncode == 2
    assert f"{tmp_path} is a folder" in said.stderr
    assert not list(tmp_path.parent.glob(f"{tmp_path.name}.tmp*"))


@pytest.mark.slow
@pytest.mark.requirement("TEAM.1")
def test_a_file_is_refused_also_where_only_what_is_here_already_was_changed(
    home: Path, repo: Repo, other: Repo, tmp_path: Path
) -> None:
    path = tmp_path / "index.cairn"
    done("export", str(path), str(repo.path))
    done("import", str(path), str(other.path))
    data = path.read_bytes()
    container = open_container(str(path))
    container.file.close()
    for start, size, _ in container.places.values():
        changed = bytearray(data)
        changed[start + size // 2] ^= 1
        path.write_bytes(changed)
        assert "is not what was written" in refused("import", str(path), str(other.path)).stderr


@pytest.mark.requirement("TEAM.1")
def test_what_has_rotted_here_comes_whole_from_elsewhere(home: Path, repo: Repo, tmp_path: Path) -> None:
    path = tmp_path / "index.cairn"
    done("export", str(path), str(repo.path))
    with Codebase(str(repo.path)) as codebase:
        own, identity = codebase.store().layout, codebase.identity
    for rows in Path(own.path).rglob("rows.sqlite"):
        data = bytearray(rows.read_bytes())
        data[-1] ^= 1
        rows.write_bytes(data)
    container = open_container(str(path))
    with closing(container.file), ArrivedSnapshot(str(home), identity) as arrival:
        arrival.take(container.listing, container.open_part, container.what, own)
        assert arrival.travelled > 0
        manifest = read_manifest(arrival.layout, read_pointer(arrival.layout) or "")
        for name, digest in artifacts(manifest):
            Verifier(arrival.layout, fresh=True).check(name, digest)
            if name.startswith("segments/"):
                with pytest.raises(CorruptStoreError, match="is damaged"):
                    Verifier(own, fresh=True).check(name, digest)


@pytest.mark.slow
def test_damage_is_told_in_our_words(folder: Path, repo: Repo, other: Repo) -> None:
    done("push", str(repo.path))
    for part in folder.glob("cairn1/parts/*/*"):
        part.write_bytes(b"x" + part.read_bytes())
    said = refused("pull", str(other.path))
    assert "it can't be unpacked" in said.stderr
    assert "Error -" not in said.stderr
