"""What a list of places or files holds by language, folder, kind and role, and the part of it that is wanted."""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from functools import partial

from cairn.base.errors import UsageError
from cairn.base.values import dataclass
from cairn.syntax.filekind import DATA_LANGUAGES, DOCUMENT_LANGUAGES, kinds_of

ROLES = ("code", "tests", "docs", "data")
FACETS = ("language", "folder", "kind", "role")


@dataclass(frozen=True, slots=True)
class Listed:
    """One entry of a list: a place, or a file with so many lines that match."""

    path: str
    language: str
    kind: str = ""
    """What the place defines; empty for lines."""
    lines: int = 1

    @property
    def role(self) -> str:
        """What the file is for."""
        if "test" in kinds_of(self.path, self.language):
            return "tests"
        if self.language in DOCUMENT_LANGUAGES:
            return "docs"
        return "data" if self.language in DATA_LANGUAGES else "code"

    def is_in(self, folder: str) -> bool:
        """Whether it lies beneath a folder, or is that very file."""
        return self.path == folder or self.path.startswith(f"{folder}/")


@dataclass(frozen=True, slots=True)
class Narrowed:
    """The part of a list that is wanted: one of each, where any are named."""

    languages: tuple[str, ...] = ()
    folders: tuple[str, ...] = ()
    kinds: tuple[str, ...] = ()
    roles: tuple[str, ...] = ()
    not_roles: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        unknown = next((each for each in (*self.roles, *self.not_roles) if each not in ROLES), None)
        if unknown is not None:
            raise UsageError(f"There is no role {unknown!r}.", hint=f"Roles are {', '.join(ROLES)}.")

    def __bool__(self) -> bool:
        return bool(self.languages or self.folders or self.kinds or self.roles or self.not_roles)

    def takes(self, entry: Listed, *, but: str = "") -> bool:
        """Whether an entry belongs to the part; `but`: whatever one facet says of it."""
        wanted = (
            ("language", not self.languages or entry.language in self.languages),
            ("folder", not self.folders or any(map(entry.is_in, self.folders))),
            ("kind", not self.kinds or entry.kind in self.kinds),
            ("role", not self.roles or entry.role in self.roles),
            ("", entry.role not in self.not_roles),
        )
        return all(fits for name, fits in wanted if not name or name != but)


@dataclass(frozen=True, slots=True)
class FacetCount:
    """One value of a facet, and how much of the list has it."""

    value: str
    files: int
    lines: int


ALL = Narrowed()


def facets_of(entries: Sequence[Listed], narrowed: Narrowed) -> dict[str, list[FacetCount]]:
    """The values of each facet, the commonest first: each counts what the other facets let through.

    So a count is what one sees with that value chosen, and other values of a chosen facet can still be chosen.
    """
    left = {name: [entry for entry in entries if narrowed.takes(entry, but=name)] for name in FACETS}
    return {
        "language": _counted(left["language"], lambda entry: entry.language),
        "folder": _folders(left["folder"], narrowed.folders[0] if len(narrowed.folders) == 1 else ""),
        "kind": _counted(left["kind"], lambda entry: entry.kind),
        "role": _counted(left["role"], lambda entry: entry.role),
    }


def _counted(entries: Iterable[Listed], value_of: Callable[[Listed], str]) -> list[FacetCount]:
    files, lines = Counter[str](), Counter[str]()
    for entry in entries:
        value = value_of(entry)
        files[value] += 1
        lines[value] += entry.lines
    found = (FacetCount(value, count, lines[value]) for value, count in files.items() if value)
    return sorted(found, key=lambda each: (-each.lines, each.value))


def _folders(entries: Sequence[Listed], top: str) -> list[FacetCount]:
    """The folders right beneath a folder; where all of it lies in one of them, those beneath that one."""
    beneath = [entry for entry in entries if not top or entry.path.startswith(f"{top}/")]
    found = _counted(beneath, partial(_child, top))
    if len(found) == 1 and found[0].files == len(beneath):
        return _folders(beneath, found[0].value) or found
    return found


def _child(top: str, entry: Listed) -> str:
    """The folder right beneath another one that a file lies in; empty for a file of that folder itself."""
    rest = entry.path[len(top) + 1 :] if top else entry.path
    name, slash, _ = rest.partition("/")
    if not slash:
        return ""
    return f"{top}/{name}" if top else name
