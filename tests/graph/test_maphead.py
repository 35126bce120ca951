"""What stands before the files of a map: more of it the more room there is, and never less than is said."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.graph.overview import Folded, Folder, LanguageShare, Overview
from cairn.graph.repomap import Head, head_within, in_one_line, whole_head
from cairn.graph.waysin import EntryPoint
from cairn.kernel.tokens import token_cost

OVERVIEW = Overview(
    tuple(LanguageShare(f"language{at}", 1, 1_000 // (at + 1)) for at in range(20)),
    tuple(Folder(f"src/part_{at}", at + 1, 10 * at + 1, "python") for at in range(60)),
    tuple(EntryPoint(f"bin/tool_{at}", "by its name") for at in range(30)),
    (),
    (),
    tuple(Folded(f"kind_{at}", at + 1, (f"part_{at}",)) for at in range(25)),
)
API = tuple((f"src/part_{at}/__init__.py", tuple(f"name_{at}_{number}" for number in range(90))) for at in range(40))
EVERY_ROW = 60 + 30 + 25 + 40


def rows(head: Head) -> list[str]:
    return [line for line in head.text.splitlines() if line.startswith("  ") and not line.endswith(" more)")]


@pytest.mark.requirement("MAP.1")
def test_a_whole_head_has_every_row_and_every_name() -> None:
    whole = whole_head(OVERVIEW, API)
    assert whole.left_out == 0
    assert len(rows(whole)) == EVERY_ROW
    assert all(name in whole.text for _, names in API for name in names)
    assert all(share.language in whole.text for share in OVERVIEW.languages)
    assert " more" not in whole.text
    assert head_within(OVERVIEW, API, whole.tokens) == whole
    assert head_within(OVERVIEW, API, whole.tokens - 1).left_out > 0


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
@given(st.integers(0, 20_000), st.integers(0, 5_000))
def test_more_room_never_shows_less_and_what_is_cut_is_counted(room: int, further: int) -> None:
    small, large = head_within(OVERVIEW, API, room), head_within(OVERVIEW, API, room + further)
    assert small.tokens == token_cost(small.text) <= max(room, 0)
    assert len(rows(small)) <= len(rows(large))
    assert small.left_out >= large.left_out >= 0
    if small.text and room > 200:
        told = sum(map(int, re.findall(r"(\d+) more", small.text)))
        hidden = sum(90 - len(names.split(", ...")[0].split(", ")) for names in re.findall(r"py: (.*)", small.text))
        assert told + hidden <= small.left_out


def test_small_heads_show_the_first_rows_of_each_part() -> None:
    head = head_within(OVERVIEW, API, 4_500)
    assert [line for line in head.text.splitlines() if line.endswith(" more)")] == [
        "  (18 more)",
        "  (48 more)",
        "  (13 more)",
        "  (28 more)",
    ]
    assert head.text.count("... (90 names)") == 12
    assert head.text.splitlines()[0].endswith("language7 3%, 12 more")
    assert head.left_out == 12 + 48 + 18 + 13 + 28 + 12 * 50


def test_one_is_no_several_and_languages_below_a_percent_are_said_only_with_room() -> None:
    shares = (LanguageShare("python", 9, 995), LanguageShare("css", 1, 5))
    folded = (Folded("tests", 2, ("tests",)), Folded("docs", 9, ("a", "b", "c", "d", "e", "")))
    told = Overview(shares, (Folder("", 1, 1, "python"),), (), (), (), folded)
    text = whole_head(told, ()).text
    assert text == (
        "languages: python 99%, css <1%\nfolders:\n  ./  1 file, 1 line\nfolded (map a folder to see it):\n"
        "  tests  2 files in tests/\n  docs  9 files in a/, b/, c/, d/, ... (6 folders)\n\n"
    )
    assert head_within(told, (), 21).text.startswith("languages: python 99%, 1 more\n")


def test_no_name_breaks_a_line() -> None:
    evil = "a\nb\x1b[31m\u2028c"
    folded = (Folded("tests", 1, (evil,)),)
    told = Overview((), (Folder(evil, 1, 1, "x"),), (EntryPoint(evil, f"command {evil}"),), (), (), folded)
    text = whole_head(told, ((evil, ("one",)),)).text
    assert text.count("\n") == len(text.splitlines()) == 9
    assert text.count(r"a\nb\x1b[31m\u2028c") == 5
    assert in_one_line("naïve/日本.py") == "naïve/日本.py"
