"""Finds every place where a name stands in a file as a word, and what kind of text it stands in."""

import re
import unicodedata
from collections.abc import Iterator, Set
from functools import lru_cache
from itertools import groupby
from typing import Any, NamedTuple

from cairn.edit.source.examples import example_at
from cairn.edit.source.file import SourceFile
from cairn.edit.source.texts import FileText
from cairn.edit.source.written import said_of
from cairn.languages.record import DATA, PROSE, SCRIPT
from cairn.languages.registry import record_of
from cairn.syntax.uses import Use

_REFERENCE = re.compile(r"[\w$./:\\#\-]+")
_QUOTES = "\"'`rbuRBU"
_TEMPLATE = re.compile(rb"\{\{|\{%|<%")
_FIELD = re.compile(rb"(?:\{[^{}\s]*|%\()\Z")
_CODE = re.compile(rb"[;=\n]|\bimport\b|\blambda\b|\breturn\b")
_USED = re.compile(rb"(?:[\w$\])}][.:]|\bimport\b[^;\n]*)\Z")
_CALLED = re.compile(rb"[\w$]+\s*\(")
_CALL = re.compile(rb"[\w$.]+\(\)")
_CALLED_WITH = re.compile(rb"[\w$]+\([^)\s]")
_RUNNERS = frozenset({b"eval", b"exec", b"compile", b"timeit", b"repeat", b"query", b"Function"})
_OWN_MODULE = re.compile(r"[\"'`]?[./]")
_TITLED = frozenset("bench context describe fdescribe fit group it suite test xdescribe xit xtest".split())
"""Functions of scripts' test libraries whose first argument is a title, for people."""


def may_name(string: Any, data: bytes, start: int) -> bool:
    """Whether a program may look up the word at `start` in a string: if it is the whole string, a field of a format,
    anything in a template, or part of what may be code."""
    content = data[string.start_byte : string.end_byte]
    if _REFERENCE.fullmatch(content.decode("utf-8", "replace").strip(_QUOTES)) is not None:
        return True
    before = data[string.start_byte : start]
    if _is_prose(string):
        return False  # Its examples are code of their own.
    if _CALL.fullmatch(content.strip(_QUOTES.encode())):
        return True
    if before.endswith((b"'", b'"', b"$")) or _is_split(string) or _is_run(string):
        return True
    if _TEMPLATE.search(content) or is_field(before):
        return True
    # After an interpolation the rest of a string may begin with a dot.
    used = _USED.search(data, max(0, string.start_byte - 1), start) or _CALLED.match(data, start, string.end_byte)
    if used is None:
        return False
    return bool(_CODE.search(content) or _CALLED_WITH.match(data, start, string.end_byte)) or _is_piece(content)


def is_field(before: bytes) -> bool:
    """Whether what stands before a word opens a field of a format: `{`, `{user.`, `%(`."""
    return _FIELD.search(before) is not None


def _is_piece(content: bytes) -> bool:
    """Whether brackets are left open, as in code that is composed of several strings; prose closes them."""
    return any(content.count(opens) != content.count(closes) for opens, closes in (b"()", b"[]"))


def _is_split(string: Any) -> bool:
    """`"a b".split()`: words that a program takes apart."""
    whole = string.parent if string.type == "string_content" else string
    return whole is not None and whole.parent is not None and whole.parent.type in ("attribute", "member_expression")


def _is_run(string: Any) -> bool:
    """`eval("name + 1")`: an argument of what runs texts."""
    whole = string.parent if string.type in ("string_content", "string_fragment") else string
    given = whole.parent if whole is not None else None
    call = given.parent if given is not None and given.type in ("argument_list", "arguments") else None
    function = (call.child_by_field_name("function") or call.child_by_field_name("constructor")) if call else None
    return function is not None and (function.text or b"").rpartition(b".")[2] in _RUNNERS


def _is_title(source: SourceFile, string: Any) -> bool:
    """`describe("name", ...)`, `it.only("name", ...)`: what people read, unless the tree defines that function."""
    whole = string.parent if string.type == "string_fragment" else string
    given = whole.parent if whole is not None else None
    call = given.parent if given is not None and given.type == "arguments" else None
    function = call.child_by_field_name("function") if call is not None and call.type == "call_expression" else None
    if function is None or given is None or given.named_children[0] != whole:
        return False
    word = said_of(function).partition(".")[0].partition("(")[0]
    return word in _TITLED and not any(_is_own(source, use) for use in source.uses(word, quoted=False))


