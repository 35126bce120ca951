"""Chunks: every line once, ranges that agree with the bytes, and no text that breaks the cutter."""

from itertools import pairwise

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from cairn.languages.files import language_of
from cairn.syntax.facts import Chunk, ParsedFile
from cairn.syntax.parse import parse_file

LIMIT = 300


def parse(path: str, data: bytes, limit: int = LIMIT, max_chunks: int = 100_000) -> ParsedFile:
    return parse_file(path, language_of(path), data, limit, max_chunks)


def lines_of(data: bytes) -> list[bytes]:
    return data.split(b"\n")


def assert_sound(data: bytes, parsed: ParsedFile, limit: int = LIMIT) -> None:
    """Everything that holds for the chunks of any file."""
    starts = [0]
    for line in lines_of(data):
        starts.append(starts[-1] + len(line) + 1)
    for chunk in parsed.chunks:
        assert chunk.text.encode() == data[chunk.byte_start : chunk.byte_end]
        assert chunk.text.strip("\n\r\t \v\f")
        assert starts[chunk.start_line - 1] <= chunk.byte_start < starts[chunk.start_line]
        assert starts[chunk.end_line - 1] < chunk.byte_end <= starts[chunk.end_line]
        # A definition may be half as large again, and a crumb after it comes along.
        if chunk.byte_end - chunk.byte_start > limit * 3 // 2 + limit // 10:
            assert chunk.start_line == chunk.end_line
    for before, after in pairwise(parsed.chunks):
        assert before.byte_end <= after.byte_start
        assert before.end_line < after.start_line or before.end_line == before.start_line == after.start_line
    covered = bytearray(len(data))
    for chunk in parsed.chunks:
        covered[chunk.byte_start : chunk.byte_end] = b"\1" * (chunk.byte_end - chunk.byte_start)
    at = 0
    for line in lines_of(data):
        if line.strip() and len(line) <= limit:
            assert all(covered[at : at + len(line)]), line
        at += len(line) + 1
    assert not bytes(byte for byte, seen in zip(data, covered, strict=True) if not seen).strip()


NAMES = st.sampled_from(["lease", "guard", "Snap", "_hidden", "größe", "x"])
INDENTS = st.sampled_from(["", "", "    ", "        ", "\t"])
PYTHON = st.lists(
    st.builds(
        lambda indent, form, name, end: indent + form.format(name) + end,
        INDENTS,
        st.sampled_from(
            [
                "def {}(a, b=1):",
                "class {}(Base):",
                "@decorated({})",
                "# about {}",
                "return {}",
                "{} = [1,",
                "]",
                '"""doc of {}',
                '"""',
                "async def {}(",
                "):",
                "import {}",
                "if {}: pass; y = 2",
                "",
                "   ",
                "call({}); " + "x" * 300,
                "é" * 200,
            ]
        ),
        NAMES,
        st.sampled_from(["\n", "\n", "\n", "\r\n", "\n\n\n", ""]),
    ),
    max_size=40,
).map("".join)
JAVASCRIPT = st.lists(
    st.builds(
        lambda form, name, end: form.format(name) + end,
        st.sampled_from(
            [
                "export function {}(a) {{",
                "}}",
                "class {} extends B {{",
                "  {}() {{ return 1 }}",
                "const {} = () => {{",
                "/** {} */",
                "// {}",
                "`template ${{{}",
                "`",
                "x = {};",
                "((([[{{{{",
                ");",
                "import {{ {} }} from './a'",
            ]
        ),
        NAMES,
        st.sampled_from(["\n", "\n", " ", "\r\n", "\n\n", ""]),
    ),
    max_size=40,
).map("".join)
MARKDOWN = st.lists(
    st.builds(
        lambda form, name, end: form.format(name) + end,
        st.sampled_from(
            [
                "# {}",
                "## {}",
                "###### {}",
                "{}",
                "=====",
                "-----",
                "```python",
                "```",
                "- {}",
                "> {}",
                "| {} |",
                "<div>",
            ]
        ),
        NAMES,
        st.sampled_from(["\n", "\n", "\n\n", "\r\n", " "]),
    ),
    max_size=40,
).map("".join)


