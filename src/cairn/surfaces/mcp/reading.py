"""`read_file` and what belongs to it: files as they are now, and short answers where the model still has the rest."""

from collections.abc import Sequence
from functools import partial
from typing import Any

from cairn.base.errors import UsageError
from cairn.base.ulid import new_ulid
from cairn.base.values import replace
from cairn.questions.asking import Answered
from cairn.questions.code import SYMBOL
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Question
from cairn.questions.read import MOST_LINES, READ, ReadFile
from cairn.readcache.answers import BOUNDARIES, EVENTS, GUARANTEES, ReadRequest
from cairn.readcache.cache import ReadCache
from cairn.readcache.hooks import place_of
from cairn.readcache.meta import DERIVED
from cairn.surfaces.mcp import code_tools
from cairn.surfaces.mcp.arguments import FILE
from cairn.surfaces.mcp.code_tools import head_of, values_of, whole, words_of
from cairn.surfaces.mcp.manyreads import several
from cairn.surfaces.mcp.service import Answer, Service, ToolCall
from cairn.surfaces.mcp.size import BODY

_DEFINITIONS = 5
SYMBOL_NAMED = Parameter("symbol", "string", "instead of lines: a name, owner.name or an id")
FILE_OR_CODEBASE = replace(FILE, required=False, help="the file, also FILE:A-B; with symbol the codebase")
FILES = Parameter("files", "strings", "several, each as path")
NUMBERS = Parameter("numbers", "boolean", "number lines", False)
_SESSION = Parameter("session", "string", "the conversation, from session_open", required=True)
_START, _END, _PARENT, _SEQUENCE = map(READ.parameter, ("start_line", "end_line", "parent", "sequence"))
REFRESH = (_SESSION, FILE, _START, _END, _PARENT)
OPEN = (
    Parameter(
        "guarantee",
        "string",
        "what you tell of the conversation: none; linear: every compaction, clear and rewind; tree: each parent entry",
        default="none",
        choices=GUARANTEES,
    ),
    Parameter("boundary", "string", "what a compaction leaves trusted", default="strict", choices=BOUNDARIES),
    Parameter("name", "string", "your own name of the conversation"),
)
EVENT = (
    _SESSION,
    Parameter("event", "string", "what happened to the conversation", required=True, choices=EVENTS),
    Parameter("entry", "integer", "what it points at: the first kept entry, or the target", least=1, most=MOST_LINES),
    _PARENT,
    _SEQUENCE,
)


def read_file(
    question: Question,
    service: Service,
    call: ToolCall,
    *,
    symbol: str | None = None,
    files: Sequence[str] = (),
    numbers: bool = False,
    **given: Any,
) -> Answer:
    """The tool `read_file`: a file or several, or what changed in them for a session; or a definition by its name."""
    read = partial(_one, question, service, call, numbers)
    if files:
        if any(each is not None for each in (symbol, given["path"], given["start_line"], given["end_line"])):
            raise UsageError("files goes with neither path, lines nor symbol.", hint='Give lines as "a.py:10-40".')
        return several(read, files, given)
    if symbol is not None:
        if given["start_line"] is not None or given["end_line"] is not None:
            raise UsageError("symbol goes with no lines.", hint="Leave one of them out.")
        return code_tools.answer(SYMBOL, service, call, **given, symbol=symbol, limit=_DEFINITIONS, code=True)
    if given["path"] is None:
        raise UsageError("Nothing is named to be read.", hint="Give path, or symbol.")
    return read(given)


