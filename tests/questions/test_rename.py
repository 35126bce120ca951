"""A rename's actions and parameters are declared once: the command, the tool and Python take them from there."""

import argparse

import pytest

from cairn.api.renaming import CheckedRenaming
from cairn.base.errors import UsageError
from cairn.codebase.codebase import Codebase
from cairn.questions.rename import ACTIONS, PARAMETERS, TOOL_ACTIONS, asked_of, given_for, require
from cairn.surfaces.cli.parser import Parser
from cairn.surfaces.cli.rename import add_to
from cairn.surfaces.mcp.tools import BY_NAME
from tests.trees import Repo


def test_the_command_has_an_option_for_each_action() -> None:
    parser = Parser(prog="cairn")
    add_to(parser.add_subparsers(parser_class=Parser))
    (commands,) = (each for each in parser._actions if isinstance(each, argparse._SubParsersAction))
    options = {each.dest: each for each in commands.choices["rename"]._actions}
    assert {name: options[name].help for name in ACTIONS} == {name: each.help for name, each in ACTIONS.items()}


def test_the_tool_takes_what_its_actions_take() -> None:
    properties = BY_NAME["rename_symbol"].schema["properties"]
    assert properties["action"]["enum"] == list(TOOL_ACTIONS) == ["plan", "apply", "undo"]
    for each in PARAMETERS:
        if each.name != "choice":  # what the tool takes at once
            assert each.help in properties[each.name]["description"]
    assert not any("maximum" in properties[name] for name in ("line", "column"))  # they end far below their bound


def test_what_is_changed_is_told_by_what_is_given() -> None:
    place = {"path": "a.py", "line": 1, "column": 5}
    assert asked_of(place | {"to_file": "b.py"}).kind == "move"
    assert asked_of(place | {"add": "x = 1", "keyword_only": True}).arguments["keyword_only"] is True
    for given in ({}, {"at": 2}, {"new_name": "b", "to_file": "b.py"}, {"add": "x = 1", "remove": "y"}):
        with pytest.raises(UsageError, match="one change"):
            asked_of(place | given)
    with pytest.raises(UsageError, match="to_file doesn't go with action=undo"):
        require("undo", dict.fromkeys(["path", "plan_id"]) | {"edit_id": "x", "to_file": "b.py"})


@pytest.mark.parametrize("given", [0, 10**9, "1"])
def test_python_refuses_what_the_declaration_does(repo: Repo, given: int) -> None:
    with pytest.raises(UsageError) as declared:
        given_for("plan", path="a.py", line=given, column=1, new_name="b")
    with Codebase(str(repo.path)) as codebase, pytest.raises(UsageError) as refused:
        CheckedRenaming(codebase).plan("a.py", given, 1, "b")
    assert refused.value.message == declared.value.message
