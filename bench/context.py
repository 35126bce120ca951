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
class Version:
    """One version of a file as far as the model has seen it."""

    lines: dict[int, str] = field(default_factory=dict)
    length: int | None = None
    """How many lines it has, once that is known."""

    def whole(self) -> list[str]:
        if self.length is None or set(self.lines) != set(range(1, self.length + 1)):
            raise WrongError("the base was never given as a whole")
        return [self.lines[number] for number in range(1, self.length + 1)]


class Context:
    """Everything that was given since the last compaction, by path and version."""

    def __init__(self) -> None:
        self._files: dict[str, dict[str, Version]] = {}

    def forget(self) -> None:
        self._files = {}

    def take(self, answer: ReadAnswer, data: bytes) -> None:
        """Read an answer as the model would; WrongError where it can't, or comes to something else than the file."""
        wanted = split(data.decode())
        versions = self._files.setdefault(answer.path, {})
        now = versions.setdefault(answer.file_hash, Version())
        first, last = answer.start_line, answer.end_line
        if answer.mode in _GIVEN:
            shown = split(answer.text)
            if shown != wanted[first - 1 : last]:
                raise WrongError("the lines given are not those of the file")
            now.lines.update(enumerate(shown, first))
            if first == 1 and last == len(wanted):
                now.length = len(wanted)
            return
        base = versions.get(answer.meta.base_hash) if answer.meta is not None else None
        if base is None:
            raise WrongError("the base was never given")
        if answer.mode is Mode.UNCHANGED_RANGE:
            for number in range(first, last + 1):
                if base.lines.get(number) != wanted[number - 1]:
                    raise WrongError(f"line {number} is not what the model has")
            now.lines.update((number, wanted[number - 1]) for number in range(first, last + 1))
            return
        known = base.whole()
        if answer.mode is Mode.DIFF:
            known = patched(known, answer.text.partition("\n")[2])
        if known != wanted:
            raise WrongError("what the model comes to is not the file")
        now.lines, now.length = dict(enumerate(known, 1)), len(known)


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
