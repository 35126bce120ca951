"""The rows of other code: as many of each package, the same for the same packages."""

from pathlib import Path

import numpy as np
import pytest
from training.elsewhere import quantised, rows_of

from tests.trees import write


@pytest.mark.slow
def test_each_package_gives_as_many_rows_and_the_same_ones(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    for number in range(12):
        write(tmp_path / "package", f"part{number}.py", f"def take_lease_{number}(): return {number}\n")

    rows, again = (rows_of(tmp_path / "package", rows=8, fewest=10) for _ in range(2))

    assert rows is not None
    assert again is not None
    assert rows.shape == (8, 128)
    assert np.array_equal(rows, again)
    assert rows_of(tmp_path / "package", rows=8, fewest=1000) is None


def test_whole_numbers_keep_the_direction() -> None:
    rows = np.random.default_rng(1).standard_normal((3, 4, 128)).astype(np.float32)

    found = quantised(rows)

    assert found.dtype == np.int8
    assert np.abs(found).max(axis=-1).tolist() == [[127] * 4] * 3
    likeness = (rows * found).sum(-1) / np.linalg.norm(rows, axis=-1) / np.linalg.norm(found.astype(float), axis=-1)
    assert likeness.min() > 0.9999
