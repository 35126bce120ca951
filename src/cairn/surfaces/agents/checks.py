"""One thing that `cairn doctor` looks at, and what it found."""

from enum import StrEnum

from cairn.base.values import dataclass


class Level(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class Check:
    code: str
    level: Level
    message: str
    action: str = ""


def ok(code: str, message: str) -> Check:
    return Check(code, Level.OK, message)


def warning(code: str, message: str, action: str) -> Check:
    return Check(code, Level.WARNING, message, action)


def failed(code: str, message: str, action: str) -> Check:
    return Check(code, Level.FAILED, message, action)
