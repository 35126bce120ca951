"""Renames in one codebase: from the tree as it is now, and the index told afterwards."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol

from cairn.base.errors import CairnError, UsageError
from cairn.base.notes import Note
from cairn.base.values import dataclass, replace
from cairn.codebase.contracts import RefreshableCodebase
from cairn.codebase.indexers import LanguageIndexer, indexers_of
from cairn.codebase.places import place_named, place_on_line
from cairn.edit.choosing import Choosing
from cairn.edit.editor import Applied, Editor, Planned
from cairn.edit.gate.draft import EditInputs, subject_at
from cairn.edit.journal import FileEdit, Journal
from cairn.edit.plans import Plans
from cairn.edit.source.files import UnindexedFiles
from cairn.edit.source.texts import diff_of
from cairn.edit.source.values import RENAME, SEMANTIC, EditRequest, RenameTarget
from cairn.graph.targets import Place, place_of
from cairn.semantic.control import read_head
from cairn.semantic.state import CLEAN
from cairn.semantic.states import ProbedContexts
from cairn.workspace.livefiles import real_key

if TYPE_CHECKING:
    from cairn.codebase.refreshes import Refreshing
    from cairn.edit.journalfile import EditRecord


_LONGEST_NAME = 1_000
_SOME = 5


class EditableCodebase(RefreshableCodebase, Protocol):
    """A codebase whose files can be rewritten."""

    @property
    def refreshing(self) -> Refreshing:
        """Semantic facts on request."""

    def require_readable(self) -> object:
        """The error of the gate that the codebase doesn't pass, if there is one."""

    def require_answering(self) -> object:
        """RequiresReindexError where the codebase answers from another store than this one."""


@dataclass(frozen=True, slots=True)
class EditBasis:
    """What an edit is proven by: the scope alone, an indexer's facts, or the syntax of the files."""

    by: str
    indexer: LanguageIndexer | None = None
    """What would prove more; None where nothing is known that does."""


@dataclass(frozen=True, slots=True)
class Renamed:
    """A rename that was written, and what was done about it."""

    applied: Applied
    jobs: tuple[str, ...]
    """Refresh jobs that wait: until they are done, the files are dirty."""
    notes: tuple[Note, ...]


