"""The tools of the server: what each is called, takes and does."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any

from cairn.base.errors import (
    CairnError,
    ConfigError,
    NotIndexedError,
    OutOfRootError,
    RefusedError,
    RootNotFoundError,
    UsageError,
)
from cairn.base.incidents import incidents
from cairn.base.shortage import shortage_of
from cairn.base.tally import tallied
from cairn.base.values import dataclass, replace
from cairn.codebase.ledger import record_later
from cairn.questions.code import MAP, OUTLINE
from cairn.questions.envelope import spelled
from cairn.questions.parameters import Parameter, checked
from cairn.questions.question import Question
from cairn.questions.read import READ
from cairn.questions.registry import QUESTIONS
from cairn.questions.search import SEARCH
from cairn.surfaces.mcp import code_tools, deeds, manage, reading, renaming, searching, several, whole
from cairn.surfaces.mcp.arguments import FILE, arguments_of, require_room, schema_of
from cairn.surfaces.mcp.notes import sentences
from cairn.surfaces.mcp.service import Answer, BlockedError, Service, ToolCall, error_answer
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.steps import call as as_call

_OF_PROGRAMS = frozenset(
    "debug format max_bytes diff at keyword_only reorder explain group note_limit per_file codebases related".split()
)
_OF_SESSIONS = frozenset("session parent sequence bypass".split())
DEBUG = Parameter("debug", "boolean", "also say what the answer rests on: proof, fingerprints", default=False)


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool that agents can call, with its arguments and what runs it."""

    name: str
    text: str
    arguments: tuple[Parameter, ...]
    run: Callable[..., Answer]
    read_only: bool = True
    for_sessions: bool = False
    """Whether only hosts have a use for it that tell what becomes of a conversation."""

    @property
    def schema(self) -> dict[str, Any]:
        """The JSON schema of its arguments."""
        return schema_of(self._all)

    def listed(self, *, programs: bool, sessions: bool) -> dict[str, Any]:
        """The schema that a client is shown: what only a program or a session needs is taken, and not told to all."""
        hidden = (frozenset() if programs else _OF_PROGRAMS) | (frozenset() if sessions else _OF_SESSIONS)
        if self.for_sessions:
            hidden -= _OF_SESSIONS
        return schema_of(each for each in self._all if each.name not in hidden)

    @property
    def _all(self) -> Sequence[Parameter]:
        return (*self.arguments, DEBUG)

    def call(self, service: Service, call: ToolCall, given: Mapping[str, Any]) -> Answer:
        """The answer, whatever happens, with hints as calls of tools: only a defect raises."""
        with incidents() as heard, tallied() as tally:
            answer: Answer = spelled(self._answer(service, call, given), as_call)
        if heard:
            answer |= {"warnings": [*answer.get("warnings", ()), *sentences(heard)]}
        if answer["status"] == "ok":
            tally.goes_on = bool(given.get("continuation"))
            record_later(service.home, tally, "mcp", lambda: text_of(answer))
        return answer

    def _answer(self, service: Service, call: ToolCall, given: Mapping[str, Any]) -> Answer:
        try:
            values = checked(self._all, given)
            debug = bool(values.pop("debug"))
            require_room(values)
            takes = frozenset(each.name for each in self.arguments)
            return self.run(service, replace(call, debug=debug, takes=takes), **values)
        except BlockedError as blocked:
            return blocked.envelope
        except ConfigError as error:
            # A file of the codebase is wrong, not what was asked.
            return error_answer(error)
        except RootNotFoundError as error:
            return {"status": "not_found", "message": error.message, "hint": error.hint}
        except UsageError as error:
            return {**error_answer(error), "status": "invalid_arguments"}
        except (OutOfRootError, RefusedError) as error:
            return {**error_answer(error), "status": "refused"}
        except NotIndexedError as error:
            # The codebase passed its gates, so it is something in it that isn't there.
            return {"status": "not_found", "message": error.message, "hint": error.hint}
        except CairnError as error:
            return error_answer(shortage_of(error) or error)
        except OSError as error:
            if (short := shortage_of(error)) is not None:
                return error_answer(short)
            place = f" ({error.filename})" if error.filename else ""
            return error_answer(
                CairnError(
                    f"The system refused: {error.strerror}{place}.", hint="See to the file or folder that is named."
                )
            )


_OWN: tuple[Tool, ...] = (
    Tool(
        "list_codebases",
        "The indexed codebases and their states.",
        (deeds.IN_WORDS,),
        deeds.in_words(manage.list_codebases, deeds.codebases),
    ),
    Tool(
        "manage_index",
        "Create, rebuild, sync, inspect, clear or repair an index. create and reindex go on in the "
        "background unless wait; status tells how far.",
        manage.ARGUMENTS,
        deeds.in_words(manage.manage_index, deeds.managed),
        read_only=False,
    ),
    Tool(
        "rename_symbol",
        "Rename what stands at a place (new_name), move it (to_file) or change its signature (add, remove), in all "
        "files: plan proves it, apply writes all files or none, undo takes it back. "
        "needs_decision: ask the user what to take.",
        renaming.ARGUMENTS,
        renaming.rename_symbol,
        read_only=False,
    ),
    Tool(
        "read_refresh",
        "Have the next read_file of a file, or of some lines, give the content itself.",
        reading.REFRESH,
        reading.read_refresh,
        for_sessions=True,
    ),
    Tool(
        "session_open",
        "Begin a conversation for cached reads, and say what its host guarantees to tell.",
        reading.OPEN,
        reading.session_open,
        for_sessions=True,
    ),
    Tool(
        "session_event",
        "Tell what happened to a conversation: compaction, navigate, fork, clear, resume, drop. Host hooks call this.",
        reading.EVENT,
        reading.session_event,
        for_sessions=True,
    ),
)


def tools_of(questions: Iterable[Question]) -> tuple[Tool, ...]:
    """The tools of a server: its own, and one for each question that names one."""
    return (*_OWN[:2], *(_tool(each) for each in questions if each.tool), *_OWN[2:])


def _tool(question: Question) -> Tool:
    run: Callable[..., Answer]
    if question is SEARCH:
        # It has pages.
        arguments, run = arguments_of(question, searching.SUBJECT, searching.MORE), searching.search_codebase
    elif question is MAP:
        arguments, run = arguments_of(question, more=whole.MORE), whole.repo_map
    elif question is OUTLINE:
        arguments, run = arguments_of(question, more=whole.OF_A_FILE), whole.file_outline
    elif question is READ:
        arguments, run = _reading(arguments_of(question)), reading.read_file
    else:
        arguments, run = arguments_of(question), code_tools.answer
    if question.ask_several is not None:
        run = several.either(run)
    return Tool(question.tool, question.tool_text, arguments, partial(run, question))


def _reading(arguments: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """A file or a symbol is named."""
    own = {FILE.name: reading.FILE_OR_CODEBASE}
    first, *rest = (own.get(each.name, each) for each in arguments)
    return (first, reading.FILES, reading.SYMBOL_NAMED, *rest, reading.NUMBERS)


TOOLS = tools_of(QUESTIONS)
BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
