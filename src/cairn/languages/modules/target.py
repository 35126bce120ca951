"""What an import leads to, as a value."""

from typing import Protocol

from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class Target:
    """The files that an import means."""

    paths: tuple[str, ...]
    """Files that may be meant, best first; empty when it lies outside of the tree or is unknown."""
    certain: bool
    """One rule of the language leads to exactly these files; otherwise it is a guess."""
    rest: tuple[str, ...] = ()
    """Parts of the source that name something inside the files."""


NOWHERE = Target((), False)


class ModuleRules(Protocol):
    """The rules of one family of languages over one tree."""

    def resolve(self, importer: str, source: str) -> Target:
        """The files that `source` means in the file that imports it; NOWHERE if none is in the tree."""
