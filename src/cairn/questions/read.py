"""The question `read`: a file as it is now, or what changed in it for a conversation that has the rest."""

from typing import TYPE_CHECKING, Any, TypedDict

from cairn.base.errors import UsageError
from cairn.base.notes import Lift, Note
from cairn.base.values import dataclass
from cairn.questions.asking import file_meant
from cairn.questions.common import AT
from cairn.questions.fields import filled
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Question
from cairn.questions.tuning import Tuning

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.readcache.answers import ReadAnswer, SourceState

MOST_LINES = 10**9 - 1
"""No file has more lines, and no conversation more entries."""


@dataclass(frozen=True, slots=True)
class ReadFile:
    """What is given of a file, and how that stands to the snapshot."""

    given: "ReadAnswer"
    now: "SourceState"


class _Read(TypedDict):
    path: str
    mode: str
    text: str
    total_lines: int
    start_line: int
    end_line: int
    truncated: bool
    file_hash: str
    indexed: bool
    changed_since: bool
    entry: int | None
    readcache: dict[str, Any] | None
    plain_because: str | None


def _read(asked: Asked, values: Values) -> "Answer[ReadFile]":
    from cairn.codebase.bodies import Answer
    from cairn.readcache.answers import ReadRequest
    from cairn.readcache.hooks import place_of

    path, start, end = place_of(values["file"], asked.host.at, values["start_line"], values["end_line"])
    session, reads = values["session"], asked.codebase.reads
    request = ReadRequest(
        start, end, session, values["parent"], values["sequence"], values["bypass"], values["max_bytes"]
    )
    now = asked.codebase.source(file_meant(path, asked))
    given = reads.read(request, now.source)
    freshness = {"synced": False, "checked": "cited_files", "moved": now.changed}
    changed = frozenset({given.path} if now.changed else ())
    return Answer(
        ReadFile(given, now),
        now.snapshot,
        cited=(given.path,),
        changed=changed,
        freshness=freshness,
        notes=_notes(given, values["max_bytes"]),
        limits_hit=("max_bytes",) * given.truncated,
    )


def _notes(given: "ReadAnswer", limit: int) -> tuple[Note, ...]:
    """Says where the text was cut: behind a line, or within the one that is next."""
    if not given.truncated:
        return ()
    said = {
        "limit": limit,
        "full_bytes": given.full_bytes,
        "line": given.end_line,
        "within": given.end_line < given.start_line,
    }
    return (Note("read_cut", said, Lift("max_bytes", given.full_bytes)),)


def _document(answer: "Answer[ReadFile]", _values: Values) -> _Read:
    given, now = answer.value.given, answer.value.now
    return filled(
        _Read,
        given,
        indexed=now.indexed,
        changed_since=now.changed,
        readcache=given.metadata(),
        plain_because=given.plain_because or None,
    )


def _require(values: Values, spell: Any) -> None:
    if values["at"] is not None and values["session"] is not None:
        raise UsageError(
            f"{spell('at')} doesn't go with {spell('session')}.", hint="A session is about files as they are."
        )


READ = Question(
    "read",
    "a file or some of its lines; with a session, only what changed",
    (
        Parameter(
            "file",
            "string",
            "a file as it is now, and lines of it",
            required=True,
            flag=None,
            metavar="FILE[:A-B]",
            is_path=True,
        ),
        AT,
        Parameter("start_line", "integer", "the first line, from 1", least=1, most=MOST_LINES, metavar="LINE"),
        Parameter("end_line", "integer", "the last line", least=1, most=MOST_LINES, metavar="LINE"),
        Parameter("max_bytes", "integer", "how much text at most", 1_000_000, least=1, most=100_000_000, metavar="N"),
        Parameter(
            "session",
            "string",
            "the conversation that it is for: 'unchanged' or a diff may be the answer",
            metavar="ID",
            http=None,
        ),
        Parameter(
            "parent",
            "integer",
            "in a session shaped like a tree: the entry that this stands behind",
            least=1,
            most=MOST_LINES,
            metavar="ENTRY",
            http=None,
        ),
        Parameter(
            "sequence",
            "integer",
            "your own count of reads and events",
            least=0,
            most=MOST_LINES,
            metavar="N",
            http=None,
        ),
        Parameter(
            "bypass", "boolean", "the content itself; use it after an edit whose text didn't match", False, http=None
        ),
    ),
    _read,
    _document,
    example="cairn read src/lease.py:10-40 --session ID --json",
    subject="file",
    syncs=False,
    require=_require,
    tool="read_file",
    tool_text="Lines of files, or the code of a symbol by its name.",
    tuning=Tuning(bounds={"max_bytes": {"default": 64_000, "least": 1_000, "most": 1_000_000}}),
)
