"""The settings in force and where each comes from; and a change to one of their files, checked before it is written."""

import os
import stat
from collections.abc import Callable, Mapping
from typing import Any

from cairn.base import durable
from cairn.base.errors import ConfigError, RefusedError
from cairn.base.steps import Advice, NextStep
from cairn.base.text import nearest
from cairn.base.values import as_dict, dataclass
from cairn.codebase.ledger import is_on
from cairn.config.daemon import daemon_settings
from cairn.config.declared import SECRET_VARIABLES, SETTINGS, VARIABLES, Setting
from cairn.config.lines import document_of
from cairn.config.names import PROJECT_FILE, USER_FILE, ConfigFile
from cairn.config.project import CONFIG_NAME, parse_config
from cairn.config.user import USER_CONFIG, cairn_home, read_user_config
from cairn.embed.settings import parse_settings as parse_embed
from cairn.engines.settings import chosen_engine, lance_settings, milvus_settings
from cairn.semantic.settings import parse_settings as parse_semantic
from cairn.team.settings import team_settings
from cairn.workspace.beneath import Beneath
from cairn.workspace.detector import config_bytes

DEFAULT, ENVIRONMENT = "default", "environment"
USER, PROJECT = "user", "project"
_MASK = "…"


@dataclass(frozen=True, slots=True)
class InForce:
    """A setting with the value that counts."""

    setting: Setting
    value: Any
    source: str
    """`default`, `user`, `project` or `environment`."""


@dataclass(frozen=True, slots=True)
class VariableSet:
    """A variable of Cairn's that only the environment has; without a meaning if nothing reads it."""

    name: str
    value: str
    meaning: str
    perhaps: str = ""
    """The variable that was probably meant."""


@dataclass(frozen=True, slots=True)
class ConfigSource:
    """One of the two files, with what is in it."""

    file: ConfigFile
    path: str
    data: bytes | None
    """None where there is no such file."""

    @property
    def text(self) -> str:
        """What is in it; ConfigError for what is no text."""
        try:
            return (self.data or b"").decode("utf-8")
        except UnicodeDecodeError as error:
            raise ConfigError(f"{self.file.name} is not valid UTF-8.", hint="Save it as UTF-8.") from error

    def check(self, data: bytes) -> None:
        """ConfigError for content that Cairn would not take."""
        if self.file is PROJECT_FILE:
            parse_config(data)
            return
        nothing: Mapping[str, str] = {}
        for parse in (parse_embed, parse_semantic):
            parse(data, nothing)
        chosen_engine("", data, nothing)
        milvus_settings(data, nothing)
        lance_settings(data, nothing)
        team_settings(data)
        is_on(cairn_home(), data)
        daemon_settings(data)

    def write(self, text: str) -> None:
        """Replace it as a whole, once its new content has passed all checks."""
        data = text.encode("utf-8")
        self.check(data)
        if self.file is PROJECT_FILE and os.path.islink(self.path):
            raise RefusedError(f"{CONFIG_NAME} is a link.", hint="Change the file that it leads to.")
        if self.file is USER_FILE:
            durable.make_private_folders(os.path.dirname(self.path))
        # Somebody may keep their own file elsewhere and have a link to it here.
        path = os.path.realpath(self.path)
        durable.write_file(path, data, _mode(path, 0o644 if self.file is PROJECT_FILE else 0o600))


def user_file() -> ConfigSource:
    """The user's file."""
    home = cairn_home()
    return ConfigSource(USER_FILE, os.path.join(home, USER_CONFIG), read_user_config(home))


def project_file(root: str) -> ConfigSource:
    """The file of a codebase."""
    with Beneath(root) as tree:
        return ConfigSource(PROJECT_FILE, os.path.join(root, CONFIG_NAME), config_bytes(tree))


def in_force(user: ConfigSource, project: ConfigSource | None, environ: Mapping[str, str]) -> list[InForce]:
    """Every setting with the value that counts; ConfigError where a file or a variable is wrong."""
    # First, since it tells what is wrong with a file.
    values = _values(user.data, project.data if project is not None else None, environ)
    mine = document_of(user.text) if user.data else {}
    theirs = document_of(project.text) if project is not None and project.data else {}
    return [
        InForce(each, _shown(values[each.section][each.name]), _source(each, mine, theirs, environ))
        for each in SETTINGS.values()
    ]


def variables_set(environ: Mapping[str, str]) -> list[VariableSet]:
    """Variables that say something no file says, and those that are read by nobody."""
    of_settings = {each.variable for each in SETTINGS.values()}
    found = []
    for name in sorted(environ):
        if name.startswith("CAIRN_") and name not in of_settings:
            value = _MASK if name in SECRET_VARIABLES else environ[name]
            meaning = VARIABLES.get(name, "")
            perhaps = "" if meaning else nearest(name, of_settings | set(VARIABLES))
            found.append(VariableSet(name, value, meaning, perhaps))
    return found


def _values(user: bytes | None, project: bytes | None, environ: Mapping[str, str]) -> dict[str, Mapping[str, Any]]:
    config = parse_config(project)
    embed = as_dict(parse_embed(user, environ))
    return {
        "query": as_dict(config.query),
        "index": {**as_dict(config.index), "engine": chosen_engine(config.engine, user, environ)},
        "embed": {**embed, "url": _without_credentials(embed["url"])},
        "semantic": as_dict(parse_semantic(user, environ)),
        "milvus": as_dict(milvus_settings(user, environ)),
        "lancedb": as_dict(lance_settings(user, environ)),
        "team": as_dict(team_settings(user)),
        "gain": {"record": is_on(cairn_home(), user)},
        "daemon": as_dict(daemon_settings(user)),
    }


def _source(each: Setting, mine: Mapping[str, Any], theirs: Mapping[str, Any], environ: Mapping[str, str]) -> str:
    if each.variable and environ.get(each.variable, "").strip():
        return ENVIRONMENT
    if each.name in theirs.get(each.section, {}):
        return PROJECT
    return USER if each.name in mine.get(each.section, {}) else DEFAULT


def _without_credentials(url: str) -> str:
    scheme, there, rest = url.partition("://")
    return f"{scheme}{there}{_MASK}@{rest.rpartition('@')[2]}" if "@" in rest else url


def _shown(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value


def _mode(path: str, otherwise: int) -> int:
    try:
        return stat.S_IMODE(os.stat(path).st_mode)
    except FileNotFoundError:
        return otherwise


Change = Callable[[str], str]
"""From the text of a file to its new text."""


def changed(file: ConfigSource, change: Change) -> bool:
    """Write a change; whether there was any."""
    try:
        new = change(file.text)
    except ValueError as error:
        raise ConfigError(
            f"{file.file.place} is not valid TOML, so nothing can be changed in it.",
            hint=Advice(NextStep("edit_settings"), " and mend it."),
        ) from error
    if new == file.text:
        return False
    file.write(new)
    return True
