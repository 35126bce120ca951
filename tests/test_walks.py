"""The walks that docs/architecture.md tells are those that the calls take."""

import re
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest
from bench.rooms import Walk, room_of, walks

PAGE = (Path(__file__).parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
TOLD = PAGE.split("## Two walks\n")[1].split("\n## ")[0]


@pytest.fixture(scope="module")
def walked(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Walk]]:
    """In a process of its own: what other tests left in memory would change the count."""
    work = tmp_path_factory.mktemp("walks")
    with pytest.MonkeyPatch.context() as patch, ProcessPoolExecutor(1, get_context("spawn")) as fresh:
        patch.setenv("CAIRN_HOME", str(work / "home"))
        yield fresh.submit(walks, work).result()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("heading", "command"), [("**A query**", "cairn search"), ("**A changed file**", "cairn index")]
)
def test_the_files_are_passed_in_the_order_that_is_told(heading: str, command: str, walked: dict[str, Walk]) -> None:
    told = TOLD.split(heading)[1].split("\n**A ")[0]
    files = re.findall(r"`([\w/]+\.py)`", told)
    assert len(files) > 20
    passed = walked[command].files
    assert [file for file in files if file not in passed] == []
    assert files == sorted(files, key=passed.index)


@pytest.mark.slow
def test_the_switches_are_those_that_are_told(walked: dict[str, Walk]) -> None:
    """A change by a tenth is one to tell."""
    for name in ("cairn search", "search_codebase"):
        (count,) = re.findall(rf"`{name}` makes (\d+)", " ".join(TOLD.split()))
        assert walked[name].switches.total() == pytest.approx(int(count), rel=0.1)


@pytest.mark.slow
@pytest.mark.parametrize(("name", "most"), [("cairn search", 138), ("search_codebase", 190)])
def test_a_question_passes_half_the_rooms_that_it_used_to(name: str, most: int, walked: dict[str, Walk]) -> None:
    """It was 277 and 376 before the house was built around its questions."""
    assert walked[name].switches.total() <= most


@pytest.mark.parametrize(
    ("file", "room"),
    [("store/live_rows.py", "store"), ("surfaces/cli/text.py", "surfaces.cli"), ("__init__.py", "__init__")],
)
def test_a_file_is_of_one_room(file: str, room: str) -> None:
    assert room_of(file) == room
