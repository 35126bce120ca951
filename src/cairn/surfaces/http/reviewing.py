"""What only the page's view of a change asks for: what to hold it against, and what differs."""

from typing import Any, TypedDict

from cairn.codebase.review import Base, DiffOfFile, Review, base_of, review
from cairn.daemon.syncs import DaemonState
from cairn.questions.fields import filled
from cairn.questions.parameters import Parameter

SCHEMA_VERSION = 1
MOST_FILES = 100
"""Files whose lines one answer holds."""

SINCE = Parameter("since", "string", "what differs from this commit, branch or tag (default: where the branch began)")
UPTO = Parameter("until", "string", "up to this commit, in place of the files as they are now")
LOOKED_AT = Parameter("file", "strings", f"show the lines of these files, at most {MOST_FILES}")
LIMIT = Parameter("limit", "integer", "how many files are named", 3_000, least=1, most=20_000)
CONTEXT = Parameter("context", "integer", "lines around each change", 3, least=0, most=100)
ROWS = Parameter("rows", "integer", "how many lines of each file", 500, least=1, most=20_000)

PARAMETERS = (SINCE, UPTO, LOOKED_AT, LIMIT, CONTEXT, ROWS)


class _Base(TypedDict):
    schema_version: int
    root: str
    head: str
    commit: str
    branch: str | None


class _Hunk(TypedDict):
    old_start: int
    new_start: int
    rows: list[list[str]]


class _File(TypedDict):
    path: str
    former: str
    status: str
    added: int | None
    removed: int | None
    language: str
    hunks: list[_Hunk]
    rows: int
    digest: str
    hidden: str
    changed_since: bool
    mode: str


_Range = TypedDict("_Range", {"since": str, "until": str | None})  # noqa: UP013 -- called as its parameters are


class _Diff(_Range):
    schema_version: int
    root: str
    snapshot_id: str
    total: int
    files: list[_File]


def base(house: DaemonState, root: str) -> _Base:
    """What a branch is held against when nobody says it."""
    with house.pool.using(root) as codebase:
        codebase.require_readable()
        found: Base = base_of(codebase)
        return filled(_Base, found, schema_version=SCHEMA_VERSION, root=codebase.root_path)


def diff(house: DaemonState, given: dict[str, Any]) -> _Diff:
    """The files that differ; with the lines of those that are named, else without any."""
    files = tuple(given.get(LOOKED_AT.name) or ())[:MOST_FILES]
    context, rows = given.get(CONTEXT.name, CONTEXT.default), given.get(ROWS.name, ROWS.default)
    with house.pool.using(given["root"]) as codebase:
        codebase.require_readable()
        found: Review = review(codebase, given.get(SINCE.name), given.get(UPTO.name), files, context, rows)
        shown = [each for each in found.files if not files or each.path in files]
        return filled(
            _Diff,
            found,
            schema_version=SCHEMA_VERSION,
            root=codebase.root_path,
            total=len(found.files),
            files=[_file(each) for each in shown[: given.get(LIMIT.name, LIMIT.default)]],
            **{UPTO.name: found.upto},
        )


def _file(found: DiffOfFile) -> _File:
    hunks = [filled(_Hunk, each, rows=[list(row) for row in each.rows]) for each in found.hunks]
    return filled(_File, found, hunks=hunks)
