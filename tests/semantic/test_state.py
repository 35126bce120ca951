"""File states: two axes, over dependencies with cycles."""

import random
from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.semantic.state import (
    AMBIGUOUS,
    CERTAIN,
    CLEAN,
    DIRTY,
    PENDING_CHECK,
    STALE,
    UNINDEXED,
    UNKNOWN,
    FileNow,
    FileState,
    FileThen,
    file_states,
)
from tests.conformance import ROOT

Then = Mapping[str, FileThen]
Now = Mapping[str, FileNow]


def everything(_: str) -> bool:
    return True


def chain(*links: str) -> tuple[dict[str, FileThen], dict[str, FileNow]]:
    """Files as they were indexed: `a>b,c` depends on b and c."""
    then, now = {}, {}
    for link in links:
        name, _, targets = link.partition(">")
        then[name] = FileThen(f"content-{name}", {target: f"shows-{target}" for target in targets.split(",") if target})
        now[name] = FileNow(f"content-{name}", f"shows-{name}")
    return then, now


def edited(name: str, *, shows: str | None = None) -> dict[str, FileNow]:
    return {name: FileNow(f"other-content-{name}", shows or f"shows-{name}")}


def freshness(then: Then, now: Now, owns: Callable[[str], bool] = everything) -> dict[str, str]:
    return {path: state.freshness for path, state in file_states(then, now, owns=owns).items()}


@pytest.mark.requirement("STATE.1")
def test_a_file_is_clean_dirty_or_not_indexed() -> None:
    then, now = chain("a", "b", "c")
    now |= edited("b") | {"d": FileNow("new")}
    del now["c"]
    found = file_states(then, now, owns=everything)
    assert found == {
        "a": FileState(CLEAN, CERTAIN),
        "b": FileState(DIRTY, UNKNOWN),
        "c": FileState(DIRTY, UNKNOWN),
        "d": FileState(UNINDEXED, UNKNOWN),
    }


@pytest.mark.requirement("STATE.1")
def test_flags_make_a_file_ambiguous_whatever_its_dependencies_are() -> None:
    then, now = chain("a>b", "b")
    then["a"] = FileThen("content-a", {"b": "shows-b"}, ("star_import",))
    assert file_states(then, now, owns=everything)["a"] == FileState(CLEAN, AMBIGUOUS)
    now |= edited("b")
    assert file_states(then, now, owns=everything)["a"] == FileState(PENDING_CHECK, AMBIGUOUS)
    now |= edited("a")
    assert file_states(then, now, owns=everything)["a"] == FileState(DIRTY, UNKNOWN)


@pytest.mark.requirement("STATE.2")
def test_doubt_goes_on_over_files_that_wait() -> None:
    then, now = chain("a>b", "b>c", "c", "apart")
    now |= edited("c")
    assert freshness(then, now) == {"a": PENDING_CHECK, "b": PENDING_CHECK, "c": DIRTY, "apart": CLEAN}


@pytest.mark.requirement("STATE.2")
def test_a_cycle_ends_and_says_the_same_from_any_start() -> None:
    then, now = chain("a>b", "b>c", "c>a,d", "d", "self>self")
    assert set(freshness(then, now).values()) == {CLEAN}
    now |= edited("d")
    for start in "abc":
        alone = file_states(then, now, owns=everything, files=[start])
        assert {path: state.freshness for path, state in alone.items()} == {start: PENDING_CHECK}
    now |= edited("b")
    assert freshness(then, now) == {"a": PENDING_CHECK, "b": DIRTY, "c": PENDING_CHECK, "d": DIRTY, "self": CLEAN}


@pytest.mark.requirement("STATE.3")
def test_a_dependency_that_shows_something_else_makes_stale_and_so_do_stale_ones() -> None:
    then, now = chain("a>b", "b>c", "c", "d>c,e", "e")
    # c was indexed again after it changed: it is clean, and those who saw the former one are not.
    now["c"] = FileNow("new", "shows-more")
    then["c"] = FileThen("new", {})
    assert freshness(then, now) == {"a": STALE, "b": STALE, "c": CLEAN, "d": STALE, "e": CLEAN}


@pytest.mark.requirement("STATE.3")
def test_a_dirty_dependency_is_proof_only_if_it_shows_something_else() -> None:
    then, now = chain("a>b", "b")
    assert freshness(then, now | edited("b"))["a"] == PENDING_CHECK
    assert freshness(then, now | edited("b", shows="more"))["a"] == STALE
    assert freshness(then, {"a": now["a"]})["a"] == STALE, "a file that is gone shows nothing any more"


@pytest.mark.requirement("STATE.3")
def test_a_body_that_was_indexed_anew_is_waited_for_until_the_file_is_run_itself() -> None:
    then, now = chain("a>b", "b>c", "c")
    then["b"] = FileThen("content-b", {"c": now["c"].seen})
    assert freshness(then, now) == {"a": CLEAN, "b": CLEAN, "c": CLEAN}
    now |= edited("c")
    then["c"] = FileThen(now["c"].content_hash, {})
    assert freshness(then, now) == {"a": PENDING_CHECK, "b": PENDING_CHECK, "c": CLEAN}
    then["b"] = FileThen("content-b", {"c": now["c"].seen})
    assert freshness(then, now) == {"a": CLEAN, "b": CLEAN, "c": CLEAN}


