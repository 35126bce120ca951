"""How near code comes to a question that it can't answer.

Every question is somewhat like all code, and some are more so than others. Rows of many packages that have nothing to
do with each other tell how near to a question strange code comes; what answers it comes nearer. They belong to the
bundled model: docs/model.md tells which packages they are from, and how to make them anew.
"""

from __future__ import annotations

import hashlib
import io
import os
from functools import cache
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError
from cairn.embed.static import MODEL_NAME

if TYPE_CHECKING:
    import numpy as np

    from cairn.engines import Vectors
else:
    np = lazy.module("numpy")

ROWS_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", f"{MODEL_NAME}-elsewhere.npy")
ROWS_SHA256 = "e393e217ea97ff672f7e3ccd6037cdbc15c60521332aea4663acec3e7941d528"
_SPREADS = 2.0
BEYOND = 0.033
"""One right answer in fifty is less than this beyond what strange code reaches."""


def least_fit(vector: Vectors) -> float:
    """What fits the question of this vector worse is likely no answer: strange code comes as near."""
    return round(reach(vector) + BEYOND, 4)


def reach(vector: Vectors) -> float:
    """How near to a vector strange code comes, but for the package in twenty or so that comes nearest."""
    nearest = (_rows() @ vector.ravel()).max(axis=1)
    return float(nearest.mean() + _SPREADS * nearest.std())


@cache
def _rows() -> Vectors:
    """Packages x rows x dimensions: some rows of each package, of unit length."""
    try:
        with open(ROWS_PATH, "rb") as file:
            data = file.read()
    except OSError as error:
        raise CorruptStoreError(f"The bundled model can't be read: {error.strerror}.", hint=_HINT) from error
    if hashlib.sha256(data).hexdigest() != ROWS_SHA256:
        raise CorruptStoreError("The bundled model's rows of other code are damaged.", hint=_HINT)
    rows: Vectors = np.load(io.BytesIO(data)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=2, keepdims=True)
    return rows


_HINT = "Install Cairn again: pip install --force-reinstall cairn-index"
