"""What a run is held against: files that stood still from before it to after it, and no others."""

import os
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.semantic.inputs import Inputs
from cairn.semantic.state import FileNow
from cairn.workspace.beneath import Beneath
from cairn.workspace.reads import content_hash
from cairn.workspace.stamps import COARSE_TICK_NS, FINE_TICK_NS
from tests.semantic.fakes import until
from tests.trees import write

TEXT = "from x import *\n\n\ndef f():\n    pass\n"


@pytest.fixture
def tree(folder: Path) -> Iterator[Beneath]:
    write(folder, "a.py", TEXT)
    write(folder, "b.py", "def g():\n    pass\n")
    write(folder, "inner/c.py", "x = 1\n")
    with Beneath(str(folder)) as tree:
        yield tree


def taken(tree: Beneath, interface: str = "interface") -> Inputs:
    shows = {
        name: FileNow(content_hash((Path(tree.root) / name).read_bytes()), interface)
        for name in ("a.py", "b.py", "inner/c.py")
    }
    return Inputs.taken(tree, ["a.py", "b.py"], shows)


def test_a_file_that_stood_still_has_its_text_its_flags_and_what_it_shows(tree: Beneath) -> None:
    source = taken(tree).source("a.py")
    assert source is not None
    assert (source.data, source.content_hash) == (TEXT.encode(), content_hash(TEXT.encode()))
    assert source.shown == f"interface {source.content_hash}"
    assert [(flag.line, flag.kind) for flag in source.flags] == [(1, "star_import")]
    assert source.own


@pytest.mark.requirement("JOB.2")
@pytest.mark.parametrize("how", ["edited", "changed back", "replaced by its like", "removed", "made a link"])
def test_a_file_that_did_not_is_no_source_and_is_noted(tree: Beneath, how: str) -> None:
    inputs = taken(tree)
    path = Path(tree.root) / "a.py"
    before = os.stat(path)
    if how in ("edited", "changed back"):
        path.write_text("x = 1\n")
    if how == "changed back":
        path.write_text(TEXT)
        os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))
    if how == "replaced by its like":
        beside = write(Path(tree.root), "beside", TEXT)
        os.utime(beside, ns=(before.st_atime_ns, before.st_mtime_ns))
        beside.rename(path)
    if how in ("removed", "made a link"):
        path.unlink()
    if how == "made a link":
        path.symlink_to("/etc/passwd")
    assert inputs.source("a.py") is None
    assert inputs.source("b.py") is not None
    assert inputs.changed == {"a.py"}


def test_what_the_snapshot_has_otherwise_shows_nothing_that_is_known(tree: Beneath) -> None:
    inputs = Inputs.taken(tree, ["a.py"], {"a.py": FileNow("another content", "interface")})
    source = inputs.source("a.py")
    assert source is not None
    assert source.shown == ""


def test_a_file_of_another_context_can_be_depended_on_and_is_not_the_contexts_own(tree: Beneath) -> None:
    inputs = taken(tree)
    source = inputs.source("inner/c.py")
    assert source is not None
    assert (source.own, source.shown) == (False, f"interface {source.content_hash}")
    assert "inner/c.py" not in inputs
    assert inputs.source("nobody.py") is None
    (Path(tree.root) / "inner/c.py").write_text("x = 2\n")
    assert inputs.source("inner/c.py") is None
    assert inputs.changed == set(), "a further run of this context would give it no facts either"


def test_a_file_that_could_not_be_read_before_the_run_counts_as_changed(tree: Beneath) -> None:
    inputs = Inputs.taken(tree, ["new.py"], {"new.py": FileNow("content")})
    write(Path(tree.root), "new.py")
    assert inputs.source("new.py") is None
    assert inputs.changed == {"new.py"}


@pytest.mark.slow
def test_a_file_is_indexed_that_a_snapshot_has_or_that_is_made_during_the_run(tree: Beneath) -> None:
    ignored = write(Path(tree.root), "ignored.py")
    until(lambda: time.time_ns() > os.stat(ignored).st_ctime_ns + COARSE_TICK_NS)
    inputs = Inputs.taken(tree, ["a.py"], {"a.py": FileNow("content")}, ["data.json"])
    assert inputs.is_indexed("a.py")
    assert inputs.is_indexed("data.json")
    assert not inputs.is_indexed("ignored.py")
    assert not inputs.is_indexed("nobody.py")
    write(Path(tree.root), "new.py")
    assert inputs.is_indexed("new.py")


@pytest.mark.slow
@pytest.mark.requirement("JOB.2")
def test_a_file_that_has_just_changed_is_taken_when_any_change_would_leave_another_stamp(tree: Beneath) -> None:
    path = Path(tree.root) / "a.py"
    for number in range(20):
        path.write_text(f"x = {number}\n")
        Inputs.taken(tree, ["a.py"], {"a.py": FileNow("content")})
        assert time.time_ns() >= os.stat(path).st_ctime_ns + FINE_TICK_NS
