"""How the answer to each question looks on a terminal and in a pipe; one without a view of its own is shown as JSON."""

import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from cairn.base import lazy
from cairn.base.values import replace
from cairn.questions.asking import Answered
from cairn.questions.parameters import Values
from cairn.surfaces.cli import lines, reports
from cairn.surfaces.cli.envelope import WARN, footer_of, paint, show_footer, wants_colour
from cairn.surfaces.cli.notes import sentences, spelling
from cairn.surfaces.cli.text import say

# Their modules are loaded with their first use: a search needs no graph.
_VIEWS: Mapping[str, Callable[[Any, Values], Any]] = {
    "symbol": lazy.function("cairn.surfaces.cli.knowledge", "symbols"),
    "refs": lazy.function("cairn.surfaces.cli.knowledge", "references"),
    "outline": lazy.function("cairn.surfaces.cli.knowledge", "outline"),
    "slice": lazy.function("cairn.surfaces.cli.knowledge", "local_slice"),
    "callgraph": lazy.function("cairn.surfaces.cli.relations", "calls"),
    "map": lazy.function("cairn.surfaces.cli.relations", "repo_map"),
    "imports": lazy.function("cairn.surfaces.cli.relations", "imports"),
    "impact": lazy.function("cairn.surfaces.cli.relations", "impact"),
    "contexts": lazy.function("cairn.surfaces.cli.contexts", "contexts"),
}
_REPORTS: Mapping[str, Callable[[dict[str, Any]], Iterable[str]]] = {
    "status": reports.status,
    "health": reports.health,
    "audit": reports.audit,
    "stores": reports.stores,
}


def shown(answered: Answered, form: str) -> None:
    """Print an answer as text, or as a graph."""
    name = answered.question.name
    if name in _REPORTS:
        say("\n".join(_REPORTS[name](answered.document())))
    elif name == "jobs":
        from cairn.surfaces.cli import joblines

        joblines.show(answered.document(), answered.values)
    elif answered.is_several:
        _of_several(answered)
    elif name == "search":
        _found(answered)
    elif name in _VIEWS:
        view = _VIEWS[name](answered.answer, answered.values)
        unsaid = (note for note in answered.all_notes if note.code != view.says)
        view = replace(view, warnings=sentences(unsaid, spelling(answered.question)))
        view.draw(form) if form != "text" else view.print()
    else:
        say(json.dumps(answered.document(), indent=2))


def _found(answered: Answered) -> None:
    answer, values = answered.answer, answered.values
    if values["literal"] or values["regex"]:
        lines.show(answer)
    elif values["budget_tokens"] is not None:
        from cairn.surfaces.cli import budget

        changed = frozenset(("", path) for path in answer.changed)
        budget.show(answer.results, answer.units, changed, values, spelling(answered.question))
        show_footer(footer_of(answer, "result"))
    else:
        from cairn.surfaces.cli import results  # numbers, which lines do without

        results.show(answer, values["query"] or "", explain=values["explain"])
    _warn(answered)


def _of_several(answered: Answered) -> None:
    from cairn.surfaces.cli import several

    show: Mapping[str, Callable[[Any, Values], None]] = {
        "search": several.places,
        "symbol": several.symbols,
        "refs": several.references,
    }
    show[answered.question.name](answered.answer, answered.values)
    _warn(answered)


def _warn(answered: Answered) -> None:
    for sentence in sentences(answered.all_notes, spelling(answered.question)):
        say(paint(f"warning: {sentence}", WARN, wants_colour()), error=True)
