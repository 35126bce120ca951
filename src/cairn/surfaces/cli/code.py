"""`cairn symbol`, `refs`, `callers`, `callees`, `outline`, `map`, `imports`, `impact` and `slice`."""

import argparse
import os
import shlex
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from cairn.base.errors import ExitCode, NotIndexedError, UsageError
from cairn.base.text import json_text
from cairn.surfaces.cli.arguments import add_json, add_offline, add_path, add_store
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.search import sync_first
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.base.notes import Note
    from cairn.codebase.bodies import Told
    from cairn.codebase.codebase import Codebase
    from cairn.surfaces.cli.knowledge import Shown

_SOME = 50
_MOST = 2_000


def add_to(commands: Any) -> None:
    _symbol(commands)
    _refs(commands)
    for way in ("callers", "callees"):
        _calls(commands, way)
    _outline(commands)
    _map(commands)
    _imports(commands)
    _impact(commands)
    _slice(commands)


def _symbol(commands: Any) -> None:
    parser = _parser(commands, "symbol", "where something is defined", "cairn symbol Lease.release")
    parser.add_argument("name", metavar="NAME", help="a name, owner.name, an id, or FILE:LINE[:COLUMN] of a use")
    _codebases(parser)
    _limit(parser)
    _common(parser, _run_symbol)


def _refs(commands: Any) -> None:
    parser = _parser(commands, "refs", "where something is used, and how sure that is", "cairn refs src/lease.py:12")
    parser.add_argument("name", metavar="NAME|FILE:LINE", help="a name, owner.name, an id, or FILE:LINE[:COLUMN]")
    _codebases(parser)
    _limit(parser)
    _common(parser, _run_refs)


def _calls(commands: Any, way: str) -> None:
    told = "what calls something" if way == "callers" else "what something calls"
    parser = _parser(commands, way, told, f"cairn {way} Lease.release --depth 2")
    parser.add_argument("name", metavar="NAME|FILE:LINE", help="a name, owner.name, an id, or FILE:LINE[:COLUMN]")
    add_path(parser)
    parser.add_argument("--both", action="store_true", help="callers and callees")
    parser.add_argument("--depth", type=int, default=1, metavar="N", help="how many steps, 1 to 3 (default 1)")
    parser.add_argument(
        "--nodes", type=int, default=100, metavar="N", help="how many definitions, 1 to 2000 (default 100)"
    )
    parser.add_argument("--fan-out", type=int, default=25, metavar="N", help="how many of each, 1 to 500 (default 25)")
    parser.add_argument("--notes", type=int, default=50, metavar="N", help="how many notes, 0 to 1000 (default 50)")
    _pictures(parser)
    _common(parser, lambda options: _run_calls(options, way))


def _outline(commands: Any) -> None:
    parser = _parser(commands, "outline", "what a file defines, as a tree", "cairn outline src/lease.py")
    parser.add_argument("file", metavar="FILE", help="a file of the codebase")
    parser.add_argument("--symbol", metavar="ID|LABEL", help="one definition, by its id or (qualified) name")
    parser.add_argument("--budget", type=int, default=None, metavar="TOKENS", help="as much as fits")
    add_store(parser)
    _common(parser, _run_outline)


def _map(commands: Any) -> None:
    parser = _parser(commands, "map", "what a repository is made of and which files matter most", "cairn map")
    add_path(parser)
    parser.add_argument("--budget", type=int, default=2_000, metavar="TOKENS", help="as much as fits (default 2000)")
    _common(parser, _run_map)


def _imports(commands: Any) -> None:
    parser = _parser(commands, "imports", "what a file imports, and who imports it", "cairn imports src/lease.py")
    parser.add_argument("file", metavar="FILE", help="a file of the codebase")
    add_store(parser)
    _pictures(parser)
    _common(parser, _run_imports)


def _impact(commands: Any) -> None:
    parser = _parser(
        commands,
        "impact",
        "what a change reaches: symbols, callers, dependants and tests",
        "cairn impact --since main",
    )
    parser.add_argument("files", nargs="*", metavar="FILE", help="only these files (default: all that changed)")
    parser.add_argument("--since", metavar="REV", help="what differs from this commit, branch or tag (default HEAD)")
    parser.add_argument("--root", metavar="PATH", default=None, help="the codebase (default: that of the files)")
    add_store(parser)
    parser.add_argument("--depth", type=int, default=2, metavar="N", help="how many steps, 1 to 3 (default 2)")
    _pictures(parser)
    _common(parser, _run_impact)


