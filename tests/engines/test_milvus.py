"""Milvus, as the Lite server in a folder and as one at an address."""

import pytest

from cairn.engines import VectorEngine
from tests.engines.conformance import EngineConformance

pytest.importorskip("pymilvus", reason="Milvus is not installed: make install-engines")
pytest.importorskip("milvus_lite", reason="Milvus Lite is not installed: make install-engines")

from cairn.engines.milvus import MilvusEngine
from cairn.engines.settings import MilvusSettings


class TestLite(EngineConformance):
    def make(self, store: str) -> VectorEngine:
        return MilvusEngine(store, MilvusSettings())
