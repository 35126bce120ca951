"""One thing that `cairn doctor` looks at, and what it found."""

from enum import StrEnum

from cairn.base.values import dataclass


class CheckLevel(StrEnum):
    """How serious a finding is."""

    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    """What one check found, and what the user can do about it."""

    code: str
    level: CheckLevel
    message: str
    action: str = ""


def ok(code: str, message: str) -> DoctorCheck:
    """A check that passed."""
    return DoctorCheck(code, CheckLevel.OK, message)


def warning(code: str, message: str, action: str) -> DoctorCheck:
    """A check that found something to know about."""
    return DoctorCheck(code, CheckLevel.WARNING, message, action)


def failed(code: str, message: str, action: str) -> DoctorCheck:
    """A check that found something that doesn't work."""
    return DoctorCheck(code, CheckLevel.FAILED, message, action)
