"""`cairn read` and `cairn session`: files as they are, and short answers where the reader still has the rest."""

import argparse
import contextlib
import os
import sys
from typing import Any

from cairn.base.errors import CairnError, ExitCode, OutputError, UsageError
from cairn.base.text import json_text, printable, printable_lines
from cairn.questions.asking import file_meant, folder_of
from cairn.questions.question import Asked
from cairn.questions.read import READ
from cairn.readcache.meta import DERIVED
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.asked import add_command, answer
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import is_terminal
from cairn.surfaces.cli.notes import sentences, spelling
from cairn.surfaces.cli.text import encodable, say

SCHEMA_VERSION = 1
EVENTS = ("compaction", "navigate", "fork", "clear", "resume", "drop")


def add_to(commands: Any) -> None:
    """Add the commands that read files and keep sessions."""
    add_command(commands, READ, READ.name, READ.summary, {}, _add_several)
    _add_session(commands)


def _add_several(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("others", nargs="*", metavar="FILE[:A-B]", help="more files, or lines of them")
    parser.add_argument("--numbers", action="store_true", help="number the lines")
    parser.set_defaults(run=read)


def _add_session(commands: Any) -> None:
    parser = commands.add_parser(
        "session",
        help="conversations for cached reads: open one, tell what happened to it",
        description="Open a conversation for cached reads, or tell what happened to one.",
        epilog="Example: cairn session open --guarantee linear --json; cairn session event ID compaction",
        allow_abbrev=False,
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True, parser_class=type(parser))
    opening = actions.add_parser(
        "open",
        help="begin a conversation",
        description="Begin a conversation and say what its host guarantees.",
        epilog="Example: cairn session open --guarantee linear",
        allow_abbrev=False,
    )
    opening.add_argument("--guarantee", choices=("none", "linear", "tree"), default="none", help="what the host tells")
    opening.add_argument(
        "--boundary", choices=("strict", "first_kept"), default="strict", help="what a compaction leaves trusted"
    )
    opening.add_argument("--id", metavar="ID", help="the host's own name of the conversation")
    add_json(opening)
    opening.set_defaults(run=open_session)
    event = actions.add_parser(
        "event",
        help="tell what happened to a conversation",
        description="Tell what happened to a conversation: a host's hooks call this, not the model.",
        epilog="Example: cairn session event ID compaction",
        allow_abbrev=False,
    )
    event.add_argument("session", metavar="ID")
    event.add_argument("kind", choices=EVENTS, metavar="EVENT", help=", ".join(EVENTS))
    event.add_argument("--entry", type=int, metavar="ENTRY", help="what it points at: the first kept, the target")
    event.add_argument("--parent", type=int, metavar="ENTRY", help="in a tree session: the entry before this event")
    event.add_argument("--sequence", type=int, metavar="N", help="your own count of reads and events")
    add_json(event)
    event.set_defaults(run=tell)
    hook = actions.add_parser(
        "hook",
        help="for Claude Code's hooks: reads the hook's JSON from standard input",
        description="Take what Claude Code gives its hooks on standard input: open the conversation when it starts, "
        "and tell of every compaction, clear and prompt.",
        epilog="Example: see docs/reads.md for the lines in .claude/settings.json",
        allow_abbrev=False,
    )
    hook.set_defaults(run=run_hook)
    actions.add_parser(
        "nudge",
        help="for Claude Code's hooks: after a grep with many hits, a line that names the better call",
        description="Take what Claude Code tells of a tool on standard input, and say a line after a grep with many "
        "hits. It never blocks, and says nothing where anything is not as expected.",
        epilog="Example: `cairn install` writes it into .claude/settings.json",
        allow_abbrev=False,
    )
    refresh = actions.add_parser(
        "refresh",
        help="have the next read of a file give its content",
        description="Have the next read of a file, or of some lines, give the content itself.",
        epilog="Example: cairn session refresh ID src/lease.py:10-40",
        allow_abbrev=False,
    )
    refresh.add_argument("session", metavar="ID")
    refresh.add_argument("file", metavar="FILE[:A-B]")
    refresh.add_argument("--parent", type=int, metavar="ENTRY", help="in a tree session: the entry before this")
    add_json(refresh)
    refresh.set_defaults(run=run_refresh)


def read(options: argparse.Namespace) -> int:
    """Print files, or what changed in them for a session; the exit code."""
    if not options.others:
        return _read(options)
    if options.given_start_line is not None or options.given_end_line is not None:
        raise UsageError("Several files have lines of their own.", hint="Give lines like src/a.py:10-40.")
    codes = []
    first = options.given_sequence
    for at, file in enumerate((options.given_file, *options.others)):
        options.given_file = file
        options.given_sequence = str(int(first) + at) if first is not None and first.isdecimal() else first
        codes.append(_read_named(options, file))
    return next((code for code in codes if code != ExitCode.OK), ExitCode.OK)


def _read_named(options: argparse.Namespace, file: str) -> int:
    """One of several: under its name, or the error of it in its place."""
    from cairn.surfaces.cli.report import report

    if not options.json:
        say(f"==> {printable(file)} <==")
    try:
        return _read(options)
    except OutputError:
        raise
    except CairnError as error:
        return report(error, options.json)


def _read(options: argparse.Namespace) -> int:
    answered = answer(READ, {}, options)
    given, session = answered.answer.value.given, answered.values["session"]
    plain = given.text.removesuffix("\n")
    # A file's text must not act on a terminal; in a pipe its bytes stay as they are.
    shown = printable_lines(plain) if is_terminal() else plain
    said = shown
    if options.numbers and given.mode not in DERIVED:
        said = "\n".join(f"{number}\t{line}" for number, line in enumerate(shown.split("\n"), given.start_line))
    text = json_text(answered.document(spelling(READ, json=True))) if options.json else said
    try:
        say(text)
    except OutputError:
        # What did not get out was not given.
        _distrust(session)
        raise
    if not _fits(text) or shown != plain:
        _distrust(session)
    if options.json:
        return ExitCode.OK
    for sentence in sentences(answered.all_notes, spelling(READ)):
        say(f"warning: {sentence}", error=True)
    if session is not None and given.plain_because not in ("", "no text"):
        say(f"note: the content itself, since {given.plain_because}", error=True)
    return ExitCode.OK


def _distrust(session: str | None) -> None:
    """What was said to a session may not have reached it."""
    from cairn.config.user import cairn_home
    from cairn.readcache.cache import ReadCache

    if session is not None:
        ReadCache(cairn_home()).distrust(session)


def _fits(text: str) -> bool:
    """Whether standard output takes a text as it is; one in another encoding escapes what it can't hold."""
    return sys.stdout is None or encodable(text, sys.stdout) == text


def open_session(options: argparse.Namespace) -> int:
    """Open a session; the exit code."""
    from cairn.base.ulid import new_ulid
    from cairn.config.user import cairn_home
    from cairn.readcache.cache import ReadCache

    opened = ReadCache(cairn_home()).open_session(options.id or new_ulid(), options.guarantee, options.boundary)
    found = {
        "schema_version": SCHEMA_VERSION,
        "session_id": opened.session,
        "guarantee": opened.guarantee,
        "boundary": opened.boundary,
    }
    say(json_text(found) if options.json else opened.session)
    return ExitCode.OK


def tell(options: argparse.Namespace) -> int:
    """Tell a session what became of its context; the exit code."""
    from cairn.base.ulid import new_ulid
    from cairn.config.user import cairn_home
    from cairn.readcache.cache import ReadCache

    said = ReadCache(cairn_home()).event(
        options.session,
        options.kind,
        entry=options.entry,
        parent=options.parent,
        sequence=options.sequence,
        new_session=new_ulid(),
    )
    found = {"schema_version": SCHEMA_VERSION, "session_id": said.session, "entry": said.entry, "note": said.note}
    words = " ".join(filter(None, (said.session, f"entry {said.entry}" if said.entry else "", said.note)))
    say(json_text(found) if options.json else printable(words))
    return ExitCode.OK


def run_hook(_: argparse.Namespace) -> int:
    """What a hook prints when a conversation starts stands in its context: there the model finds the session."""
    from cairn.config.user import cairn_home
    from cairn.readcache.cache import ReadCache
    from cairn.readcache.hooks import answered_by

    cache = ReadCache(cairn_home())
    try:
        text = answered_by(cache, sys.stdin.read() if sys.stdin is not None else "")
    except UsageError:
        # It tells of no session, and whoever writes a prompt is not to hear of it.
        return ExitCode.OK
    except CairnError:
        # What can't be told must not be trusted: without its log every read is plain content.
        with contextlib.suppress(OSError):
            os.replace(cache.log.path, f"{cache.log.path}.distrusted")
        raise
    if text:
        say(text)
    return ExitCode.OK


def run_refresh(options: argparse.Namespace) -> int:
    """Have the next read of a file give its content; the exit code."""
    from cairn.codebase.codebase import Codebase
    from cairn.readcache.answers import ReadRequest
    from cairn.readcache.hooks import place_of

    path, start, end = place_of(options.file, current().at)
    with Codebase(folder_of(path, current())) as codebase:
        source = codebase.source(file_meant(path, Asked(codebase, current()))).source
        said = codebase.reads.refresh(options.session, source, ReadRequest(start, end, parent=options.parent))
    found = {"schema_version": SCHEMA_VERSION, "session_id": said.session, "entry": said.entry}
    say(json_text(found) if options.json else f"{said.session} entry {said.entry}")
    return ExitCode.OK
