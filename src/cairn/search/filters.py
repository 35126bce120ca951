"""Which files may answer, by the filters and the mode of a request."""

from collections.abc import Callable, Iterator, Sequence

from cairn.search.query import Filters
from cairn.store import FileRow
from cairn.syntax.filekind import DATA_LANGUAGES, DOCUMENT_LANGUAGES
from cairn.workspace import path_matcher


def allowed_files(
    filters: Filters, mode: str, aliases: Sequence[tuple[str, str]] = ()
) -> Callable[[FileRow], bool] | None:
    """A test for files; None if every file may answer. `aliases` are links with what they lead to: a file is found by
    the names that they give it, too."""
    checks: list[Callable[[FileRow], bool]] = []
    if filters.languages:
        checks.append(lambda file: file.language in filters.languages)
    if filters.within:
        whole, beneath = filters.within, filters.within + "/"
        checks.append(lambda file: file.path_key == whole or file.path_key.startswith(beneath))
    if filters.paths:
        wanted = path_matcher(*filters.paths)
        checks.append(lambda file: any(map(wanted, names_of(file.path_key, aliases))))
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


def names_of(path: str, aliases: Sequence[tuple[str, str]]) -> Iterator[str]:
    """A file's own path, and the paths that links to it or to a folder of it give."""
    yield path
    for name, target in aliases:
        if path == target or path.startswith(target + "/"):
            yield name + path[len(target) :]
