"""One tree of errors: every class has a stable code, an exit code, a retryable flag, and a hint that mends it.

A message is one sentence that names the cause.
    CairnError                  internal              70
    ├── UsageError              usage                  2
    │   ├── RootNotFoundError   root_not_found         2
    │   ├── ConfigError         config_invalid         2
    │   ├── PathKeyError        path_invalid           2
    │   └── UnknownAddressError unknown_address        2
    ├── NotIndexedError         not_indexed            3
    ├── RequiresReindexError    requires_reindex       4
    ├── RefusedError            refused                5
    │   ├── RootRefusedError    root_refused           5
    │   ├── OutOfRootError      out_of_root            5
    │   ├── SymlinkLoopError    symlink_loop           5
    │   ├── CollisionError      path_collision         5
    │   ├── IgnoreFileError     ignore_file_invalid    5
    │   ├── UnstableFileError   file_unstable          5   retryable
    │   ├── ContentChangedError content_changed        5
    │   ├── StoreRefusedError   store_refused          5
    │   ├── EngineMissingError  engine_missing         5
    │   ├── EngineDeniedError   engine_denied          5
    │   ├── EngineMovedError    engine_moved           5
    │   └── PublishRefusedError publish_refused        5
    ├── BusyError               busy                  10   retryable
    │   ├── NotReadyError       not_ready             10   retryable
    │   ├── CrowdedError        too_many_requests     10   retryable
    │   ├── GitBusyError        git_busy              10   retryable
    │   ├── TreeMovedError      tree_moved            10   retryable
    │   ├── LeaseLostError      lease_lost            10   retryable
    │   ├── StaleSnapshotError  snapshot_moved        10   retryable
    │   └── UnknownOutcomeError unknown_outcome       10   retryable
    ├── ProbeFailedError        probe_failed          10   retryable
    ├── DeadlineError           timeout               11   retryable
    ├── CancelledError          cancelled             12
    ├── IncompatibleError       incompatible          13
    ├── CorruptStoreError       store_corrupt         14
    │   ├── VectorsLostError     vectors_lost          14
    │   └── RegistryDamagedError registry_damaged      14
    ├── OutOfResourcesError     out_of_resources      15   retryable
    │   └── DiskFullError       disk_full             15   retryable
    ├── InvalidRowError         row_invalid           70
    ├── TransitionError         transition_refused    70
    ├── StorageError            storage_failed        70
    ├── GitError                git_failed            70
    └── OutputError             output_failed         70
"""

from enum import IntEnum
from typing import ClassVar

from cairn.base.steps import Advice, NextStep, WordStep, worded_hint


class ExitCode(IntEnum):
    """What the process exits with; part of the command line's contract."""

    OK = 0
    NOTHING = 1
    USAGE = 2
    NOT_INDEXED = 3
    REQUIRES_REINDEX = 4
    REFUSED = 5
    BUSY = 10
    TIMEOUT = 11
    CANCELLED = 12
    INCOMPATIBLE = 13
    CORRUPT = 14
    RESOURCES = 15
    INTERNAL = 70


class CairnError(Exception):
    """Anything that Cairn reports to its caller on purpose."""

    code: ClassVar[str] = "internal"
    exit_code: ClassVar[ExitCode] = ExitCode.INTERNAL
    retryable: ClassVar[bool] = False
    default_hint: ClassVar[str] = "This is a defect in Cairn: please report it with the command that you ran."

    def __init__(self, message: str, *, hint: str | None = None, retry_after_ms: int | None = None) -> None:
        super().__init__(message)
        self.message, self.retry_after_ms = message, retry_after_ms
        self.hint = self.default_hint if hint is None else hint

    def envelope(self, word: WordStep | None = None) -> dict[str, object]:
        """The JSON form that every surface shows, with the hint in its words; None: the hint as it is."""
        said = {name: getattr(self, name) for name in ("code", "message", "retryable", "retry_after_ms")}
        return {"error": said | {"hint": self.hint if word is None else worded_hint(self.hint, word)}}


