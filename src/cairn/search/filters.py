"""Which files may answer, by the filters and the mode of a request."""

from cairn.search.facets import ALL, Listed, Narrowed
from cairn.search.query import Filters
from cairn.store import FileTest
from cairn.syntax.filekind import DATA_LANGUAGES, DOCUMENT_LANGUAGES
from cairn.workspace.links import link_names
from cairn.workspace.wildmatch import path_matcher, within_matcher


def allowed_files(filters: Filters, mode: str, narrowed: Narrowed = ALL) -> FileTest | None:
    """A test for files, with the links of their tree: a file is found by the names that they give it, too. None if
    every file may answer."""
    checks: list[FileTest] = []
    if filters.languages:
        checks.append(lambda file, _: file.language in filters.languages)
    if filters.within:
        inside = within_matcher(filters.within)
        checks.append(lambda file, _: inside(file.path_key))
    if filters.paths:
        wanted = path_matcher(*filters.paths)
        checks.append(lambda file, links: any(map(wanted, link_names(file.path_key, links))))
    if filters.not_paths:
        unwanted = path_matcher(*filters.not_paths)
        checks.append(lambda file, _: not unwanted(file.path_key))
    if mode == "docs":
        checks.append(lambda file, _: file.language in DOCUMENT_LANGUAGES)
    if mode == "code":
        checks.append(lambda file, _: file.language not in DOCUMENT_LANGUAGES | DATA_LANGUAGES)
    if narrowed:
        checks.append(lambda file, _: narrowed.takes(Listed(file.path_key, file.language)))
    if not checks:
        return None
    return checks[0] if len(checks) == 1 else lambda file, links: all(check(file, links) for check in checks)