@pytest.mark.slow
@given(PYTHON, st.integers(20, 400))
@settings(max_examples=150)
@example("class A:\n    def b(self): pass\n    def c(self): pass\n" * 10, 40)
@example("def a():\n  pass; b = 1\n", 20)
def test_every_line_of_python_is_in_one_chunk(text: str, limit: int) -> None:
    data = text.encode()
    assert_sound(data, parse("a.py", data, limit), limit)


@pytest.mark.slow
@given(JAVASCRIPT, st.integers(20, 400))
@settings(max_examples=150)
def test_every_line_of_javascript_is_in_one_chunk(text: str, limit: int) -> None:
    data = text.encode()
    assert_sound(data, parse("a.js", data, limit), limit)


@pytest.mark.slow
@given(MARKDOWN, st.integers(20, 400))
@settings(max_examples=100)
def test_every_line_of_markdown_is_in_one_chunk(text: str, limit: int) -> None:
    data = text.encode()
    assert_sound(data, parse("a.md", data, limit), limit)


@pytest.mark.slow
@given(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=300),
    st.sampled_from(["a.py", "a.js", "a.md", "a.json", "a.rs", "a.go", "a.c", "a.html", "a.yaml", "a.txt"]),
)
@settings(max_examples=250)
def test_any_text_in_any_language_is_cut(text: str, path: str) -> None:
    data = text.encode()
    parsed = parse(path, data, 50)
    assert [chunk.byte_start for chunk in parsed.chunks] == sorted(chunk.byte_start for chunk in parsed.chunks)
    if parsed.parsed:
        assert_sound(data, parsed, 50)


@pytest.mark.slow
@given(PYTHON, st.integers(1, 8))
@settings(max_examples=60)
def test_too_many_chunks_become_fewer_and_larger_ones(text: str, most: int) -> None:
    data = text.encode()
    parsed = parse("a.py", data, 20, most)
    assert len(parsed.chunks) <= most
    assert_sound(data, parsed, len(data) + 1)


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.md", "a.json", "a.txt", "a.yaml"])
@pytest.mark.parametrize("data", [b"", b"\n", b"\n\n\n", b" \t \r\n\n  \n", b"\x0c\n"])
def test_a_file_without_a_word_has_no_text_to_show(path: str, data: bytes) -> None:
    parsed = parse(path, data)
    assert all(not chunk.text.strip() for chunk in parsed.chunks)
    assert parsed.lines == data.count(b"\n")
    if parsed.parsed:
        assert parsed.chunks == ()


def test_the_last_line_may_lack_its_end() -> None:
    assert [chunk.text for chunk in parse("a.py", b"x = 1").chunks] == ["x = 1"]
    assert parse("a.py", b"x = 1").lines == 1
    assert parse("a.py", b"x = 1\ny = 2\n").lines == 2


def test_crlf_and_a_byte_order_mark_stay_in_the_text() -> None:
    data = "\ufeffdef a():\r\n    return 1\r\n\r\n\r\ndef b():\r\n    return 2\r\n".encode()
    parsed = parse("a.py", data)
    assert_sound(data, parsed)
    assert [symbol.name for symbol in parsed.symbols] == ["a", "b"]
    assert "".join(chunk.text for chunk in parsed.chunks).startswith("\ufeffdef a():\r\n")


def _functions(count: int, lines: int) -> bytes:
    return b"\n".join(b"def f%d():\n" % number + b"    call()\n" * lines for number in range(count))


def test_a_definition_that_fits_is_whole_and_its_comment_comes_with_it() -> None:
    data = b"import os\n" + b"x = os.environ['SOME LONG NAME OF A VARIABLE'] * 2\n" * 5
    data += b"\n\n# why a\n@cached\ndef a():\n" + b"    first()\n" * 18 + b"\n\ndef b():\n" + b"    second()\n" * 18
    parsed = parse("a.py", data)
    texts = [chunk.text for chunk in parsed.chunks]
    assert texts[1].startswith("# why a\n@cached\ndef a():\n")
    assert texts[1].endswith("    first()\n")
    assert texts[2].startswith("def b():\n")
    assert [chunk.symbols for chunk in parsed.chunks] == [("x",) * 5, ("a",), ("b",)]


def test_tiny_neighbours_are_put_together() -> None:
    parsed = parse("a.py", _functions(3, 1))
    (chunk,) = parsed.chunks
    assert chunk.symbols == ("f0", "f1", "f2")


