"""A typo in a configuration is named, with what was probably meant."""

from collections.abc import Callable

import pytest

from cairn.base.errors import ConfigError
from cairn.config.names import USER_SECTIONS
from cairn.config.project import parse_config
from cairn.config.user import read_user_config, section_of
from cairn.embed.settings import parse_settings as embed_settings
from cairn.semantic.settings import parse_settings as semantic_settings


@pytest.mark.parametrize(("typo", "meant"), [("milvuss", "milvus"), ("Embed", "embed"), ("semantics", "semantic")])
@pytest.mark.parametrize("asked", USER_SECTIONS)
def test_an_unknown_section_is_named_whichever_is_asked_for(typo: str, meant: str, asked: str) -> None:
    with pytest.raises(ConfigError, match=rf"unknown section or key .{typo}.*Perhaps {meant} is meant\."):
        section_of(f"[{typo}]\n".encode(), asked)


@pytest.mark.parametrize(("section", "typo", "meant"), [("lancedb", "urii", "uri"), ("semantic", "worker", "workers")])
def test_a_typo_in_a_section_that_nobody_asked_for_is_named_too(section: str, typo: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=rf"unknown key {section}\..*{typo}.*Perhaps {meant} is meant\."):
        section_of(f"[{section}]\n{typo} = 1\n".encode(), "embed")


@pytest.mark.parametrize("section", USER_SECTIONS)
def test_a_value_where_a_section_is_meant_is_named_whichever_is_asked_for(section: str) -> None:
    with pytest.raises(ConfigError, match=rf"{section} is 3; it must be a section, \[{section}\]\."):
        section_of(f"{section} = 3\n".encode(), "embed")


@pytest.mark.parametrize(("section", "variable"), [("embed", "CAIRN_EMBED_KEY"), ("milvus", "CAIRN_MILVUS_TOKEN")])
def test_who_puts_a_secret_into_the_file_is_told_of_the_variable(section: str, variable: str) -> None:
    with pytest.raises(ConfigError, match="unknown key") as told:
        section_of(f"[{section}]\napi_key = 'x'\n".encode(), section)
    assert variable in told.value.hint


def test_what_resembles_nothing_is_named_without_a_guess() -> None:
    with pytest.raises(ConfigError, match="unknown") as told:
        section_of(b"[qqqq]\n", "embed")
    assert "meant" not in told.value.message


def test_an_unknown_key_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"Perhaps chunk_bytes is meant"):
        parse_config(b"[index]\nchunk_byte = 700\n")
    with pytest.raises(ConfigError, match=r"Perhaps provider is meant"):
        embed_settings(b"[embed]\nprovidr = 'static'\n", {})
    with pytest.raises(ConfigError, match=r"Perhaps workers is meant"):
        semantic_settings(b"[semantic]\nworker = 2\n", {})


def test_an_unknown_section_of_a_project_is_named_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match=r"unknown section or key \"indx\".*Perhaps index is meant\."):
        parse_config(b"[indx]\n")


def _of_user(text: str) -> object:
    return section_of(text.encode(), "embed")


def _of_project(text: str) -> object:
    return parse_config(text.encode())


@pytest.mark.parametrize(
    ("read", "text", "place"),
    [
        (_of_user, "[query]\nlimit = 3\n", ".cairn.toml of the codebase"),
        (_of_user, "[index]\nmax_file_bytes = 3\n", ".cairn.toml of the codebase"),
        (_of_project, "[embed]\nprovider = 'static'\n", "config.toml in Cairn's home"),
    ],
)
def test_what_the_other_file_knows_is_said_to_belong_there(
    read: Callable[[str], object], text: str, place: str
) -> None:
    with pytest.raises(ConfigError) as told:
        read(text)
    assert told.value.message.endswith(f"belongs in {place}.")
    # Nobody is told to move what a repository wants into the user's own file.
    assert ("Move" in told.value.hint) == (read is _of_user)


@pytest.mark.parametrize(
    ("read", "text", "hint"),
    [
        (_of_user, "[embed]\nmodle = 'x'\n", "Correct the name in config.toml in Cairn's home."),
        (_of_user, "[index]\nmax_file_byte = 3\n", "Correct the name, and move it to .cairn.toml of the codebase."),
        (_of_user, "[embed]\nqqqq = 'x'\n", "Remove it from config.toml in Cairn's home."),
        (_of_project, "[index]\nchunk_byte = 700\n", "Correct the name in .cairn.toml of the codebase."),
    ],
)
def test_the_step_for_an_unknown_name_follows_from_what_was_probably_meant(
    read: Callable[[str], object], text: str, hint: str
) -> None:
    with pytest.raises(ConfigError) as told:
        read(text)
    assert told.value.hint == hint
    assert ("meant" in told.value.message) == hint.startswith("Correct")


def test_a_home_that_is_a_file_is_named_as_such() -> None:
    with pytest.raises(ConfigError, match=r"Cairn's home /dev/null is not a folder\.") as told:
        read_user_config("/dev/null")
    assert "CAIRN_HOME" in told.value.hint
