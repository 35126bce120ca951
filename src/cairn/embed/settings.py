"""Which embedder the user wants: `[embed]` in CAIRN_HOME/config.toml, then the environment.

A repository has no say here (SEC.1): its `.cairn.toml` is never read for this, so nothing in a tree
can make Cairn contact a host or load a model. A key is never written into the file: the file names
the variable that holds it.
"""

import hashlib
import json
import os
import re
from collections.abc import Mapping
from typing import Literal, get_args

from cairn.base.errors import ConfigError
from cairn.base.values import dataclass
from cairn.config.user import USER_CONFIG, read_user_config, section_of
from cairn.embed.protocol import Embedder

KEY_VARIABLE = "CAIRN_EMBED_KEY"
TEXT_RECIPE = "1"
"""To be raised when the text that is embedded for a chunk changes."""

_MAX_DIMENSION = 8192
_MAX_CHARS = 1000
_VARIABLES = {
    "provider": "CAIRN_EMBED_PROVIDER",
    "url": "CAIRN_EMBED_URL",
    "model": "CAIRN_EMBED_MODEL",
    "dimension": "CAIRN_EMBED_DIMENSION",
}

Provider = Literal["static", "hashing", "minilm", "http"]
PROVIDERS: tuple[Provider, ...] = get_args(Provider)
_TAKES: Mapping[Provider, tuple[str, ...]] = {
    "static": ("model",),
    "hashing": ("dimension",),
    "minilm": (),
    "http": ("url", "model", "dimension", "key_env"),
}


@dataclass(frozen=True, slots=True)
class EmbedSettings:
    """The user's choice; a setting that the provider doesn't use is empty."""

    provider: Provider = "static"
    model: str = ""
    """The model's name at an endpoint; the path of a model of one's own for `static`."""
    url: str = ""
    dimension: int = 0
    """0: the model's own."""
    key_env: str = KEY_VARIABLE
    """The name of the variable that holds the endpoint's key."""


def load_settings(home: str, environ: Mapping[str, str]) -> EmbedSettings:
    """The settings from the user's file, if there is one, and the environment."""
    return parse_settings(read_user_config(home), environ)


def parse_settings(data: bytes | None, environ: Mapping[str, str]) -> EmbedSettings:
    """Check the bytes of the user's file and the environment, which goes before it."""
    table = section_of(data, "embed")
    said = {key: f"embed.{key} in {USER_CONFIG}" for key in table}
    for key, variable in _VARIABLES.items():
        # An empty variable is one that is not set, as everywhere in a shell.
        if value := environ.get(variable, "").strip():
            table[key] = _number(value) if key == "dimension" else value
            said[key] = variable
    for key, value in table.items():
        allowed = _allowed(key, value)
        if allowed:
            raise ConfigError(f"{said[key]} is {_shown(value)}; give {allowed}.", hint=f"Correct {said[key]}.")
    return _agreed(EmbedSettings(**table), said)


def embedder_from(settings: EmbedSettings, home: str, environ: Mapping[str, str]) -> Embedder:
    """The embedder that was chosen; only its own module is loaded."""
    if settings.provider == "hashing":
        from cairn.embed.hashing import HashingEmbedder

        return HashingEmbedder(settings.dimension) if settings.dimension else HashingEmbedder()
    if settings.provider == "minilm":
        from cairn.embed.onnx import OnnxEmbedder

        return OnnxEmbedder()
    if settings.provider == "http":
        from cairn.embed.http import HttpEmbedder

        key = environ.get(settings.key_env, "").strip()
        return HttpEmbedder(settings.url, settings.model, settings.dimension, key)
    from cairn.embed.static import StaticEmbedder

    return StaticEmbedder(os.path.expanduser(settings.model) if settings.model else None, home=home)


def embed_config_fingerprint(embedder: Embedder, recipe: str = TEXT_RECIPE) -> str:
    """What a stored vector depends on besides the text; ignore rules change no embedding and are not in it."""
    parts = {"identity": embedder.identity, "dimension": embedder.dimension, "recipe": recipe}
    return hashlib.sha256(json.dumps(parts, sort_keys=True, separators=(",", ":")).encode()).hexdigest()


def _allowed(key: str, value: object) -> str:
    """What a setting allows; empty if the value is allowed."""
    if key == "provider":
        return "" if value in PROVIDERS else "one of " + ", ".join(f'"{name}"' for name in PROVIDERS)
    if key == "dimension":
        # bool is an int in Python, but `true` is not a number in TOML.
        fine = type(value) is int and 1 <= value <= _MAX_DIMENSION
        return "" if fine else f"a whole number from 1 to {_MAX_DIMENSION}"
    if key == "key_env":
        fine = isinstance(value, str) and re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", value) is not None
        return "" if fine else "the name of a variable"
    fine = isinstance(value, str) and 0 < len(value) <= _MAX_CHARS and value.isprintable()
    return "" if fine else f"a text of 1 to {_MAX_CHARS} characters in one line"


def _agreed(settings: EmbedSettings, said: Mapping[str, str]) -> EmbedSettings:
    """Settings that fit together: nothing that the provider wouldn't use, and all that it needs."""
    takes = _TAKES[settings.provider]
    for key in said:
        if key != "provider" and key not in takes:
            raise ConfigError(
                f'{said[key]} is set, but the provider "{settings.provider}" takes no {key}.',
                hint=f"Remove it, or choose a provider that takes it: {', '.join(_takers(key))}.",
            )
    if settings.provider == "http":
        for key in ("url", "model", "dimension"):
            if key not in said:
                raise ConfigError(
                    f'The provider "http" needs {key}.',
                    hint=f"Set {_VARIABLES[key]}, or {key} under [embed] in {USER_CONFIG}.",
                )
        from cairn.embed.http import endpoint_of

        endpoint_of(settings.url)
    return settings


def _takers(key: str) -> list[str]:
    return [f'"{provider}"' for provider, takes in _TAKES.items() if key in takes]


def _number(text: str) -> object:
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 10 else text


def _shown(value: object) -> str:
    # JSON escapes control characters: the text may end up on a terminal. An address may hold a password.
    text = json.dumps(value, default=str)
    text = '"…' + text.rpartition("@")[2] if "@" in text else text
    return text if len(text) <= 80 else text[:77] + "..."
