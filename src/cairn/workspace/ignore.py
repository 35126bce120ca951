"""The one ignore matcher: nested .gitignore files and the root's .cairnignore, nothing else.

Rules of a deeper file go before those of a shallower one, and within a file the last match wins,
as in git. `.cairnignore` has the last word over all of them. A folder that is ignored is never
entered, so nothing beneath it can be taken back in. Global excludes and .git/info/exclude have no
effect: they would make two people see two different indexes of one tree.
"""

import hashlib
import os
import re
from collections.abc import Iterable
from functools import cached_property, lru_cache

from cairn.base.errors import IgnoreFileError
from cairn.base.values import dataclass
from cairn.workspace.pathkey import quoted
from cairn.workspace.wildmatch import literal_prefix, translate

GITIGNORE = ".gitignore"
CAIRNIGNORE = ".cairnignore"
MAX_IGNORE_BYTES = 1024 * 1024
MAX_RULES = 10_000


@dataclass(frozen=True)
class Rule:
    """One line of an ignore file."""

    line: int
    text: str
    negated: bool
    folders_only: bool
    by_name: bool
    """The pattern has no '/': it is matched with the entry's name, not with its path."""
    pattern: bytes

    @cached_property
    def regex(self) -> re.Pattern[bytes] | None:
        """The pattern as an expression over bytes; None for a pattern that matches nothing."""
        translated = translate(self.pattern)
        return None if translated is None else re.compile(translated, re.DOTALL)

    def matches(self, name: bytes, path: bytes, is_folder: bool) -> bool:
        """Whether the rule is about an entry; `path` is relative to the folder of the file."""
        if self.folders_only and not is_folder:
            return False
        regex = self.regex
        return regex is not None and regex.fullmatch(name if self.by_name else path) is not None


class RuleSet:
    """The rules of one text, wherever the file lies: equal files in many folders share them."""

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        self.rules = rules

    def decide(self, name: bytes, path: bytes, is_folder: bool) -> Rule | None:
        """The last rule that matches; `path` is relative to the folder of the file."""
        names, suffixes, by_name, by_path = self._filters
        if not (
            name in names
            or name.endswith(suffixes)
            or (by_name is not None and by_name.fullmatch(name))
            or (by_path is not None and by_path.fullmatch(path))
        ):
            return None
        for rule in reversed(self.rules):
            if rule.matches(name, path, is_folder):
                return rule
        return None

    @cached_property
    def _filters(
        self,
    ) -> tuple[frozenset[bytes], tuple[bytes, ...], re.Pattern[bytes] | None, re.Pattern[bytes] | None]:
        """Quick tests that rule out most entries, which match no rule at all."""
        names, suffixes, by_name, by_path = set(), set(), [], []
        for rule in self.rules:
            pattern = rule.pattern
            if not rule.by_name:
                by_path.append(pattern)
            elif literal_prefix(pattern) == len(pattern):
                names.add(pattern)
            elif pattern[:1] == b"*" and literal_prefix(pattern[1:]) == len(pattern) - 1:
                suffixes.add(pattern[1:])
            else:
                by_name.append(pattern)
        return frozenset(names), tuple(sorted(suffixes)), _any_of(by_name), _any_of(by_path)


@dataclass(frozen=True)
class IgnoreFile:
    """An ignore file; `folder` is the raw root-relative folder it lies in ('' for the root)."""

    folder: str
    name: str
    data: bytes
    ruleset: RuleSet

    @property
    def rules(self) -> tuple[Rule, ...]:
        """The file's rules, from the first line to the last."""
        return self.ruleset.rules

    @property
    def key(self) -> str:
        """The file's own path key."""
        return f"{self.folder}/{self.name}" if self.folder else self.name

    @cached_property
    def digest(self) -> str:
        """The hash of its bytes."""
        return hashlib.sha256(self.data).hexdigest()

    def decide(self, name: bytes, path: bytes, is_folder: bool) -> Rule | None:
        """The rule that decides an entry; `path` is relative to the root."""
        return self.ruleset.decide(name, path[self._base :], is_folder)

    @cached_property
    def _base(self) -> int:
        return len(self.folder.encode("utf-8", "surrogateescape")) + 1 if self.folder else 0


