"""What a map says before its files: languages, folders, ways in, tests and what is offered."""

from collections.abc import Sequence

from cairn.base.values import dataclass
from cairn.graph.overview import Folder, Overview
from cairn.syntax.cost import token_cost_of

Api = Sequence[tuple[str, Sequence[str]]]
"""(file that stands for a package, names that it offers)"""
_ROWS, _NAMES, _LANGUAGES = 12, 40, 8
"""How much of each a small map shows; a larger one shows twice that, and so on until it has all."""
_STEPS = 32


@dataclass(frozen=True, slots=True)
class Head:
    """The text above the files of a map."""

    text: str
    left_out: int
    """Rows, languages and names that there was no room for."""

    @property
    def tokens(self) -> int:
        """What the text costs of a budget."""
        return token_cost_of(len(self.text.encode()))


def whole_head(said: Overview, api: Api) -> Head:
    """The head of a map with nothing left out."""
    return _head(_sections(said, api, _STEPS), None)


def head_within(said: Overview, api: Api, room: int) -> Head:
    """As many rows of each part as fit into some tokens; where not even the first ones do, as many lines as do."""
    best = None
    for step in range(_STEPS):
        found = _head(_sections(said, api, step), None)
        if found.tokens > room:
            break
        best = found
        if not found.left_out:
            break
    return best or _head(_sections(said, api, 0), room)


def in_one_line(text: str) -> str:
    """A name that may hold anything, in a text whose lines mean something."""
    return text if text.isprintable() else "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it must be."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    rows: tuple[str, ...]
    further: int
    """Rows that aren't shown, whatever the room."""
    cut: int = 0
    """What the rows themselves leave out."""


def _sections(said: Overview, api: Api, step: int) -> list[_Section]:
    rows, names = _ROWS << step, _NAMES << step
    total = sum(share.lines for share in said.languages) or 1
    languages = said.languages[: _LANGUAGES << step]
    if not step:
        languages = tuple(share for share in languages if 100 * share.lines >= total)
    more = len(said.languages) - len(languages)
    shares = [f"{share.language} {_percent(share.lines, total)}" for share in languages]
    line = "languages: " + ", ".join([*shares, *([f"{more} more"] if more else [])])

    def section(title: str, found: Sequence[str], cut: int = 0) -> _Section:
        return _Section(title, tuple(found[:rows]), max(len(found) - rows, 0), cut)

    return [
        _Section("", (line,) if shares else (), 0, more),
        section("folders:", [f"{_folder(each)}, {counted(each.lines, 'line')}" for each in said.folders]),
        section("entry points:", [f"  {in_one_line(each.path)}  ({each.why})" for each in said.entry_points]),
        section("tests:", [_folder(each) for each in said.tests]),
        section(
            "public API:",
            [f"  {in_one_line(path)}: {_few(offered, names)}" for path, offered in api],
            sum(max(len(offered) - names, 0) for _, offered in api[:rows]),
        ),
    ]


def _head(sections: Sequence[_Section], room: int | None) -> Head:
    kept: list[str] = []
    size = 1
    left_out = 0

    def fits(*lines: str) -> bool:
        return room is None or token_cost_of(size + sum(len(line.encode()) + 1 for line in lines)) <= room

    for section in sections:
        left_out += section.cut
        shown = 0
        for row in section.rows:
            # A title without a line below it says nothing.
            lines = (section.title, row) if section.title and not shown else (row,)
            if not fits(*lines):
                break
            kept += lines
            size += sum(len(line.encode()) + 1 for line in lines)
            shown += 1
        missing = len(section.rows) - shown + section.further
        left_out += missing
        more = f"  ({missing} more)"
        if shown and missing and fits(more):
            kept.append(more)
            size += len(more) + 1
    return Head("\n".join((*kept, "")) + "\n" if kept else "", left_out)


def _folder(folder: Folder) -> str:
    return f"  {in_one_line(folder.path) or '.'}/  {counted(folder.files, 'file')}"


def _few(names: Sequence[str], most: int) -> str:
    shown = ", ".join(names[:most])
    return shown + (f", ... ({len(names)} names)" if len(names) > most else "")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part // whole}%" if 100 * part >= whole else "<1%"
