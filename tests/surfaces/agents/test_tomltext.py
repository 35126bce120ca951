"""One table of a TOML text is set or removed; nothing else in the text moves."""

import tomllib

import pytest

from cairn.surfaces.agents import tomltext
from cairn.surfaces.agents.edits import EditError

pytestmark = pytest.mark.requirement("INST.1")

KEYS = ("mcp_servers", "cairn")
VALUES = {"command": "/usr/bin/cairn", "args": ["mcp"]}
TEXTS = [
    "",
    'model = "x"\n',
    'model = "x"',
    "# mine\n[mcp_servers.other]\ncommand = 'y' # why\n\n[tools]\nweb = true\n",
    '[a]\ntext = """\n[mcp_servers.cairn]\n"""\nlist = [\n  1, # one\n  2,\n]\n',
    "[mcp_servers]\n",
    "[[profiles]]\nname = 'a'\n[[profiles]]\nname = 'b'\n",
]


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize("text", TEXTS)
def test_a_table_is_added_behind_what_is_there(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    after = tomltext.put(text, KEYS, VALUES, newline)
    assert after.startswith(text)
    assert tomllib.loads(after)["mcp_servers"]["cairn"] == VALUES
    assert after.count("\n") == after.count(newline)


@pytest.mark.parametrize("text", TEXTS)
def test_taking_it_out_gives_what_was_there(text: str) -> None:
    after = tomltext.take(tomltext.put(text, KEYS, VALUES), KEYS)
    assert after == (text if text.endswith("\n") or not text else text + "\n")


def test_values_in_a_table_of_ours_are_replaced_and_those_of_the_user_stay() -> None:
    text = "[mcp_servers.cairn] # index\nargs = [\n  'old', # x\n]\ntimeout = 9\ncommand = 'old'\n\n[z]\na = 1\n"
    after = tomltext.put(text, KEYS, VALUES)
    assert tomllib.loads(after) == {"mcp_servers": {"cairn": {**VALUES, "timeout": 9}}, "z": {"a": 1}}
    assert after.startswith("[mcp_servers.cairn] # index\n")
    assert "\n\n[z]\na = 1\n" in after


def test_tables_beneath_ours_go_too_and_comments_of_what_follows_stay() -> None:
    text = (
        "a = 1\n\n[mcp_servers.cairn]\n# ours\ncommand = 'x'\n\n[mcp_servers.cairn.env]\nB = 'c'\n"
        "\n# about z\n[z]\nd = 2\n"
    )
    assert tomltext.take(text, KEYS) == "a = 1\n\n# about z\n[z]\nd = 2\n"


@pytest.mark.parametrize(
    "text",
    [
        "mcp_servers = {}\n",
        "mcp_servers = { cairn = { command = 'x' } }\n",
        "mcp_servers.cairn.command = 'x'\n",
        "[mcp_servers]\ncairn = { command = 'x' }\n",
    ],
)
def test_a_form_that_cannot_be_edited_safely_is_refused(text: str) -> None:
    with pytest.raises(EditError, match="can't be edited safely"):
        tomltext.put(text, KEYS, VALUES)


@pytest.mark.parametrize("text", ["a = \n", "[x\n", "a = 1\na = 2\n"])
def test_a_text_that_is_not_toml_is_refused(text: str) -> None:
    with pytest.raises(EditError, match="not valid TOML"):
        tomltext.put(text, KEYS, VALUES)


def test_a_value_in_the_place_of_a_table_is_refused() -> None:
    with pytest.raises(EditError, match="not a table"):
        tomltext.put("mcp_servers = 3\n", KEYS, VALUES)
