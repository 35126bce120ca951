"""Where a store's vectors are is written down, and another address is told as such."""

import json
import os
from pathlib import Path

import pytest

from cairn.base.errors import CorruptStoreError, EngineMovedError
from cairn.engines.places import names_at, place_to_write, places_of, require_here, settle
from tests.notes import command_hint

HERE, THERE = "http://here:1", "http://there:2"


@pytest.fixture
def store(tmp_path: Path) -> str:
    folder = tmp_path / "store"
    folder.mkdir(mode=0o700)
    return str(folder)


def test_a_place_is_drawn_once_and_stays(store: str) -> None:
    assert places_of(store) == ()
    name = place_to_write(store, "milvus", HERE)
    assert place_to_write(store, "milvus", HERE) == name
    assert [(place.engine, place.name, place.address) for place in places_of(store)] == [("milvus", name, HERE)]
    assert os.listdir(store) == ["engine.json"]


def test_whoever_is_second_takes_the_place_of_the_first(store: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A compaction writes beside the holder of the lease."""
    link = os.link
    first: list[str] = []

    def beaten(drawn: str, path: str) -> None:
        monkeypatch.setattr(os, "link", link)
        first.append(place_to_write(store, "milvus", HERE))
        link(drawn, path)

    monkeypatch.setattr(os, "link", beaten)
    assert place_to_write(store, "milvus", HERE) == first[0]
    assert [place.name for place in places_of(store)] == first
    assert os.listdir(store) == ["engine.json"]


def test_nothing_is_written_to_another_address_by_accident(store: str) -> None:
    name = place_to_write(store, "milvus", HERE)
    with pytest.raises(EngineMovedError, match="are at http://here:1; the settings say http://there:2") as caught:
        place_to_write(store, "milvus", THERE)
    assert "cairn index --reindex" in command_hint(caught.value.hint)
    with pytest.raises(EngineMovedError):
        require_here(store, name, "milvus", THERE)
    require_here(store, name, "milvus", HERE)


def test_whoever_begins_anew_settles_elsewhere_and_the_former_place_stays_known(store: str) -> None:
    former = place_to_write(store, "milvus", HERE)
    new = settle(store, "milvus", THERE)
    assert new != former
    assert place_to_write(store, "milvus", THERE) == new
    assert names_at(store, "milvus", HERE) == (former,)
    assert settle(store, "milvus", HERE) == former
    assert [place.name for place in places_of(store)] == [new, former]


def test_the_name_that_an_older_version_wrote_is_at_the_address_of_the_settings(store: str) -> None:
    name = "cairn_" + "0" * 24
    (Path(store) / "engine.json").write_text(json.dumps({"place": name}))
    require_here(store, name, "milvus", HERE)
    assert place_to_write(store, "lancedb", THERE) == name


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"place": "../else"}',
        '{"places": [{"engine": "milvus", "place": "x", "address": ""}]}',
        '{"places": [{"engine": 1, "place": "cairn_000000000000000000000000", "address": ""}]}',
        '{"places": [{"engine": "milvus", "place": "cairn_000000000000000000000000", "address": 1}]}',
        '{"places": 1}',
    ],
)
def test_what_is_no_list_of_places_is_damage(store: str, text: str) -> None:
    (Path(store) / "engine.json").write_text(text)
    with pytest.raises(CorruptStoreError, match=r"engine\.json"):
        places_of(store)
