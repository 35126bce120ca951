"""How the answer to each question looks on a terminal and in a pipe; one without a view of its own is shown as JSON."""

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cairn.base import lazy
from cairn.base.notes import NAMES_LIKE
from cairn.base.steps import worded_hint
from cairn.base.text import human_bytes, plural, printable
from cairn.base.values import replace
from cairn.codebase.answers import NEAREST
from cairn.questions.asking import Answered
from cairn.questions.parameters import Values
from cairn.surfaces.cli import lines
from cairn.surfaces.cli.envelope import WARN, footer_of, paint, show_footer, wants_colour
from cairn.surfaces.cli.here import as_opened
from cairn.surfaces.cli.notes import command, sentences, spelling
from cairn.surfaces.cli.text import say

Report = dict[str, Any]


def status(said: Report) -> Iterator[str]:
    """The state of a codebase, its snapshot, and what to know of them."""
    if said.get("message"):
        yield said["message"]
        return
    counts, semantic = said["counts"], said["semantic"]
    yield printable(said["root"])
    yield f"  snapshot {said['snapshot_id']}, published {said['created_at']} by {said['cause']}"
    yield (
        f"  {plural(counts['files'], 'file')}, {plural(counts['chunks'], 'chunk')}, "
        f"{plural(counts['segments'], 'segment')}"
    )
    if (tree := said["tree"]) is not None:
        since = ", ".join(f"{count:,} {kind}" for kind, count in tree.items() if count)
        yield f"  since then: {since}; the next question brings it up to date" if since else "  the tree is as indexed"
    if counts["by_lines"]:
        cut = plural(counts["by_lines"], "file")
        yield f"  {cut} cut by lines, without symbols: too large, or no grammar could read them"
    yield f"  history of {plural(counts['commits'], 'commit')}" if counts["commits"] else "  no history of commits"
    if semantic["contexts"]:
        dirty = f", {semantic['dirty']:,} dirty: run `cairn refresh`" if semantic["dirty"] else ""
        held = f"{plural(semantic['files'], 'file')} in {plural(semantic['contexts'], 'context')}"
        left_out = f", none of {plural(semantic['left_out'], 'file')} that the tool left out" * bool(
            semantic["left_out"]
        )
        yield f"  semantic facts of {held}{left_out}{dirty}"
    yield f"  read {said['read_mode']}"
    yield from (f"  skipped {count} as {reason}" for reason, count in said["skipped"].items())
    if said["writing"]:
        yield "  another process is writing"
    if said["recovered"]:
        yield f"  warning: {said['recovered']}; run `cairn repair`"
    if said["degraded"]:
        failed = plural(said["failed_files"], "file")
        yield f"  warning: degraded, {failed} could not be brought up to date"
    # A server that is away would keep whoever only looks waiting.
    there = f" at {printable(said['address'])}, which `cairn health` asks" if said["address"] else ""
    yield f"  vectors in {said['engine']}{there}; {said['kernel']} kernel"
    reads = said["reads"]
    if reads["modes"]:
        modes = ", ".join(f"{count:,} {mode}" for mode, count in sorted(reads["modes"].items()))
        saved = f"{human_bytes(reads['bytes_saved'])} (about {plural(reads['tokens_saved'], 'token')})"
        yield f"  cached reads: {modes}; {saved} saved"
    yield from _cautions(said)


def _cautions(said: Report) -> Iterator[str]:
    if (error := said["last_error"]) is not None:
        yield f"  warning: last_index_failed: {printable(error['message'])} {printable(error['hint'])}"
    for each in said["interrupted_edits"]:
        yield f"  warning: the edit {printable(each)} was interrupted: run `cairn rename --recover`"
    yield from (f"  warning: {printable(each)}" for each in said["edit_faults"])
    yield from (f"  note: {printable(note)}" for note in said["warnings"])


def health(said: Report) -> Iterator[str]:
    """Every check, and what mends what it found."""
    for check in said["checks"]:
        action = f"  -> {worded_hint(check['action'], command)}" if check["action"] else ""
        yield f"{check['level']:<8} {check['code']}: {printable(check['message'])}{action}"


def audit(said: Report) -> Iterator[str]:
    """Where the counts differ from the data."""
    for drift in said["drift"]:
        yield f"{drift['code']}: {drift['message']}  -> {worded_hint(drift['action'], command)}"
    if not said["drift"]:
        yield f"snapshot {said['snapshot_id']}: all counts hold"


def stores(said: Report) -> Iterator[str]:
    """All stores, with their size and their last use."""
    for store in said["stores"]:
        at = f" at {printable(store['address'])}" if store["address"] else ""
        vectors = f", vectors in {store['engine']}{at}" if store["engine"] else ""
        root = printable(store["canonical_root"]) or ("(nothing indexed yet)" if store["empty"] else "(unreadable)")
        root += " (gone)" if store["root_gone"] else ""
        root += " (of a former format)" if store["outdated"] else ""
        yield f"{root}  {human_bytes(store['size_bytes'])}, last used {store['last_used_at']}{vectors}"
        yield f"    {printable(store['store_id'])}"
    if not said["stores"]:
        yield "no stores"