def _one(question: Question, service: Service, call: ToolCall, numbers: bool, given: Values) -> Answer:
    path, start, end = _place(call, given["path"], given["start_line"], given["end_line"])
    values = values_of(question, given) | {"start_line": start, "end_line": end}
    code_tools.require(question, values)
    session = values["session"]
    # A file is read as it is: nothing has to be brought up to date for that.
    with service.ready(call, path, sync=False) as ready:
        values["file"] = ready.file()
        answered = Answered(question, values, question.answer(Asked(ready.codebase, ready), values), ready.notes)
        if session is not None and call.cancelled.is_set():
            # Nobody waits for this answer any more, so it was not given.
            ready.codebase.reads.distrust(session)
    document = answered.document(words_of(question, call))
    if given["format"] == "json":
        return whole(document)
    answer, now = answered.answer.value.given, answered.answer.value.now
    if given["format"] == "text":
        return _in_text(head_of(ready, document, call), answered.answer.value, path, end, numbers)
    found = head_of(ready, document, call) | {
        "file": answer.path,
        "mode": answer.mode.value,
        "startLine": answer.start_line,
        "endLine": answer.end_line,
        "totalLines": answer.total_lines,
        "text": answer.text,
    }
    _without_decision(found)
    if now.changed:
        found["changedSince"] = True
    if not now.indexed:
        found["indexed"] = False
    if session is not None:
        found |= {"entry": answer.entry, "readcache": answer.metadata()}
        if answer.plain_because:
            found["plainBecause"] = answer.plain_because
    if answer.truncated:
        found["truncated"] = True
        following = max(answer.end_line, answer.start_line) + 1
        if following <= answer.total_lines:
            rest = {"end_line": end} if end is not None else {}
            found["nextAction"] = {"tool": "read_file", "args": {"path": path, "start_line": following, **rest}}
    return found


def _without_decision(head: Answer) -> None:
    """A file is read as it is: nothing was decided about that, but a commit is always named."""
    if "commit" not in head["freshness"]:
        head.pop("freshness")


def _in_text(head: Answer, read: ReadFile, path: str, end: int | None, numbers: bool) -> Answer:
    """The lines themselves, and one line about them; for what the model has, no more than how it stands."""
    answer, now = read.given, read.now
    _without_decision(head)
    if answer.mode in DERIVED:
        # Whoever is told that a file is as it was knows where it is.
        head.pop("codebaseRoot")
        said = []
    else:
        said = [f"{answer.path} {answer.start_line}-{answer.end_line} of {answer.total_lines} lines"]
        said += [answer.mode.value] * (answer.mode.value != "full")
    said += ["changed since the snapshot"] * now.changed + ["not indexed"] * (not now.indexed)
    following = max(answer.end_line, answer.start_line) + 1
    if answer.truncated and following <= answer.total_lines:
        rest = f", end_line {end}" if end is not None else ""
        said.append(f"cut: go on with read_file path {path}, start_line {following}{rest}")
    if answer.entry is not None:
        said.append(f"entry {answer.entry}")
        said += [f"the content itself, since {answer.plain_because}"] * bool(answer.plain_because)
    text = answer.text if answer.text.endswith("\n") or not answer.text else f"{answer.text}\n"
    if numbers and answer.mode not in DERIVED:
        lines = text.split("\n")[:-1]
        text = "".join(f"{number}\t{line}\n" for number, line in enumerate(lines, answer.start_line))
    return head | {BODY: text + ", ".join(said), "entry": answer.entry}


def read_refresh(
    service: Service,
    call: ToolCall,
    *,
    session: str,
    path: str,
    start_line: int | None,
    end_line: int | None,
    parent: int | None,
) -> Answer:
    """The tool `read_refresh`: have the next read of a file give its content."""
    path, start, end = _place(call, path, start_line, end_line)
    with service.ready(call, path, sync=False) as ready:
        source = ready.codebase.source(ready.file()).source
        said = ready.codebase.reads.refresh(session, source, ReadRequest(start, end, parent=parent))
    return {"status": "ok", "session": said.session, "entry": said.entry, "file": source.path, "scope": said.note}


def session_open(service: Service, _: ToolCall, *, guarantee: str, boundary: str, name: str | None) -> Answer:
    """The tool `session_open`: a session of reads."""
    opened = ReadCache(service.home).open_session(name or new_ulid(), guarantee, boundary)
    return {"status": "ok", "session": opened.session, "guarantee": opened.guarantee, "boundary": opened.boundary}


def session_event(
    service: Service,
    _: ToolCall,
    *,
    session: str,
    event: str,
    entry: int | None,
    parent: int | None,
    sequence: int | None,
) -> Answer:
    """The tool `session_event`: what became of a session's context."""
    cache = ReadCache(service.home)
    said = cache.event(session, event, entry=entry, parent=parent, sequence=sequence, new_session=new_ulid())
    return {"status": "ok", "session": said.session, "entry": said.entry} | ({"note": said.note} if said.note else {})


def _place(call: ToolCall, path: str, start: int | None, end: int | None) -> tuple[str, int | None, int | None]:
    """Lines may stand in the path, where no file has that name."""
    return place_of(path, call.access.path, start, end)
