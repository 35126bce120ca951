"""Which contexts a request concerns, and how much of each has to be refreshed."""

import os
import time
from collections.abc import Callable, Iterator, Mapping

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.steps import Advice, NextStep
from cairn.base.values import dataclass
from cairn.semantic.contexts.survey import Survey
from cairn.semantic.contexts.values import VALID, Context
from cairn.semantic.control import KnownContext
from cairn.semantic.indexers import indexer_for
from cairn.semantic.scope import FULL, NOTHING, RefreshScope, scope_of
from cairn.semantic.state import CLEAN, UNINDEXED, FileNow, FileThen, file_states
from cairn.store import SnapshotView

_TICK_S = 0.1

ChangedAt = Callable[[str], float]
"""When a file last changed, in seconds since 1970."""


@dataclass(frozen=True, slots=True)
class RefreshRequest:
    """A user's request for a refresh."""

    scope: RefreshScope | None = None
    """Paths from the root on; None for all that isn't clean."""
    context: str = ""
    """The id of the only context that is meant."""


@dataclass(frozen=True, slots=True)
class RefreshTarget:
    """One context that a request concerns, and the part of it to refresh."""

    context: str
    scope: RefreshScope = NOTHING
    why: str = ""
    """Why there is nothing to do, in words for people."""
    changed_at: float = 0.0
    """The last change among the files that are meant."""


def refresh_targets(
    request: RefreshRequest, found: Survey, view: SnapshotView, known: Mapping[str, KnownContext], changed_at: ChangedAt
) -> Iterator[RefreshTarget]:
    """Each context that is concerned, with its part of the request or the reason why it has none.

    Contexts that no indexer is for are passed over, unless one is named.
    """
    require_known(request, found, view)
    shows: dict[str, FileNow] = {}
    for context in found.contexts:
        members = found.members[context.id]
        row = known.get(context.id)
        named = request.context == context.id or (
            request.scope is not None and not request.scope.files.isdisjoint(members)
        )
        if not named and (request.context or indexer_for(context.family) is None or not members):
            continue
        if why := _unfit(context, found, row, named=named):
            yield RefreshTarget(context.id, why=why)
            continue
        scope = request.scope
        if scope is None:
            shows = shows or {path: FileNow(content, shown) for path, content, shown in view.rows.shows()}
            scope = unclean(context, members, view, shows, row, changed_at)
        meant = [path for path in members if _means(scope, path, changed_at)]
        if meant:
            # Leave out the files of other contexts.
            own = scope if scope.full else scope_of(scope.files & set(members), scope.packages, scope.changed_since)
            yield RefreshTarget(context.id, own, changed_at=max(map(changed_at, meant)))
        elif request.scope is None or named:
            yield RefreshTarget(context.id, why="nothing to do")


def unclean(
    context: Context,
    members: list[str],
    view: SnapshotView,
    shows: Mapping[str, FileNow],
    known: KnownContext | None,
    changed_at: ChangedAt,
) -> RefreshScope:
    """The part of a context that isn't clean: all of it if there are no facts, or only facts of other settings."""
    facts = view.semantic(context.id)
    if facts is None or facts.meta().config_hash != context.config_hash:
        return FULL
    then = {path: FileThen(recorded.content_hash, recorded.dependencies) for path, recorded in facts.recorded().items()}
    own = set(members)
    states = file_states(then, shows, owns=own.__contains__, files=members)
    whole_at = known.whole_at if known is not None and known.whole_at is not None else 0.0
    return scope_of(
        path
        for path, state in states.items()
        if state.freshness != CLEAN
        # A tool that was asked for all of it and gave nothing for a file won't give more for the same content.
        and (state.freshness != UNINDEXED or changed_at(path) + _TICK_S > whole_at)
    )


def require_known(request: RefreshRequest, found: Survey, view: SnapshotView) -> None:
    """Raise UsageError or NotIndexedError if the request names something unknown."""
    if request.context and all(each.id != request.context for each in found.contexts):
        raise UsageError(
            f"There is no context {request.context}.", hint=Advice(NextStep("contexts"), " to see which there are.")
        )
    scope = request.scope or NOTHING
    for path in sorted(scope.files):
        if view.rows.file(path) is None:
            raise NotIndexedError(f"{path} is not in the snapshot.", hint=Advice(NextStep("preview"), " to see why."))
    router = found.router()
    for path in sorted(scope.files):
        if router.route(path) is None:
            raise UsageError(
                f"No context answers for {path}.", hint=Advice(NextStep("contexts"), " to see which there are.")
            )
    listed = [path for path, _, _ in view.rows.contents()] if scope.packages else []
    for package in sorted(scope.packages):
        if not any(path.startswith(package + "/") for path in listed):
            raise NotIndexedError(f"No file of the snapshot lies in {package}.", hint="Name a folder from the root on.")


def last_changes(root: str) -> ChangedAt:
    """When files last changed, by path key; a file that can't be read counts as just changed."""

    def changed_at(path: str) -> float:
        try:
            found = os.lstat(os.path.join(root, path))
        except OSError:
            return time.time()
        return max(found.st_mtime, found.st_ctime)

    return changed_at


def _means(scope: RefreshScope, path: str, changed_at: ChangedAt) -> bool:
    return scope.includes(path, changed_at(path) if scope.changed_since is not None else 0.0)


def _unfit(context: Context, found: Survey, known: KnownContext | None, *, named: bool) -> str:
    if indexer_for(context.family) is None:
        return f"no indexer is known for {context.family}"
    status = found.probes[context.id].status
    if status != VALID:
        return f"the context is {status}"
    if known is not None and not known.enabled and not named:
        return "the context is switched off"
    return ""
