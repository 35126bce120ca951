"""Every engine, ready to be chosen by a test."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

import pytest

from cairn.config.user import cairn_home
from tests.engines.servers import Server

OTHERS = ("lancedb", "milvus")
NEEDS = {
    "flat": (),
    "lancedb": ("lancedb",),
    "milvus": ("pymilvus", "milvus_lite"),
    "s3": ("lancedb", "moto"),
    "bucket": ("obstore", "moto"),
}


def require(engine: str) -> None:
    """Skip what `make engines` runs: the tiers take as long with an engine installed as without."""
    if NEEDS[engine] and not os.environ.get("CAIRN_ENGINES"):
        pytest.skip(f"make engines runs it with {engine}")
    if any(find_spec(package) is None for package in NEEDS[engine]):
        pytest.fail(f"{engine} is not installed: make install-engines")


def served(engine: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Server | None]:
    """An engine that may be used in this test, Milvus with a server of its own."""
    require(engine)
    if engine != "milvus":
        yield None
        return
    server = Server(folder / "milvus-server").start()
    monkeypatch.setenv("CAIRN_MILVUS_URI", server.uri)
    config = Path(cairn_home()) / "config.toml"
    if not config.exists():
        # A machine that is busy with other tests may take its time for a connection.
        config.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        config.write_text("[milvus]\ntimeout_s = 30\n")
    yield server
    server.kill()
