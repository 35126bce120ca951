"""The contexts that answer for the files of a snapshot, and the state of their facts, as edits need them."""

from collections.abc import Callable, Collection, Mapping
from functools import cached_property

from cairn.semantic.contexts import Context, Router, Survey, ViewTree, survey
from cairn.semantic.state import FileNow, FileState
from cairn.semantic.states import FactRecords, files_now, states_in
from cairn.store import SemanticFlag, SnapshotView


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
        return survey(ViewTree(self._view.rows, self._is_there))

    @cached_property
    def _router(self) -> Router:
        return self._survey.router()

    @cached_property
    def _now(self) -> dict[str, FileNow]:
        return files_now(self._view)
