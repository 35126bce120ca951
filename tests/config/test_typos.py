"""A typo in a configuration is named, with what was probably meant."""

import pytest

from cairn.base.errors import ConfigError
from cairn.config.project import parse_config
from cairn.config.user import SECTIONS, section_of
from cairn.embed.settings import parse_settings as embed_settings
from cairn.semantic.settings import parse_settings as semantic_settings


@pytest.mark.parametrize(("typo", "meant"), [("milvuss", "milvus"), ("Embed", "embed"), ("semantics", "semantic")])
@pytest.mark.parametrize("asked", SECTIONS)
def test_an_unknown_section_is_named_whichever_is_asked_for(typo: str, meant: str, asked: str) -> None:
    with pytest.raises(ConfigError, match=rf"unknown section or key .{typo}.*Perhaps {meant} is meant\."):
        section_of(f"[{typo}]\n".encode(), asked)


@pytest.mark.parametrize(("section", "typo", "meant"), [("lancedb", "urii", "uri"), ("semantic", "worker", "workers")])
def test_a_typo_in_a_section_that_nobody_asked_for_is_named_too(section: str, typo: str, meant: str) -> None:
    with pytest.raises(ConfigError, match=rf"unknown key {section}\..*{typo}.*Perhaps {meant} is meant\."):
        section_of(f"[{section}]\n{typo} = 1\n".encode(), "embed")


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
