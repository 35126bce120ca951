"""Finding an indexer on this machine and running it once.

A tree can't decide which program that is: folders of the tree are on no search path, neither for the tool nor for
what it starts (see `base.environment`).
"""

import os
import shutil
from collections.abc import Callable, Mapping

from cairn.base.environment import ChildEnvironment, child_environment, lies_in, search_path
from cairn.base.values import dataclass
from cairn.semantic.indexers import Indexer, IndexerCall, IndexerRequest
from cairn.semantic.job import JobFailureCode
from cairn.semantic.runner import Command, RunLimits, ToolError, run
from cairn.semantic.scope import RefreshScope
from cairn.semantic.settings import SemanticSettings

_VERSION_LIMITS = RunLimits(wall_s=30.0)


@dataclass(frozen=True, slots=True)
class Indexed:
    """The output of a run."""

    output: str
    covers: RefreshScope
    """Relative to the context's root."""
    prefix: str = ""
    """The folder, relative to the context's root, that the paths of documents begin in."""


def find_tool(indexer: Indexer, root: str, settings: SemanticSettings, environ: Mapping[str, str]) -> str | None:
    """The program's full path: in the user's folders, then on the search path."""
    for folder in settings.tool_folders:
        if found := shutil.which(indexer.executable, path=folder):
            return found
    for folder in search_path((root,), environ):
        found = shutil.which(indexer.executable, path=folder)
        if found and not lies_in(found, root):
            return found
    return None


def tool_environment(
    root: str, folder: str, limits: RunLimits, settings: SemanticSettings, environ: Mapping[str, str]
) -> ChildEnvironment:
    """The environment of a tool: nothing from the tree, the user's folders first, and its own limits."""
    made = child_environment((root,), environ)
    heap = f"--max-old-space-size={limits.memory_bytes * 3 // 4 >> 20}"
    made |= {
        "PATH": os.pathsep.join((*settings.tool_folders, made["PATH"])),
        "TMPDIR": folder,
        "NODE_OPTIONS": heap,
        # Python that a tool starts in the tree must not import modules that lie there.
        "PYTHONSAFEPATH": "1",
        "PYTHONDONTWRITEBYTECODE": "1",
        "GIT_OPTIONAL_LOCKS": "0",
    }
    return made


def tool_version(
    program: str, indexer: Indexer, root: str, folder: str, settings: SemanticSettings, environ: Mapping[str, str]
) -> str:
    """A tool's version as it prints it, run in a private folder for a codebase; empty if it prints none."""
    environment = tool_environment(root, folder, _VERSION_LIMITS, settings, environ)
    try:
        said = run(Command((program, *indexer.version_arguments), folder, environment), folder, _VERSION_LIMITS)
    except ToolError:
        return ""
    return next((line.strip()[:100] for line in said.splitlines() if any(map(str.isdigit, line))), "")


def require_trust(indexer: Indexer, root: str, settings: SemanticSettings) -> None:
    """Refuse a tool that may run code of a codebase which the user doesn't trust; nothing of it runs before this."""
    if indexer.runs_repository_code and not settings.trusts(root):
        raise ToolError(
            JobFailureCode.UNTRUSTED_ROOT,
            f"{indexer.name} may run code of the repository, and {root} is not one of the trusted roots.",
        )


def run_indexer(
    indexer: Indexer,
    request: IndexerRequest,
    settings: SemanticSettings,
    environ: Mapping[str, str],
    *,
    limits: RunLimits | None = None,
    tick: Callable[[], bool] = lambda: True,
) -> Indexed:
    """Run a tool over a context; ToolError with the code for the job when it gave nothing."""
    require_trust(indexer, request.root, settings)
    program = find_tool(indexer, request.root, settings, environ)
    if program is None:
        raise ToolError(
            JobFailureCode.MISSING_TOOL,
            f"{indexer.executable} is neither on the search path nor configured. To get it: {indexer.install}",
        )
    limits = limits or indexer.limits
    call = indexer.call(request)
    if call.links:
        for name, target in call.links.items():
            link = os.path.join(request.linked, name)
            os.makedirs(os.path.dirname(link), 0o700, exist_ok=True)
            os.symlink(target, link)
    for name, text in call.files.items():
        with open(os.path.join(request.folder, name), "w", encoding="utf-8") as file:
            file.write(text)
    environment = tool_environment(request.root, request.folder, limits, settings, environ)
    if call.programs:
        environment["PATH"] = os.pathsep.join((_put_programs(call, request.folder), environment["PATH"]))
    at = request.linked if call.links else request.context_root
    said = run(Command((program, *call.arguments), at, environment), request.folder, limits, tick)
    if not os.path.isfile(request.output) or not os.path.getsize(request.output):
        raise ToolError(JobFailureCode.TOOL_CRASHED, f"{indexer.name} ended well and wrote no index.", said)
    return Indexed(request.output, call.covers, call.prefix)


def _put_programs(call: IndexerCall, folder: str) -> str:
    """Write the scripts that come first on the tool's PATH, and return their folder."""
    programs = os.path.join(folder, "bin")
    os.mkdir(programs, 0o700)
    for name, text in call.programs.items():
        with open(os.path.join(programs, name), "w", encoding="utf-8") as file:
            file.write(text)
            os.fchmod(file.fileno(), 0o700)
    return programs
