import pytest
from bench.truth import (
    DEFINITION,
    LOCAL,
    NAMESAKE,
    NOTHING,
    OTHER,
    Key,
    Place,
    Tally,
    how_written,
    sample,
    shared,
    truth_of,
    why_not,
)

from cairn.semantic.scip.columns import Encoding
from cairn.semantic.scip.decode import Document, ScipOccurrence


def at(line: int, symbol: str, *, defines: bool = False, column: int = 0) -> ScipOccurrence:
    return ScipOccurrence(line - 1, column, line - 1, column + 3, symbol, int(defines))


def document(path: str, *occurrences: ScipOccurrence) -> Document:
    return Document(path, "", Encoding.UTF16, occurrences, ())


TRUTH = truth_of(
    [
        document(
            "a.ts",
            at(1, "s m p 0 a/run().", defines=True),
            at(2, "s m p 0 a/run().", defines=True),
            at(3, "s m p 0 a/Box#", defines=True),
            at(4, "s m p 0 a/Box#`<constructor>`().", defines=True),
            at(5, "local 1", defines=True),
        ),
        document(
            "b.ts",
            at(1, "s m p 0 a/run()."),
            at(2, "s m p 0 a/Box#`<constructor>`()."),
            at(3, "s m p 0 other/run()."),
            at(4, "local 1"),
            at(5, "s m p 0 a/Box#"),
        ),
    ]
)
RUN = Key("a.ts", "run")
OURS = {("a.ts", 1, "run"): RUN, ("a.ts", 2, "run"): RUN, ("a.ts", 9, "Box"): Key("a.ts", "Box")}


def test_overloads_are_one_and_only_what_both_define_counts() -> None:
    assert shared(TRUTH, OURS) == {RUN: frozenset({Place("b.ts", 1, 0)})}


def test_to_construct_a_type_is_to_use_it() -> None:
    assert TRUTH.used["s m p 0 a/Box#"] == {Place("b.ts", 2, 0), Place("b.ts", 5, 0)}
    assert TRUTH.defined["s m p 0 a/Box#"] == (Place("a.ts", 3, 0),)


@pytest.mark.parametrize(
    ("place", "cause"),
    [
        (Place("b.ts", 3, 0), NAMESAKE),
        (Place("b.ts", 4, 0), LOCAL),
        (Place("b.ts", 5, 0), OTHER),
        (Place("b.ts", 5, 1), NOTHING),
        (Place("a.ts", 3, 0), DEFINITION),
    ],
)
def test_a_wrong_place_is_explained_by_what_the_oracle_has_there(place: Place, cause: str) -> None:
    assert why_not(RUN, place, TRUTH) == cause


def test_places_are_counted_by_tier_and_what_is_missed_is_kept() -> None:
    tally = Tally()
    wanted = frozenset({Place("b.ts", 1, 0), Place("c.ts", 1, 0)})
    tally.add(RUN, wanted, [(Place("b.ts", 1, 0), "proven"), (Place("b.ts", 3, 0), "proven")], TRUTH)
    assert (tally.asked, tally.wanted, tally.count("proven"), tally.right["proven"]) == (1, 2, 2, 1)
    assert tally.wrong == [(RUN, Place("b.ts", 3, 0), NAMESAKE)]
    assert [place for _, place in tally.missed] == [Place("c.ts", 1, 0)]


def test_a_sample_is_the_same_whatever_the_order() -> None:
    keys = [Key("a.py", f"name{number}") for number in range(50)]
    assert sample(keys, 10) == sample(reversed(keys), 10)
    assert len(sample(keys, 10)) == 10


@pytest.mark.parametrize(
    ("line", "column", "cause"),
    [
        ('def f(x: "Box") -> None:', 10, "within a string, as forward annotations are"),
        ('def f(x: "Optional[Box]") -> None:', 19, "within a string, as forward annotations are"),
        ("self.thing.Box()", 11, "a member of something whose type is not known"),
        ("make(Box=1)", 5, "a keyword or a key, which belongs to a type"),
        ("if x(Box == 1)", 5, "a plain name"),
        ("const { a, Box } = this;", 11, "taken apart or put together in braces"),
        ("return Box", 7, "a plain name"),
        ("return Crate", 7, "another name is written there"),
    ],
)
def test_what_was_missed_is_told_by_how_it_is_written(line: str, column: int, cause: str) -> None:
    assert how_written("Box", line, column) == cause
