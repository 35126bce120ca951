"""Lists in brackets, as parameters and arguments are: one more, some fewer, another order; all else stays."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from cairn.base.values import dataclass

_BLANK = re.compile(rb"[ \t]*")
_LINE_END = re.compile(rb"[ \t]*\r?(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
class TextChange:
    """Some bytes of a file, and what stands there instead."""

    start: int
    end: int
    new: bytes


@dataclass(frozen=True, slots=True)
class ListEntry:
    """What stands between two commas."""

    start: int
    end: int
    comma: int
    """The first byte behind its comma; -1 where it has none."""

    @property
    def done(self) -> int:
        """The first byte behind it and its comma."""
        return self.comma if self.comma >= 0 else self.end


@dataclass(frozen=True, slots=True)
class Bracketed:
    """A list in brackets, by its bytes in a text."""

    data: bytes
    start: int
    """The first byte behind the opening bracket."""
    end: int
    """The closing bracket."""
    entries: tuple[ListEntry, ...]
    comments: tuple[tuple[int, int], ...] = ()

    def inserted(self, at: int, texts: Sequence[bytes]) -> TextChange:
        """Some entries more before the one of a number, or behind all, as this list is laid out."""
        if not self.entries:
            # A comment may reach to the end of its line, so nothing stands behind one but the bracket.
            place = self.end if self.comments else self.start
            return TextChange(place, place, b", ".join(texts))
        if at == 0:
            first = self.entries[0]
            if self._is_spread:
                place = self._tail(self.start)
                return TextChange(place, place, b"".join(self._line(first) + text + b"," for text in texts))
            gap = self._gap
            return TextChange(first.start, first.start, b"".join(text + b"," + gap for text in texts))
        before = self.entries[at - 1]
        gap = self._line(before) if self._is_spread else self._gap
        if before.comma >= 0:
            place = self._tail(before.comma) if self._is_spread else before.comma
            return TextChange(place, place, b"".join(gap + text + b"," for text in texts))
        place = self._tail(before.end) if self._is_spread else before.end
        kept = self.data[before.end : place]
        return TextChange(before.end, place, b"," + kept + gap + (b"," + gap).join(texts))

    def removed(self, first: int, last: int) -> TextChange:
        """Without the entries from one number to another, with the comments behind them on their lines."""
        own = ListEntry(self.entries[first].start, self.entries[last].end, self.entries[last].comma)
        if first == 0 and last == len(self.entries) - 1:
            if self._starts_line(own.start) and not self.comments:
                return TextChange(self.start, self.end, b"")
            return TextChange(own.start, own.done, b"")
        alone = self._starts_line(own.start)
        done = self._tail(own.done) if alone else own.done
        if first == 0:
            if alone:
                return TextChange(self._behind_comments(self._tail(self.start), own.start), done, b"")
            following = self.entries[last + 1].start
            if any(own.end <= start < following for start, _ in self.comments):
                following = self._over_blanks(own.done)
            return TextChange(own.start, following, b"")
        comma = self.entries[first - 1].comma
        begin = self._behind_comments(self._tail(comma) if alone else comma, own.start)
        if own.comma >= 0:
            return TextChange(begin, done, b"")
        return TextChange(comma - 1, done, self.data[comma:begin])

    def reordered(self, slots: Sequence[int], order: Sequence[int]) -> list[TextChange]:
        """Entries in each other's places: each slot gets the entry that stands at the same place of `order`."""
        pairs = [(self.entries[slot], self.entries[new]) for slot, new in zip(slots, order, strict=True) if slot != new]
        found = []
        for there, comes in pairs:
            lead, come = self._lead(there), self._lead(comes)
            found.append(TextChange(lead, there.end, self.data[come : comes.end]))
        # A comment to the end of a line can't go where something follows on that line.
        if all(_LINE_END.match(self.data, self._tail(each.done)) for pair in pairs for each in pair):
            for there, comes in pairs:
                tail = self.data[comes.done : self._tail(comes.done)]
                if tail != self.data[there.done : self._tail(there.done)]:
                    found.append(TextChange(there.done, self._tail(there.done), tail))
        return found

    @property
    def _is_spread(self) -> bool:
        """Whether each entry stands on a line of its own."""
        return all(self._starts_line(entry.start) for entry in self.entries)

    @property
    def _gap(self) -> bytes:
        """What stands behind a comma within a line."""
        for one, next_one in zip(self.entries, self.entries[1:], strict=False):
            between = self.data[one.comma : next_one.start]
            if not between.strip(b" \t"):
                return between
        return b" "

    def _line(self, entry: ListEntry) -> bytes:
        """The end of a line, and the beginning of the next up to where an entry stands."""
        begin = self.data.rfind(b"\n", 0, entry.start) + 1
        end = b"\r\n" if self.data[max(0, begin - 2) : begin] == b"\r\n" else b"\n"
        return end + self.data[begin : self._over_blanks(begin)]

    def _starts_line(self, at: int) -> bool:
        begin = self.data.rfind(b"\n", 0, at) + 1
        return begin > 0 and self._over_blanks(begin) >= at

    def _over_blanks(self, at: int) -> int:
        found = _BLANK.match(self.data, at)
        return found.end() if found is not None else at

    def _tail(self, at: int) -> int:
        """The end of the comment that ends the line, if one follows right there; else the place itself."""
        begin = self._over_blanks(at)
        for start, end in self.comments:
            if start == begin and _LINE_END.match(self.data, end):
                return end
        return at

    def _behind_comments(self, start: int, end: int) -> int:
        """Behind the comments between two places that have lines of their own: these stay."""
        return max(
            (last for first, last in self.comments if start <= first < end and self._alone(first, last)), default=start
        )

    def _lead(self, entry: ListEntry) -> int:
        """Where an entry begins with the comments above it."""
        at = entry.start
        for first, last in reversed(self.comments):
            if last <= at and not self.data[last:at].strip() and self._alone(first, last):
                at = first
        return at

    def _alone(self, first: int, last: int) -> bool:
        return self._starts_line(first) and _LINE_END.match(self.data, last) is not None


def bracketed(node: Any, data: bytes) -> Bracketed | None:
    """The list that a node is; None where its code is broken."""
    children = node.children
    if len(children) < 2 or any(child.type == "ERROR" or child.is_missing for child in children):
        return None
    entries: list[ListEntry] = []
    comments = []
    for child in children[1:-1]:
        if child.type == ",":
            if not entries or entries[-1].comma >= 0:
                return None
            entries[-1] = ListEntry(entries[-1].start, entries[-1].end, child.end_byte)
        elif child.type == "comment":
            # Some grammars take the carriage return before the end of a line for a part of the comment.
            comments.append((child.start_byte, child.start_byte + len(child.text.rstrip())))
        elif child.is_named:
            if entries and entries[-1].comma < 0:
                return None
            entries.append(ListEntry(child.start_byte, child.end_byte, -1))
    return Bracketed(data, children[0].end_byte, children[-1].start_byte, tuple(entries), tuple(comments))


def entry_nodes(node: Any) -> list[Any]:
    """The nodes of the entries of a list."""
    return [child for child in node.children[1:-1] if child.is_named and child.type != "comment"]


def changed(data: bytes, changes: Iterable[TextChange]) -> bytes:
    """A text with some changes, which don't overlap."""
    parts: list[bytes] = []
    done = 0
    for each in sorted(changes, key=lambda change: (change.start, change.end)):
        parts += (data[done : each.start], each.new)
        done = each.end
    return b"".join((*parts, data[done:]))
