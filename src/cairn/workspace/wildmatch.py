"""Git's wildmatch as regular expressions over bytes.

Libraries that match whole paths against .gitignore lines differ from git on negated folders, so
the walk asks about one entry at a time, as git does, and needs only the pattern language. It works
on bytes because git does: '?' is one byte of a UTF-8 name.

Text between two stars is matched at its earliest place and never tried again (atomic groups), so
a hostile pattern like `*a*a*a*a*b` costs no more than its length times the name's.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from cairn.base.errors import UsageError

_SPECIAL = b"*?[\\"
_CLASSES: dict[bytes, Callable[[int], bool]] = {
    b"alnum": lambda c: chr(c).isalnum(),
    b"alpha": lambda c: chr(c).isalpha(),
    b"blank": lambda c: c in b" \t",
    b"cntrl": lambda c: c < 32 or c == 127,
    b"digit": lambda c: 48 <= c <= 57,
    b"graph": lambda c: 33 <= c <= 126,
    b"lower": lambda c: chr(c).islower(),
    b"print": lambda c: 32 <= c <= 126,
    b"punct": lambda c: 33 <= c <= 126 and not chr(c).isalnum(),
    b"space": lambda c: c in b" \t\n\r",
    b"upper": lambda c: chr(c).isupper(),
    b"xdigit": lambda c: c in b"0123456789abcdefABCDEF",
}
# No path is longer: a pattern with more fixed bytes matches nothing and isn't worth compiling.
_PATH_MAX = 4096
_STAR, _ANY_FOLDERS, _ANYTHING = b"*", b"**/", b"**"
_CHOICE = re.compile(r"(?<!\\)\{([^{}]*,[^{}]*)\}")
_MOST_CHOICES = 200


class _MalformedError(Exception):
    """The pattern can never match: git gives up on it."""


def literal_prefix(pattern: bytes) -> int:
    """How many leading bytes are free of wildcards."""
    for index, byte in enumerate(pattern):
        if byte in _SPECIAL:
            return index
    return len(pattern)


def translate(pattern: bytes) -> bytes | None:
    """A regular expression for `fullmatch`, or None when nothing can match the pattern."""
    # Git compares the part without wildcards first and hands wildmatch only the rest, so '**'
    # right behind it counts as being at the start: `foo**/bar` crosses folders, `f[o]o**/bar` not.
    prefix = literal_prefix(pattern)
    try:
        tokens = list(_tokens(pattern[prefix:]))
    except _MalformedError:
        return None
    if prefix + sum(kind in (b"", b"/") for kind, _ in tokens) > _PATH_MAX:
        return None
    return re.escape(pattern[:prefix]) + _join(tokens)


def _join(tokens: list[tuple[bytes, bytes]]) -> bytes:
    """Put tokens together; what stands between two stars of one kind becomes an atomic group.

    A '*' stays inside one path component, so an earlier match never has to be undone by a later
    one; a '**' likewise absorbs everything up to the next fixed part.
    """
    wide = _split(tokens, (_ANY_FOLDERS, _ANYTHING))
    out = [_components(wide[0][1])]
    for number, (star, part) in enumerate(wide[1:], start=1):
        body = _components(part)
        if star == _ANYTHING:
            lead = b".*" if number == len(wide) - 1 else b".*?"
        else:
            lead = b"(?:.*/)?" if number == len(wide) - 1 else b"(?:.*?/)??"
        out.append(lead + body if number == len(wide) - 1 else b"(?>" + lead + body + b")")
    return b"".join(out)


def _components(tokens: list[tuple[bytes, bytes]]) -> bytes:
    """Tokens without '**': each path component is matched on its own."""
    out: list[bytes] = []
    component: list[tuple[bytes, bytes]] = []
    for token in [*tokens, (b"/", b"")]:
        if token[0] != b"/":
            component.append(token)
            continue
        narrow = _split(component, (_STAR,))
        out.append(b"".join(regex for _, regex in narrow[0][1]))
        for number, (_, part) in enumerate(narrow[1:], start=1):
            body = b"".join(regex for _, regex in part)
            last = number == len(narrow) - 1
            out.append(b"[^/]*" + body if last else b"(?>[^/]*?" + body + b")")
        out.append(token[1])
        component = []
    return b"".join(out)


def _split(
    tokens: list[tuple[bytes, bytes]], stars: tuple[bytes, ...]
) -> list[tuple[bytes, list[tuple[bytes, bytes]]]]:
    parts: list[tuple[bytes, list[tuple[bytes, bytes]]]] = [(b"", [])]
    for token in tokens:
        if token[0] in stars:
            parts.append((token[0], []))
        else:
            parts[-1][1].append(token)
    return parts


def _tokens(pattern: bytes) -> Iterator[tuple[bytes, bytes]]:
    """(kind, regex) pairs: kind is '*', '**', '**/', '/' or empty for one fixed byte."""
    at = 0
    size = len(pattern)
    while at < size:
        # Any number of '**/' in a row mean no more than one.
        while pattern.startswith(b"**/**/", at) and (at == 0 or pattern[at - 1 : at] == b"/"):
            at += 3
        byte = pattern[at : at + 1]
        if byte == b"*":
            end = at
            while pattern[end : end + 1] == b"*":
                end += 1
            opens = at == 0 or pattern[at - 1 : at] == b"/"
            if end - at < 2 or not opens:
                yield _STAR, b""
            elif end == size or pattern[end : end + 2] == b"\\/":
                yield _ANYTHING, b""
            elif pattern[end : end + 1] == b"/":
                yield _ANY_FOLDERS, b""
                end += 1
            else:
                yield _STAR, b""
            at = end
        elif byte == b"?":
            yield b"", b"[^/]"
            at += 1
        elif byte == b"[":
            members, at = _bracket(pattern, at + 1)
            yield b"", _member_regex(members)
        elif byte == b"\\":
            if at + 1 == size:
                raise _MalformedError
            escaped = pattern[at + 1 : at + 2]
            yield (b"/", b"/") if escaped == b"/" else (b"", re.escape(escaped))
            at += 2
        else:
            yield (b"/", b"/") if byte == b"/" else (b"", re.escape(byte))
            at += 1


def _bracket(pattern: bytes, at: int) -> tuple[set[int], int]:
    """The bytes that a bracket expression accepts and the place behind its ']'."""
    negated = pattern[at : at + 1] in (b"!", b"^")
    if negated:
        at += 1
    members: set[int] = set()
    previous: int | None = None
    first = True
    while first or pattern[at : at + 1] != b"]":
        first = False
        byte, at = _byte(pattern, at)
        nxt = pattern[at : at + 1]
        if byte == ord("\\"):
            byte, at = _byte(pattern, at)
            members.add(byte)
            previous = byte
        elif byte == ord("-") and previous is not None and nxt not in (b"", b"]"):
            high, at = _byte(pattern, at)
            if high == ord("\\"):
                high, at = _byte(pattern, at)
            members.update(range(previous, high + 1))
            previous = None
        elif byte == ord("[") and nxt == b":":
            close = pattern.find(b"]", at + 1)
            if close < 0:
                raise _MalformedError
            if close == at + 1 or pattern[close - 1 : close] != b":":
                members.add(byte)
                previous = byte
                continue
            name = pattern[at + 1 : close - 1]
            if name not in _CLASSES:
                raise _MalformedError
            members.update(c for c in range(128) if _CLASSES[name](c))
            at = close + 1
            previous = None
        else:
            members.add(byte)
            previous = byte
    if negated:
        members = set(range(256)) - members
    members.discard(ord("/"))
    return members, at + 1


def _byte(pattern: bytes, at: int) -> tuple[int, int]:
    if at >= len(pattern):
        raise _MalformedError
    return pattern[at], at + 1


def _member_regex(members: set[int]) -> bytes:
    if not members:
        return b"(?!)"
    others = set(range(256)) - members
    sign, listed = (b"^", others) if len(others) < len(members) else (b"", members)
    return b"[" + sign + b"".join(b"\\x%02x" % byte for byte in sorted(listed)) + b"]"


def within_matcher(places: Sequence[str]) -> Callable[[str], bool]:
    """A test for files that are one of some places, or lie beneath one."""
    beneath = tuple(f"{place}/" for place in places)
    return lambda path_key: path_key in places or path_key.startswith(beneath)


def split_globs(patterns: Iterable[str]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Globs of what is wanted and of what is not, which begin with `!`, as other tools write them; the latter without
    it."""
    known = tuple(patterns)
    return tuple(each for each in known if each[:1] != "!"), tuple(each[1:] for each in known if each[:1] == "!")


