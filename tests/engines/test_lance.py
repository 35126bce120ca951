"""LanceDB in the segment's folder, and at an address."""

import os
from pathlib import Path

import numpy as np
import pytest

from cairn.engines import FlatEngine, VectorEngine
from cairn.errors import CorruptStoreError, ProbeFailedError
from tests.engines.conformance import DIMENSION, EngineConformance, unit_vectors

pytest.importorskip("lancedb", reason="LanceDB is not installed: make install-engines")

from cairn.engines import lance
from cairn.engines.lance import LanceEngine
from cairn.engines.lance_remote import RemoteLanceEngine


class TestLance(EngineConformance):
    def make(self, store: str) -> VectorEngine:
        return LanceEngine()
