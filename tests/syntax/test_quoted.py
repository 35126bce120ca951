"""Types in quotes are uses; other strings are not."""

import pytest

from cairn.graph.occurrences import uses_in
from cairn.syntax.blocks import QUOTED, occurrence_block
from cairn.syntax.uses import Use
from tests.named import places


def quoted(text: str, name: str) -> list[Use]:
    rows = places(occurrence_block("m.py", "python", text.encode()))
    return uses_in((row for row in rows if row.name == name and row.what & QUOTED), quoted=True)


def found(text: str, name: str = "A") -> list[tuple[int, int, str]]:
    return [(use.line, use.column, use.receiver) for use in quoted(text, name)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('x: "A"', [(1, 4, "")]),
        ('def f(x: "A") -> "list[A]": ...', [(1, 10, ""), (1, 23, "")]),
        ('x: "dict[A, A]"', [(1, 9, ""), (1, 12, "")]),
        ('x: Optional["A"]', [(1, 13, "")]),
        ('x: t.Optional["A | None"]', [(1, 15, "")]),
        ('x: "m.A"', [(1, 6, "m")]),
        ('x: "m.n.A"', [(1, 8, "m.n")]),
        ('x: "A.B"', [(1, 4, "")]),
        ('x: Annotated["A", "B"]', [(1, 14, "")]),
        ('x: t.Annotated["A", 1]', [(1, 16, "")]),
        ('x: list["A"] | "A"', [(1, 9, ""), (1, 16, "")]),
    ],
)
def test_names_in_quoted_annotations(text: str, expected: list[tuple[int, int, str]]) -> None:
    assert found(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        'x = "A"',
        'x: Literal["A"]',
        'x: t.Literal["B", "A"]',
        "x: \"Literal['A']\"",
        'x: Annotated[int, "A"]',
        'x: Annotated[int, Field(alias="A")]',
        'x: t.Annotated[int, "A"]',
        'x: f"{A}"',
        'x: f"A{1}"',
        'x: b"A"',
        'x: "éA"',
        'x: "Aé"',
        'x: "AB"',
        'x: "a sentence with A in it"',
        'x: "\\x41A"',
        'def f(x="A"): ...',
    ],
)
def test_strings_that_are_no_types(text: str) -> None:
    assert found(text) == []


def test_names_in_other_scripts() -> None:
    assert found('x: "Größe"', "Größe") == [(1, 4, "")]
    assert found('x: "Größe"', "Gr") == []


def test_what_a_function_binds_itself_is_local() -> None:
    text = 'def f():\n    class A: ...\n    def g(x: "A"): ...\ndef h(x: "A"): ...\n'
    told = [(use.line, use.local, use.within) for use in quoted(text, "A")]
    assert told == [(3, True, "f.g"), (4, False, "h")]
