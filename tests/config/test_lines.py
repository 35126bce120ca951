"""A settings file that is changed by one key keeps everything else."""

import tomllib
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import RefusedError
from cairn.config.lines import toml, with_value, without_value

FILE = """\
# what we left out, and why

[index]
exclude = [
    "vendor/",  # not ours
    "*.min.js",
]
chunk_bytes = 900  # shorter: see "#12"

# how answers look
[query]
limit = 20
"""


def test_a_value_is_replaced_and_its_comment_stays() -> None:
    new = with_value(FILE, "index", "chunk_bytes", 1200)
    assert new == FILE.replace("chunk_bytes = 900", "chunk_bytes = 1200")


def test_a_value_of_several_lines_is_replaced_as_a_whole() -> None:
    new = with_value(FILE, "index", "exclude", ["build/"])
    assert 'exclude = ["build/"]\nchunk_bytes = 900  # shorter' in new
    assert "vendor" not in new


def test_a_key_is_added_to_its_section_and_a_section_to_the_end() -> None:
    new = with_value(FILE, "query", "mode", "code")
    assert new == FILE + 'mode = "code"\n'
    assert with_value("", "query", "limit", 3) == "[query]\nlimit = 3\n"
    assert with_value("[index]", "query", "limit", 3) == "[index]\n\n[query]\nlimit = 3\n"


def test_a_key_is_taken_out() -> None:
    assert without_value(FILE, "query", "limit") == FILE.replace("limit = 20\n", "")
    assert "vendor" not in without_value(FILE, "index", "exclude")
    assert without_value(FILE, "query", "mode") == FILE


@pytest.mark.parametrize("text", ["query = {limit = 3}\n", "query.limit = 3\n", '[query]\n"lim\\u0069t" = 3\n'])
def test_what_is_written_otherwise_is_left_alone(text: str) -> None:
    with pytest.raises(RefusedError, match="can't be changed from here"):
        with_value(text, "query", "limit", 5)


@pytest.mark.slow
@given(st.lists(st.text(st.characters(codec="utf-8")), max_size=4))
def test_every_text_is_written_as_it_was(values: list[str]) -> None:
    assert tomllib.loads(f"a = {toml(values)}")["a"] == values


VALUES = st.one_of(st.integers(-5, 2**40), st.booleans(), st.text(st.characters(codec="utf-8"), max_size=9))


@pytest.mark.slow
@given(
    st.dictionaries(st.sampled_from(["index", "query"]), st.dictionaries(st.sampled_from("abc"), VALUES)),
    st.sampled_from(["index", "query"]),
    st.sampled_from("abcd"),
    VALUES,
)
def test_the_rest_of_any_file_says_what_it_said(
    document: dict[str, dict[str, Any]], section: str, name: str, value: Any
) -> None:
    text = "".join(
        f"[{each}]\n# note\n" + "".join(f"{key} = {toml(said)} # [query]\n" for key, said in table.items())
        for each, table in document.items()
    )
    new = with_value(text, section, name, value)
    expected = {**document, section: {**document.get(section, {}), name: value}}
    assert tomllib.loads(new) == expected
    assert new.count("# note") == text.count("# note")
    rest = {key: said for key, said in expected[section].items() if key != name}
    assert tomllib.loads(without_value(new, section, name)) == {**expected, section: rest}
