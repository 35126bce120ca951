"""The shape of every plain answer: passages of files, each below its path, and what to know of them at the end."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from cairn.base.text import printable
from cairn.base.values import dataclass

Document = dict[str, Any]
LEFT_OUT = "..."
_USE_CHARS = 72
_BEFORE = 20
"""Characters before the name, where it stands too far behind in its line."""
_PROVEN, _LIKELY = "proven", "likely"


@dataclass(frozen=True, slots=True)
class Passage:
    """Lines about one place; those of the same file that follow each other stand below one heading."""

    path: str
    """The heading; empty for lines that stand for themselves."""
    lines: tuple[str, ...]
    items: int = 1
    """How many of what was found it tells."""
    level: int = 0
    """How soon it is left out: the highest first, of the same level the last."""
    goes_on: tuple[str, int, int] | None = None
    """The file and the lines that it begins, of code that the passage before it shows the beginning of."""


@dataclass(frozen=True, slots=True)
class Plain:
    """An answer in passages: some of them are an answer too, with the others left out."""

    passages: tuple[Passage, ...]
    summary: str
    """What was found, counted; one line."""
    noun: str = "results"
    """What the passages are, where some are left out."""
    above: tuple[str, ...] = ()
    below: tuple[str, ...] = ()
    complete: bool = False
    """Whether the passages are all there is; said where all of them are shown."""

    def text(self, count: int | None = None) -> str:
        """As many passages as are wanted, or all of them."""
        shown = self._some(count)
        whole = ", complete" * (self.complete and len(shown) == len(self.passages))
        lines = [*self.above, *_grouped(shown), *self.below, self.summary + whole]
        return "\n".join(line for line in lines if line)

    def items(self, count: int | None = None) -> int:
        """How many of what was found so many passages tell."""
        return sum(each.items for each in self._some(count))

    def _some(self, count: int | None) -> Sequence[Passage]:
        levels = sorted(range(len(self.passages)), key=lambda at: self.passages[at].level)
        return [self.passages[at] for at in sorted(levels[:count])]


def _grouped(passages: Sequence[Passage]) -> Iterator[str]:
    for path, group in groupby(passages, lambda each: each.path):
        if path:
            yield path
        for each in group:
            yield from each.lines


def by_file(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    """Passages of the same file next to each other, files in the order of their first."""
    found: dict[str, list[Passage]] = {}
    for each in passages:
        found.setdefault(each.path, []).append(each)
    return tuple(each for group in found.values() for each in group)


def heading(item: Document) -> str:
    """The file of a row, and whether it is not as the snapshot has it; with its codebase, where several were asked."""
    # A document has a root too, and no file but its own.
    root = f"{item['root']}/" if "root" in item and "store_id" not in item else ""
    return printable(root + item["path"]) + ("  (changed since)" if item["changed_since"] else "")


def code(start_line: int, shown: Iterable[tuple[int, str]], count: int) -> Iterator[str]:
    """Lines of code with their numbers, and a mark wherever some of the `count` lines are left out."""
    following = 0
    for offset, line in shown:
        if offset > following:
            yield LEFT_OUT
        yield f"{start_line + offset}\t{line}"
        following = offset + 1
    if following < count:
        yield LEFT_OUT


def lines_of(item: Document) -> str:
    """From which line to which, or the one."""
    first, last = item["start_line"], item["end_line"]
    return f"{first}" if first == last else f"{first}-{last}"


def few(names: Sequence[str], most: int) -> str:
    """Some of many, with how many there are beside them."""
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(map(printable, names[:most])) + more


def used(text: str, most: int = _USE_CHARS, name: str = "") -> str:
    """The line of a use, as far as it is worth its bytes; of a long one the part with the name."""
    line = " ".join(text.split())
    if len(line) <= most:
        return line
    start = line.find(name) if name else 0
    start = max(0, start - _BEFORE) if start + len(name) > most else 0
    end = start + most
    return LEFT_OUT * (start > 0) + line[start:end] + LEFT_OUT * (end < len(line))


def unsure(item: Document, tiers: Collection[str] = ()) -> str:
    """How sure a row is where it is not proven, and that it goes through a base; nothing where all are equally sure."""
    through_a_base = bool(item.get("dispatch"))
    # What goes through a base is likely at best.
    said = [item["tier"]] * (item["tier"] not in ("", _PROVEN, _LIKELY * through_a_base) and len(tiers) != 1)
    said += ["dispatch"] * through_a_base
    return f"  ({', '.join(said)})" if said else ""


def counted(tiers: Mapping[str, int]) -> str:
    """How many of each tier there are, in few words."""
    if len(tiers) < 2:
        return "".join(f", all {tier}" for tier in tiers)
    return " (" + ", ".join(f"{count} {tier}" for tier, count in sorted(tiers.items(), reverse=True)) + ")"