class Renaming:
    """The renames of one codebase."""

    def __init__(self, codebase: EditableCodebase) -> None:
        self._codebase = codebase

    def plan(
        self,
        path: str,
        line: int,
        column: int,
        new_name: str,
        *,
        take: str = "",
        only: Sequence[str] = (),
        except_: Sequence[str] = (),
    ) -> Planned:
        """What the rename of the name at a place would do; with what the user takes of it, it can be applied."""
        if len(new_name) > _LONGEST_NAME:
            raise UsageError(f"The new name has {len(new_name)} letters.", hint=f"Give at most {_LONGEST_NAME}.")
        asked = EditRequest(RENAME, path, line, column, {"new_name": new_name})
        return self._planned(asked, take=take, only=only, except_=except_)

    def _planned(
        self, asked: EditRequest, *, take: str = "", only: Sequence[str] = (), except_: Sequence[str] = ()
    ) -> Planned:
        """What an edit of any kind would do, with what is taken of it; files are named in full or from the root."""
        root, said = self._codebase.root_path, dict(asked.arguments)
        if "to_file" in said:
            said["to_file"] = real_key(root, said["to_file"])
        planned = self._editor().plan(replace(asked, path=real_key(root, asked.path), arguments=said))
        chosen = self._chosen(take, only, except_)
        if planned.plan is None or not chosen.is_given:
            return planned
        return self._editor().decide(f"{planned.plan.id}:{chosen.choices}", chosen.only, chosen.excluded)

    def locate(self, name: str, path: str = "", line: int | None = None) -> Place:
        """The place of a name's definition, of a file or on a line of it; UsageError unless it is one thing."""
        with self._ground() as (view, _, _):
            return place_named(view, name, path) if line is None else place_on_line(view, path, line)

    def subject(self, path: str, line: int, column: int) -> tuple[RenameTarget, str]:
        """What would be renamed at a place, and why nothing can be; empty if it can."""
        with self._ground() as (view, _, _):
            return subject_at(view, real_key(self._codebase.root_path, path), line, column)

    def decide(self, choice_id: str, *, only: Sequence[str] = (), except_: Sequence[str] = ()) -> Planned:
        """Take some of a plan's choices, by PLAN:CHOICE[,CHOICE], or some places of them."""
        plan_id, _, take = choice_id.partition(":")
        chosen = self._chosen(take, only, except_)
        return self._editor().decide(f"{plan_id}:{chosen.choices}", chosen.only, chosen.excluded)

    def proof(self, planned: Planned) -> EditBasis:
        """What the draft goes by, and which indexer would prove more."""
        draft = planned.draft
        if draft.target.kind == "local":
            return EditBasis("scope")
        if any(spot.provenance == SEMANTIC for spot in draft.spots):
            return EditBasis("facts")
        path = draft.target.path
        with self._codebase.view() as view:
            file, known = view.rows.file(path), ProbedContexts(view, self._codebase.now().is_there)
            context = known.owner(path, file.language) if file is not None else None
            state = known.states(context.id, [path]).get(path) if context is not None else None
        if state is not None and state.freshness == CLEAN:
            return EditBasis("facts")
        # Without a project around the file no indexer would be run.
        spoken = [file.language] if file is not None and context is not None else []
        return EditBasis("syntax", *indexers_of(self._codebase.root_path, spoken)[:1])

    def apply(self, plan_id: str) -> Renamed:
        """Write a plan: all of its files or none."""
        applied = self._editor().apply(plan_id)
        jobs, notes = self._follow_up([entry.path for entry in applied.written.entries])
        if left := applied.planned.left_out:
            notes += (Note("proven_left_out", {"places": [f"{spot.path}:{spot.line}" for spot in left[:_SOME]]}),)
        return Renamed(applied, jobs, notes)

    def undo(self, edit_id: str) -> EditRecord:
        """Give the files of an edit their old contents back."""
        edit = self._journal().undo(edit_id)
        Plans(self._codebase.store().layout).unsettle(edit.id)
        self._follow_up([entry.path for entry in edit.entries])
        return edit

    def recover(self) -> tuple[EditRecord, ...]:
        """Bring edits to their end that a process left half done."""
        edits = self._journal().recover()
        if edits:
            self._follow_up(sorted({entry.path for edit in edits for entry in edit.entries}))
        return edits

    def edits(self) -> tuple[EditRecord, ...]:
        """All edits of the journal."""
        return self._journal().all()

    def interrupted(self) -> tuple[str, ...]:
        """Ids of edits that a dead process left half done."""
        return self._journal().interrupted()

    def changes(self, planned: Planned) -> Iterator[FileEdit]:
        """Every file that applying would change, with its contents now and then, for whoever writes it himself."""
        return self._editor().changes(planned)

    def diff(self, planned: Planned) -> Iterator[str]:
        """The lines of a unified diff of what applying would change."""
        for change in self.changes(planned):
            yield from diff_of(change.old, change.new, change.path)

    def _chosen(self, take: str, only: Sequence[str], except_: Sequence[str]) -> Choosing:
        def key(place: str) -> str:
            at = place_of(place)
            path = real_key(self._codebase.root_path, place if at is None else at.path)
            return path if at is None else ":".join(map(str, (path, at.line, *[at.column] * (at.column is not None))))

        return Choosing(take, tuple(map(key, only)), tuple(map(key, except_)))

    def _follow_up(self, paths: list[str]) -> tuple[tuple[str, ...], tuple[Note, ...]]:
        """The index takes the edit in, and what is dirty now waits for a refresh; the edit stands whatever happens."""
        try:
            self._codebase.index(create=False)
            concerned = self._answered(paths)
            if not concerned:
                return (), ()
            refreshing = self._codebase.refreshing
            asked = refreshing.ask(refreshing.wish(files=concerned), "rename")
        except (CairnError, OSError) as error:
            return (), (Note("index_not_told", {"message": str(error)}),)
        return tuple(each.job.id for each in asked if each.job is not None), ()

    def _answered(self, paths: list[str]) -> list[str]:
        """Those for which some indexer answers: documents and trees without a project have nothing to refresh."""
        with self._codebase.view() as view:
            known = ProbedContexts(view, self._codebase.now().is_there)
            files = ((path, view.rows.file(path)) for path in paths)
            return [path for path, file in files if file is not None and known.owner(path, file.language) is not None]

    def _editor(self) -> Editor:
        self._codebase.require_readable()
        layout = self._codebase.store().layout
        return Editor(self._codebase.detector.tree, Plans(layout), self._journal(), self._ground, self._head)

    def _journal(self) -> Journal:
        # A store that was moved away from knows nothing of what was done since.
        codebase = self._codebase
        return Journal(codebase.store().layout, codebase.detector.tree, codebase.require_answering)

    @contextlib.contextmanager
    def _ground(self) -> Iterator[EditInputs]:
        """The snapshot of the tree as it is now: a rename is never planned on what was."""
        from cairn.indexing.options import SyncOptions

        self._codebase.index(SyncOptions(wait_s=30.0, walks=True), create=False)
        with self._codebase.view() as view:
            unread = UnindexedFiles(self._codebase.detector.tree, view.manifest.unread)
            yield view, ProbedContexts(view, self._codebase.now().is_there), unread

    def _head(self) -> str | None:
        return read_head(self._codebase.root_path, in_git=self._codebase.detector.git is not None)
