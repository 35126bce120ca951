"""The Python interface: open a tree or several, ask them, close them."""

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Self, overload

from cairn.api.arguments import READ, REFRESH, REINDEX, folder, in_python_words, place_of_line, require_time, several
from cairn.api.results import (
    Results,
    in_forms,
    result_of_hit,
    result_of_line,
    results_of,
)
from cairn.api.standpoint import CallerAtRoot
from cairn.base.errors import UsageError
from cairn.codebase.answers import Excerpt, excerpt
from cairn.codebase.bodies import Answer, FileOutline, Symbols, Uses
from cairn.codebase.calls import opening_call
from cairn.codebase.codebase import Codebase
from cairn.config.project import MAX_BUDGET_TOKENS
from cairn.graph.calls import CALLEES, CALLERS, CallGraph
from cairn.graph.impact import Impact
from cairn.graph.imports import Imports
from cairn.graph.repomap import RepoMap
from cairn.graph.unused import UnusedDefinitions
from cairn.indexing.options import SyncOptions, SyncResult
from cairn.questions.asking import Answered, require_no_folder, values_of
from cairn.questions.changes import IMPACT, TESTS, UNUSED
from cairn.questions.code import CALLS, IMPORTS, MAP, OUTLINE, REFERENCES, SLICE, SYMBOL
from cairn.questions.parameters import Values, checked
from cairn.questions.question import Asked, Question
from cairn.questions.registry import QUESTIONS
from cairn.questions.search import SEARCH
from cairn.semantic.job import Job
from cairn.syntax.slices import Slice

if TYPE_CHECKING:
    from cairn.codebase.moves import Moving
    from cairn.codebase.renames import Renaming
    from cairn.codebase.signatures import SignatureChanging


