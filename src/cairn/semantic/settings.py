"""What the user allows: `[semantic]` in CAIRN_HOME/config.toml, then the environment.

A repository has no say here (SEC.1): neither where a tool lies nor whether its build may be run is read from
a tree.

    [semantic]
    trusted_roots = ["/home/me/src/project"]      or CAIRN_TRUSTED_ROOTS, with ':' between them
    tool_folders = ["/home/me/tools/bin"]         or CAIRN_TOOL_FOLDERS; looked into before PATH
    workers = 1                                   or CAIRN_SEMANTIC_WORKERS; jobs of one store that run at once
    time_limit_s = 900                            or CAIRN_SEMANTIC_TIME_LIMIT_S; of a run, in place of the tool's own
"""

import json
import os
from collections.abc import Mapping
from typing import Any

from cairn.base.errors import ConfigError
from cairn.base.values import dataclass
from cairn.config.user import USER_CONFIG, read_user_config, section_of

_FOLDERS = {"trusted_roots": "CAIRN_TRUSTED_ROOTS", "tool_folders": "CAIRN_TOOL_FOLDERS"}
_NUMBERS = {"workers": "CAIRN_SEMANTIC_WORKERS", "time_limit_s": "CAIRN_SEMANTIC_TIME_LIMIT_S"}
_HIGHEST = {"workers": 16, "time_limit_s": 86_400}
_MOST = 1000


@dataclass(frozen=True, slots=True)
class SemanticSettings:
    """The user's `[semantic]` section."""

    trusted_roots: tuple[str, ...] = ()
    """Canonical roots whose builds may be run."""
    tool_folders: tuple[str, ...] = ()
    workers: int = 1
    """How many jobs of one store may run at once."""
    time_limit_s: int | None = None
    """How long a tool may run; None for the tool's own limit."""

    def trusts(self, root: str) -> bool:
        """Whether a root is trusted; folders beneath or above it are not, because they may be other repositories."""
        return os.path.realpath(root) in self.trusted_roots


def load_settings(home: str, environ: Mapping[str, str]) -> SemanticSettings:
    """The settings from the user's file and the environment."""
    return parse_settings(read_user_config(home), environ)


def parse_settings(data: bytes | None, environ: Mapping[str, str]) -> SemanticSettings:
    """Check the bytes of the user's file; what a variable holds comes on top."""
    table = section_of(data, "semantic")
    said_of: dict[str, Any] = {}
    for key, variable in _FOLDERS.items():
        said = [
            *_folders(table.get(key, []), f"semantic.{key} in {USER_CONFIG}"),
            *_folders([word for word in environ.get(variable, "").split(os.pathsep) if word], variable),
        ]
        said_of[key] = tuple(dict.fromkeys(map(os.path.realpath, said)))
    for key, variable in _NUMBERS.items():
        if (text := environ.get(variable)) is not None:
            value = int(text) if text.isascii() and text.isdecimal() else text
            said_of[key] = _number(value, variable, _HIGHEST[key])
        elif key in table:
            said_of[key] = _number(table[key], f"semantic.{key} in {USER_CONFIG}", _HIGHEST[key])
    return SemanticSettings(**said_of)


def _number(value: Any, source: str, highest: int) -> int:
    if type(value) is not int or not 1 <= value <= highest:
        raise ConfigError(f"{source} must be a number from 1 to {highest}.", hint=f"Correct {source}.")
    return value


def _folders(value: Any, source: str) -> list[str]:
    if not isinstance(value, list) or len(value) > _MOST:
        raise ConfigError(f"{source} must be a list of folders.", hint=f"Correct {source}.")
    for folder in value:
        if not isinstance(folder, str) or not os.path.isabs(folder) or "\0" in folder:
            shown = json.dumps(folder, default=str)[:80]
            raise ConfigError(f"{source} names {shown}; give full paths.", hint=f"Correct {source}.")
    return value