def gain(said: Report) -> Iterator[str]:
    """What was asked, and what it weighed, by codebase and day."""
    span = f"the last {said['days']} days" if said["days"] > 1 else "today"
    if said["questions"]:
        yield f"{span}: {_weighed(said)}"
        yield "  (an estimate: every file that an answer names, read whole, once an answer)"
    else:
        yield "nothing was asked " + (f"in {span}" if said["days"] > 1 else span)
    for each in said["gains"]:
        yield f"{printable(each['root'])}  {_weighed(each)}"
        yield "    " + ", ".join(f"{kind['question']} {kind['questions']:,}" for kind in each["kinds"])
        yield from (f"    {day['day']}  {_weighed(day)}" for day in each["by_day"])
    if said["unreadable_lines"]:
        yield f"  note: {said['unreadable_lines']:,} lines of it can't be read and are left out"
    if not said["recording"]:
        yield "  note: answers are not counted: record is false in [gain] of config.toml"


def _weighed(sums: Report) -> str:
    one = "question" if sums["questions"] == 1 else "questions"
    delivered, whole = human_bytes(sums["bytes_delivered"]), human_bytes(sums["whole_files_bytes"])
    return f"{sums['questions']:,} {one}, {delivered} delivered, whole files about {whole}"


# Their modules are loaded with their first use: a search needs no graph.
_VIEWS: Mapping[str, Callable[[Any, Values], Any]] = {
    "symbol": lazy.function("cairn.surfaces.cli.knowledge", "symbols"),
    "refs": lazy.function("cairn.surfaces.cli.knowledge", "references"),
    "outline": lazy.function("cairn.surfaces.cli.knowledge", "outline"),
    "slice": lazy.function("cairn.surfaces.cli.knowledge", "local_slice"),
    "callgraph": lazy.function("cairn.surfaces.cli.relations", "calls"),
    "hierarchy": lazy.function("cairn.surfaces.cli.relations", "hierarchy"),
    "cycles": lazy.function("cairn.surfaces.cli.relations", "cycles"),
    "map": lazy.function("cairn.surfaces.cli.relations", "repo_map"),
    "imports": lazy.function("cairn.surfaces.cli.relations", "imports"),
    "impact": lazy.function("cairn.surfaces.cli.changes", "impact"),
    "tests": lazy.function("cairn.surfaces.cli.changes", "tests"),
    "unused": lazy.function("cairn.surfaces.cli.changes", "unused"),
    "past": lazy.function("cairn.surfaces.cli.relations", "past"),
    "contexts": lazy.function("cairn.surfaces.cli.knowledge", "contexts"),
}
_REPORTS: Mapping[str, Callable[[dict[str, Any]], Iterable[str]]] = {
    "status": status,
    "health": health,
    "audit": audit,
    "stores": stores,
    "gain": gain,
}


def shown(answered: Answered, form: str) -> None:
    """Print an answer as text, or as a graph."""
    name = answered.question.name
    if name in _REPORTS:
        say("\n".join(_REPORTS[name](answered.document(spelling(answered.question)))))
    elif name == "jobs":
        from cairn.surfaces.cli import joblines

        joblines.show(answered.document(spelling(answered.question)), answered.values)
    elif answered.is_several:
        _of_several(answered)
    elif name == "search":
        _found(answered, form)
    elif name in _VIEWS:
        view = _VIEWS[name](answered.answer, answered.values)
        from cairn.surfaces.cli.knowledge import WHY_NOTHING

        beside = [note for note in answered.all_notes if note.code not in WHY_NOTHING or form != "text"]
        view = replace(view, warnings=sentences(beside, spelling(answered.question)))
        view.form(form) if form != "text" else view.print()
    elif answered.question.plain is not None:
        document = answered.document(spelling(answered.question))
        say(answered.question.plain(document, answered.values).text())
        _warn(answered)
    else:
        say(json.dumps(answered.document(spelling(answered.question)), indent=2))


def _found(answered: Answered, form: str) -> None:
    answer, values = answered.answer, answered.values
    if form == "quiet":
        return
    of_lines = values["literal"] or values["regex"]
    if of_lines and values["files_only"]:
        lines.show_files(answer, counted=form == "count")
    elif values["files_only"] or values["count_only"]:
        assert answered.question.plain is not None
        document = as_opened(answered.document(spelling(answered.question)))
        say(answered.question.plain(document, values).text())
    elif of_lines:
        if form == "json_lines":
            lines.show_messages(answer)
        elif form == "only_matching":
            lines.show_matches(answer)
        else:
            heading = {"heading": True, "no_heading": False}.get(form)
            lines.show(answer, explain=bool(values["explain"]), heading=heading, as_they_are=values["whole"])
    elif values["budget_tokens"] is not None:
        from cairn.surfaces.cli import budget

        changed = frozenset(("", path) for path in answer.changed)
        budget.show(answer.value, changed, values)
        show_footer(footer_of(answer, "result"))
    else:
        from cairn.surfaces.cli import results  # numbers, which lines do without

        results.show(answer, values["query"] or "", explain=values["explain"])
        _warn(answered, NEAREST, NAMES_LIKE)
        return
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


def _warn(answered: Answered, *said: str) -> None:
    """What to know of an answer; `said` are the codes of what it has told itself."""
    notes = (note for note in answered.all_notes if note.code not in said)
    for sentence in sentences(notes, spelling(answered.question)):
        say(paint(f"warning: {sentence}", WARN, wants_colour()), error=True)
