"""The arguments of tools: one table gives the schema that clients see and the check that calls pass.

Schemas are flat objects of plain types: no references, no unions, nothing that some client can't read.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from cairn.base.errors import UsageError
from cairn.base.values import dataclass

Kind = Literal["string", "integer", "boolean", "strings"]
_MAX_TEXT = 10_000
_MAX_ITEMS = 100
_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Argument:
    """One argument; `default` None means that the tool decides."""

    name: str
    kind: Kind
    text: str
    required: bool = False
    default: Any = None
    choices: tuple[str, ...] = ()
    least: int | None = None
    most: int | None = None

    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = {"type": "array" if self.kind == "strings" else self.kind, "description": self.text}
        if self.kind == "strings":
            found["items"] = {"type": "string"}
        if self.choices:
            found["enum"] = list(self.choices)
        bounds = {"minimum": self.least, "maximum": self.most, "default": self.default}
        return found | {name: value for name, value in bounds.items() if value is not None}

    def allowed(self) -> str:
        """What may be given, in words."""
        if self.choices:
            return "one of " + ", ".join(self.choices)
        if self.kind == "integer":
            return f"a whole number from {self.least} to {self.most}"
        if self.kind == "strings":
            return f"a list of at most {_MAX_ITEMS} texts"
        return "true or false" if self.kind == "boolean" else f"a text of at most {_MAX_TEXT} characters"

    def accepts(self, value: object) -> bool:
        if self.kind == "strings":
            return isinstance(value, list) and len(value) <= _MAX_ITEMS and all(map(_is_text, value))
        if self.kind == "string":
            return _is_text(value) and (not self.choices or value in self.choices)
        if self.kind == "boolean":
            return isinstance(value, bool)
        if not isinstance(value, int) or isinstance(value, bool):
            return False
        return self.least is None or self.most is None or self.least <= value <= self.most


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT and "\0" not in value


def schema_of(arguments: Sequence[Argument]) -> dict[str, Any]:
    return {
        "type": "object",
        "properties": {argument.name: argument.schema() for argument in arguments},
        "required": [argument.name for argument in arguments if argument.required],
        "additionalProperties": False,
    }


def checked(arguments: Sequence[Argument], given: Mapping[str, Any]) -> dict[str, Any]:
    """What was given, with defaults; UsageError that says what is allowed."""
    known = {argument.name: argument for argument in arguments}
    unknown = sorted(set(given) - set(known))
    if unknown:
        raise UsageError(
            f"There is no argument {_shown(unknown[0])}.", hint=f"Arguments are: {', '.join(known) or 'none'}."
        )
    values = {}
    for argument in arguments:
        value = given.get(argument.name)
        if value is None:
            if argument.required:
                raise UsageError(f"The argument {argument.name} is missing.", hint=f"Give {argument.allowed()}.")
            values[argument.name] = argument.default
        elif argument.accepts(value := _whole(value)):
            values[argument.name] = value
        else:
            raise UsageError(f"{argument.name} = {_shown(value)} is not allowed.", hint=f"Give {argument.allowed()}.")
    return values


def _whole(value: object) -> object:
    """JSON knows one kind of number: 5.0 is the whole number 5."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= _SHOWN else text[: _SHOWN - 3] + "..."
