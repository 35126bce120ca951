"""What an editor has not saved yet, over the snapshot: every question sees it, and nobody else does."""

import os
import random
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import CairnError, RefusedError
from cairn.codebase import overlay as overlay_module
from cairn.codebase.answers import LineRequest, RelatedRequest, Request
from cairn.codebase.codebase import Codebase
from cairn.codebase.overlay import Overlaid, Overlay
from cairn.codebase.renames import Renaming
from cairn.config.user import cairn_home
from cairn.graph.outline import walk
from cairn.indexing.pool import ParserPool
from tests.trees import write

pytestmark = pytest.mark.sampled

LEASE = '''"""Leases."""
from clock import now


class Lease:
    def release(self, force=False):
        return now()


def take_over(lease: Lease):
    return lease.release()
'''
CLOCK = "import time\n\n\ndef now():\n    return time.time()\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def root(folder: Path) -> Path:
    write(folder, "lease.py", LEASE)
    write(folder, "clock.py", CLOCK)
    write(folder, "marked.py", b"\xef\xbb\xbfdef marked():\n    return 1\n")
    write(folder, ".cairnignore", "build/\n*.log\n")
    with Codebase(str(folder)) as opened:
        opened.index()
    return folder


@pytest.fixture
def overlay(root: Path) -> Iterator[Overlay]:
    made = Overlay(cairn_home())
    yield made
    made.close()


def texts(root: Path, **files: str | bytes) -> dict[str, bytes]:
    named = {str(root / name.replace("__", "/").replace("_py", ".py")): text for name, text in files.items()}
    return {name: text.encode() if isinstance(text, str) else text for name, text in named.items()}


def state_of(home: str) -> dict[str, tuple[int, int]]:
    """Every file of a home that is not a lock, a log or a cache, with size and time."""
    found = {}
    for folder, _, names in os.walk(home):
        for name in names:
            path = os.path.join(folder, name)
            if not any(part in path for part in ("/locks/", "/logs/", "/cache/", "last_used", "-wal", "-shm")):
                stat = os.stat(path)
                found[path] = stat.st_size, stat.st_mtime_ns
    return found


@pytest.mark.requirement("LSP.1")
def test_every_question_sees_what_is_not_saved(root: Path, overlay: Overlay) -> None:
    new = "from lease import Lease\n\n\ndef fresh_name(lease: Lease):\n    # a pelican\n    return lease.release()\n"
    with overlay.using(str(root), texts(root, clock_py="\n\n" + CLOCK, extra_py=new)) as codebase:
        insight = codebase.insight
        (found,) = insight.symbol("now").value.definitions
        assert (found.path, found.symbol.name_line) == ("clock.py", 6)
        assert [each.path for each in insight.symbol("fresh_name").value.definitions] == ["extra.py"]
        uses = insight.references("release").value.items
        assert {(use.path, use.line) for use in uses} == {("extra.py", 6), ("lease.py", 11)}
        graph = insight.calls("lease.py:6", "callers").value
        assert {"fresh_name", "take_over"} <= {node.name for node in graph.nodes}
        outline = insight.outline("extra.py").value
        assert [branch.symbol.name for _, branch in walk(outline.branches)] == ["fresh_name"]
        assert [(hit.path, hit.line.number) for hit in codebase.grep(LineRequest("pelican")).items] == [("extra.py", 5)]
        hits = codebase.search(Request("fresh_name pelican")).items
        assert hits[0].path == "extra.py"
        assert codebase.related(RelatedRequest("extra.py", 4)).items
        assert codebase.read("extra.py") == new
        assert insight.imports("lease.py").value.incoming[0].path == "extra.py"