@dataclass(frozen=True)
class RuleChain:
    """The ignore files in force inside one folder, from the root's to its own."""

    git: tuple[IgnoreFile, ...] = ()
    cairn: IgnoreFile | None = None
    excludes: IgnoreFile | None = None
    """`exclude` of .cairn.toml: it can only leave files out."""

    def under(self, file: IgnoreFile) -> "RuleChain":
        """The chain inside a folder that has an ignore file of its own."""
        return RuleChain((*self.git, file), self.cairn, self.excludes)

    def fresh(self) -> "RuleChain":
        """For a nested repository: the outer .gitignore files don't reach into it."""
        return RuleChain((), self.cairn, self.excludes)

    def decide(self, name: bytes, path: bytes, is_folder: bool) -> "IgnoreDecision":
        """Whether an entry is ignored; `path` is relative to the root."""
        for file in self._precedence:
            rule = file.decide(name, path, is_folder)
            if rule is not None:
                if file is self.excludes:
                    return IgnoreDecision(True, f"{file.name}: {rule.text}")
                return _decision(file, rule)
        return UNDECIDED

    def asks_for(self, path: str) -> bool:
        """Whether a `!` rule of .cairnignore names a file itself."""
        written = os.fsencode(path)
        return self.decide(written.rpartition(b"/")[2], written, False).asked_for

    @cached_property
    def _precedence(self) -> tuple[IgnoreFile, ...]:
        first = tuple(file for file in (self.excludes, self.cairn) if file is not None)
        return (*first, *reversed(self.git))

    @cached_property
    def identity(self) -> str:
        """The key under which decisions are cached: chains with equal identities decide alike."""
        digest = hashlib.sha256()
        for file in (self.excludes, self.cairn, *self.git):
            if file is not None:
                digest.update(f"{file.key}\0{file.digest}\0".encode("utf-8", "surrogateescape"))
            digest.update(b"\n")
        return digest.hexdigest()


@dataclass(frozen=True, slots=True)
class IgnoreDecision:
    """Whether an entry is ignored, and by which file's word."""

    ignored: bool
    why: str = ""
    asked_for: bool = False
    """A '!' rule of .cairnignore names the entry itself: even a secret is taken in."""


UNDECIDED = IgnoreDecision(False)


def parse_ignore(folder: str, name: str, data: bytes) -> IgnoreFile:
    """Parse an ignore file exactly as git reads one."""
    if len(data) > MAX_IGNORE_BYTES:
        raise IgnoreFileError(
            f"{_place(folder, name)} has {len(data)} bytes; at most {MAX_IGNORE_BYTES} are read.",
            hint="Shorten the file: patterns for whole folders need one line each.",
        )
    ruleset = _ruleset(data)
    if len(ruleset.rules) > MAX_RULES:
        raise IgnoreFileError(
            f"{_place(folder, name)} has {len(ruleset.rules)} rules; at most {MAX_RULES} are read.",
            hint="Shorten the file: patterns for whole folders need one line each.",
        )
    return IgnoreFile(folder, name, data, ruleset)


def excludes_from(patterns: Iterable[str]) -> IgnoreFile | None:
    """`include` or `exclude` of .cairn.toml in the same pattern language."""
    data = "\n".join(patterns).encode()
    return parse_ignore("", ".cairn.toml", data) if data else None


@lru_cache(maxsize=256)
def _ruleset(data: bytes) -> RuleSet:
    return RuleSet(tuple(_rules(data)))


def _rules(data: bytes) -> Iterable[Rule]:
    if data.startswith(b"\xef\xbb\xbf"):
        data = data[3:]
    for number, line in enumerate(data.split(b"\n"), start=1):
        if line.endswith(b"\r"):
            line = line[:-1]
        # Git handles lines as C strings: a NUL ends them.
        line = line.split(b"\0", 1)[0]
        if not line or line.startswith(b"#"):
            continue
        line = _trim(line)
        text = line.decode("utf-8", "replace")
        negated = line.startswith(b"!")
        if negated:
            line = line[1:]
        folders_only = line.endswith(b"/")
        if folders_only:
            line = line[:-1]
        by_name = b"/" not in line
        if line.startswith(b"/"):
            line = line[1:]
        if line:
            yield Rule(number, text, negated, folders_only, by_name, line)


def _trim(line: bytes) -> bytes:
    """Drop trailing spaces, except one that a backslash protects."""
    end: int | None = None
    at = 0
    while at < len(line):
        byte = line[at]
        if byte == 0x20:
            end = at if end is None else end
        else:
            if byte == 0x5C:
                at += 1
                if at == len(line):
                    return line
            end = None
        at += 1
    return line if end is None else line[:end]


def _any_of(patterns: list[bytes]) -> re.Pattern[bytes] | None:
    regexes = [regex for regex in map(translate, patterns) if regex is not None]
    if not regexes:
        return None
    return re.compile(b"|".join(b"(?:" + regex + b")" for regex in regexes), re.DOTALL)


def _decision(file: IgnoreFile, rule: Rule) -> IgnoreDecision:
    why = f"{file.key}:{rule.line}: {rule.text}"
    return IgnoreDecision(not rule.negated, why, asked_for=rule.negated and file.name == CAIRNIGNORE)


def _place(folder: str, name: str) -> str:
    return quoted(f"{folder}/{name}" if folder else name)
