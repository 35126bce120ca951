"""Lines from a view: exactly those of a plain scan, whatever the store looks like."""

import re
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.indexing.prepare import ChunkLimits, FileSource, prepare
from cairn.indexing.terms import terms_of
from cairn.search import allowed_files, parse_literal, parse_regex
from cairn.search.grep import grep
from cairn.search.query import Filters
from cairn.store import SnapshotView, Store
from cairn.workspace.reads import content_hash
from tests.long import LONG
from tests.search.test_pattern import plain
from tests.store.samples import EMBEDDER, begin, facts, make_store, publish, temporary_home

WORDS = ("walrus", "otter", "Seal", "été", "s = f(x)")
PATHS = ("a.py", "b.py", "sub/a.md", "sub/b.txt")
TEXTS = st.lists(st.lists(st.sampled_from(WORDS), max_size=5).map(" ".join), max_size=12).map("\n".join)
CHANGES = st.dictionaries(st.sampled_from(PATHS), st.none() | TEXTS.filter(bool), min_size=1, max_size=3)
PATTERNS = (
    parse_literal("walrus"),
    parse_literal("SEAL", ignore_case=True),
    parse_literal("s walrus"),
    parse_literal("é"),
    parse_literal(" "),
    parse_regex(r"(otter|Seal) \w"),
    parse_regex(r"^été"),
    parse_regex(r"f\(x\)$"),
    parse_regex(r"^$"),
)


def places(view: SnapshotView, limit: int = 10_000) -> list[list[tuple[str, int, str]]]:
    return [
        [(item.path, item.line.number, item.line.match) for item in grep(view, pattern, limit).results]
        for pattern in PATTERNS
    ]


def scanned(model: Mapping[str, str]) -> list[list[tuple[str, int]]]:
    return [
        [(path, number) for path in sorted(model) for number in plain(pattern.expression, model[path])]
        for pattern in PATTERNS
    ]


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.007")
@pytest.mark.long
@settings(max_examples=60 * LONG or 8)
@given(history=st.lists(CHANGES, min_size=1, max_size=5))
def test_the_lines_are_those_of_a_plain_scan_and_compaction_changes_none(history: list[dict[str, str | None]]) -> None:
    with temporary_home() as home:
        store = make_store(home)
        model: dict[str, str] = {}
        for change in history:
            publish(store, change)
            model = {path: text for path, text in (model | change).items() if text is not None}
        with store.view() as view:
            before = places(view)
        assert [[place[:2] for place in each] for each in before] == scanned(model)
        store.compact(terms_of, force=True)
        with store.view() as view:
            assert places(view) == before


def take_in(store: Store, files: Mapping[str, tuple[str, str]], chunk_bytes: int = 200) -> None:
    """Publish files (language, text) as indexing does, parsed and with their anchors."""
    with store.writer() as lease, begin(store, lease) as transaction:
        for path, (language, text) in files.items():
            data = text.encode()
            ready = prepare(FileSource(path, language, content_hash(data), data), ChunkLimits(chunk_bytes, 2_000))
            vectors = EMBEDDER.embed(ready.texts)
            transaction.add_file(ready.packed, ready.terms, vectors, ready.grams)
        transaction.publish(lease, facts(transaction.live_paths))


SOURCE = (
    "\n\n  \n"
    + "\n\n\t\n \n".join(f"def function_{n}(x):\n    # {'talk ' * 30}\n    return {n}" for n in range(12))
    + "\n   \n\n"
    + f"LONG = '{'b' * 700}{' ' * 900}needle{' ' * 900}{'c' * 300}'\n"
    + "last = 1"
)


@pytest.fixture
def parsed(tmp_path: Path) -> Store:
    store = make_store(tmp_path)
    take_in(
        store, {"m.py": ("python", SOURCE), "n.md": ("markdown", "# needle\n\n\n\nand more\n"), "e.py": ("python", "")}
    )
    return store


