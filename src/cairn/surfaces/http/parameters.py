"""Query strings: each text becomes a value of its parameter's kind; what it may be, the declaration says."""

import re
from collections.abc import Iterable, Sequence
from typing import Any

from cairn.base.errors import UsageError
from cairn.questions.parameters import Parameter, missing

_TRUTH = {"true": True, "1": True, "false": False, "0": False}
_INTEGER = re.compile(r"-?[0-9]{1,18}")
_HINT = "See /openapi.json for what each endpoint takes."


def read(parameters: Iterable[Parameter], given: Iterable[tuple[str, str]]) -> dict[str, Any]:
    """The values by name; UsageError for a parameter that is unknown, missing, given twice or not allowed."""
    known = {parameter.query_name: parameter for parameter in parameters}
    found: dict[str, list[str]] = {}
    for name, text in given:
        if name not in known:
            raise UsageError(f"There is no parameter {name[:80]!r}.", hint=f"Parameters are: {', '.join(known)}.")
        found.setdefault(name, []).append(text)
    absent = next((each for name, each in known.items() if each.required and name not in found), None)
    if absent is not None:
        raise missing(absent, query_name)
    values = {known[name].name: _value(known[name], texts) for name, texts in found.items()}
    return {
        each.name: each.bounded(values).checked(values[each.name], query_name(each))
        for each in known.values()
        if each.name in values
    }


def query_name(parameter: Parameter) -> str:
    """How an address spells a parameter."""
    return parameter.query_name


def _value(parameter: Parameter, texts: Sequence[str]) -> Any:
    if parameter.kind == "strings":
        return list(texts)
    if len(texts) > 1:
        raise UsageError(f"The parameter {parameter.query_name} is given more than once.", hint=_HINT)
    (text,) = texts
    if parameter.kind == "boolean":
        return _TRUTH.get(text.lower(), text)
    return int(text) if parameter.kind == "integer" and _INTEGER.fullmatch(text) else text
