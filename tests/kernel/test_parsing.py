"""The native core finds in a file what the reference finds: symbols, imports, calls, chunks, and the top comment."""

import random
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from cairn.kernel.core import core
from cairn.languages.files import language_of
from cairn.syntax.facts import ParsedFile
from cairn.syntax.grammar import grammars
from cairn.syntax.native import parse_natively
from cairn.syntax.parse import grammar_name, line_count, parse_by_reference
from tests.long import LONG
from tests.syntax import grammars as samples

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not installed")

ODD = (
    "\0", "\t", "\n", "\r", "\r\n", "\v", "\x1c", "\x1f", "\x85", "\xa0", "\u2028", "\u3000", "\ufeff", "é", "İ", "ı",
    "ſ", "²", "e\u0301", "漢字", "𝒳", '"', "'", "`", "\\", ".", "..", "->", "::", ":", "<", "<summary>", "<cé>", "{",
    "}", "(", ")", "#", "//", "/*", "*/", "@", "$", "copyright", "é author :", "super().", "require(", "fun²",
)  # fmt: skip
"""What Python's tables and tree-sitter's scanners may see otherwise than the core."""


def grammar_samples() -> dict[str, str]:
    modules = [import_module(f"{samples.__name__}.{each.name}") for each in iter_modules(samples.__path__)]
    return {module.PATH: module.SAMPLE for module in modules if hasattr(module, "SAMPLE")}


SAMPLES = grammar_samples()


def both(path: str, text: str, chunk_bytes: int = 1500, max_chunks: int = 1000) -> tuple[ParsedFile | None, ParsedFile]:
    """What the core and the reference find; the core gives None where the reference has to tell."""
    data = text.encode()
    language = language_of(path, data[:100])
    name = grammar_name(path, language, data)
    assert name is not None
    lines = line_count(data)
    return (
        parse_natively(name, language, lines, data, chunk_bytes, max_chunks),
        parse_by_reference(name, language, lines, data, chunk_bytes, max_chunks),
    )


def broken(text: str, made: random.Random) -> str:
    """A text with pieces cut out, doubled, moved, or with odd characters between them."""
    for _ in range(made.randint(1, 6)):
        one, other = sorted(made.randint(0, len(text)) for _ in range(2))
        near = min(one + made.randint(1, 40), len(text))
        odd = "".join(made.choices(ODD, k=made.randint(1, 3)))
        text = made.choice(
            (
                text[:one] + text[near:],
                text[:near] + text[one:near] * made.randint(1, 4) + text[near:],
                text[:one] + odd + text[one:],
                text[:one] + odd + text[near:],
                text[:one],
                text[one:],
                text[other:] + text[:one],
            )
        )
    return text


def seeds(factor: int) -> Iterator[tuple[str, str, random.Random]]:
    for path, text in SAMPLES.items():
        made = random.Random(path)
        for _ in range(factor):
            yield path, broken(text, made), made


def test_there_is_a_sample_for_every_grammar() -> None:
    named = {grammar_name(path, language_of(path), text.encode()) for path, text in SAMPLES.items()}
    assert named == set(grammars())


@pytest.mark.sampled
@pytest.mark.parametrize("path", SAMPLES)
def test_a_sample_of_each_language_is_the_same(path: str) -> None:
    for chunk_bytes, max_chunks in ((1500, 1000), (200, 1000), (60, 7), (16, 1000)):
        native, reference = both(path, SAMPLES[path], chunk_bytes, max_chunks)
        assert native == reference


def test_rows_are_of_the_same_types() -> None:
    native, reference = both("a.py", "import os\n\n\ndef one():\n    return os.getcwd()\n")
    assert native is not None
    for name in ("chunks", "symbols", "imports", "calls"):
        rows = [*zip(getattr(native, name), getattr(reference, name), strict=True)]
        assert rows
        assert all(type(one) is type(other) and [*map(type, one)] == [*map(type, other)] for one, other in rows)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", ""),
        ("a.py", "\n\n"),
        ("a.py", "\ufeff# Größe\x1c über alles\ndef größe():\n    pass\n"),
        ("a.py", "def one():\n    '''Text\u2028 with <c>tags</c>\x85 and ends'''\n" + "    x = 1\n" * 400),
        ("a.py", "# Copyright ſome\n# Licenſe: x\n#\n# What it iſ.\n\nx = call(1)\n"),
        ("a.js", "exports.one = function () {}; module.two = () => 1; other.three = () => 2;\n"),
        ("a.sh", "[ -e x ]\n. ./lib.sh\n[[ a ]]\nsource b\nsourced c\n"),
        ("a.go", "package a\nfunc Über() {}\nfunc über() {}\nfunc Ǆ() {}\nfunc ǅ() {}\n"),
        ("a.php", "<?php\n\\Foo\\bar();\n$a . foo();\nnamespace\\x();\n"),
        ("a.json", '{"a":\n' * 400 + "1" + "}" * 400),
        ("a.rb", "class A\n  private\n  def one; end\n  public\n  def two; end\nend\n"),
        ("a.py", "x = [\n" + "    1,\n" * 3000 + "]\n" + "y = '" + "é" * 3000 + "'\n"),
    ],
)
def test_a_text_that_could_be_seen_otherwise_is_the_same(path: str, text: str) -> None:
    native, reference = both(path, text)
    assert native == reference


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.cs", "/// <cé>text\nclass A {}\n"),
        ("a.py", "# é Author: me\nx = 1\n"),
        ("a.ml", "let f = funé\nlet g = fun² x\n"),
    ],
)
def test_what_is_in_pythons_tables_alone_is_left_to_the_reference(path: str, text: str) -> None:
    native, _ = both(path, text)
    assert native is None


def test_texts_that_are_no_utf8_are_left_to_the_reference() -> None:
    assert parse_natively("python", "python", 1, b"x = '\xff'\n", 1500, 1000) is None


@pytest.mark.slow
def test_broken_samples_are_the_same() -> None:
    handed_back = 0
    for path, text, made in seeds(3):
        native, reference = both(path, text, made.choice((40, 300, 1500)))
        handed_back += native is None
        assert native in (None, reference), (path, text)
    assert handed_back < 3 * len(SAMPLES) // 4


@pytest.mark.slow
def test_many_broken_samples_are_the_same() -> None:
    for path, text, made in seeds(40 * max(LONG, 1)):
        native, reference = both(path, text, made.choice((40, 300, 1500)))
        assert native in (None, reference), (path, text)


@pytest.mark.slow
def test_files_of_installed_packages_are_the_same() -> None:
    folder = Path(pytest.__file__).resolve().parent.parent
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size < 300_000]
    compared = 0
    for path in files[:: max(1, 40 // max(LONG, 1))]:
        data = path.read_bytes()
        try:
            text = data.decode()
        except UnicodeDecodeError:
            continue
        if grammar_name(path.name, language_of(path.name, data[:100]), data) is not None:
            native, reference = both(path.name, text)
            assert native in (None, reference), path
            compared += 1
    assert compared > 20
