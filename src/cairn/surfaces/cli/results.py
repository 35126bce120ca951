"""Places that answer a question, as JSON, as plain text for a pipe, and in colour for a terminal."""

from collections.abc import Mapping

from cairn.base import lazy
from cairn.base.notes import NAMES_LIKE
from cairn.base.text import plural, printable
from cairn.codebase.answers import NEAREST
from cairn.codebase.bodies import Answer, Found
from cairn.codebase.wording import looked_in
from cairn.kernel.tokens import tokens
from cairn.search import SearchHit, parse_query
from cairn.search.excerpt import excerpt_lines
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import BOLD, DIM, PATH, WARN, footer_of, paint, show_footer, wants_colour
from cairn.surfaces.cli.here import opened
from cairn.surfaces.cli.notes import sentences
from cairn.surfaces.cli.numbers import numbered
from cairn.surfaces.cli.text import say

_WIDTH = 160
_LEAST_WIDTH = 20
_WORD = lazy.expression(r"\w+")


def show(answer: Answer[Found[SearchHit]], query: str, *, explain: bool) -> None:
    """Print an answer for people; without colours where nobody would see them."""
    colour = wants_colour()
    terms = frozenset(parse_query(query).terms)
    say_nearest(answer)
    items = answer.value.items
    for item in items:
        say("\n".join(lines_of(item, answer.changed, terms, colour=colour, explain=explain)))
    if not items:
        say("nothing found")
    if explain:
        say(searched_by(answer.value))
    show_footer(footer_of(answer, "result"))


def say_nearest(answer: Answer[Found[SearchHit]]) -> None:
    """Above results that have no word of the query: that it is so."""
    note = next((note for note in answer.notes if note.code == NEAREST), None)
    for sentence in sentences(each for each in answer.notes if each.code == NAMES_LIKE):
        say(sentence)
    if note is not None:
        within = [*map(opened, answer.within)]
        where = looked_in(within, filtered=bool(note.fields["filtered"]), mode=str(note.fields["mode"]))
        say(f"nothing in {where} has these words; nearest in meaning:\n")


def lines_of(
    item: SearchHit, changed: frozenset[str], terms: frozenset[str], *, colour: bool, explain: bool
) -> list[str]:
    """A place that answers a query, in lines."""
    row = item.row
    shown = excerpt_lines(row.text, terms, item.symbol)
    place = f"{opened(row.path_key)}:{item.spot.line}"
    spot = row.text.split("\n")[item.spot.line - row.start_line :][:1]
    head = numbered(row.path_key, item.spot.line, "".join(spot)) + paint(place, PATH, colour)
    if item.symbol:
        head += "  " + paint(printable(item.symbol), BOLD, colour)
    if row.path_key in changed:
        head += "  " + paint("changed since", WARN, colour)
    lines = [head]
    width = len(str(row.start_line + shown[-1][0]))
    before: int | None = None
    for offset, line in shown:
        if before is not None and offset > before + 1:
            lines.append(paint(" " * (width + 1) + "…", DIM, colour))
        before = offset
        number = paint(f"{row.start_line + offset:>{width + 2}}", DIM, colour)
        lines.append(f"{number}  {_marked(_fitted(line, width + 4), terms, colour)}".rstrip())
    if explain:
        lines += [paint(f"    {line}", DIM, colour) for line in explained(item)]
    lines.append("")
    return lines


def explained(item: SearchHit) -> list[str]:
    """What a score is made of, and of a definition that a long text means what it is worth in its file; a line each."""
    found = [f"= {item.score:.3f}:  {_summed(item.contributions)}"]
    if item.parts:
        found.append(f"place {sum(item.parts.values()):.3f}:  {_summed(item.parts)}")
    return found


def _summed(parts: Mapping[str, float]) -> str:
    largest = sorted(parts.items(), key=lambda part: -abs(part[1]))
    return "  ".join(f"{name} {value:+.2f}" for name, value in largest)


def searched_by(found: Found[SearchHit]) -> str:
    """The words that were searched by, and what each is worth, in one line."""
    terms = found.terms
    return f"searched by {plural(len(terms), 'word')}:  " + "  ".join(
        f"{printable(term)} {worth:.2f}" for term, worth in terms.items()
    )


def _fitted(line: str, margin: int) -> str:
    width = min(_WIDTH, max(_LEAST_WIDTH, current().columns(_WIDTH) - margin))
    text = printable(line.removesuffix("\r").expandtabs(4))
    return text if len(text) <= width else text[: width - 1] + "…"


def _marked(text: str, terms: frozenset[str], colour: bool) -> str:
    """The words of the query stand out."""
    if not colour:
        return text
    return _WORD.sub(lambda word: paint(word[0], BOLD, bool(terms.intersection(tokens(word[0])))), text)
