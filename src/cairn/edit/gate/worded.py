"""Whether a name stands as a text somewhere: what a program looks up by a text must come from one."""

import re
from collections.abc import Iterable, Iterator, Sequence

from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.words import STRING, TEXT, words_in

_BOUNDARY = re.compile(r"(?<=[^_])(?=_)|(?<=_)(?=[^_])")
_SHORTEST, _SHORTEST_HALF = 3, 2


def is_worded(sources: SourceFiles, name: str, lists: Sequence[str] = ()) -> bool:
    """Whether a name, or a part that programs make names of, is a text of the tree; those in some lists don't count."""
    for source in sources.holding(name):
        words = (
            word for word in words_in(source, name) if word.kind in (STRING, TEXT) and (word.exact or word.example)
        )
        if any(word.listed not in lists for word in words):
            return True
    # Commands are often called like functions, with hyphens.
    dashed = name.strip("_").replace("_", "-").lower()
    if "-" in dashed and any(dashed.encode() in each.data for each in sources.holding(max(dashed.split("-"), key=len))):
        return True
    return any(_holds_text(source.data, part) for part in _parts(name) for source in sources.holding(part))


def is_put_together(sources: SourceFiles, name: str) -> bool:
    """Whether texts of the tree are the halves of a name, or it in other letters: what asks for a name that is no text
    must make it."""
    if any(_is_text(sources, each) for each in {name.upper(), name.lower(), name.capitalize(), name.title()} - {name}):
        return True
    halves = ((name[:at], name[at:]) for at in range(_SHORTEST_HALF, len(name) - _SHORTEST_HALF + 1))
    return any(all(_is_text(sources, half) for half in sorted(each, key=len, reverse=True)) for each in halves)


def _is_text(sources: SourceFiles, said: str) -> bool:
    form = re.compile(rb"[\"'`]%s[\"'`]" % re.escape(said.encode()))
    return any(form.search(source.data) for source in sources.holding(said))


def is_part_of_names(sources: Iterable[SourceFile], name: str) -> bool:
    """Whether a longer name ends with a name, as one that a program puts together: `visit_Name`, `onName`."""
    before = rb"[A-Za-z]\w*_" if not name[:1].isupper() else rb"(?:[A-Za-z]\w*_|[a-z]\w*)"
    form = re.compile(rb"\b%s%s\b" % (before, re.escape(name.lstrip("_").encode())))
    return any(form.search(source.data) for source in sources)


def is_asked_in_template(sources: SourceFiles, name: str) -> bool:
    """Whether a name stands behind a dot, and between braces unless others are set, in a text."""
    others = any(b".Delims(" in each.data for each in sources.holding("Delims"))
    for source in sources.holding(name):
        text, data = source.text, source.data
        places = (text.offset(word.line, word.column) for word in words_in(source, name) if word.kind in (STRING, TEXT))
        for at in places:
            braced = others or data.rfind(b"{{", 0, at) > data.rfind(b"}}", 0, at)
            if braced and data[max(0, at - 9) : at].rstrip().endswith(b"."):
                return True
    return False


def is_expected(sources: SourceFiles, name: str) -> bool:
    """Whether a text that is no documentation has a name among other words, as one that something is compared with."""
    words = (word for source in sources.holding(name) for word in words_in(source, name))
    return any(word.kind == STRING and (not word.prose or word.example) for word in words)


def _parts(name: str) -> Iterator[str]:
    """The beginnings and ends of a name that a program is likely to make names of."""
    for match in _BOUNDARY.finditer(name):
        for part in (name[: match.start()], name[match.start() :]):
            if len(part.strip("_")) >= _SHORTEST and (part.endswith("_") or part.startswith("_")):
                yield part


def _holds_text(data: bytes, part: str) -> bool:
    written = re.escape(part.encode())
    form = rb"[\"'`]%s(?:[\"'`{]|\$\{|%%[sd])" if part.endswith("_") else rb"(?:[\"'`}]|%%[sd])%s[\"'`]"
    return re.search(form % written, data) is not None
