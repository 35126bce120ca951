"""Rows of other code: what strange code reaches differs from question to question."""

from pathlib import Path

import numpy as np
import pytest

from cairn.base.errors import CorruptStoreError
from cairn.embed import elsewhere
from cairn.embed.static import MODEL_DIMENSION, StaticEmbedder


@pytest.mark.requirement("RANK.20")
def test_strange_code_comes_nearer_to_a_question_that_any_code_is_like() -> None:
    usual, rare = StaticEmbedder().embed(
        ["where is an error raised when a value is not found", "how do wombats dig burrows in alpine meadows"]
    )

    assert elsewhere.least_fit(usual) > elsewhere.least_fit(rare)
    assert elsewhere.least_fit(usual) == round(elsewhere.reach(usual) + elsewhere.BEYOND, 4)


def test_reach_leaves_out_the_few_packages_that_come_nearest(monkeypatch: pytest.MonkeyPatch) -> None:
    query = np.zeros(MODEL_DIMENSION, dtype=np.float32)
    query[0] = 1.0
    rows = np.zeros((40, 2, MODEL_DIMENSION), dtype=np.float32)
    rows[:, 0, 1] = rows[:, 1, 2] = 1.0
    rows[0, 1] = query
    monkeypatch.setattr(elsewhere, "_rows", lambda: rows)

    assert 0.0 < elsewhere.reach(query) < 0.5
    assert elsewhere.reach(-query) == 0.0


@pytest.mark.parametrize("damage", ["missing", "flipped"])
def test_damaged_rows_are_told_with_the_step_that_mends_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, damage: str
) -> None:
    data = bytearray(Path(elsewhere.ROWS_PATH).read_bytes())
    data[-1] ^= 1
    if damage == "flipped":
        (tmp_path / "rows.npy").write_bytes(data)
    monkeypatch.setattr(elsewhere, "ROWS_PATH", str(tmp_path / "rows.npy"))
    elsewhere._rows.cache_clear()

    with pytest.raises(CorruptStoreError) as error:
        elsewhere.reach(np.zeros(MODEL_DIMENSION, dtype=np.float32))

    assert "pip install" in str(error.value.hint)
    elsewhere._rows.cache_clear()
