"""`cairn engine migrate`: move an index to another vector engine."""

import argparse
from typing import Any

from cairn.config.project import ENGINES
from cairn.surfaces.cli.arguments import add_json, add_path

SCHEMA_VERSION = 1


def add_to(commands: Any) -> None:
    """Add the command `engine`."""
    parser = commands.add_parser(
        "engine",
        help="move the index to another vector engine",
        description="Look after where vectors live.",
        epilog="Example: cairn engine migrate --to lancedb ~/src/project",
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=type(parser))
    migrate = actions.add_parser(
        "migrate",
        help="copy the index into the engine that the settings name",
        description="Copy the index into the engine that the settings name now. Nothing is embedded again, and the "
        "former store stays until `cairn gc --stores` removes it.",
        epilog="Example: cairn engine migrate --to lancedb ~/src/project",
        allow_abbrev=False,
    )
    migrate.add_argument("--to", required=True, choices=ENGINES, help="the engine, as it is named in the settings")
    add_path(migrate)
    add_json(migrate)
    migrate.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from cairn.base.text import json_text, plural
    from cairn.codebase.codebase import Codebase
    from cairn.surfaces.cli.text import say

    with Codebase(options.path, shared_store=options.shared_store) as codebase:
        manifest = codebase.migrate(options.to)
    document = {
        "schema_version": SCHEMA_VERSION,
        "engine": options.to,
        "migrated": manifest is not None,
        "snapshot_id": manifest.snapshot_id if manifest is not None else None,
    }
    if manifest is None:
        line = f"the index is in {options.to} already"
    else:
        line = (
            f"copied {plural(manifest.counts.chunks_live, 'chunk')} of {plural(manifest.counts.files_live, 'file')} "
            f"into {options.to}: snapshot {manifest.snapshot_id}"
        )
    say(json_text(document) if options.json else line)
    return 0
