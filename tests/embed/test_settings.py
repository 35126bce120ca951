"""Which embedder is used is the user's choice alone, checked strictly."""

import subprocess
import sys
from pathlib import Path

import pytest

from cairn.base.errors import ConfigError, UsageError
from cairn.config.project import parse_config
from cairn.config.user import MAX_CONFIG_BYTES
from cairn.embed import EmbedSettings, HashingEmbedder, embed_config_fingerprint, embedder_from, load_settings
from cairn.embed.http import HttpEmbedder
from cairn.embed.settings import parse_settings
from cairn.embed.static import StaticEmbedder

HTTP = {
    "CAIRN_EMBED_PROVIDER": "http",
    "CAIRN_EMBED_URL": "http://localhost:11434/v1",
    "CAIRN_EMBED_MODEL": "nomic-embed-text",
    "CAIRN_EMBED_DIMENSION": "768",
}


def parsed(text: str, **environ: str) -> EmbedSettings:
    return parse_settings(text.encode(), environ)


def refused(text: str, **environ: str) -> str:
    with pytest.raises(ConfigError) as caught:
        parsed(text, **environ)
    assert caught.value.message.endswith(".")
    assert caught.value.hint
    assert "\n" not in caught.value.message
    return caught.value.message


def test_without_a_word_the_bundled_model_is_used(tmp_path: Path) -> None:
    settings = load_settings(str(tmp_path), {})
    assert settings == EmbedSettings(provider="static")
    assert embedder_from(settings, str(tmp_path), {}).identity == StaticEmbedder().identity


