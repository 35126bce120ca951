"""A long text is read by its parts: each says what it is good for, and nothing else."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.search import Filters, parse_query
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
    ("lines", "path", "function"),
    [
        ("    at renew (src/lease.js:12:5)", "src/lease.js", "renew"),
        ("    at async Lease.renew (file:///app/src/lease.mjs:3:1)", "app/src/lease.mjs", "renew"),
        ("    at new Lease (C:\\app\\lease.ts:3:1)", "C:\\app\\lease.ts", "Lease"),
        ("    at async src/lease.js:12:5", "src/lease.js", ""),
        ("\tat guard.store.Lease.takeOver(Lease.java:10) ~[guard.jar:1.2]", "guard/store/Lease.java", "takeOver"),
        ("   at Guard.Lease.TakeOver(String to) in C:\\My Dir\\Lease.cs:line 12", "C:\\My Dir\\Lease.cs", "TakeOver"),
        ("\tfrom lib/lease.rb:3:in `block in renew!'", "lib/lease.rb", "renew!"),
        ("#0 /var/www/Lease.php(12): Guard\\Lease->renew('x')", "/var/www/Lease.php", "renew"),
        ("guard.(*Lease).Renew(0xc0, 0x1)\n\t/x/store/lease.go:31 +0x1d", "/x/store/lease.go", "Renew"),
        ("  3: guard::store::renew\n        at src/store.rs:12:5", "src/store.rs", "renew"),
        ("  --> src/store/lease.rs:40:9", "src/store/lease.rs", ""),
        ("thread 'main' panicked at src/store.rs:40:9:", "src/store.rs", ""),
        ("Sources/Lease.swift:12: Fatal error: Index out of range", "Sources/Lease.swift", ""),
        ("guard/store.py:12: in renew", "guard/store.py", "renew"),
        ("~/guard/store.py in renew(self, owner)", "~/guard/store.py", "renew"),
        ("File ~/guard/store.py:12, in Lease.renew(self)", "~/guard/store.py", "renew"),
        ('INTERNALERROR>   File "D:\\a\\store.py", line 3, in renew', "D:\\a\\store.py", "renew"),
    ],
)
def test_frames_of_every_language_name_files_and_functions(lines: str, path: str, function: str) -> None:
    (frame,) = (part for part in parts_of(f"It breaks\n{lines}\n") if part.role is PartRole.FRAME)
    assert (frame.path, frame.function) == (path, function)
    found = read(f"It breaks\n{lines}\n")
    assert path in found.paths
    assert not function or found.names[function] > 0


@pytest.mark.parametrize(
    ("first", "last"),
    [
        ('  File "a.py", line 1, in one', '  File "b.py", line 2, in two'),
        ("    at two (b.js:2:1)", "    at one (a.js:1:1)"),
        ("\tat x.B.two(B.java:2)", "\tat x.A.one(A.java:1)"),
        ("b.rb:2:in 'two': lease is gone (StaleError)", "\tfrom a.rb:1:in 'one'"),
    ],
)
def test_the_innermost_frame_is_the_last_of_python_and_the_first_elsewhere(first: str, last: str) -> None:
    names = read(f"It breaks\n{first}\n{last}\n").names
    assert names["two"] > names["one"] > 0


def test_what_is_said_behind_a_frame_is_heard() -> None:
    found = read(
        "It breaks\nlib/b.rb:2:in 'two': lease is gone for good (StaleError)\nsrc/x.c:3:1: error: too few owners\n"
    )
    assert {"lease is gone for good", "too few owners"} <= {*found.messages}
    assert found.terms["owner"] > 1


@pytest.mark.parametrize(
    "line",
    [
        "Thanks to the netrc lookup, trust_env leaks credentials",
        "platform independent paths break",
        "Locale switching fails when the cookie is missing",
        "commit: rollback is never called",
        "machine: windows renewal drops the lease",
        "Regression: 2.1.0 breaks the lease",
        "class based views are slow",
        "import fails on windows",
        "return of the king",
        "if you do this then see:",
        "from my import of data nothing comes",
        "@someone can you have a look",
        "settings.debug in production",
        "Search results context",
        "Type error output",
        "It fails at src/lease.js:12 when the owner left",
    ],
)
def test_prose_is_no_noise_and_no_code(line: str) -> None:
    assert roles(f"Title of it\n{line}")[line] is PartRole.PROSE


@pytest.mark.parametrize(
    "line",
    [
        "Thanks in advance for your help!",
        "- OS: Windows 10 Pro 64-bit",
        "Operating System: Linux-5.4 #1 SMP",
        "python: 3.6.6.final.0",
        "**Version**: 2",
        "pydicom | 2.0.0",
        "LANG: en_US.UTF-8",
        "commit: 1a2b3c4d",
        "dask: None",
        "guard 1.2.3",
        "#### Steps to reproduce",
        "**Describe the bug**",
    ],
)
def test_what_templates_ask_for_is_noise_whose_words_count_a_little(line: str) -> None:
    text = f"Title of it\n{line}\nprose"
    assert roles(text)[line] is PartRole.NOISE
    found = read(text)
    assert min(found.terms.values()) < found.terms["pros"] / 20


@pytest.mark.parametrize(
    "line",
    [
        "class Lease:",
        "class Lease(Base):",
        "def renew(self):",
        "import numpy as np",
        "from a.b import c, d as e",
        "import { a } from './b'",
        "return lease",
        "return renew(lease, owner)",
        "if lease == owner:",
        "for each in leases:",
        "@property",
        "@pytest.mark.slow(1)",
    ],
)
def test_code_outside_of_fences_is_known_by_its_shape(line: str) -> None:
    assert roles(f"Title of it\n{line}")[line] is PartRole.CODE


@pytest.mark.parametrize(
    "head",
    [
        "### Describe the bug",
        "**What happened?**",
        "### Which version of Guard do you use?",
        "### Guard version checks",
        "- [x] I have read the policy of tests",
        "---\nname: Bug report\nabout: Tell us of a bug\nlabels:\n- bug\n---",
        "Traceback (most recent call last):",
        'Traceback (most recent call last):\n  File "a.py", line 1, in test',
        "thread 'main' panicked at tests/x.rs:10:5:",
        "    at renew (tests/lease.js:12:5)",
        "1.2.3",
    ],
)
def test_the_title_is_the_first_line_that_says_something(head: str) -> None:
    query = parse_query(f"{head}\nLease is lost\nand more\nand more of it\n")
    assert query.report is not None
    assert query.report.title == ("lease", "is", "lost")
    assert query.report.gist.startswith("Lease is lost Lease is lost")
    assert query.asks_for == frozenset()


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("```py\nimport lease\n```\nLease is lost\n", ("lease", "is", "lost")),
        ("renew(lease)\n\nfails\n", ("renew", "lease")),
        ("```py\nrenew(lease)\n```\n", ("renew", "lease")),
        ("Search results context\n\nare lost\n", ("search", "results", "context")),
        ("settings.debug in production\n\nis wrong\n", ("settings", "debug", "in", "production")),
        ("lease.py:31 crashes without an owner\n\nand more\n", ("crashes", "without", "an", "owner")),
    ],
)
def test_code_is_a_title_only_where_the_text_begins_with_it(text: str, title: tuple[str, ...]) -> None:
    assert read(text).title == title


def test_a_heading_may_be_the_title_and_frames_alone_have_none() -> None:
    assert read("## Lease is lost\n\nand more\n").title == ("lease", "is", "lost")
    frames = read("    at f (a.js:1:1)\n" * 5)
    assert frames.title == ()
    assert (*frames.paths, *frames.names) == ("a.js", "f")
    assert frames.gist


@pytest.mark.parametrize(
    ("text", "code", "prose"),
    [
        ("T\n```py\nsome words\n```\nother words", {"some words"}, {"other words"}),
        ("T\n```py\nsome words\n\nother words", set(), {"some words", "other words"}),
        ("T\n~~~\nsome words\n```\nmore words\n~~~\nother words", {"some words", "more words", "```"}, {"other words"}),
        ("T\n```py\nother words\n```js\nsome words\n```\n", {"some words"}, {"other words"}),
        ("T\n```other words```\nmore words", set(), {"```other words```", "more words"}),
    ],
)
def test_a_fence_is_closed_by_its_own_kind_or_opens_nothing(text: str, code: set[str], prose: set[str]) -> None:
    found = roles(text)
    assert {line for line, role in found.items() if role is PartRole.CODE} == code
    assert {line for line, role in found.items() if role is PartRole.PROSE} == prose


@pytest.mark.parametrize("end", ["\n", "\r", "\r\n"])
def test_lines_end_in_every_way(end: str) -> None:
    assert is_long(end.join("abcd"))
    assert not is_long(end.join("abc"))
    assert read(end.join(("Lease is lost", "a", "b", "c"))).title == ("lease", "is", "lost")


LONG = [
    "- <!-- TODO\n",
    "lang:en path:/usr/bin kind:x\n",
    "```\n~~~\n````py\n",
    "-" * 990 + "\n",
    "a" + " " * 980 + "b\n",
    "if " + "(" * 900 + "\n",
    "- - - a a a" * 80 + "\n",
    "OS: linux" + " A," * 300 + "x y\n",
    "from a import " + "a, " * 300 + "-\n",
    "0: " + "<.a" * 200 + "\n at x.rs:1\n",
    "#1 " + ".php(1)" * 130 + "\n",
]


@pytest.mark.parametrize(
    "piece",
    ["<!--", "path:x ", *(pytest.param(piece, marks=pytest.mark.slow) for piece in LONG)],
    ids=lambda piece: ascii(piece)[:20],
)
def test_long_texts_are_read_in_linear_steps(piece: str) -> None:
    """With steps that grow with the square, these would take minutes."""
    assert parse_query("Title\n\n\n\nx\n" + piece * (200_000 // len(piece)) + "y").report is not None


@pytest.mark.parametrize("text", ["where are leases renewed", "Lease.renew", "a\nb\nc"])
def test_a_phrase_is_no_report(text: str) -> None:
    assert not is_long(text)
    assert parse_query(text).report is None


def test_only_filters_at_the_head_and_the_end_of_a_long_text_count() -> None:
    query = parse_query(
        f"path:src lang:go\n{ISSUE}\nuse kind:nonsense or path:lib in between\nlang:python -path:tests\n"
    )
    assert query.report is not None
    assert query.filters == Filters(languages=("go", "python"), paths=("src",), not_paths=("tests",))
    assert query.report.title == ("renewing", "a", "lease", "twice", "fails")
    assert not query.cut


@pytest.mark.parametrize("word", ["kind:bug", "lang:en_US", "-lang:en", "-kind:trait"])
def test_what_can_not_be_meant_as_a_filter_is_text_of_a_long_text(word: str) -> None:
    assert parse_query(f"{word} path:a\n{ISSUE}\nlang:go {word}").filters == Filters()
    query = parse_query(f"{ISSUE}\n{word} lang:go")
    assert query.filters == Filters(languages=("go",))
    assert word.rpartition(":")[2].partition("_")[0] in query.terms


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
