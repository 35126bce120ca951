"""Which writes of a variable may reach a use of it, by the shape of the code alone.

An arm is a part of the code that may be left out: a branch, a case, the body of a loop or of an
inner function, what is tried. A write ends the reach of those before it for whatever shares all of
its arms. Jumps out of the shape (return, break, exceptions) are not followed, and a switch with a
default is not known to be complete, so a write too many may be named.
"""

from collections.abc import Iterable
from itertools import pairwise

from cairn.base.values import dataclass
from cairn.syntax.scopes import Frame

_CASES = frozenset(
    """
    case_clause switch_case switch_default expression_case default_case type_case communication_case match_arm
    when_entry switch_section switch_block_statement_group switch_rule case_statement when in_clause
    switch_expression_arm
    """.split()
)
_LOOPS = frozenset(
    """
    for_statement while_statement for_in_statement do_statement enhanced_for_statement foreach_statement
    for_range_loop while_expression for_expression loop_expression while until for do_while_statement
    """.split()
)
_TRIED = frozenset({"except_clause", "except_group_clause", "catch_clause", "catch_block", "rescue", "handler"})


@dataclass(frozen=True, slots=True)
class Arm:
    """A stretch of code that may be run or not, or several times."""

    start: int
    end: int
    choice: int
    """Where the node begins of which only one arm is taken; -1 for none."""
    loop: int
    """Where the loop begins whose body this is; -1 for none."""


@dataclass(frozen=True, slots=True)
class Written:
    """A write: the value is there from `effective` on."""

    start: int
    effective: int
    arms: tuple[Arm, ...]
    line: int


def arms_of(path: list[Frame], functions: frozenset[str]) -> tuple[Arm, ...]:
    """The arms around the end of a path, the outer ones first."""
    found = []
    for above, frame in pairwise(path):
        start, end = frame.node.start_byte, frame.node.end_byte
        if frame.type in _CASES:
            found.append(Arm(start, end, above.node.start_byte, -1))
        elif above.type in _LOOPS:
            if frame.field == "body" or frame.type in ("block", "do", "statement_block"):
                found.append(Arm(start, end, -1, above.node.start_byte))
        elif (
            frame.type in _TRIED or frame.type in functions or (above.type.startswith("try") and frame.field == "body")
        ):
            found.append(Arm(start, end, -1, -1))
        elif frame.field in ("consequence", "alternative") or frame.type in ("else_clause", "elif_clause"):
            found.append(Arm(start, end, above.node.start_byte, -1))
    return tuple(found)


def reaching(start: int, arms: tuple[Arm, ...], writes: Iterable[Written]) -> tuple[int, ...]:
    """The lines of the writes that may reach a use at a place."""
    known = list(writes)
    before = [each for each in known if each.effective <= start]
    here = set(arms)
    lines = set()
    for each in known:
        if each in before and not _exclusive(each.arms, arms):
            if not any(_between(each, other, start) and here.issuperset(other.arms) for other in before):
                lines.add(each.line)
                continue
        if any(_round(each, loop, start, here, known) for loop in arms if loop.loop >= 0):
            lines.add(each.line)
    return tuple(sorted(lines))


def _between(one: Written, other: Written, start: int) -> bool:
    return one is not other and one.effective <= other.effective <= start and one.start != other.start


def _exclusive(one: tuple[Arm, ...], other: tuple[Arm, ...]) -> bool:
    """Whether two places stand in different arms of one choice."""
    chosen = {arm.choice: arm for arm in one if arm.choice >= 0}
    return any(arm.choice in chosen and chosen[arm.choice] != arm for arm in other if arm.choice >= 0)


def _round(one: Written, loop: Arm, start: int, here: set[Arm], known: list[Written]) -> bool:
    """Whether a write reaches a use by way of the next turn of a loop that holds both."""
    if loop not in one.arms:
        return False
    inner = {arm for arm in here if arm.start >= loop.loop}
    for other in known:
        held = loop.loop <= other.start < loop.end
        if not held or other is one:
            continue
        own = {arm for arm in other.arms if arm.start >= loop.loop}
        if other.effective <= start and own <= inner:
            return False  # written anew on the way from the loop's head to the use
        if other.effective > one.effective and own == {loop}:
            return False  # written anew on the way from the write to the loop's end
    return True
