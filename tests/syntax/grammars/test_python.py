"""Python: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/lease.py"
SAMPLE = '''"""Leases that hold a name for a while."""

from __future__ import annotations

import os
import time as clock
from collections.abc import Iterator
from .errors import LeaseLost

DEFAULT_TTL = 30
_live: dict[str, "Lease"] = {}
type Names = list[str]


# The one that all leases go through.
class Registry:
    """Knows every lease.

    There is one for each process.
    """

    limit: int = 8
    _names = ()

    def __init__(self, root: str) -> None:
        self.root = os.path.abspath(root)

    @property
    def count(self) -> int:
        "How many are held."
        return len(_live)

    @staticmethod
    def _expired(at: float) -> bool:
        return at < clock.monotonic()

    class Entry:
        name = ""


@contextmanager
def hold(
    name: str,
    ttl: int = DEFAULT_TTL,
) -> Iterator[Registry]:
    """Hold a name while a block runs."""

    def renew() -> None:
        touch(name)

    registry = Registry(name)
    try:
        yield registry
    finally:
        registry.release(name)


async def _take_over(name: str) -> None:
    if not await is_stale(name):
        raise LeaseLost(name)


def on_tick(times: list[int]) -> int:
    return sum(map(lambda t: int(t), times))
'''


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "variable DEFAULT_TTL 10-10 +",
        "variable _live 11-11",
        "type Names 12-12 +",
        "class Registry 16-38 +",
        "field Registry.limit 22-22 +",
        "field Registry._names 23-23",
        "method Registry.__init__ 25-26 +",
        "method Registry.count 28-31 +",
        "method Registry._expired 33-35",
        "class Registry.Entry 37-38 +",
        "field Registry.Entry.name 38-38 +",
        "function hold 41-55 +",
        "function hold.renew 48-49",
        "function _take_over 58-60",
        "function on_tick 63-64 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Registry"] == "class Registry"
    assert found["hold"] == "def hold( name: str, ttl: int = DEFAULT_TTL, ) -> Iterator[Registry]"
    assert found["Registry.count"] == "def count(self) -> int"
    assert found["Registry.limit"] == "limit: int = 8"
    assert found["_take_over"] == "async def _take_over(name: str) -> None"
    assert found["Names"] == "type Names = list[str]"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {
        "Registry": "Knows every lease. There is one for each process.",
        "Registry.count": "How many are held.",
        "hold": "Hold a name while a block runs.",
    }
    assert read(PATH, SAMPLE).top_comment == "Leases that hold a name for a while."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("os", 5), ("time", 6), ("collections.abc", 7), (".errors", 8)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("abspath", 26, "Registry.__init__"),
        ("len", 31, "Registry.count"),
        ("monotonic", 35, "Registry._expired"),
        ("touch", 49, "hold.renew"),
        ("Registry", 51, "hold"),
        ("release", 55, "hold"),
        ("is_stale", 59, "_take_over"),
        ("LeaseLost", 60, "_take_over"),
        ("sum", 64, "on_tick"),
        ("map", 64, "on_tick"),
        ("int", 64, "on_tick"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 400) == [(1, 12), (15, 31), (33, 38), (41, 60), (63, 64)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
