"""Plans and decisions: control state that ages by its clock, and holds what was asked, never what to write."""

from pathlib import Path

import pytest

from cairn.base.values import replace
from cairn.edit.plans import TTL_S, EditPlan, Plans, digest_of
from cairn.edit.source.values import NEEDS_DECISION, OK, RENAME, SEMANTIC, EditDraft, EditRequest, RenameTarget, Spot
from tests.semantic.samples import ELSEWHERE, HEAD, layout

SPOT = Spot("a.py", 1, 4, "take", "def ", "(key):", SEMANTIC)
DRAFT = EditDraft(
    NEEDS_DECISION,
    RenameTarget("take", "method", "s", "c", "a.py", 1, 4),
    "acquire",
    (SPOT,),
    {"a.py": "1"},
    signature="s1",
)


class Clock:
    def __init__(self) -> None:
        self.now = 10_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def plans(tmp_path: Path, clock: Clock) -> Plans:
    return Plans(layout(tmp_path), clock=clock)


def keep(plans: Plans, draft: EditDraft = DRAFT, head: str | None = HEAD, choice: str = "") -> EditPlan:
    request = EditRequest(RENAME, "a.py", 1, 5, {"new_name": "acquire"})
    return plans.keep(request, draft, digest_of(draft.spots), head, choice=choice)


@pytest.mark.requirement("GATE.2")
def test_a_plan_comes_back_as_it_was_kept_until_its_time_is_up(plans: Plans, clock: Clock) -> None:
    plan = keep(plans)
    assert plans.get(plan.id) == plan
    assert (plan.status, plan.head, plan.signature, plan.edits) == (NEEDS_DECISION, HEAD, "s1", digest_of([SPOT]))
    clock.now += TTL_S - 0.001
    assert plans.get(plan.id) == plan
    clock.now += 0.001
    assert plans.get(plan.id) is None
    clock.now -= TTL_S + 1  # the clock was set back: nobody knows how old it is
    assert plans.get(plan.id) is None


def test_a_plan_that_was_dropped_or_never_was_is_none(plans: Plans) -> None:
    assert [plans.get(each) for each in ("x", "", "\ud800")] == [None, None, None]
    plan = keep(plans)
    plans.drop(plan.id)
    assert plans.get(plan.id) is None


def test_plans_whose_time_is_up_are_forgotten_with_the_next(plans: Plans, clock: Clock, tmp_path: Path) -> None:
    for _ in range(3):
        keep(plans)
        clock.now += TTL_S + 1
    with plans._file.reading() as connection:
        assert connection is not None
        assert connection.execute("SELECT count(*) FROM plans").fetchone()[0] == 1


@pytest.mark.requirement("GATE.2")
def test_a_decision_holds_while_head_and_contents_are_the_same(plans: Plans) -> None:
    plans.decide(keep(plans), "code", {"symbol": "s"})
    assert plans.decided("s1", HEAD, {"a.py": "1"}) == "code"
    assert plans.decided("s2", HEAD, {"a.py": "1"}) == ""
    assert plans.decided("s1", ELSEWHERE, {"a.py": "1"}) == ""
    assert plans.decided("s1", None, {"a.py": "1"}) == ""
    assert plans.decided("s1", HEAD, {"a.py": "2"}) == ""
    assert plans.decided("s1", HEAD, {"a.py": "1", "b.py": "1"}) == ""
    assert plans.decided("s1", HEAD, {}) == ""


@pytest.mark.requirement("GATE.2")
def test_what_is_kept_of_a_decision_is_the_choice_and_no_edits(plans: Plans) -> None:
    plans.decide(keep(plans), "code", {"symbol": "s"})
    with plans._file.reading() as connection:
        assert connection is not None
        row = dict(connection.execute("SELECT * FROM decisions").fetchone())
    assert row["choice"] == "code"
    assert set(row) == {"signature", "head", "hashes", "choice", "proof", "created_at"}
    assert row["proof"] == '{"symbol": "s"}'


def test_the_last_choice_counts_and_without_a_head_none_is_kept(plans: Plans) -> None:
    plans.decide(keep(plans), "code", {})
    plans.decide(keep(plans), "proven", {})
    assert plans.decided("s1", HEAD, {"a.py": "1"}) == "proven"
    plans.decide(keep(plans, replace(DRAFT, signature="s9"), None), "code", {})
    assert plans.decided("s9", None, {"a.py": "1"}) == ""


def test_asking_makes_no_file(plans: Plans, tmp_path: Path) -> None:
    assert [plans.get(each) for each in ("x", "", "\ud800")] == [None, None, None]
    assert plans.decided("s1", HEAD, {}) == ""
    assert not list(tmp_path.rglob("control.db"))
    keep(plans, replace(DRAFT, status=OK))
    (made,) = tmp_path.rglob("control.db")
    assert made.stat().st_mode & 0o077 == 0


def test_the_digest_is_of_every_place_and_of_no_order() -> None:
    other = replace(SPOT, line=2)
    assert digest_of([SPOT, other]) == digest_of([other, SPOT])
    for change in (
        {"column": 5},
        {"before": "x"},
        {"after": "x"},
        {"form": "as_key"},
        {"text": "x"},
        {"path": "b.py"},
        {"new": "x"},
    ):
        assert digest_of([replace(SPOT, **change)]) != digest_of([SPOT])
    assert digest_of([SPOT], {"a.py": "b.py"}) != digest_of([SPOT])
