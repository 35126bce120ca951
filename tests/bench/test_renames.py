from collections import Counter
from pathlib import Path

import pytest
from bench.processes import MissingError
from bench.renames import (
    KINDS,
    Outcome,
    Place,
    Project,
    _result,
    fresh,
    in_turns,
    projects,
    section,
    told,
)


def place(name: str, kind: str) -> Place:
    return Place("m.py", 1, 0, name, kind)


def test_commands_belong_to_the_folder_before_them() -> None:
    named: list[Path | str] = [Path("a"), "make", "make test", Path("b"), "tsc"]
    assert projects(named) == [Project(Path("a"), ("make", "make test")), Project(Path("b"), ("tsc",))]


def test_without_a_project_nothing_is_measured(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="--project"):
        section(tmp_path, ())


def test_kinds_take_turns_in_the_same_order_every_time() -> None:
    places = [place(f"{kind}{number}", kind) for kind in KINDS for number in range(3)]
    turns = in_turns(list(places))
    assert [each.kind for each in turns] == [*KINDS] * 3
    assert turns == in_turns(list(places))
    assert sorted(each.name for each in turns) == sorted(each.name for each in places)


@pytest.mark.parametrize("name", ["name", "_name", "__name", "Name", "NAME", "_NAME", "x"])
def test_a_fresh_name_has_the_form_of_the_old_one_and_nothing_else_of_it(name: str) -> None:
    new = fresh(name)
    assert new.isidentifier()
    assert name.strip("_") not in new
    assert new.startswith("_") is name.startswith("_")
    assert new.strip("_")[0].isupper() is name.strip("_")[0].isupper()


def test_a_check_is_told_by_its_end_and_its_counts_alone(tmp_path: Path) -> None:
    assert _result(tmp_path, "echo '3 passed, 1 skipped in 0.1s'; exit 1") == (1, ("1 skipped", "3 passed"))
    assert _result(tmp_path, r"printf '\033[1m2 failed\033[0m | 21 passed (23)'") == (0, ("2 failed", "21 passed"))


def test_the_table_counts_what_passed_of_each_kind() -> None:
    outcome = Outcome("p", 9, Counter({("local", "ok_syntactic"): 3, ("member", "ok"): 1, ("member", "refused"): 1}))
    outcome.reasons["refused: overrides"] = 1
    text = told([outcome])
    assert "| p | 9 | 5 | 4 | 0 | 0 | 1 | 0 | 0 | 0 |" in text
    assert "| p | member | 2 | 1 | 50% |" in text
    assert "refused: overrides (1)" in text
