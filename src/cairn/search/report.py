"""A long text as a query: its parts, what role each has, and what each is good for.

An issue is no phrase. Its title says what it is about, a traceback names files and functions, code names what it
calls, a message stands word for word where it is raised, and versions and templates say nothing of where to look.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from enum import Enum

from cairn.base import lazy
from cairn.base.values import dataclass
from cairn.kernel.tokens import tokens

_LONG_WORDS = 40
_LONG_LINES = 3
_MOST_LINE_CHARS = 1_000
"""Longer lines are read in pieces, since expressions would take long over them."""
_MOST_WORD_CHARS = 200
"""Nobody writes longer words: they are data."""
_GIST_CHARS = 500
"""How much of a text is embedded: every further sentence makes its meaning less sharp."""
_TITLE_TIMES = 4
_MOST_MESSAGES = 24
_LEAST_MESSAGE_CHARS = 10
_LEAST_NAME_CHARS = 3


class PartRole(Enum):
    """What a part of a text is."""

    TITLE = "title"
    PROSE = "prose"
    CODE = "code"
    FRAME = "frame"
    ERROR = "error"
    NOISE = "noise"


_WORD_WORTH: Mapping[PartRole, float] = {
    PartRole.TITLE: 4.0,
    PartRole.PROSE: 1.0,
    PartRole.CODE: 0.6,
    PartRole.ERROR: 1.5,
}
"""What a word counts in a part; in others nothing."""
_NAME_WORTH: Mapping[PartRole, float] = {
    PartRole.TITLE: 3.0,
    PartRole.PROSE: 1.5,
    PartRole.CODE: 1.0,
    PartRole.ERROR: 1.0,
    PartRole.NOISE: 0.5,
}
"""What a path, or a name that only code is written like, counts in a part."""
_FENCE = lazy.expression(r"^\s*(?:```|~~~)")
_FRAME = lazy.expression(
    r"""(?x)
    File\ "(?P<python>[^"\n]+)",\ line\ \d+(?:,\ in\ (?P<function>[\w<>.]+))?
    | \bat\ (?:[\w$.<>]+\ )?\(?(?P<script>[\w./\\@-]+\.\w{1,4}):\d+
    | -->\ (?P<rust>[\w./\\-]+\.rs):\d+
    | ^\s*(?P<other>[\w./\\-]+\.\w{1,4}):\d+\b
    """
)
_ERROR = lazy.expression(
    r"^\s*(?:E\s+|[A-Za-z_.]*:\s*)?[\w.]*(?:Error|Exception|Warning|Failure|Panic)\b(?::|\s|$)|^\s*(?:ERROR|panic|fatal):\s"
)
_SUFFIXES = "py js ts tsx jsx go rs java c h cc cpp hpp rb php cs kt swift ex exs lua sh hs scala".split()
_PATH = lazy.expression(rf"(?<![\w/.-])(?:[\w.@-]+[/\\])+[\w.@-]+\.\w{{1,6}}\b|\b[\w-]+\.(?:{'|'.join(_SUFFIXES)})\b")
_CODE_LINE = lazy.expression(
    r"^\s*(?:>>>|\.\.\.\s|\$ |In \[\d+\]|Out\[\d+\]|def |class |import |from \S+ import |@\w|return\b|if .*:$)"
    r"|^\s*(?:for .*:$|\#include)"
    r"|[;{}]\s*$|^\s*[\w.\[\]'\"]+\s*=\s*\S|^\s*[\w.]+\(.*\)\s*$"
)
_NOISE = lazy.expression(
    r"(?i)^\s*(?:- \[[ x]\]|\[x\]|platform |python\s*:|python version|os(?:-release)?:|machine:|processor:|byteorder|"
    r"lc_all|lang:|locale|commit:|[\w.-]+\s*[=:]{1,2}\s*v?\d+(?:\.\d+)+\S*\s*$|[\w.-]+\s+v?\d+(?:\.\d+)+\S*\s*$|"
    r"cachedir|rootdir|collected \d|plugins:|[=_-]{5,}|thanks\b)"
)
_COMMENT = lazy.expression(r"(?s)<!--.*?-->")
_URL = lazy.expression(r"https?://\S+")
_TAG = lazy.expression(
    r"</?(?:div|sup|sub|details|summary|br|p|pre|code|b|i|em|strong|a|img|hr|table|tr|td|th)\b[^>]*>"
)
_DOTTED = lazy.expression(r"\b[A-Za-z_]\w*(?:(?:\.|::|->|#)[A-Za-z_]\w*)+")
_JOINT = lazy.expression(r"\.|::|->|#")
_WORD = lazy.expression(r"\b[A-Za-z_]\w*")
_CALLED = lazy.expression(r"\b([A-Za-z_]\w*)\(")
_HUMP = lazy.expression(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_TICKED = lazy.expression(r"`+([^`\n]+)`+")
_FILLED = lazy.expression(r"[`'\"{}()<>:\[\]\d/\\=,;%*|]+|\.\s|\.$")
"""What parts the words of a message from what it is filled with."""
_QUOTED = lazy.expression(r"[\"'`]([^\"'`\n]{12,200})[\"'`]")


@dataclass(frozen=True, slots=True)
class TextPart:
    """A line and its role."""

    role: PartRole
    text: str


@dataclass(frozen=True, slots=True)
class Report:
    """What a long text says of where to look."""

    terms: Mapping[str, float]
    """What each of its words is worth."""
    names: Mapping[str, float]
    """What may be the name of a definition, and how much speaks for it."""
    paths: Mapping[str, float]
    """Files, as it names them."""
    modules: Mapping[str, float]
    """Dotted names, whose beginnings may be modules."""
    messages: tuple[str, ...]
    """Pieces of messages that stand in some file word for word."""
    title: tuple[str, ...]
    """The words of its first line: what it asks for."""
    gist: str
    """What it is about, in short: this is embedded."""


def is_long(text: str) -> bool:
    """Whether a text is read by its parts: it has several lines, or more words than a question has."""
    return len(text.split()) >= _LONG_WORDS or text.strip().count("\n") >= _LONG_LINES


def parts_of(text: str) -> Iterator[TextPart]:
    """The parts of a text, line by line."""
    fenced = titled = False
    for line in _lines(_COMMENT.sub("\n", text)):
        if _FENCE.match(line):
            fenced = not fenced
        elif line.strip():
            bare = _TAG.sub(" ", line)
            yield TextPart(_role(line, bare, fenced) if titled else PartRole.TITLE, line if fenced else bare)
            titled = True


def _lines(text: str) -> Iterator[str]:
    """Its lines; a very long one in pieces of whole words."""
    for line in text.splitlines():
        if len(line) <= _MOST_LINE_CHARS:
            yield line
            continue
        piece = ""
        for word in line.split():
            if len(word) > _MOST_WORD_CHARS:
                continue
            if len(piece) + len(word) >= _MOST_LINE_CHARS:
                yield piece
                piece = ""
            piece += f" {word}" if piece else word
        yield piece


def _role(line: str, bare: str, fenced: bool) -> PartRole:
    if _FRAME.search(line):
        return PartRole.FRAME
    if _NOISE.match(bare):
        return PartRole.NOISE
    if _ERROR.search(line):
        return PartRole.ERROR
    if fenced or line.startswith(("    ", "\t")) or _CODE_LINE.search(line):
        return PartRole.CODE
    return PartRole.PROSE


def read_report(text: str, stop_words: Collection[str]) -> Report:
    """What a text says, each part for what it is good for."""
    parts = [*parts_of(text)]
    terms: dict[str, float] = defaultdict(float)
    names: dict[str, float] = defaultdict(float)
    paths: dict[str, float] = {}
    modules: dict[str, float] = {}
    messages: dict[str, None] = {}
    gist: list[str] = []
    frames = [part for part in parts if part.role is PartRole.FRAME]
    for number, part in enumerate(frames, 1):
        # The frame where it failed stands last, and is the likeliest.
        _heard_frame(part.text, number / len(frames), paths, names)
    for part in parts:
        if part.role is PartRole.FRAME:
            continue
        worth = _NAME_WORTH[part.role]
        _at_least(paths, (found[0] for found in _PATH.finditer(part.text)), worth)
        if part.role is PartRole.NOISE:
            continue
        plain = _URL.sub(" ", part.text)
        for term in _terms(plain, stop_words):
            terms[term] += _WORD_WORTH[part.role]
        _at_least(modules, (found[0] for found in _DOTTED.finditer(plain)), worth)
        for name in _names(plain, stop_words):
            names[name] += worth
        messages.update(dict.fromkeys(_messages(part)))
        if part.role is not PartRole.CODE:
            gist += [plain] * (_TITLE_TIMES if part.role is PartRole.TITLE else 1)
    return Report(
        terms,
        names,
        paths,
        modules,
        tuple(messages)[:_MOST_MESSAGES],
        tuple(re.findall(r"\w+", parts[0].text.lower())) if parts else (),
        " ".join(" ".join(gist).split())[:_GIST_CHARS],
    )


def _heard_frame(line: str, share: float, paths: dict[str, float], names: dict[str, float]) -> None:
    frame = _FRAME.search(line)
    assert frame is not None
    _at_least(paths, (found for kind, found in frame.groupdict().items() if found and kind != "function"), 0.5 + share)
    if frame["function"]:
        names[frame["function"].rpartition(".")[2]] += 0.3 + 0.7 * share


def _terms(text: str, stop_words: Collection[str]) -> frozenset[str]:
    words = (word for word in re.findall(r"\w+", text) if word.lower() not in stop_words)
    return frozenset(tokens(" ".join(words)))


def _names(text: str, stop_words: Collection[str]) -> frozenset[str]:
    """What only code is written like: dotted, humped, called or between backticks."""
    found = {part for dotted in _DOTTED.finditer(text) for part in _JOINT.split(dotted[0])}
    found |= {word for word in _WORD.findall(text) if "_" in word.strip("_") or _HUMP.search(word)}
    found |= {word for ticked in _TICKED.finditer(text) for word in _WORD.findall(ticked[1])}
    found |= {*_CALLED.findall(text)}
    return frozenset(name for name in found if len(name) >= _LEAST_NAME_CHARS and name.lower() not in stop_words)


def _messages(part: TextPart) -> Iterator[str]:
    """What stays the same in a message, whatever it is filled with."""
    said = [part.text.partition(": ")[2] or part.text] if part.role is PartRole.ERROR else _QUOTED.findall(part.text)
    for piece in (piece.strip() for text in said for piece in _FILLED.split(text)):
        if len(piece) >= _LEAST_MESSAGE_CHARS and " " in piece:
            yield piece


def _at_least(found: dict[str, float], names: Iterable[str], worth: float) -> None:
    for name in names:
        found[name] = max(worth, found.get(name, 0.0))
