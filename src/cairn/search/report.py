"""A long text as a query: what each of its parts is good for.

An issue is no phrase. Its title says what it is about, a traceback names files and functions, code names what it
calls, a message stands word for word where it is raised, and versions and templates say nothing of where to look.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping

from cairn.base import lazy
from cairn.base.values import dataclass
from cairn.kernel.tokens import tokens
from cairn.search.textparts import PartRole, TextPart, is_error, parts_of

_GIST_CHARS = 500
"""How much of a text is embedded: every further sentence makes its meaning less sharp."""
_TITLE_TIMES = 4
_MOST_MESSAGES = 24
_LEAST_MESSAGE_CHARS = 10
_LEAST_NAME_CHARS = 3
_WORD_WORTH: Mapping[PartRole, float] = {
    PartRole.TITLE: 4.0,
    PartRole.PROSE: 1.0,
    PartRole.CODE: 0.6,
    PartRole.ERROR: 1.5,
    PartRole.NOISE: 0.02,
}
"""What a word counts in a part: little in noise, since it may be none; of a frame only names count."""
_NAME_WORTH: Mapping[PartRole, float] = {
    PartRole.TITLE: 3.0,
    PartRole.PROSE: 1.5,
    PartRole.CODE: 1.0,
    PartRole.ERROR: 1.0,
    PartRole.NOISE: 0.5,
}
"""What a path, or a name that only code is written like, counts in a part."""
_INNERMOST_LAST = (".py", ".pyc", ".pyx", ".pyi", ".pyw", ">")
"""Files in whose tracebacks the frame where it failed stands last; in those of other languages it is the first."""
_SUFFIXES = "py js ts tsx jsx go rs java c h cc cpp hpp rb php cs kt swift ex exs lua sh hs scala".split()
_PATH = lazy.expression(
    rf"(?<![\w.-])[/\\]?(?:[\w.@-]+[/\\])+[\w.@-]+\.\w{{1,6}}\b|\b[\w-]+\.(?:{'|'.join(_SUFFIXES)})\b"
)
_URL = lazy.expression(r"https?://\S+")
_DOTTED = lazy.expression(r"\b[A-Za-z_]\w*(?:(?:\.|::|->|#)[A-Za-z_]\w*)+")
JOINT = lazy.expression(r"\.|::|->|#")
_WORD = lazy.expression(r"\b[A-Za-z_]\w*")
_CALLED = lazy.expression(r"\b([A-Za-z_]\w*)\(")
HUMP = lazy.expression(r"[a-z0-9][A-Z]|[A-Z]{2}[a-z]")
_TICKED = lazy.expression(r"`+([^`\n]+)`+")
_FILLED = lazy.expression(r"[`'\"{}()<>:\[\]\d/\\=,;%*|]+|\.\s|\.$")
"""What parts the words of a message from what it is filled with."""
_QUOTED = lazy.expression(r"[\"'`]([^\"'`\n]{12,200})[\"'`]")


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
    """The words of its title: what it asks for."""
    gist: str
    """What it is about, in short: this is embedded."""


def read_report(text: str, stop_words: Collection[str]) -> Report:
    """What a text says, each part for what it is good for."""
    parts = parts_of(text)
    terms: dict[str, float] = defaultdict(float)
    names: dict[str, float] = defaultdict(float)
    paths: dict[str, float] = {}
    modules: dict[str, float] = {}
    messages: dict[str, None] = {}
    title: list[str] = []
    gist: list[str] = []
    _hear_frames([part for part in parts if part.role is PartRole.FRAME], paths, names)
    for part in parts:
        if part.role is PartRole.FRAME:
            continue
        worth = _NAME_WORTH[part.role]
        _at_least(paths, (found[0] for found in _PATH.finditer(part.text)), worth)
        plain = _URL.sub(" ", part.text)
        for term in _terms(plain, stop_words):
            terms[term] += _WORD_WORTH[part.role]
        if part.role is PartRole.NOISE:
            continue
        _at_least(modules, (found[0] for found in _DOTTED.finditer(plain)), worth)
        for name in _names(plain, stop_words):
            names[name] += worth
        messages.update(dict.fromkeys(_messages(part)))
        if part.role is PartRole.TITLE:
            title = re.findall(r"\w+", part.text.lower())
            gist = [plain] * _TITLE_TIMES + gist
        elif part.role is not PartRole.CODE:
            gist.append(plain)
    return Report(
        terms,
        names,
        paths,
        modules,
        tuple(messages)[:_MOST_MESSAGES],
        tuple(title),
        " ".join(" ".join(gist or [part.text for part in parts]).split())[:_GIST_CHARS],
    )


def _hear_frames(frames: Iterable[TextPart], paths: dict[str, float], names: dict[str, float]) -> None:
    """The frame where it failed is the likeliest: the last or the first of all, as the language has it."""
    last: list[TextPart] = []
    first: list[TextPart] = []
    for part in frames:
        (last if part.path.endswith(_INNERMOST_LAST) else first).append(part)
    for group in (last, first[::-1]):
        for number, part in enumerate(group, 1):
            share = number / len(group)
            _at_least(paths, [part.path], 0.5 + share)
            for name, worth in ((part.function, 1.0), (part.owner, 0.5)):
                if name:
                    names[name] += worth * (0.3 + 0.7 * share)


def _terms(text: str, stop_words: Collection[str]) -> frozenset[str]:
    words = (word for word in re.findall(r"\w+", text) if word.lower() not in stop_words)
    return frozenset(tokens(" ".join(words)))


def _names(text: str, stop_words: Collection[str]) -> frozenset[str]:
    """What only code is written like: dotted, humped, called or between backticks."""
    found = {part for dotted in _DOTTED.finditer(text) for part in JOINT.split(dotted[0])}
    found |= {word for word in _WORD.findall(text) if "_" in word.strip("_") or HUMP.search(word)}
    found |= {word for ticked in _TICKED.finditer(text) for word in _WORD.findall(ticked[1])}
    found |= {*_CALLED.findall(text)}
    return frozenset(name for name in found if len(name) >= _LEAST_NAME_CHARS and name.lower() not in stop_words)


def _messages(part: TextPart) -> Iterator[str]:
    """What stays the same in a message, whatever it is filled with."""
    is_said = part.role is PartRole.ERROR or is_error(part.text)
    said = [part.text.partition(": ")[2] or part.text] if is_said else _QUOTED.findall(part.text)
    for piece in (piece.strip() for text in said for piece in _FILLED.split(text)):
        if len(piece) >= _LEAST_MESSAGE_CHARS and " " in piece:
            yield piece


def _at_least(found: dict[str, float], names: Iterable[str], worth: float) -> None:
    for name in names:
        found[name] = max(worth, found.get(name, 0.0))
