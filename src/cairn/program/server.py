"""The process: take the lock, listen, serve until somebody says stop or nobody asks any more."""

import asyncio
import contextlib
import errno
import logging
import os
import resource
import signal
import socket
import sys
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import partial
from typing import cast

import uvicorn
from starlette.routing import Route
from starlette.types import ASGIApp

from cairn import __version__
from cairn.base.errors import RefusedError, StorageError, UsageError
from cairn.base.owner import this_process
from cairn.base.values import dataclass, replace
from cairn.codebase.pool import Pool
from cairn.daemon.admission import Admission, AdmissionLimits
from cairn.daemon.client import COMMAND_PATH, TOOL_PATH
from cairn.daemon.desk import RequestDesk
from cairn.daemon.folder import DaemonFolder, RunningDaemon
from cairn.daemon.logbook import LibraryLogHandler, log, loop_failed
from cairn.daemon.metrics import give_back, settle
from cairn.daemon.syncs import DaemonState, Syncs
from cairn.daemon.watching import Watching
from cairn.lifecycle.registry import Registry
from cairn.program.relay import answer, relay
from cairn.surfaces.http.app import build
from cairn.surfaces.http.connections import Connection, Connections, Patience
from cairn.surfaces.http.guard import Address, Guard
from cairn.surfaces.http.served import Daemon

_GRACE_S = 10
_LOOK_S = 0.2
_HANDLES = 65_536
_SWITCH_S = 0.001
_BACKLOG = 128
_MOST_HEAD_BYTES = 1 << 20
_OWN_ADDRESS = "Use an address of this machine, such as --http 127.0.0.1:0."
_OTHER_PORT = "Use another port, or 0 for any that is free."
_OF_THE_PORT = (errno.EADDRINUSE, errno.EACCES)


@dataclass(frozen=True, slots=True)
class Options:
    """How a server runs."""

    http: Address | None = None
    expose: bool = False
    """Whether to listen where other machines may reach us."""
    watches: bool = True
    idle_exit_s: float | None = None
    by_itself: bool = False
    """Whether a search started it, and no user."""
    limits: AdmissionLimits = AdmissionLimits()


def serve(home: str, options: Options, said: Callable[[RunningDaemon], None]) -> None:
    """Be the daemon of a home until it is stopped; `told` hears once it listens."""
    place = DaemonFolder(home)
    _require_loopback(options)
    with place.held() as held, contextlib.ExitStack() as stack:
        _raise_limits()
        line = stack.enter_context(place.listening())
        stack.callback(_remove, place.socket_path)
        door = None
        if options.http is not None:
            page = stack.enter_context(_page_line(options.http, place))
            door = _Door(page, replace(options.http, port=page.getsockname()[1]), place.token())
        url = door.address.url if door is not None else ""
        running = RunningDaemon(this_process(), __version__, url, ready=True, by_itself=options.by_itself)

        def ready() -> None:
            held.tell(running)
            said(running)

        asyncio.run(_serve(place, options, line, door, ready))


@dataclass(frozen=True, slots=True)
class _Door:
    """Where browsers come in, and what they have to know."""

    line: socket.socket
    address: Address
    token: str


async def _serve(
    place: DaemonFolder, options: Options, line: socket.socket, door: _Door | None, ready: Callable[[], None]
) -> None:
    async with _daemon(place.home, options) as (daemon, app):
        connections = Connections(_patience())
        servers = [(_server(app, connections), line)]
        if door is not None:
            servers.append((_server(Guard(app, door.address, door.token), connections), door.line))
        loop = asyncio.get_running_loop()
        loop.set_exception_handler(loop_failed)
        logging.getLogger().addHandler(LibraryLogHandler(logging.WARNING))
        for sign in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(sign, daemon.ending.set)
        tasks = [asyncio.ensure_future(server.serve([each])) for server, each in servers]
        while not all(server.started for server, _ in servers):
            await asyncio.sleep(0)
            if any(task.done() for task in tasks):
                break
        ready()
        await _until_it_ends(daemon, options, tasks)
        daemon.ending.set()
        # Nobody waits for what may take minutes: those who do are told, and the next look at the tree finds it again.
        daemon.house.syncs.call_off()
        for server, _ in servers:
            server.should_exit = True
        await asyncio.gather(*tasks)


