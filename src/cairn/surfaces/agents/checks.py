"""One thing that `cairn doctor` looks at, and what it found."""

from enum import StrEnum

from cairn.base.values import dataclass


class CheckLevel(StrEnum):
    OK = "ok"
    WARNING = "warning"
    FAILED = "failed"


@dataclass(frozen=True, slots=True)
class DoctorCheck:
    code: str
    level: CheckLevel
    message: str
    action: str = ""


def ok(code: str, message: str) -> DoctorCheck:
    return DoctorCheck(code, CheckLevel.OK, message)


def warning(code: str, message: str, action: str) -> DoctorCheck:
    return DoctorCheck(code, CheckLevel.WARNING, message, action)


def failed(code: str, message: str, action: str) -> DoctorCheck:
    return DoctorCheck(code, CheckLevel.FAILED, message, action)
