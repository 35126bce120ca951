"""The work of a refresh for one codebase: it chooses tool and files, and stores the facts."""

import os
import re
from collections.abc import Callable, Collection, Mapping

from cairn.base.errors import CairnError, TreeMovedError
from cairn.base.values import dataclass
from cairn.semantic.contexts.families import families
from cairn.semantic.contexts.survey import Survey, ViewTree, survey
from cairn.semantic.contexts.values import VALID, Context, is_within
from cairn.semantic.control import control_file, note_tool
from cairn.semantic.frames import frame_of
from cairn.semantic.importing import ImportResult, import_index
from cairn.semantic.indexers import Indexer, IndexerRequest, indexer_for
from cairn.semantic.inputs import Inputs, Syntax
from cairn.semantic.job import Job, JobFailureCode
from cairn.semantic.runner import ToolError
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scope import FULL, RefreshScope, scope_of
from cairn.semantic.settings import SemanticSettings
from cairn.semantic.states import files_now
from cairn.semantic.tools import Indexed, find_tool, require_trust, tool_version
from cairn.semantic.worker import NothingToDoError, Settle
from cairn.store import OccurrenceRow, SemanticFacts, SemanticMade, SemanticMeta, SemanticWriter, SnapshotView, Store
from cairn.workspace.beneath import Beneath

_PATIENCE_S = 120.0
"""How long a writer of the store is waited for."""
_FACTS = "facts"


@dataclass(frozen=True, slots=True)
class _Plan:
    """What was decided before the run of a job."""

    context: Context
    meta: SemanticMeta
    inputs: Inputs
    folder: str
    mixes: bool
    """Whether the facts that are published were made by the same tool under the same settings."""


class Refresh:
    """The work on the contexts of one codebase, one job after the other."""

    def __init__(
        self,
        store: Store,
        tree: Callable[[], Beneath],
        is_there: Callable[[str], bool],
        head: Callable[[], str | None],
        settings: SemanticSettings,
        environ: Mapping[str, str],
    ) -> None:
        self._store = store
        self._tree = tree
        self._is_there = is_there
        self._settings = settings
        self._environ = environ
        self._plan: _Plan | None = None
        self.head = head

    def prepare(self, job: Job, folder: str) -> tuple[Indexer, IndexerRequest]:
        """Choose the tool and the files of a job, and hash the files before the tool reads them."""
        tree = self._tree()
        with self._store.view() as view:
            found = survey(ViewTree(view, self._is_there))
            context, indexer = _workable(found, job.context)
            members = found.members[context.id]
            near = _near(context, view)
            shows = files_now(view)
            facts = view.semantic(context.id)
            former = facts.meta() if facts is not None else None
        require_trust(indexer, tree.root, self._settings)
        meta = self._meta(job, context, indexer, tree.root, folder)
        mixes = former is not None and _maker(former) == _maker(meta)
        inputs = Inputs.taken(tree, members, {path: shows[path] for path in shows if path in near}, shows)
        scope = FULL if not mixes else _scope_of(job.scope, context.root, members, inputs)
        self._plan = _Plan(context, meta, inputs, folder, mixes)
        at = os.path.join(tree.root, context.root).rstrip("/")
        files = tuple(sorted(_beneath(path, context.root) for path in near))
        return indexer, IndexerRequest(tree.root, at, _project_name(context), folder, scope, files)

    def publish(self, job: Job, indexed: Indexed, settle: Settle) -> None:
        """Import the tool's output and publish it; `settle` is called right before the swap."""
        plan = self._plan
        if plan is None or plan.meta.job_id != job.id:
            raise ValueError("a job is prepared before it is published")
        made, imported = self._made(plan, indexed)
        leftover = _leftover(plan, imported)

        def last_look() -> None:
            # If another folder took the root's path, the tool may have read that one, and not what was hashed.
            if not self._tree().is_in_place():
                raise TreeMovedError(f"The folder {self._tree().root} was replaced during the run.")
            settle(_from_root(indexed.covers, plan.context.root), leftover)

        try:
            self._store.publish_semantic(made, last_look, wait_s=_PATIENCE_S)
        except (CairnError, OSError):
            # A failure after the swap doesn't undo the publish.
            if job.id not in published_jobs(self._store):
                raise

    def _meta(self, job: Job, context: Context, indexer: Indexer, root: str, folder: str) -> SemanticMeta:
        program = find_tool(indexer, root, self._settings, self._environ)
        # If the program is missing, the run reports it.
        version = tool_version(program, indexer, root, folder, self._settings, self._environ) if program else ""
        with control_file(self._store.layout).writing() as connection:
            note_tool(connection, context.id, indexer.name, version)
        return SemanticMeta(context.id, job.id, indexer.name, version, context.config_hash, job.head)

    def _made(self, plan: _Plan, indexed: Indexed) -> tuple[SemanticMade, ImportResult]:
        """The new facts of what the output covers, and the old facts of everything else."""
        index = read_index(indexed.output)
        root, inputs = plan.context.root, plan.inputs
        writer = SemanticWriter(self._store.layout, os.path.join(plan.folder, _FACTS), plan.meta)
        try:
            with self._store.view() as view:
                inputs.syntax = _syntax_in(view)
                rest = _Rest(view.semantic(plan.context.id), plan, indexed.covers)
                imported = import_index(index, root, indexed.prefix, inputs, writer, plan.meta.job_id, rest)
                writer.add_left_out(rest.left_out(imported.documents))
                view.copy_semantic(writer, plan.context.id, rest.kept())
            return writer.finish(), imported
        except BaseException:
            writer.abandon()
            raise


