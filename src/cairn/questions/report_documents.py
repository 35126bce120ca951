"""The bodies of reports: what each holds."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NotRequired, TypedDict

from cairn.codebase.inspection import Drift, HealthCheck, Level
from cairn.lifecycle.tracked import Failure
from cairn.questions.fields import filled, plain
from cairn.questions.parameters import Values
from cairn.questions.semantic_documents import job_document, moment

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.codebase.gains import Gains, Sums
    from cairn.codebase.homestores import StoreInfo
    from cairn.semantic.job import Job


class _Progress(TypedDict):
    progress_pct: float
    phase: str
    last_updated: str


class _Counts(TypedDict):
    files: int
    chunks: int
    segments: int
    tombstones: int
    by_lines: int
    commits: int


class _Facts(TypedDict):
    contexts: int
    files: int
    dirty: int
    left_out: int


class _Tree(TypedDict):
    new: int
    changed: int
    deleted: int


class SavedReads(TypedDict):
    """What cached reads have saved."""

    sessions: int
    modes: dict[str, int]
    bytes_saved: int
    tokens_saved: int


class StatusBody(TypedDict):
    """The state of a codebase and of its snapshot; what may be missing is so while a run is under way."""

    state: str
    indexing: _Progress | None
    last_error: Failure | None
    completion_proof: str | None
    message: NotRequired[str]
    created_at: NotRequired[str]
    cause: NotRequired[str]
    counts: NotRequired[_Counts]
    semantic: NotRequired[_Facts]
    skipped: NotRequired[dict[str, int]]
    failed_files: NotRequired[int]
    writing: NotRequired[bool]
    recovered: NotRequired[str]
    read_mode: NotRequired[str]
    tree: NotRequired[_Tree | None]
    engine: NotRequired[str]
    address: NotRequired[str | None]
    kernel: NotRequired[str]
    interrupted_edits: NotRequired[list[str]]
    edit_faults: NotRequired[list[str]]
    reads: NotRequired[SavedReads]


class HealthBody(TypedDict):
    """Everything that was looked at in a store."""

    healthy: bool
    checks: list[HealthCheck]


class AuditBody(TypedDict):
    """Counts of the manifest that differ from the data."""

    drift: list[Drift]


class StoreDocument(TypedDict):
    """One store of the home."""

    store_id: str
    canonical_root: str
    config_fingerprint: str
    created_at: str | None
    last_used_at: str | None
    size_bytes: int
    active_snapshot_id: str | None
    engine: str
    address: str | None
    root_gone: bool
    empty: bool
    outdated: bool


class StoresBody(TypedDict):
    """All stores of the home."""

    stores: list[StoreDocument]


class SumsDocument(TypedDict):
    """Answers, their bytes, and an estimate of those of the files that they name, each read whole once an answer."""

    questions: int
    bytes_delivered: int
    whole_files_bytes: int


class KindDocument(SumsDocument):
    """One kind of question."""

    question: str


class DayDocument(SumsDocument):
    """One day, in UTC."""

    day: str


class GainOfCodebase(SumsDocument):
    """One codebase."""

    root: str
    kinds: list[KindDocument]
    by_day: list[DayDocument]


class GainBody(SumsDocument):
    """What was asked in some days, of each codebase."""

    days: int
    recording: bool
    unreadable_lines: int
    gains: list[GainOfCodebase]


class JobsBody(TypedDict):
    """Refreshes, in the order in which they were asked for."""

    jobs: list[dict[str, Any]]


def status(answer: "Answer[StatusBody]", _values: Values) -> StatusBody:
    """The state of a codebase."""
    return answer.value


def health(answer: "Answer[Sequence[HealthCheck]]", _values: Values) -> HealthBody:
    """Everything that was looked at, and whether all of it is as it should be."""
    return {"healthy": all(check.level is Level.OK for check in answer.value), "checks": plain(answer.value)}


def audit(answer: "Answer[Sequence[Drift]]", _values: Values) -> AuditBody:
    """Counts that differ."""
    return {"drift": plain(answer.value)}


def stores(answer: "Answer[Sequence[StoreInfo]]", _values: Values) -> StoresBody:
    """All stores, with what is kept where."""
    return {"stores": [store_document(store) for store in answer.value]}


def store_document(store: "StoreInfo") -> StoreDocument:
    """One store."""
    return filled(
        StoreDocument,
        store,
        created_at=moment(store.created_at),
        last_used_at=moment(store.last_used_at),
        root_gone=store.root_is_gone,
        empty=store.is_empty,
        outdated=store.is_outdated,
    )


def gain(answer: "Answer[Gains]", _values: Values) -> GainBody:
    """What was asked, by codebase, kind and day."""
    found = answer.value
    return {
        **_sums(found.total),
        "days": found.days,
        "recording": found.recording,
        "unreadable_lines": found.unreadable_lines,
        "gains": [
            {
                "root": each.root,
                **_sums(each.total),
                "kinds": [{"question": name, **_sums(sums)} for name, sums in sorted(each.kinds.items())],
                "by_day": [{"day": day, **_sums(sums)} for day, sums in sorted(each.days.items())],
            }
            for each in found.codebases
        ],
    }


def _sums(sums: "Sums") -> SumsDocument:
    return {
        "questions": sums.questions,
        "bytes_delivered": sums.bytes_delivered,
        "whole_files_bytes": sums.whole_files_bytes,
    }


def jobs(answer: "Answer[Sequence[Job]]", _values: Values) -> JobsBody:
    """Jobs, each whole."""
    return {"jobs": [job_document(job) for job in answer.value]}