def path_matcher(*patterns: str) -> Callable[[str], bool]:
    """A test for path keys: whether any of some patterns matches. `src/*.py` is matched with the path, `*.py` and
    `tests` with each part of it; what matches a folder matches everything beneath it. `{a,b}` is a or b."""
    fits = [_fits(each) for pattern in patterns for each in _choices(pattern)]
    known = {"": False}
    """Results by folder, because many files share one."""

    def learn(folder: str) -> None:
        above = False
        path = ""
        for part in folder.split("/"):
            path = f"{path}/{part}" if path else part
            if path not in known:
                known[path] = above or any(fit(path) for fit in fits)
            above = known[path]

    def matches(path_key: str) -> bool:
        folder = path_key.rpartition("/")[0]
        if folder not in known:
            learn(folder)
        return known[folder] or any(fit(path_key) for fit in fits)

    return matches


def _choices(pattern: str) -> list[str]:
    """What a pattern with `{a,b}` stands for; braces without a comma are part of a name."""
    found = [pattern]
    while any(map(_CHOICE.search, found)):
        found = [each for one in found for each in _chosen(one)]
        if len(found) > _MOST_CHOICES:
            raise UsageError(
                f"The braces of {pattern} stand for more than {_MOST_CHOICES} patterns.", hint="Give fewer choices."
            )
    return found


def _chosen(pattern: str) -> Iterator[str]:
    match = _CHOICE.search(pattern)
    for choice in match[1].split(",") if match is not None else ("",):
        yield pattern if match is None else pattern[: match.start()] + choice + pattern[match.end() :]


def _fits(pattern: str) -> Callable[[str], bool]:
    """A test for a path itself, apart from its folders."""
    wanted = pattern.removeprefix("./").strip("/")
    translated = translate(wanted.encode("utf-8", "surrogatepass")) if wanted else None
    if translated is None:
        return lambda _: False
    regex = re.compile(translated, re.DOTALL)
    if "/" in wanted:
        return lambda path: regex.fullmatch(path.encode("utf-8", "surrogatepass")) is not None
    return lambda path: regex.fullmatch(path.rpartition("/")[2].encode("utf-8", "surrogatepass")) is not None
