"""Words in the bodies of C's macros: names of code, though the grammar leaves a body one text."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from cairn.syntax import kinds
from cairn.syntax.receivers import receiver_of

BODY = "preproc_arg"
_TAGS = frozenset({b"struct", b"union", b"enum", b"class"})
_TOKEN = re.compile(
    rb"""
    (?P<end>//)
    | /\*.*?(?:\*/|\Z)
    | "(?:[^"\\]|\\.)*" | '(?:[^'\\]|\\.)*'
    | \.?[0-9](?:[eEpP][-+]|['.]?[0-9A-Za-z_])*
    | (?P<word>[A-Za-z_$\x80-\xff][0-9A-Za-z_$\x80-\xff]*)
    | (?P<paste>\#\#)
    | [^ \t\r\n\\]
    """,
    re.DOTALL | re.VERBOSE,
)
_AFTER = re.compile(rb"[ \t\r\n\\]*(\#\#|\(|)")


class MacroWord(NamedTuple):
    """A name in the body of a macro."""

    at: int
    name: str
    role: str
    receiver: str
    parameter: bool


def words_in(node: Any, data: bytes) -> Iterator[MacroWord]:
    """The names in the text behind a directive, in order, where that is code: a macro's body, or the name of one."""
    above, end = node.parent, node.end_byte
    if above is None or not _takes_code(above, data):
        return
    heads = above.child_by_field_name("parameters")
    inside = heads.named_children if heads is not None else ()
    parameters = {data[each.start_byte : each.end_byte] for each in inside if each.type == "identifier"}
    before = b""
    for token in _TOKEN.finditer(data, node.start_byte, end):
        if token["end"]:
            return  # the rest is a comment, over lines that go on as well
        word, left, before = token["word"], before, token[0]
        if not word or not word.isascii() or word.decode() in kinds.C_WORDS:
            continue
        after = _AFTER.match(data, token.end(), end)
        right = after[1] if after is not None else b""
        own = word in parameters
        if not own and b"##" in (left, right):
            continue  # it is put together with what is beside it
        role = "type" if left in _TAGS else "call" if right == b"(" else "read"
        yield MacroWord(token.start(), word.decode(), role, receiver_of(data, token.start()), own)


def _takes_code(directive: Any, data: bytes) -> bool:
    if directive.type != "preproc_call":
        return bool(directive.type in kinds.MACROS)
    named = directive.child_by_field_name("directive")
    return named is not None and data[named.start_byte : named.end_byte].lstrip(b"# \t") == b"undef"
