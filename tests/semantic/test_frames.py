"""The facts of an edited file hold for the lines that stand, and what a changed line may have changed is in doubt."""

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.codebase.codebase import Codebase
from cairn.semantic.frames import beside_gaps, frame_of, lines_in_doubt
from cairn.store import EdgeRow, SymbolRow
from tests.notes import said
from tests.semantic.test_meanings import A_FACTS, U_FACTS, A, Make, U, make, tell, uses
from tests.trees import write

__all__ = ["make"]


def _edit(codebase: Codebase, path: str, text: str) -> None:
    write(Path(codebase.root.path), path, text)
    codebase.index()


@pytest.mark.slow
@pytest.mark.requirement("SEMA.20")
def test_the_facts_of_lines_that_stand_are_served_where_they_stand_now(make: Make) -> None:
    more = "def other():\n    return 1\n"
    codebase = make({"a.py": A, "u.py": U + more})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U + more, U_FACTS)})
    assert uses(codebase, "A.drop") == ["u.py:5:8 proven semantic call", "u.py:7:10 name syntactic call"]
    _edit(codebase, "u.py", "# One more.\n" + U + more.replace("1", "2"))
    assert uses(codebase, "A.drop") == ["u.py:6:8 proven semantic call", "u.py:8:10 name syntactic call"]
    told = codebase.insight.references("A.drop")
    assert said(told) == ("semantic facts of u.py leave out 2 changed lines: run `cairn refresh`",)
    assert said(codebase.insight.calls("use", "callees")) == said(told)


@pytest.mark.requirement("SEMA.20")
def test_in_a_function_with_a_changed_line_they_are_likely(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)})
    _edit(codebase, "u.py", U.replace("    three.drop()", "    one = three\n    one.drop()"))
    # Nothing is known of the changed lines themselves.
    assert uses(codebase, "A.drop") == [
        "u.py:5:8 likely semantic call",
        "u.py:6:8 name syntactic call",
        "u.py:8:8 name syntactic call",
    ]


@pytest.mark.requirement("SEMA.20")
def test_in_a_function_that_lost_a_line_they_are_likely(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)})
    _edit(codebase, "u.py", U.replace("    two.drop()\n", ""))
    assert uses(codebase, "A.drop") == ["u.py:5:8 likely semantic call", "u.py:6:10 name syntactic call"]


@pytest.mark.requirement("SEMA.20")
def test_a_definition_in_an_edited_file_keeps_its_uses(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)})
    _edit(codebase, "a.py", "# One more.\n" + A.replace("pass", "return 1", 1))
    # What a tool inferred from the body may be another type: until it is run the uses are likely.
    assert uses(codebase, "A.drop")[0] == "u.py:5:8 likely semantic call"
    assert uses(codebase, "B.drop")[-2:] == ["u.py:6:8 likely semantic call", "u.py:7:10 name syntactic call"]


@pytest.mark.requirement("SEMA.20")
@pytest.mark.parametrize(
    "edited", ["import os\n" + U, U.replace("A, B", "B, A"), U.replace("def use(", "def used("), "from a import A\n"]
)
def test_with_other_imports_or_another_interface_nothing_is_carried_over(make: Make, edited: str) -> None:
    codebase = make({"a.py": A, "u.py": U})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)})
    _edit(codebase, "u.py", edited)
    assert {each.split()[2] for each in uses(codebase, "A.drop") + uses(codebase, "A")} == {"syntactic"}


def _function(name: str, first: int, last: int) -> SymbolRow:
    return SymbolRow("syntactic", name, name, "function", "", first, last, first, "", True, "")


def _doubts(text: str, changed: set[int], gone: tuple[str, ...] = ()) -> list[int]:
    lines = text.split("\n")
    heads = [at for at, line in enumerate(lines, start=1) if line.startswith("def ")]
    ends = [*(head - 1 for head in heads[1:]), len(lines)]
    symbols = [
        _function(lines[head - 1][4:].partition("(")[0], head, end) for head, end in zip(heads, ends, strict=True)
    ]
    return sorted(lines_in_doubt(lines, symbols, changed, gone))


def test_doubt_goes_from_what_changed_to_what_mentions_it() -> None:
    text = "x = one()\ny = 2\ndef a(s):\n    s.held = x.go()\ndef b(s):\n    return s.held\ndef c():\n    z = y.go()"
    assert _doubts(text, set()) == []
    assert _doubts(text, {1}) == [1, 3, 4, 5, 6]
    assert _doubts(text, {2}) == [2, 7, 8]
    assert _doubts(text, {6}) == [5, 6]
    # What a function gives a value for itself is nobody else's.
    assert _doubts(text, {8}) == [7, 8]
    assert _doubts(text, set(), ("held",)) == [3, 4, 5, 6]


@given(st.text(alphabet="ab=.\n d(", max_size=60), st.sets(st.integers(1, 20)), st.sets(st.integers(1, 20)))
def test_more_changes_are_never_less_doubt(text: str, some: set[int], more: set[int]) -> None:
    count = text.count("\n") + 1
    some, more = ({line for line in each if line <= count} for each in (some, more))
    one, both = (set(lines_in_doubt(text.split("\n"), [], each, ())) for each in (some, some | more))
    assert some <= one <= both


def test_next_to_what_is_gone_there_is_doubt() -> None:
    assert beside_gaps({}, 7) == beside_gaps({1: 1, 2: 2, 3: 5}, 3) == set()
    assert beside_gaps({2: 1, 3: 2, 6: 3}, 6) == {1, 2, 3}
    assert beside_gaps({1: 1, 2: 4}, 3) == {4}


def test_a_frame_is_the_same_wherever_imports_stand() -> None:
    one, two = EdgeRow("syntactic", "import", "a", 1, "b"), EdgeRow("syntactic", "import", "c", 2, "d")
    assert frame_of("x", [one, two]) == frame_of("x", [two._replace(line=1), one._replace(line=7)])
    assert frame_of("", [one]) == ""
    others = [frame_of("y", [one]), frame_of("x", [one._replace(names="e")]), frame_of("x", [])]
    assert frame_of("x", [one]) not in others
    assert re.fullmatch(r"x [0-9a-f]{16}", frame_of("x", [one]))
