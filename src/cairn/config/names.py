"""Names that a settings file doesn't know: what was probably meant, and whether they belong in the other file."""

import json
from collections.abc import Collection, Mapping

from cairn.base.errors import ConfigError
from cairn.base.text import perhaps_meant
from cairn.base.values import dataclass


@dataclass(frozen=True, slots=True)
class ConfigFile:
    """A settings file as messages call it."""

    name: str
    place: str
    """The file with the folder in which it lies."""


PROJECT_FILE = ConfigFile(".cairn.toml", ".cairn.toml of the codebase")
USER_FILE = ConfigFile("config.toml", "config.toml in Cairn's home")
USER_SECTIONS: Mapping[str, Collection[str]] = {
    "index": ("engine",),
    "embed": ("provider", "model", "url", "dimension", "key_env"),
    "semantic": ("trusted_roots", "tool_folders", "workers", "time_limit_s"),
    "milvus": ("uri", "token_env", "database", "timeout_s", "exact", "index", "chunk_days"),
    "lancedb": ("uri", "timeout_s", "exact", "kept_mb"),
    "team": ("remotes", "timeout_s", "key_env"),
    "gain": ("record",),
    "daemon": ("start", "idle_minutes"),
}
"""All sections of the user's file with their keys."""


def unknown_section(name: str, file: ConfigFile, known: Collection[str], elsewhere: Collection[str]) -> ConfigError:
    """The error for a section that a file doesn't have; `elsewhere` are the sections of the other file."""
    listed = ", ".join(f"[{each}]" for each in known)
    return _unknown(f"section or key {shown(name)}", f"sections are {listed}", name, file, known, elsewhere)


def unknown_key(
    section: str, name: str, file: ConfigFile, known: Collection[str], elsewhere: Collection[str]
) -> ConfigError:
    """The error for a key that a section doesn't have; `elsewhere` are the keys that the other file has there."""
    listed = ", ".join(sorted(known))
    return _unknown(f"key {section}.{shown(name)}", f"keys are {listed}", name, file, known, elsewhere)


def shown(value: object) -> str:
    """A value as a message shows it: JSON escapes control characters, and the text may end up on a terminal."""
    try:
        text = json.dumps(value, default=str)
    except (ValueError, RecursionError):
        text = f"a {type(value).__name__} without end"
    return text if len(text) <= 80 else text[:77] + "..."


def _unknown(
    what: str, listed: str, name: str, file: ConfigFile, known: Collection[str], elsewhere: Collection[str]
) -> ConfigError:
    other = USER_FILE if file is PROJECT_FILE else PROJECT_FILE
    if name in elsewhere:
        # Nobody is told to move what a repository wants into the user's own file.
        hint = "Move it there, or remove it." if file is USER_FILE else f"Remove it from {file.place}."
        return ConfigError(f"{file.name}: {what} belongs in {other.place}.", hint=hint)
    here, there = perhaps_meant(name, known), perhaps_meant(name, elsewhere)
    if here:
        hint = f"Correct the name in {file.place}."
    elif there and file is USER_FILE:
        hint = f"Correct the name, and move it to {other.place}."
    else:
        hint = f"Remove it from {file.place}."
    return ConfigError(f"{file.name}: unknown {what}; allowed {listed}.{here or there}", hint=hint)
