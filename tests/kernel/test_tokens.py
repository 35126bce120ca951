"""Words of code: whole identifiers and their parts."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.kernel.tokens import MAX_TOKEN_CHARS, stem, tokens


@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", []),
        ("word", ["word"]),
        ("Word", ["word"]),
        ("two words", ["two", "word"]),
        ("snake_case_name", ["snake_case_name", "snak", "cas", "nam"]),
        ("camelCaseName", ["camelcasename", "camel", "cas", "nam"]),
        ("HTTPServer", ["httpserver", "http", "serv"]),
        ("parseHTTP2Request", ["parsehttp2request", "pars", "http", "request"]),
        ("SCREAMING_CASE", ["screaming_case", "scream", "cas"]),
        ("__init__", ["init"]),
        ("_private", ["priv"]),
        ("a__b", ["a__b"]),
        ("sha256", ["sha256", "sha", "256"]),
        ("42", ["42"]),
        ("x.y->z", ["x", "y", "z"]),
        ("src/deep/mod.py", ["src", "deep", "mod", "py"]),
        ("___", []),
        ("+-*/", []),
        ("größe", ["größe", "gr", "öß"]),
        ("Привет_мир", ["привет_мир", "привет", "мир"]),
        ("日本語", ["日本語"]),
    ],
)
def test_identifiers_come_whole_and_in_parts(text: str, expected: list[str]) -> None:
    assert tokens(text) == expected


def test_long_words_are_cut() -> None:
    assert tokens("a" * 1000) == ["a" * MAX_TOKEN_CHARS]


@pytest.mark.slow
@given(st.text(max_size=300))
@settings(max_examples=300)
def test_a_token_is_one_word_without_space_or_upper_case(text: str) -> None:
    for token in tokens(text):
        assert token
        assert len(token) <= MAX_TOKEN_CHARS
        assert not any(character.isspace() for character in token)
        assert token == token.lower()


@pytest.mark.slow
@given(st.text(max_size=100), st.text(max_size=100))
@settings(max_examples=200)
def test_texts_that_stand_apart_have_the_tokens_of_each(left: str, right: str) -> None:
    assert tokens(f"{left}\n{right}") == tokens(left) + tokens(right)


@pytest.mark.slow
@given(st.from_regex(r"[a-z]{2,8}(_[a-z]{2,8}){1,4}", fullmatch=True))
@settings(max_examples=100)
def test_every_part_of_a_name_is_found_by_itself(name: str) -> None:
    assert {token for part in name.split("_") for token in tokens(part)} <= set(tokens(name))


@pytest.mark.parametrize(
    "words",
    [
        "lease leases leasing leased",
        "parse parses parser parsing parsed",
        "tokenize tokenizer tokenization tokens",
        "cache caches caching cached",
        "policy policies",
        "validate validates validating validation",
        "take takes taken took taking",
        "retry retries retried",
        "match matches matching matched",
        "run runs running runner",
    ],
)
def test_forms_of_a_word_meet_in_one_stem(words: str) -> None:
    assert len(set(tokens(words))) == 1


@pytest.mark.parametrize("word", ["class", "bus", "this", "his", "gas", "red", "sing", "string", "x86", "größer"])
def test_what_only_looks_like_an_ending_stays(word: str) -> None:
    assert stem(word) == word
