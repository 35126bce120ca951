"""The lattice of scopes: what a union must be, whatever is merged in whatever order."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.semantic.scope import (
    FULL,
    NOTHING,
    RefreshScope,
    covers,
    merge,
    rest,
    scope_from_json,
    scope_of,
)

# Few names, so that scopes overlap and nest often.
_FOLDERS = st.lists(st.sampled_from("a b ab".split()), min_size=1, max_size=3).map("/".join)
_FILES = st.builds(lambda folder, name: f"{folder}/{name}", _FOLDERS, st.sampled_from(["x.py", "y.py"]))
_MOMENTS = st.none() | st.sampled_from([0.0, -0.0, -1.5, 1.0, 2]) | st.floats(allow_nan=False, allow_infinity=False)
_PARTS = st.builds(scope_of, st.frozensets(_FILES, max_size=4), st.frozensets(_FOLDERS, max_size=3), _MOMENTS)
SCOPES = st.one_of(_PARTS, _PARTS, _PARTS, st.just(FULL), st.just(NOTHING))
_PLACES = st.tuples(st.one_of(_FILES, st.just("z.py")), st.floats(-10, 10))


@pytest.mark.slow
@pytest.mark.requirement("JOB.3")
@given(SCOPES, SCOPES, SCOPES)
def test_a_union_is_associative(a: RefreshScope, b: RefreshScope, c: RefreshScope) -> None:
    assert merge(merge(a, b), c) == merge(a, merge(b, c))


@pytest.mark.slow
@pytest.mark.requirement("JOB.3")
@given(SCOPES, SCOPES)
def test_a_union_is_commutative(a: RefreshScope, b: RefreshScope) -> None:
    assert merge(a, b) == merge(b, a)


@pytest.mark.slow
@pytest.mark.requirement("JOB.3")
@given(SCOPES)
def test_a_union_is_idempotent_and_has_a_bottom_and_a_top(a: RefreshScope) -> None:
    assert merge(a, a) == a
    assert merge(a, NOTHING) == a
    assert merge(a, FULL) == FULL
    assert covers(FULL, a)
    assert covers(a, NOTHING)


@pytest.mark.slow
@pytest.mark.requirement("JOB.3")
@given(SCOPES, SCOPES, SCOPES)
def test_a_union_only_widens(a: RefreshScope, b: RefreshScope, c: RefreshScope) -> None:
    assert covers(merge(a, b), a)
    assert covers(merge(a, b), b)
    if covers(a, b):
        assert covers(merge(a, c), merge(b, c))


@pytest.mark.slow
@given(SCOPES, SCOPES, SCOPES)
def test_covering_is_an_order(a: RefreshScope, b: RefreshScope, c: RefreshScope) -> None:
    assert covers(a, a)
    if covers(a, b) and covers(b, a):
        assert a == b
    if covers(a, b) and covers(b, c):
        assert covers(a, c)


@pytest.mark.slow
@given(SCOPES, SCOPES, st.lists(_PLACES, max_size=5))
def test_a_union_includes_the_files_of_both_and_no_other(
    a: RefreshScope, b: RefreshScope, places: list[tuple[str, float]]
) -> None:
    for path, moment in places:
        assert merge(a, b).includes(path, moment) == (a.includes(path, moment) or b.includes(path, moment))


@pytest.mark.slow
@given(SCOPES, SCOPES)
def test_the_rest_is_what_is_missing_and_nothing_where_all_is_covered(a: RefreshScope, b: RefreshScope) -> None:
    assert merge(a, rest(b, a)) == merge(a, b)
    assert covers(b, rest(b, a))
    assert rest(b, a).is_empty == covers(a, b)


@pytest.mark.slow
@given(SCOPES)
def test_a_scope_survives_json(a: RefreshScope) -> None:
    assert scope_from_json(a.to_json()) == a
    assert scope_from_json(a.to_json()).to_json() == a.to_json()


@pytest.mark.requirement("JOB.3")
def test_the_first_moment_of_all_widens() -> None:
    assert merge(scope_of(changed_since=0.0), scope_of(changed_since=5.0)) == scope_of(changed_since=0.0)
    assert merge(scope_of(changed_since=0.0), scope_of(["a.py"])).changed_since == 0.0


@pytest.mark.requirement("JOB.3")
def test_an_empty_scope_is_not_the_full_one() -> None:
    assert NOTHING.is_empty
    assert not FULL.is_empty
    assert not covers(NOTHING, scope_of(["a.py"]))
    assert merge(NOTHING, scope_of(["a.py"])) == scope_of(["a.py"])
    assert not NOTHING.includes("a.py", 1.0)


def test_a_folder_covers_what_lies_in_it_by_whole_names() -> None:
    assert covers(scope_of(packages=["pkg"]), scope_of(["pkg/a.py", "pkg/deep/b.py"], ["pkg/deep"]))
    assert not covers(scope_of(packages=["pkg"]), scope_of(["pkgs/a.py"]))
    assert not covers(scope_of(packages=["pkg/deep"]), scope_of(packages=["pkg"]))


@pytest.mark.parametrize("name", ["", "/a", "a/"])
def test_what_is_no_path_beneath_the_root_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="no path"):
        scope_of([name])


@pytest.mark.parametrize("moment", [float("nan"), float("inf")])
def test_what_is_no_moment_is_refused(moment: float) -> None:
    with pytest.raises(ValueError, match="moment"):
        scope_of(changed_since=moment)


@pytest.mark.parametrize(
    "told",
    [
        None,
        {},
        {"files": [], "packages": [], "changed_since": None},
        {"files": None, "packages": [], "changed_since": None, "full": False},
        {"files": [1], "packages": [], "changed_since": None, "full": False},
        {"files": [], "packages": [], "changed_since": True, "full": False},
        {"files": [], "packages": [], "changed_since": None, "full": 1},
        {"files": [], "packages": [], "changed_since": None, "full": False, "more": 1},
    ],
)
def test_json_of_something_else_is_refused(told: object) -> None:
    with pytest.raises(ValueError, match="scope"):
        scope_from_json(json.dumps(told))
