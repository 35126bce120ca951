"""What a model has before it: the checker of cached reads, which believes nothing but the texts that were given."""

import re
from dataclasses import dataclass, field

from cairn.readcache.answers import ReadAnswer
from cairn.readcache.lines import split
from cairn.readcache.meta import Mode

_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@\n$")
_GIVEN = (Mode.FULL, Mode.BASELINE_FALLBACK)


class WrongError(Exception):
    """An answer that builds on what the model doesn't have."""


@dataclass
class Sheet:
    """One file as the model has it: the newest text of each line that it was given, whichever version it was of."""

    lines: dict[int, str] = field(default_factory=dict)
    begun_whole: bool = False
    """Whether the whole file was given once; else nothing says where it ends."""

    def whole(self) -> list[str]:
        if not self.begun_whole or set(self.lines) != set(range(1, len(self.lines) + 1)):
            raise WrongError("the file was never given as a whole")
        return [self.lines[number] for number in range(1, len(self.lines) + 1)]

    def take(self, answer: ReadAnswer, wanted: list[str]) -> None:
        """Read an answer as the model would; WrongError where it can't, or comes to something else than the file."""
        first, last = answer.start_line, answer.end_line
        if answer.mode in _GIVEN:
            shown = split(answer.text)
            if answer.truncated and last < first:
                self.lines[first] = answer.text
                return
            if shown != wanted[first - 1 : last]:
                raise WrongError("the lines given are not those of the file")
            if first == 1 and last == len(wanted):
                self.lines, self.begun_whole = {}, True
            self.lines.update(enumerate(shown, first))
        elif answer.mode is Mode.UNCHANGED_RANGE:
            for number in range(first, last + 1):
                if self.lines.get(number) != wanted[number - 1]:
                    raise WrongError(f"line {number} is not the newest that the model has")
        else:
            known = self.whole()
            if answer.mode is Mode.DIFF:
                known = patched(known, answer.text.partition("\n")[2])
            if known != wanted:
                raise WrongError("what the model comes to is not the file")
            self.lines = dict(enumerate(known, 1))


class Context:
    """Everything that was given since the last compaction, by path."""

    def __init__(self) -> None:
        self._sheets: dict[str, Sheet] = {}

    def forget(self) -> None:
        self._sheets = {}

    def take(self, answer: ReadAnswer, data: bytes) -> None:
        """Read an answer as the model would; WrongError where it can't, or comes to something else than the file."""
        self._sheets.setdefault(answer.path, Sheet()).take(answer, split(data.decode()))


def patched(old: list[str], diff: str) -> list[str]:
    """A unified diff applied the plain way; WrongError for one that doesn't fit."""
    lines = [line if line.endswith("\n") else f"{line}\n" for line in split(diff)][2:]
    result: list[str] = []
    at = index = 0
    while index < len(lines):
        match = _HUNK.match(lines[index])
        if match is None:
            raise WrongError(f"no hunk begins with {lines[index]!r}")
        length = int(match[2]) if match[2] is not None else 1
        begin = int(match[1]) - 1 if length else int(match[1])
        result += old[at:begin]
        at = begin
        index += 1
        while index < len(lines) and not lines[index].startswith("@@"):
            line = lines[index]
            if line.startswith("\\"):
                # The line before it had no newline of its own.
                if lines[index - 1][0] in " +":
                    result[-1] = result[-1].removesuffix("\n")
            elif line[0] == "+":
                result.append(line[1:])
            else:
                if at >= len(old) or old[at].rstrip("\n") != line[1:].rstrip("\n"):
                    raise WrongError("a hunk doesn't fit")
                if line[0] == " ":
                    result.append(line[1:])
                at += 1
            index += 1
    return result + old[at:]
