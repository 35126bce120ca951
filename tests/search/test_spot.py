"""The lines that a result means: those of its definition, or else those that say most of the query."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.search.spot import ShownPlace, definition_in, spot_of
from cairn.store import ChunkRow, SymbolRow

TEXT = '''# Who may write.
class Lease:
    """The right to write."""

    @property
    def ttl(self):
        return 120

    def release(self):
        self.free = True
'''
FIRST = 11
"""The chunk doesn't begin with its file."""
NOTHING: frozenset[str] = frozenset()


def chunk(text: str = TEXT, start: int = FIRST, kind: str = "class") -> ChunkRow:
    end = start + len(text.removesuffix("\n").split("\n")) - 1
    return ChunkRow("", "", "a.py", "a.py", 0, "", "", "", kind, text, start, end, 0, len(text), "python")


def symbol(name: str, start: int, end: int, *, name_line: int | None = None, kind: str = "method") -> SymbolRow:
    line = start if name_line is None else name_line
    return SymbolRow("syntactic", name.rpartition(".")[2], name, kind, "", start, end, line, "", True, "")


SYMBOLS = (
    symbol("Lease", 12, 20, kind="class"),
    symbol("Lease.ttl", 15, 17, name_line=16),
    symbol("Lease.release", 19, 20),
)


def test_a_definition_goes_from_what_decorates_it_to_its_end() -> None:
    assert spot_of(chunk(), "Lease.ttl", SYMBOLS, NOTHING) == ShownPlace(
        15, 17, "method", "    @property\n    def ttl(self):\n        return 120", 16
    )
    assert spot_of(chunk(), "Lease", SYMBOLS, NOTHING).text == TEXT.split("\n", 1)[1].removesuffix("\n")


def test_a_definition_that_goes_on_beyond_the_chunk_is_meant_whole_and_shown_as_far_as_the_chunk_goes() -> None:
    spot = spot_of(chunk(), "Lease", (symbol("Lease", 12, 500, kind="class"),), NOTHING)
    assert (spot.start_line, spot.end_line, spot.kind) == (12, 500, "class")
    assert spot.text == TEXT.split("\n", 1)[1].removesuffix("\n")


def test_what_decorates_a_definition_and_stands_in_another_chunk_is_not_shown() -> None:
    spot = spot_of(chunk(), "Lease", (symbol("Lease", 8, 20, name_line=12, kind="class"),), NOTHING)
    assert (spot.start_line, spot.end_line, spot.line) == (FIRST, 20, 12)
    assert spot.text == TEXT.removesuffix("\n")


def test_a_chunk_in_the_middle_of_a_definition_reaches_to_the_lines_that_say_most() -> None:
    text = (
        "".join(f"    step({number})\n" for number in range(40)) + "    take_over(lease)\n" * 2 + "    step(40)\n" * 20
    )
    spot = spot_of(chunk(text, 101), "long", (symbol("long", 1, 400, kind="function"),), frozenset({"lease", "leas"}))
    assert spot.kind == "function"
    assert (spot.start_line, spot.end_line) == (101, 142)
    assert spot.text.endswith("    take_over(lease)\n    take_over(lease)")


def test_what_defines_nothing_is_shown_whole_where_it_is_short() -> None:
    assert spot_of(chunk("About leases.\nAnd epochs.\n", kind="text"), "", SYMBOLS, NOTHING) == ShownPlace(
        11, 12, "text", "About leases.\nAnd epochs.", 11
    )


def test_a_name_that_no_row_knows_is_looked_for_in_the_text() -> None:
    spot = spot_of(chunk(kind="lines"), "release", (), NOTHING)
    assert (spot.start_line, spot.kind) == (19, "lines")
    assert spot.text.startswith("    def release(self):")


def test_of_definitions_with_one_name_the_one_that_begins_in_the_chunk_is_meant() -> None:
    around = symbol("same", 1, 300, kind="class")
    begins = symbol("same", 18, 400, kind="function")
    smaller = symbol("same", 19, 20, kind="constant")
    assert definition_in(chunk(), "same", (around, begins)) == begins
    assert definition_in(chunk(), "same", (around, begins, smaller)) == smaller
    assert definition_in(chunk(), "same", (around,)) == around


@pytest.mark.parametrize("name", ["", "absent", "ttl"])
def test_only_a_whole_name_is_a_definition(name: str) -> None:
    assert definition_in(chunk(), name, SYMBOLS) is None


def test_a_definition_elsewhere_in_the_file_is_not_meant() -> None:
    assert definition_in(chunk(), "far", (symbol("far", 21, 30), symbol("far", 1, 10))) is None


@given(
    st.lists(st.sampled_from(["", "  x", "def a():", "a b", "# a", "lease"]), min_size=1, max_size=30),
    st.integers(1, 50),
    st.sampled_from(["", "a", "b"]),
    st.tuples(st.integers(1, 90), st.integers(0, 60), st.integers(0, 60)),
)
def test_the_text_of_a_spot_is_its_lines_as_far_as_the_chunk_has_them(
    lines: list[str], start: int, name: str, at: tuple[int, int, int]
) -> None:
    row = chunk("".join(f"{line}\n" for line in lines), start)
    first, more, down = at
    spot = spot_of(row, name, (symbol("a", first, first + more, name_line=first + min(down, more)),), frozenset({"a"}))
    assert start <= spot.start_line <= spot.line <= min(spot.end_line, row.end_line)
    assert spot.end_line in (first + more, min(spot.end_line, row.end_line))
    assert spot.text == "\n".join(lines[spot.start_line - start : spot.end_line - start + 1])