@pytest.mark.requirement("STATE.3")
def test_a_file_that_was_not_parsed_shows_its_whole_content() -> None:
    then = {"a": FileThen("a", {"data.json": FileNow("one").shown})}
    assert freshness(then, {"a": FileNow("a"), "data.json": FileNow("one")}, lambda path: path == "a")["a"] == CLEAN
    assert freshness(then, {"a": FileNow("a"), "data.json": FileNow("two")}, lambda path: path == "a")["a"] == STALE


@pytest.mark.requirement("STATE.2")
def test_a_dirty_file_passes_doubt_on_and_nothing_else() -> None:
    then, now = chain("a>b", "b>c", "c")
    now |= edited("b") | edited("c", shows="more")
    assert freshness(then, now)["a"] == PENDING_CHECK


@pytest.mark.requirement("STATE.2")
def test_only_what_the_context_owns_is_waited_for() -> None:
    then = {"a": FileThen("a", {"b": "shows-b", "lib": "shows-lib"})}
    now = {"a": FileNow("a"), "b": FileNow("b", "shows-b"), "lib": FileNow("lib", "shows-lib")}
    assert freshness(then, now)["a"] == PENDING_CHECK
    assert freshness(then, now, lambda path: path == "a")["a"] == CLEAN
    now["lib"] = FileNow("lib 2", "shows-more")
    assert freshness(then, now, lambda path: path == "a")["a"] == STALE, "a change elsewhere is one all the same"


def test_a_dependency_of_which_nothing_was_recorded_is_waited_for() -> None:
    then, now = chain("a>b", "b")
    then["a"] = FileThen("content-a", {"b": ""})
    assert freshness(then, now)["a"] == PENDING_CHECK


@pytest.mark.requirement("STATE.3")
def test_the_example_of_the_page() -> None:
    then, now = chain("a>b", "b>c", "c")

    def row() -> list[str]:
        return [freshness(then, now)[name] for name in "abc"]

    found = [row()]
    now["c"] = FileNow("another-body", "shows-c")
    found.append(row())
    now["c"] = FileNow("another-signature", "shows-more")
    found.append(row())
    then["c"] = FileThen("another-signature", {})
    found.append(row())
    then["b"] = FileThen("content-b", {"c": "shows-more"})
    found.append(row())
    page = (ROOT / "docs" / "semantic.md").read_text(encoding="utf-8")
    table = page.partition("| then |")[2].partition("\n\n")[0].splitlines()[2:]
    assert found == [[cell.strip() for cell in line.split("|")[2:5]] for line in table]


def oracle(then: Then, now: Now, owns: Callable[[str], bool]) -> dict[str, str]:
    """The rules as they are written, again and again until nothing changes."""
    paths = {*then, *now, *(target for facts in then.values() for target in facts.dependencies)}
    found = dict.fromkeys(paths, CLEAN)
    while True:
        before = dict(found)
        for path in paths:
            found[path] = _by_the_rules(path, then, now, owns, before)
        if found == before:
            return {path: found[path] for path in {*then, *now}}


def _by_the_rules(path: str, then: Then, now: Now, owns: Callable[[str], bool], known: Mapping[str, str]) -> str:
    if path not in then:
        return UNINDEXED
    if path not in now or now[path].content_hash != then[path].content_hash:
        return DIRTY
    waits = False
    for target, recorded in then[path].dependencies.items():
        shown, *content = recorded.split() if recorded else ("",)
        if target not in now or (shown and now[target].shown != shown) or known[target] == STALE:
            return STALE
        waits |= not shown or known[target] in (DIRTY, PENDING_CHECK) or content not in ([], [now[target].content_hash])
        waits |= known[target] == UNINDEXED and owns(target)
    return PENDING_CHECK if waits else CLEAN


def random_world(chance: random.Random) -> tuple[dict[str, FileThen], dict[str, FileNow], frozenset[str]]:
    names = [f"f{number}" for number in range(chance.randint(1, 14))]
    rate = chance.choice((0.02, 0.1, 0.3))
    then, now = {}, {}
    for name in names:
        targets = chance.sample(names, min(len(names), chance.choice((0, 1, 1, 2, 3))))
        shown = {
            target: chance.choice(("", "old", "old c", "i", "i c3")) if chance.random() < rate else "i c"
            for target in targets
        }
        if chance.random() > rate:
            then[name] = FileThen("c", shown)
        if chance.random() > rate / 2:
            now[name] = FileNow("c2" if chance.random() < rate else "c", "i2" if chance.random() < rate / 2 else "i")
    return then, now, frozenset(name for name in names if chance.random() > rate)


@pytest.mark.requirement("STATE.2")
def test_a_thousand_graphs_with_cycles_are_as_the_fixpoint_says() -> None:
    seen: set[str] = set()
    for seed in range(1_000):
        then, now, owned = random_world(random.Random(seed))
        expected = oracle(then, now, owned.__contains__)
        assert freshness(then, now, owned.__contains__) == expected, seed
        seen.update(expected.values())
    assert seen == {CLEAN, DIRTY, STALE, PENDING_CHECK, UNINDEXED}


@pytest.mark.requirement("STATE.1")
@settings(deadline=None, max_examples=60)
@given(st.integers(0, 10**9), st.data())
def test_a_part_of_the_files_has_the_states_that_it_has_in_the_whole(seed: int, data: st.DataObject) -> None:
    then, now, owned = random_world(random.Random(seed))
    whole = file_states(then, now, owns=owned.__contains__)
    some = data.draw(st.sets(st.sampled_from(sorted(whole)))) if whole else set()
    part = file_states(then, now, owns=owned.__contains__, files=some)
    assert part == {path: whole[path] for path in some}
