from pathlib import Path

from bench.__main__ import SECTIONS, Section, measure
from bench.processes import ChildError, MissingError


def test_what_cannot_be_had_is_said_and_stops_nothing(tmp_path: Path) -> None:
    def missing(_: Path, __: bool) -> str:
        raise MissingError("the peer could not be installed")

    def failing(_: Path, __: bool) -> str:
        raise ChildError("cairn ended with 1: broken")

    assert (
        measure(Section("a", "A", missing), tmp_path, write=False) == "Not measured: the peer could not be installed."
    )
    assert "broken" in measure(Section("b", "B", failing), tmp_path, write=False)


def test_a_section_says_when_and_where_it_was_measured(tmp_path: Path) -> None:
    text = measure(Section("a", "A", lambda work, write: f"{work.name} {write}"), tmp_path, write=True)
    assert text.startswith(f"{tmp_path.name} True\n\nMeasured on ")
    assert "cores" in text


def test_sections_have_names_and_titles_of_their_own() -> None:
    assert len({section.name for section in SECTIONS}) == len(SECTIONS)
    assert len({section.title for section in SECTIONS}) == len(SECTIONS)
