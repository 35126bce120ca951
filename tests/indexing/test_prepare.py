"""From a file's bytes to rows, terms and facts, and what a store keeps of them."""

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.codebase.codebase import Codebase
from cairn.indexing.options import SyncOptions
from cairn.indexing.prepare import ChunkLimits, FileSource, Prepared, prepare, prepare_by_lines
from cairn.indexing.terms import terms_of
from cairn.store import SYNTACTIC, ChunkRow, Facts, FileRow
from cairn.store.packed import columns_of, facts_in, rows_in, text_in
from cairn.store.rows import chunk_hash_of, chunk_id_of, row_faults, row_id_of
from cairn.syntax.versions import CHUNKER_VERSION
from cairn.workspace.reads import content_hash
from tests.trees import Repo, write

LIMITS = ChunkLimits(200, 50)
TEXT = '''"""What leases are for."""

import os
from store import guard


class Lease:
    """One lease."""

    def release(self):
        return os.unlink(self.path)


def take(path):
    return Lease(path)


def _hidden():
    pass
'''


def source(path: str, text: str, language: str = "python") -> FileSource:
    return FileSource(path, language, content_hash(text.encode()), text.encode())


def rows_of(made: Prepared) -> list[ChunkRow]:
    """The rows that a segment would have of a file."""
    return rows_in(made.file, text_in(made.packed.text), columns_of("chunks", made.packed.chunks))


@pytest.mark.requirement("ROW.2")
def test_rows_are_the_chunks_in_order_and_last_the_anchor() -> None:
    made = prepare(source("src/lease.py", TEXT), LIMITS)
    assert [row.kind for row in rows_of(made)] == ["text"] * (len(rows_of(made)) - 1) + ["anchor"]
    assert [row.ordinal for row in rows_of(made)] == list(range(len(rows_of(made))))
    assert made.file.chunks == len(rows_of(made)) == len(made.terms)
    assert (made.file.lines, made.file.size, made.file.language) == (19, len(TEXT), "python")
    assert made.file.interface_hash
    assert all(row_faults(row) == [] for row in rows_of(made))
    assert [(row.text, row.symbols) for row in rows_of(made)] == [*zip(made.texts, made.symbols, strict=True)]


@pytest.mark.requirement("ROW.2")
def test_identities_have_two_layers() -> None:
    made = prepare(source("src/lease.py", TEXT), LIMITS)
    for row in rows_of(made):
        assert row.chunk_hash == chunk_hash_of(row.text)
        assert row.chunk_id == chunk_id_of(row.chunk_hash, CHUNKER_VERSION, row.kind)
        assert row.row_id == row_id_of("src/lease.py", row.chunk_id, row.ordinal)


@pytest.mark.requirement("ROW.2")
def test_another_name_changes_row_ids_and_no_chunk_id() -> None:
    one = prepare(source("src/lease.py", TEXT), LIMITS)
    two = prepare(source("lib/loan.py", TEXT), LIMITS)
    assert [row.chunk_id for row in rows_of(one)] == [row.chunk_id for row in rows_of(two)]
    assert not {row.row_id for row in rows_of(one)} & {row.row_id for row in rows_of(two)}


def test_the_anchor_tells_what_the_file_is_about() -> None:
    anchor = rows_of(prepare(source("src/lease.py", TEXT), LIMITS))[-1]
    assert "What leases are for." in anchor.text
    assert "Lease take" in anchor.text
    assert "os store" in anchor.text
    assert "_hidden" not in anchor.text
    assert "lease.py" not in anchor.text
    assert (anchor.start_line, anchor.end_line, anchor.byte_start, anchor.byte_end) == (1, 1, 0, 0)


@pytest.mark.requirement("MOD.3")
def test_facts_carry_their_layer() -> None:
    facts = facts_in(prepare(source("src/lease.py", TEXT), LIMITS).packed)
    for rows in (facts.symbols, facts.occurrences, facts.edges):
        assert {row.layer for row in rows} == {SYNTACTIC}
    assert [(symbol.qualified_name, symbol.exported) for symbol in facts.symbols] == [
        ("Lease", True),
        ("Lease.release", True),
        ("take", True),
        ("_hidden", False),
    ]
    assert [(use.name, use.role, use.within) for use in facts.occurrences] == [
        ("unlink", "call", "Lease.release"),
        ("Lease", "call", "take"),
    ]
    assert [(edge.kind, edge.target, edge.line) for edge in facts.edges] == [
        ("import", "os", 3),
        ("import", "store", 4),
    ]


