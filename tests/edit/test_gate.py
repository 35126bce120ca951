"""The mutation gate by its table: freshness before certainty, and a witness that is bounded and says what to do."""

import itertools

import pytest

from cairn.edit.gate.verdict import MAX_FACTS, check_mutation_gate
from cairn.edit.source.values import BLOCKED, NEEDS_DECISION, OK, Doubt, OpenPlace
from cairn.semantic.state import AMBIGUOUS, CERTAIN, CLEAN, DIRTY, PENDING_CHECK, STALE, UNINDEXED, UNKNOWN, FileState
from cairn.store import SemanticFlag

FRESHNESS = (CLEAN, DIRTY, STALE, PENDING_CHECK, UNINDEXED)
CERTAINTY = (CERTAIN, AMBIGUOUS, UNKNOWN)
OPENED = OpenPlace("c.py", 3, 4, "unresolved_use", "x.take()", "code")
FLAG = SemanticFlag(2, "monkey_patch", "take")
DOUBT = Doubt("decorated", "Does it matter?", "an answer", "read")


@pytest.mark.requirement("GATE.1")
@pytest.mark.parametrize(("freshness", "certainty"), list(itertools.product(FRESHNESS, CERTAINTY)))
def test_the_table(freshness: str, certainty: str) -> None:
    found = check_mutation_gate({"a.py": FileState(CLEAN, CERTAIN), "b.py": FileState(freshness, certainty)})
    if freshness != CLEAN:
        assert found.status == BLOCKED
    elif certainty == AMBIGUOUS:
        assert found.status == NEEDS_DECISION
    else:
        assert found.status == OK
        assert found.witness is None


@pytest.mark.requirement("GATE.1")
@pytest.mark.parametrize("freshness", [DIRTY, STALE, PENDING_CHECK, UNINDEXED])
def test_what_is_not_clean_blocks_whatever_else_is_open_and_says_what_to_refresh(freshness: str) -> None:
    states = {"b.py": FileState(freshness, UNKNOWN), "a.py": FileState(CLEAN, AMBIGUOUS)}
    found = check_mutation_gate(states, opened=[OPENED], flags={"a.py": [FLAG]}, doubts=[DOUBT], seen=7)
    assert found.status == BLOCKED
    witness = found.witness
    assert witness is not None
    assert (witness.files_seen, witness.truncated, witness.may_force) == (7, False, False)
    assert witness.refresh.files == {"b.py"}
    assert not witness.refresh.full
    assert [dict(fact) for fact in witness.facts] == [
        {"type": "file_state", "path": "b.py", "freshness": freshness, "provenance": "semantic"}
    ]
    assert witness.failed == (f"every file is clean: b.py is {freshness}",)
    (item,) = witness.checklist
    assert item.code == freshness
    assert item.question.startswith("What does b.py say now?")
    assert item.verify == "cairn refresh --wait"


@pytest.mark.requirement("GATE.1")
def test_what_is_open_asks_with_a_fact_and_a_question_for_each() -> None:
    states = {"a.py": FileState(CLEAN, AMBIGUOUS), "c.py": FileState(CLEAN, CERTAIN)}
    found = check_mutation_gate(states, opened=[OPENED], flags={"a.py": [FLAG], "c.py": []}, doubts=[DOUBT])
    assert found.status == NEEDS_DECISION
    witness = found.witness
    assert witness is not None
    assert (witness.files_seen, witness.may_force, witness.refresh.is_empty) == (2, True, True)
    assert [(fact["type"], fact["path"], fact["line"], fact["provenance"]) for fact in witness.facts] == [
        ("unresolved_use", "c.py", 3, "syntactic"),
        ("monkey_patch", "a.py", 2, "syntactic"),
    ]
    assert witness.facts[0]["column"] == 5
    assert [each.code for each in witness.checklist] == ["unresolved_use", "ambiguous_file", "decorated"]
    assert len(witness.failed) == 3


@pytest.mark.parametrize("what", [{"opened": [OPENED]}, {"flags": {"a.py": [FLAG]}}, {"doubts": [DOUBT]}])
def test_each_doubt_alone_asks(what: dict[str, object]) -> None:
    clean = {"a.py": FileState(CLEAN, CERTAIN)}
    assert check_mutation_gate(clean, **{"flags": {}, **what}).status == NEEDS_DECISION  # type: ignore[arg-type]
    assert check_mutation_gate(clean, flags={}).status == OK


def test_an_ambiguity_that_has_no_bearing_on_the_edit_lets_it_through() -> None:
    assert check_mutation_gate({"a.py": FileState(CLEAN, AMBIGUOUS)}, flags={"a.py": []}).status == OK


@pytest.mark.requirement("GATE.1")
def test_a_witness_is_bounded_and_says_that_it_was_cut() -> None:
    many = [f"f{number:04}.py" for number in range(MAX_FACTS * 4)]
    blocked = check_mutation_gate({path: FileState(DIRTY, UNKNOWN) for path in many}).witness
    opened = check_mutation_gate(
        {}, opened=[OpenPlace(path, 1, 0, "name_as_text", "take", "all") for path in many]
    ).witness
    flags = check_mutation_gate({}, flags={path: [FLAG] for path in many}).witness
    for witness in (blocked, opened, flags):
        assert witness is not None
        assert witness.truncated
        assert len(witness.facts) == len(witness.failed) == MAX_FACTS
        assert len(witness.checklist) <= MAX_FACTS
    assert blocked is not None
    assert blocked.refresh.files == set(many)
    assert "and 199 more" in blocked.checklist[0].question


@pytest.mark.parametrize(
    "why",
    ["unresolved_use", "keyword_argument", "name_as_text", "qualified_text", "template_field", "broken_code"],
)
def test_every_reason_has_its_question(why: str) -> None:
    witness = check_mutation_gate({}, opened=[OpenPlace("a.py", 1, 0, why, "", "code")]).witness
    assert witness is not None
    assert witness.checklist[0].question.count("?") == 1
