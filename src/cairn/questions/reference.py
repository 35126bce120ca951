"""The reference page: every question with its parameters, and how each door spells them."""

from collections.abc import Iterable, Iterator

from cairn.questions.head import Envelope
from cairn.questions.parameters import Parameter
from cairn.questions.question import Question
from cairn.questions.tuning import Tuning

_HEAD = f"""# Reference

Every question that can be asked, with its parameters. This page is made from the declarations in `cairn.questions`
(`make reference`), from which the command line, the JSON API, the tools and the Python interface are derived too.

The answer is one document: what every answer says of itself
({", ".join(f"`{name}`" for name in Envelope.__annotations__ if name in Envelope.__required_keys__)}),
and beside it the fields of the question's own. What is said of a snapshot is null where no single one answers; of
several codebases `codebases` says the same of each, and `degraded` whether one of them is. `cairn COMMAND --json`,
`GET /v1/NAME`, `workspace.ask(NAME, ...).document()` and a tool with `format: json` give the same. In Python a
parameter is a keyword of its name.
"""
_SUBJECT = {
    "codebase": "one codebase: `PATH`, or `root` over HTTP",
    "several": "one codebase or several: `PATH`, `--root` and `--all`, or `root`, `roots` and `all` over HTTP",
    "file": "the codebase of a file; `root` over HTTP",
    "changes": "the codebase of the files, or `--root`; `root` over HTTP",
    "home": "all that Cairn keeps",
}


def reference(questions: Iterable[Question]) -> str:
    """The page as Markdown."""
    return "\n".join([_HEAD, *(line for question in questions for line in _section(question))])


def _section(question: Question) -> Iterator[str]:
    commands = [question.name] if question.commands is None else list(question.commands)
    doors = [f"`cairn {name}`" for name in commands] + [f"`GET /v1/{question.name}`"]
    if question.tool:
        doors.append(f"the tool `{question.tool}`")
    yield f"## {question.name}"
    yield ""
    yield f"{question.summary[0].upper()}{question.summary[1:]}. Asked by {', '.join(doors)}."
    yield f"It is about {_SUBJECT[question.subject]}."
    if question.example:
        yield ""
        yield f"    {question.example.partition('. ')[0]}"
    yield ""
    if question.parameters:
        tool = question.tuning if question.tool else None
        columns = ["parameter", "command line", "HTTP", *["tool"] * bool(tool), "what it is", "allowed", "default"]
        yield _line(columns)
        yield _line(["---"] * len(columns))
        yield from (_line(_row(parameter, tool)) for parameter in question.parameters)
        yield ""


def _row(parameter: Parameter, tool: Tuning | None) -> list[str]:
    switches = [flag for flag, _, _ in parameter.switches]
    option = ", ".join(f"`{each}`" for each in switches or [*filter(None, [parameter.short]), parameter.option])
    return [
        f"`{parameter.name}`",
        option,
        "" if parameter.http is None else f"`{parameter.query_name}`",
        *([] if tool is None else [_in_tool(parameter, tool)]),
        parameter.help,
        parameter.allowed(),
        _default(parameter),
    ]


def _in_tool(parameter: Parameter, tool: Tuning) -> str:
    """How the tool spells it, and what differs there."""
    own = tool.taken(parameter)
    if own is None:
        return ""
    if parameter.is_path and parameter.flag is None:
        return "`path`"
    apart = [] if own.allowed() == parameter.allowed() else [own.allowed()]
    if _default(own) != _default(parameter):
        apart.append(_default(own) if own.required else f"default {_default(own) or 'by what is asked'}")
    return f"`{own.name}`" + (f": {', '.join(apart)}" if apart else "")


def _default(parameter: Parameter) -> str:
    if parameter.required:
        return "(required)"
    text = "" if parameter.default is None else f"`{parameter.default}`"
    return text.lower() if parameter.kind == "boolean" else text


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |"