def test_the_users_file_is_read(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text(
        '[semantic]\nworkers = 1\n[embed]\nprovider = "http"\nurl = "https://example.com"\nmodel = "m"\ndimension = 3\n'
        'key_env = "MY_KEY"\n'
    )
    assert load_settings(str(tmp_path), {}) == EmbedSettings("http", "m", "https://example.com", 3, "MY_KEY")


def test_the_environment_goes_before_the_file() -> None:
    text = '[embed]\nprovider = "http"\nurl = "https://example.com"\nmodel = "m"\ndimension = 3\n'
    settings = parsed(text, **HTTP)
    assert settings == EmbedSettings("http", "nomic-embed-text", "http://localhost:11434/v1", 768)


def test_an_empty_variable_is_one_that_is_not_set() -> None:
    assert parsed("", CAIRN_EMBED_PROVIDER="", CAIRN_EMBED_DIMENSION=" ") == EmbedSettings()


@pytest.mark.parametrize(
    ("text", "what"),
    [
        ('[embed]\nprovider = "openai"', 'one of "static", "hashing", "minilm", "http"'),
        ("[embed]\nprovider = 7", "one of"),
        ("[embed]\nprovider = []", "one of"),
        ('[embed]\nprovider = "hashing"\ndimension = 0', "a whole number from 1"),
        ('[embed]\nprovider = "hashing"\ndimension = true', "a whole number from 1"),
        ('[embed]\nprovider = "hashing"\ndimension = "64"', "a whole number from 1"),
        ('[embed]\nmodel = ""', "1 to 1000 characters"),
        ('[embed]\nmodel = "a\\nb"', "in one line"),
        ('[embed]\nprovider = "http"\nkey_env = "sk-123"', "the name of a variable"),
        ("[embed]\nmodels = 1", "unknown key"),
        ('[embed]\napi_key = "sk-1"', "unknown key embed"),
        ("embed = 3", "must be a section"),
        ("[embed", "not valid TOML"),
        ("x = " + "[" * 5000, "not valid TOML"),
        ("x = " + "9" * 5000, "not valid TOML"),
        ("#" * (MAX_CONFIG_BYTES + 1), "more than"),
        ('[embed]\nurl = "http://localhost"', 'the provider "static" takes no url'),
        ('[embed]\nprovider = "minilm"\ndimension = 3', 'the provider "minilm" takes no dimension'),
        ('[embed]\nprovider = "http"', 'The provider "http" needs url'),
        ('[embed]\nprovider = "http"\nurl = "http://x"', "needs model"),
        ('[embed]\nprovider = "http"\nurl = "http://x"\nmodel = "m"', "needs dimension"),
        ('[embed]\nprovider = "http"\nurl = "file:///x"\nmodel = "m"\ndimension = 3', "must start with http"),
    ],
)
def test_what_makes_no_sense_is_refused(text: str, what: str) -> None:
    assert what in refused(text)


def test_bytes_that_are_no_text_are_refused() -> None:
    with pytest.raises(ConfigError, match="not valid TOML in UTF-8"):
        parse_settings(b"\xff", {})


def test_a_file_that_can_not_be_read_is_told(tmp_path: Path) -> None:
    (tmp_path / "config.toml").mkdir()
    with pytest.raises(ConfigError, match="can't be read: Is a directory"):
        load_settings(str(tmp_path), {})


@pytest.mark.parametrize("value", ["0", "-1", "1.5", "many", "9" * 5000, "٣"])
def test_a_variable_is_checked_like_the_file_and_named(value: str) -> None:
    message = refused("", CAIRN_EMBED_PROVIDER="hashing", CAIRN_EMBED_DIMENSION=value)
    assert message.startswith("CAIRN_EMBED_DIMENSION is ")


def test_a_password_in_an_address_is_not_shown() -> None:
    assert "hunter2" not in refused("", **{**HTTP, "CAIRN_EMBED_URL": "http://me:hunter2@example.com"})
    assert "hunter2" not in refused(f'[embed]\nurl = "http://me:hunter2@example.com{"x" * 2000}"')


def test_control_characters_are_not_shown_raw() -> None:
    assert "\x1b" not in refused('[embed]\nprovider = "\\u001b[31m"')
    assert "\x1b" not in refused('[embed]\n"\\u001b[31m" = 1')


def test_the_chosen_embedder_is_made(tmp_path: Path) -> None:
    home = str(tmp_path)
    assert isinstance(embedder_from(EmbedSettings("hashing"), home, {}), HashingEmbedder)
    assert embedder_from(EmbedSettings("hashing", dimension=7), home, {}).dimension == 7
    chosen = embedder_from(parse_settings(None, HTTP), home, {})
    assert isinstance(chosen, HttpEmbedder)
    assert chosen.dimension == 768


def test_the_key_is_taken_from_the_variable_that_is_named(tmp_path: Path) -> None:
    settings = EmbedSettings("http", "m", "http://localhost", 3, "MY_KEY")
    with pytest.raises(UsageError, match="key of the embedding endpoint"):
        embedder_from(settings, str(tmp_path), {"MY_KEY": "not\na key", "CAIRN_EMBED_KEY": "fine"})
    embedder_from(settings, str(tmp_path), {"MY_KEY": "fine\n"})


@pytest.mark.requirement("SEC.1")
def test_a_repositorys_file_can_not_choose_an_embedder(tmp_path: Path) -> None:
    text = '[embed]\nprovider = "http"\nurl = "http://evil.example"\nmodel = "m"\ndimension = 3\n'
    with pytest.raises(ConfigError, match="belongs in"):
        parse_config(text.encode())
    (tmp_path / ".cairn.toml").write_text(text)
    (tmp_path / "repo").mkdir()
    (tmp_path / "repo" / "config.toml").write_text(text)
    assert load_settings(str(tmp_path), {}) == EmbedSettings()


@pytest.mark.slow
@pytest.mark.requirement("SEC.1")
def test_without_an_endpoint_no_socket_is_made(tmp_path: Path) -> None:
    code = f"""
import os, sys
def watch(event, arguments):
    if event.startswith("socket."):
        os._exit(7)
sys.addaudithook(watch)
from cairn.embed import embedder_from, load_settings
embedder_from(load_settings({str(tmp_path)!r}, {{}}), {str(tmp_path)!r}, {{}}).embed(["a text"])
"""
    assert subprocess.run((sys.executable, "-c", code), check=False).returncode == 0


def test_the_package_imports_nothing_heavy() -> None:
    code = (
        "import sys, cairn.embed; "
        "sys.exit(bool({'tokenizers', 'onnx', 'onnxruntime', 'urllib.request', 'tomllib'} & set(sys.modules)))"
    )
    assert subprocess.run((sys.executable, "-c", code), check=False).returncode == 0


@pytest.mark.requirement("ROW.3")
@pytest.mark.requirement("ART.1")
def test_the_fingerprint_follows_model_dimension_and_recipe() -> None:
    prints = {
        embed_config_fingerprint(HashingEmbedder(64)),
        embed_config_fingerprint(HashingEmbedder(128)),
        embed_config_fingerprint(HashingEmbedder(128), recipe="another"),
        embed_config_fingerprint(StaticEmbedder()),
        embed_config_fingerprint(HttpEmbedder("http://localhost", "m", 128)),
        embed_config_fingerprint(HttpEmbedder("http://localhost", "n", 128)),
    }
    assert len(prints) == 6
    assert all(len(each) == 64 for each in prints)
    assert embed_config_fingerprint(HashingEmbedder(64)) in prints
