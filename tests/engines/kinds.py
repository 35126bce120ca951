"""Every engine that is installed here, ready to be chosen by a test."""

from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.engines.servers import Server

OTHERS = ("lancedb", "milvus")
NEEDS = {"flat": (), "lancedb": ("lancedb",), "milvus": ("pymilvus", "milvus_lite")}


def require(engine: str) -> None:
    """Skip where the engine is not installed, and say how it is."""
    if any(find_spec(package) is None for package in NEEDS[engine]):
        pytest.skip(f"{engine} is not installed: make install-engines")


def served(engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server | None]:
    """An engine that may be used in this test, Milvus with a server of its own."""
    require(engine)
    if engine != "milvus":
        yield None
        return
    server = Server(folder / "milvus-server").start()
    monkeypatch.setenv("CAIRN_MILVUS_URI", server.uri)
    yield server
    server.kill()
