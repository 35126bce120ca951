"""How much of the gold is in the first tokens of an output."""

from pathlib import Path

import pytest
from bench.economy import grepped, share

_CODE = "    a line of code\n"


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("src/a.py:1-9  A.go\n" + _CODE, 1.0),
        ("src/a.py\n" + _CODE, 1.0),
        ("a.py:1-9\n\n" + _CODE, 1.0),  # from a folder further in
        ("over/src/a.py:3\n" + _CODE, 1.0),
        ("src/a.py:1-9  A.go\n", 0.0),  # named alone
        ("    src/a.py\n" + _CODE, 0.0),  # in code
        ("src/ba.py:1-9\n" + _CODE, 0.0),
        ("x" * 4000 + "\nsrc/a.py:1-9\n" + _CODE, 0.0),  # behind the budget
    ],
)
def test_gold_counts_where_code_of_its_file_is_shown_in_time(text: str, found: float) -> None:
    assert share(text, ["src/a.py"], 1000) == found


def test_several_files_of_gold_count_by_their_share() -> None:
    assert share("a.py:1\n" + _CODE, ["a.py", "b.py"], 100) == 0.5


def test_who_greps_reads_the_files_that_hold_most_of_the_rare_words(tmp_path: Path) -> None:
    texts = {"a.py": "lease\n", "b.py": "lease stale\n", "c.py": "the lease lease\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)

    def counts(word: str) -> dict[str, int]:
        return {name: text.count(word) for name, text in texts.items() if word in text}

    assert (
        grepped(counts, tmp_path, "a stale lease", 100)
        == "b.py\nlease stale\n\nc.py\nthe lease lease\n\na.py\nlease\n\n"
    )
    assert grepped(counts, tmp_path, "a stale lease", 2) == "b.py\nlea"
