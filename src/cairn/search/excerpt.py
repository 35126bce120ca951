"""The few lines of a chunk that say why it was found."""

from functools import lru_cache

from cairn.kernel.tokens import tokens_of_each
from cairn.search.place import head_line

_SNIPPET_LINES = 7
_SEEN_CHARS = 160


def excerpt_lines(text: str, terms: frozenset[str], symbol: str) -> list[tuple[int, str]]:
    """(offset, line) of what to show: the head of the definition, and where most of the query is found."""
    lines = text.split("\n")
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    if len(lines) <= _SNIPPET_LINES:
        return list(enumerate(lines))
    head = head_line(lines, symbol)
    if head is None:
        head = next((at for at, line in enumerate(lines) if line.strip()), 0)
    hits = [len(terms & found) for found in _words_of(text)[: len(lines)]]
    rest = _SNIPPET_LINES - 1
    sums = [sum(hits[at : at + rest]) for at in range(len(lines) - rest + 1)]
    best = max(range(len(sums)), key=lambda at: (sums[at], -abs(at - head)))
    # Another place must say clearly more than what follows the head.
    if sums[best] <= sum(hits[head : head + _SNIPPET_LINES]) + 1:
        return [(at, lines[at]) for at in range(head, min(head + _SNIPPET_LINES, len(lines)))]
    return sorted({(head, lines[head]), *((at, lines[at]) for at in range(best, best + rest))})


@lru_cache(maxsize=1024)
def _words_of(text: str) -> list[frozenset[str]]:
    """The words of each line. Cached: good chunks answer many queries."""
    return [*map(frozenset, tokens_of_each(line[:_SEEN_CHARS] for line in text.split("\n")))]
