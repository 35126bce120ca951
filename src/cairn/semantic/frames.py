"""What stands of a file's facts after an edit: pure.

The facts of a line that stands are still about that line. They mean the same while what the file offers and what it
imports do, but for one thing: a tool infers types from bodies. So what is in a definition with a changed line is in
doubt, and what is in one that mentions such a definition, or a name to which one in doubt gives a value.
"""

import hashlib
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from itertools import pairwise

from cairn.graph.scopes import FUNCTIONS
from cairn.store import EdgeRow, SymbolRow

_WORD = re.compile(r"[^\W\d]\w*")
_GIVEN = re.compile(r"(\.\s*)?([^\W\d]\w*)\s*(?::[^=]*)?[-+*/%|&^:]?=(?![=>])")


def frame_of(interface_hash: str, edges: Iterable[EdgeRow]) -> str:
    """What must stand so that the lines of a file mean the same; empty for a file that was not parsed."""
    if not interface_hash:
        return ""
    asked = repr(sorted((edge.kind, edge.target, edge.names) for edge in edges))
    return f"{interface_hash} {hashlib.sha256(asked.encode('utf-8', 'surrogatepass')).hexdigest()[:16]}"


def lines_in_doubt(
    lines: Sequence[str], symbols: Sequence[SymbolRow], changed: Collection[int], gone: Collection[str]
) -> frozenset[int]:
    """Lines of a file whose names may mean something else for some that changed or are gone, all from 1.

    `changed` are new lines, and those next to where lines are gone (`beside_gaps`); `gone` are names that such lines
    defined or gave a value.
    """
    blocks = _blocks(len(lines), symbols)
    texts = ["\n".join(lines[line - 1] for line in sorted(block)) for _, block in blocks]
    words = [set(_WORD.findall(text)) for text in texts]
    touched: set[int] = set()
    doubtful = set(gone)
    fresh = {
        at for at, (_, block) in enumerate(blocks) if not (block.isdisjoint(changed) and words[at].isdisjoint(doubtful))
    }
    while fresh:
        touched |= fresh
        for at in fresh:
            name = blocks[at][0]
            # What a function gives a value is its own, but for members.
            doubtful.update(given for dot, given in _GIVEN.findall(texts[at]) if dot or not name)
            doubtful.update((name,) if name else ())
        fresh = {at for at in range(len(blocks)) if at not in touched and not words[at].isdisjoint(doubtful)}
    return frozenset(line for at in touched for line in blocks[at][1])


def beside_gaps(moved: Mapping[int, int], count: int) -> set[int]:
    """Lines that stand before or behind some that are gone, by where lines of the earlier text, so many, stand now."""
    return {
        line
        for (before, here), (after, there) in pairwise([(0, 0), *sorted(moved.items()), (count + 1, 0)])
        if after - before > 1
        for line in (here, there)
        if line
    }


def _blocks(count: int, symbols: Sequence[SymbolRow]) -> list[tuple[str, set[int]]]:
    """(name, lines) of each function that is in no other, and of each line that is in none."""
    left = set(range(1, count + 1))
    found: list[tuple[str, set[int]]] = []
    for symbol in sorted(symbols, key=lambda each: (each.start_line, -each.end_line)):
        own = set(range(symbol.start_line, symbol.end_line + 1)) & left if symbol.kind in FUNCTIONS else set()
        if own:
            found.append((symbol.name, own))
            left -= own
    return [*found, *(("", {line}) for line in sorted(left))]