class UsageError(CairnError):
    """The request itself is wrong: an argument, a path or a setting."""

    code = "usage"
    exit_code = ExitCode.USAGE
    default_hint: ClassVar[str] = Advice(NextStep("help"), " to see what is understood.")


class RootNotFoundError(UsageError):
    """The given root is no existing folder."""

    code = "root_not_found"
    default_hint = "Give the path of an existing folder."


class ConfigError(UsageError):
    """A settings file holds something that is not allowed."""

    code = "config_invalid"
    default_hint = "Correct the key in .cairn.toml, or remove it to use the default."


class PathKeyError(UsageError):
    """A path that can name no file beneath the root."""

    code = "path_invalid"
    default_hint = "Give a path relative to the root, without '..'."


class UnknownAddressError(UsageError):
    """A request for an address that the daemon's API doesn't have."""

    code = "unknown_address"
    default_hint = "See /openapi.json for what there is."


class NotIndexedError(CairnError):
    """The codebase has no index."""

    code = "not_indexed"
    exit_code = ExitCode.NOT_INDEXED
    default_hint = Advice(NextStep("index_first"), " first.")


class RequiresReindexError(CairnError):
    """The index was made with settings that no longer apply."""

    code = "requires_reindex"
    exit_code = ExitCode.REQUIRES_REINDEX
    default_hint = Advice(NextStep("reindex"), ".")


class RefusedError(CairnError):
    """Cairn won't do it, for safety's sake; nothing was changed."""

    code = "refused"
    exit_code = ExitCode.REFUSED
    default_hint = "Nothing was changed: see docs/errors.md for what is refused and why."


class RootRefusedError(RefusedError):
    """A folder that must not be indexed as a whole, such as `/` or the home folder."""

    code = "root_refused"
    default_hint = "Name a project folder, for example ~/src/project."


class OutOfRootError(RefusedError):
    """A path leads out of the root."""

    code = "out_of_root"
    default_hint = "Only files beneath the root are read; index the folder that holds the file instead."


class SymlinkLoopError(RefusedError):
    """A symbolic link leads back to itself, or through too many others."""

    code = "symlink_loop"
    default_hint = "Remove the link that leads back to itself."


class CollisionError(RefusedError):
    """Two files would have the same path key."""

    code = "path_collision"
    default_hint = 'Rename one of the files, or set case_collisions = "allow" under [index] in .cairn.toml.'


class IgnoreFileError(RefusedError):
    """An ignore file can't be read."""

    code = "ignore_file_invalid"
    default_hint = "The ignore rules decide what is indexed, so nothing is indexed until the file can be read."


class UnstableFileError(RefusedError):
    """A file kept changing while it was read."""

    code = "file_unstable"
    retryable = True
    default_hint = "Wait until the program that writes the file is done, then try again."


class ContentChangedError(RefusedError):
    """A file no longer holds what the caller knows of it; it was left alone."""

    code = "content_changed"
    default_hint = "Make the plan anew, from the files as they are."


class StoreRefusedError(RefusedError):
    """A store can't be used, or not in this way."""

    code = "store_refused"
    default_hint = Advice(NextStep("stores"), " to see which stores there are.")


class EngineMissingError(RefusedError):
    """The package of a vector engine is not installed."""

    code = "engine_missing"
    default_hint = "Install the package of the engine, or choose another one."


class EngineDeniedError(RefusedError):
    """The server of a vector engine rejects our credentials."""

    code = "engine_denied"
    default_hint = "Correct them in the environment."


class EngineMovedError(RefusedError):
    """The vectors are at another address than the settings say."""

    code = "engine_moved"
    default_hint = Advice("Put the address back, or ", NextStep("reindex"), ": it embeds nothing that is in the cache.")


class PublishRefusedError(RefusedError):
    """A snapshot failed a check before it was published."""

    code = "publish_refused"
    default_hint = Advice("The last good snapshot stays. Mend the cause, or ", NextStep("index_degraded"), ".")


class BusyError(CairnError):
    """Somebody else is at work; the same request may succeed in a moment."""

    code = "busy"
    exit_code = ExitCode.BUSY
    retryable = True
    default_hint = "Try again in a moment."


