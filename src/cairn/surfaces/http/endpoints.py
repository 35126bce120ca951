"""The addresses of questions: `/v1/` and the name of each, with the parameters of its declaration."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass
from cairn.questions.asking import Where, values_of
from cairn.questions.parameters import Parameter, Schema, Values, missing
from cairn.questions.question import Question
from cairn.questions.registry import QUESTIONS
from cairn.questions.searchpage import SEARCH_PAGE
from cairn.surfaces.http import looks

_TRUTH = {"true": True, "1": True, "false": False, "0": False}
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
    return parameter.meant(text)


ROOT = Parameter("root", "string", "the codebase: an absolute path of it or beneath it", required=True)
SYNC = Parameter(
    "sync", "boolean", "look at the tree first; otherwise the last snapshot answers, held against it", False
)
TIMEOUT = Parameter("timeout_ms", "integer", "answer by then, or not at all", least=1, most=600_000)
_ROOTS = (
    Parameter("root", "string", "the codebase; relative paths start from it"),
    Parameter("roots", "strings", "several codebases instead of one"),
    Parameter("all", "boolean", "every codebase that is indexed", False),
)


@dataclass(frozen=True, slots=True)
class Endpoint:
    """A question at its address."""

    question: Question

    @property
    def path(self) -> str:
        """Where it is asked."""
        return f"/v1/{self.question.name}"

    @property
    def text(self) -> str:
        """What it answers, as a sentence."""
        summary = self.question.summary
        return f"{summary[0].upper()}{summary[1:]}."

    @property
    def answer(self) -> Schema:
        """What the document holds."""
        return self.question.schema

    @property
    def subject(self) -> tuple[Parameter, ...]:
        """How the codebases are named."""
        if self.question.subject == "home":
            return ()
        return _ROOTS if self.question.subject == "several" else (ROOT,)

    @property
    def taken(self) -> tuple[Parameter, ...]:
        """All that it takes."""
        sync = (SYNC,) if self.question.syncs else ()
        own = (each for each in self.question.parameters if each.http is not None)
        return (*own, *self.subject, *sync, TIMEOUT)

    def values(self, given: Mapping[str, Any]) -> Values:
        """The values of the question; UsageError for what makes no sense."""
        names = {parameter.name for parameter in self.question.parameters}
        own = {name: value for name, value in given.items() if name in names}
        return values_of(self.question, own, query_name)

    def where(self, given: Mapping[str, Any], values: Values) -> Where:
        """Which codebases are asked."""
        root, roots, every = given.get("root"), tuple(given.get("roots") or ()), bool(given.get("all"))
        if self.question.subject == "home":
            return Where()
        if root is None and not (roots or every):
            raise missing(ROOT)
        if root is not None and (roots or every):
            raise UsageError("root doesn't go with roots or all.", hint="Name one codebase, or several.")
        for each in (root, *roots):
            if each is not None:
                looks.require_absolute(each)
        where = Where(root or "/", roots, every)
        if where.is_several and (name := self.question.only_one(values)):
            raise UsageError(f"{name} asks one codebase.", hint="Name it with root.")
        return where


ENDPOINTS = tuple(Endpoint(question) for question in (*QUESTIONS, SEARCH_PAGE))