def _slice(commands: Any) -> None:
    parser = _parser(
        commands,
        "slice",
        "definitions, uses and flow of a name inside one function",
        "cairn slice src/lease.py:42 epoch",
    )
    parser.add_argument("place", metavar="FILE:LINE", help="a line of the function")
    parser.add_argument("name", metavar="NAME", help="the name to follow")
    add_store(parser)
    _common(parser, _run_slice)


def _parser(commands: Any, name: str, told: str, example: str) -> Any:
    parser = commands.add_parser(
        name,
        help=told,
        description=f"Show {told}. What is indexed is brought up to date first.",
        epilog=f"Example: {example}",
        allow_abbrev=False,
    )
    parser.intermixed = True
    return parser


def _codebases(parser: argparse.ArgumentParser) -> None:
    """One codebase by a path in it, or several by their roots."""
    add_path(parser)
    # None tells a path that was named from one that wasn't.
    parser.set_defaults(path=None)
    parser.add_argument(
        "--root", dest="roots", action="append", default=[], metavar="PATH", help="a codebase to ask (repeatable)"
    )
    parser.add_argument("--all", action="store_true", help="ask every codebase that is indexed")


def _limit(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "-k", "--limit", type=int, default=_SOME, metavar="N", help=f"how many, 1 to {_MOST} (default {_SOME})"
    )


