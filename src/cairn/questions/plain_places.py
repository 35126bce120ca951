"""What a search found as plain text: places with the lines that say why, or every line that matches."""

from cairn.base.text import plural, printable
from cairn.questions.parameters import Values
from cairn.questions.plain_text import LEFT_OUT, Passage, Plain, by_file, code, heading, lines_of
from cairn.questions.question import Document
from cairn.search.excerpt import excerpt_lines
from cairn.search.query import parse_query

NOTHING = "nothing found"
_FULL = 5
"""How many places are shown with all lines that say why; of the others the first of these lines is enough."""


def found(document: Document, values: Values) -> Plain:
    """Places, best first, or lines in their order."""
    results = document["results"]
    if values["literal"] or values["regex"]:
        return _lines(document) if "files" not in document else _files(document)
    if values["files_only"]:
        rows = [Passage("", (f"{heading(each)}  {lines_of(each)} {_name(each)}".rstrip(),)) for each in results]
        return Plain(tuple(rows), plural(len(rows), "file") if rows else NOTHING, "files")
    terms = frozenset(parse_query(values["query"] or "").terms)
    rows = [Passage(heading(each), _place(each, terms, at < _FULL)) for at, each in enumerate(results)]
    return Plain(tuple(rows), plural(len(rows), "place") if rows else NOTHING, "places")


def _lines(document: Document) -> Plain:
    rows = [Passage(heading(each), (_line(each),)) for each in document["results"]]
    # Of a page, what all pages together have.
    total, files = document.get("of") or (len(rows), len({each["path"] for each in document["results"]}))
    lead = f"{len(rows)} of " if len(rows) < total else ""
    summary = f"{lead}{plural(total, 'line')} in {plural(files, 'file')}" if rows else "no line holds it"
    return Plain(by_file(rows), summary, "lines")


def _files(document: Document) -> Plain:
    rows = [Passage("", (f"{each['count']}\t{heading(each)}",)) for each in document["results"]]
    return Plain(tuple(rows), f"{plural(document['lines'], 'line')} in {plural(document['files'], 'file')}", "files")


def _name(item: Document) -> str:
    return printable(item["symbol"] or "")


def _line(item: Document) -> str:
    text = item["text"]
    if item.get("cut"):
        text = f"{LEFT_OUT}{text}{LEFT_OUT}"
    return f"{item['start_line']}\t{text}"


def _place(item: Document, terms: frozenset[str], full: bool) -> tuple[str, ...]:
    head = f"  {lines_of(item)} {item['kind']} {_name(item)}".rstrip()
    if "form" in item and item["form"] == "signature":
        return (head, *(f"  {line}" for line in item["text"].splitlines()))
    lines = item["text"].rstrip("\n").split("\n")
    shown = [*enumerate(lines)] if "form" in item else excerpt_lines(item["text"], terms, item["symbol"] or "")
    count = max(len(lines), item["end_line"] - item["start_line"] + 1)
    explained = (f"  {item['explain']}",) if "explain" in item else ()
    beside = ", ".join(f"{lines_of(each)} {_name(each)}" for each in item.get("others", ()))
    also = (f"  also {beside}",) if beside else ()
    return (head, *code(item["start_line"], shown if full else shown[:1], count), *also, *explained)