def _is_own(source: SourceFile, use: Use) -> bool:
    """Whether a word is defined in the file, or comes from another file of the tree."""
    taken = next((node for node in _around(source.at(use.line, use.column)) if node.type in _IMPORTS), None)
    module = taken.child_by_field_name("source") if taken is not None and use.role == "import" else None
    return use.role in ("definition", "write") or _OWN_MODULE.match(said_of(module)) is not None


def _is_prose(string: Any) -> bool:
    """Python's documentation, a string that is a statement; and a pattern."""
    whole = string.parent if string.type == "string_content" else string
    above = whole.parent if whole is not None else None
    return "regex" in string.type or (above is not None and above.type == "expression_statement")


CODE, STRING, COMMENT, TEXT = "code", "string", "comment", "text"
_QUALIFIED = re.compile(rb"[\w\x80-\xff][.:]$")
_PAGE_TEXT = "jsx_text"
_IMPORTS = frozenset({"import_statement", "export_statement", "import_spec", "import_declaration"})
_LISTING = frozenset({"list", "tuple", "set", "dictionary", "pair", "expression_list", "parenthesized_expression"})
_RENAMING = frozenset({"aliased_import", "import_specifier", "export_specifier"})
_FILLED = ((b"{{", b"}}"), (b"{%", b"%}"), (b"<%", b"%>"))
_PLAIN = "0-9A-Za-z_"
_OTHER = r"\x80-\U0010ffff"
_JOINERS = "\u200c\u200d"


class Word(NamedTuple):
    """One place of a name."""

    line: int
    """From 1."""
    column: int
    """Bytes from the start of the line."""
    size: int
    """Bytes."""
    kind: str
    use: Use | None = None
    """How the code uses it; None outside of code."""
    exact: bool = False
    """In a string or a file that is no code: whether a program may read it as a name."""
    listed: str = ""
    """The variable whose list of texts it is an item of: `__all__`, `__slots__`."""
    prose: bool = False
    """Whether it stands in a string that is documentation."""
    broken: bool = False
    """Whether it stands in code that could not be parsed."""
    shorthand: bool = False
    """Whether it is a property and its value in one: `{ name }`."""
    example: bytes = b""
    """The example that it stands in, which somebody may run: `>>> name(1)`."""
    again: tuple[int, int] | None = None
    """If it only repeats an imported name, `name as name`: the place of the first."""

    @property
    def binds(self) -> bool:
        """Whether it gives the name a meaning in its file, outside of functions and blocks."""
        return self.use is not None and self.use.role in ("definition", "import") and not self.use.local


def words_in(source: SourceFile, name: str) -> list[Word]:
    """The places of a name in order."""
    language, data = source.language, source.data
    places = list(_places(data, name))
    if not places:
        return []
    prose = not language or record_of(language).content == PROSE
    root = None if prose else source.root
    if root is None:
        return [
            Word(
                *FileText(data).place(start),
                end - start,
                TEXT,
                exact=not prose or _in_template(data, start),
                example=example_at(source.path, data, start),
            )
            for start, end in places
        ]
    uses = {(use.line, use.column): use for use in source.uses(name, quoted=True)}
    quoted = uses.keys() - {(use.line, use.column) for use in source.uses(name, quoted=False)}
    places = [(start, end) for start, end in places if not _is_keyword(root, start, end)]
    found = [_word(source, root, start, end, uses, quoted) for start, end in places]
    said = [_outside(language, data, start, word) for (start, _), word in zip(places, found, strict=True)]
    naming = record_of(language).naming
    dollar = naming.dollar or naming.dollar_found
    return [
        word
        for (start, end), word in zip(places, said, strict=True)
        if word.kind != CODE or not dollar or b"$" not in (data[start - 1 : start], data[end : end + 1])
    ]


def _is_keyword(root: Any, start: int, end: int) -> bool:
    """Whether it is a word of the language itself, like the `catch` of a `try`."""
    node = root.descendant_for_byte_range(start, end)
    return not node.is_named and (node.start_byte, node.end_byte) == (start, end)


def _in_template(data: bytes, start: int) -> bool:
    """Whether a place in plain text is a field of a template or a format: `{{ user.name }}`, `{user.name}`."""
    before = data[data.rfind(b"\n", 0, start) + 1 : start]
    return is_field(before) or any(before.rfind(opens) > before.rfind(closes) for opens, closes in _FILLED)


def _outside(language: str, data: bytes, start: int, word: Word) -> Word:
    """Classify a word in a file that is no code: `package.module:name` is read by a program."""
    content = record_of(language).content
    if word.kind == COMMENT or content not in (DATA, SCRIPT):
        return word
    qualified = _QUALIFIED.search(data, max(0, start - 2), start) is not None
    if content == SCRIPT:
        return word._replace(kind=TEXT, exact=True) if qualified else word
    return word._replace(kind=TEXT, exact=word.exact or word.kind == CODE or qualified)


