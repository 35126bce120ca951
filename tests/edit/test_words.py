"""Every place of a name is found once, and told what it stands in."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.edit.source.words import CODE, COMMENT, STRING, TEXT, words_in
from tests.named import source

PATHS = {
    "python": "a.py",
    "typescript": "a.ts",
    "javascript": "a.js",
    "go": "a.go",
    "java": "A.java",
    "markdown": "a.md",
    "json": "a.json",
    "toml": "a.toml",
    "yaml": "a.yaml",
    "html": "a.html",
    "bash": "a.sh",
    "ini": "a.ini",
    "text": "a.txt",
}
WORD = re.compile(rb"(?<![0-9A-Za-z_$\xa9])name(?![0-9A-Za-z_$\xc3])")
"""Of the letters beyond ASCII below, only é goes on with a word."""


def kinds(language: str, text: str) -> list[str]:
    """The kind of each place; with `!` what a program may read as the name."""
    found = words_in(source(PATHS[language], language, text.encode()), "name")
    return [word.kind + "!" * word.exact for word in found]


@pytest.mark.parametrize(
    ("language", "text", "expected"),
    [
        ("python", "name = 1  # name\n", [CODE, COMMENT]),
        ("python", '"""About name."""\nx = "name", "a name", "m.name"\n', [STRING, STRING + "!", STRING, STRING + "!"]),
        ("python", 'f"{name} name"\n', [CODE, STRING]),
        ("python", 'def f(x: "name") -> "list[name]": ...\n', [CODE, CODE]),
        ("python", "x.name(name=1)\n", [CODE, CODE]),
        ("typescript", '// name\nconst s = "name", t = `${name} the name`;\n', [COMMENT, STRING + "!", CODE, STRING]),
        ("typescript", 'import { name } from "./name";\n/* name */\n', [CODE, STRING, COMMENT]),
        ("javascript", "const o = { name, a: name };\n", [CODE, CODE]),
        (
            "javascript",
            "const a = <p title='the name'>name {name}</p>, b = /name/;\n",
            [STRING, STRING, CODE, STRING + "!"],
        ),
        ("go", 'package a\n\n// name\nvar name = "name"\n', [COMMENT, CODE, STRING + "!"]),
        ("java", 'class A { String name = "a name"; /* name */ }\n', [CODE, STRING, COMMENT]),
        ("markdown", "# name\n\n`name` and\n\n    name()\n", [TEXT, TEXT, TEXT]),
        ("text", "the name", [TEXT]),
        ("json", '{"name": "the name", "run": "pkg:name"}', [TEXT + "!", TEXT, TEXT + "!"]),
        ("toml", '[name]\nrun = "pkg.cli:name" # name\nwhat = "a name"\n', [TEXT + "!", TEXT + "!", COMMENT, TEXT]),
        ("yaml", "name: the name\nrun: serve pkg:name # name\n", [TEXT + "!", TEXT, TEXT + "!", COMMENT]),
        ("typescript", 'describe("name", f)\nit.only("name", f)\nf("name")\n', [STRING, STRING, STRING + "!"]),
        ("javascript", 'import { it } from "test"\nit("name", "name")\n', [STRING, STRING + "!"]),
        ("javascript", 'import { it } from "./it"\nit("name", f)\n', [STRING + "!"]),
        ("javascript", 'function it(a) {}\nit("name", f)\n', [STRING + "!"]),
        ("html", "<p name='x'>{{ user.name }}</p><!-- name -->", [TEXT + "!", TEXT + "!", COMMENT]),
        ("ini", "call = pkg:name\n", [TEXT + "!"]),
        ("bash", "name=1\nserve pkg.app:name # name\n", [CODE, TEXT + "!", COMMENT]),
    ],
)
def test_a_place_is_told_what_it_stands_in(language: str, text: str, expected: list[str]) -> None:
    assert kinds(language, text) == expected


@pytest.mark.parametrize(
    ("text", "listed"),
    [
        ('__all__ = ["name", "other"]\n', "__all__"),
        ('__all__ += ("name",)\n', "__all__"),
        ('class A:\n    __slots__ = ["name"]\n', "__slots__"),
        ('__all__ = [f("name")]\n', ""),
    ],
)
def test_the_variable_is_known_whose_list_a_text_is_an_item_of(text: str, listed: str) -> None:
    assert [word.listed for word in words_in(source("a.py", "python", text.encode()), "name")] == [listed]


def test_a_property_and_its_value_in_one_are_known() -> None:
    text = b"const { name } = o; const p = { name, x: name };\n"
    assert [word.shorthand for word in words_in(source("a.js", "javascript", text), "name")] == [True, True, False]


def test_what_stands_in_broken_code_is_known() -> None:
    found = words_in(source("a.py", "python", b"def f(:\n    name name\n\n\ndef g():\n    return name\n"), "name")
    assert found[0].broken
    assert words_in(source("a.py", "python", b"name\n"), "name")[0].broken is False


def test_a_part_of_a_word_is_none() -> None:
    text = "names name_ _name éname nameé 1name name\u0301 na\u0301me name\u0905 name\u200dx".encode()
    assert words_in(source("a.txt", "text", text), "name") == []
    assert [word.column for word in words_in(source("a.txt", "text", b"(name) -name.name"), "name")] == [1, 8, 13]


@pytest.mark.parametrize("written", ["café", "cafe\u0301"])
def test_a_letter_with_an_accent_is_found_however_it_is_written(written: str) -> None:
    data = f"x = 1\né = {written} + 'é{written}'\n".encode()
    (word,) = words_in(source("a.py", "python", data), "café")
    assert (word.line, word.size) == (2, len(written.encode()))
    assert data.split(b"\n")[1][word.column : word.column + word.size].decode() == written


@pytest.mark.parametrize("beside", ["\u00a0", "\u2028", "\ufeff", "\u201c", "\U0001f600", "\u3002"])
def test_what_is_no_letter_ends_a_word(beside: str) -> None:
    """Some languages take these for blanks: a place behind one that was overlooked would be left with the old name."""
    (word,) = words_in(source("a.js", "javascript", f"let{beside}name{beside}= 1".encode()), "name")
    assert word.column == len(f"let{beside}".encode())


def test_letters_of_other_scripts_are_whole_words() -> None:
    data = "नाम = 1; नामा = नाम\n".encode()
    assert len(words_in(source("a.py", "python", data), "नाम")) == 2
    assert len(words_in(source("a.py", "python", "ｎａｍｅ = 1\n".encode()), "name")) == 1


_PIECES = st.sampled_from(
    ["name", "names", "x.name", '"name"', "# name\n", "\n", "\r\n", " ", "(", ")", "{", "}", ":", "=", "é", "\ufeff",
     "def f(name):\n    ", "return name\n", '"""', "'", "`", "//", "/*", "*/", "\x00", "\U0001f600", "1", ",", "<", ">"]
)  # fmt: skip


@pytest.mark.slow
@given(st.lists(_PIECES, max_size=30).map("".join), st.sampled_from(sorted(PATHS)))
def test_every_match_of_the_word_is_accounted_for_once(text: str, language: str) -> None:
    data = text.encode()
    found = words_in(source(PATHS[language], language, data), "name")
    starts = [0, *(match.end() for match in re.finditer(b"\n", data))]
    assert [starts[word.line - 1] + word.column for word in found] == [match.start() for match in WORD.finditer(data)]
    assert all(word.kind in (CODE, STRING, COMMENT, TEXT) and word.size == 4 for word in found)


def test_a_dollar_stands_before_a_word_of_a_text_and_belongs_to_a_name_of_a_script() -> None:
    text = b"from string import Template\nTemplate('$name, ${name}')\n"
    assert [(word.kind, word.exact) for word in words_in(source("a.py", "python", text), "name")] == [
        ("string", True)
    ] * 2
    script = b"const $name = 1, name$ = 2, name = '$name'\n"
    assert [(word.kind, word.column) for word in words_in(source("a.js", "javascript", script), "name")] == [
        ("code", 28),
        ("string", 37),
    ]
    assert [word.column for word in words_in(source("a.js", "javascript", script), "$name")] == [6, 36]
    accents = "é = 1; $é; café$ = '$é'\n".encode()
    assert [word.kind for word in words_in(source("a.js", "javascript", accents), "é")] == ["code", "string"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (b"from m import name as name\n", [None, (1, 14)]),
        (b"from m import other as name\n", [None]),
        (b"import a.name as name\n", [None, None]),
        (b"from m import name\n", [None]),
    ],
)
def test_what_an_import_repeats_is_known_as_such(text: bytes, expected: list[tuple[int, int] | None]) -> None:
    assert [word.again for word in words_in(source("a.py", "python", text), "name")] == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("write('template.name(context, True,')\n", True),
        ("write('yield from template.name(')\n", True),
        ("write(f'{which}.name(')\n", True),
        ("write('name(1)')\n", True),
        ("run('name()')\n", True),
        ("eval('name + 1')\n", True),
        ("frame.query('name > 1')\n", True),
        ("print('name + 1')\n", False),
        ("setup(scripts=['tool = app.cli:name'])\n", True),
        ("raise ValueError('call name() first')\n", False),
        ("raise ValueError('it has no thing.name at all')\n", False),
        ("raise ValueError('a name (with an aside) is missing')\n", False),
    ],
)
def test_code_that_is_put_together_from_pieces_may_name_something(text: str, expected: bool) -> None:
    assert [(word.kind, word.exact) for word in words_in(source("a.py", "python", text.encode()), "name")] == [
        (STRING, expected)
    ]


@pytest.mark.parametrize(
    ("path", "language", "text", "expected"),
    [
        ("a.py", "python", 'def f():\n    """Doc.\n\n    >>> for i in x:\n    ...     name(i)\n    """\n', True),
        ("a.py", "python", 'def f():\n    """>>> name(i)\n    """\n', True),
        ("a.py", "python", 'def f():\n    """Doc.\n\n    ... name goes on\n    """\n', False),
        ("a.rst", "text", ">>> name(1)\n1\n", True),
        ("a.rst", "text", ">>> other(1)\nname\n", True),
        ("a.rst", "text", ">>> other(1)\n1\n\nname\n", False),
        ("a.ipynb", "other", '{"cells": [{"cell_type": "code", "source": "a\\n(name())"}]}', True),
        ("a.ipynb", "other", '{"cells": [{"cell_type": "markdown", "source": ["name"]}]}', False),
        ("a.ipynb", "other", '{"cells": [{"cell_type": "code", "source": ["name"]', False),
    ],
)
def test_examples_and_cells_are_code_that_may_run(path: str, language: str, text: str, expected: bool) -> None:
    assert [bool(each.example) for each in words_in(source(path, language, text.encode()), "name")] == [expected]


def test_a_template_in_a_text_file_may_name_something() -> None:
    text = b"Dear {{ user.name }}, {{ greeting }} name\n{% if name %}\n{user.name} { name }\n"
    assert [word.exact for word in words_in(source("mail.txt", "text", text), "name")] == [
        True,
        False,
        True,
        True,
        False,
    ]
