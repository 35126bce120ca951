"""Uses, calls, kinship and imports as plain text: one line each, below the file in which it stands."""

import os
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Any

from cairn.base.text import plural, printable
from cairn.questions.common import FILES
from cairn.questions.parameters import Values
from cairn.questions.plain_text import Passage, Plain, by_file, code, counted, few, heading, lines_of, unsure, used
from cairn.questions.question import Document

_LINES = 5
_FEW = 5
_TOGETHER = 10
"""How many uses one line tells at most: an answer ends between lines."""
NAME = "name"
"""The tier of a use of which nothing but the name is known."""


def symbols(document: Document, _values: Values) -> Plain:
    """Definitions that bear a name."""
    found = [passage for each in document["results"] for passage in _with_code(each)]
    return Plain(by_file(found), plural(document["total"], "definition"), "definitions")


def kept_to(values: Values) -> str:
    """What a count is of where some files were left out on request: none of these is not none at all."""
    return " in the files asked for" * any(values.get(name) for name in FILES)


def _with_code(item: Document) -> Iterator[Passage]:
    """A definition; its code line by line, so that of a long one as much is shown as there is room for."""
    where = heading(item)
    if "code" not in item:
        yield Passage(where, (_definition(item),))
        return
    lines = item["code"].split("\n")
    head = f"  {lines_of(item)} {item['kind']} {printable(item['qualified_name'])}"
    first, *others = code(item["start_line"], enumerate(lines), len(lines))
    yield Passage(where, (head, first))
    path = os.path.join(item.get("root", ""), item["path"])
    for number, line in enumerate(others, item["start_line"] + 1):
        yield Passage(where, (line,), 0, goes_on=(path, number, item["end_line"]))


def references(document: Document, values: Values) -> Plain:
    """Definitions and uses of something."""
    rows = [(heading(each), each["line"], _definition(each), 1) for each in document["definitions"]]
    # Where some uses are surer, one of which nothing but the name is known is worth its number.
    bare = [each for each in document["results"] if each["tier"] == NAME and len(document["tiers"]) > 1]
    shown = [each for each in document["results"] if each["tier"] != NAME] if bare else document["results"]
    rows += [(heading(each[0]), each[0]["line"], _uses(each, document["tiers"]), len(each)) for each in _alike(shown)]
    rows += [(path, sys.maxsize, line, count) for path, line, count in _by_name(bare)]
    order = {path: at for at, (path, *_) in reversed([*enumerate(rows)])}
    rows.sort(key=lambda row: (order[row[0]], row[1]))
    only = f" ({values['role']} only)" if values["role"] != "all" else ""
    summary = plural(document["total"], "use") + only + kept_to(values) + counted(document["tiers"])
    summary += f"; {document['elsewhere']} other places of that name are proven not to be it" * bool(
        document["elsewhere"]
    )
    return Plain(
        tuple(Passage(path, (line,), count) for path, _, line, count in rows),
        summary,
        "definitions and uses",
        complete=document["complete"] and document["total"] == len(document["results"]),
    )


def _definition(item: Document) -> str:
    signature = used(item["signature"] or item["qualified_name"])
    also = f"  also at {few(item['places'], _FEW)}" if item["places"] else ""
    inside = f"  in {printable(item['container'])}" if item["container"] else ""
    return f"  {item['line']} defined  {signature}{inside}{also}"


def _by_name(items: list[Document]) -> Iterator[tuple[str, str, int]]:
    found: dict[str, list[int]] = {}
    for each in items:
        found.setdefault(heading(each), []).append(each["line"])
    for path, lines in found.items():
        yield path, f"  by name only: {', '.join(map(str, sorted(set(lines))))}", len(lines)


def _alike(uses: Iterable[Document]) -> Iterator[Sequence[Document]]:
    """Uses of one kind in one definition, which one line tells."""
    found: dict[tuple[str, ...], list[Document]] = {}
    for each in uses:
        kind = (heading(each), each["role"], each["within"] or "", each["tier"], str(each["dispatch"]))
        found.setdefault(kind, []).append(each)
    for alike in found.values():
        yield from (alike[at : at + _TOGETHER] for at in range(0, len(alike), _TOGETHER))


