"""What is no question in words: the codebases there are, what was done to an index, and what a rename would do."""

from collections.abc import Callable, Iterator
from itertools import groupby
from typing import Any

from cairn.base.text import printable
from cairn.base.values import replace
from cairn.questions.plain_text import Passage, Plain, by_file, few, used
from cairn.surfaces.mcp.arguments import FORMAT
from cairn.surfaces.mcp.size import BODY, Answer, call_of

IN_WORDS = replace(FORMAT, help="text: for reading; compact: the same as JSON", choices=("text", "compact"))
_WORDED = ("ok", "ok_syntactic", "needs_decision", "blocked")
"""What could not be done is told as everywhere."""
_END = ("status", "codebaseRoot", "snapshotId", "freshness", "warnings", "hints", "nextAction", "readMode")
_FILES = 20


def worded(answer: Answer, form: Callable[[Answer], str], wanted: str) -> Answer:
    """The answer as one text, where that is wanted and something was done."""
    if wanted != "text" or answer["status"] not in _WORDED:
        return answer
    return {name: answer[name] for name in _END if name in answer} | {BODY: form(answer)}


def in_words(run: Callable[..., Answer], form: Callable[[Answer], str]) -> Callable[..., Answer]:
    """A tool that answers as one text unless a program asks."""

    def answer(*who: Any, format: str, **given: Any) -> Answer:
        return worded(run(*who, **given), form, format)

    return answer


def codebases(answer: Answer) -> str:
    """One line a codebase, with its state."""
    rows = [f"{printable(each['path'])}  {_state(each)}" for each in answer["codebases"]]
    return "\n".join(rows or ["no codebase is indexed"])


def managed(answer: Answer) -> str:
    """What was done to an index, and how it stands."""
    said = {"status": _state, "sync": _synced, "clear": _cleared, "repair": _repaired}.get(answer["action"], _state)
    rest = [answer[name] for name in ("message", "note") if answer.get(name)]
    return "\n".join([f"{answer['action']} {printable(answer['codebaseRoot'])}: {said(answer)}", *map(str, rest)])


def _state(item: Answer) -> str:
    parts = [item["state"], *_counts(item)]
    if (run := item.get("indexing")) is not None:
        share = "" if run["progressPct"] is None else f"{run['progressPct']:.0f} %"
        parts.append(" ".join(filter(None, (share, run["phase"]))))
    if "codebaseRoot" not in item and item["snapshotId"]:
        parts.append(f"snapshot {item['snapshotId']}")
    if item.get("lastUpdated"):
        parts.append(f"updated {item['lastUpdated']}")
    if (failure := item.get("lastError")) is not None:
        parts.append(f"last run failed: {failure['message']} {failure['hint']}".rstrip())
    return ", ".join(filter(None, parts))


def _synced(answer: Answer) -> str:
    done = f"{answer['indexed']} files indexed, {answer['deleted']} deleted" if answer["published"] else "nothing to do"
    return ", ".join([done, *(f"now {each}" for each in _counts(answer))])


def _cleared(answer: Answer) -> str:
    return "the index is gone" if answer["removed"] else "there was no index"


def _repaired(answer: Answer) -> str:
    if not answer["damage"] and not answer["reindexRequired"]:
        return "no damage"
    done = ", ".join(answer["actions"]) or "nothing done"
    needs = "; it has to be indexed anew" * answer["reindexRequired"]
    return f"damage: {', '.join(answer['damage'])}; {done}{needs}"


def _counts(item: Answer) -> list[str]:
    return [f"{item['files']} files in {item['chunks']} chunks"] if item.get("files") is not None else []


def renamed(answer: Answer) -> str:
    """What was written, or given back."""
    edit = answer["edit"]
    lines = [f"{edit['state']}: {edit['title']}, edit {edit['edit_id']}", *(f"  {printable(p)}" for p in edit["files"])]
    lines += [f"{name}: {few(edit[name], _FILES)}" for name in ("left", "lost") if edit[name]]
    lines += [f"refresh jobs that wait: {few(answer['refreshJobs'], _FILES)}"] if answer.get("refreshJobs") else []
    return "\n".join(lines)