def test_a_large_class_is_cut_between_its_members() -> None:
    members = "".join(f"    def m{number}(self):\n" + "        call()\n" * 15 for number in range(4))
    parsed = parse("a.py", f"class A:\n    x = 1\n{members}".encode())
    assert [chunk.text.partition("(")[0].strip() for chunk in parsed.chunks][1:] == ["def m1", "def m2", "def m3"]
    assert parsed.chunks[0].symbols == ("A", "A.x", "A.m0")


def test_a_long_function_is_cut_between_its_statements() -> None:
    statement = "    call(\n        one,\n        two,\n    )\n"
    parsed = parse("a.py", f"def long():\n{statement * 20}".encode())
    assert len(parsed.chunks) > 2
    assert all(chunk.text.startswith("    call(") for chunk in parsed.chunks[1:])
    assert all(chunk.text.endswith("    )\n") for chunk in parsed.chunks)


def test_markdown_is_cut_at_its_headings() -> None:
    body = "words of a paragraph that go on for a while\n" * 4
    parsed = parse("a.md", "".join(f"## Part {number}\n\n{body}\n" for number in range(3)).encode())
    assert [chunk.text.partition("\n")[0] for chunk in parsed.chunks] == ["## Part 0", "## Part 1", "## Part 2"]


def _depth(opening: str, closing: str, around: str) -> bytes:
    return (around + opening * 5000 + closing * 5000 + "\n").encode()


@pytest.mark.requirement("MOD.1")
@pytest.mark.parametrize("lines", [False, True])
@pytest.mark.parametrize(
    ("path", "data"),
    [
        ("a.json", _depth("[", "]", "")),
        ("a.json", _depth("[", "", "")),
        ("a.json", _depth('{"a":', "}", "")),
        ("a.py", _depth("(", ")", "x = ")),
        ("a.py", _depth("[", "", "x = ")),
        ("a.js", _depth("[", "]", "x = ")),
        ("a.js", _depth("{", "}", "")),
        ("a.js", _depth("(() => {", "})", "")),
    ],
)
def test_deep_nesting_is_borne(path: str, data: bytes, lines: bool) -> None:
    text = data
    if lines:
        for sign in (b"[", b"{", b"(", b"]", b"}", b")"):
            text = text.replace(sign, sign + b"\n")
    parsed = parse(path, text)
    assert parsed.chunks
    if parsed.parsed:
        assert_sound(text, parsed)
    assert parsed.parsed or not lines


def test_classes_in_classes_without_end_are_borne() -> None:
    data = b"".join(b" " * depth + b"class A%d:\n" % depth for depth in range(300)) + b" " * 300 + b"x = 1\n"
    assert_sound(data, parse("a.py", data), LIMIT)


def _joined(chunks: tuple[Chunk, ...]) -> str:
    return "".join(chunk.text for chunk in chunks)


@pytest.mark.parametrize("path", ["a.js", "a.json", "a.py", "a.txt"])
def test_one_line_of_five_megabytes_is_cut_between_characters(path: str) -> None:
    data = ("x = 'é日' + " * 330_000)[:5_000_000].encode()[:5_000_000].decode("utf-8", "ignore").encode()
    parsed = parse(path, data, 1500, 2000)
    assert not parsed.parsed
    assert len(parsed.chunks) <= 2000
    assert {(chunk.start_line, chunk.end_line) for chunk in parsed.chunks} == {(1, 1)}
    assert _joined(parsed.chunks).encode() == data


def test_a_minified_file_is_cut_without_a_grammar_and_a_short_one_with_it() -> None:
    function = b"function a(){return 1};"
    assert not parse("a.js", function * 2000).parsed
    assert parse("a.js", function * 10).parsed
    assert parse("a.js", (function + b"\n") * 2000).parsed


def test_a_long_line_among_short_ones_is_cut_by_itself() -> None:
    data = b"def a():\n    return 1\n\nDATA = '" + b"x" * 1000 + b"'\n\ndef b():\n    return 2\n"
    parsed = parse("a.py", data)
    assert_sound(data, parsed)
    assert [symbol.name for symbol in parsed.symbols] == ["a", "DATA", "b"]
    assert all(len(chunk.text) <= LIMIT for chunk in parsed.chunks)


def test_the_same_bytes_are_always_cut_the_same_way() -> None:
    data = _functions(30, 4)
    assert parse("a.py", data) == parse("a.py", data)
    assert parse("a.py", data).chunks == parse("other/name.py", data).chunks
