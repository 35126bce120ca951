"""Which versions of each artifact this program reads and writes.

A format change bumps the writable version and adds a line to docs/format.md; dropping an old one
raises the readable minimum.
"""

from cairn.base.errors import IncompatibleError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Versions:
    """Which versions of an artifact can be read, and which one is written."""

    readable_min: int
    readable_max: int
    writable: int


VERSIONS: dict[str, Versions] = {
    "manifest": Versions(1, 2, 2),
    "index_state": Versions(1, 1, 1),
    "writer_lease": Versions(1, 1, 1),
    "chunk_rows": Versions(7, 7, 7),
    "search_json": Versions(1, 2, 2),
    "graph_json": Versions(1, 2, 2),
    "status_json": Versions(1, 2, 2),
    "health_json": Versions(1, 2, 2),
}


def writable(artifact: str) -> int:
    """The version in which an artifact is written."""
    return VERSIONS[artifact].writable


def is_older(artifact: str, version: object) -> bool:
    """Whether an artifact is of a format that was read once and is no longer."""
    return type(version) is int and 1 <= version < VERSIONS[artifact].readable_min


def require_readable(artifact: str, version: object) -> None:
    """Fail fast on an artifact of another time."""
    known = VERSIONS[artifact]
    if type(version) is int and known.readable_min <= version <= known.readable_max:
        return
    span = f"{known.readable_min} to {known.readable_max}"
    if type(version) is int and version > known.readable_max:
        hint = "Upgrade Cairn: a newer version has written this store."
    else:
        hint = Advice(NextStep("upgrade"), ", or ", NextStep("reindex"), " if it says so.")
    raise IncompatibleError(f"{artifact} has version {version!r}; this Cairn reads {span}.", hint=hint)
