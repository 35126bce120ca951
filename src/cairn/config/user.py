"""The user's own configuration: `config.toml` in Cairn's home, read one section at a time.

A repository has no say in it (SEC.1). Each section belongs to the part that reads it, which checks its keys.
"""

import os
from collections.abc import Collection
from typing import Any

from cairn.base.errors import ConfigError
from cairn.config.names import USER_FILE, USER_SECTIONS, shown, unknown_key, unknown_section
from cairn.config.project import PROJECT_SECTIONS

USER_CONFIG = USER_FILE.name
MAX_CONFIG_BYTES = 64 * 1024
LEDGER_DAYS = 90
"""For so long it is kept what answers weighed."""
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
    except NotADirectoryError as error:
        raise ConfigError(f"Cairn's home {home} is not a folder.", hint="Let CAIRN_HOME name a folder.") from error
    except OSError as error:
        raise ConfigError(
            f"{USER_FILE.place} can't be read: {error.strerror}.", hint="Mend its rights, or remove it."
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
            f"{USER_FILE.place} is not valid TOML in UTF-8.", hint=f"Correct the syntax: {str(error)[:200]}"
        ) from error
    for key in document:
        if key not in USER_SECTIONS:
            raise unknown_section(key, USER_FILE, USER_SECTIONS, PROJECT_SECTIONS)
    for section, known in USER_SECTIONS.items():
        # A mistake in a section that nobody reads now must not be silent either.
        _require_known(section, document.get(section, {}), known)
    return dict(document.get(name, {}))


def _require_known(section: str, table: object, known: Collection[str]) -> None:
    if not isinstance(table, dict):
        raise ConfigError(
            f"{USER_CONFIG}: {section} is {shown(table)}; it must be a section, [{section}].",
            hint=f"Correct {USER_FILE.place}.",
        )
    for key in table:
        if key not in known:
            error = unknown_key(section, key, USER_FILE, known, PROJECT_SECTIONS.get(section, ()))
            if section in _VARIABLES and any(word in key.lower() for word in _SECRETS):
                error.hint = _VARIABLES[section]
            raise error
