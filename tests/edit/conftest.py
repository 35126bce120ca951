"""Codebases for the tests of edits: embedded by hashing, closed at the end."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from cairn.engine import Codebase
from tests.edit.samples import project
from tests.trees import Repo

Make = Callable[..., Codebase]


@pytest.fixture
def make(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Make the small project in `repo`, with what the test has beside it."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    with ExitStack() as stack:

        def made(*given: Any, **named: Any) -> Codebase:
            return stack.enter_context(project(repo, *given, **named))

        yield made
