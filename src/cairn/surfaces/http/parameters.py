"""What the endpoints of the API take, as one table: for checking, for the command line, and for the description."""

import re
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from cairn.base.errors import UsageError
from cairn.base.values import dataclass

Kind = Literal["string", "integer", "boolean", "strings"]
_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_MOST_CHARS = 4_000
_MOST_ITEMS = 16
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_HINT = "See /openapi.json for what each endpoint takes."


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an endpoint, and the option of the command that it stands for."""

    name: str
    kind: Kind
    text: str
    option: str | None = ""
    """Empty: a positional argument. None: the endpoint's own affair."""
    required: bool = False
    least: int | None = None
    most: int | None = None
    choices: tuple[str, ...] = ()
    default: Any = None
    """What holds where it is not given; told to readers, the command knows it by itself."""

    def value(self, given: Sequence[str]) -> Any:
        """The value that was given; UsageError for one that makes no sense."""
        if self.kind == "strings":
            if len(given) > _MOST_ITEMS:
                raise self._wrong(f"more than {_MOST_ITEMS} times")
            return [self._text(each) for each in given]
        if len(given) > 1:
            raise self._wrong("more than once")
        text = given[0]
        if self.kind == "boolean":
            if text.lower() not in _TRUTH:
                raise self._wrong("neither true nor false")
            return _TRUTH[text.lower()]
        if self.kind == "integer":
            number = int(text) if _INTEGER.fullmatch(text) else None
            if number is None or (self.least is not None and number < self.least):
                raise self._wrong(f"no number from {self.least} on")
            if self.most is not None and number > self.most:
                raise self._wrong(f"more than {self.most}")
            return number
        return self._text(text)

    def schema(self) -> dict[str, Any]:
        if self.kind == "strings":
            items = {"type": "string", "minLength": 1, "maxLength": _MOST_CHARS}
            return {"type": "array", "items": items, "maxItems": _MOST_ITEMS}
        found: dict[str, Any] = {"type": self.kind}
        if self.kind == "string":
            found |= {"enum": list(self.choices)} if self.choices else {"minLength": 1, "maxLength": _MOST_CHARS}
        if self.least is not None:
            found["minimum"] = self.least
        if self.most is not None:
            found["maximum"] = self.most
        if self.default is not None:
            found["default"] = self.default
        return found

    def _text(self, text: str) -> str:
        if not text or len(text) > _MOST_CHARS or "\0" in text:
            raise self._wrong("empty, too long, or with a NUL character")
        if self.choices and text not in self.choices:
            raise self._wrong(f"none of {', '.join(self.choices)}")
        return text

    def _wrong(self, how: str) -> UsageError:
        return UsageError(f"The parameter {self.name} is given {how}.", hint=_HINT)


def read(parameters: Iterable[Parameter], given: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The values by name; UsageError for a parameter that is unknown, missing or makes no sense."""
    known = {parameter.name: parameter for parameter in parameters}
    found: dict[str, list[str]] = {}
    for name, text in given:
        if name not in known:
            raise UsageError(f"There is no parameter {name[:80]!r}.", hint=f"Parameters are: {', '.join(known)}.")
        found.setdefault(name, []).append(text)
    missing = [name for name, parameter in known.items() if parameter.required and name not in found]
    if missing:
        raise UsageError(f"The parameter {missing[0]} is missing.", hint=_HINT)
    return {name: known[name].value(texts) for name, texts in found.items()}


def arguments(command: str, parameters: Iterable[Parameter], values: dict[str, Any]) -> list[str]:
    """The command line that means the same; values can't become options."""
    options = [command, "--json"]
    positional: list[str] = []
    for parameter in parameters:
        value = values.get(parameter.name)
        if value is None or parameter.option is None:
            continue
        if not parameter.option:
            positional += value if isinstance(value, list) else [str(value)]
        elif parameter.kind == "boolean":
            options += [parameter.option] if value else []
        else:
            options += [f"{parameter.option}={each}" for each in (value if isinstance(value, list) else [value])]
    return [*options, "--", *positional] if positional else options
