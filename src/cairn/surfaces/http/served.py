"""What the routes of the app work with, and what a question is that no command asks."""

import asyncio
from collections.abc import Callable
from typing import Any

from cairn.base.values import dataclass, field
from cairn.codebase.coloured import Colourist
from cairn.config.user import cairn_home
from cairn.daemon.desk import RequestDesk
from cairn.daemon.metrics import Metrics
from cairn.daemon.syncs import DaemonState
from cairn.questions.parameters import Parameter, Schema
from cairn.questions.question import Body
from cairn.surfaces.http import looks
from cairn.surfaces.http.endpoints import TIMEOUT
from cairn.surfaces.http.finding import QuickFinder

Values = dict[str, Any]


@dataclass(slots=True)
class Daemon:
    """What the routes work with."""

    house: DaemonState
    desk: RequestDesk
    watched: Callable[[], frozenset[str]] = frozenset
    stop: Callable[[], None] = lambda: None
    ending: asyncio.Event = field(default_factory=asyncio.Event)
    metrics: Metrics = field(default_factory=Metrics)
    colourist: Colourist = field(default_factory=Colourist)
    finder: QuickFinder = field(default_factory=lambda: QuickFinder(cairn_home()))

    def codebases(self) -> list[Any]:
        """The codebases that the server knows, as JSON."""
        return [*looks.codebases(self.house, self.watched())["codebases"]]


@dataclass(frozen=True, slots=True)
class Look:
    """A question that is no command."""

    path: str
    text: str
    parameters: tuple[Parameter, ...]
    look: Callable[[Daemon, Values], Body]
    answer: Schema

    @property
    def taken(self) -> tuple[Parameter, ...]:
        """All parameters: its own, and how long one waits."""
        return (*self.parameters, TIMEOUT)
