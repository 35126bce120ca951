"""Reading an index: each thing of the format once, real output, and bytes that are none."""

import contextlib
import os
import tracemalloc
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.semantic.scip import wire
from cairn.semantic.scip.columns import Encoding, TextMap, encoding_of
from cairn.semantic.scip.decode import Document, Metadata, Relationship, Role, ScipOccurrence, SymbolInformation
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scip.symbols import parse_symbol
from cairn.semantic.scip.wire import ScipError
from tests.semantic.recorded import PROJECTS, recorded
from tests.semantic.scip.wireformat import document, field, metadata, occurrence, packed, varint


def read(folder: Path, *parts: bytes) -> tuple[Metadata, list[Document]]:
    path = folder / "index.scip"
    path.write_bytes(b"".join(parts))
    index = read_index(str(path))
    return index.metadata, list(index.documents())


def one(folder: Path, *parts: bytes) -> Document:
    _, (found,) = read(folder, metadata(), *parts)
    return found


@pytest.mark.requirement("SCIP.1")
def test_ranges_have_three_or_four_numbers(tmp_path: Path) -> None:
    found = one(
        tmp_path, document("a/b.py", occurrence([300, 4, 9], "s p p v a#", 1), occurrence([1, 2, 3, 4], "local 7", 8))
    )
    assert found.path == "a/b.py"
    assert found.occurrences == (
        ScipOccurrence(300, 4, 300, 9, "s p p v a#", Role.DEFINITION),
        ScipOccurrence(1, 2, 3, 4, "local 7", Role.READ),
    )
    first, second = found.occurrences
    assert (first.defines, first.local, second.defines, second.local) == (True, False, False, True)


@pytest.mark.requirement("SCIP.1")
def test_ranges_in_the_newer_fields_and_unpacked_ones_mean_the_same(tmp_path: Path) -> None:
    single = field(8, field(1, 7) + field(2, 1) + field(3, 300))
    several = field(9, field(1, 7) + field(3, 9) + field(4, 2))
    unpacked = field(1, 7) + field(1, 1) + field(1, 300)
    found = one(tmp_path, document("a", *(each + field(2, "local 1") for each in (single, several, unpacked))))
    assert [each[:4] for each in found.occurrences] == [(7, 1, 7, 300), (7, 0, 9, 2), (7, 1, 7, 300)]


@pytest.mark.requirement("SCIP.1")
def test_roles_can_be_several(tmp_path: Path) -> None:
    (found,) = one(tmp_path, document("a", occurrence([0, 0, 1], "local 1", 1 | 2 | 32))).occurrences
    assert found.defines
    assert found.imports
    assert Role(found.roles) == Role.DEFINITION | Role.IMPORT | Role.TEST


@pytest.mark.requirement("SCIP.1")
def test_symbols_are_read_with_their_relationships(tmp_path: Path) -> None:
    relation = field(1, "s p p v b#") + field(2, 1) + field(3, 1)
    symbol = field(1, "s p p v a#") + field(3, "says") + field(3, "more") + field(4, relation) + field(5, 7)
    symbol += field(6, "a") + field(8, "s p p v outer/")
    expected = SymbolInformation(
        "s p p v a#",
        ("says", "more"),
        (Relationship("s p p v b#", reference=True, implementation=True),),
        7,
        "a",
        "s p p v outer/",
    )
    told, (found,) = read(tmp_path, metadata(), document("a", more=field(3, symbol)), field(3, symbol))
    assert told == Metadata("scip-test", "1", "file:///project")
    assert found.symbols == (expected,)


def test_the_whole_of_a_definition_is_kept(tmp_path: Path) -> None:
    (found,) = one(
        tmp_path, document("a", occurrence([5, 4, 9], "local 1", 1, field(7, packed([5, 0, 300, 1]))))
    ).occurrences
    assert found.enclosing == (5, 0, 300, 1)


def test_unknown_fields_of_every_kind_are_passed_over(tmp_path: Path) -> None:
    fixed = (
        varint(900 << 3 | 5) + b"abcd" + varint(10 << 3 | 1) + b"abcdefgh" + field(11, 1 << 63) + field(12, "x" * 300)
    )
    assert (
        one(tmp_path, fixed, document("a", occurrence([0, 0, 1], "local 1", 0, fixed), more=fixed), fixed).path == "a"
    )


