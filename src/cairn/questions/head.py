"""What every answer says of itself, as kinds of documents."""

from typing import Any, NotRequired, TypedDict


class GitDocument(TypedDict):
    """The state of git that a snapshot was made from."""

    head: str | None
    dirty: bool | None
    untracked_included: NotRequired[bool]


class _Freshness(TypedDict):
    synced: bool
    checked: str
    moved: bool | None
    commit: NotRequired[str]
    """The commit that was asked, in place of the tree."""
    remote: NotRequired[str]
    """The remote whose snapshot was asked, in place of an index."""
    remote_commit: NotRequired[str]
    """The commit of that snapshot."""
    laid_over: NotRequired[int]
    """How many files of the work tree stand in the place of those of that snapshot."""
    requests: NotRequired[int]
    """How often the remote was asked for blocks of tables."""
    fetched_bytes: NotRequired[int]
    """How many bytes came of it."""


class _Notice(TypedDict):
    code: str
    lift: NotRequired[dict[str, Any]]


class ErrorFields(TypedDict):
    """Why there is no answer."""

    code: str
    message: str
    hint: str
    retryable: bool
    retry_after_ms: int | None


class ErrorDocument(TypedDict):
    """What is said in place of an answer."""

    error: ErrorFields


class SnapshotFields(TypedDict):
    """The snapshot that an answer rests on."""

    root: str | None
    store_id: str | None
    snapshot_id: str | None
    config_fingerprint: str | None
    ignore_fingerprint: str | None
    git: GitDocument | None
    degraded: bool | None


class _Head(SnapshotFields):
    freshness: _Freshness | None
    warnings: list[str]
    notices: list[_Notice]
    limits_hit: list[str]
    timings_ms: dict[str, float]


class _Part(_Head):
    error: NotRequired[ErrorFields]


class Envelope(_Head):
    """What every answer says of itself; null or empty where no single snapshot answers."""

    schema_version: int
    request_id: str
    within: NotRequired[list[str]]
    """Folders and files that the answer keeps to, where it was asked to."""
    codebases: NotRequired[list[_Part]]
