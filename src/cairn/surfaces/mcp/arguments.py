"""The arguments of tools: a question's parameters under the names that agents know, within bounds that suit them."""

from collections.abc import Iterable, Mapping
from typing import Any

from cairn.base.values import dataclass, field, replace
from cairn.questions.parameters import Parameter, Schema, Values
from cairn.questions.question import Question

CODEBASE = Parameter("path", "string", "the codebase: an absolute path of it or of anything beneath it")
FILE = Parameter("path", "string", "the file: an absolute path, or one from the root", required=True)
_UNDERSTOOD = frozenset("type items enum minimum maximum default".split())
"""What every client understands of a schema; the rest is checked and told all the same."""
MAX_BYTES = Parameter("max_bytes", "integer", "how large the answer may be", 16_000, least=1_000, most=128_000)


@dataclass(frozen=True, slots=True)
class Tuning:
    """How a tool differs from its question: other names and narrower bounds, since a model pays for every byte."""

    names: Mapping[str, str] = field(default_factory=dict)
    bounds: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    without: frozenset[str] = frozenset()
    sized: bool = True
    """Whether the answer is cut to `max_bytes`."""

    def arguments(self, question: Question) -> tuple[Parameter, ...]:
        """What the tool takes."""
        own = tuple(
            replace(each, name=self.name_of(each), **self.bounds.get(each.name, {}))
            for each in question.parameters
            if each.name not in self.without and not self._is_the_file(question, each)
        )
        subject = (
            FILE
            if question.subject == "file" and any(each.name == "file" for each in question.parameters)
            else CODEBASE
        )
        asked = tuple(each for each in own if each.required)
        rest = tuple(each for each in own if not each.required)
        return (*asked, subject, *rest, *((MAX_BYTES,) if self.sized else ()))

    def values(self, question: Question, given: Mapping[str, Any]) -> Values:
        """What was given, under the names of the question; what the tool leaves out has its default."""
        return {
            each.name: given.get(self.name_of(each), () if each.kind == "strings" else each.default)
            for each in question.parameters
        }

    def name_of(self, parameter: Parameter) -> str:
        """How the tool spells a parameter."""
        return self.names.get(parameter.name, parameter.name)

    @staticmethod
    def _is_the_file(question: Question, parameter: Parameter) -> bool:
        """A tool names its file by the one path that it takes."""
        return question.subject == "file" and parameter.name == "file"


def schema_of(arguments: Iterable[Parameter]) -> Schema:
    """Flat objects of plain types: no references, no unions, nothing that some client can't read."""
    found = tuple(arguments)
    return {
        "type": "object",
        "properties": {each.name: _property(each) for each in found},
        "required": [each.name for each in found if each.required],
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> Schema:
    told = {name: value for name, value in parameter.schema().items() if name in _UNDERSTOOD}
    return {**told, "description": parameter.help}
