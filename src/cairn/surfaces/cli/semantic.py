"""`cairn contexts`: which files are understood together, and why others aren't."""

import argparse
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from cairn.surfaces.cli.arguments import add_json, add_offline, add_path
from cairn.surfaces.cli.text import plural, printable

if TYPE_CHECKING:
    from cairn.semantic.contexts import Context, Survey
    from cairn.surfaces.cli.knowledge import Document, Shown
    from cairn.told import Told

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
    parser.add_argument("--no-sync", action="store_true", help="only read: ask the snapshot as it is")
    add_offline(parser)
    add_json(parser)
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cairn.surfaces.cli.code import answer

    return answer(options, options.path, lambda codebase, synced: codebase.insight.contexts(synced=synced), _shown)


def _shown(told: "Told[Survey]", _options: argparse.Namespace) -> "Shown":
    from cairn.surfaces.cli.knowledge import Shown

    value = told.value

    def lines(_colour: bool) -> Iterable[str]:
        # An ambient family without a file is no news.
        listed = [each for each in value.contexts if each.manifests or value.members[each.id]]
        rows = [_row(each, value) for each in listed]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for family, count in value.unowned.items():
            yield f"{plural(count, f'{family} file')} without a context"

    document: Document = {
        "contexts": [_document(each, value) for each in value.contexts],
        "unowned": dict(value.unowned),
        "faults": [{"path": fault.path, "message": fault.message} for fault in value.faults],
    }
    return Shown(told, document, lines, plural(len(value.contexts), "context"))


def _row(context: "Context", found: "Survey") -> tuple[str, ...]:
    return (
        printable(context.id),
        _TIERS[context.tier],
        found.probes[context.id].status,
        plural(len(found.members[context.id]), "file"),
        printable(", ".join(context.manifests)),
    )


def _document(context: "Context", found: "Survey") -> "Document":
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
    }
