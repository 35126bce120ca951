"""`cairn read` and `cairn session`: files as they are, and short answers where the reader still has the rest."""

import argparse
import contextlib
import os
import sys
from typing import TYPE_CHECKING, Any

from cairn.base.errors import CairnError, ExitCode, OutputError, UsageError
from cairn.base.text import json_text, printable, printable_lines
from cairn.questions.asking import folder_of
from cairn.surfaces.cli.arguments import add_json, add_offline
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import is_terminal
from cairn.surfaces.cli.text import encodable, say

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.readcache.answers import ReadAnswer, SourceState

SCHEMA_VERSION = 1
EVENTS = ("compaction", "navigate", "fork", "clear", "resume", "drop")


def add_to(commands: Any) -> None:
    """Add the commands that read files and keep sessions."""
    parser = commands.add_parser(
        "read",
        help="a file or some of its lines; with a session, only what changed",
        description="Print a file of an indexed tree as it is now. With --session, say 'unchanged' or show a diff "
        "where the conversation still has the rest.",
        epilog="Example: cairn read src/lease.py:10-40 --session 01M7... --json",
        allow_abbrev=False,
    )
    parser.add_argument("file", metavar="FILE[:A-B]", help="a file, and lines of it")
    parser.add_argument("--session", metavar="ID", help="the conversation, from `cairn session open`")
    parser.add_argument("--parent", type=int, metavar="ENTRY", help="in a tree session: the entry before this read")
    parser.add_argument("--sequence", type=int, metavar="N", help="your own count of reads and events")
    parser.add_argument("--bypass", action="store_true", help="the content itself, whatever was read before")
    parser.add_argument("--max-bytes", type=int, default=1_000_000, metavar="N", help="how much text at most")
    add_offline(parser)
    add_json(parser)
    parser.set_defaults(run=read)
    _add_session(commands)


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
    """Print a file, or what changed in it for a session; the exit code."""
    from cairn.readcache.answers import ReadRequest
    from cairn.readcache.places import place_of

    if not 1 <= options.max_bytes <= 100_000_000:
        raise UsageError(f"--max-bytes {options.max_bytes} is not allowed; give 1 to 100000000.")
    path, start, end = place_of(options.file)
    request = ReadRequest(
        start, end, options.session, options.parent, options.sequence, options.bypass, options.max_bytes
    )
    with current().opened(folder_of(path, current())) as codebase:
        now = codebase.source(_named(codebase, path))
        answer = codebase.reads.read(request, now.source)
        plain = answer.text.removesuffix("\n")
        # A file's text must not act on a terminal; in a pipe its bytes stay as they are.
        shown = printable_lines(plain) if is_terminal() else plain
        text = json_text(document(answer, now)) if options.json else shown
        try:
            say(text)
        except OutputError:
            if options.session is not None:
                # What did not get out was not given.
                codebase.reads.distrust(options.session)
            raise
        if options.session is not None and (not _fits(text) or shown != plain):
            codebase.reads.distrust(options.session)
    if answer.truncated and not options.json:
        where = f"cut at line {answer.end_line}: read on with :{answer.end_line + 1}-"
        say(where if answer.end_line >= answer.start_line else "cut: that line is longer than --max-bytes", error=True)
    return ExitCode.OK


def _fits(text: str) -> bool:
    """Whether standard output takes a text as it is; one in another encoding escapes what it can't hold."""
    return sys.stdout is None or encodable(text, sys.stdout) == text


def document(answer: "ReadAnswer", now: "SourceState") -> dict[str, object]:
    """A read as JSON."""
    return {
        "schema_version": SCHEMA_VERSION,
        "path": answer.path,
        "mode": answer.mode.value,
        "text": answer.text,
        "total_lines": answer.total_lines,
        "start_line": answer.start_line,
        "end_line": answer.end_line,
        "truncated": answer.truncated,
        "file_hash": answer.file_hash,
        "snapshot_id": now.snapshot_id,
        "indexed": now.indexed,
        "changed_since": now.changed,
        "entry": answer.entry,
        "readcache": answer.metadata(),
        "plain_because": answer.plain_because or None,
    }


def open_session(options: argparse.Namespace) -> int:
    """Open a session; the exit code."""
    from cairn.base.ulid import new_ulid
    from cairn.readcache.cache import ReadCache
    from cairn.workspace import cairn_home

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
    from cairn.readcache.cache import ReadCache
    from cairn.workspace import cairn_home

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
    from cairn.readcache.cache import ReadCache
    from cairn.readcache.hooks import answered_by
    from cairn.workspace import cairn_home

    cache = ReadCache(cairn_home())
    try:
        text = answered_by(cache, sys.stdin.read() if sys.stdin is not None else "")
    except UsageError as error:
        # The exit code of wrong usage would keep Claude Code from taking the prompt.
        raise CairnError(error.message, hint=error.hint) from error
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
    from cairn.readcache.places import place_of

    path, start, end = place_of(options.file)
    with Codebase(folder_of(path, current())) as codebase:
        source = codebase.source(_named(codebase, path)).source
        said = codebase.reads.refresh(options.session, source, ReadRequest(start, end, parent=options.parent))
    found = {"schema_version": SCHEMA_VERSION, "session_id": said.session, "entry": said.entry}
    say(json_text(found) if options.json else f"{said.session} entry {said.entry}")
    return ExitCode.OK


def _named(codebase: "Codebase", path: str) -> str:
    """A file as the user names it: from where they stand if it is there, else from the root."""
    here = os.path.realpath(current().at(path))
    return here if os.path.exists(here) or os.path.isabs(path) else path
