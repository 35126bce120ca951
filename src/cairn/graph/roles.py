"""Uses of one kind among all uses of something."""

from cairn.base.values import replace
from cairn.graph.references import References
from cairn.graph.testing import test_files
from cairn.graph.world import World

ROLES = {"calls": "call", "writes": "write", "reads": "read", "types": "type", "imports": "import"}
"""What each kind of use is called where it is asked for."""
IN_TESTS = "tests"


def of_role(world: World, found: References, role: str) -> References:
    """The uses of a kind, or those that stand in tests; all of them where none is named."""
    if role == IN_TESTS:
        tests = frozenset(test_files(world))
        return replace(found, items=tuple(each for each in found.items if each.path in tests))
    if role:
        return replace(found, items=tuple(each for each in found.items if each.role == ROLES[role]))
    return found