@pytest.mark.parametrize(
    ("path", "inside"),
    [
        ("a/b.py", True),
        ("..a", True),
        ("../a", False),
        ("/a", False),
        ("a//b", False),
        ("a/./b", False),
        ("a\0", False),
    ],
)
def test_a_document_out_of_the_root_is_known(tmp_path: Path, path: str, inside: bool) -> None:
    assert one(tmp_path, document(path)).is_inside is inside


_NEGATIVE = occurrence([0, -1, 1], "local 1")
BROKEN = {
    "empty": b"",
    "no metadata": document("a"),
    "ends within a field": metadata() + b"\x12\x05ab",
    "ends within a number": metadata() + b"\x80",
    "a number without end": metadata() + b"\x10" + b"\xff" * 11,
    "wire type": metadata() + b"\x13",
    "field 0": metadata() + b"\x02\x00",
    "a length beyond all": metadata() + b"\x12" + varint(1 << 62),
    "a number for a document": metadata() + field(2, 5),
    "a text for a number": metadata() + document("a", occurrence([0, 0, 1], "local 1", 0, field(3, "x"))),
    "a number for a text": metadata() + document("a", more=field(4, 1)),
    "two numbers": metadata() + document("a", occurrence([1, 2], "local 1")),
    "five numbers": metadata() + document("a", occurrence([1, 2, 3, 4, 5], "local 1")),
    "no numbers": metadata() + document("a", field(2, "local 1")),
    "negative": metadata() + document("a", _NEGATIVE),
    "ends before it begins": metadata() + document("a", occurrence([1, 5, 4], "local 1")),
    "lines the wrong way": metadata() + document("a", occurrence([3, 0, 2, 9], "local 1")),
    "no path": metadata() + document(""),
    "no UTF-8 in a path": metadata() + field(2, field(1, b"\xff")),
    "no UTF-8 in a symbol": metadata() + document("a", field(1, packed([0, 0, 1])) + field(2, b"\xff")),
    "an encoding of tomorrow": metadata() + document("a", more=field(6, 9)),
    "a symbol without a name": metadata() + document("a", more=field(3, field(3, "x"))),
}


@pytest.mark.requirement("JOB.4", "SCIP.1")
@pytest.mark.parametrize("name", BROKEN)
def test_what_is_no_index_is_a_parse_error(tmp_path: Path, name: str) -> None:
    with pytest.raises(ScipError) as told:
        read(tmp_path, BROKEN[name])
    assert told.value.code == "parse_error"


def test_a_document_that_is_too_large_is_refused_before_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(wire, "MAX_MESSAGE_BYTES", 1000)
    assert one(tmp_path, document("a", more=field(99, b"x" * 900))).path == "a"
    with pytest.raises(ScipError, match="at most 1000"):
        one(tmp_path, document("a", more=field(99, b"x" * 1100)))


def test_one_document_at_a_time_is_in_memory(tmp_path: Path) -> None:
    path = tmp_path / "index.scip"
    each = document("a", more=field(99, b"x" * 500_000))
    path.write_bytes(metadata() + each * 60)
    tracemalloc.start()
    try:
        assert sum(1 for _ in read_index(str(path)).documents()) == 60
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 5 * len(each)


def test_a_length_is_held_against_the_file_before_memory_is_taken(tmp_path: Path) -> None:
    path = tmp_path / "index.scip"
    path.write_bytes(metadata() + b"\x12" + varint(200 << 20) + b"x")
    index = read_index(str(path))
    tracemalloc.start()
    try:
        with pytest.raises(ScipError):
            list(index.documents())
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < 10 << 20


def _assert_read_or_refused(path: str) -> None:
    """All that an import would touch; a ScipError is the one way out besides the end."""
    try:
        index = read_index(path)
        for each in index.documents():
            for found in each.occurrences:
                _parse(found.symbol)
            for symbol in each.symbols:
                _parse(symbol.symbol)
    except ScipError:
        pass


def _parse(symbol: str) -> None:
    with contextlib.suppress(ScipError):
        parse_symbol(symbol)


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> str:
    return str(tmp_path_factory.mktemp("fuzz") / "index.scip")


def _write(path: str, data: bytes) -> None:
    with open(path, "wb") as file:
        file.write(data)


@pytest.mark.slow
@pytest.mark.requirement("JOB.4", "SCIP.1")
@given(data=st.binary(max_size=200))
def test_garbage_is_an_error_or_nothing(scratch: str, data: bytes) -> None:
    _write(scratch, data)
    _assert_read_or_refused(scratch)
    _write(scratch, metadata() + data)
    _assert_read_or_refused(scratch)
    _write(scratch, metadata() + field(2, field(1, "a") + data))
    _assert_read_or_refused(scratch)
    _write(scratch, metadata() + field(2, field(1, "a") + field(2, data)))
    _assert_read_or_refused(scratch)


