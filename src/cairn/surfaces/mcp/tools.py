"""The tools of the server: what each is called, takes and does."""

from collections.abc import Callable, Mapping, Sequence
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
from cairn.base.values import dataclass, replace
from cairn.surfaces.mcp import code_tools, manage, reading, renaming, searching
from cairn.surfaces.mcp.arguments import Argument, checked, schema_of
from cairn.surfaces.mcp.service import Answer, BlockedError, Call, Service, error_answer

DEBUG = Argument("debug", "boolean", "also say what the answer rests on: proof, fingerprints", default=False)


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    text: str
    arguments: tuple[Argument, ...]
    run: Callable[..., Answer]
    read_only: bool = True

    @property
    def schema(self) -> dict[str, Any]:
        return schema_of(self._all)

    @property
    def _all(self) -> Sequence[Argument]:
        return (*self.arguments, DEBUG)

    def call(self, service: Service, call: Call, given: Mapping[str, Any]) -> Answer:
        """The answer, whatever happens: only a defect raises."""
        try:
            values = checked(self._all, given)
            debug = bool(values.pop("debug"))
            return self.run(service, replace(call, debug=debug), **values)
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
            return error_answer(error)
        except OSError as error:
            place = f" ({error.filename})" if error.filename else ""
            return error_answer(CairnError(f"The system refused: {error.strerror}{place}.", hint="Run `cairn doctor`."))


TOOLS: tuple[Tool, ...] = (
    Tool(
        "list_codebases",
        "Which codebases are indexed, and the state of each. Reads only; never changes anything.",
        (),
        manage.list_codebases,
    ),
    Tool(
        "manage_index",
        "Create, rebuild, sync, inspect, clear or repair the index of a codebase. `create` and `reindex` run in the "
        "background and return at once unless `wait` is true; ask with action=status how far they are.",
        manage.ARGUMENTS,
        manage.manage_index,
        read_only=False,
    ),
    Tool(
        "search_codebase",
        "Find code by meaning, words or a symbol's name. Returns places (path, lines, symbol, short snippet), best "
        "first. Prefer it over grep for questions like 'where are stale leases taken over'. The index is synced first.",
        searching.ARGUMENTS,
        searching.search_codebase,
    ),
    Tool(
        "file_outline",
        "What a file defines, as a tree with signatures and lines; or one symbol of it by name or id. Much smaller "
        "than reading the file.",
        code_tools.OUTLINE,
        code_tools.file_outline,
    ),
    Tool(
        "call_graph",
        "Who calls a function and what it calls, up to three steps, each call with how sure it is.",
        code_tools.CALLS,
        code_tools.call_graph,
    ),
    Tool(
        "find_references",
        "Every use of a symbol, each with its role and how sure it is; `symbol` may be a name, Owner.name, an id, or "
        "FILE:LINE[:COLUMN].",
        code_tools.REFERENCES,
        code_tools.find_references,
    ),
    Tool(
        "repo_map",
        "What a repository is made of: folders, languages, entry points, the files that others use most and what "
        "they offer, tests. Fitted to a token budget.",
        code_tools.MAP,
        code_tools.repo_map,
    ),
    Tool(
        "rename_symbol",
        "Rename what stands at a place, in all files: action=plan proves it and shows every edit, apply writes all "
        "files or none, undo gives them back. status=needs_decision: show the user the candidates, then decide. Prefer "
        "it over editing by hand.",
        renaming.ARGUMENTS,
        renaming.rename_symbol,
        read_only=False,
    ),
    Tool(
        "read_file",
        "The lines of a file as it is now. Prefer file_outline or search_codebase to find the lines first. With a "
        "session it says 'unchanged' or gives a diff where the conversation still has the rest; read with bypass after "
        "an edit whose text didn't match.",
        reading.READ,
        reading.read_file,
    ),
    Tool(
        "read_refresh",
        "Have the next read_file of a file, or of some lines, give the content itself.",
        reading.REFRESH,
        reading.read_refresh,
    ),
    Tool(
        "session_open",
        "Begin a conversation for cached reads, and say what its host guarantees to tell.",
        reading.OPEN,
        reading.session_open,
    ),
    Tool(
        "session_event",
        "Tell what happened to a conversation: compaction, navigate, fork, clear, resume, drop. Host hooks call this.",
        reading.EVENT,
        reading.session_event,
    ),
)
BY_NAME: Mapping[str, Tool] = {tool.name: tool for tool in TOOLS}
