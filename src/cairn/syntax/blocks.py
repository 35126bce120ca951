"""All that a file's names do in it, as columns: what a segment stores, so that no question parses the file again.

Columns of text: name, receiver, within, function of the tie. Columns of numbers: line, column, what (role, flags and
kind of tie in one number), bound (one number for one scope of the file, 0 for none). Rows are in order of place.
"""

from collections.abc import Iterator
from typing import NamedTuple

from cairn.base.columns import join_columns, transposed
from cairn.syntax.facts import ParsedFile
from cairn.syntax.native import occurrences_natively
from cairn.syntax.occurrences import FileOccurrences, find
from cairn.syntax.parse import grammar_name, parse_file
from cairn.syntax.quoted import all_quoted
from cairn.syntax.ties import DEFINITION, FREE, PARAMETER, VARIABLE, Tie, rebinds, this_of, tied
from cairn.syntax.uses import Use

ROLES = ("definition", "import", "call", "write", "type", "read", "this")
TIES = ("", FREE, PARAMETER, DEFINITION, VARIABLE)
LOCAL, KEYWORD, QUOTED, AGAIN, REBINDS, SHORTHAND, BARE = 1 << 3, 1 << 4, 1 << 5, 1 << 9, 1 << 10, 1 << 11, 1 << 12
ROLE_MASK, TIE_MASK, TIE_SHIFT = 7, 7, 6
TEXTS, NUMBERS = 4, 4
THIS = ROLES.index("this")
_ROLE = {role: number for number, role in enumerate(ROLES)}
_TIE = {kind: number << TIE_SHIFT for number, kind in enumerate(TIES)}


class _Row(NamedTuple):
    line: int
    column: int
    name: str
    receiver: str
    within: str
    function: str
    what: int
    bound: str


def occurrence_block(path_key: str, language: str, data: bytes) -> bytes:
    """The occurrences of a file as columns, joined; empty where there is no grammar for it or no name in it."""
    grammar = grammar_name(path_key, language, data)
    block = occurrences_natively(grammar, data) if grammar is not None else b""
    return block_by_reference(path_key, language, data) if block is None else block


def parse_with_block(
    path_key: str, language: str, data: bytes, chunk_bytes: int, max_chunks: int
) -> tuple[ParsedFile, bytes]:
    """Facts and chunks of a file, and its occurrences as columns: both from one tree where the core can tell."""
    parsed = parse_file(path_key, language, data, chunk_bytes, max_chunks, names=True)
    return parsed, occurrence_block(path_key, language, data) if parsed.names is None else parsed.names


def block_by_reference(path_key: str, language: str, data: bytes) -> bytes:
    """The same by the reference."""
    found = find(path_key, language, data)
    if found is None:
        return b""
    rows = [*_named(found)]
    more = [*map(_quoted, all_quoted(path_key, language, data, found))]
    more += map(_this, this_of(path_key, language, data) or ())
    if more:
        rows = sorted([*rows, *more], key=lambda row: (row.line, row.column, row.what & ROLE_MASK == THIS))
    lines, columns, names, receivers, withins, functions, whats, bounds = transposed(rows, 8)
    numbered = {said: number for number, said in enumerate(dict.fromkeys(("", *bounds)))}
    return join_columns(
        [names, receivers, withins, functions], [lines, columns, whats, [numbered[bound] for bound in bounds]]
    )


def _named(found: FileOccurrences) -> Iterator[_Row]:
    meant = [*map(found.meaning, found.occurrences)]
    for one, meaning, tie, within in zip(found.occurrences, meant, tied(found, meant), found.withins, strict=True):
        what = _ROLE[one.role] | KEYWORD * one.keyword | SHORTHAND * one.shorthand | BARE * one.bare
        bound = function = ""
        if meaning is not None and meaning[1].local:
            what |= LOCAL
            if not one.parameter:
                bound = meaning[0].place
        if one.binds is not None and rebinds(one, meaning):
            what |= REBINDS
        if tie is not None:
            kind, function, again = tie
            what |= _TIE[kind] | AGAIN * again
        yield _Row(one.line, one.column, one.name, one.receiver, within, function, what, bound)


def _quoted(use: Use) -> _Row:
    what = _ROLE[use.role] | LOCAL * use.local | QUOTED
    return _Row(use.line, use.column, use.name, use.receiver, use.within, "", what, "")


def _this(tie: Tie) -> _Row:
    # The name of its class is no qualified one, as those of functions are.
    return _Row(tie.line, tie.column, "this", tie.function, "", "", THIS | _TIE[tie.kind], "")
