"""The states of a snapshot's files: what was recorded with their facts, compared with their present content."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from functools import cached_property

from cairn.base.values import dataclass, replace
from cairn.semantic.contexts.survey import Router, Survey, ViewTree, survey
from cairn.semantic.contexts.values import Context
from cairn.semantic.state import (
    CLEAN,
    DIRTY,
    PENDING_CHECK,
    STALE,
    UNINDEXED,
    UNKNOWN,
    FileNow,
    FileState,
    FileThen,
    file_states,
)
from cairn.store import Recorded, SemanticFacts, SemanticFlag, SnapshotView

FRESHNESS = (CLEAN, PENDING_CHECK, STALE, DIRTY, UNINDEXED)


class FactRecords:
    """What was recorded with facts, by segment. It never changes, so it is read once for many snapshots."""

    def __init__(self) -> None:
        self._files: dict[str, dict[str, Recorded]] = {}
        self._then: dict[str, dict[str, FileThen]] = {}

    def files(self, facts: SemanticFacts) -> Mapping[str, Recorded]:
        """What was recorded of each file with some facts."""
        found = self._files.get(facts.ref.segment_id)
        if found is None:
            found = self._files[facts.ref.segment_id] = facts.recorded()
        return found

    def then(self, facts: SemanticFacts) -> Mapping[str, FileThen]:
        """The same as values to compute states from."""
        found = self._then.get(facts.ref.segment_id)
        if found is None:
            found = self._then[facts.ref.segment_id] = {
                path: FileThen(each.content_hash, each.dependencies, tuple(flag.kind for flag in each.flags))
                for path, each in self.files(facts).items()
            }
        return found

    def keep(self, segment_ids: Collection[str]) -> None:
        """Forget all other segments."""
        for known in (self._files, self._then):
            for segment_id in known.keys() - set(segment_ids):
                del known[segment_id]


def files_now(view: SnapshotView) -> dict[str, FileNow]:
    """Every file of a snapshot."""
    return {path: FileNow(content, interface) for path, content, interface in view.rows.shows()}


def states_in(
    facts: SemanticFacts | None,
    now: Mapping[str, FileNow],
    owns: Callable[[str], bool],
    records: FactRecords,
    files: Iterable[str],
    config_hash: str = "",
) -> dict[str, FileState]:
    """The states of some files in one context.

    If the context's manifests changed since, a name may mean something else in any file, so none is clean.
    """
    if facts is None:
        return file_states({}, now, owns=owns, files=files)
    found = file_states(records.then(facts), now, owns=owns, files=files)
    made_under = facts.meta().config_hash
    if not (made_under and config_hash) or made_under == config_hash:
        return found
    return {
        path: replace(state, freshness=PENDING_CHECK) if state.freshness == CLEAN else state
        for path, state in found.items()
    }


def counted(states: Iterable[FileState]) -> dict[str, int]:
    """How many files have each freshness, the best first."""
    counts = Counter(state.freshness for state in states)
    return {each: counts[each] for each in FRESHNESS}


@dataclass(frozen=True, slots=True)
class FileStatus:
    """How fresh and certain the semantic facts of a file are, and where they come from."""

    path: str
    context: str | None
    """The context that owns the file; None if none does."""
    probe: str
    """The result of the context's probe; only the facts of a valid context are used."""
    state: FileState
    flags: tuple[SemanticFlag, ...] = ()
    """Those of the content that its facts were made from."""
    tool: str = ""
    job_id: str = ""
    """The job that gave its facts; empty if there are none."""


def with_states(view: SnapshotView, survey: Survey, records: FactRecords) -> Survey:
    """A survey that says how many files of each context are clean, dirty and so on."""
    contexts = {each.id: each for each in survey.contexts}
    return replace(
        survey,
        states={
            name: counted(_states(view, survey, contexts[name], files, records).values())
            for name, files in survey.members.items()
        },
    )


def status_of(view: SnapshotView, survey: Survey, path: str, records: FactRecords) -> FileStatus:
    """The status of one file."""
    owner = next((each for each in survey.contexts if path in survey.members[each.id]), None)
    if owner is None:
        return FileStatus(path, None, "", FileState(UNINDEXED, UNKNOWN))
    probe = survey.probes[owner.id].status
    state = _states(view, survey, owner, [path], records)[path]
    facts = view.semantic(owner.id)
    file = next((each for each in facts.files() if each.path == path), None) if facts is not None else None
    if facts is None or file is None:
        return FileStatus(path, owner.id, probe, state)
    meta = facts.meta()
    tool = f"{meta.tool} {meta.tool_version}".strip()
    return FileStatus(path, owner.id, probe, state, records.files(facts)[path].flags, tool, file.job_id)


def _states(
    view: SnapshotView, survey: Survey, context: Context, files: list[str], records: FactRecords
) -> dict[str, FileState]:
    own = frozenset(survey.members[context.id])
    facts = view.semantic(context.id)
    now = files_now(view) if facts is not None else {}
    return states_in(facts, now, own.__contains__, records, files, context.config_hash)


class ProbedContexts:
    """The contexts of one snapshot, all probed: only a valid one answers, and only for its own files."""

    def __init__(self, view: SnapshotView, is_there: Callable[[str], bool]) -> None:
        self._view = view
        self._is_there = is_there
        self._records = FactRecords()

    def owner(self, path: str, language: str) -> Context | None:
        return self._router.route(path, language)

    def states(self, context: str, paths: Collection[str]) -> Mapping[str, FileState]:
        own = frozenset(self._survey.members.get(context, ()))
        config = next((each.config_hash for each in self._survey.contexts if each.id == context), "")
        facts = self._view.semantic(context)
        return states_in(facts, self._now, own.__contains__, self._records, list(paths), config)

    def flags(self, context: str, path: str) -> tuple[SemanticFlag, ...]:
        facts = self._view.semantic(context)
        recorded = self._records.files(facts).get(path) if facts is not None else None
        return recorded.flags if recorded is not None else ()

    @cached_property
    def _survey(self) -> Survey:
        return survey(ViewTree(self._view, self._is_there))

    @cached_property
    def _router(self) -> Router:
        return self._survey.router()

    @cached_property
    def _now(self) -> dict[str, FileNow]:
        return files_now(self._view)