def _word(
    source: SourceFile,
    root: Any,
    start: int,
    end: int,
    uses: dict[tuple[int, int], Use],
    quoted: Set[tuple[int, int]],
) -> Word:
    data = source.data
    line, column = FileText(data).place(start)
    use = uses.get((line, column))
    around = list(_around(root.descendant_for_byte_range(start, end)))
    broken = any(node.type == "ERROR" or node.is_missing for node in around)
    if use is not None and (line, column) in quoted:
        return Word(line, column, end - start, CODE, use, broken=broken)
    if any(node.type.endswith("comment") for node in around[:3]):
        return Word(line, column, end - start, COMMENT)
    string = next((node for node in around[:3] if _is_literal(node.type)), None)
    if use is None and string is not None:
        names_module = any(node.type in _IMPORTS for node in around[:4])
        # The n of an escaped line feed begins no word, and the text of a page is for people.
        readable = around[0].type != "escape_sequence" and string.type != _PAGE_TEXT
        exact = readable and not names_module and may_name(string, data, start) and not _is_title(source, string)
        listed, prose = _listed_in(string) if exact else "", _is_prose(string)
        example = example_at("", data, start) if prose else b""
        return Word(line, column, end - start, STRING, exact=exact, listed=listed, prose=prose, example=example)
    short = around[0].type.startswith("shorthand_")
    return Word(line, column, end - start, CODE, use, broken=broken, shorthand=short, again=_repeated(around[0]))


def _is_literal(kind: str) -> bool:
    return ("string" in kind and "interpolation" not in kind) or kind == _PAGE_TEXT or kind.startswith("regex")


def _around(node: Any) -> Iterator[Any]:
    while node is not None:
        yield node
        node = node.parent


def _repeated(node: Any) -> tuple[int, int] | None:
    """The name that `import name as name` repeats."""
    above = node.parent
    if above is None or above.type not in _RENAMING or above.child_by_field_name("alias") != node:
        return None
    name = above.child_by_field_name("name")
    return (name.start_point[0] + 1, name.start_point[1]) if name is not None and name.text == node.text else None


def _listed_in(string: Any) -> str:
    """The variable whose list of texts, or of keys, it stands in: Python's `__all__ = [...]`, `+= [...]`; or none."""
    string = string.parent if string.type == "string_content" else string
    above = string.parent
    while above is not None and above.type in _LISTING:
        if above.type == "pair" and above.child_by_field_name("key") != string:
            return ""
        above = above.parent
    left = above.child_by_field_name("left") if above is not None else None
    return said_of(left)


def _places(data: bytes, name: str) -> Iterator[tuple[int, int]]:
    if data.isascii():
        yield from ((match.start(), match.end()) for match in _pattern(name).finditer(data))
        return
    # Letters with accents may be written in several ways, and not all that is no ASCII belongs to a word.
    wanted = unicodedata.normalize("NFKC", name)
    text = data.decode("utf-8", "surrogateescape")
    at = done = 0
    for start, word in _words(text, name):
        at += len(text[done:start].encode("utf-8", "surrogateescape"))
        size = len(word.encode("utf-8", "surrogateescape"))
        if unicodedata.normalize("NFKC", word) == wanted:
            yield at, at + size
        at += size
        done = start + len(word)


def _words(text: str, name: str) -> Iterator[tuple[int, str]]:
    """The words of a text that may be the name: those spelled like it, and those with characters beyond ASCII."""
    for run in _runs(name).finditer(text):
        if run[0].isascii():
            yield run.start(), run[0]
            continue
        at = run.start()
        for inside, letters in groupby(run[0], lambda letter: _goes_on(letter) or (letter == "$" and "$" in name)):
            word = "".join(letters)
            if inside:
                yield at, word
            at += len(word)


def _goes_on(letter: str) -> bool:
    return letter in _JOINERS or f"a{letter}".isidentifier()


@lru_cache(maxsize=4)
def _runs(name: str) -> re.Pattern[str]:
    plain = _plain(name)
    written = rf"(?<![{plain}{_OTHER}]){re.escape(name)}(?![{plain}{_OTHER}])"
    return re.compile(rf"{written}|(?<![{plain}])[{plain}]*[{_OTHER}][{plain}{_OTHER}]*")


@lru_cache(maxsize=4)
def _pattern(name: str) -> re.Pattern[bytes]:
    plain = _plain(name).encode()
    return re.compile(rb"(?<![%s])%s(?![%s])" % (plain, re.escape(name.encode()), plain))


def _plain(name: str) -> str:
    """The characters that continue a word; a dollar only if the name itself has one."""
    return f"{_PLAIN}$" if "$" in name else _PLAIN
