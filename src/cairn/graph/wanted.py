"""Which files, and which uses in them, a question is about."""

from collections.abc import Callable

from cairn.base.values import dataclass
from cairn.graph.world import World
from cairn.syntax.filekind import kinds_of
from cairn.workspace.wildmatch import path_matcher, within_matcher

_ROLES = {"calls": "call", "writes": "write", "reads": "read", "types": "type", "imports": "import"}
"""What each kind of use is called where it is asked for."""
_IN_TESTS = "tests"


@dataclass(frozen=True, slots=True)
class Wanted:
    """What an answer keeps to."""

    role: str = ""
    """A kind of use, or those in `tests`."""
    paths: tuple[str, ...] = ()
    not_paths: tuple[str, ...] = ()
    no_tests: bool = False
    within: tuple[str, ...] = ()
    """Folders and files that it keeps to; none: all of them."""

    def has_role(self, role: str) -> bool:
        """Whether a use of this role is wanted."""
        return self.role not in _ROLES or _ROLES[self.role] == role

    def files(self, world: World, present: Callable[[str], bool]) -> Callable[[str], bool]:
        """A test for the files that are there and may answer."""
        checks = [present]
        if self.within:
            checks.append(within_matcher(self.within))
        if self.paths:
            checks.append(path_matcher(*self.paths))
        if self.not_paths:
            unwanted = path_matcher(*self.not_paths)
            checks.append(lambda path: not unwanted(path))
        if self.no_tests or self.role == _IN_TESTS:
            checks.append(lambda path: is_of_tests(world, path) is not self.no_tests)
        return present if len(checks) == 1 else lambda path: all(check(path) for check in checks)


ALL = Wanted()


def is_of_tests(world: World, path: str) -> bool:
    """Whether a file holds tests, or helps them."""
    return "test" in kinds_of(path, world.languages.get(path, ""))
