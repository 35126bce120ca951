"""A block between markers in somebody else's file."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.surfaces.agents import markdown
from cairn.surfaces.agents.edits import EditError
from cairn.surfaces.agents.instructions import INSTRUCTIONS

pytestmark = pytest.mark.requirement("INST.1")

plain = st.text(st.sampled_from("ab \n#-"), max_size=30)


@given(plain)
def test_the_text_around_the_block_stays(text: str) -> None:
    after = markdown.put(text, "ours")
    assert after.startswith(text)
    assert markdown.put(after, "ours") == after
    assert markdown.take(after).rstrip("\n") == text.rstrip("\n")


@given(plain, plain)
def test_a_block_is_replaced_where_it_stands(before: str, behind: str) -> None:
    text = f"{before}{markdown.BEGIN}\nold\n{markdown.END}{behind}"
    assert markdown.put(text, "new") == f"{before}{markdown.BEGIN}\nnew\n{markdown.END}{behind}"


def test_line_ends_are_those_of_the_file() -> None:
    after = markdown.put("a\r\n", "x\ny", "\r\n")
    assert after.count("\n") == after.count("\r\n")
    assert markdown.take(after, "\r\n") == "a\r\n"


def test_a_new_file_begins_with_what_the_client_wants() -> None:
    assert markdown.put("", "x", preamble="---\na: b\n---").startswith("---\na: b\n---\n\n<!-- cairn:begin -->\n")


@pytest.mark.parametrize(
    "text",
    [
        markdown.BEGIN,
        markdown.END,
        f"{markdown.END}\n{markdown.BEGIN}",
        f"{markdown.BEGIN}{markdown.BEGIN}{markdown.END}",
    ],
)
def test_markers_that_are_not_a_pair_are_refused(text: str) -> None:
    with pytest.raises(EditError, match="markers"):
        markdown.put(text, "x")


def test_the_block_is_short_and_names_the_tools_and_the_refusals() -> None:
    assert len(markdown.put("", INSTRUCTIONS).splitlines()) <= 15
    assert len(INSTRUCTIONS.split()) <= 150
    for word in (
        "search_codebase find_references call_graph file_outline repo_map read_file "
        "literal regex count_only role symbol not_ready requires_reindex not_indexed grep"
    ).split():
        assert word in INSTRUCTIONS
