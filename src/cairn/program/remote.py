"""Commands of the command line, run for somebody else: with their folder and streams, and codebases kept open."""

import contextlib
import threading
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, TextIO, cast

from cairn.base.errors import ExitCode
from cairn.base.keypress import elapsed_ms, now
from cairn.base.tally import tallied
from cairn.base.values import dataclass, field
from cairn.codebase.ledger import record_later
from cairn.codebase.pool import handles_are_scarce
from cairn.config.user import cairn_home
from cairn.daemon.admission import scarce
from cairn.daemon.client import ElsewhereError
from cairn.daemon.host import HouseHost
from cairn.daemon.syncs import DaemonState
from cairn.questions.read import READ
from cairn.questions.registry import QUESTIONS
from cairn.questions.reports import JOBS
from cairn.questions.search import SEARCH
from cairn.surfaces.cli import console, grep, jobs, maintenance, reads
from cairn.surfaces.cli.asked import Questions
from cairn.surfaces.cli.console import Console
from cairn.surfaces.cli.parser import Groups, parser_of
from cairn.surfaces.cli.report import ANSWERED, answered

if TYPE_CHECKING:
    from cairn.indexing.progress import Progress
    from cairn.surfaces.cli.lastlist import Shown

Send = Callable[[str, object], None]
"""Takes what was written: the stream, and the text."""
_MAY_BE_OURS = (ExitCode.INTERNAL, ExitCode.CORRUPT, ExitCode.RESOURCES)
"""What a process tells that can open no more files."""
_ASKED: Groups = (
    (
        "commands",
        (
            Questions(tuple(each for each in QUESTIONS if each not in (JOBS, READ, SEARCH))),
            grep,
            jobs,
            maintenance,
            reads,
        ),
    ),
)
"""Where the commands are that the daemon runs for others."""
_PARSERS = threading.local()


@dataclass(frozen=True, slots=True)
class Terminal:
    """What is known of a stream at the other end."""

    encoding: str = "utf-8"
    is_terminal: bool = False


@dataclass(frozen=True, slots=True)
class Client:
    """Who asks: where they stand and what they see."""

    folder: str
    out: Terminal | None = Terminal()
    err: Terminal | None = None
    columns: int | None = None
    variables: Mapping[str, str] | None = None
    begun: float = field(default_factory=now)
    """When they pressed the key."""


class _Stream:
    """As much of a text stream as commands use."""

    def __init__(self, kind: str, seen_by: Terminal, send: Send) -> None:
        self.encoding = seen_by.encoding
        self._kind = kind
        self._seen_by = seen_by
        self._send = send
        self._parts: list[str] = []

    def isatty(self) -> bool:
        return self._seen_by.is_terminal

    def write(self, text: str) -> int:
        self._parts.append(text)
        return len(text)

    def flush(self) -> None:
        text, self._parts = "".join(self._parts), []
        if text:
            # A line that writes over itself is of no use later.
            self._send("progress" if self._kind == "err" and text.startswith("\r") else self._kind, text)


class Remote(HouseHost, Console):
    """The surroundings of a client; codebases come from the pool, and syncs are shared."""

    def __init__(self, house: DaemonState, client: Client, send: Send, *, leaves: bool) -> None:
        """`leaves` what only the client can do to the client; otherwise the gates answer."""
        HouseHost.__init__(self, house, client.folder, leaves=leaves)
        Console.__init__(self)
        self._send = send
        self._client = client
        self._out = _Stream("out", client.out, send) if client.out is not None else None
        self._err = _Stream("err", client.err, send) if client.err is not None else None

    @property
    def out(self) -> TextIO | None:
        """The client's standard output; None where it has none."""
        return cast("TextIO | None", self._out)

    @property
    def err(self) -> TextIO | None:
        """The client's standard error; None where it has none."""
        return cast("TextIO | None", self._err)

    def given(self, most: int) -> bytes:
        """Nothing: what is piped into a command is in the client's process, which runs such a command itself."""
        return b""

    def keep(self, shown: "Shown") -> None:
        self._send("list", shown)

    def columns(self, otherwise: int) -> int:
        return self._client.columns or otherwise

    def elapsed_ms(self) -> float:
        return elapsed_ms(self._client.begun)

    def variable(self, name: str) -> str:
        """A variable of the client's environment; empty where it isn't set."""
        return (self._client.variables or {}).get(name, "")

    def progress(self) -> "contextlib.AbstractContextManager[Progress | None]":
        return Console.progress(self)

    def inside(self) -> contextlib.AbstractContextManager[None]:
        return console.inside(self)


def run(house: DaemonState, arguments: list[str], client: Client, send: Send, *, leaves: bool = False) -> int:
    """Run one command; its exit code, or ElsewhereError for the client to run it."""
    with console.inside(Remote(house, client, send, leaves=leaves)), tallied() as tally:
        code = answered(arguments, _parser())
    if code in ANSWERED:
        record_later(cairn_home(), tally, "cli")
    if leaves and code not in ANSWERED:
        # Paths are the user's own words, an index may have to be made first, and what fails here (descriptors, memory,
        # a daemon that ends) need not fail there: only an answer is passed on.
        raise ElsewhereError("it had no answer")
    if code in _MAY_BE_OURS and handles_are_scarce():
        # Whatever it looked like, it was for want of descriptors, which only the daemon has.
        raise scarce()
    return code


def _parser() -> Any:
    """One a thread: parsing leaves marks on a parser."""
    found = getattr(_PARSERS, "parser", None)
    if found is None:
        found = _PARSERS.parser = parser_of(_ASKED)
    return found
