"""The SCIP indexers that are known: how each is called, what it can be narrowed to, and what it may do.

None is ever downloaded. One that builds the project, or asks its build tool, runs code of the repository: it is
only run for roots that the user trusts.
"""

import json
import os
import shlex
from collections.abc import Callable, Mapping

from cairn.base.values import dataclass, field
from cairn.semantic.pyright import OURS, links_into, settings_beside, settings_text
from cairn.semantic.runner import RunLimits
from cairn.semantic.scope import FULL, RefreshScope, scope_of

_INTERPRETER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "interpreter.py")
VERSION_OF_PROJECT = "0"
"""A constant version: by default every symbol would contain the commit and change with it."""


@dataclass(frozen=True, slots=True)
class IndexerRequest:
    """What is to be indexed."""

    root: str
    """The codebase: what the user trusts or doesn't."""
    context_root: str
    """The folder that the tool runs in, the root itself or beneath it; documents are named relative to it."""
    name: str
    """What the project is called in its symbols."""
    folder: str
    """A private folder for the output and for everything that the tool needs."""
    scope: RefreshScope = FULL
    """Relative to `context_root`."""
    files: tuple[str, ...] = ()
    """What the index has of the context and of those beneath it, relative to `context_root`."""

    @property
    def output(self) -> str:
        """Where the indexer writes its index."""
        return os.path.join(self.folder, "index.scip")

    @property
    def linked(self) -> str:
        """A private folder that links lead from into the context's root, where a tool runs in such a one."""
        return os.path.join(self.folder, "linked")


@dataclass(frozen=True, slots=True)
class IndexerCall:
    """One call of an indexer."""

    arguments: tuple[str, ...]
    covers: RefreshScope = FULL
    """What the output covers: all of the context, or the part that was asked for."""
    prefix: str = ""
    """The folder, relative to the context's root, that the paths of documents begin in."""
    files: Mapping[str, str] = field(default_factory=dict)
    """Files to write into the private folder, by name."""
    programs: Mapping[str, str] = field(default_factory=dict)
    """Scripts to put first on the tool's PATH, by name."""
    links: Mapping[str, str] = field(default_factory=dict)
    """Links to make in a folder of its own, in which the tool then runs in place of the context's root."""


@dataclass(frozen=True, slots=True)
class Indexer:
    """A SCIP indexer: what it is called with, and whether it runs code of the repository."""

    name: str
    families: tuple[str, ...]
    """Families of contexts that it indexes."""
    call: Callable[[IndexerRequest], IndexerCall]
    runs_repository_code: bool
    install: str
    """How one gets it: a command, or where it lies."""
    program: str = ""
    """The program's name, if it differs from the indexer's."""
    version_arguments: tuple[str, ...] = ("--version",)
    limits: RunLimits = RunLimits()

    @property
    def executable(self) -> str:
        """The name of the program on PATH."""
        return self.program or self.name


def _python(request: IndexerRequest) -> IndexerCall:
    names = ("--project-name", request.name, "--project-version", VERSION_OF_PROJECT)
    # Without this file it would ask pip about the packages of whatever Python is at hand.
    environment = os.path.join(request.folder, "environment.json")
    output = ("--output", request.output, "--environment", environment, "--quiet")
    files = {"environment.json": json.dumps([])}
    root, links = request.context_root, dict[str, str]()
    settings = settings_beside(root)
    if settings is not None and request.files:
        root, links = request.linked, links_into(root, request.files, settings)
        files[os.path.join(os.path.basename(root), OURS)] = settings_text(settings)
    asked = dict.fromkeys(("python3", "python"), _isolated(root, request.context_root))
    # It can be narrowed to a folder. Given a file, it writes a document without a name.
    folder = common_folder(request.scope)
    if not folder:
        return IndexerCall(("index", ".", *names, *output), files=files, programs=asked, links=links)
    narrowed = ("index", ".", *names, *output, "--target-only", folder)
    return IndexerCall(narrowed, scope_of(packages=[folder]), folder, files, asked, links)


