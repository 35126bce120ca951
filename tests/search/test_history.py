"""History as evidence: what commits like the query say of the files that they touched."""

from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from cairn.base.terms import term_hashes
from cairn.search.history import by_commits
from cairn.store.history import ReadCommit, joined

NOTHING = np.zeros(0, dtype="<u8")


def commit(number: int, word: str, paths: Sequence[str], vector: Sequence[float] = ()) -> ReadCommit:
    return ReadCommit(f"{number:040x}"[::-1], term_hashes([word]), b"\1", 1, paths, np.array(vector, np.float32))


def told(commits: Sequence[ReadCommit], word: str, vector: Sequence[float] | None, *paths: str) -> list[float]:
    """What the commits say of some files, over the most that they say of any."""
    view: Any = SimpleNamespace(history=joined([each.oid for each in commits], None, commits))
    evidence: Any = SimpleNamespace(
        places=[(0, number) for number in range(len(paths))], files=[SimpleNamespace(path_key=path) for path in paths]
    )
    asked = np.frombuffer(term_hashes([word]), dtype="<u8") if word else NOTHING
    found = by_commits(view, evidence, asked, None if vector is None else np.array(vector, np.float32))
    assert found is not None
    return [float(each) for each in found]


def test_a_commit_of_sixteen_files_says_half_as_much_of_each() -> None:
    many = [f"{number}.py" for number in range(16)]
    commits = [commit(1, "walrus", ["one.py"]), commit(2, "walrus", many), commit(3, "seal", ["two.py"])]
    assert told(commits, "walrus", None, "one.py", "0.py", "15.py", "two.py") == [1.0, 0.5, 0.5, 0.0]


def test_a_message_that_means_the_same_counts_without_a_word_of_the_query() -> None:
    commits = [commit(1, "seal", ["near.py"], (1.0, 0.0)), commit(2, "otter", ["far.py"], (0.0, 1.0))]
    assert told(commits, "", (1.0, 0.0), "near.py", "far.py") == [1.0, 0.0]
    # Words and likeness add up: the one has both, the other the word alone.
    commits = [commit(1, "seal", ["near.py"], (1.0, 0.0)), commit(2, "seal", ["far.py"], (0.0, 1.0))]
    assert told(commits, "seal", (1.0, 0.0), "near.py", "far.py") == pytest.approx([1.0, 0.5])
    assert told(commits, "seal", None, "near.py", "far.py") == [1.0, 1.0]


def test_the_best_three_commits_of_a_file_count() -> None:
    commits = [commit(number, "seal", ["often.py"]) for number in range(4)] + [commit(9, "seal", ["once.py"])]
    assert told(commits, "seal", None, "often.py", "once.py") == pytest.approx([1.0, 1 / 1.75])
