"""Values of the protocol from what JSON has, and back: by the fields that their types declare."""

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from types import UnionType
from typing import Any, TypeVar, Union, get_args, get_origin, get_type_hints

from cairn.surfaces.lsp.positions import Position

T = TypeVar("T")
_LARGEST = (1 << 31) - 1
"""The protocol has no larger number; lines and characters have no smaller one than 0."""
_ALWAYS = frozenset(("version",))
"""What is said although it is null."""
_AS_THEY_ARE = frozenset((str, int, float, bool, type(None)))
Reader = Callable[[Any], Any]


class ShapeError(Exception):
    """What was given is not what the protocol says."""


def shaped(kind: type[T], given: object) -> T:
    """A value of a type from JSON; ShapeError for what is none. What the type doesn't know is passed over."""
    kinds: Any = kind
    found: T = _reader(kinds)(given)
    return found


def plain(value: Any) -> Any:
    """A value as JSON has it: a field that is None is left out."""
    own: Any = type(value)
    if own in _AS_THEY_ARE:
        return value
    if (names := _names(own)) is not None:
        return {
            name: plain(each) for field, name in names if (each := getattr(value, field)) is not None or name in _ALWAYS
        }
    if isinstance(value, Mapping):
        return {key: plain(each) for key, each in value.items()}
    return value if isinstance(value, str | int | float) else [plain(each) for each in value]


@cache
def _names(kind: Any) -> tuple[tuple[str, str], ...] | None:
    """The fields of a value, each with its name in the protocol; None for one that has none."""
    fields = getattr(kind, "_fields", None) or getattr(kind, "__match_args__", None)
    return tuple((each, _spelt(each)) for each in fields) if fields else None


def _spelt(field: str) -> str:
    first, *others = field.split("_")
    return first + "".join(map(str.capitalize, others))


@cache
def _reader(kind: Any) -> Reader:
    if kind is Any:
        return lambda given: given
    if kind is Position:
        return _position
    if kind in (str, int, bool):
        return lambda given: _one_of((kind,), given)
    origin, inner = get_origin(kind), get_args(kind)
    if origin in (UnionType, Union):
        others = [each for each in inner if each is not type(None)]
        read = _reader(others[0]) if len(others) == 1 else lambda given: _one_of(tuple(others), given)
        return lambda given: None if given is None else read(given)
    if origin is Mapping or kind is Mapping or origin is dict:
        return lambda given: _one_of((dict,), given)
    if origin is Sequence or (isinstance(origin, type) and issubclass(origin, Sequence)):
        each_of = _reader(inner[0])
        return lambda given: [each_of(each) for each in _one_of((list,), given)]
    return _of_fields(kind)


def _of_fields(kind: type[Any]) -> Reader:
    fields = [(each, _spelt(each), _reader(said)) for each, said in _hints(kind)]
    may_lack = {each for each, said in _hints(kind) if said is Any or type(None) in get_args(said)}

    def read(given: Any) -> Any:
        _one_of((dict,), given)
        found = {}
        for field, name, value in fields:
            if name in given:
                found[field] = value(given[name])
            elif field not in may_lack:
                raise ShapeError(f"{name} is missing")
            else:
                found[field] = None
        return kind(**found)

    return read


def _hints(kind: type[Any]) -> list[tuple[str, Any]]:
    hints = get_type_hints(kind)
    return [(each, hints[each]) for each in kind.__match_args__]


def _position(given: Any) -> Position:
    _one_of((dict,), given)
    line, character = (_one_of((int,), given.get(each)) for each in ("line", "character"))
    if min(line, character) < 0:
        raise ShapeError("a place before the first")
    return Position(line, character)


def _one_of(kinds: tuple[type, ...], given: Any) -> Any:
    if not isinstance(given, kinds) or (isinstance(given, bool) and bool not in kinds):
        raise ShapeError(f"{type(given).__name__} instead of {kinds[0].__name__}")
    if int in kinds and isinstance(given, int) and not -_LARGEST - 1 <= given <= _LARGEST:
        raise ShapeError("a number that is too large")
    return given
