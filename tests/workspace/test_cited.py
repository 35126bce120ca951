"""Whether a cited file is still what the snapshot holds."""

import os
import subprocess
import sys
import time
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.config.project import MAX_FILE_BYTES
from cairn.workspace import livefiles
from cairn.workspace.beneath import Beneath
from cairn.workspace.livefiles import FileStates, out_of_sight, read_now
from cairn.workspace.reads import FileRead, content_hash
from cairn.workspace.stamps import FINE_TICK_NS
from tests.trees import write


@pytest.fixture
def tree(folder: Path) -> Iterator[Beneath]:
    with Beneath(str(folder)) as opened:
        yield opened


def file_state(tree: Beneath, key: str) -> str | None:
    return FileStates().of(tree, [key])[key]


def test_a_file_is_known_by_what_it_holds_now(folder: Path, tree: Beneath) -> None:
    write(folder, "src/a.py", "one\n")
    assert file_state(tree, "src/a.py") == content_hash(b"one\n")
    write(folder, "src/a.py", "two\n")
    assert file_state(tree, "src/a.py") == content_hash(b"two\n")


@pytest.mark.requirement("SRCH.1")
def test_an_edit_that_keeps_size_and_stamps_is_seen(folder: Path, tree: Beneath) -> None:
    path = write(folder, "a.py", "one\n")
    before = path.stat()
    write(folder, "a.py", "two\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file_state(tree, "a.py") == content_hash(b"two\n")


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
def test_what_was_read_under_an_old_stamp_is_not_read_again_and_any_edit_is_seen(
    folder: Path, tree: Beneath, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(folder, "a.py", "one\n")
    before = path.stat()
    states, reads = FileStates(), list[str]()

    def counted(*arguments: object) -> FileRead:
        reads.append("a.py")
        return read_now(*arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(livefiles, "read_now", counted)
    time.sleep(2 * FINE_TICK_NS / 1e9)
    assert [states.of(tree, ["a.py"])["a.py"] for _ in range(3)] == 3 * [content_hash(b"one\n")]
    assert len(reads) == 1
    write(folder, "a.py", "two\n")
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert states.of(tree, ["a.py"])["a.py"] == content_hash(b"two\n")
    path.unlink()
    assert states.of(tree, ["a.py"])["a.py"] is None


@pytest.mark.parametrize("key", ["missing.py", "src/missing.py", "src", "src/a.py/below"])
def test_what_is_no_file_any_more_is_gone(folder: Path, tree: Beneath, key: str) -> None:
    write(folder, "src/a.py", "one\n")
    assert file_state(tree, key) is None


def test_a_pipe_in_its_place_is_gone_and_blocks_nobody(folder: Path, tree: Beneath) -> None:
    os.mkfifo(folder / "a.py")
    assert file_state(tree, "a.py") is None


def test_a_file_that_grew_too_large_is_there_but_not_the_same(folder: Path, tree: Beneath) -> None:
    with open(folder / "a.py", "wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    assert file_state(tree, "a.py") == ""


@pytest.mark.requirement("SEC.1")
def test_a_link_that_leads_out_of_the_root_is_not_followed(folder: Path, tree: Beneath, tmp_path: Path) -> None:
    secret = write(tmp_path, "outside/secret.py", "secret\n")
    os.symlink(secret, folder / "a.py")
    assert file_state(tree, "a.py") != content_hash(b"secret\n")


@pytest.mark.parametrize("link", ["alias.py", "pkg/alias.py", "linked/real.py"])
def test_a_link_within_the_root_shows_what_its_target_holds(folder: Path, tree: Beneath, link: str) -> None:
    write(folder, "src/real.py", "one\n")
    (folder / "pkg").mkdir()
    os.symlink("src/real.py", folder / "alias.py")
    os.symlink("../src/real.py", folder / "pkg/alias.py")
    os.symlink("src", folder / "linked")
    assert file_state(tree, link) == content_hash(b"one\n")


@pytest.mark.parametrize("folder_form", ["NFC", "NFD"])
@pytest.mark.parametrize("name_form", ["NFC", "NFD"])
def test_a_key_finds_its_name_in_whatever_form_it_is_written(
    folder: Path, tree: Beneath, folder_form: str, name_form: str
) -> None:
    raw = f"{unicodedata.normalize(folder_form, 'é')}/{unicodedata.normalize(name_form, 'ü')}.py"  # type: ignore[arg-type]
    write(folder, raw, "one\n")
    assert file_state(tree, unicodedata.normalize("NFC", raw)) == content_hash(b"one\n")


_WITHOUT_RIGHTS = """
import os, sys
from cairn.workspace.livefiles import FileStates
from cairn.workspace.beneath import Beneath
if os.getuid() == 0:
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with Beneath(sys.argv[1]) as tree:
    print(repr(FileStates().of(tree, ["a.py"])["a.py"]))
"""


def test_a_file_that_can_not_be_read_is_there_but_unknown(folder: Path) -> None:
    for place in (folder, *folder.parents[:4]):
        if place.stat().st_uid == os.getuid():
            place.chmod(0o755)
    write(folder, "a.py", "one\n").chmod(0)
    done = subprocess.run(
        (sys.executable, "-c", _WITHOUT_RIGHTS, str(folder)), capture_output=True, text=True, check=True
    )
    assert done.stdout == "''\n"


def test_a_look_into_folders_finds_what_is_there_and_doubts_the_rest(folder: Path) -> None:
    write(folder, "a/there.py", "x")
    write(folder, unicodedata.normalize("NFD", "a/né.py"), "x")
    write(folder, "top.py", "x")
    (folder / "a/link.py").symlink_to("there.py")
    (folder / "a/folder.py").mkdir()
    wanted = {
        "": ("top.py", "gone.py"),
        "a": ("a/there.py", "a/né.py", "a/link.py", "a/folder.py"),
        "away": ("away/x.py",),
        "top.py": ("top.py/x.py",),
    }
    doubted = ["gone.py", "a/link.py", "a/folder.py", "away/x.py", "top.py/x.py"]
    assert out_of_sight(str(folder), wanted) == doubted
