"""`cairn serve`, `stop` and `watch`: the daemon, and a codebase kept up to date without one."""

import argparse
import contextlib
import signal
import threading
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from cairn.base.errors import BusyError, CairnError, ExitCode, RefusedError, UsageError
from cairn.base.text import json_text, plural, printable
from cairn.surfaces.cli.arguments import add_json, add_path
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.daemon.folder import DaemonFolder, RunningDaemon

_MOST_S = 30 * 86_400.0
_ENDED = {
    None: "no daemon runs",
    False: "the daemon has ended",
    True: "the daemon did not end by itself and was killed: nothing is lost by it",
}


def add_to(commands: Any) -> None:
    """Add the commands `serve`, `stop` and `watch`."""
    _serve(commands)
    _stop(commands)
    _watch(commands)


def _serve(commands: Any) -> None:
    parser = commands.add_parser(
        "serve",
        help="run the daemon: codebases stay open and watched, and answers come at once",
        description="Run the daemon of this home. While it runs, the other commands ask it over a private socket.",
        epilog="Example: cairn serve --detach --http 127.0.0.1:0",
        allow_abbrev=False,
    )
    parser.add_argument("--detach", action="store_true", help="return once it listens; it goes on in the background")
    parser.add_argument(
        "--http",
        metavar="HOST:PORT",
        help="also serve browsers, with a token (port 0: as last time)",
    )
    parser.add_argument("--expose", action="store_true", help="allow --http on an address that others may reach")
    parser.add_argument(
        "--name", action="append", default=[], metavar="NAME", help="with --expose: what others call this machine"
    )
    parser.add_argument("--idle-exit", type=float, metavar="SECONDS", help="end when nobody asked for so long")
    parser.add_argument("--by-itself", action="store_true", help=argparse.SUPPRESS)
    parser.add_argument("--no-watch", action="store_true", help="don't watch codebases: they are synced when asked")
    parser.add_argument(
        "--concurrency", type=int, metavar="N", help="how many questions are worked on at once (1 to 64)"
    )
    parser.add_argument("--queue", type=int, metavar="N", help="how many more may wait (0 to 1024, default 64)")
    add_json(parser)
    parser.set_defaults(run=serve)


def _stop(commands: Any) -> None:
    parser = commands.add_parser(
        "stop",
        help="end the daemon",
        description="End the daemon of this home; what it is answering is answered.",
        epilog="Example: cairn stop",
        allow_abbrev=False,
    )
    add_json(parser)
    parser.set_defaults(run=stop)


def _watch(commands: Any) -> None:
    parser = commands.add_parser(
        "watch",
        help="keep one index up to date until interrupted",
        description="Watch a folder and bring its index up to date whenever it changes, until interrupted. "
        "A daemon does this for all codebases.",
        epilog="Example: cairn watch ~/src/project",
        allow_abbrev=False,
    )
    add_path(parser)
    add_json(parser)
    parser.set_defaults(run=watch)


def serve(options: argparse.Namespace) -> int:
    """Run the server until it is stopped; the exit code."""
    from cairn.config.user import cairn_home
    from cairn.daemon.folder import DaemonFolder

    _require_sense(options)
    place = DaemonFolder(cairn_home())
    if options.detach:
        return _detached(options, place)
    if options.by_itself and not _makes_way(place):
        return ExitCode.OK
    from cairn.base.values import replace
    from cairn.daemon.admission import AdmissionLimits
    from cairn.program.server import Options, serve
    from cairn.surfaces.http.guard import address_of

    limits = AdmissionLimits()
    if options.concurrency is not None:
        limits = replace(limits, working=options.concurrency)
    if options.queue is not None:
        limits = replace(limits, waiting=options.queue)
    chosen = Options(
        address_of(options.http, tuple(options.name)) if options.http is not None else None,
        options.expose,
        not options.no_watch,
        options.idle_exit,
        options.by_itself,
        limits,
    )
    try:
        serve(place.home, chosen, lambda running: _listens(options, place, running))
    except RefusedError:
        # Another search was faster, and one daemon is enough.
        if not (options.by_itself and place.running()):
            raise
    return ExitCode.OK


def _makes_way(place: "DaemonFolder") -> bool:
    """Whether a daemon may start by itself: none runs, or one of an older version that ends for it."""
    from cairn.daemon.logbook import log
    from cairn.daemon.process import end
    from cairn.program.readiness import is_to_be_replaced

    running = place.running()
    if running is not None and is_to_be_replaced(running):
        log(f"a daemon of version {running.version} makes way")
        end(place, log)
        return True
    return running is None


