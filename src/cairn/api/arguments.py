"""What Python callers give beside the parameters of questions: checked by declarations too, and in the same words."""

import contextlib
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cairn.base.errors import CairnError, UsageError
from cairn.base.steps import WordStep, worded_hint
from cairn.base.values import replace
from cairn.codebase.calls import call
from cairn.questions.common import budget_of, file_of
from cairn.questions.parameters import Parameter, checked
from cairn.questions.read import MOST_LINES
from cairn.questions.read import READ as READ_FILE

REINDEX = Parameter("reindex", "boolean", "everything is indexed anew")
READ = (
    Parameter("path", "string", "a file of the codebase", required=True),
    budget_of(),
    replace(READ_FILE.parameter("start_line"), name="from_line"),
)
REFRESH = (
    Parameter("files", "strings", "files whose facts are made anew"),
    Parameter("packages", "strings", "folders whose files' facts are made anew"),
    Parameter("everything", "boolean", "all facts are made anew"),
    Parameter("context", "string", "only this context"),
)
LINE = Parameter("line", "integer", "a line of the file, counted from 1", required=True, least=1, most=MOST_LINES)


@contextlib.contextmanager
def in_python_words(word: WordStep = call) -> Iterator[None]:
    """Hints of errors that come through name calls; also a decorator."""
    try:
        yield
    except CairnError as error:
        error.hint = worded_hint(error.hint, word)
        raise


def several(given: object) -> Any:
    """A list of texts, for which one text may stand; what is no list, the declaration refuses."""
    if isinstance(given, str):
        return (given,)
    return tuple(given) if isinstance(given, Iterable) and not isinstance(given, Mapping) else given


def place_of_line(file: str, line: int) -> str:
    """FILE:LINE; UsageError where one of them is none."""
    checked((file_of(), LINE), {"file": file, "line": line})
    return f"{file}:{line}"


def folder(path: object) -> str:
    """The path of a folder as a text; UsageError for what is no path."""
    found = os.fspath(path) if isinstance(path, str | os.PathLike) else None
    if not isinstance(found, str):
        raise UsageError(f"{type(path).__name__} is no path.", hint="Give the path of a folder, as a text or a Path.")
    return os.path.expanduser(found)


def require_time(since: object) -> None:
    """UsageError for what is neither None nor a time."""
    if since is not None and (isinstance(since, bool) or not isinstance(since, int | float) or not 0 <= since < 1e12):
        raise UsageError("since is no time.", hint="since: seconds since the epoch, as a number.")
