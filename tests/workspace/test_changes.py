"""What changed between two states of a tree, as a pure function of their hashes."""

import hashlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.workspace.changes import ChangeSet, compare

EMPTY = hashlib.sha256(b"").hexdigest()


@pytest.mark.requirement("CHG.1")
def test_add_modify_delete_and_rename_are_told_apart() -> None:
    before = {"same": "1", "changed": "2", "gone": "3", "old/name": "4"}
    after = {"same": "1", "changed": "22", "new": "5", "fresh/place": "4"}

    assert compare(before, after) == ChangeSet(
        add=("new",), modify=("changed",), delete=("gone",), rename=(("old/name", "fresh/place"),)
    )


@pytest.mark.requirement("CHG.1")
def test_equal_states_have_no_changes() -> None:
    assert not compare({}, {})
    assert not compare({"a": "1"}, {"a": "1"})
    assert compare({"a": "1"}, {"a": "1"}) == ChangeSet()


@pytest.mark.parametrize(
    ("before", "after"),
    [({}, {"a": "1"}), ({"a": "1"}, {}), ({"a": "1"}, {"a": "2"}), ({"a": "1"}, {"b": "1"})],
    ids=["add", "delete", "modify", "rename"],
)
@pytest.mark.requirement("CHG.1")
def test_each_kind_of_change_alone_counts_as_a_change(before: dict[str, str], after: dict[str, str]) -> None:
    assert compare(before, after)


@pytest.mark.requirement("CHG.1")
def test_paths_stand_in_byte_order_whatever_the_order_of_the_maps() -> None:
    names = ["z", "é", "a/b", "a-b", "Z", "\uffee", "\U0001f600"]
    ordered = tuple(sorted(names, key=str.encode))

    assert compare({}, dict.fromkeys(names, "1")).add == ordered
    assert compare(dict.fromkeys(names, "1"), {}).delete == ordered
    assert compare(dict.fromkeys(names, "1"), dict.fromkeys(reversed(names), "2")).modify == ordered
    moved = compare({name: name for name in names}, {f"to/{name}": name for name in reversed(names)})
    assert moved.rename == tuple((name, f"to/{name}") for name in ordered)


@pytest.mark.requirement("CHG.1")
def test_a_rename_prefers_the_same_file_name() -> None:
    before = {"a/x.py": "1", "b/y.py": "1"}
    after = {"c/y.py": "1", "d/x.py": "1"}

    assert compare(before, after).rename == (("a/x.py", "d/x.py"), ("b/y.py", "c/y.py"))


@pytest.mark.requirement("CHG.1")
def test_renames_without_a_common_name_pair_in_byte_order() -> None:
    before = {"b": "1", "a": "1"}
    after = {"y": "1", "x": "1"}

    assert compare(before, after).rename == (("a", "x"), ("b", "y"))


@pytest.mark.requirement("CHG.1")
def test_a_content_is_paired_once_and_the_rest_is_added_or_deleted() -> None:
    assert compare({"a": "1"}, {"x": "1", "y": "1", "z/a": "1"}) == ChangeSet(add=("x", "y"), rename=(("a", "z/a"),))
    assert compare({"x": "1", "y": "1", "z/a": "1"}, {"a": "1"}) == ChangeSet(delete=("x", "y"), rename=(("z/a", "a"),))


@pytest.mark.requirement("CHG.1")
def test_a_copy_of_a_file_that_stays_is_an_add() -> None:
    assert compare({"a": "1"}, {"a": "1", "b": "1"}) == ChangeSet(add=("b",))


@pytest.mark.requirement("CHG.1")
def test_a_move_over_an_existing_file_is_a_modify_and_a_delete() -> None:
    assert compare({"a": "1", "b": "2"}, {"b": "1"}) == ChangeSet(modify=("b",), delete=("a",))


@pytest.mark.requirement("CHG.1")
def test_a_swap_of_two_files_is_two_modifies() -> None:
    assert compare({"a": "1", "b": "2"}, {"a": "2", "b": "1"}) == ChangeSet(modify=("a", "b"))


@pytest.mark.requirement("CHG.1")
def test_empty_files_are_never_renames() -> None:
    assert compare({"a/__init__.py": EMPTY}, {"b/__init__.py": EMPTY}) == ChangeSet(
        add=("b/__init__.py",), delete=("a/__init__.py",)
    )


class Key(str):
    """A path key that counts how often its last part was asked for."""

    __slots__ = ()
    asked = 0

    def rpartition(self, sep: str) -> tuple[str, str, str]:
        Key.asked += 1
        return super().rpartition(sep)


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
def test_pairing_many_files_of_one_content_costs_no_more_than_their_number() -> None:
    count = 300
    before: dict[str, str] = {Key(f"old/a{number}"): "1" for number in range(count)}
    after: dict[str, str] = {Key(f"new/b{number}"): "1" for number in range(count)}
    Key.asked = 0

    assert len(compare(before, after).rename) == count
    assert Key.asked <= 20 * count


KEYS = st.sampled_from(["a", "b", "c", "d/a", "d/b", "e/a", "é", "a/a"])
HASHES = st.sampled_from([EMPTY, "1", "2", "3"])
STATES = st.dictionaries(KEYS, HASHES)


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
@settings(max_examples=200)
@given(STATES, STATES)
def test_applying_the_changes_to_one_state_gives_the_other(before: dict[str, str], after: dict[str, str]) -> None:
    changes = compare(before, after)
    state = dict(before)
    moved = {new: state.pop(old) for old, new in changes.rename}
    for key in changes.delete:
        del state[key]
    for key in changes.modify:
        assert state[key] != after[key]
        state[key] = after[key]
    for key in changes.add:
        assert key not in state
        state[key] = after[key]
    assert not state.keys() & moved.keys()

    assert state | moved == after


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
@settings(max_examples=200)
@given(STATES, STATES)
def test_every_path_is_in_one_class_and_every_class_is_ordered(before: dict[str, str], after: dict[str, str]) -> None:
    changes = compare(before, after)
    olds = tuple(old for old, _ in changes.rename)
    news = tuple(new for _, new in changes.rename)
    gone = (*changes.delete, *olds)
    come = (*changes.add, *news)

    assert sorted(gone) == sorted(before.keys() - after.keys())
    assert sorted(come) == sorted(after.keys() - before.keys())
    assert set(changes.modify) <= before.keys() & after.keys()
    for part in (changes.add, changes.modify, changes.delete, olds):
        assert list(part) == sorted(set(part), key=str.encode)
    assert bool(changes) is (before != after)


@pytest.mark.slow
@pytest.mark.requirement("CHG.1")
@settings(max_examples=200)
@given(STATES, STATES)
def test_a_rename_keeps_content_that_is_not_empty_and_leaves_no_pair_apart(
    before: dict[str, str], after: dict[str, str]
) -> None:
    changes = compare(before, after)

    assert all(before[old] == after[new] != EMPTY for old, new in changes.rename)
    deleted = {before[key] for key in changes.delete} - {EMPTY}
    added = {after[key] for key in changes.add} - {EMPTY}
    assert not deleted & added
