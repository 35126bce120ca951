"""`python -m training.elsewhere FOLDER --out FILE.npy`: rows of other code, beside which an answer is held.

FOLDER holds one folder for each package. Each is indexed as it would be anywhere, and gives as many of its vectors as
every other one: those that a seed and its name choose.
"""

import argparse
import zlib
from pathlib import Path
from tempfile import TemporaryDirectory
from unittest.mock import patch

import numpy as np

from cairn.codebase.codebase import Codebase
from cairn.engines import Vectors
from cairn.indexing.options import SyncOptions

ROWS = 32
FEWEST_ROWS = 150
"""A package of fewer says too little of what code is like."""


def rows_of(tree: Path, rows: int = ROWS, fewest: int = FEWEST_ROWS) -> Vectors | None:
    """Some vectors of a package; None where it has too few."""
    with Codebase(str(tree)) as codebase:
        codebase.index(SyncOptions())
        with codebase.view() as view:
            paths = sorted(path for path, _, _ in view.rows.shows())
            found = [vectors for path in paths if (vectors := view.vectors.of(path)) is not None]
    vectors = np.concatenate(found) if found else np.zeros((0, 0), dtype=np.float32)
    vectors = vectors[np.linalg.norm(vectors, axis=1) > 0] if len(vectors) else vectors
    if len(vectors) < max(fewest, rows):
        return None
    random = np.random.default_rng(zlib.crc32(tree.name.encode()))
    return vectors[np.sort(random.choice(len(vectors), rows, replace=False))]


def quantised(rows: Vectors) -> np.ndarray[tuple[int, ...], np.dtype[np.int8]]:
    """Each row in whole numbers up to 127; only its direction counts."""
    found: np.ndarray[tuple[int, ...], np.dtype[np.int8]] = np.round(
        rows * (127 / np.abs(rows).max(axis=-1, keepdims=True))
    ).astype(np.int8)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training.elsewhere", description=__doc__)
    parser.add_argument("folder", type=Path, help="a folder with one folder for each package")
    parser.add_argument("--out", type=Path, required=True, help="the .npy to write")
    options = parser.parse_args()
    taken = []
    with TemporaryDirectory() as home, patch.dict("os.environ", CAIRN_HOME=home):
        for tree in sorted(each for each in options.folder.iterdir() if each.is_dir()):
            rows = rows_of(tree)
            print(tree.name, "too small" if rows is None else "taken", flush=True)
            taken += [] if rows is None else [rows]
    if not taken:
        parser.exit(1, f"No package in {options.folder} has {FEWEST_ROWS} rows.\n")
    np.save(options.out, quantised(np.stack(taken)))
    print(f"{len(taken)} packages")


if __name__ == "__main__":
    main()
