"""Uses, calls, kinship and imports as plain text: one line each, below the file in which it stands."""

import sys
from collections import Counter
from collections.abc import Collection, Iterator

from cairn.base.text import plural, printable
from cairn.questions.parameters import Values
from cairn.questions.plain_text import Passage, Plain, by_file, code, counted, few, heading, lines_of, unsure, used
from cairn.questions.question import Document

_LINES = 5
_FEW = 5
NAME = "name"
"""The tier of a use of which nothing but the name is known."""


def symbols(document: Document, _values: Values) -> Plain:
    """Definitions that bear a name."""
    found = [Passage(heading(each), _with_code(each)) for each in document["results"]]
    return Plain(by_file(found), plural(document["total"], "definition"), "definitions")


def _with_code(item: Document) -> tuple[str, ...]:
    if "code" not in item:
        return (_definition(item),)
    lines = item["code"].split("\n")
    head = f"  {lines_of(item)} {item['kind']} {printable(item['qualified_name'])}"
    return (head, *code(item["start_line"], enumerate(lines), len(lines)))


def references(document: Document, values: Values) -> Plain:
    """Definitions and uses of something."""
    rows = [(heading(each), each["line"], _definition(each)) for each in document["definitions"]]
    # Where some uses are surer, one of which nothing but the name is known is worth its number.
    bare = [each for each in document["results"] if each["tier"] == NAME and len(document["tiers"]) > 1]
    shown = [each for each in document["results"] if each["tier"] != NAME] if bare else document["results"]
    rows += [(heading(each), each["line"], _use(each, document["tiers"])) for each in shown]
    rows += [(path, sys.maxsize, line) for path, line in _by_name(bare)]
    order = {path: at for at, path in reversed([*enumerate(path for path, _, _ in rows)])}
    rows.sort(key=lambda row: (order[row[0]], row[1]))
    total = document["total"]
    only = f" ({values['role']} only)" if values["role"] != "all" else ""
    summary = plural(total, "use") + only + counted(document["tiers"])
    for name in ("unresolved", "elsewhere"):
        summary += f", {document[name]} {name}" if document[name] else ""
    return Plain(tuple(Passage(path, (line,)) for path, _, line in rows), summary, "definitions and uses")


def _definition(item: Document) -> str:
    signature = used(item["signature"] or item["qualified_name"])
    also = f"  also at {few(item['places'], _FEW)}" if item["places"] else ""
    inside = f"  in {printable(item['container'])}" if item["container"] else ""
    return f"  {item['line']} defined  {signature}{inside}{also}"


def _by_name(items: list[Document]) -> Iterator[tuple[str, str]]:
    found: dict[str, list[int]] = {}
    for each in items:
        found.setdefault(heading(each), []).append(each["line"])
    for path, lines in found.items():
        yield path, f"  by name only: {', '.join(map(str, sorted(set(lines))))}"


def _use(item: Document, tiers: Collection[str]) -> str:
    within = f"  in {printable(item['within'])}" if item["within"] else ""
    return f"  {item['line']} {item['role']}  {used(item['text'])}{within}{unsure(item, tiers)}"


def calls(document: Document, _values: Values) -> Plain:
    """Each call by who is found: callers by their file, what is called by its own."""
    nodes = {node["id"]: node for node in document["nodes"]}
    roots, tiers = document["roots"], Counter(edge["tier"] for edge in document["edges"])
    is_one = len({nodes[each]["name"].rpartition(".")[2] for each in roots if each in nodes}) == 1

    def rows() -> Iterator[Passage]:
        for edge in document["edges"]:
            source, target = nodes[edge["source"]], nodes[edge["target"]]
            upwards = document["direction"] == "callers" or source["depth"] < 0
            found, other = (source, target) if upwards else (target, source)
            # Where one name was asked about and this is a step from it, there is nothing to add.
            plain = other["id"] in roots and document["direction"] != "both" and is_one
            how = "" if plain else f"{'calls' if upwards else 'called by'} {printable(other['name'])} "
            lines = ", ".join(map(str, edge["lines"][:_LINES])) + ", ..." * (edge["count"] > _LINES)
            place = lines if upwards else f"{lines} of {printable(source['path'])}"
            text = f"  {found['line']} {printable(found['name'])} {how}at {place}{unsure(edge, tiers)}"
            yield Passage(heading(found), (text,))

    summary = f"{plural(len(document['edges']), 'call')} between {plural(len(nodes), 'definition')}"
    summary += counted(tiers)
    summary += f", {document['unresolved']} unresolved" if document["unresolved"] else ""
    below = tuple(_noted(note) for note in document["notes"])
    return Plain(by_file(rows()), summary, "calls", _asked(document, nodes), below)