@pytest.mark.slow
@pytest.mark.requirement("ROW.1")
@pytest.mark.parametrize("merge", [False, True])
def test_a_snapshot_holds_the_whole_text_of_each_file(parsed: Store, merge: bool) -> None:
    """Blank lines stand in no chunk, and a line may be longer than one."""
    if merge:
        publish(parsed, {"other.py": "x\n"})
        assert parsed.compact(terms_of, force=True) is not None
    with parsed.view() as view:
        texts = {item.file.path_key: view.rows.text_of(item.at).decode() for item in view.words.files_holding(())}
        assert texts["m.py"] == SOURCE
        assert texts["n.md"] == "# needle\n\n\n\nand more\n"
        assert texts["e.py"] == ""
        assert len(view.rows.of("m.py")) > 10
        for regex in (r"^\s*$", r"b {900}needle {900}c", r"^last", "b{700}", r"^\t$"):
            pattern = parse_regex(regex)
            found = [item.line.number for item in grep(view, pattern, 1_000).results if item.path == "m.py"]
            assert found == plain(pattern.expression, SOURCE) != []


def test_what_only_the_anchor_says_is_no_line(parsed: Store) -> None:
    with parsed.view() as view:
        assert "function_1 function_2" in view.rows.of("m.py")[-1].text
        assert grep(view, parse_literal("function_1 function_2"), 10).results == ()


def test_a_line_is_told_with_the_definition_around_it(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    take_in(store, {"m.py": ("python", "print(1)\n\nclass A:\n    print(1)\n\n    def f(self):\n        return 1\n")})
    with store.view() as view:
        found = grep(view, parse_literal("1"), 10).results
    assert [(item.line.number, item.symbol) for item in found] == [(1, ""), (4, "A"), (7, "A.f")]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
def test_what_is_more_than_the_limit_is_said(parsed: Store) -> None:
    with parsed.view() as view:
        every = grep(view, parse_literal("return"), 100)
        assert (len(every.results), every.limits_hit) == (12, ())
        assert grep(view, parse_literal("return"), 12).limits_hit == ()
        some = grep(view, parse_literal("return"), 11)
        assert (some.results, some.limits_hit) == (every.results[:11], ("results",))


def test_filters_and_modes_choose_files(parsed: Store) -> None:
    with parsed.view() as view:

        def found(filters: Filters, mode: str = "auto") -> set[str]:
            return {item.path for item in grep(view, parse_literal("needle"), 9, allowed_files(filters, mode)).results}

        assert found(Filters()) == {"m.py", "n.md"}
        assert found(Filters(languages=("python",))) == {"m.py"}
        assert found(Filters(paths=("*.md",))) == {"n.md"}
        assert found(Filters(not_paths=("*.md",))) == {"m.py"}
        assert found(Filters(), "docs") == {"n.md"}
        assert found(Filters(), "code") == {"m.py"}


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
def test_files_that_took_too_long_are_named_and_the_rest_is_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = make_store(tmp_path)
    hostile = "a" * 60 + "!\n"
    take_in(store, {"a.txt": ("text", "aaa\n"), "b.txt": ("text", hostile), "c.txt": ("text", "x\naa\n")})
    with store.view() as view:
        found = grep(view, parse_regex("(?!b)(a+)+$"), 10)
        assert [(item.path, item.line.number) for item in found.results] == [("a.txt", 1), ("c.txt", 2)]
        assert (found.limits_hit, found.given_up, found.not_reached) == (("time",), ("b.txt",), 0)
        monkeypatch.setattr(sys.modules["cairn.search.grep"], "PATIENCE_S", 0.0)
        cut = grep(view, parse_regex("(?!b)(a+)+$"), 10)
        assert cut.limits_hit == ("time",)
        assert len(cut.results) + len(cut.given_up) + cut.not_reached == 3
        assert cut.not_reached == 2


@pytest.mark.slow
def test_a_deleted_or_replaced_file_shows_nothing_of_its_past(tmp_path: Path) -> None:
    store = make_store(tmp_path)
    publish(store, {"a.py": "walrus\n", "b.py": "walrus\n"})
    publish(store, {"a.py": None, "b.py": "otter\n"})
    with store.view() as view:
        assert grep(view, parse_literal("walrus"), 10).results == ()
        assert grep(view, parse_regex("w?"), 10).results[0].path == "b.py"
        assert re.fullmatch("otter", grep(view, parse_literal("ott"), 10).results[0].line.text)
