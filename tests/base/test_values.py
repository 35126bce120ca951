"""Values behave as standard dataclasses do, whichever is asked."""

import dataclasses
import pickle
import subprocess
import sys
from typing import Any, Generic, TypeVar

import pytest

from cairn.base import values

T = TypeVar("T")


@values.dataclass(frozen=True, slots=True)
class Frozen:
    name: str
    size: int = 3
    parts: list[str] = values.field(default_factory=list)
    place: int = values.field(default=0, compare=False)


@values.dataclass(slots=True)
class Open:
    name: str
    parts: dict[str, int] = values.field(default_factory=dict)


@values.dataclass(frozen=True, slots=True)
class Checked(Generic[T]):
    item: T

    def __post_init__(self) -> None:
        if self.item is None:
            raise ValueError("nothing")


@values.dataclass(frozen=True)
class Roomy:
    name: str = "a"


class Heir(Frozen):
    """A subclass has a dictionary of its own beside the slots."""


def test_fields_are_taken_by_place_and_by_name_with_their_defaults() -> None:
    value = Frozen("a", place=2)
    assert (value.name, value.size, value.parts, value.place) == ("a", 3, [], 2)
    assert Frozen("a").parts is not Frozen("a").parts
    assert repr(value) == "Frozen(name='a', size=3, parts=[], place=2)"
    assert Roomy().name == "a"


@pytest.mark.parametrize("wrong", [{}, {"name": "a", "other": 1}])
def test_what_does_not_fit_is_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(TypeError, match="argument"):
        Frozen(**wrong)


def test_values_are_equal_by_the_fields_that_compare_and_by_their_class() -> None:
    assert Frozen("a", place=1) == Frozen("a", place=2)
    assert Frozen("a") != Frozen("b")
    assert Roomy("a") != Checked("a")  # type: ignore[comparison-overlap]
    assert Heir("a") != Frozen("a")
    assert hash(Checked((1, 2))) == hash(Checked((1, 2)))
    with pytest.raises(TypeError, match="unhashable"):
        hash(Open("a"))


@pytest.mark.parametrize("value", [Frozen("a"), Roomy(), Heir("a")])
def test_a_frozen_value_stays_as_it_is(value: Any) -> None:
    with pytest.raises(dataclasses.FrozenInstanceError):
        value.name = "b"
    with pytest.raises(dataclasses.FrozenInstanceError):
        del value.name
    assert value.name == "a"


def test_an_open_value_takes_known_fields_alone() -> None:
    value = Open("a")
    value.name = "b"
    assert value == Open("b")
    with pytest.raises(AttributeError):
        value.other = 1  # type: ignore[attr-defined]


def test_what_a_class_checks_is_checked_from_the_first_instance_on() -> None:
    for _ in range(2):
        with pytest.raises(ValueError, match="nothing"):
            Checked(None)


def test_replacing_pickling_and_naming_fields_work_in_both_ways() -> None:
    value = Frozen("a", 4, ["x"], 5)
    for replace in (values.replace, dataclasses.replace):
        changed = replace(value, size=9)
        assert (changed.name, changed.size, changed.parts, changed.place) == ("a", 9, ["x"], 5)
    again = pickle.loads(pickle.dumps(value))
    assert (again, again.place) == (value, 5)
    assert values.as_dict(value) == dataclasses.asdict(value) == {"name": "a", "size": 4, "parts": ["x"], "place": 5}
    told = [(each.name, each.type) for each in dataclasses.fields(Frozen)]
    assert told == [("name", str), ("size", int), ("parts", list[str]), ("place", int)]


def test_declaring_a_value_loads_nothing_else() -> None:
    told = subprocess.run(
        [sys.executable, "-c", "import sys, cairn.config.project; print('dataclasses' in sys.modules)"],
        capture_output=True,
        text=True,
        check=True,
    )
    assert told.stdout.strip() == "False"
