"""Questions about the semantic layer: contexts and how far their facts hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cairn.base.errors import CorruptStoreError, UsageError
from cairn.base.notes import Note
from cairn.base.values import dataclass, replace
from cairn.questions import schemas
from cairn.questions.asking import file_meant
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Document, Question
from cairn.questions.semantic_documents import TIERS, refresh_document

if TYPE_CHECKING:
    from cairn.codebase.bodies import CodeAnswer
    from cairn.semantic.contexts import Context, Survey
    from cairn.semantic.contexttable import KnownContext
    from cairn.semantic.filestatus import FileStatus


@dataclass(frozen=True, slots=True)
class Contexts:
    """Which files are understood together, and when their facts were last made."""

    survey: "Survey"
    known: "Mapping[str, KnownContext]"


def _contexts(asked: Asked, values: Values) -> Any:
    insight = asked.codebase.insight
    if values["file"] is not None:
        return insight.file_standing(file_meant(values["file"], asked), synced=asked.synced)
    answer: CodeAnswer[Any] = insight.contexts(states=values["states"], synced=asked.synced)
    known: Mapping[str, KnownContext] = {}
    try:
        known = dict(asked.codebase.refreshing.known())
    except CorruptStoreError as error:
        # Contexts come from the snapshot; the control file only knows when they were refreshed.
        unknown = Note("refreshes_unknown", {"message": error.message, "hint": error.hint})
        answer = replace(answer, notes=(*answer.notes, unknown))
    return replace(answer, value=Contexts(answer.value, known))


def _document(answer: "CodeAnswer[Any]", values: Values) -> Document:
    return _file(answer) if values["file"] is not None else _survey(answer.value)


def _survey(body: Contexts) -> Document:
    found = body.survey
    return {
        "contexts": [_context(each, found, body.known.get(each.id)) for each in found.contexts],
        "unowned": dict(found.unowned),
        "faults": [{"path": fault.path, "message": fault.message} for fault in found.faults],
    }


def _context(context: "Context", found: "Survey", known: "KnownContext | None") -> Document:
    probe = found.probes[context.id]
    return {
        "id": context.id,
        "family": context.family,
        "root": context.root,
        "tier": TIERS[context.tier],
        "status": probe.status,
        "workspace": context.workspace,
        "manifests": list(context.manifests),
        "excludes": list(context.holes),
        "files": len(found.members[context.id]),
        "samples": list(probe.samples),
        "config_hash": context.config_hash,
        **refresh_document(known),
        **({"states": dict(found.states[context.id])} if found.states else {}),
    }


def _file(answer: "CodeAnswer[FileStatus]") -> Document:
    value = answer.value
    return {
        "path": value.path,
        "context": value.context,
        "probe": value.probe or None,
        "state": value.state.freshness,
        "certainty": value.state.certainty,
        "tool": value.tool or None,
        "job_id": value.job_id or None,
        "flags": [{"line": flag.line, "kind": flag.kind, "what": flag.what} for flag in value.flags],
        "changed_since": value.path in answer.changed,
    }


def _require(values: Values, spell: Any) -> None:
    if values["states"] and values["file"] is not None:
        raise UsageError(f"{spell('states')} doesn't go with {spell('file')}.", hint="Leave one of them out.")


CONTEXTS = Question(
    "contexts",
    "which files are understood together, by what manifests",
    (
        Parameter("states", "boolean", "how many files' facts are clean, dirty and so on", False),
        Parameter("file", "string", "only this file: its context, state and flags", metavar="FILE", is_path=True),
    ),
    _contexts,
    _document,
    schemas.CONTEXTS,
    example="cairn contexts ~/src/project --json",
    require=_require,
)