class NotReadyError(BusyError):
    """The codebase is being indexed for the first time, or reindexed."""

    code = "not_ready"
    default_hint = Advice(NextStep("status"), " to see how far it is.")


class CrowdedError(BusyError):
    """One client of the daemon sends too many requests at once."""

    code = "too_many_requests"
    default_hint = "Ask less at once, and again in a moment."


class GitBusyError(BusyError):
    """Another git process holds a lock."""

    code = "git_busy"
    default_hint = "Another git process holds a lock: wait for it, or remove a stale .git/index.lock."


class TreeMovedError(BusyError):
    """The tree changed while it was scanned."""

    code = "tree_moved"
    default_hint = "The tree moves while it is scanned: try again when it has come to rest."


class LeaseLostError(BusyError):
    """Another writer took over the store's lease."""

    code = "lease_lost"
    default_hint = "Another process took over; its snapshot counts. Try again."


class StaleSnapshotError(BusyError):
    """The active snapshot is no longer the one that the work began with."""

    code = "snapshot_moved"
    default_hint = "Try again: it will start from the newer snapshot."


class UnknownOutcomeError(BusyError):
    """A publish may or may not have taken effect."""

    code = "unknown_outcome"
    default_hint = Advice(NextStep("status"), " to see which snapshot is active, then try again.")


class ProbeFailedError(CairnError):
    """A server can't be reached, so nobody knows what it holds."""

    code = "probe_failed"
    exit_code = ExitCode.BUSY
    retryable = True
    default_hint = Advice(
        "Nothing was lost: try again when the server is back. If it is gone for good, name another address or none in "
        "the settings, then ", NextStep("reindex"), "; clearing the index does without it.")  # fmt: skip


class IncompatibleError(CairnError):
    """A store was written in a format that this version doesn't read."""

    code = "incompatible"
    exit_code = ExitCode.INCOMPATIBLE
    default_hint = "Use the version of Cairn that wrote the store, or index again."


class CorruptStoreError(CairnError):
    """A store's files are not what was written."""

    code = "store_corrupt"
    exit_code = ExitCode.CORRUPT
    default_hint = Advice(NextStep("repair"), "; if it says so, ", NextStep("reindex"), ".")


class VectorsLostError(CorruptStoreError):
    """A server no longer holds the vectors that were written to it; words and names are as true as before."""

    code = "vectors_lost"


class RegistryDamagedError(CorruptStoreError):
    """The registry of codebases can't be read."""

    code = "registry_damaged"
    default_hint = Advice(NextStep("index"), ": it sets the file aside, and what is indexed is found again.")


class OutOfResourcesError(CairnError):
    """The machine or a limit of the process leaves no descriptor, memory, thread or disk for the work."""

    code = "out_of_resources"
    exit_code = ExitCode.RESOURCES
    retryable = True
    default_hint = "Free what is short or raise the limit, then try again."


class DiskFullError(OutOfResourcesError):
    """The disk, or the user's share of it, is full."""

    code = "disk_full"
    default_hint = Advice("Free some space, for example ", NextStep("collect"), ", then try again.")


class TransitionError(CairnError):
    """A change of a codebase's state that is not allowed: a defect of the caller."""

    code = "transition_refused"


class InvalidRowError(CairnError):
    """A row breaks the rules of the store: a defect of its writer."""

    code = "row_invalid"


class StorageError(CairnError):
    """The disk or the file system failed."""

    code = "storage_failed"
    default_hint = "Free some space or mend the rights of Cairn's home, then try again."


class OutputError(CairnError):
    """The answer could not be written where it should go."""

    code = "output_failed"
    default_hint = "Free some space or choose another place for the output, then try again."


class DeadlineError(CairnError):
    """The time for the work ran out."""

    code = "timeout"
    exit_code = ExitCode.TIMEOUT
    retryable = True
    default_hint = "Try again when the machine is less busy."


class CancelledError(CairnError):
    """The caller no longer wants the answer."""

    code = "cancelled"
    exit_code = ExitCode.CANCELLED
    default_hint = "Nothing was lost: try again to go on."


class GitError(CairnError):
    """A git command failed."""

    code = "git_failed"
    default_hint = "Run the same git command by hand to see what it says."
