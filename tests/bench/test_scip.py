import pytest
from bench.scip import Document, FormatError, Occurrence, documents, plain_name


def varint(value: int) -> bytes:
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def field(number: int, value: int | bytes) -> bytes:
    if isinstance(value, int):
        return varint(number << 3) + varint(value)
    return varint(number << 3 | 2) + varint(len(value)) + value


def occurrence(place: list[int], symbol: str, roles: int = 0) -> bytes:
    packed = b"".join(map(varint, place))
    return field(1, packed) + field(2, symbol.encode()) + (field(3, roles) if roles else b"")


def document(path: str, *occurrences: bytes) -> bytes:
    return field(2, field(4, b"python") + field(1, path.encode()) + b"".join(field(2, each) for each in occurrences))


def test_documents_are_read_with_ranges_of_three_and_four_numbers() -> None:
    data = field(1, b"\x08\x01") + document(
        "a/b.py", occurrence([300, 4, 9], "s a#", 1), occurrence([1, 2, 3, 4], "local 7", 8)
    )
    assert list(documents(data)) == [
        Document(
            "a/b.py",
            (Occurrence(300, 4, 300, 9, "s a#", defines=True), Occurrence(1, 2, 3, 4, "local 7", defines=False)),
        )
    ]


def test_a_definition_may_have_other_roles_too() -> None:
    (read,) = documents(document("a.py", occurrence([0, 0, 1], "s a.", 1 | 8)))
    assert read.occurrences[0].defines


def test_fields_that_are_not_needed_are_passed_over() -> None:
    fixed = varint(9 << 3 | 5) + b"abcd" + varint(10 << 3 | 1) + b"abcdefgh"
    (read,) = documents(fixed + document("a.py"))
    assert read == Document("a.py", ())


@pytest.mark.parametrize(
    "data",
    [
        b"\x12\x05ab",
        b"\x80",
        b"\x13",
        document("a.py", occurrence([1, 2], "s a.")),
    ],
)
def test_what_is_no_index_is_refused(data: bytes) -> None:
    with pytest.raises(FormatError):
        list(documents(data))


@pytest.mark.parametrize(
    ("symbol", "name"),
    [
        ("scip-python python p 0 `p.m`/Thing#", "Thing"),
        ("scip-python python p 0 `p.m`/Thing#run().", "run"),
        ("scip-typescript npm p 1 src/`a.ts`/over(+1).", "over"),
        ("scip-python python p 0 `p.m`/LIMIT.", "LIMIT"),
        ("scip-typescript npm p 1 src/`a.ts`/Thing#`a-b`.", "a-b"),
        ("scip-python python p 0 `p.m`/run().(argument)", ""),
        ("scip-typescript npm p 1 src/`a.ts`/Thing#[T]", ""),
        ("scip-python python p 0 `p.m`/__init__:", ""),
        ("scip-typescript npm p 1 src/`a.ts`/", ""),
        ("local 12", ""),
    ],
)
def test_a_type_a_term_and_a_method_have_plain_names(symbol: str, name: str) -> None:
    assert plain_name(symbol) == name
