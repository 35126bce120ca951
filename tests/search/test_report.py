"""A long text is read by its parts: each says what it is good for, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.search import parse_query
from cairn.search.query import STOP_WORDS
from cairn.search.report import Report, read_report
from cairn.search.textparts import PartRole, is_long, parts_of

ISSUE = """Renewing a lease twice fails
<!-- thanks for the report! -->
### What happened

I called `renew` after the owner changed, see https://example.org/run/17 and `guard.store.Lease`.

```python
>>> lease = Lease("me")
>>> lease.renew_now()
```

Traceback (most recent call last):
  File "/usr/lib/python3/site-packages/guard/cli.py", line 12, in main
    run()
  File "/usr/lib/python3/site-packages/guard/store.py", line 7, in take_over
    raise StaleError(f"lease of {owner} is older than {limit}")
guard.StaleError: lease of 'me' is older than 30 seconds

- [x] I have searched
guard==1.2.3
platform linux -- Python 3.11.2
"""


def read(text: str) -> Report:
    return read_report(text, STOP_WORDS)


def roles(text: str) -> dict[str, PartRole]:
    return {part.text.strip(): part.role for part in parts_of(text)}


@pytest.mark.requirement("RANK.20")
def test_each_line_has_its_role() -> None:
    found = roles(ISSUE)
    assert found["Renewing a lease twice fails"] is PartRole.TITLE
    assert found['>>> lease = Lease("me")'] is PartRole.CODE
    assert found["guard.StaleError: lease of 'me' is older than 30 seconds"] is PartRole.ERROR
    assert {line for line, role in found.items() if role is PartRole.NOISE} == {
        "- [x] I have searched",
        "guard==1.2.3",
        "platform linux -- Python 3.11.2",
        "### What happened",
        "Traceback (most recent call last):",
    }
    assert sum(role is PartRole.FRAME for role in found.values()) == 2
    assert not any("thanks for the report" in line for line in found)


@pytest.mark.requirement("RANK.20")
def test_a_title_says_most_and_versions_say_nothing() -> None:
    found = read(ISSUE)
    assert found.terms["renew"] > found.terms["owner"] > 0
    assert 0 < found.terms["linux"] < found.terms["owner"] / 20
    assert found.title == ("renewing", "a", "lease", "twice", "fails")
    assert found.gist.startswith("Renewing a lease twice fails Renewing")


@pytest.mark.requirement("RANK.20")
def test_frames_name_files_and_functions_and_the_innermost_most() -> None:
    found = read(ISSUE)
    outer, inner = (found.paths[f"/usr/lib/python3/site-packages/guard/{name}.py"] for name in ("cli", "store"))
    assert inner > outer > 0
    assert found.names["take_over"] > 0


@pytest.mark.requirement("RANK.20")
def test_names_modules_and_messages_are_heard() -> None:
    found = read(ISSUE)
    assert {"renew", "Lease", "renew_now", "StaleError"} <= found.names.keys()
    assert "guard.store.Lease" in found.modules
    assert "is older than" in found.messages
    assert not any("example.org" in name for name in (*found.modules, *found.names))


@pytest.mark.parametrize(
    ("line", "path"),
    [
        ("    at renew (src/lease.js:12:5)", "src/lease.js"),
        ("  --> src/store/lease.rs:40:9", "src/store/lease.rs"),
        ("store/lease.go:31 +0x1d", "store/lease.go"),
    ],
)
def test_frames_of_other_languages_name_files_too(line: str, path: str) -> None:
    assert path in read(f"It breaks\n{line}\nand nothing else\nhelps").paths


@pytest.mark.parametrize("text", ["where are leases renewed", "Lease.renew", "a\nb\nc"])
def test_a_phrase_is_no_report(text: str) -> None:
    assert not is_long(text)
    assert parse_query(text).report is None


def test_only_the_last_filters_of_a_long_text_count() -> None:
    query = parse_query(f"{ISSUE}\nuse kind:nonsense or path:src in between\nlang:python -path:tests")
    assert query.report is not None
    assert (query.filters.languages, query.filters.not_paths, query.filters.paths) == (("python",), ("tests",), ())
    assert not query.cut


def test_what_a_long_text_mentions_in_passing_it_does_not_ask_for() -> None:
    body = "\nI wrote a test.\nThe example fails.\nOld versions too.\n"
    assert parse_query(f"A lease is lost{body}").asks_for == frozenset()
    assert "test" in parse_query(f"A test of leases is flaky{body}").asks_for


@pytest.mark.parametrize("piece", ["E", "a.", "a(", "_", "<", "a:", '"a', "1.", "a/", "="])
def test_words_that_nobody_writes_are_left_aside(piece: str) -> None:
    line = (piece * 1_001)[:1_001]
    assert [part.text for part in parts_of(f"title\n{line}\nprose")] == ["title", "prose"]
    assert [*parts_of(f"title\n{line[:990]}")][1:]


def test_a_long_line_of_words_is_read_in_pieces() -> None:
    pieces = [part.text for part in parts_of("title\n" + "some words " * 300)][1:]
    assert len(pieces) == 4
    assert " ".join(pieces).split() == ["some", "words"] * 300


@given(st.text(max_size=400))
def test_any_text_can_be_read(text: str) -> None:
    found = read(text)
    assert all(worth > 0 for worth in (*found.terms.values(), *found.names.values(), *found.paths.values()))
