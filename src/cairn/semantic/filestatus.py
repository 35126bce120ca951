"""The status of semantic facts: of every context, and of one file."""

from cairn.base.values import dataclass, replace
from cairn.semantic.contexts import Context, Survey
from cairn.semantic.state import UNINDEXED, UNKNOWN, FileState
from cairn.semantic.states import FactRecords, counted, files_now, states_in
from cairn.store import SemanticFlag, SnapshotView


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