def _pictures(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--dot", action="store_true", help="print a graph for Graphviz")
    parser.add_argument("--mermaid", action="store_true", help="print a graph for Mermaid")


def _common(parser: argparse.ArgumentParser, run: Callable[[argparse.Namespace], int]) -> None:
    parser.add_argument("--no-sync", action="store_true", help="only read: ask the snapshot as it is")
    add_offline(parser)
    add_json(parser)
    parser.set_defaults(run=run)


def _run_symbol(options: argparse.Namespace) -> int:
    from cairn.surfaces.cli import knowledge

    _require_limit(options.limit)
    if _asks_several(options):
        from cairn.surfaces.cli import several

        return several.symbols(options, sync_known)

    def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
        return codebase.insight.symbol(_target(options.name, codebase), options.limit, synced=synced)

    return answer(options, options.path or next(iter(options.roots), "."), ask, knowledge.symbols)


def _asks_several(options: argparse.Namespace) -> bool:
    if options.path is not None and (options.roots or options.all):
        raise UsageError("A path stands beside --root or --all.", hint="Name every codebase with --root.")
    return options.all or len(options.roots) > 1


def sync_known(codebase: "Codebase") -> "tuple[bool, list[Note]]":
    """Bring an index up to date where there is one: these questions never make one."""
    _require_readable(codebase)
    return sync_first(codebase, create=False)


def _require_readable(codebase: "Codebase") -> None:
    """The gates; where there is no index, the command that mends it names the codebase if the user stands elsewhere."""
    root = codebase.root.path
    try:
        codebase.require_readable()
    except NotIndexedError as error:
        if f"{os.path.realpath(current().at('.'))}/".startswith(f"{root.rstrip('/')}/"):
            raise
        hint = f"Name a path of a codebase that is indexed, or run `cairn index {shlex.quote(root)}` first."
        raise NotIndexedError(error.message, hint=hint) from error


def _run_refs(options: argparse.Namespace) -> int:
    from cairn.surfaces.cli import knowledge

    _require_limit(options.limit)
    if _asks_several(options):
        from cairn.surfaces.cli import several

        return several.references(options, sync_known)

    def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
        return codebase.insight.references(_target(options.name, codebase), options.limit, synced=synced)

    return answer(options, options.path or next(iter(options.roots), "."), ask, knowledge.references)


def _run_calls(options: argparse.Namespace, way: str) -> int:
    from cairn.graph.calls import Limits
    from cairn.surfaces.cli import relations

    limits = Limits(options.depth, options.nodes, options.fan_out, options.notes)

    def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
        direction = "both" if options.both else way
        return codebase.insight.calls(_target(options.name, codebase), direction, limits, synced=synced)

    return answer(options, options.path, ask, relations.calls)


def _run_outline(options: argparse.Namespace) -> int:
    from cairn.surfaces.cli import knowledge

    _require_budget(options.budget)
    if options.budget is not None and options.symbol is not None:
        raise UsageError("--budget doesn't go with --symbol.", hint="Leave one of them out.")

    def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
        return codebase.insight.outline(
            file_meant(options.file, codebase), options.symbol, options.budget, synced=synced
        )

    return answer(options, folder_of(options.file), ask, knowledge.outline)


def _run_map(options: argparse.Namespace) -> int:
    from cairn.surfaces.cli import relations

    _require_budget(options.budget)

    def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
        return codebase.insight.map(options.budget, synced=synced)

    return answer(options, options.path, ask, relations.repo_map)


def _run_imports(options: argparse.Namespace) -> int:
    from cairn.surfaces.cli import relations

    def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
        return codebase.insight.imports(file_meant(options.file, codebase), synced=synced)

    return answer(options, folder_of(options.file), ask, relations.imports)


def _run_impact(options: argparse.Namespace) -> int:
    from cairn.graph.calls import Limits
    from cairn.surfaces.cli import relations

    limits = Limits(options.depth, 500, 100, 50)

    def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
        files = [file_meant(file, codebase) for file in options.files]
        return codebase.insight.impact(codebase.detector.git, options.since, files, limits, synced=synced)

    folder = options.root or (folder_of(options.files[0]) if options.files else ".")
    return answer(options, folder, ask, relations.impact)


def _run_slice(options: argparse.Namespace) -> int:
    from cairn.graph.targets import place_of
    from cairn.surfaces.cli import knowledge

    place = place_of(options.place)
    if place is None:
        raise UsageError(f"{options.place} is no place.", hint="Name a line, like src/a.py:42.")
    if not options.name.strip():
        raise UsageError("No name is given.", hint="Name what to follow, like cairn slice src/a.py:42 epoch.")

    def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
        return codebase.insight.slice(file_meant(place.path, codebase), place.line, options.name, synced=synced)

    return answer(options, folder_of(place.path), ask, knowledge.local_slice)


def answer(
    options: argparse.Namespace,
    folder: str,
    ask: Callable[["Codebase", bool], "Told[Any]"],
    show: Callable[["Told[Any]", argparse.Namespace], "Shown"],
) -> int:
    """Bring what is indexed up to date, ask, and show the answer as it is wanted."""
    wanted = [name for name in ("json", "dot", "mermaid") if getattr(options, name, False)]
    if len(wanted) > 1:
        raise UsageError(f"--{wanted[0]} and --{wanted[1]} exclude each other.", hint="Leave one of them out.")
    with current().opened(folder, options.shared_store) as codebase:
        _require_readable(codebase)
        synced, notes = (False, []) if options.no_sync else sync_first(codebase, create=False)
        told = ask(codebase, synced)
    shown = show(told, options)
    if options.json:
        from cairn.surfaces.cli.knowledge import envelope

        say(json_text(envelope(told, notes, shown.document)))
    elif wanted:
        shown.draw(wanted[0], notes)
    else:
        shown.print(notes)
    return ExitCode.OK


def folder_of(file: str) -> str:
    """Where the codebase of a file is: git's or a tracked one around it, else the folder that it lies in.

    Where codebases lie in each other, it is the one that the user stands in.
    """
    from cairn.lifecycle.registry import Registry
    from cairn.lifecycle.roots import effective_root
    from cairn.workspace import cairn_home

    if not file:
        raise UsageError("No file is named.", hint="Name a file of the codebase, like src/a.py.")
    named = os.path.realpath(os.path.dirname(os.path.abspath(current().at(file))))
    folder = named
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    if _is_in_git(folder):
        return folder
    roots = [row.root for row in Registry(cairn_home()).all()]
    here = effective_root(os.path.realpath(current().at(".")), roots)
    if here is not None and effective_root(named, (here,)) is not None:
        return here
    return effective_root(named, roots) or folder


def _is_in_git(folder: str) -> bool:
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return False
        folder = os.path.dirname(folder)
    return True


def file_meant(name: str, codebase: "Codebase") -> str:
    """A file as the user names it: from where they stand if it is there, else from the root if it is there."""
    here = os.path.abspath(current().at(name))
    # The file itself may be a link, which has a name of its own in the index; folders above it are what they are.
    real = os.path.join(os.path.realpath(os.path.dirname(here)), os.path.basename(here))
    if not os.path.lexists(real) and os.path.lexists(os.path.join(codebase.root.path, name)):
        return name
    return real


def _target(text: str, codebase: "Codebase") -> str:
    """A place that was named from here, from the root on; a name as it is."""
    from cairn.graph.targets import place_of

    place = place_of(text)
    if place is None:
        return text
    column = "" if place.column is None else f":{place.column}"
    return f"{file_meant(place.path, codebase)}:{place.line}{column}"


def _require_limit(limit: int) -> None:
    if not 1 <= limit <= _MOST:
        raise UsageError(f"--limit {limit} is not allowed; give a number from 1 to {_MOST}.")


def _require_budget(tokens: int | None) -> None:
    from cairn.config.project import MAX_BUDGET_TOKENS

    if tokens is not None and not 1 <= tokens <= MAX_BUDGET_TOKENS:
        raise UsageError(f"--budget {tokens} is not allowed; give a number from 1 to {MAX_BUDGET_TOKENS}.")
