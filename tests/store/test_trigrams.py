"""`trigrams.bin`: no file that holds a text is missed, and damage is told."""

import re
import sys
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import CorruptStoreError
from cairn.kernel.grams import buckets_in, folded, grams_of
from cairn.store import Clause
from cairn.store._trigrams import TRIGRAMS_FILE, TrigramsReader, TrigramsWriter
from tests.store.samples import temporary_home

TEXTS = st.lists(st.text("abAB ſé\n", max_size=12), max_size=6)


def written(folder: Path, texts: list[str]) -> TrigramsReader:
    writer = TrigramsWriter(str(folder))
    for text in texts:
        writer.add(grams_of(text.encode()))
    writer.close()
    return TrigramsReader(str(folder), len(texts))


def asked(*texts: str) -> list[Clause]:
    return [(buckets_in(text.encode()),) for text in texts]


@pytest.mark.slow
@given(TEXTS, st.data())
@settings(max_examples=80)
def test_every_file_that_holds_a_text_is_named(texts: list[str], data: st.DataObject) -> None:
    source = data.draw(st.sampled_from([*texts, "a text of none"]))
    start = data.draw(st.integers(0, len(source)))
    part = source[start : start + data.draw(st.integers(0, 8))]
    with temporary_home() as home:
        reader = written(home, texts)
        found = reader.files(asked(part) if buckets_in(part.encode()) else [])
        holding = {number for number, text in enumerate(texts) if folded(part.encode()) in folded(text.encode())}
        assert found is None or holding <= found


def test_files_that_lack_a_trigram_are_not_named(tmp_path: Path) -> None:
    reader = written(tmp_path, ["the walrus", "the otter", "THE WALRUS AND THE OTTER", ""])
    assert reader.files(asked("walrus")) == {0, 2}
    assert reader.files(asked("walrus", "otter")) == {2}
    assert reader.files(asked("the")) == {0, 1, 2}
    assert reader.files(asked("seal")) == set()
    assert reader.files([]) is None


def test_of_alternatives_one_is_enough_and_one_that_asks_for_nothing_holds_everywhere(tmp_path: Path) -> None:
    reader = written(tmp_path, ["the walrus", "the otter", "the seal"])
    walrus, otter = buckets_in(b"walrus"), buckets_in(b"otter")
    assert reader.files([(walrus, otter)]) == {0, 1}
    assert reader.files([(walrus, otter), (otter,)]) == {1}
    assert reader.files([(walrus, ())]) is None
    assert reader.files([(walrus, ()), (otter,)]) == {1}


def test_a_list_that_is_long_beside_what_is_left_takes_nothing_away_wrongly(tmp_path: Path) -> None:
    texts = ["common"] * 1_000 + ["common rare"]
    assert written(tmp_path, texts).files(asked("common rare")) == {1_000}


@pytest.mark.slow
def test_more_files_than_two_bytes_can_count(tmp_path: Path) -> None:
    writer = TrigramsWriter(str(tmp_path))
    empty = grams_of(b"")
    for _ in range(65_600):
        writer.add(empty)
    writer.add(grams_of(b"walrus"))
    writer.close()
    assert TrigramsReader(str(tmp_path), 65_601).files(asked("walrus")) == {65_600}


@pytest.mark.slow
def test_what_equals_an_ascii_letter_without_case_is_folded_into_it() -> None:
    """Else a search that ignores case would miss files; the list of such characters must be whole."""
    letters = re.compile("[a-z]", re.IGNORECASE)
    for number in range(sys.maxunicode + 1):
        character = chr(number)
        if letters.fullmatch(character):
            assert re.fullmatch(folded(character.encode()).decode(), character, re.IGNORECASE)
            assert folded(character.encode()).isalpha()
            assert folded(character.encode()).isascii()
        elif number > 127 and not 0xD800 <= number <= 0xDFFF:
            assert folded(character.encode()) == character.encode()


def test_the_same_texts_make_the_same_bytes(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / name).mkdir()
        written(tmp_path / name, ["walrus", "otter"])
    assert (tmp_path / "a" / TRIGRAMS_FILE).read_bytes() == (tmp_path / "b" / TRIGRAMS_FILE).read_bytes()
    with pytest.raises(FileExistsError):
        TrigramsWriter(str(tmp_path / "a")).close()


def _damaged(data: bytes) -> dict[str, bytes]:
    return {
        "empty": b"",
        "half a header": data[:10],
        "header alone": data[:64],
        "cut short": data[:-1],
        "too long": data + b"\0",
        "other magic": b"X" + data[1:],
        "other version": data[:8] + b"\x07" + data[9:],
        "other files": data[:12] + b"\x07" + data[13:],
        "other buckets": data[:20] + b"\x77" + data[21:],
        "other entries": data[:28] + b"\x77" + data[29:],
        "files beyond reason": data[:12] + b"\xff" * 8 + data[20:],
    }


@pytest.mark.requirement("ROW.1")
@pytest.mark.parametrize("damage", sorted(_damaged(b"\0" * 200)))
def test_a_damaged_file_is_corrupt(tmp_path: Path, damage: str) -> None:
    written(tmp_path, ["walrus"])
    path = tmp_path / TRIGRAMS_FILE
    path.write_bytes(_damaged(path.read_bytes())[damage])
    with pytest.raises(CorruptStoreError, match="trigrams"):
        TrigramsReader(str(tmp_path), 1)


def test_a_missing_file_and_another_number_of_files_are_corrupt(tmp_path: Path) -> None:
    with pytest.raises(CorruptStoreError):
        TrigramsReader(str(tmp_path), 1)
    written(tmp_path, ["walrus"])
    with pytest.raises(CorruptStoreError):
        TrigramsReader(str(tmp_path), 2)
