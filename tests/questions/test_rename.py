"""A rename's actions and parameters are declared once: the command, the tool and Python take them from there."""

import argparse

import pytest

from cairn.api.renaming import CheckedRenaming
from cairn.base.errors import UsageError
from cairn.codebase.codebase import Codebase
from cairn.questions.rename import ACTIONS, PARAMETERS, TOOL_ACTIONS, given_for
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
            assert "maximum" not in properties[each.name]  # lines and columns end far below their bound


@pytest.mark.parametrize("given", [0, 10**9, "1"])
def test_python_refuses_what_the_declaration_does(repo: Repo, given: int) -> None:
    with pytest.raises(UsageError) as declared:
        given_for("plan", path="a.py", line=given, column=1, new_name="b")
    with Codebase(str(repo.path)) as codebase, pytest.raises(UsageError) as refused:
        CheckedRenaming(codebase).plan("a.py", given, 1, "b")
    assert refused.value.message == declared.value.message
