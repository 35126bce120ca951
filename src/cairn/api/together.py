"""Several trees under one question."""

import os
from collections.abc import Iterable, Sequence
from typing import Any, Self

from cairn.api.arguments import folder, in_python_words, several
from cairn.api.results import SeveralResults, in_forms, result_of_hit
from cairn.api.workspaces import question_named
from cairn.base.errors import UsageError
from cairn.base.notes import Note
from cairn.codebase.bodies import Answer
from cairn.codebase.calls import opening_call
from cairn.codebase.several import Codebases, SeveralDefinitions, SeveralUses, bring_up_to_date, known_roots
from cairn.questions.asking import Answered, values_of
from cairn.questions.code import REFERENCES, SYMBOL
from cairn.questions.parameters import Values
from cairn.questions.question import Question
from cairn.questions.search import SEARCH


class Workspaces:
    """Several trees under one question; a context manager."""

    def __init__(self, codebases: Codebases, notes: Sequence[Note] = ()) -> None:
        self._codebases = codebases
        self._notes = tuple(notes)

    @property
    def roots(self) -> tuple[str, ...]:
        """The folders of the codebases, as they were named."""
        return self._codebases.roots

    @in_python_words()
    def sync(self) -> None:
        """Bring all indexes up to date; what fails is told with the next answer."""
        self._codebases.sync(bring_up_to_date)

    def ask(self, question: str | Question, /, **given: Any) -> Answered:
        """A question of which several codebases can be asked, by its name: see docs/reference.md."""
        found = question if isinstance(question, Question) else question_named(question)
        values = values_of(found, given)
        if name := found.only_one(values):
            raise UsageError(f"{name} asks one codebase.", hint="Open that codebase alone.")
        return Answered(found, values, _asked_of(found, self._codebases, values), self._notes)

    def search(
        self,
        query: str,
        limit: int | None = None,
        *,
        mode: str | None = None,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
        budget_tokens: int | None = None,
    ) -> SeveralResults:
        """The best places of all codebases in one order; one that can't answer is a warning."""
        values = values_of(
            SEARCH,
            {
                "query": query,
                "limit": limit,
                "mode": mode,
                "languages": several(languages),
                "paths": several(paths),
                "budget_tokens": budget_tokens,
            },
        )
        answer: Answer[Any] = _asked_of(SEARCH, self._codebases, values)
        found = [
            result_of_hit(item, source.root, source.snapshot_id, source.changed)
            for item, source in zip(answer.items, answer.value.sources, strict=True)
        ]
        results, budget = in_forms(found, answer.value.fitted)
        return SeveralResults(
            results=results,
            codebases=answer.codebases,
            request_id=answer.request_id,
            query_fingerprint=answer.value.query_fingerprint,
            notes=(*self._notes, *answer.notes),
            limits_hit=answer.limits_hit,
            timings_ms=answer.timings_ms,
            budget=budget,
        )

    def symbol(self, name: str, limit: int | None = None) -> Answer[SeveralDefinitions]:
        """Where something is defined, in all codebases."""
        values = values_of(SYMBOL, {"name": name, "limit": limit})
        found: Answer[SeveralDefinitions] = _asked_of(SYMBOL, self._codebases, values)
        return found

    def references(self, name: str, limit: int | None = None) -> Answer[SeveralUses]:
        """Where something is used, in all codebases."""
        values = values_of(REFERENCES, {"name": name, "limit": limit})
        found: Answer[SeveralUses] = _asked_of(REFERENCES, self._codebases, values)
        return found

    def close(self) -> None:
        """Close all codebases; they can't be asked afterwards."""
        self._codebases.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@in_python_words(opening_call)
def open_all(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]] | None = None, *, sync: bool = True
) -> Workspaces:
    """Open several trees, or all that are indexed when none is named; one that can't be opened is a warning."""
    named = paths if isinstance(paths, Iterable) and not isinstance(paths, str) else [paths]
    roots, notes = known_roots() if paths is None else ([folder(path) for path in named], [])
    workspaces = Workspaces(Codebases(roots), notes)
    try:
        if sync:
            workspaces.sync()
    except BaseException:
        workspaces.close()
        raise
    return workspaces


@in_python_words()
def _asked_of(question: Question, codebases: Codebases, values: Values) -> Any:
    if question.subject == "home":
        return question.answer(None, values)
    if question.ask_several is None:
        raise UsageError(f"{question.name} is a question for one codebase.", hint="Open that codebase alone.")
    return question.answer(codebases, values)
