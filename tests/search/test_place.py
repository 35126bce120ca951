"""The place in a chunk: which definition is meant, and where it stands."""

import re

from hypothesis import given
from hypothesis import strategies as st

from cairn.search.place import head_line, meant

TEXT = '''class Lease:
    """What the file says."""

    epoch: int

    # Given back or stale: others may take it.
    def is_free(self):
        return self.released


def ttl():
    return 120
'''
NAMES = ["Lease", "Lease.epoch", "Lease.is_free", "ttl"]


def test_a_head_is_where_the_name_is_written_comments_aside() -> None:
    lines = TEXT.split("\n")
    assert head_line(lines, "Lease.is_free") == 6
    assert head_line(["# ttl is short", "def ttl():"], "ttl") == 1
    assert head_line(lines, "absent") is None
    assert head_line(lines, "") is None
    assert head_line(["def subttl():"], "ttl") is None


def test_the_definition_whose_own_lines_say_most_is_meant() -> None:
    assert meant(TEXT, NAMES, {"stal": 3.0, "tak": 2.0}) == "Lease.is_free"
    assert meant(TEXT, NAMES, {"leas": 1.0}) == "Lease"
    assert meant(TEXT, NAMES, {"ttl": 1.0}) == "ttl"


def test_without_a_choice_there_is_none() -> None:
    assert meant(TEXT, [], {"leas": 1.0}) == ""
    assert meant(TEXT, ["ttl"], {"leas": 1.0}) == "ttl"
    assert meant(TEXT, ["gone", "lost"], {"leas": 1.0}) == "gone"
    assert meant(TEXT, NAMES, {}) == "Lease"


def test_a_use_above_the_definition_is_not_its_head() -> None:
    lines = ["    return checksum(data)", "", "", "def checksum(data):", "    return 0"]
    assert head_line(lines, "checksum") == 3
    assert head_line(["x = total(1)", "total = 2"], "total") == 0


@given(st.text(alphabet="ab_1é+. ", max_size=12), st.text(alphabet="ab_+é", min_size=1, max_size=3))
def test_a_name_is_found_only_where_it_stands_by_itself(line: str, name: str) -> None:
    expected = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", line)
    assert (head_line([line], name) is not None) == (expected is not None)


@given(
    st.lists(
        st.sampled_from(
            ["def ttl():", "  return ttl", "# ttl", "subttl = ttl", "class Lease:", "", "ttl.ttl", "attl attl ttl", "x"]
        ),
        max_size=8,
    ),
    st.sampled_from(["ttl", "Lease.ttl", "Lease", "x", ""]),
)
def test_the_line_of_a_name_is_found_as_if_each_line_were_looked_at(lines: list[str], name: str) -> None:
    last = name.rpartition(".")[2]
    word = re.compile(rf"(?<![\w]){re.escape(last)}(?![\w])")
    written = [
        (at, match.start())
        for at, line in enumerate(lines)
        if last and (match := word.search(line)) and not line.lstrip().startswith("#")
    ]
    defining = [at for at, place in written if re.search(r"\b(?:def|class)\b[^=(]*$", lines[at][:place])]
    expected = defining[0] if defining else written[0][0] if written else None
    assert head_line(lines, name) == expected
