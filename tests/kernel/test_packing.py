"""The native core packs a file as the reference does: the same bytes of every block, the same texts of rows."""

import random

import pytest

from cairn.base.columns import DAMAGE, join_columns
from cairn.indexing.natively import pack_natively
from cairn.indexing.prepare import FileSource, from_parsed
from cairn.kernel.core import core
from cairn.kernel.turning import turned, turned_by_reference
from cairn.languages.files import language_of
from cairn.syntax.blocks import block_by_reference
from cairn.syntax.facts import ParsedFile
from cairn.syntax.lines import chunk_lines
from cairn.syntax.parse import grammar_name, line_count, parse_by_reference
from cairn.workspace.reads import content_hash
from tests.kernel.test_parsing import SAMPLES, seeds

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not installed")


def assert_same(path: str, text: str, chunk_bytes: int = 1500, max_chunks: int = 1000) -> bool:
    """Whether the core could tell; where it could, it told what the reference tells."""
    data = text.encode("utf-8", "replace")
    source = FileSource(path, language_of(path, data[:100]), content_hash(data), data)
    name = grammar_name(path, source.language, data)
    lines = line_count(data)
    native = pack_natively(path, source.language, source.file_hash, data, chunk_bytes, max_chunks)
    if native is None:
        return False
    if name is None:
        parsed = ParsedFile(source.language, lines, tuple(chunk_lines(data, chunk_bytes, max_chunks)))
    else:
        parsed = parse_by_reference(name, source.language, lines, data, chunk_bytes, max_chunks, names=True)
    made = from_parsed(source, parsed, block_by_reference(path, source.language, data))
    assert native == (made.packed, made.texts, made.symbols)
    assert type(native[0].file) is type(made.packed.file)
    assert [*map(type, native[0].edges)] == [*map(type, made.packed.edges)]
    return True


@pytest.mark.sampled
@pytest.mark.parametrize("path", SAMPLES)
def test_a_sample_of_each_language_is_packed_the_same(path: str) -> None:
    assert assert_same(path, SAMPLES[path])
    assert assert_same(path, SAMPLES[path], 200)
    assert assert_same(path, SAMPLES[path], 60, 7)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", ""),
        ("a.py", "\n\n"),
        ("a.py", 'def größe(a="\\x7f\x7f\\"\\\\", b="\U0001d4b3\t"):\n    pass\n\n\nclass Über: pass\n'),
        ("GRÖSSE.py", "class ǅ:\n    def ẞ(self): self.ẞ()\n    class ẞ: pass\n"),
        ("a.py", "".join(f"import m{number % 70}\ndef f{number % 65}(): pass\n" for number in range(150))),
        ("a.py", "def f():\n    def g(): h()\n    return lambda: g()\nfor i in f(): i.j().k()\n"),
        ("a.ts", "export * from './b'\nexport { c as d } from './e'\nimport f, { g } from 'h'\n"),
        ("a.rs", "pub use a::b;\nuse c::{d, e};\npub fn f() { d::g() }\n"),
    ],
)
def test_a_file_is_packed_the_same(path: str, text: str) -> None:
    assert assert_same(path, text)


@pytest.mark.parametrize("size", [1, 2, 10, 1500])
@pytest.mark.parametrize(
    "text",
    ["", "\n", "one", "one\n", "one\n\ntwo\nthree", "ab\n" * 50, "a" * 40 + "\n" + "b" * 9, "größe\n日本語" * 9 + "\n"],
)
def test_a_file_without_a_grammar_is_packed_the_same(text: str, size: int) -> None:
    if size > 2 or text.isascii():
        assert assert_same("a.txt", text, size, 1000)
        assert assert_same("a.txt", text, size, 3)


@pytest.mark.slow
def test_broken_samples_are_packed_the_same() -> None:
    told = sum(assert_same(path, text, 300) for path, text, _ in seeds(2))
    assert told > len(SAMPLES)


@pytest.mark.parametrize(
    ("files", "names", "block_rows"), [(0, 1, 10), (1, 1, 1), (40, 3, 20), (60, 500, 30), (9, 9, 1)]
)
def test_names_are_turned_the_same(files: int, names: int, block_rows: int) -> None:
    made = random.Random(files)
    texts = ["", "größe", "日本語", "𝒳", *(f"name{number}" for number in range(names))]
    joined = []
    for _ in range(files):
        rows = made.randint(0, 60)
        said = [made.choices(texts, k=rows) for _ in range(2)]
        lines = sorted(made.choices(range(1 << 20), k=rows))
        joined.append(join_columns(said, [lines, *([made.randrange(1 << 32) for _ in lines] for _ in range(5))]))
    numbers = sorted(made.sample(range(1000), files))
    assert turned(numbers, joined, block_rows) == [*turned_by_reference(numbers, joined, block_rows)]


def test_columns_that_are_not_those_of_names_are_refused() -> None:
    whole = join_columns([["a"], ["é"]], [[1]] * 6)
    for joined in (whole[:-1], whole[:20], whole + b"a", join_columns([["a"]], [[1]]), b"\xff" * 99):
        with pytest.raises(DAMAGE):
            turned([1], [joined], 10)
        with pytest.raises(DAMAGE):
            [*turned_by_reference([1], [joined], 10)]