async def _until_it_ends(daemon: Daemon, options: Options, tasks: "Sequence[asyncio.Future[None]]") -> None:
    while not daemon.ending.is_set() and not any(task.done() for task in tasks):
        with contextlib.suppress(TimeoutError):
            await asyncio.wait_for(daemon.ending.wait(), _LOOK_S)
        if options.idle_exit_s is not None and daemon.desk.idle_s() >= options.idle_exit_s:
            log("nobody asked for a while: the daemon ends")
            return


@contextlib.asynccontextmanager
async def _daemon(home: str, options: Options) -> AsyncIterator[tuple[Daemon, ASGIApp]]:
    from cairn.program.mounted import mounted, service_of
    from cairn.surfaces.page.routes import routes

    house = DaemonState(Registry(home), Pool(home), Syncs(ended=lambda _root: give_back()), Admission(options.limits))
    desk = RequestDesk(house.admission)
    watching = Watching(house, quiet_since=lambda: desk.busy_at)

    daemon = Daemon(house, desk, watching.watched)
    daemon.stop = daemon.ending.set
    service = service_of(home, house)
    async with mounted(service, house) as mcp:
        if options.watches:
            watching.start()
        try:
            relays = (
                Route(COMMAND_PATH, partial(relay, house, desk), methods=["POST"]),
                Route(TOOL_PATH, partial(answer, service, house, desk), methods=["POST"]),
            )
            yield daemon, build(daemon, (*relays, *routes()), mcp)
        finally:
            await asyncio.to_thread(watching.close)
            await asyncio.to_thread(house.syncs.close)
            desk.close()
            daemon.colourist.close()
            service.close()
            house.pool.close()


class _Server(uvicorn.Server):
    """One that leaves signals to us: there are two of them in one process."""

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        yield


def _server(app: ASGIApp, connections: Connections) -> _Server:
    return _Server(
        uvicorn.Config(
            app,
            loop="asyncio",
            http=cast("type[Connection]", connections.protocol()),
            ws="none",
            lifespan="off",
            log_config=None,
            access_log=False,
            server_header=False,
            date_header=False,
            proxy_headers=False,
            timeout_graceful_shutdown=_GRACE_S,
            # All that the parameters may hold, however it is written.
            h11_max_incomplete_event_size=_MOST_HEAD_BYTES,
        )
    )


def _require_loopback(options: Options) -> None:
    if options.http is None or options.http.is_loopback:
        return
    _require_known(options.http)
    if not options.expose:
        raise RefusedError(
            f"{options.http.host} may be reached from other machines, which would see the code with the token alone.",
            hint="Use --http 127.0.0.1:0, or insist with --expose.",
        )


def _require_known(address: Address) -> None:
    try:
        socket.getaddrinfo(address.host, address.port, address.family, socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        cause = error.strerror if isinstance(error, OSError) else "it is no name of a machine"
        raise UsageError(f"The host {address.host!r} is not known: {cause}.", hint=_OWN_ADDRESS) from error


def _page_line(address: Address, place: DaemonFolder) -> socket.socket:
    """Where browsers come in: "any free port" is the one of the last time where that is free, so that links live."""
    if address.port:
        return _tcp(address)
    last = place.last_port()
    try:
        line = _tcp(replace(address, port=last))
    except StorageError:
        if not last:
            raise
        line = _tcp(address)
    place.keep_port(line.getsockname()[1])
    return line


def _tcp(address: Address) -> socket.socket:
    line = socket.socket(address.family, socket.SOCK_STREAM)
    try:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        line.bind((address.host, address.port))
        line.listen(_BACKLOG)
    except OSError as error:
        line.close()
        hint = _OTHER_PORT if error.errno in _OF_THE_PORT else _OWN_ADDRESS
        raise StorageError(f"{address.url} can't be listened on: {error.strerror}.", hint=hint) from error
    return line


def _patience() -> Patience:
    """A quarter of all descriptors are for connections at most; codebases that are kept open have half of them."""
    soft = resource.getrlimit(resource.RLIMIT_NOFILE)[0]
    usual = Patience()
    return usual if soft == resource.RLIM_INFINITY else replace(usual, most=max(8, min(usual.most, soft // 4)))


def _raise_limits() -> None:
    """As many descriptors as may be had, fair turns for threads, and memory that is given back."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = _HANDLES if hard == resource.RLIM_INFINITY else min(hard, _HANDLES)
    if soft < wanted:
        with contextlib.suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
    sys.setswitchinterval(_SWITCH_S)
    settle()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")


def _remove(path: str) -> None:
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)
