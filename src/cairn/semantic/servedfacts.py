"""The semantic facts that a snapshot serves: which context answers for a file, and how far it can be trusted."""

from collections.abc import Mapping
from functools import cached_property

from cairn.graph.meaning import LIKELY, PROVEN
from cairn.graph.world import World
from cairn.semantic.contexts import Context, Owners, ViewTree, discover, is_valid
from cairn.semantic.state import CLEAN, FileNow, FileState
from cairn.semantic.states import FactRecords, files_now, states_in
from cairn.store import SemanticFacts


class ServedFacts:
    """The facts of a snapshot's contexts: only one with a valid probe answers, and only for its own files."""

    def __init__(self, world: World, records: FactRecords) -> None:
        self._world = world
        self._records = records
        self._answering: dict[str, str] = {}
        self._states: dict[str, Mapping[str, FileState]] = {}
        records.keep([ref.segment_id for ref in world.view.semantics])

    def facts(self) -> list[SemanticFacts]:
        """The facts of every context that answers."""
        found = (self._world.view.semantic(name) for name in self._valid)
        return [each for each in found if each is not None]

    def facts_of(self, path: str) -> SemanticFacts | None:
        """The facts that answer for a file; None if there are none."""
        facts = self._owning(path)
        return facts if facts is not None and facts.serves(path) else None

    def is_older(self, path: str) -> bool:
        """Whether there are facts of a file, but for another content."""
        facts = self._owning(path)
        return facts is not None and not facts.serves(path) and facts.knows(path)

    def tier(self, path: str) -> str:
        """How certain the facts of a file are: its own content is unchanged, but a dependency may have changed."""
        name = self._context_of(path)
        if name not in self._states:
            facts = self._world.view.semantic(name)
            then = self._records.then(facts) if facts is not None else {}
            self._states[name] = states_in(
                facts,
                self._now,
                lambda each: self._owner(each) == name,
                self._records,
                then,
                self._valid[name].config_hash,
            )
        state = self._states[name].get(path)
        return PROVEN if state is not None and state.freshness == CLEAN else LIKELY

    @cached_property
    def _now(self) -> dict[str, FileNow]:
        return files_now(self._world.view)

    @cached_property
    def _contexts(self) -> tuple[Context, ...]:
        return discover(ViewTree(self._world.view.rows)).contexts

    @cached_property
    def _owners(self) -> Owners:
        return Owners(self._contexts)

    @cached_property
    def _valid(self) -> dict[str, Context]:
        """Contexts with facts whose files can be understood."""
        named = {ref.context for ref in self._world.view.semantics}
        wanted = [context for context in self._contexts if context.id in named]
        members = self._owners.members(self._world.languages) if wanted else {}
        read = self._world.view.rows.whole_text_of
        return {each.id: each for each in wanted if is_valid(each, members[each.id], read)}

    def _owner(self, path: str) -> str:
        owner = self._owners.owner_of(path)
        return owner.id if owner is not None else ""

    def _context_of(self, path: str) -> str:
        found = self._answering.get(path)
        if found is None:
            owner = self._owner(path)
            found = self._answering[path] = owner if owner in self._valid else ""
        return found

    def _owning(self, path: str) -> SemanticFacts | None:
        name = self._context_of(path)
        return self._world.view.semantic(name) if name else None