def _uses(alike: Sequence[Document], tiers: Collection[str]) -> str:
    """The lines of uses that are alike, with the code of the first."""
    first = alike[0]
    within = f"  in {printable(first['within'])}" if first["within"] else ""
    lines = ", ".join(dict.fromkeys(str(each["line"]) for each in alike))
    return f"  {lines} {first['role']}  {used(first['text'], name=first['name'])}{within}{unsure(first, tiers)}"


def calls(document: Document, values: Values) -> Plain:
    """Each call by who is found: callers by their file, what is called by its own; or a way of calls, step by step."""
    nodes = {node["id"]: node for node in document["nodes"]}
    if values["to"] is not None:
        return _way(document, nodes)
    roots, tiers = document["roots"], Counter(edge["tier"] for edge in document["edges"])
    is_one = len({_last(nodes[each]["name"]) for each in roots if each in nodes}) == 1

    def rows() -> Iterator[Passage]:
        for edges in _at_once(document, nodes):
            edge = edges[0]
            source, target = nodes[edge["source"]], nodes[edge["target"]]
            upwards = _is_upwards(document, source)
            found, other = (source, target) if upwards else (target, source)
            # Where one name was asked about and this is a step from it, there is nothing to add.
            plain = other["id"] in roots and document["direction"] != "both" and is_one
            names = (
                few([nodes[each["target"]]["name"] for each in edges], _FEW) if upwards else printable(other["name"])
            )
            how = "" if plain else f"{'calls' if upwards else 'called by'} {names} "
            lines = ", ".join(map(str, edge["lines"][:_LINES])) + ", ..." * (edge["count"] > _LINES)
            place = lines if upwards else f"{lines} of {printable(source['path'])}"
            name = f"{found['line']} {printable(found['name'])}" if found["kind"] != "file" else "top of the file"
            yield Passage(heading(found), (f"  {name} {how}at {place}{unsure(edge, tiers)}",), len(edges))

    summary = f"{plural(len(document['edges']), 'call')} between {plural(len(nodes), 'definition')}{kept_to(values)}"
    summary += counted(tiers)
    summary += _open_calls(document)
    below = [_noted(note) for note in document["notes"] if note["symbol_id"] in (None, *roots)]
    left = len(document["notes"]) - len(below)
    summary += f"; {plural(left, 'note')} on others not shown" * bool(left and not below)
    complete = not document["unresolved"] and not document["warnings"]
    return Plain(by_file(rows()), summary, "calls", _asked(document, nodes), tuple(below), complete)


def _way(document: Document, nodes: dict[str, Document]) -> Plain:
    steps = document["edges"]
    tiers = Counter(edge["tier"] for edge in steps)
    rows = [
        Passage("", (f"  {edge['lines'][0]} calls {_place(nodes[edge['target']])}{unsure(edge, tiers)}",))
        for edge in steps
    ]
    above = (_place(nodes[steps[0]["source"]]),) if steps else ()
    summary = f"{plural(len(steps), 'call')}, the shortest way{counted(tiers)}" if steps else "no way of calls"
    return Plain(tuple(rows), summary, "calls", above)


def _place(node: Document) -> str:
    return f"{printable(node['name'])} ({heading(node)}:{node['line']})"


def _at_once(document: Document, nodes: dict[str, Document]) -> Iterator[list[Document]]:
    """Calls of the same lines, which may reach several things through a base, together: the nearest first."""
    found: dict[tuple[Any, ...], list[Document]] = {}
    for edge in document["edges"]:
        upwards = _is_upwards(document, nodes[edge["source"]])
        key = (edge["source"], *edge["lines"], edge["tier"]) if upwards else (edge["source"], edge["target"])
        found.setdefault(key, []).append(edge)
    for edges in found.values():
        yield sorted(edges, key=lambda edge: abs(nodes[edge["target"]]["depth"]))


