"""What the pieces of a text are: one rule over the nodes of every grammar, and never more than the text has."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.languages.files import language_of
from cairn.syntax.colours import KINDS, colours_of


def pieces(path: str, text: str, first: int = 1, last: int | None = None) -> list[tuple[int, str, str]]:
    """(line, kind, text) of each piece."""
    data = text.encode()
    numbers = colours_of(path, language_of(path, data[:256]), data, first, last)
    found: list[tuple[int, str, str]] = []
    lines, line, at = text.split("\n"), first, 0
    for down, across, length, kind in zip(*(numbers[each::4] for each in range(4)), strict=True):
        at = across if down or not found else at + across
        line += down
        units = lines[line - 1].encode("utf-16-le")
        found.append((line, KINDS[kind], units[2 * at : 2 * (at + length)].decode("utf-16-le")))
    return found


def kinds(path: str, text: str) -> dict[str, str]:
    return {piece: kind for _, kind, piece in pieces(path, text)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "wanted"),
    [
        (
            "a.py",
            'class A(B):\n    def f(self, x: int) -> "B":\n        return g(1) if not x else None  # why\n',
            {"class": "keyword", "A": "definition", "f": "definition", "int": "type", '"B"': "string", "g": "call"}
            | {"1": "number", "not": "keyword", "None": "keyword", "# why": "comment"},
        ),
        (
            "a.c",
            "#define MOST 1\nstruct X { int a; };\nint use(struct X *x) { return go(x, NULL); }\n",
            {"#define": "keyword", "MOST": "definition", "int": "type", "use": "definition", "go": "call"}
            | {"NULL": "keyword", "return": "keyword"},
        ),
        ("a.go", "package a\nfunc (s *S) Get(n int) error { return nil }\n", {"Get": "definition", "nil": "keyword"}),
        ("a.rs", "pub fn get(&mut self) -> u32 { self.len() }\n", {"get": "definition", "u32": "type", "len": "call"}),
        ("a.ts", "const a = `b${this.c}d`;\n", {"`b": "string", "this": "keyword", "d`": "string"}),
        ("a.java", "class A { int get() { return 1L; } }\n", {"int": "type", "get": "definition", "1L": "number"}),
        ("a.sql", "SELECT a FROM t WHERE b = 'c';\n", {"SELECT": "keyword", "'c'": "string"}),
        ("a.json", '{"a": [1, true]}\n', {'"a"': "string", "1": "number", "true": "keyword"}),
        ("a.rb", 'def get(x) "a#{x}b" end # c\n', {"def": "keyword", "get": "definition", "# c": "comment"}),
        ("a.html", "<!-- c --><p>text</p>\n", {"<!-- c -->": "comment", "p": "keyword"}),
    ],
)
def test_what_is_said_of_pieces(path: str, text: str, wanted: dict[str, str]) -> None:
    found = kinds(path, text)
    assert wanted.items() <= found.items()


def test_a_use_is_no_definition_a_member_no_keyword_and_a_directive_no_comment() -> None:
    text = "#define ONE 1\nstruct X { int a; };\nstruct X *of(struct X *x);\n"
    found = pieces("a.c", text)
    assert [line for line, kind, piece in found if piece == "X" and kind == "definition"] == [2]
    assert {kind for line, kind, piece in found if piece == "X" and line == 3} == {"type"}
    assert not [each for each in found if each[1] == "comment"]
    assert "internal" not in kinds("a.cs", "class A { void M(S state) { var x = state.internal; } }\n")
    assert (
        "identifier" not in kinds("a.py", "identifier = self.identifier\n")
        or kinds("a.py", "identifier = self.identifier\n")["identifier"] == "definition"
    )


def test_places_are_those_of_a_browsers_strings() -> None:
    assert pieces("a.py", 'x = "é😀"; y = 1\r\nz = 2\r\n')[1:] == [
        (1, "string", '"é😀"'),
        (1, "definition", "y"),
        (1, "number", "1"),
        (2, "definition", "z"),
        (2, "number", "2"),
    ]


def test_pieces_of_several_lines_end_with_each_line() -> None:
    assert pieces("a.py", '"""a\nb\nc"""\n') == [(1, "string", '"""a'), (2, "string", "b"), (3, "string", 'c"""')]


def test_some_lines_are_as_in_the_whole() -> None:
    text = "".join(f'def f{at}():\n    return """a\n{at}"""\n' for at in range(20))
    whole = pieces("a.py", text)
    assert pieces("a.py", text, 10, 14) == [each for each in whole if 10 <= each[0] <= 14]
    assert pieces("a.py", text, 500, 600) == []


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.xyz", b"text"),
        ("a.py", b"x = '" + b"a" * 2_000_000),
        ("a.py", b""),
        ("a.py", b"def (((\n\xff\xfe'''"),
        ("a.c", b"(" * 20_000),
        ("a.py", b"\xef\xbb\xbfx = 1\n"),
    ],
)
def test_whatever_a_text_is_nothing_lies_beyond_it(path: str, data: bytes) -> None:
    require_within(path, data)


@given(text=st.text(alphabet="a1'\"#é😀(\n\r\t{}$` ", max_size=60), suffix=st.sampled_from(["py", "js", "rb", "c"]))
@settings(max_examples=60, deadline=None)
@pytest.mark.slow
def test_pieces_follow_each_other_within_their_lines(text: str, suffix: str) -> None:
    require_within(f"a.{suffix}", text.encode())


def require_within(path: str, data: bytes) -> None:
    numbers = colours_of(path, language_of(path, data[:256]), data)
    lines = [len(each.encode("utf-16-le")) // 2 for each in data.decode("utf-8", "replace").split("\n")]
    line, at, end = 0, 0, 0
    for nth, (down, across, length, kind) in enumerate(zip(*(numbers[each::4] for each in range(4)), strict=True)):
        at, end = (across, 0) if down or not nth else (at + across, end)
        line += down
        assert at >= end
        end = at + length
        assert 0 < length <= lines[line] - at
        assert 0 < kind < len(KINDS)
