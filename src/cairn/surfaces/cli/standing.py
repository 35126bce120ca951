"""`cairn` without a command: where one stands, and what to do next."""

import argparse
import os
from collections.abc import Mapping, Sequence

from cairn import __version__
from cairn.base.errors import ExitCode
from cairn.base.text import json_text, plural, printable
from cairn.base.values import as_dict
from cairn.codebase import standing
from cairn.codebase.standing import Standing, standing_of
from cairn.questions.narrowing import codebase_around
from cairn.surfaces.cli.arguments import SHARED_STORE
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import BOLD, DIM, WARN, age_of, paint, wants_colour
from cairn.surfaces.cli.text import say

Steps = Sequence[tuple[str, str]]
_SEARCH = ('cairn search "how is a request answered"', "ask in words, or by name")
_HELP = ("cairn --help", "all commands")
_STEPS: Mapping[str, Steps] = {
    standing.NO_CODEBASE: (
        ("cairn stores", "what is indexed already"),
        ('cairn search --all "words"', "ask all of it"),
        ("cairn index ~/src/project", "index a folder"),
    ),
    standing.MISCONFIGURED: (
        ("cairn config edit --project", "mend the settings of the codebase"),
        ("cairn config edit", "mend your own"),
        ("cairn doctor", "look for what else is wrong"),
    ),
    standing.DAMAGED: (
        ("cairn health", "see what is damaged"),
        ("cairn repair", "make it anew"),
        ("cairn doctor", "look for the cause on this machine"),
    ),
    "indexing": (
        ("cairn status", "see how far it is"),
        ("cairn stores", "what is indexed already"),
        _HELP,
    ),
    "requires_reindex": (
        ("cairn index --reindex", "make the index anew"),
        ("cairn config", "see the settings, and where they come from"),
        ("cairn status", "see what changed"),
    ),
    "indexfailed": (
        ("cairn index", "try again"),
        ("cairn index --dry-run", "see what would be indexed, and what not"),
        ("cairn doctor", "look for the cause on this machine"),
    ),
    "not_indexed": (
        ("cairn index --dry-run", "see what would be indexed, and what not"),
        ("cairn index", "index it"),
        (_SEARCH[0], "index it, and ask"),
    ),
}
_FRESH: Steps = (
    _SEARCH,
    ("cairn map", "see what it is made of"),
    ("cairn symbol NAME", "go to a definition"),
)
_MOVED: Steps = (_SEARCH, ("cairn impact", "see what your changes reach"), ("cairn tests", "see which tests see them"))


def run(options: argparse.Namespace) -> int:
    """Tell where one stands; never an error."""
    found = standing_of(current().at(codebase_around(current())), current().variable(SHARED_STORE) or None)
    steps = _steps(found)
    if options.json:
        document = {**as_dict(found), "root": _shown_root(found), "next": [command for command, _ in steps]}
        say(json_text(document))
    else:
        say("\n".join(_lines(found, steps, wants_colour())))
    return ExitCode.OK


def _steps(found: Standing) -> Steps:
    moved = found.tree is not None and any(found.tree.values())
    return _STEPS.get(found.state, _MOVED if moved else _FRESH)


def _shown_root(found: Standing) -> str:
    try:
        return os.path.abspath(found.root)
    except OSError:
        return found.root  # the folder that one stands in is gone


def _lines(found: Standing, steps: Steps, colour: bool) -> list[str]:
    lines = [f"{paint(printable(_shown_root(found)), BOLD, colour)}  {paint(f'cairn {__version__}', DIM, colour)}"]
    if found.snapshot_id:
        lines.append(f"  {plural(found.files, 'file')}, snapshot {found.snapshot_id}, {age_of(found.created_at)}")
        lines.append(f"  {_moved(found)}")
    if found.message:
        lines.append(f"  {paint(printable(found.message), WARN, colour)}")
    width = max(len(command) for command, _ in steps)
    lines += ["", *(f"  {command:<{width}}  {paint(text, DIM, colour)}" for command, text in steps)]
    return lines if _HELP in steps else [*lines, f"  {_HELP[0]:<{width}}  {paint(_HELP[1], DIM, colour)}"]


def _moved(found: Standing) -> str:
    if found.tree is None:
        return "`cairn status` looks whether the tree has moved since"
    since = ", ".join(f"{count:,} {kind}" for kind, count in found.tree.items() if count)
    return f"since then: {since}; the next question brings it up to date" if since else "the tree is as indexed"
