"""Which files may answer, by the filters and the mode of a request."""

from collections.abc import Callable

from cairn.search.query import Filters
from cairn.store import FileRow
from cairn.syntax.filekind import DATA_LANGUAGES, DOCUMENT_LANGUAGES
from cairn.workspace import path_matcher


def allowed_files(filters: Filters, mode: str) -> Callable[[FileRow], bool] | None:
    """A test for files; None if every file may answer."""
    checks: list[Callable[[FileRow], bool]] = []
    if filters.languages:
        checks.append(lambda file: file.language in filters.languages)
    if filters.within:
        whole, beneath = filters.within, filters.within + "/"
        checks.append(lambda file: file.path_key == whole or file.path_key.startswith(beneath))
    if filters.paths:
        wanted = path_matcher(*filters.paths)
        checks.append(lambda file: wanted(file.path_key))
    if filters.not_paths:
        unwanted = path_matcher(*filters.not_paths)
        checks.append(lambda file: not unwanted(file.path_key))
    if mode == "docs":
        checks.append(lambda file: file.language in DOCUMENT_LANGUAGES)
    if mode == "code":
        checks.append(lambda file: file.language not in DOCUMENT_LANGUAGES | DATA_LANGUAGES)
    if not checks:
        return None
    return checks[0] if len(checks) == 1 else lambda file: all(check(file) for check in checks)
