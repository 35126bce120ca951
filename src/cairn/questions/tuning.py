"""How the tool of a question differs from it: other names and narrower bounds, since a model pays for every byte."""

from collections.abc import Iterable, Mapping
from typing import Any

from cairn.base.values import dataclass, field, replace
from cairn.questions.parameters import Parameter, Values


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a tool renames, narrows and leaves out of its question's parameters."""

    names: Mapping[str, str] = field(default_factory=dict)
    bounds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """Fields of a parameter that are otherwise for the tool."""
    meanings: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    """What the tool's own values of a parameter stand for."""
    others: Mapping[str, Mapping[str, tuple[str, Mapping[str, Any]]]] = field(default_factory=dict)
    """The tool's own values of a parameter that ask another question, by its name, with what they stand for there."""
    without: frozenset[str] = frozenset()
    fixed: Mapping[str, Any] = field(default_factory=dict)
    """Values of parameters that it leaves out, where these are not their defaults."""
    sized: bool = False
    """Whether the compact form is cut to `max_bytes`."""

    def name_of(self, parameter: Parameter) -> str:
        """How the tool spells a parameter."""
        return self.names.get(parameter.name, parameter.name)

    def taken(self, parameter: Parameter) -> Parameter | None:
        """A parameter as the tool takes it; None for one that it leaves out."""
        if parameter.name in self.without or not parameter.in_tools:
            return None
        return replace(parameter, name=self.name_of(parameter), **self.bounds.get(parameter.name, {}))

    def all_taken(self, parameters: Iterable[Parameter]) -> dict[str, Parameter]:
        """The parameters that the tool takes as it takes them, each by its name in the question."""
        return {each.name: own for each in parameters if (own := self.taken(each)) is not None}

    def asked(self, given: Mapping[str, Any]) -> tuple[str, Values]:
        """The other question that arguments ask, and them as it takes them; empty where they ask the tool's own."""
        for parameter, others in self.others.items():
            if (other := others.get(given[self.names.get(parameter, parameter)])) is not None:
                return other[0], {**given, **other[1]}
        return "", dict(given)

    def values(self, parameters: Iterable[Parameter], given: Mapping[str, Any]) -> Values:
        """What was given, under the names of the question; what the tool leaves out has its default."""
        values: Values = {}
        for each in parameters:
            default: Any = self.fixed.get(each.name, () if each.kind == "strings" else each.default)
            value = given.get(self.name_of(each), default) if each.name not in self.without else default
            values[each.name] = self.meanings[each.name].get(value, value) if each.name in self.meanings else value
        return values