def _isolated(root: str, context_root: str) -> str:
    """A `python3` that runs nothing of the tree, and knows of modules that lie in `src`, as seen from where it runs."""
    source = os.path.join(context_root, "src")
    is_layout = os.path.isdir(source) and not os.path.exists(os.path.join(source, "__init__.py"))
    words = (_INTERPRETER, os.path.join(root, "src") if is_layout else "")
    # Behind the first entry of PATH, which is where this lies, is the interpreter that is meant.
    return f'#!/bin/sh\nPATH=${{PATH#*:}} exec "${{0##*/}}" -I {" ".join(map(shlex.quote, words))} "$@"\n'


def _typescript(request: IndexerRequest) -> IndexerCall:
    output = ("--output", request.output, "--no-progress-bar")
    for name in ("tsconfig.json", "jsconfig.json"):
        if os.path.isfile(os.path.join(request.context_root, name)):
            return IndexerCall(("index", os.path.join(request.context_root, name), *output))
    # For a folder without a configuration it would write one there; nothing is written into the user's tree.
    config = {
        "compilerOptions": {"allowJs": True, "noEmit": True, "skipLibCheck": True},
        "include": [f"{request.context_root}/**/*"],
        "exclude": [f"{request.context_root}/**/node_modules"],
    }
    project = os.path.join(request.folder, "tsconfig.json")
    return IndexerCall(("index", project, *output), files={"tsconfig.json": json.dumps(config)})


def _go(request: IndexerRequest) -> IndexerCall:
    return IndexerCall(("--output", request.output, "--module-version", VERSION_OF_PROJECT))


def _java(request: IndexerRequest) -> IndexerCall:
    return IndexerCall(("index", "--output", request.output, "--targetroot", os.path.join(request.folder, "target")))


def _dotnet(request: IndexerRequest) -> IndexerCall:
    return IndexerCall(("index", "--output", request.output))


def _clang(request: IndexerRequest) -> IndexerCall:
    return IndexerCall(("--compdb-path=compile_commands.json", f"--index-output-path={request.output}"))


def _rust(request: IndexerRequest) -> IndexerCall:
    return IndexerCall(("scip", ".", "--output", request.output))


_BUILDS = RunLimits(wall_s=1800.0)
_NPM = "npm install -g @sourcegraph/"
_GITHUB = "https://github.com/sourcegraph"
INDEXERS = (
    Indexer("scip-python", ("python",), _python, False, f"{_NPM}scip-python"),
    Indexer("scip-typescript", ("javascript",), _typescript, False, f"{_NPM}scip-typescript"),
    # The go command follows the module's toolchain line, and cgo runs a compiler with the module's flags.
    Indexer("scip-go", ("go",), _go, True, "go install github.com/scip-code/scip-go/cmd/scip-go@latest"),
    # Gradle, Maven and sbt builds are programs.
    Indexer("scip-java", ("jvm",), _java, True, "coursier install scip-java", limits=_BUILDS),
    # So are MSBuild projects.
    Indexer("scip-dotnet", ("dotnet",), _dotnet, True, "dotnet tool install -g scip-dotnet", limits=_BUILDS),
    # It asks the compiler that compile_commands.json names.
    Indexer("scip-clang", ("cpp",), _clang, True, f"{_GITHUB}/scip-clang/releases", limits=_BUILDS),
    # Build scripts and procedural macros.
    Indexer("rust-analyzer-scip", ("rust",), _rust, True, "rustup component add rust-analyzer", "rust-analyzer"),
)
_BY_NAME = {indexer.name: indexer for indexer in INDEXERS}


def indexer_named(name: str) -> Indexer | None:
    """The indexer of a name; None if it is not known."""
    return _BY_NAME.get(name)


def indexer_for(family: str) -> Indexer | None:
    """The indexer of a context's family; None if there is none."""
    return next((indexer for indexer in INDEXERS if family in indexer.families), None)


def common_folder(scope: RefreshScope) -> str:
    """The deepest folder that holds all of a scope; empty if that is the root or can't be told."""
    if scope.full or scope.changed_since is not None:
        return ""
    folders = [*scope.packages, *(os.path.dirname(name) for name in scope.files)]
    return os.path.commonpath(folders) if folders else ""
