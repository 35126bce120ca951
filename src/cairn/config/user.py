"""The user's own configuration: `config.toml` in Cairn's home, read one section at a time.

A repository has no say in it (SEC.1). Each section belongs to the part that reads it, which checks its keys.
"""

import json
import os
from typing import Any

from cairn.base.errors import ConfigError
from cairn.base.text import perhaps_meant

USER_CONFIG = "config.toml"
MAX_CONFIG_BYTES = 64 * 1024
SECTIONS = {
    "index": ("engine",),
    "embed": ("provider", "model", "url", "dimension", "key_env"),
    "semantic": ("trusted_roots", "tool_folders", "workers", "time_limit_s"),
    "milvus": ("uri", "token_env", "database", "timeout_s", "exact"),
    "lancedb": ("uri", "timeout_s", "exact"),
}
"""All sections with their keys."""
_SECRETS = ("token", "password", "key", "user")
_VARIABLES = {
    "embed": "A key is read from a variable, not from the file: set CAIRN_EMBED_KEY, or name another with key_env.",
    "milvus": "Set CAIRN_MILVUS_TOKEN, or name another variable with token_env.",
}
"""Where secrets go that somebody looked for a key for."""


def cairn_home() -> str:
    """Where stores and caches live: CAIRN_HOME, else ~/.cairn."""
    return os.path.realpath(os.environ.get("CAIRN_HOME") or os.path.expanduser("~/.cairn"))


def read_user_config(home: str) -> bytes | None:
    """The bytes of the user's file, one more than allowed at most; None when there is none."""
    try:
        with open(os.path.join(home, USER_CONFIG), "rb") as file:
            return file.read(MAX_CONFIG_BYTES + 1)
    except FileNotFoundError:
        return None
    except OSError as error:
        raise ConfigError(
            f"{USER_CONFIG} in Cairn's home can't be read: {error.strerror}.", hint="Mend its rights, or remove it."
        ) from error


def section_of(data: bytes | None, name: str) -> dict[str, Any]:
    """One section of the file, empty if it has none; an unknown name anywhere in the file is an error."""
    if data is None:
        return {}
    if len(data) > MAX_CONFIG_BYTES:
        raise ConfigError(f"{USER_CONFIG} has more than {MAX_CONFIG_BYTES} bytes.", hint=f"Shorten {USER_CONFIG}.")
    import tomllib  # most users have no such file

    try:
        document = tomllib.loads(data.decode("utf-8"))
    except (ValueError, RecursionError) as error:
        # ValueError: wrong UTF-8, wrong TOML, and numbers with more digits than Python converts.
        raise ConfigError(
            f"{USER_CONFIG} in Cairn's home is not valid TOML in UTF-8.", hint=f"Correct the syntax: {str(error)[:200]}"
        ) from error
    for key in document:
        if key not in SECTIONS:
            raise ConfigError(
                f"{USER_CONFIG}: unknown section or key {json.dumps(key)[:80]}; sections are "
                f"{', '.join(f'[{each}]' for each in SECTIONS)}.{perhaps_meant(key, SECTIONS)}",
                hint=f"Correct {USER_CONFIG} in Cairn's home.",
            )
    for section, known in SECTIONS.items():
        # A typo in a section that nobody reads now must not be silent either.
        _require_known(section, document.get(section), known)
    table = document.get(name, {})
    if not isinstance(table, dict):
        raise ConfigError(f"{USER_CONFIG}: {name} must be a section, [{name}].", hint=f"Correct {USER_CONFIG}.")
    return dict(table)


def _require_known(section: str, table: object, known: tuple[str, ...]) -> None:
    for key in table if isinstance(table, dict) else ():
        if key not in known:
            raise ConfigError(
                f"{USER_CONFIG}: unknown key {section}.{json.dumps(key)[:80]}; allowed keys are {', '.join(known)}."
                f"{perhaps_meant(key, known)}",
                hint=_VARIABLES[section]
                if section in _VARIABLES and any(word in key.lower() for word in _SECRETS)
                else f"Remove the key from {USER_CONFIG}.",
            )