class Workspace:
    """One tree and its index; a context manager."""

    def __init__(self, codebase: Codebase) -> None:
        self._codebase = codebase

    @property
    def root(self) -> str:
        """The folder that the codebase is."""
        return self._codebase.root.path

    @in_python_words()
    def sync(self, *, reindex: bool = False) -> SyncResult:
        """Bring the index up to date; create it where there is none."""
        checked((REINDEX,), {"reindex": reindex})
        return self._codebase.index(SyncOptions(reindex=reindex, walks=True, tells=True))

    def ask(self, question: str | Question, /, **given: Any) -> Answered:
        """Any question by its name, with the parameters of its declaration: see docs/reference.md."""
        found = question if isinstance(question, Question) else question_named(question)
        return Answered(found, values := values_of(found, given), self._answer(found, values), ())

    def _code_answer(self, question: Question, **given: Any) -> Answer[Any]:
        answer: Answer[Any] = self._asked(question, **given)
        return answer

    def _asked(self, question: Question, **given: Any) -> Any:
        return self._answer(question, values_of(question, given))

    @in_python_words()
    def _answer(self, question: Question, values: Values) -> Any:
        return question.answer(
            None if question.subject == "home" else Asked(self._codebase, CallerAtRoot(self.root)), values
        )

    def search(
        self,
        query: str,
        limit: int | None = None,
        *,
        mode: str | None = None,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
        budget_tokens: int | None = None,
    ) -> Results:
        """The best places for a question, words, or a name; asks the snapshot as it is.

        With a budget the texts are whole definitions, as many as it holds, and signatures of others.
        """
        answer = self._asked(
            SEARCH,
            query=query,
            limit=limit,
            mode=mode,
            languages=several(languages),
            paths=several(paths),
            budget_tokens=budget_tokens,
        )
        found = [result_of_hit(item, self.root, answer.snapshot_id, answer.changed) for item in answer.items]
        results, budget = in_forms(found, answer.value.fitted)
        return results_of(answer, results, budget)

    def grep(
        self,
        query: str,
        limit: int | None = None,
        *,
        regex: bool = False,
        ignore_case: bool = False,
        mode: str | None = None,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
    ) -> Results:
        """Every line that holds a text, or with `regex` matches an expression, in order of path and line."""
        answer = self._asked(
            SEARCH,
            query=query,
            limit=limit,
            literal=not regex,
            regex=regex,
            ignore_case=ignore_case,
            mode=mode,
            languages=several(languages),
            paths=several(paths),
        )
        return results_of(answer, tuple(result_of_line(item, self.root, answer) for item in answer.items))

    def related(
        self,
        path: str,
        line: int,
        limit: int | None = None,
        *,
        languages: str | Sequence[str] = (),
        paths: str | Sequence[str] = (),
    ) -> Results:
        """Places in other files that are like the one at a line."""
        answer = self._asked(
            SEARCH, related=place_of_line(path, line), limit=limit, languages=several(languages), paths=several(paths)
        )
        return results_of(
            answer, tuple(result_of_hit(item, self.root, answer.snapshot_id, answer.changed) for item in answer.items)
        )

    def symbol(self, name: str, limit: int | None = None) -> Answer[Symbols]:
        """Where something is defined; iterate over the definitions."""
        return self._code_answer(SYMBOL, name=name, limit=limit)

    def references(self, name: str, limit: int | None = None) -> Answer[Uses]:
        """Where something is used, each use with its role and how sure it is; `name` may be FILE:LINE[:COLUMN]."""
        return self._code_answer(REFERENCES, name=name, limit=limit)

    def callers(self, name: str, depth: int | None = None, **limits: int) -> Answer[CallGraph]:
        """What calls something, some steps far; `limits` are nodes, fan_out and notes."""
        return self._calls(CALLERS, limits, name=name, depth=depth)

    def callees(self, name: str, depth: int | None = None, **limits: int) -> Answer[CallGraph]:
        """What something calls, some steps far; `limits` are nodes, fan_out and notes."""
        return self._calls(CALLEES, limits, name=name, depth=depth)

    def _calls(self, direction: str, limits: Mapping[str, int], **given: Any) -> Answer[CallGraph]:
        if "direction" in limits:
            raise UsageError(f"The direction is {direction} here.", hint="Ask callgraph by its name for another one.")
        return self._code_answer(CALLS, direction=direction, **given, **limits)

    def imports(self, file: str) -> Answer[Imports]:
        """What a file imports, and which files import it."""
        return self._code_answer(IMPORTS, file=file)

    def impact(
        self, files: str | Sequence[str] = (), *, since: str | None = None, depth: int | None = None
    ) -> Answer[Impact]:
        """What a change reaches: of some files, or of all that differs from a revision (HEAD when none is named)."""
        return self._code_answer(IMPACT, files=several(files), since=since, depth=depth)

    def tests(
        self,
        places: str | Sequence[str] = (),
        *,
        since: str | None = None,
        weak: bool = False,
        depth: int | None = None,
        limit: int | None = None,
    ) -> Answer[Impact]:
        """Which tests see a change, the likeliest first: of files, places or names, or of what differs from a revision.

        They are the `tests` of the answer's value, each with its `reasons`.
        """
        return self._code_answer(TESTS, places=several(places), since=since, weak=weak, depth=depth, limit=limit)

    def unused(self, *, exported: bool = False, limit: int | None = None) -> Answer[UnusedDefinitions]:
        """Definitions that nothing uses; with `exported` also those that others may use."""
        return self._code_answer(UNUSED, exported=exported, limit=limit)

    def slice(self, place: str, line: int | None = None, name: str | None = None) -> Answer[Slice | None]:
        """Definitions, uses and flow of a name inside the function around a line; None where there is no such name.

        The place is FILE:LINE, or a file with the line beside it.
        """
        return self._code_answer(SLICE, place=place if line is None else place_of_line(place, line), name=name)

    def outline(self, file: str, symbol: str | None = None, *, budget_tokens: int | None = None) -> Answer[FileOutline]:
        """What a file defines, in order; with a budget, what stands at the top before members."""
        return self._code_answer(OUTLINE, file=file, symbol=symbol, budget_tokens=budget_tokens)

    def map(self, budget_tokens: int | None = None) -> Answer[RepoMap]:
        """What the repository is made of, its ways in, and the files that others use most, with what they offer."""
        return self._code_answer(MAP, budget_tokens=budget_tokens)

    @property
    def move(self) -> "Moving":
        """Moves of definitions: `plan_move` of a place to a file; then as with renames."""
        from cairn.api.moves import CheckedMoving

        return CheckedMoving(self._codebase)

    @property
    def rename(self) -> "Renaming":
        """Renames: `plan` a place's, `decide` what is open, `apply` a plan, `undo` an edit."""
        from cairn.api.renaming import CheckedRenaming

        return CheckedRenaming(self._codebase)

    @property
    def signature(self) -> "SignatureChanging":
        """Changes of signatures: `plan_signature` of a place; then as with renames."""
        from cairn.api.signatures import CheckedSignatureChanging

        return CheckedSignatureChanging(self._codebase)

    @overload
    def read(self, path: str, *, from_line: int = 1) -> str: ...

    @overload
    def read(self, path: str, *, budget_tokens: int, from_line: int = 1) -> Excerpt: ...

    @in_python_words()
    def read(self, path: str, *, budget_tokens: int | None = None, from_line: int = 1) -> str | Excerpt:
        """A file that the index knows, as it is now; with a budget, the lines that it holds and how to read on."""
        checked(READ, {"path": path, "budget_tokens": budget_tokens, "from_line": from_line})
        require_no_folder(path, os.path.join(self.root, path))
        text = self._codebase.read(path)
        if budget_tokens is None:
            return text if from_line == 1 else excerpt(path, text, MAX_BUDGET_TOKENS, from_line).text
        return excerpt(path, text, budget_tokens, from_line)

    @in_python_words()
    def refresh(
        self,
        files: str | Sequence[str] = (),
        *,
        packages: str | Sequence[str] = (),
        since: float | None = None,
        everything: bool = False,
        context: str = "",
    ) -> tuple[Job, ...]:
        """Ask the languages' own indexers for facts about what isn't clean, or about a part; the jobs as they ended."""
        parts = {"files": several(files), "packages": several(packages)}
        checked(REFRESH, {**parts, "everything": everything, "context": context or None})
        require_time(since)
        refreshing = self._codebase.refreshing
        self.sync()
        wish = refreshing.wish(**parts, since=since, everything=everything, context=context)
        asked = refreshing.ask(wish, "api")
        return tuple(refreshing.wait(each.job.id for each in asked if each.job is not None))

    @in_python_words()
    def jobs(self) -> tuple[Job, ...]:
        """The refreshes that were asked for, and what became of them, in their order."""
        self._codebase.refreshing.recover()
        return self._codebase.refreshing.queue.all()

    def close(self) -> None:
        """Close the codebase; it can't be asked afterwards."""
        self._codebase.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


@in_python_words(opening_call)
def open_workspace(path: str | os.PathLike[str] = ".", *, sync: bool = True) -> Workspace:
    """Open a tree; with `sync` its index is created or brought up to date first."""
    codebase = Codebase(folder(path))
    try:
        if sync:
            codebase.index(SyncOptions())
        else:
            codebase.require_readable()
    except BaseException:
        codebase.close()
        raise
    return Workspace(codebase)


def question_named(name: str) -> Question:
    """A question by its name; UsageError where there is none."""
    found = next((each for each in QUESTIONS if each.name == name), None)
    if found is None:
        names = ", ".join(each.name for each in QUESTIONS)
        raise UsageError(f"There is no question {name!r}.", hint=f"Questions are: {names}.")
    return found
