"""The fields of documents: a TypedDict declares them once, values fill them, and JSON schemas are derived from them."""

from collections.abc import Callable, Container, Mapping
from enum import Enum
from types import NoneType
from typing import Any, Generic, TypedDict, TypeVar, cast, get_args, get_origin, get_type_hints, is_typeddict

from cairn.questions.parameters import Schema

R = TypeVar("R")
S = TypeVar("S")
_TYPES = {str: "string", int: "integer", float: "number", bool: "boolean"}


def filled(kind: type[R], source: object, /, **own: Any) -> R:
    """A document of a kind: fields that aren't given, and may not be missing, are those of a value by the same name."""
    declared: Any = kind
    return cast(
        R,
        {
            name: own[name] if name in own else plain(getattr(source, name))
            for name in declared.__annotations__
            if name in own or name in declared.__required_keys__
        },
    )


def plain(value: Any) -> Any:
    """A value as JSON holds it: frozen values are objects of their fields."""
    if (names := getattr(value, "__match_args__", None)) is not None:
        return {name: plain(getattr(value, name)) for name in names}
    if isinstance(value, Enum):
        return value.value
    if isinstance(value, Mapping):
        return {name: plain(each) for name, each in value.items()}
    return [plain(each) for each in value] if isinstance(value, list | tuple) else value


class Both(Generic[R, S]):
    """The kind of a document that holds the fields of two kinds."""


class _ChangedSince(TypedDict):
    changed_since: bool


InFile = Both[R, _ChangedSince]
"""The kind of a frozen value with a path, and whether that file has changed."""


def in_file(value: Any, changed: Container[str]) -> Any:
    """A value with a path, which says whether that file is no longer what the snapshot holds."""
    return {**plain(value), "changed_since": value.path in changed}


def answered_by(function: Callable[..., Any]) -> Any:
    """The kind of document that a function makes; a kind stands for itself."""
    found = getattr(function, "__wrapped__", function)
    return found if is_typeddict(found) else found.__annotations__["return"]


def schema_of(kind: Any) -> Schema:
    """What a kind of document holds, as a JSON schema; nothing of a frozen value's object may be missing."""
    if is_typeddict(kind) or hasattr(kind, "__match_args__"):
        fields = {name: schema_of(each) for name, each in get_type_hints(kind).items()}
        required = getattr(kind, "__required_keys__", fields)
        return {"type": "object", "required": sorted(required), "properties": fields}
    if get_origin(kind) is Both:
        return joined(*map(schema_of, get_args(kind)))
    if kind is Any:
        return {}
    arguments = get_args(kind)
    if not arguments:
        return {"type": "string" if issubclass(kind, Enum) else _TYPES[kind]}
    if get_origin(kind) in (list, tuple):
        return {"type": "array", "items": schema_of(arguments[0])}
    if get_origin(kind) is dict:
        return {"type": "object", "additionalProperties": schema_of(arguments[1])}
    either = [schema_of(each) for each in arguments if each is not NoneType]
    if len(either) == 1 and "type" in either[0]:
        return either[0] | {"type": [either[0]["type"], "null"]}
    return {"anyOf": either}


def joined(first: Schema, second: Schema) -> Schema:
    """A document that holds the fields of both; where the second is one of several kinds, it says so."""
    return {
        "type": "object",
        "required": sorted({*first["required"], *second.get("required", ())}),
        "properties": {**first["properties"], **second.get("properties", {})},
        **({"anyOf": second["anyOf"]} if "anyOf" in second else {}),
    }