def _is_upwards(document: Document, source: Document) -> bool:
    return bool(document["direction"] == "callers" or source["depth"] < 0)


def _open_calls(document: Document) -> str:
    """What the number of calls means of which nothing is known."""
    if not (count := document["unresolved"]):
        return ""
    if document["direction"] == "callees":
        return f"; {plural(count, 'more call')} in them of what nothing here defines or tells apart"
    return f"; {plural(count, 'more call')} of these names, of whose is unknown"


def _last(name: str) -> str:
    return name.rpartition(".")[2]


def hierarchy(document: Document, values: Values) -> Plain:
    """What is derived from what, each by the file of what is derived."""
    nodes = {node["id"]: node for node in document["nodes"]}
    roots, tiers = document["roots"], Counter(edge["tier"] for edge in document["edges"])
    relations = {edge["relation"] for edge in document["edges"]}
    is_in_the_head = len(roots) == 1 and len(relations) == 1 and document["direction"] == "down"
    above = _asked(document, nodes, next(iter(relations)) if is_in_the_head else "of")

    def rows() -> Iterator[Passage]:
        for edges in _of_one(document["edges"]):
            first = edges[0]
            source = nodes[first["source"]]
            bases = [each for each in edges if document["direction"] != "down" or each["target"] not in roots]
            how = (
                f"  {first['relation']} {few([nodes[each['target']]['name'] for each in bases], _FEW)}" if bases else ""
            )
            how = how or f"  {first['relation']}" * (not is_in_the_head)
            text = f"  {first['line']} {printable(source['name'])}{how}{_own(first, source)}{unsure(first, tiers)}"
            yield Passage(heading(first), (text,), len(edges))
        for each in document["foreign"]:
            yield Passage(heading(each), (f"  {each['line']} {printable(each['text'])}  of no type defined here",))

    derived = len({edge["source"] for edge in document["edges"]})
    several = f" of {plural(derived, 'definition')}" * (derived < len(document["edges"]))
    summary = plural(len(document["edges"]), "relation") + several + kept_to(values) + counted(tiers)
    summary += f", {plural(len(document['foreign']), 'place')} more" if document["foreign"] else ""
    summary += f"; {plural(document['unresolved'], 'head')} may name it or another" * bool(document["unresolved"])
    below = tuple(
        f"{printable(nodes[each['id']]['name'])} is derived from {printable(each['name'])}, which nothing here defines"
        for each in document["unknown"]
    )
    complete = not document["unresolved"] and not document["warnings"]
    return Plain(by_file(rows()), summary, "relations", above, below, complete)


def _of_one(edges: Iterable[Document]) -> Iterable[list[Document]]:
    """What is derived in one place in one way from several things."""
    found: dict[tuple[Any, ...], list[Document]] = {}
    for each in edges:
        kind = (each["source"], each["path"], each["line"], each["relation"], each["tier"])
        found.setdefault(kind, []).append(each)
    return found.values()


def _own(edge: Document, source: Document) -> str:
    """Where a type itself stands, if what derives it is written in another file."""
    return f", defined at {printable(source['path'])}:{source['line']}" if edge["path"] != source["path"] else ""


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


def _asked(document: Document, nodes: dict[str, Document], how: str = "of") -> tuple[str, ...]:
    """What the graph began with, and how the rows below stand to it."""
    shown = [nodes[each] for each in document["roots"] if each in nodes]
    places = [f"{node['name']} ({node['path']}:{node['line']})" for node in shown]
    return (f"{how} {few(places, _FEW)}",) if places else ()


def _noted(note: Document) -> str:
    place = f"{printable(note['file'])}:{note['start_line']}" if note["start_line"] else printable(note["file"])
    lead = "not resolved, " if note["type"] == "unresolved_call" else ""
    return f"note: {place}: {lead}{printable(note['detail'] or note['type'])}"
