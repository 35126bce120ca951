"""What a search found as plain text: places with the lines that say why, or every line that matches."""

from cairn.base.text import plural, printable
from cairn.questions.parameters import Values
from cairn.questions.plain_text import LEFT_OUT, Passage, Plain, by_file, code, heading, lines_of
from cairn.questions.question import Document
from cairn.search.excerpt import excerpt_lines
from cairn.search.query import parse_query

_FULL = 5
"""How many places are shown with all lines that say why; of the others the first of these lines is enough."""


def found(document: Document, values: Values) -> Plain:
    """Places, best first, or lines in their order."""
    results = document["results"]
    if values["literal"] or values["regex"]:
        return _lines(results)
    terms = frozenset(parse_query(values["query"] or "").terms)
    rows = [Passage(heading(each), _place(each, terms, at < _FULL)) for at, each in enumerate(results)]
    return Plain(tuple(rows), plural(len(rows), "place") if rows else "nothing found", "places")


def _lines(results: list[Document]) -> Plain:
    rows = [Passage(heading(each), (_line(each),)) for each in results]
    files = len({each["path"] for each in results})
    summary = f"{plural(len(rows), 'line')} in {plural(files, 'file')}" if rows else "no line holds it"
    return Plain(by_file(rows), summary, "lines")


def _line(item: Document) -> str:
    text = item["text"]
    if item.get("cut"):
        text = f"{LEFT_OUT}{text}{LEFT_OUT}"
    return f"{item['start_line']}\t{text}"


def _place(item: Document, terms: frozenset[str], full: bool) -> tuple[str, ...]:
    name = f" {printable(item['symbol'])}" if item["symbol"] else ""
    head = f"  {lines_of(item)} {item['kind']}{name}"
    if "form" in item and item["form"] == "signature":
        return (head, *(f"  {line}" for line in item["text"].splitlines()))
    lines = item["text"].rstrip("\n").split("\n")
    shown = [*enumerate(lines)] if "form" in item else excerpt_lines(item["text"], terms, item["symbol"] or "")
    count = max(len(lines), item["end_line"] - item["start_line"] + 1)
    explained = (f"  {item['explain']}",) if "explain" in item else ()
    return (head, *code(item["start_line"], shown if full else shown[:1], count), *explained)
