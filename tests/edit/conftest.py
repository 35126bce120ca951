"""Codebases for the tests of edits: embedded by hashing, closed at the end."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.edit.gate.draft import draft
from cairn.edit.source.values import EditDraft
from cairn.semantic.states import ProbedContexts
from tests.edit.samples import Rename, Words, full, project
from tests.semantic.facts import marked, publish
from tests.trees import Repo, write

Make = Callable[..., Codebase]


@pytest.fixture
def make(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Make the small project in `repo`, with what the test has beside it."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    with ExitStack() as stack:

        def made(*given: Any, **named: Any) -> Codebase:
            return stack.enter_context(project(repo, *given, **named))

        yield made


@pytest.fixture
def rename(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Rename]:
    """Rename a word of a file, `word` or `word@nth`, in a tree of some files with what an index says of their words."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    with ExitStack() as stack:

        def planned(
            word: str,
            files: Mapping[str, tuple[str, Words]],
            overrides: tuple[tuple[str, str], ...] = (),
            manifest: str = '{"name": "x"}\n',
            new: str = "fresh",
        ) -> EditDraft:
            write(folder, "pyproject.toml", '[project]\nname = "x"\n')
            write(folder, "package.json", manifest)
            for path, (text, _) in files.items():
                write(folder, path, text)
            codebase = stack.enter_context(Codebase(str(folder)))
            codebase.index()
            family = "python" if next(iter(files)).endswith(".py") else "javascript"
            facts = {
                path: list(marked(text, {each: full(symbol) for each, symbol in words.items()}))
                for path, (text, words) in files.items()
            }
            publish(codebase, f"{family}:.", facts, overrides=[(full(one), full(other)) for one, other in overrides])
            path, (text, _) = next(iter(files.items()))
            (line, column, *_) = next(marked(text, {word: "local 0"}))
            view = stack.enter_context(codebase.view())
            return draft(view, ProbedContexts(view, codebase.now().is_there), path, line, column + 1, new)

        yield planned
