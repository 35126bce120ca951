"""The states of a snapshot's files: what was recorded with their facts, compared with their present content."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping

from cairn.base.values import replace
from cairn.semantic.state import (
    CLEAN,
    DIRTY,
    PENDING_CHECK,
    STALE,
    UNINDEXED,
    FileNow,
    FileState,
    FileThen,
    file_states,
)
from cairn.store import Recorded, SemanticFacts, SnapshotView

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
