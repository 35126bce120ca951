"""The environment of every process that Cairn starts.

A tree must not decide which program runs, nor what a program loads. So a child never has a relative folder, or one
that lies beneath a codebase's root, on its search paths; and the variables that make an interpreter load code before
its own are dropped, because they were meant for other programs.
"""

import os
from collections.abc import Iterable, Mapping
from typing import NewType

ChildEnvironment = NewType("ChildEnvironment", dict[str, str])
"""What `child_environment` made; nothing else is handed to a child."""

_SEARCHED = frozenset({"PATH", "LD_LIBRARY_PATH", "LD_PRELOAD", "GIT_EXEC_PATH", "PYTHONPATH"})
"""Lists of what programs or code are taken from."""
_LOADS_CODE = frozenset({
    "BASH_ENV", "ENV", "LD_AUDIT", "NODE_OPTIONS", "NODE_PATH", "PERL5LIB", "PERL5OPT", "RUBYLIB", "RUBYOPT",
    "JAVA_TOOL_OPTIONS", "JDK_JAVA_OPTIONS", "_JAVA_OPTIONS", "PYTHONSTARTUP", "PYTHONBREAKPOINT",
    "GIT_EXTERNAL_DIFF", "GIT_PAGER", "GIT_SSH", "GIT_SSH_COMMAND", "GIT_PROXY_COMMAND",
    "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "GIT_ASKPASS", "SSH_ASKPASS", "GIT_TEMPLATE_DIR",
})  # fmt: skip
# A hook or a rebase exports these for its own repository; inherited, they would make git answer for another tree.
_FOREIGN = frozenset({
    "GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_OBJECT_DIRECTORY", "GIT_ALTERNATE_OBJECT_DIRECTORIES",
    "GIT_COMMON_DIR", "GIT_PREFIX", "GIT_NAMESPACE", "GIT_IMPLICIT_WORK_TREE", "GIT_GRAFT_FILE", "GIT_SHALLOW_FILE",
})  # fmt: skip
_OURS = ("CAIRN_", "PYTHON")
"""What only another process of Cairn needs: its settings, keys among them, and its interpreter's."""
_TRACES = "GIT_TRACE"
_DROPPED = _LOADS_CODE | _FOREIGN
_PACKAGE_DEPTH = 3


def child_environment(
    roots: Iterable[str], environ: Mapping[str, str] | None = None, *, ours: bool = False
) -> ChildEnvironment:
    """The environment for a child that works on some codebases.

    `ours` is for another process of Cairn: it gets Cairn's own settings, and imports the copy of Cairn that runs here.
    """
    given, inside = os.environ if environ is None else environ, [os.path.realpath(root) for root in roots]
    made = {name: value for name, value in given.items() if is_handed_on(name) and (ours or not name.startswith(_OURS))}
    for name in _SEARCHED & made.keys():
        made[name] = os.pathsep.join(_outside(made[name], inside))
        if not made[name]:
            del made[name]
    # An empty PATH would mean the working folder; this one holds nothing.
    made.setdefault("PATH", os.defpath if "PATH" not in given else os.devnull)
    if ours:
        paths = (_source(), *made.get("PYTHONPATH", "").split(os.pathsep))
        made["PYTHONPATH"] = os.pathsep.join(filter(None, dict.fromkeys(paths)))
    return ChildEnvironment(made)


def is_handed_on(name: str) -> bool:
    """Whether a variable reaches children."""
    return name not in _DROPPED and not name.startswith(_TRACES)


def search_path(roots: Iterable[str], environ: Mapping[str, str]) -> list[str]:
    """The folders that a child's programs are looked for in."""
    return child_environment(roots, environ)["PATH"].split(os.pathsep)


def finds_program(name: str, roots: Iterable[str], environ: Mapping[str, str]) -> bool:
    """Whether a child finds a program by its name."""
    inside = [os.path.realpath(root) for root in roots]
    places = [each for each in environ.get("PATH", os.defpath).split(os.pathsep) if os.path.isabs(each)]
    return any(os.access(os.path.join(each, name), os.X_OK) and _outside(each, inside) for each in places)


def lies_in(path: str, root: str) -> bool:
    """Whether a path is a root or something beneath it, whatever links lead there."""
    return _is_beneath(os.path.realpath(path), [os.path.realpath(root)])


def _outside(value: str, roots: list[str]) -> list[str]:
    folders = value.split(os.pathsep)
    return [each for each in folders if os.path.isabs(each) and not _is_beneath(os.path.realpath(each), roots)]


def _is_beneath(real: str, roots: list[str]) -> bool:
    return any(real == root or real.startswith(root.rstrip("/") + "/") for root in roots)


def _source() -> str:
    """The folder that the running copy of Cairn was imported from."""
    source = os.path.abspath(__file__)
    for _ in range(_PACKAGE_DEPTH):
        source = os.path.dirname(source)
    return source