def published_jobs(store: Store) -> frozenset[str]:
    """The jobs whose facts the active snapshot has."""
    manifest = store.active()
    return frozenset(ref.job_id for ref in manifest.semantics) if manifest is not None else frozenset()


def _workable(found: Survey, name: str) -> tuple[Context, Indexer]:
    context = next((each for each in found.contexts if each.id == name), None)
    if context is None:
        raise ToolError(JobFailureCode.NO_CONTEXT, f"There is no context {name} any more.")
    status = found.probes[context.id].status
    if status != VALID:
        raise ToolError(
            JobFailureCode.NO_CONTEXT, f"The context {name} is {status}: none of its files can be understood."
        )
    indexer = indexer_for(context.family)
    if indexer is None:
        raise ToolError(JobFailureCode.NO_CONTEXT, f"No indexer is known for {context.family}.")
    return context, indexer


def _maker(meta: SemanticMeta) -> tuple[str, str, str]:
    return meta.tool, meta.tool_version, meta.config_hash


def _scope_of(scope: RefreshScope, root: str, members: list[str], inputs: Inputs) -> RefreshScope:
    """What a tool is asked for: the members that a scope means, from the context's root on."""
    if scope.full:
        return FULL
    files = [path for path in members if scope.includes(path, inputs.changed_at(path))]
    if not files:
        raise NothingToDoError
    return FULL if len(files) == len(members) else scope_of(_beneath(path, root) for path in files)


@dataclass(frozen=True, slots=True)
class _Rest:
    """The old facts of files that an output doesn't cover."""

    facts: SemanticFacts | None
    plan: _Plan
    covers: RefreshScope

    def defined(self, symbols: Collection[str]) -> dict[str, set[str]]:
        if self.facts is None or not self.plan.mixes or self.covers.full:
            return {}
        found = {
            symbol: {path for path in paths if self._stays(path)}
            for symbol, paths in self.facts.definers(symbols).items()
        }
        return {symbol: paths for symbol, paths in found.items() if paths}

    def kept(self) -> list[str]:
        """Files whose old facts stay; a file that changed during the run keeps them too, and so counts as dirty."""
        if self.facts is None or not self.plan.mixes:
            return []
        changed = self.plan.inputs.changed
        return [file.path for file in self.facts.files() if file.path in changed or self._stays(file.path)]

    def left_out(self, documents: Collection[str]) -> list[str]:
        """Files that the tool was asked for now or before, and has nothing about: settings of the project hide them."""
        inputs = self.plan.inputs
        before = self.facts.left_out() if self.facts is not None and self.plan.mixes else []
        asked = {path for path in inputs.members if not self._stays(path) and path not in inputs.changed}
        return sorted({*(path for path in before if self._stays(path)), *asked.difference(documents)})

    def _stays(self, path: str) -> bool:
        root = self.plan.context.root
        return path in self.plan.inputs and not self.covers.includes(_beneath(path, root), 0.0)


def _near(context: Context, view: SnapshotView) -> set[str]:
    """Files of a context's family beneath its root: its own, and those of contexts within it."""
    languages = families()[context.family].languages
    return {path for path, language in view.rows.languages() if language in languages and is_within(path, context.root)}


def _syntax_in(view: SnapshotView) -> Syntax:
    def syntax(path: str, content_hash: str) -> tuple[Collection[OccurrenceRow], str]:
        file = view.rows.file(path)
        if file is None or file.file_hash != content_hash:
            return (), ""
        found = view.facts.of(path)
        return found.occurrences, frame_of(file.interface_hash, found.edges)

    return syntax


def _leftover(plan: _Plan, imported: ImportResult) -> RefreshScope:
    """What to refresh again: files that changed during the run, and those that depend on them.

    Empty if no member changed: other files never have a source, and another run wouldn't give them one.
    """
    changed = plan.inputs.changed
    return scope_of(changed | {path for path in imported.touched if path in plan.inputs} if changed else ())


def _from_root(scope: RefreshScope, root: str) -> RefreshScope:
    """A scope of paths from a context's root on, as one of paths from the top on."""
    if scope.full or not root:
        return scope
    return scope_of(
        (f"{root}/{path}" for path in scope.files), (f"{root}/{path}" for path in scope.packages), scope.changed_since
    )


def _beneath(path: str, root: str) -> str:
    return path[len(root) + 1 :] if root else path


def _project_name(context: Context) -> str:
    """A name for each root, without the codebase's own folder, so that all work trees have the same symbols."""
    folders = context.root.split("/") if context.root else ()
    return ".".join(("project", *map(_escaped, folders)))


def _escaped(name: str) -> str:
    return re.sub(r"[^A-Za-z0-9-]", lambda found: f"_{found[0].encode(errors='surrogatepass').hex()}_", name)
