"""`read_file` and what belongs to it: files as they are now, and short answers where the model still has the rest."""

import os

from cairn.base.ulid import new_ulid
from cairn.questions.parameters import Parameter
from cairn.readcache.answers import BOUNDARIES, EVENTS, GUARANTEES, ReadRequest
from cairn.readcache.cache import ReadCache
from cairn.readcache.places import place_of
from cairn.surfaces.mcp.service import Answer, Service, ToolCall

_MOST = 1_000_000_000
_PATH = Parameter("path", "string", "the file: absolute, or from the root; FILE:A-B names lines", required=True)
_START = Parameter("start_line", "integer", "the first line, from 1", least=1, most=_MOST)
_END = Parameter("end_line", "integer", "the last line", least=1, most=_MOST)
_SESSION = Parameter("session", "string", "the conversation, from session_open", required=True)
_PARENT = Parameter(
    "parent", "integer", "in a session shaped like a tree: the entry that this stands behind", least=1, most=_MOST
)
_SEQUENCE = Parameter("sequence", "integer", "your own count of reads and events", least=0, most=_MOST)
READ = (
    _PATH,
    _START,
    _END,
    Parameter("max_bytes", "integer", "how much text at most", default=64_000, least=1_000, most=1_000_000),
    Parameter("session", "string", "the conversation, from session_open: 'unchanged' or a diff may be the answer"),
    _PARENT,
    _SEQUENCE,
    Parameter("bypass", "boolean", "the content itself; use it after an edit whose text didn't match", default=False),
)
REFRESH = (_SESSION, _PATH, _START, _END, _PARENT)
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
    Parameter("entry", "integer", "what it points at: the first kept entry, or the target", least=1, most=_MOST),
    _PARENT,
    _SEQUENCE,
)


def read_file(
    service: Service,
    call: ToolCall,
    *,
    path: str,
    start_line: int | None,
    end_line: int | None,
    max_bytes: int,
    session: str | None,
    parent: int | None,
    sequence: int | None,
    bypass: bool,
) -> Answer:
    """The tool `read_file`: a file, or what changed in it for a session."""
    path, start, end = _place(call, path, start_line, end_line)
    # A file is read as it is: nothing has to be brought up to date for that.
    with service.ready(call, path, sync=False) as ready:
        now = ready.codebase.source(ready.file())
        request = ReadRequest(start, end, session, parent, sequence, bypass, max_bytes)
        answer = ready.codebase.reads.read(request, now.source)
        if session is not None and call.cancelled.is_set():
            # Nobody waits for this answer any more, so it was not given.
            ready.codebase.reads.distrust(session)
    found = ready.basis(now.snapshot_id, (), debug=call.debug) | {
        "file": answer.path,
        "mode": answer.mode.value,
        "startLine": answer.start_line,
        "endLine": answer.end_line,
        "totalLines": answer.total_lines,
        "text": answer.text,
    }
    found.pop("freshness")
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
    """Lines may stand in the path, where no argument names them and no file has that name."""
    if start is not None or end is not None or os.path.exists(call.access.path(path)):
        return path, start, end
    return place_of(path)
