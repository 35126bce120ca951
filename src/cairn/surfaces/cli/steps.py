"""The steps of hints as commands."""

import shlex

from cairn.base.steps import NextStep

COMMANDS = {
    "help": "cairn --help",
    "index": "cairn index",
    "index_folder": "cairn index {0}",
    "index_shared": "cairn index --shared-store FOLDER",
    "preview": "cairn index --dry-run",
    "preview_folder": "cairn index --dry-run {0}",
    "reindex": "cairn index --reindex",
    "index_degraded": "cairn index --allow-degraded",
    "migrate": "cairn engine migrate --to {0}",
    "repair": "cairn repair",
    "upgrade": "cairn upgrade-store",
    "clear": "cairn clear",
    "clear_all": "cairn clear --yes",
    "collect": "cairn gc --force",
    "collect_stores": "cairn gc --stores",
    "stores": "cairn stores",
    "status": "cairn status",
    "contexts": "cairn contexts",
    "refresh": "cairn refresh",
    "jobs": "cairn jobs",
    "job": "cairn jobs {0}",
    "edits": "cairn rename --list",
    "recover": "cairn rename --recover",
    "recover_with": "CAIRN_ENGINE={0} cairn rename --recover",
    "open_session": "cairn session open",
}


def command(step: NextStep) -> str:
    """The step as a command to run."""
    return f"run `{COMMANDS[step.action].format(shlex.quote(step.argument))}`"
