"""Choosing files by a pattern that a user typed."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import UsageError
from cairn.workspace.wildmatch import path_matcher


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src", "src/a.py"),
        ("src/", "src/deep/a.py"),
        ("./src", "src/a.py"),
        ("/src/", "src/a.py"),
        ("tests", "pkg/tests/a.py"),
        ("*.py", "a.py"),
        ("*.py", "deep/er/a.py"),
        ("a.py", "deep/a.py"),
        ("src/*.py", "src/a.py"),
        ("src/**/a.py", "src/x/y/a.py"),
        ("src/**", "src/x/y/a.py"),
        ("**/a.py", "x/a.py"),
        ("src/x", "src/x/y/a.py"),
        ("[ab].py", "b.py"),
        ("?.py", "x.py"),
        ("größe", "größe/a.py"),
        ("my folder", "my folder/a.py"),
        ("a.py/", "a.py"),
    ],
)
def test_what_a_pattern_means(pattern: str, path: str) -> None:
    assert path_matcher(pattern)(path)


@pytest.mark.parametrize(
    ("pattern", "path"),
    [
        ("src", "lib/src.py"),
        ("src", "mysrc/a.py"),
        ("src/*.py", "src/deep/a.py"),
        ("src/*.py", "lib/src/a.py"),
        ("*.py", "a.pyc"),
        ("a.py", "aXpy"),
        ("?.py", "xy.py"),
        ("SRC", "src/a.py"),
        ("src/x", "src/xy/a.py"),
        ("py", "a.py"),
        ("a\n", "a"),
    ],
)
def test_what_a_pattern_does_not_mean(pattern: str, path: str) -> None:
    assert not path_matcher(pattern)(path)


@pytest.mark.parametrize("pattern", ["", "/", "./", "//", "[", "src/["])
def test_a_pattern_without_a_meaning_chooses_nothing(pattern: str) -> None:
    matches = path_matcher(pattern)
    assert not any(matches(path) for path in ("a.py", "src/a.py", ""))


@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize("pattern", ["\ud800", "\udc80*", "src/\udfff*", "*" * 2_000, "[" * 2_000, "**/" * 300 + "a"])
def test_hostile_patterns_are_borne(pattern: str) -> None:
    assert path_matcher(pattern)("src/a.py") in (True, False)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.2")
@given(st.text(st.characters(), max_size=30), st.lists(st.text("ab.*", min_size=1, max_size=4), min_size=1, max_size=4))
@settings(max_examples=300)
def test_any_pattern_can_be_typed_and_means_the_same_twice(pattern: str, parts: list[str]) -> None:
    path = "/".join(parts)
    assert path_matcher(pattern)(path) == path_matcher(pattern)(path)


@given(st.lists(st.text("abc", min_size=1, max_size=3), min_size=1, max_size=5), st.integers(1, 5))
def test_a_plain_path_chooses_itself_and_all_beneath_it(parts: list[str], depth: int) -> None:
    path = "/".join(parts)
    assert path_matcher("/".join(parts[:depth]))(path)
    assert path_matcher(path)(path)
    assert path_matcher(path)(f"{path}/beneath")


@given(
    st.lists(st.sampled_from(("src", "*.py", "src/a", "lib/*", "a", "[ab]*", "**/b")), max_size=3),
    st.lists(st.lists(st.sampled_from(("src", "lib", "a", "b.py", "ab")), min_size=1, max_size=4), max_size=6),
)
def test_several_patterns_choose_what_any_of_them_does(patterns: list[str], paths: list[list[str]]) -> None:
    matches = path_matcher(*patterns)
    for path in map("/".join, paths):
        assert matches(path) == any(path_matcher(pattern)(path) for pattern in patterns)


def test_a_path_may_be_as_deep_as_the_system_allows() -> None:
    deep = "/".join("a" * 2_000)
    assert path_matcher("a/a")(deep)
    assert not path_matcher("b")(deep)


def test_braces_list_choices_and_are_part_of_a_name_otherwise() -> None:
    source = path_matcher("{src,lib/{a,b}}/**/*.{ts,tsx}")
    assert [path for path in ("src/x.ts", "lib/a/x.tsx", "lib/c/x.ts", "src/x.js") if source(path)] == [
        "src/x.ts",
        "lib/a/x.tsx",
    ]
    assert path_matcher("{{slug}}/a.py")("{{slug}}/a.py")
    assert path_matcher("\\{a,b}")("{a,b}")
    with pytest.raises(UsageError):
        path_matcher("{a,b}" * 40)
