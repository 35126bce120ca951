"""What the user says of a team's index: `[team]` of `config.toml` in Cairn's home. A repository has no say in it.

[team]
remotes = ["main=/mnt/team/cairn"]      the first is asked before a fresh clone is indexed
timeout_s = 5                           how long a remote may take to answer
key_env = "CAIRN_TEAM_KEY"              the variable with the key that listings are signed with
"""

import os
import re
from collections.abc import Mapping

from cairn.base.errors import ConfigError
from cairn.base.values import dataclass
from cairn.config.names import USER_FILE, shown
from cairn.config.user import USER_CONFIG, cairn_home, read_user_config, section_of

KEY_VARIABLE = "CAIRN_TEAM_KEY"
READABLE = ("http", "https")
OBJECT_STORES = ("s3", "gs", "az")
_HOST = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]*(:[0-9]{1,5})?|\[[0-9a-fA-F:.]+\](:[0-9]{1,5})?")
_OPTIONS = re.compile(r"[?#@\s]|(^|/)\.\.?(/|$)")
NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,63}")
_VARIABLE = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_MOST_TIMEOUT_S = 600
_LEAST_KEY_BYTES = 16


@dataclass(frozen=True, slots=True)
class TeamSettings:
    """The user's `[team]` section."""

    remotes: tuple[str, ...] = ()
    """Each as its name, `=` and its address."""
    timeout_s: float = 5.0
    key_env: str = KEY_VARIABLE

    @property
    def addresses(self) -> dict[str, str]:
        """The address of each remote by its name, in the order of the file."""
        return {name: address for name, _, address in (each.partition("=") for each in self.remotes)}


def team_settings(data: bytes | None = None) -> TeamSettings:
    """The settings in the user's file; ConfigError for what is not allowed. `data` is what the file holds."""
    table = section_of(read_user_config(cairn_home()) if data is None else data, "team")
    remotes, timeout, key_env = table.get("remotes", []), table.get("timeout_s", 5), table.get("key_env", KEY_VARIABLE)
    if not isinstance(remotes, list) or not all(map(_is_remote, remotes)):
        raise _refused("remotes", remotes, 'a list of texts like "main=/mnt/team/cairn"')
    pairs = [(name, address_of(address)) for name, _, address in (each.partition("=") for each in remotes)]
    if len(dict(pairs)) != len(pairs):
        raise _refused("remotes", remotes, "each name once")
    if type(timeout) not in (int, float) or not 0 < timeout <= _MOST_TIMEOUT_S:
        raise _refused("timeout_s", timeout, f"a number of seconds up to {_MOST_TIMEOUT_S}")
    if not isinstance(key_env, str) or _VARIABLE.fullmatch(key_env) is None:
        # A user may have put the key itself there by mistake.
        raise _refused("key_env", "refused", "the name of a variable")
    return TeamSettings(tuple(f"{name}={address}" for name, address in pairs), float(timeout), key_env)


def address_of(said: str) -> str:
    """A folder by its absolute path, or an address; what is refused is not repeated: it may hold a secret."""
    scheme, there, rest = said.partition("://")
    host, _, path = rest.partition("/")
    if there:
        if scheme not in (*READABLE, *OBJECT_STORES) or not _HOST.fullmatch(host) or _OPTIONS.search(path):
            allowed = ", ".join(f"{each}://" for each in (*READABLE, *OBJECT_STORES))
            raise ConfigError(
                f"The address of a remote is refused: it begins with / or one of {allowed}, and holds no credentials "
                "and no options.",
                hint="Credentials are found in the environment, as the library of the object store does.",
            )
        return said.rstrip("/")
    path = os.path.expanduser(said)
    if not os.path.isabs(path):
        # A relative path would name another folder in each working directory.
        raise ConfigError("The address of a remote is a relative path.", hint="Give the folder by its absolute path.")
    return os.path.normpath(path)


def signing_key(environ: Mapping[str, str] = os.environ) -> bytes | None:
    """The key that listings are signed with; None where the user has none."""
    name = team_settings().key_env
    key = environ.get(name, "").strip().encode()
    if key and len(key) < _LEAST_KEY_BYTES:
        raise ConfigError(f"{name} has {len(key)} bytes.", hint=f"Give a key of at least {_LEAST_KEY_BYTES} bytes.")
    return key or None


def _is_remote(said: object) -> bool:
    if not isinstance(said, str):
        return False
    name, sign, address = said.partition("=")
    return bool(sign and address) and NAME.fullmatch(name) is not None and address.isprintable()


def _refused(key: str, value: object, allowed: str) -> ConfigError:
    return ConfigError(
        f"{USER_CONFIG}: team.{key} = {shown(value)} is not allowed; give {allowed}.",
        hint=f"Correct {USER_FILE.place}.",
    )