def test_answers_name_their_snapshot_and_say_what_they_rest_on(root: Path, overlay: Overlay) -> None:
    with Codebase(str(root)) as plain:
        snapshot = plain.insight.symbol("now").snapshot_id
        assert "unsaved" not in {note.code for note in plain.insight.symbol("now").notes}
    with overlay.using(str(root), texts(root, clock_py="# moved\n" + CLOCK)) as codebase:
        answer = codebase.insight.symbol("now")
        assert answer.snapshot_id == snapshot
        assert answer.changed == frozenset()
        (note,) = [note for note in answer.notes if note.code == "unsaved"]
        assert note.fields == {"files": ["clock.py"], "count": 1}
        assert "clock.py" in answer.warnings[0]
        found = codebase.search(Request("lease"))
        assert "unsaved" in {note.code for note in found.notes}


@pytest.mark.requirement("LSP.1")
def test_nothing_of_it_comes_to_the_store_or_to_others(root: Path, overlay: Overlay) -> None:
    before = state_of(cairn_home())
    secret = "def never_saved_anywhere():\n    return 1\n"
    with overlay.using(str(root), texts(root, clock_py=secret, extra_py=secret)) as codebase:
        assert codebase.insight.symbol("never_saved_anywhere").value.total == 2
        codebase.search(Request("never_saved_anywhere"))
        with Codebase(str(root)) as other:
            assert other.insight.symbol("never_saved_anywhere").value.total == 0
            assert other.insight.symbol("now").value.total == 1
        assert not codebase.index().published
        assert codebase.insight.symbol("never_saved_anywhere").value.total == 2
        with pytest.raises(ValueError, match="not saved"):
            codebase.detector.detect()
    after = state_of(cairn_home())
    assert {path for path in after if before.get(path) != after[path]} == set()
    assert not any(b"never_saved" in Path(path).read_bytes() for path in after)


def test_what_is_saved_is_synced_while_other_texts_are_not(root: Path, overlay: Overlay) -> None:
    write(root, "lease.py", LEASE + "\n\ndef saved():\n    return 1\n")
    with overlay.using(str(root), texts(root, clock_py="def unsaved():\n    return 1\n")) as codebase:
        assert codebase.index().published
        assert codebase.insight.symbol("saved").value.total == 1
        assert codebase.insight.symbol("unsaved").value.total == 1
        assert codebase.insight.symbol("now").value.total == 0
    with Codebase(str(root)) as plain:
        assert plain.insight.symbol("saved").value.total == 1
        assert plain.insight.symbol("unsaved").value.total == 0


