"""Whether a search may start the daemon by itself, and how long that one stays: `[daemon]` of the user's file."""

from typing import Any, Literal

from cairn.base.errors import ConfigError
from cairn.base.values import dataclass
from cairn.config.names import USER_FILE, shown
from cairn.config.user import USER_CONFIG, section_of

Start = Literal["ask", "auto", "off"]
STARTS: tuple[Start, ...] = ("ask", "auto", "off")
_MOST_MINUTES = 30 * 24 * 60


@dataclass(frozen=True, slots=True)
class DaemonSettings:
    """What the user decided of the daemon that starts by itself."""

    start: Start = "ask"
    idle_minutes: int = 30
    """It ends when nobody has asked it anything, and nobody has watched, for so long."""


def daemon_settings(data: bytes | None) -> DaemonSettings:
    """The settings in the user's file; ConfigError for what is not allowed."""
    table = section_of(data, "daemon")
    start, minutes = table.get("start", "ask"), table.get("idle_minutes", 30)
    if start not in STARTS:
        raise _refused("start", start, "one of " + ", ".join(f'"{each}"' for each in STARTS))
    if type(minutes) is not int or not 1 <= minutes <= _MOST_MINUTES:
        raise _refused("idle_minutes", minutes, f"a whole number from 1 to {_MOST_MINUTES}")
    return DaemonSettings(start, minutes)


def _refused(key: str, value: Any, allowed: str) -> ConfigError:
    return ConfigError(
        f"{USER_CONFIG}: daemon.{key} = {shown(value)} is not allowed; give {allowed}.",
        hint=f"Correct {USER_FILE.place}.",
    )
