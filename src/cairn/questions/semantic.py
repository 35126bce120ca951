"""Questions about the semantic layer: contexts and how far their facts hold."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from cairn.base import lazy
from cairn.base.errors import CorruptStoreError, UsageError
from cairn.base.notes import Note
from cairn.base.values import replace
from cairn.questions.asking import file_meant
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Question

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.semantic.control import KnownContext


def _contexts(asked: Asked, values: Values) -> Any:
    from cairn.questions.semantic_documents import Contexts

    insight = asked.codebase.insight
    if values["file"] is not None:
        return insight.file_standing(file_meant(values["file"], asked), synced=asked.synced)
    answer: Answer[Any] = insight.contexts(states=values["states"], synced=asked.synced)
    known: Mapping[str, KnownContext] = {}
    try:
        known = dict(asked.codebase.refreshing.known())
    except CorruptStoreError as error:
        # Contexts come from the snapshot; the control file only knows when they were refreshed.
        unknown = Note("refreshes_unknown", {"message": error.message, "hint": error.hint})
        answer = replace(answer, notes=(*answer.notes, unknown))
    return replace(answer, value=Contexts(answer.value, known))


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
    lazy.function("cairn.questions.semantic_documents", "contexts"),
    example="cairn contexts ~/src/project --json",
    require=_require,
)
QUESTIONS = (CONTEXTS,)