def test_one_parse_for_however_many_edits_and_questions(
    root: Path, overlay: Overlay, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    class Counted(ParserPool):
        def prepare(self, sources: Any) -> Any:
            for each in super().prepare(sources):
                parsed.append(each.file.path_key)
                yield each

    monkeypatch.setattr("cairn.indexing.pool.ParserPool", Counted)
    clean = texts(root, clock_py=CLOCK, lease_py=LEASE)
    assert not overlay.is_needed(str(root), clean)
    with overlay.using(str(root), clean) as codebase:
        codebase.insight.symbol("now")
    assert parsed == []
    held = texts(root, clock_py="#\n" + CLOCK, extra_py="def a():\n    return 1\n")
    assert overlay.is_needed(str(root), held)
    for _ in range(3):
        with overlay.using(str(root), held) as codebase:
            codebase.insight.symbol("now")
            codebase.search(Request("now"))
            codebase.insight.outline("clock.py")
    assert sorted(parsed) == ["clock.py", "extra.py"]
    held |= texts(root, extra_py="def b():\n    return 1\n")

    def ask(_: int) -> int:
        with overlay.using(str(root), held) as codebase:
            return codebase.insight.symbol("b").value.total

    with ThreadPoolExecutor(4) as side_by_side:
        assert [*side_by_side.map(ask, range(8))] == [1] * 8
    assert sorted(parsed) == ["clock.py", "extra.py", "extra.py"]


def test_what_is_closed_or_taken_back_is_as_on_disk(root: Path, overlay: Overlay) -> None:
    with overlay.using(str(root), texts(root, clock_py="x = 1\n")) as codebase:
        assert isinstance(codebase, Overlaid)
        assert codebase.insight.symbol("now").value.total == 0
        place = codebase._folder.path
    assert len(os.listdir(place)) == 2
    assert not overlay.is_needed(str(root), texts(root, clock_py=CLOCK))
    assert os.listdir(place) == ["owner.lock"]
    with overlay.using(str(root), {}) as codebase:
        assert codebase.insight.symbol("now").value.total == 1
    assert not overlay.is_needed(str(root), {})
    assert not os.path.exists(place)


def test_what_the_index_leaves_out_is_left_out(root: Path, overlay: Overlay, tmp_path: Path) -> None:
    code = "def hidden_name():\n    return 1\n"
    key = "-----BEGIN RSA PRIVATE KEY-----\n"
    held = {
        str(root / "build" / "made.py"): code.encode(),
        str(root / "a.log"): code.encode(),
        str(root / ".env"): code.encode(),
        str(root / "x.png"): code.encode(),
        str(root / ".git" / "hook.py"): code.encode(),
        str(tmp_path / "elsewhere.py"): code.encode(),
        str(root / "key.txt"): (key + code).encode(),
        str(root / "nul.py"): code.encode() + b"\0",
    }
    with overlay.using(str(root), held) as codebase:
        assert codebase.insight.symbol("hidden_name").value.total == 0
        assert codebase.grep(LineRequest("hidden_name")).items == ()
    held = texts(root, new__deep__made_py=code)
    with overlay.using(str(root), held) as codebase:
        assert [each.path for each in codebase.insight.symbol("hidden_name").value.definitions] == ["new/deep/made.py"]


def test_a_text_that_grew_too_large_is_one_that_could_not_be_read(root: Path, overlay: Overlay) -> None:
    huge = CLOCK.encode() + b"# " + b"x" * (9 << 20)
    with overlay.using(str(root), texts(root, clock_py=huge)) as codebase:
        with codebase.view() as view:
            assert view.rows.file("clock.py") is None
            assert view.manifest.unread == (("clock.py", "too_many_chunks"),)
            assert view.manifest.counts.files_live == 3
        assert codebase.insight.symbol("now").value.total == 0


def test_rules_count_once_they_are_saved(root: Path, overlay: Overlay) -> None:
    held = {
        str(root / ".cairnignore"): b"clock.py\n",
        str(root / ".cairn.toml"): b"[index]\nchunk_bytes = 999\n",
    }
    assert not overlay.is_needed(str(root), held)
    with overlay.using(str(root), held) as codebase:
        assert codebase.insight.symbol("now").value.total == 1


def test_a_text_with_a_byte_order_mark_is_laid_over_as_it_is(root: Path, overlay: Overlay) -> None:
    assert not overlay.is_needed(str(root), texts(root, marked_py="\ufeffdef marked():\n    return 1\n"))
    with overlay.using(str(root), texts(root, marked_py="\ufeffdef marked():\n    return marked\n")) as codebase:
        (use,) = codebase.insight.references("marked").value.items
        assert (use.line, use.column) == (2, 11)
        with codebase.view() as view:
            assert (view.rows.whole_text_of("marked.py") or b"").startswith(b"\xef\xbb\xbf")


def test_an_editor_that_came_by_a_link_means_the_same_files(root: Path, overlay: Overlay, tmp_path: Path) -> None:
    link = tmp_path / "by-link"
    link.symlink_to(root)
    held = {str(link / "clock.py"): b"def later():\n    return 1\n"}
    assert overlay.is_needed(str(root), held)
    with overlay.using(str(root), held) as codebase:
        assert codebase.insight.symbol("later").value.total == 1


def test_a_root_without_an_index_needs_none(overlay: Overlay, tmp_path: Path) -> None:
    bare = tmp_path / "bare"
    bare.mkdir()
    assert not overlay.is_needed(str(bare), {str(bare / "a.py"): b"x = 1\n"})


def test_the_index_may_move_on_beneath_it(root: Path, overlay: Overlay) -> None:
    held = texts(root, clock_py="def later():\n    return 1\n")
    with overlay.using(str(root), held) as codebase:
        assert codebase.insight.symbol("later").value.total == 1
    write(root, "lease.py", "def another():\n    return 1\n")
    with Codebase(str(root)) as plain:
        plain.index()
        plain.compact(force=True)
    with overlay.using(str(root), held) as codebase:
        assert codebase.insight.symbol("later").value.total == 1
        assert codebase.insight.symbol("another").value.total == 1
        assert codebase.insight.symbol("take_over").value.total == 0
    # Saved, and synced: the snapshot has it itself.
    write(root, "clock.py", "def later():\n    return 1\n")
    with Codebase(str(root)) as plain:
        plain.index()
    assert not overlay.is_needed(str(root), held)


def test_a_rename_is_planned_on_what_the_editor_shows(root: Path, overlay: Overlay) -> None:
    held = texts(root, lease_py="\n\n" + LEASE)
    with overlay.using(str(root), held) as codebase:
        renaming = Renaming(codebase)
        planned = renaming.plan("clock.py", 4, 5, "present")
        places = {(spot.path, spot.line) for spot in planned.spots}
        assert places == {("clock.py", 4), ("lease.py", 4), ("lease.py", 9)}
        assert planned.plan is not None
        with pytest.raises(RefusedError, match="editor"):
            renaming.apply(planned.plan.id)
    assert (root / "lease.py").read_text() == LEASE


WORDS = ("alpha", "beta", "gamma", "delta", "über")


def _program(random_: random.Random) -> str:
    """A module of a few functions that call each other's names, with lines of every width before and between."""
    lines = random_.choices(["", "# é😀 note", "x = '😀'; y = 1"], k=random_.randint(0, 4))
    for word in random_.sample(WORDS, random_.randint(1, len(WORDS))):
        lines += ["", f"def {word}(first):", f"    é = '😀'; return {random_.choice(WORDS)}(first)"]
    return random_.choice(["\n", "\r\n"]).join(lines) + "\n"


@pytest.mark.slow
@pytest.mark.requirement("LSP.1")
def test_places_name_exactly_what_stands_there(folder: Path) -> None:
    """Random edits of random files: a place of any answer is where the name stands in the text that was given."""
    random_ = random.Random(29)
    files = {f"m{number}.py": _program(random_) for number in range(4)}
    for name, text in files.items():
        write(folder, name, text.encode())
    with Codebase(str(folder)) as plain:
        plain.index()
    overlay = Overlay(cairn_home())
    held: dict[str, bytes] = {}
    checked = 0
    try:
        for _ in range(12):
            name = random_.choice([*files, "fresh.py"])
            if random_.random() < 0.2:
                held.pop(str(folder / name), None)
            else:
                held[str(folder / name)] = _program(random_).encode()
            seen = {each: text.encode() for each, text in files.items()}
            seen |= {os.path.basename(path): text for path, text in held.items()}
            with overlay.using(str(folder), dict(held)) as codebase:
                for word in random_.sample(WORDS, 2):
                    for item in codebase.insight.symbol(word).value.definitions:
                        line = seen[item.path].split(b"\n")[item.symbol.name_line - 1].decode()
                        assert line.startswith(f"def {word}(")
                    for use in codebase.insight.references(word).value.items:
                        line = seen[use.path].split(b"\n")[use.line - 1].decode()
                        assert line.encode()[use.column :].startswith(word.encode())
                        checked += 1
                for path, shown in seen.items():
                    names = [branch.symbol for _, branch in walk(codebase.insight.outline(path).value.branches)]
                    defined = {symbol.name for symbol in names if symbol.kind == "function"}
                    assert defined == {word for word in WORDS if f"def {word}(".encode() in shown}
    finally:
        overlay.close()
    assert checked > 20


def test_a_parser_that_fails_leaves_no_trace(root: Path, overlay: Overlay, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise CairnError("no memory")

    monkeypatch.setattr(overlay_module.ParsedTexts, "prepare", fail)
    with pytest.raises(CairnError), overlay.using(str(root), texts(root, clock_py="x = 1\n")) as codebase:
        codebase.insight.symbol("now")
    with Codebase(str(root)) as plain:
        plain.collect(force=True)
