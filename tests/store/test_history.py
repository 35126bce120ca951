"""`history.bin`: what is joined, written and read is the same, and what is none is damage."""

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import CorruptStoreError
from cairn.base.terms import term_hashes
from cairn.store.history import MOST_FILES, History, ReadCommit, decode, encode, joined

WORDS = ("lease", "guard", "walrus", "tree")
FILES = ("a.py", "b.py", "c/d.py")
Told = tuple[int, tuple[str, ...], tuple[str, ...]]


def read(number: int, words: Sequence[str], paths: Sequence[str]) -> ReadCommit:
    own = sorted(set(words))
    vector = np.zeros(4, np.float32)
    vector[number % 4] = 1.0
    counts = bytes(words.count(word) for word in own)
    return ReadCommit(f"{number:040x}"[::-1], term_hashes(own), counts, len(words), paths, vector)


def told(history: History) -> list[tuple[int, list[float], list[int], int]]:
    """Each commit by its name, with its words, its files and how many of these it has."""
    asked = np.frombuffer(term_hashes(WORDS), dtype="<u8")
    touching = [each.tolist() for each in history.commits_of(FILES)]
    return [
        (oid, counts, [file for file, commits in enumerate(touching) if at in commits], history.touched[at].item())
        for at, (oid, counts) in enumerate(zip(history.oids.tolist(), history.frequencies(asked).tolist(), strict=True))
    ]


commits = st.lists(
    st.tuples(
        st.integers(0, 9),
        st.lists(st.sampled_from(WORDS), max_size=4).map(tuple),
        st.sets(st.sampled_from(FILES)).map(lambda each: tuple(sorted(each))),
    ),
    unique_by=lambda each: each[0],
    max_size=8,
)


@given(commits, st.integers(0, 8))
def test_what_is_joined_in_steps_is_what_is_read_at_once(given_commits: list[Told], cut: int) -> None:
    made = [read(*each) for each in given_commits]
    order = [each.oid for each in made]
    before = joined([*order[cut:][:5], "f" * 40], None, made[cut:])
    after = joined(order, before, [each for each in made if each.oid not in order[cut:][:5]])
    at_once = joined(order, None, made)
    assert told(after) == told(at_once) == told(decode(encode(after), "it"))
    assert encode(after) == encode(at_once) or not any(each.paths for each in made)
    shorter = joined(order[1:], at_once, [])
    assert told(shorter) == told(joined(order[1:], None, made))


def test_a_message_is_near_to_what_it_means() -> None:
    history = joined([f"{n:040x}"[::-1] for n in (1, 2)], None, [read(n, ["tree"], ["a.py"]) for n in (1, 2)])
    both = np.array([0, 1], np.uint16)
    assert history.likeness(np.array([0, 1, 0, 0], np.float32), both).tolist() == pytest.approx([1.0, 0.0])
    assert history.likeness(np.ones(7, np.float32), both).tolist() == [0.0, 0.0]


def test_a_commit_of_many_files_says_nothing() -> None:
    many = [f"{number}.py" for number in range(MOST_FILES + 1)]
    history = joined(["0" * 40], None, [read(0, ["lease"], many)])
    assert (len(history.oids), history.touched.tolist(), len(history.terms), len(history.files)) == (1, [0], 0, 0)


@given(st.data())
def test_what_is_no_history_is_damage(data: st.DataObject) -> None:
    whole = encode(
        joined(
            ["1" * 40], None, [ReadCommit("1" * 40, term_hashes(WORDS), b"\1" * 4, 4, FILES, np.ones(2, np.float32))]
        )
    )
    cut = data.draw(st.integers(0, len(whole) - 1))
    with pytest.raises(CorruptStoreError):
        decode(whole[:cut], "it")
    with pytest.raises(CorruptStoreError):
        decode(whole + b"\0", "it")
    # What somebody has written on purpose may say anything, but never leads beyond its arrays.
    place = data.draw(st.integers(0, len(whole) - 1))
    other = whole[:place] + bytes([data.draw(st.integers(0, 255))]) + whole[place + 1 :]
    try:
        history = decode(other, "it")
    except CorruptStoreError:
        return
    told(history)