@pytest.mark.slow
@pytest.mark.requirement("JOB.4", "SCIP.1")
@pytest.mark.parametrize("tool", PROJECTS)
@given(data=st.data())
def test_real_output_that_was_cut_or_flipped_is_an_error_or_read(scratch: str, tool: str, data: st.DataObject) -> None:
    whole = bytearray(recorded(tool).read_bytes())
    for _ in range(data.draw(st.integers(0, 4))):
        at = data.draw(st.integers(0, len(whole) - 1))
        whole[at] = data.draw(st.integers(0, 255))
    _write(scratch, bytes(whole[: data.draw(st.integers(0, len(whole)))]))
    _assert_read_or_refused(scratch)


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize("tool", PROJECTS)
def test_real_output_that_lost_its_last_byte_is_found(tmp_path: Path, tool: str) -> None:
    whole = recorded(tool).read_bytes()
    with pytest.raises(ScipError):
        read(tmp_path, whole[:-1])


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize("tool", PROJECTS)
def test_real_output_names_what_stands_in_the_text(tool: str) -> None:
    """The columns of both tools count UTF-16, though neither says so: a line with an emoji tells."""
    index = read_index(str(recorded(tool)))
    assert index.metadata.tool == tool
    seen = 0
    for each in index.documents():
        assert each.is_inside
        text = PROJECTS[tool][each.path]
        places = TextMap(text, encoding_of(each.encoding, tool), tool)
        for found in each.occurrences:
            start = places.offset(found.line, found.column)
            written = text[start : places.offset(found.end_line, found.end_column)]
            symbol = parse_symbol(found.symbol)
            if written == symbol.name:
                seen += 1
            elif written not in ("", "Volume", "Book as Volume", "Book"):
                # Locals have no name of their own; modules and their paths are written otherwise.
                assert symbol.is_local or symbol.kind in ("meta", "namespace"), (written, found)
    assert seen >= 15


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize(
    ("tool", "path", "defined", "used"),
    [
        (
            "scip-python",
            "shop/till.py",
            "scip-python python shop 0 `shop.till`/sell().",
            "scip-python python shop 0 `shop.goods`/Book#",
        ),
        (
            "scip-typescript",
            "src/till.ts",
            "scip-typescript npm shop 1.0.0 src/`till.ts`/sell().",
            "scip-typescript npm shop 1.0.0 src/`goods.ts`/Book#",
        ),
    ],
)
def test_real_output_has_definitions_uses_locals_and_implementations(
    tool: str, path: str, defined: str, used: str
) -> None:
    documents = {each.path: each for each in read_index(str(recorded(tool))).documents()}
    found = documents[path]
    assert [
        each.symbol for each in found.occurrences if each.defines and not each.local and each.symbol[-7:] == "sell()."
    ] == [defined]
    assert used in [each.symbol for each in found.occurrences if not each.defines]
    assert any(each.local and each.defines for each in found.occurrences)
    relations = {
        symbol.symbol: relation
        for each in documents.values()
        for symbol in each.symbols
        for relation in symbol.relationships
    }
    assert relations[used].implementation
    assert parse_symbol(relations[used].symbol).name == "Thing"


@pytest.mark.skipif("CAIRN_SCIP_SAMPLES" not in os.environ, reason="CAIRN_SCIP_SAMPLES names no larger indexes")
def test_larger_indexes_are_read_whole() -> None:
    for path in os.environ.get("CAIRN_SCIP_SAMPLES", "").split(os.pathsep):
        assert [parse_symbol(found.symbol) for each in read_index(path).documents() for found in each.occurrences]


def test_a_position_encoding_is_kept_and_a_missing_one_is_the_tools(tmp_path: Path) -> None:
    assert one(tmp_path, document("a", more=field(6, 3))).encoding is Encoding.UTF32
    assert one(tmp_path, document("a")).encoding is Encoding.UNSPECIFIED
    assert encoding_of(Encoding.UTF8, "scip-python") is Encoding.UTF8
    assert encoding_of(Encoding.UNSPECIFIED, "scip-python") is Encoding.UTF16
    assert encoding_of(Encoding.UNSPECIFIED, "scip-go") is Encoding.UTF8
    assert encoding_of(Encoding.UNSPECIFIED, "somebody's own") is Encoding.UNSPECIFIED