def planned(answer: Answer) -> str:
    """What a rename would change, what is open about it, and what can be chosen."""
    target = answer["target"]
    place = f"{printable(target['path'])}:{target['line']}:{target['column']}"
    found = f"{answer['places']} places in {answer['files']} files"
    above = [f"{answer['status']}: {answer['title']}, {target['kind'] or 'the name'} at {place}: {found}"]
    above += [answer[name] for name in ("message", "hint") if name in answer]
    above += ["proven by syntax alone, without an indexer's facts"] if answer["proof"] == "syntax" else []
    if (scope := answer.get("refresh")) is not None:
        named = few([*scope["files"], *scope["packages"]], _FILES)
        above.append(f"to refresh: {'everything' if scope['full'] else named}")
    if "planId" in answer:
        above.append(f"plan {answer['planId']}, for {answer['expiresInS']} s; nothing is written yet")
    edits = (
        Passage(
            printable(each["path"]),
            (f"  {each['line']}:{each['column']} {target['name']} → {each['newText']}{_by_text(each)}",),
        )
        for each in answer["edits"]
    )
    changes = (Passage("", (line,)) for line in answer["diff"].split("\n")) if "diff" in answer else by_file(edits)
    passages = (*_doubts(answer, target["name"]), *changes, *_mentions(answer, target["name"]))
    return Plain(passages, "", above=tuple(above), below=tuple(_choices(answer))).text()


def _by_text(edit: Answer) -> str:
    return "  (by text alone)" if edit["provenance"] == "text" else ""


def _doubts(answer: Answer, name: str) -> Iterator[Passage]:
    """What is open, below the question that it is about; questions about nothing in particular stand for themselves."""
    asked = {each["code"]: each for each in answer.get("checklist", ())}
    rows = sorted(answer.get("open", ()), key=lambda each: str(each["why"]))
    for why, group in groupby(rows, lambda each: str(each["why"])):
        doubt = asked.pop(why, None)
        lines = tuple(
            f"  {printable(each['path'])}:{each['line']}:{each['column']}  {used(each['text'], name=name)}"
            for each in group
        )
        yield Passage(f"open, {why}: {_question(doubt)}" if doubt else f"open, {why}", lines)
    constructs = sorted(answer.get("constructs", ()), key=lambda each: str(each["why"]))
    for why, group in groupby(constructs, lambda each: str(each["why"])):
        lines = tuple(f"  {printable(each['path'])}:{each['line']}  {used(each['text'], name=name)}" for each in group)
        yield Passage(f"reads names at run time ({why}): may that be {name}? The answer is kept.", lines)
    yield from (Passage("", (f"open, {code}: {_question(doubt)}",)) for code, doubt in asked.items())
    yield from (Passage("", ("fact: " + ", ".join(map(str, each.values())),)) for each in answer.get("facts", ()))


def _question(doubt: Answer) -> str:
    return f"{doubt['question']} (needed: {doubt['needed']}; {doubt['verify']})"


def _mentions(answer: Answer, name: str) -> Iterator[Passage]:
    said = (
        f"  {printable(each['path'])}:{each['line']}  {used(each['text'], name=name)}"
        for each in answer.get("mentions", ())
    )
    # A line that names it twice is one to read.
    yield from (Passage("named in prose, stays unless docs is taken", (line,)) for line in dict.fromkeys(said))


def _choices(answer: Answer) -> Iterator[str]:
    for each in answer.get("candidates", ()):
        before = ", chosen before" if answer.get("offered") == each["choice"] else ""
        yield f"choice {each['choice']}: {each['title']}; {each['places']} places, risk {each['risk']}{before}"
        yield f"  {call_of(each['nextAction'])}"
