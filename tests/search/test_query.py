"""Taking a query apart: filters, names, words, and no text that breaks it."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.base.errors import UsageError
from cairn.search import Filters, parse_query
from cairn.search.query import MAX_NAMES, MAX_QUERY_CHARS, MAX_TERMS, STOP_WORDS
from cairn.syntax.facts import SYMBOL_KINDS


@pytest.mark.requirement("SRCH.2")
def test_filters_are_taken_out_of_the_text() -> None:
    query = parse_query("stale lang:Python leases path:src/*.py -path:tests kind:Class path:lib")
    assert query.text == "stale leases"
    assert query.filters == Filters(("python",), ("src/*.py", "lib"), ("tests",), ("class",))
    assert "python" not in query.terms


def test_a_filter_in_quotes_may_hold_spaces() -> None:
    query = parse_query('lease path:"my folder/a b.py"')
    assert (query.text, query.filters.paths) == ("lease", ("my folder/a b.py",))


def test_filters_that_are_given_beside_the_text_count_too() -> None:
    query = parse_query("x lang:go", Filters(languages=("python",), kinds=("class",)))
    assert query.filters == Filters(languages=("python", "go"), kinds=("class",))


@pytest.mark.parametrize("text", ["xlang:python", "a.path:b", "(kind:class)"])
def test_a_filter_stands_by_itself(text: str) -> None:
    assert not parse_query(text).filters


@pytest.mark.parametrize("text", ["lang:", "path:", "kind:", 'kind:""', "path: src"])
def test_a_filter_without_a_value_filters_nothing(text: str) -> None:
    assert not parse_query(text).filters


@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize(
    ("text", "name", "owner"),
    [("path::join", "join", "path"), ("kind::Error", "Error", "kind"), ("lang::detect now", "detect", "lang")],
)
def test_a_name_of_two_parts_is_no_filter(text: str, name: str, owner: str) -> None:
    query = parse_query(text)
    assert not query.filters
    assert name in query.names
    assert owner in query.owners


@pytest.mark.parametrize("kind", sorted(SYMBOL_KINDS))
def test_every_kind_of_symbol_can_be_asked_for(kind: str) -> None:
    assert parse_query(f"x kind:{kind.upper()}").filters.kinds == (kind,)


@pytest.mark.parametrize(
    ("text", "shown"),
    [("kind:thing x", "kind:thing"), ("-lang:go x", "-lang:"), ("x -kind:class", "-kind:")],
)
def test_a_filter_that_can_not_be_meant_is_bad_usage(text: str, shown: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_query(text)
    assert shown in caught.value.message
    assert caught.value.hint


def test_an_unknown_kind_is_told_which_there_are() -> None:
    with pytest.raises(UsageError) as caught:
        parse_query("kind:thing")
    assert caught.value.hint is not None
    assert all(kind in caught.value.hint for kind in SYMBOL_KINDS)


@pytest.mark.parametrize(
    ("text", "names", "owners"),
    [
        ("lease", ("lease",), ()),
        ("lease.release", ("release", "lease.release"), ("lease",)),
        ("lease->release", ("release", "lease->release"), ("lease",)),
        ("std::fs::File", ("File", "std::fs::File"), ("std", "fs")),
        ("Lease#release", ("release", "Lease#release"), ("Lease",)),
        ("release()", ("release",), ()),
        ("Vec<T>", ("Vec", "T"), ()),
        ("empty?", ("empty?", "empty"), ()),
        ("`take`", ("take",), ()),
    ],
)
def test_a_query_that_is_a_name(text: str, names: tuple[str, ...], owners: tuple[str, ...]) -> None:
    query = parse_query(text)
    assert query.is_symbol
    assert set(names) <= set(query.names)
    assert query.names[0] == names[0]
    assert query.owners == owners


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("how does take_over work", ("take_over",)),
        ("where is SnapshotView made", ("SnapshotView",)),
        ("who calls HTTPServer first", ("HTTPServer",)),
        ("what does `release` do", ("release",)),
        ("when is lease.release called", ("release", "lease.release")),
        ("how are stale leases taken over", ()),
        ("the _private word", ()),
    ],
)
def test_in_prose_only_what_is_written_like_code_is_a_name(text: str, names: tuple[str, ...]) -> None:
    query = parse_query(text)
    assert not query.is_symbol
    assert query.names == names


def test_stop_words_do_not_count_beside_others() -> None:
    query = parse_query("how is the stale lease taken over")
    assert query.words == ("stale", "lease", "taken")
    assert not {"how", "the", "is"} & set(query.terms)


@pytest.mark.parametrize("text", ["how", "what is the", "HOW does It"])
def test_stop_words_alone_are_asked_for_all_the_same(text: str) -> None:
    query = parse_query(text)
    assert query.words == tuple(text.lower().split())
    assert query.terms


def test_names_keep_their_whole_and_their_parts_as_terms() -> None:
    assert set(parse_query("acquireLease").terms) >= {"acquirelease", "acquir", "leas"}
    assert set(parse_query("how is acquireLease used").terms) == set(parse_query("acquireLease").terms)


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("tests of the lease", {"test"}),
        ("lease", set()),
        ("example configuration", {"example", "config"}),
        ("the README", {"docs"}),
        ("contest of greatest", set()),
        ("benchmark", {"bench"}),
    ],
)
def test_kinds_of_files_are_wanted_in_so_many_words(text: str, kinds: set[str]) -> None:
    assert parse_query(text).asks_for == kinds


@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize(
    "text",
    [
        "",
        " \t\n",
        "?!.,;:()[]{}",
        '"',
        "'`\"",
        "AND (",
        "lease AND NOT (",
        "field:",
        'body:"',
        "a^9 b~2 [x TO y] *",
        "\0\x01\x1b[31m\x7f\x9b",
        "日本語 поиск بحث עברית 😀",
        "\u202ereversed\u2066",
        "\ud800\udfff",
        "'\udc80'",
        "<" * 100_000,
        "(" * 100_000,
        "a." * 50_000,
        "x" * 100_000,
        "word " * 20_000,
        "lang:python " * 10_000,
        'path:"' * 20_000,
    ],
    ids=lambda text: ascii(text)[:20],
)
def test_no_text_breaks_the_parser_and_what_comes_out_is_bounded(text: str) -> None:
    query = parse_query(text)
    assert len(query.text) <= MAX_QUERY_CHARS
    assert len(query.terms) <= MAX_TERMS
    assert len(query.names) <= MAX_NAMES
    assert len(query.owners) <= MAX_NAMES


@pytest.mark.slow
@pytest.mark.requirement("SRCH.2")
@given(st.text(st.characters(), max_size=200))
@settings(max_examples=300)
def test_any_text_is_parsed_or_refused_as_bad_usage(text: str) -> None:
    try:
        query = parse_query(text)
    except UsageError:
        assert "kind:" in text.lower() or "-" in text
        return
    assert query == parse_query(text)
    assert all(query.terms)
    assert len(set(query.terms)) == len(query.terms)
    assert all(query.names)


_PIECES = st.sampled_from(
    ["lease", "lang:go", "path:src", "-path:x", "kind:class", "how", "a.b", "A::B", '"', "'x'", "(", ")", "AND", "\x1b"]
)


@pytest.mark.slow
@given(st.lists(_PIECES, max_size=12))
@settings(max_examples=200)
def test_filters_and_words_mix_in_any_order(pieces: list[str]) -> None:
    query = parse_query(" ".join(pieces))
    assert query.filters == Filters(
        ("go",) * pieces.count("lang:go"),
        ("src",) * pieces.count("path:src"),
        ("x",) * pieces.count("-path:x"),
        ("class",) * pieces.count("kind:class"),
    )
    filters = ("lang:go", "path:src", "-path:x", "kind:class")
    assert query.text == " ".join(piece for piece in pieces if piece not in filters)


@pytest.mark.requirement("SRCH.2")
def test_words_of_every_script_become_terms() -> None:
    assert set(parse_query("поиск größe 検索").terms) >= {"поиск", "größe", "検索"}


def test_no_stop_word_is_a_kind_that_may_be_asked_for() -> None:
    wanted = {"test", "tests", "example", "docs", "benchmark", "config", "generated", "vendored"}
    assert not wanted & STOP_WORDS


@pytest.mark.parametrize("value", ["cobol", "\ud800", "pythn"])
def test_a_language_that_nobody_knows_is_bad_usage(value: str) -> None:
    with pytest.raises(UsageError, match="There is no language"):
        parse_query(f"lease lang:{value}")


@pytest.mark.parametrize(
    ("value", "language"),
    [("py", "python"), (".rs", "rust"), ("C++", "cpp"), ("c#", "csharp"), ("JS", "javascript"), ("go", "go")],
)
def test_a_suffix_or_a_common_name_stands_for_its_language(value: str, language: str) -> None:
    assert parse_query(f"lease lang:{value}").filters.languages == (language,)
