"""`cairn contexts`: which files are understood together, why others aren't, and how far their facts hold."""

import argparse
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cairn.base.errors import CorruptStoreError, UsageError
from cairn.base.text import plural, printable
from cairn.base.values import replace
from cairn.surfaces.cli.arguments import add_json, add_offline, add_path
from cairn.surfaces.cli.jobs import last_refresh, refresh_document

if TYPE_CHECKING:
    from cairn.codebase.bodies import Told
    from cairn.codebase.codebase import Codebase
    from cairn.semantic.contexts import Context, Survey
    from cairn.semantic.contexttable import KnownContext
    from cairn.semantic.filestatus import FileStatus
    from cairn.surfaces.cli.knowledge import Document, Shown

_TIERS = ("ambient", "workspace", "package")


def add_to(commands: Any) -> None:
    parser = commands.add_parser(
        "contexts",
        help="which files are understood together, by what manifests",
        description="Show the contexts of a codebase: roots of each language family, found by their manifests, and "
        "whether their files can be understood. What is indexed is brought up to date first.",
        epilog="Example: cairn contexts ~/src/project --json",
        allow_abbrev=False,
    )
    add_path(parser)
    parser.add_argument("--states", action="store_true", help="say how many files' facts are clean, dirty and so on")
    parser.add_argument("--file", metavar="FILE", default=None, help="only this file: its context, state and flags")
    parser.add_argument("--no-sync", action="store_true", help="only read: ask the snapshot as it is")
    add_offline(parser)
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cairn.surfaces.cli.code import answer, file_meant

    if options.file is None:
        known: dict[str, KnownContext] = {}

        def ask(codebase: "Codebase", synced: bool) -> "Told[Any]":
            told = codebase.insight.contexts(states=options.states, synced=synced)
            try:
                known.update(codebase.refreshing.known())
            except CorruptStoreError as error:
                # Contexts come from the snapshot; of the control file there is only when they were refreshed.
                return replace(told, warnings=(*told.warnings, f"{error.message} {error.hint}"))
            return told

        return answer(options, options.path, ask, lambda told, _: _shown(told, known))
    if options.states:
        raise UsageError("--states doesn't go with --file.", hint="Leave one of them out.")
    return answer(
        options,
        options.path,
        lambda codebase, synced: codebase.insight.file_standing(file_meant(options.file, codebase), synced=synced),
        _shown_file,
    )


def _shown(told: "Told[Survey]", known: "Mapping[str, KnownContext]") -> "Shown":
    from cairn.surfaces.cli.knowledge import Shown

    value = told.value

    def lines(_colour: bool) -> Iterable[str]:
        # An ambient family without a file is no news.
        listed = [each for each in value.contexts if each.manifests or value.members[each.id]]
        rows = [_row(each, value, known.get(each.id)) for each in listed]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for family, count in value.unowned.items():
            yield f"{plural(count, f'{family} file')} without a context"

    document: Document = {
        "contexts": [_document(each, value, known.get(each.id)) for each in value.contexts],
        "unowned": dict(value.unowned),
        "faults": [{"path": fault.path, "message": fault.message} for fault in value.faults],
    }
    return Shown(told, document, lines, plural(len(value.contexts), "context"))


def _row(context: "Context", found: "Survey", known: "KnownContext | None") -> tuple[str, ...]:
    return (
        printable(context.id),
        _TIERS[context.tier],
        found.probes[context.id].status,
        plural(len(found.members[context.id]), "file"),
        # No tool gives facts of an ambient family.
        *((_counts(found.states[context.id]) if context.manifests else "",) if found.states else ()),
        printable(", ".join(context.manifests)),
        last_refresh(known),
    )


def _counts(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in states.items() if count)


def _document(context: "Context", found: "Survey", known: "KnownContext | None") -> "Document":
    probe = found.probes[context.id]
    return {
        "id": context.id,
        "family": context.family,
        "root": context.root,
        "tier": _TIERS[context.tier],
        "status": probe.status,
        "workspace": context.workspace,
        "manifests": list(context.manifests),
        "excludes": list(context.holes),
        "files": len(found.members[context.id]),
        "samples": list(probe.samples),
        "config_hash": context.config_hash,
        **refresh_document(known),
        **({"states": dict(found.states[context.id])} if found.states else {}),
    }


def _shown_file(told: "Told[FileStatus]", _options: argparse.Namespace) -> "Shown":
    from cairn.surfaces.cli.knowledge import Shown, since

    value = told.value

    def lines(_colour: bool) -> Iterable[str]:
        if value.context is None:
            yield f"{printable(value.path)}  no context{since(told, value.path)}"
            return
        state = f"{value.state.freshness}, {value.state.certainty}"
        yield f"{printable(value.path)}  {printable(value.context)} ({value.probe})  {state}{since(told, value.path)}"
        if value.job_id:
            yield f"    facts by {printable(value.tool or 'an unknown tool')}, job {value.job_id}"
        for flag in value.flags:
            yield f"{flag.line:>6}  {flag.kind}  {printable(flag.what)}"

    document: Document = {
        "path": value.path,
        "context": value.context,
        "probe": value.probe or None,
        "freshness": value.state.freshness,
        "certainty": value.state.certainty,
        "tool": value.tool or None,
        "job_id": value.job_id or None,
        "flags": [{"line": flag.line, "kind": flag.kind, "what": flag.what} for flag in value.flags],
        "changed_since": value.path in told.changed,
    }
    return Shown(told, document, lines, plural(len(value.flags), "flag"))