def test_by_lines_there_are_rows_and_no_facts() -> None:
    made = prepare_by_lines(source("src/lease.py", TEXT), LIMITS)
    assert facts_in(made.packed) == Facts()
    assert "".join(row.text for row in rows_of(made) if row.kind == "text") == TEXT
    assert (made.file.interface_hash, made.file.language, made.file.lines) == ("", "python", 19)


@pytest.mark.parametrize("text", ["", "\n\n"])
def test_a_file_without_a_word_has_its_anchor_alone(text: str) -> None:
    made = prepare(source("pkg/__init__.py", text), LIMITS)
    assert [row.kind for row in rows_of(made)] == ["anchor"]
    assert made.terms[0].path


@pytest.mark.parametrize("most", [2, 3, 10])
def test_the_anchor_counts_among_the_chunks_that_a_file_may_have(most: int) -> None:
    text = "".join(f"def f{number}():\n    return {number}\n\n\n" for number in range(200))
    assert len(prepare(source("a.py", text), ChunkLimits(50, most)).texts) <= most
    assert len(prepare_by_lines(source("a.py", text), ChunkLimits(50, most)).texts) <= most


def test_terms_follow_from_the_row_alone() -> None:
    made = prepare(source("src/store/lease.py", TEXT), LIMITS)
    assert tuple(terms_of(row) for row in rows_of(made)) == made.terms
    first = made.terms[0]
    assert len(first.text_counts) == len(first.symbol_counts) == len(first.hashes) // 8 == len(first.body.split())
    assert set(first.path.split()) >= {"src", "stor", "leas"}


def test_counts_beyond_a_byte_are_cut_and_the_length_is_not() -> None:
    terms = prepare(source("a.txt", "lease " * 1000, "text"), ChunkLimits(8000, 50)).terms[0]
    assert terms.text_counts == b"\xff"
    assert terms.length == 1000


@pytest.mark.slow
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=400),
    st.sampled_from(["python", "javascript", "markdown", "json", "text", "other"]),
)
@settings(max_examples=150)
def test_any_text_makes_sound_rows(text: str, language: str) -> None:
    made = prepare(source("a/b", text, language), LIMITS)
    assert all(row_faults(row) == [] for row in rows_of(made))
    assert len({row.row_id for row in rows_of(made)}) == len(rows_of(made))
    for row, terms in zip(rows_of(made), made.terms, strict=True):
        assert len(terms.text_counts) == len(terms.symbol_counts) == len(terms.hashes) // 8
        assert row.text.encode() == text.encode()[row.byte_start : row.byte_end] or row.kind == "anchor"


def all_facts(root: Path) -> dict[str, tuple[FileRow, Facts]]:
    with Codebase(str(root)) as codebase, codebase.view() as view:
        return {file.path_key: (file, view.facts.of(file.path_key)) for file in view.files()}


def index(root: Path) -> None:
    with Codebase(str(root)) as codebase:
        codebase.index(SyncOptions())


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
def test_facts_are_stored_and_copied_unchanged_by_compaction(repo: Repo) -> None:
    repo.write("src/lease.py", TEXT)
    repo.write("web/app.ts", "import { a } from './a'\nexport class App { run(): void { a() } }\n")
    repo.write("empty.py", "")
    index(repo.path)
    repo.write("src/guard.go", "package guard\n\nfunc Take(a int) int { return drop(a) }\n")
    repo.write("gone.py", "def gone(): pass\n")
    index(repo.path)
    os.unlink(repo.path / "gone.py")
    index(repo.path)
    before = all_facts(repo.path)
    made = prepare(source("src/lease.py", TEXT), ChunkLimits(1500, 2000))
    assert before["src/lease.py"] == (made.file, facts_in(made.packed))
    assert before["src/guard.go"][1].symbols[0].name == "Take"
    with Codebase(str(repo.path)) as codebase:
        assert codebase.compact(force=True) is not None

    assert all_facts(repo.path) == before
    assert "gone.py" not in before


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
def test_only_an_interface_that_changed_changes_its_stored_hash(folder: Path) -> None:
    def stored() -> str:
        index(folder)
        return all_facts(folder)["lease.py"][0].interface_hash

    write(folder, "lease.py", TEXT)
    first = stored()
    write(folder, "lease.py", TEXT.replace("os.unlink(self.path)", "None").replace("_hidden", "_secret"))
    assert stored() == first
    write(folder, "lease.py", TEXT.replace("def take(path)", "def take(path, wait)"))
    assert stored() != first