def _require_sense(options: argparse.Namespace) -> None:
    if options.http is not None:
        from cairn.surfaces.http.guard import address_of

        address_of(options.http, tuple(options.name))
    elif options.expose:
        raise UsageError("--expose belongs to --http.", hint="Name an address with --http, or leave it out.")
    if options.name and not options.expose:
        raise UsageError("--name belongs to --expose.", hint="On loopback there is no other name; leave it out.")
    if options.idle_exit is not None and not 0 < options.idle_exit <= _MOST_S:
        raise UsageError(
            f"--idle-exit {options.idle_exit} is not allowed; give more than 0 and at most {_MOST_S:,.0f} seconds."
        )
    if options.concurrency is not None and not 1 <= options.concurrency <= 64:
        raise UsageError(f"--concurrency {options.concurrency} is not allowed; give a number from 1 to 64.")
    if options.queue is not None and not 0 <= options.queue <= 1024:
        raise UsageError(f"--queue {options.queue} is not allowed; give a number from 0 to 1024.")


def _detached(options: argparse.Namespace, place: "DaemonFolder") -> int:
    """Start the daemon as a process of its own, and wait until it listens."""
    from cairn.daemon.process import start

    words = [word for word in ("--expose", "--no-watch") if getattr(options, word[2:].replace("-", "_"))]
    for name in ("http", "idle_exit", "concurrency", "queue"):
        value = getattr(options, name)
        words += [f"--{name.replace('_', '-')}={value}"] if value is not None else []
    words += [f"--name={name}" for name in options.name]
    _listens(options, place, start(place, words))
    return ExitCode.OK


def _listens(options: argparse.Namespace, place: "DaemonFolder", running: "RunningDaemon") -> None:
    pid = running.owner.pid if running.owner is not None else None
    page = f"{running.url}/#token={place.token()}" if running.url else None
    if options.json:
        say(json_text({"socket": place.socket_path, "pid": pid, "url": running.url or None, "page": page}))
        return
    say(f"the daemon listens on {printable(place.socket_path)} (process {pid})")
    if page is not None:
        say(f"open {page}")


def stop(options: argparse.Namespace) -> int:
    """Stop the server that runs; the exit code."""
    from cairn.config.user import cairn_home
    from cairn.daemon.folder import DaemonFolder
    from cairn.daemon.process import end

    killed = end(DaemonFolder(cairn_home()), lambda text: say(text, error=True))
    if options.json:
        say(json_text({"stopped": killed is not None, "killed": bool(killed)}))
    else:
        say(_ENDED[killed])
    return ExitCode.OK


def watch(options: argparse.Namespace) -> int:
    """Keep an index up to date until interrupted; the exit code."""
    from cairn.codebase.codebase import Codebase
    from cairn.indexing.options import SyncOptions
    from cairn.surfaces.cli.progress import SyncProgress
    from cairn.workspace.watch import HintReason
    from cairn.workspace.watch import watch as hints

    ending = threading.Event()
    with _noted_interrupt(ending), Codebase(options.path, shared_store=options.shared_store) as codebase:
        # Settings that change bring another scanner along.
        for hint in hints(codebase.root_path, ending, pruned=lambda: codebase.detector.scanner.pruned_folders()):
            if hint.reason is HintReason.UNWATCHED:
                say(f"warning: only looked at now and then: {printable(hint.detail)}", error=True)
            try:
                with SyncProgress(current().err) as progress:
                    wish = SyncOptions(
                        walks=hint.reason is not HintReason.EVENTS, spares=hint.reason is not HintReason.START
                    )
                    result = codebase.index(wish, progress, create=hint.reason is HintReason.START)
            except BusyError as error:
                say(f"warning: {printable(error.message)}", error=True)
                continue
            except CairnError as error:
                if hint.reason is HintReason.START:
                    raise
                say(f"warning: {printable(error.message)}", error=True)
                continue
            if result.published or hint.reason is HintReason.START:
                _synced(options, codebase.root_path, result)
    # Nothing but an interrupt ends it.
    raise KeyboardInterrupt


@contextlib.contextmanager
def _noted_interrupt(ending: threading.Event) -> Iterator[None]:
    """Set the event at an interrupt, beside the exception.

    Python drops an exception that is raised in a finalizer or in a callback of a weak reference. An interrupt that came
    at such a moment would be lost, and the next wait would last for ever.
    """

    def note(number: int, frame: object) -> None:
        ending.set()
        raise KeyboardInterrupt

    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        # Whoever started it in the background wants it to go on.
        yield
        return
    signal.signal(signal.SIGINT, note)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _synced(options: argparse.Namespace, root: str, result: Any) -> None:
    snapshot = result.manifest.snapshot_id
    if options.json:
        document = {"root": root, "snapshot_id": snapshot, "indexed": result.indexed, "deleted": result.deleted}
        say(json_text(document))
        return
    say(f"snapshot {snapshot}: {plural(result.indexed, 'file')} indexed, {plural(result.deleted, 'file')} removed")
