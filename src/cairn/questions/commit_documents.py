"""The body of an answer about the past, and its plain text."""

from typing import TYPE_CHECKING, TypedDict

from cairn.base.text import plural, printable
from cairn.codebase.commits import FoundCommit
from cairn.questions.fields import filled, plain
from cairn.questions.parameters import Values
from cairn.questions.plain_text import Passage, Plain, used
from cairn.questions.question import Document

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.codebase.commits import FoundCommits

_LINE = 160


class _Commits(TypedDict):
    head: str | None
    looked_at: int
    more: bool
    results: list[FoundCommit]


def commits(answer: "Answer[FoundCommits]", _values: Values) -> _Commits:
    """Commits that match, the latest first."""
    return filled(_Commits, answer.value, results=plain(answer.value.items))


def plain_commits(document: Document, _values: Values) -> Plain:
    """Each commit below its head line: what it says and what it changed."""
    rows = [Passage(_head(each), tuple(_matching(each))) for each in document["results"]]
    looked_at = f", {plural(document['looked_at'], 'commit')} looked at"
    return Plain(tuple(rows), plural(len(rows), "commit") + looked_at, "commits", complete=not document["more"])


def _head(commit: Document) -> str:
    return printable(f"{commit['id'][:12]} {commit['at'][:10]} {commit['author']}: {commit['subject']}")


def _matching(commit: Document) -> list[str]:
    found = [f"  {used(each, _LINE)}" for each in commit["message"] if each != commit["subject"]]
    for file in commit["files"]:
        former = f" (was {printable(file['former'])})" if file["former"] != file["path"] else ""
        found.append(f"  {printable(file['path'])}{former}")
        found += [
            f"    {each['line']} {each['sign']} {used(each['text'], _LINE, each['match'])}" for each in file["lines"]
        ]
        left = file["total"] - len(file["lines"])
        found += [f"    ... and {plural(left, 'line')} more"] if left else []
    return found
