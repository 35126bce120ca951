"""LanceDB in the segment's folder, and at an address."""

import pytest

from cairn.engines import VectorEngine
from tests.engines.conformance import EngineConformance

pytest.importorskip("lancedb", reason="LanceDB is not installed: make install-engines")

from cairn.engines.lance import LanceEngine


class TestLance(EngineConformance):
    def make(self, store: str) -> VectorEngine:
        return LanceEngine()
