"""The table of settings names what the files have, and the page on configuration tells of each."""

from pathlib import Path

import pytest

from cairn.base.errors import UsageError
from cairn.config.declared import SETTINGS, VARIABLES, setting_named
from cairn.config.names import USER_SECTIONS
from cairn.config.project import PROJECT_SECTIONS

PAGE = (Path(__file__).parents[2] / "docs" / "configuration.md").read_text()


def test_every_key_of_both_files_is_declared() -> None:
    for file in (USER_SECTIONS, PROJECT_SECTIONS):
        assert {f"{section}.{name}" for section, names in file.items() for name in names} <= set(SETTINGS)
    assert all(each.in_user_file or each.in_project_file for each in SETTINGS.values())


def test_the_page_names_every_variable_and_every_key() -> None:
    variables = {each.variable for each in SETTINGS.values() if each.variable} | set(VARIABLES)
    assert [name for name in variables if f"`{name}`" not in PAGE] == []
    assert [key for key, each in SETTINGS.items() if f"`{each.name}`" not in PAGE] == []


def test_a_name_alone_is_enough_where_it_is_the_only_one() -> None:
    assert setting_named("limit").key == "query.limit"
    with pytest.raises(UsageError, match="several settings"):
        setting_named("uri")
    with pytest.raises(UsageError, match=r"Perhaps query\.limit is meant"):
        setting_named("query.limt")
