"""The question `past`, which `cairn history` asks: the commits that changed a definition, with its text in each."""

from typing import TYPE_CHECKING, Any, TypedDict

from cairn.base import lazy
from cairn.base.text import plural, printable
from cairn.questions.asking import file_meant, target_meant
from cairn.questions.common import AT, limit_of, name_of
from cairn.questions.fields import filled
from cairn.questions.parameters import Parameter, Values
from cairn.questions.plain_text import Passage, Plain
from cairn.questions.question import Asked, Document, Question
from cairn.questions.tuning import Tuning
from cairn.workspace.pastlines import PastLines

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.codebase.past import Past

_LINES = lazy.expression(r"(?s)(.+):(\d{1,9}-\d{1,9})")
_MOST_COMMITS = 1_000
_SHORT = 12


class _Past(TypedDict):
    path: str
    name: str
    start_line: int
    end_line: int
    text: str
    uncommitted: bool
    changed_since: bool
    head: str | None
    commits: list[PastLines]


def _past(asked: Asked, values: Values) -> Any:
    named = _LINES.fullmatch(values["name"])
    target = f"{file_meant(named[1], asked)}:{named[2]}" if named else target_meant(values["name"], asked)
    codebase = asked.codebase
    return codebase.insight.past(codebase.detector.git, target, values["limit"], values["back"], synced=asked.synced)


def _document(answer: "Answer[Past]", _values: Values) -> _Past:
    return filled(_Past, answer.value, changed_since=answer.value.path in answer.changed)


def plain(document: Document, values: Values) -> Plain:
    """Each commit in a line, and below it what it changed."""
    name = f"  {printable(document['name'])}" if document["name"] else ""
    above = [f"{printable(document['path'])}:{document['start_line']}-{document['end_line']}{name}"]
    above += ["  what it says now is not committed"] * document["uncommitted"]
    found = []
    for each in document["commits"]:
        lead = f"{each['commit'][:_SHORT]} {each['at'][:10]} {printable(each['author'])}: {printable(each['subject'])}"
        place = f"{printable(each['path'])}:{each['start_line']}-{each['end_line']}"
        lines = each["text"].splitlines() if values["code"] else each["diff"].splitlines()
        found.append(Passage("", (lead, f"  {each['change']} {place}", *(f"    {printable(line)}" for line in lines))))
    return Plain(tuple(found), plural(len(found), "commit"), "commits", tuple(above))


PAST = Question(
    "past",
    "the commits that changed a definition, with its text then and now",
    (
        name_of("NAME|FILE:LINES"),
        AT,
        limit_of(20, _MOST_COMMITS),
        Parameter("back", "integer", "among so many commits", 10_000, least=1, most=10_000_000, metavar="N"),
        Parameter("code", "boolean", "the whole text of each, not what differs", default=False),
    ),
    _past,
    _document,
    plain=plain,
    example="cairn history Lease.release",
    commands={"history": ("the commits that changed a definition or lines, with its text then and now", {})},
    found=lambda answer: answer.items,
    tuning=Tuning(names={"name": "symbol"}, sized=True),
)
