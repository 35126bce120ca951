"""The arguments of tools: a question's parameters as its tool takes them, and those that every such tool has."""

from collections.abc import Iterable

from cairn.base.errors import UsageError
from cairn.config.project import MAX_BUDGET_TOKENS
from cairn.kernel.tokens import BYTES_PER_TOKEN
from cairn.questions.parameters import Parameter, Schema, Values
from cairn.questions.question import Question

CODEBASE = Parameter("path", "string", "an absolute path in the codebase")
CODEBASES = Parameter("codebases", "strings", "instead of path: several codebases at once, each by an absolute path")
FILE = Parameter("path", "string", "the file, absolute or from the root", required=True)
_UNDERSTOOD = frozenset("type items enum minimum maximum default".split())
"""What every client understands of a schema; the rest is checked and told all the same."""
_LARGEST_BOUND = 1_000_000
"""A larger bound is checked and not told."""
MAX_BYTES = Parameter("max_bytes", "integer", "how large the answer may be", 16_000, least=1_000, most=128_000)
BUDGET = Parameter("budget_tokens", "integer", "size of the answer", least=1, most=MAX_BUDGET_TOKENS)
_LEAST_TOKENS = 8
"""What an answer says of itself, and that nothing was found."""
_ENOUGH = "Give 100 or more: the first places fit into that."
ROOM = "room"
"""How many bytes an answer may have, where its tool has counted them."""
FORMAT = Parameter(
    "format",
    "string",
    "text: for reading; compact: the same as JSON; json: the whole document as HTTP gives it, not cut",
    "text",
    choices=("text", "compact", "json"),
)


def arguments_of(
    question: Question, subject: Parameter = CODEBASE, more: tuple[Parameter, ...] = ()
) -> tuple[Parameter, ...]:
    """What the tool of a question takes; `more` is what it needs beside the question, to show the answer."""
    tuning = question.tuning
    own = [taken for each in question.parameters if (taken := tuning.taken(each)) and not is_the_file(question, each)]
    first, rest = [each for each in own if each.flag is None], [each for each in own if each.flag is not None]
    if any(is_the_file(question, each) for each in question.parameters):
        subject = FILE
    subjects = (subject, CODEBASES) if question.ask_several is not None else (subject,)
    sizes = () if not tuning.sized else (MAX_BYTES,) if _has_budget(own) else (BUDGET, MAX_BYTES)
    return (*first, *subjects, *rest, *more, *sizes, FORMAT)


def _has_budget(own: Iterable[Parameter]) -> bool:
    return any(each.name == BUDGET.name for each in own)


def room_for(given: Values) -> int:
    """How many bytes an answer may have: by its budget where one is given, which counts bytes too."""
    budget: int | None = given.get(BUDGET.name)
    most: int = given[ROOM if ROOM in given else MAX_BYTES.name]
    if ROOM in given:
        return most
    return most if budget is None or given[FORMAT.name] != "text" else budget * BYTES_PER_TOKEN


def require_room(given: Values) -> None:
    """UsageError where no answer could be small enough: what is searched for it would be for nothing."""
    budget = given.get(BUDGET.name)
    if budget is not None and budget < _LEAST_TOKENS and given.get(FORMAT.name) == "text":
        raise UsageError(f"budget_tokens = {budget} is too small for this answer.", hint=_ENOUGH)


def is_the_file(question: Question, parameter: Parameter) -> bool:
    """Whether a parameter is the file that a tool names by the one path that it takes."""
    return question.subject == "file" and parameter.name == "file"


def schema_of(arguments: Iterable[Parameter]) -> Schema:
    """Flat objects of plain types: no references, no unions, nothing that some client can't read."""
    found = tuple(arguments)
    required = [each.name for each in found if each.required]
    return {
        "type": "object",
        "properties": {each.name: _property(each) for each in found},
        **({"required": required} if required else {}),
        "additionalProperties": False,
    }


def _property(parameter: Parameter) -> Schema:
    said = {name: value for name, value in parameter.schema().items() if name in _UNDERSTOOD}
    if said.get("maximum", 0) > _LARGEST_BOUND:
        del said["maximum"]  # nobody gets there
    if said.get("default") is False:
        del said["default"]  # goes without saying
    if said.get("minimum") == 1:
        del said["minimum"]  # so does that things are counted from 1
    return {**said, "description": parameter.help}
