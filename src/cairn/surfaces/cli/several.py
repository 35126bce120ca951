"""Answers of several codebases, as text: places by their full paths, then what each codebase answered from."""

import os
from typing import TYPE_CHECKING

from cairn.base.text import plural, printable
from cairn.base.values import replace
from cairn.graph.semantics import SEMANTIC
from cairn.questions.parameters import Values
from cairn.search import parse_query
from cairn.surfaces.cli import budget, knowledge, results
from cairn.surfaces.cli.envelope import age_of, show_footer, taken, wants_colour
from cairn.surfaces.cli.numbers import numbered
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer, AskedCodebase, Found
    from cairn.codebase.several import SeveralDefinitions, SeveralUses
    from cairn.search import SearchHit


def places(answer: "Answer[Found[SearchHit]]", values: Values) -> None:
    """Print what was found, best first."""
    explain = values["explain"]
    if values["budget_tokens"] is not None:
        changed = frozenset((item.root, path) for item in answer.codebases for path in item.changed)
        budget.show(answer.value, changed, values)
    else:
        results.say_nearest(answer)
        terms = frozenset(parse_query(values["query"]).terms)
        for item, source in zip(answer.items, answer.value.sources, strict=True):
            full = replace(item, row=replace(item.row, path_key=f"{source.root}/{item.row.path_key}"))
            changed_here = frozenset(f"{source.root}/{path}" for path in source.changed)
            lines = results.lines_of(full, changed_here, terms, colour=wants_colour(), explain=explain)
            say("\n".join(lines))
        if not answer.items:
            say("nothing found")
        if explain:
            say(results.searched_by(answer.value))
    show_footer(_footer(answer))


def symbols(found: "Answer[SeveralDefinitions]", values: Values) -> None:
    """Print where something is defined."""
    for item in found.items:
        symbol = item.definition.symbol
        since = "  changed since" if item.changed_since else ""
        full = os.path.join(item.root, item.path)
        place = f"{printable(full)}:{symbol.name_line}"
        say(f"{numbered(full, symbol.name_line, symbol.name)}{place}  {printable(symbol.qualified_name)}{since}")
        say(f"    {printable(symbol.signature or symbol.kind)}")
    if not found.items:
        say(f"nothing is called {printable(values['name'])} in these codebases")
    if found.value.otherwise:
        others = ", ".join(f"{printable(name)} ({count})" for name, count in found.value.otherwise.items())
        say(f"written otherwise: {others}")
    having = plural(len({item.root for item in found.items}), "codebase")
    _tell(f"{plural(found.value.total, 'definition')} in {having}", found)


def references(found: "Answer[SeveralUses]", values: Values) -> None:
    """Print where something is used."""
    for root, answer, use in found.items:
        full = os.path.join(root, use.path)
        place = f"{numbered(full, use.line, use.text)}{printable(full)}:{use.line}"
        about = "  dispatch" * use.dispatch + f"  {use.layer}" * (use.layer == SEMANTIC)
        say(f"{place}  {use.tier}{about}  {use.role}{knowledge.since(answer, use.path)}")
        say(f"    {printable(use.text)}")
    if not found.items:
        say(f"nothing that is called {printable(values['name'])} is used")
    having = sum(1 for answer in found.value.answers.values() if answer.value.items)
    _tell(f"{plural(found.value.total, 'use')} in {plural(having, 'codebase')}", found)


def _tell(summary: str, found: "Answer[SeveralDefinitions] | Answer[SeveralUses]") -> None:
    cut = ["cut short: " + ", ".join(found.limits_hit)] if found.limits_hit else []
    able = ((item.root, item.manifest) for item in found.codebases if item.manifest is not None)
    asked = (f"  {printable(root)}  snapshot {manifest.snapshot_id}" for root, manifest in able)
    show_footer("\n".join([" · ".join([summary, *cut]), *asked]))


def _footer(answer: "Answer[Found[SearchHit]]") -> str:
    able = [item for item in answer.codebases if item.manifest is not None]
    parts = [
        plural(len(answer.items), "result"),
        f"{len(able)} of {plural(len(answer.codebases), 'codebase')} answered",
        *(["cut short: " + ", ".join(answer.limits_hit)] if answer.limits_hit else []),
        taken(),
    ]
    return "\n".join([" · ".join(parts), *(f"  {_state(item)}" for item in able)])


def _state(item: "AskedCodebase") -> str:
    if item.manifest is None:
        return printable(item.root)
    state = "just synced" if item.freshness.get("synced") else "not synced"
    if item.changed:
        state += f", {plural(len(item.changed), 'cited file')} changed since"
    if item.manifest.degraded:
        state += ", degraded"
    snapshot = f"snapshot {item.manifest.snapshot_id}, {age_of(item.manifest.created_at)}"
    return f"{printable(item.root)}  {snapshot}, {state}"