def _own(edge: Document, source: Document) -> str:
    """Where a type itself stands, if what derives it is written elsewhere."""
    if edge["path"] != source["path"]:
        return f", defined at {printable(source['path'])}:{source['line']}"
    return f", defined at {source['line']}" if edge["line"] != source["line"] else ""


def hierarchy(document: Document, _values: Values) -> Plain:
    """What is derived from what, each by the file of what is derived."""
    nodes = {node["id"]: node for node in document["nodes"]}
    roots, tiers = document["roots"], Counter(edge["tier"] for edge in document["edges"])

    def rows() -> Iterator[Passage]:
        for edge in document["edges"]:
            source, target = nodes[edge["source"]], nodes[edge["target"]]
            bare = len(roots) == 1 and target["id"] == roots[0] and document["direction"] == "down"
            base = "" if bare else f" {printable(target['name'])}"
            above = f" at {printable(target['path'])}:{target['line']}" if target["depth"] > 0 else ""
            text = f"  {edge['line']} {printable(source['name'])}  {edge['relation']}{base}{above}{_own(edge, source)}"
            yield Passage(heading(edge), (text + unsure(edge, tiers),))
        for each in document["foreign"]:
            yield Passage(heading(each), (f"  {each['line']} {printable(each['text'])}  of no type defined here",))

    summary = plural(len(document["edges"]), "relation") + counted(tiers)
    summary += f", {plural(len(document['foreign']), 'place')} more" if document["foreign"] else ""
    summary += f", {document['unresolved']} unresolved" if document["unresolved"] else ""
    below = tuple(
        f"{printable(nodes[each['id']]['name'])} is derived from {printable(each['name'])}, which nothing here defines"
        for each in document["unknown"]
    )
    return Plain(by_file(rows()), summary, "relations", _asked(document, nodes), below)


def imports(document: Document, _values: Values) -> Plain:
    """What a file imports, and who imports it."""
    outgoing = [
        f"  {each['line']} imports {printable(each['source'])}"
        + (f" -> {few(each['paths'], _FEW)}" if each["paths"] else "  (outside or unknown)")
        + unsure(each)
        for each in document["outgoing"]
    ]
    found = [Passage(heading(document), (line,)) for line in outgoing]
    found += [
        Passage("imported by", (f"  {printable(each['path'])}:{each['line']}{unsure(each)}",))
        for each in document["incoming"]
    ]
    summary = f"{plural(len(outgoing), 'import')}, imported by {plural(len(document['incoming']), 'file')}"
    return Plain(tuple(found), summary, "imports")


def _asked(document: Document, nodes: dict[str, Document]) -> tuple[str, ...]:
    """What the graph began with."""
    shown = [nodes[each] for each in document["roots"] if each in nodes]
    places = [f"{node['name']} ({node['path']}:{node['line']})" for node in shown]
    return (f"of {few(places, _FEW)}",) if places else ()


def _noted(note: Document) -> str:
    place = f"{printable(note['file'])}:{note['start_line']}" if note["start_line"] else printable(note["file"])
    lead = "not resolved, " if note["type"] == "unresolved_call" else ""
    return f"note: {place}: {lead}{printable(note['detail'] or note['type'])}"
