"""What a search found as plain text: places with the lines that say why, or every line that matches."""

from cairn.base.text import plural, printable
from cairn.questions.parameters import Values
from cairn.questions.plain_text import LEFT_OUT, Passage, Plain, by_file, code, heading, lines_of, used
from cairn.questions.question import Document
from cairn.search.excerpt import excerpt_lines
from cairn.search.query import parse_query

NOTHING = "nothing found"
WITH_CODE = "with_code"
"""In a document: how many places are shown with the lines that say why, where a budget decides that."""
_WITH_CODE, _WITH_CODE_IN_A_BUDGET = 1, 5
_HEAD = 120


def found(document: Document, values: Values) -> Plain:
    """Places, best first, or lines in their order."""
    results = document["results"]
    if values["literal"] or values["regex"]:
        return _lines(document) if "files" not in document else _files(document)
    if values["files_only"]:
        rows = [Passage("", (f"{heading(each)}  {lines_of(each)} {_name(each)}".rstrip(),)) for each in results]
        return Plain(tuple(rows), plural(len(rows), "file") if rows else NOTHING, "files")
    terms = frozenset(parse_query(values["query"] or "").terms)
    full = document.get(WITH_CODE, _WITH_CODE_IN_A_BUDGET if "budget" in document else _WITH_CODE)
    rows = [Passage(heading(each), _place(each, terms, at < full)) for at, each in enumerate(results)]
    return Plain(tuple(rows), plural(len(rows), "place") if rows else NOTHING, "places")


def _lines(document: Document) -> Plain:
    results = document["results"]
    rows = [Passage(heading(each), (_line(each, last),)) for last, each in zip((None, *results), results, strict=False)]
    # Of a page, what all pages together have.
    total, files = document.get("of") or (len(rows), len({each["path"] for each in results}))
    lead = f"{len(rows)} of " if len(rows) < total else ""
    summary = f"{lead}{plural(total, 'line')} in {plural(files, 'file')}" if rows else "no line holds it"
    return Plain(by_file(rows), summary, "lines")


def _files(document: Document) -> Plain:
    rows = [Passage("", (f"{each['count']}\t{heading(each)}",)) for each in document["results"]]
    return Plain(tuple(rows), f"{plural(document['lines'], 'line')} in {plural(document['files'], 'file')}", "files")


def _name(item: Document) -> str:
    return printable(item["symbol"] or "")


def _line(item: Document, last: Document | None) -> str:
    """The line as it is, behind its number and what it stands in, where neither it nor the line above says so."""
    text = item["text"]
    if item.get("cut"):
        text = f"{LEFT_OUT}{text}{LEFT_OUT}"
    name = _name(item)
    is_repeated = last is not None and (last["path"], last["symbol"]) == (item["path"], item["symbol"])
    within = f" in {name}" if name and not is_repeated and name.rpartition(".")[2] not in text else ""
    return f"{item['start_line']}{within}\t{text}"


def _place(item: Document, terms: frozenset[str], full: bool) -> tuple[str, ...]:
    head = f"  {lines_of(item)} {item['kind']} {_name(item)}".rstrip()
    if "form" in item and item["form"] == "signature":
        return (head, *(f"  {line}" for line in item["text"].splitlines()))
    lines = item["text"].rstrip("\n").split("\n")
    shown = [*enumerate(lines)] if "form" in item else excerpt_lines(item["text"], terms, item["symbol"] or "")
    count = max(len(lines), item["end_line"] - item["start_line"] + 1)
    beside = ", ".join(f"{lines_of(each)} {_name(each)}" for each in item.get("others", ()))
    also = (f"  also {beside}",) if beside else ()
    explained = tuple(f"  {item[name]}" for name in ("explain", "explain_place") if name in item)
    if not full:
        return (_brief(item, head, shown[0][1] if shown else ""), *also, *explained)
    return (head, *code(item["start_line"], shown, count), *also, *explained)


def _brief(item: Document, head: str, line: str) -> str:
    """A place in one line: what it is, by the code itself where that has its name."""
    owner, _, name = _name(item).rpartition(".")
    said = used(line, _HEAD)
    if not said or name not in said:
        return head
    return f"  {lines_of(item)} {said}" + f"  in {owner}" * bool(owner and owner not in said)
