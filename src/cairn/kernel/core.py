"""Which kernel answers: the native core where it is installed and fits, the Python reference elsewhere."""

import os
from functools import cache
from importlib import import_module
from typing import Any

from cairn.base.errors import ConfigError
from cairn.base.values import dataclass

CONTRACT = 24
"""What the functions of the native core take and give; a core with another number isn't used."""
VARIABLE = "CAIRN_KERNEL"
_MISSING = "cairn-native is not installed"
CHOICES = ("auto", "native", "python")


@dataclass(frozen=True, slots=True)
class Kernel:
    """The kernel that answers in this process."""

    name: str
    """`native` or `python`."""
    reason: str = ""
    """Why it is not the native one."""
    version: str = ""
    """The version of the native one."""
    unusable: bool = False
    """Whether a native one is installed that can't be used."""


def core() -> Any | None:
    """The module of the native core; None where the reference answers."""
    return _chosen()[1]


def kernel() -> Kernel:
    """Which kernel answers, and why not the native one."""
    return _chosen()[0]


@cache
def _chosen() -> tuple[Kernel, Any]:
    wanted = os.environ.get(VARIABLE) or "auto"
    if wanted not in CHOICES:
        raise ConfigError(
            f"{VARIABLE} is {wanted!r}, which is no kernel.",
            hint=f"Set it to {', '.join(CHOICES)}, or unset it.",
        )
    if wanted == "python":
        return Kernel("python", f"{VARIABLE}=python asks for the reference"), None
    found, reason = _installed()
    if found is None and wanted == "native":
        raise ConfigError(
            f"{VARIABLE}=native, but {reason}.", hint=f"Install cairn-native of this version, or unset {VARIABLE}."
        )
    if found is None:
        return Kernel("python", reason, unusable=reason != _MISSING), None
    return Kernel("native", version=found.VERSION), found


def _installed() -> tuple[Any, str]:
    try:
        native: Any = import_module("cairn_native")
    except ImportError as error:
        missing = isinstance(error, ModuleNotFoundError) and error.name == "cairn_native"
        return None, _MISSING if missing else f"cairn-native can't be loaded: {error}"
    if native.CONTRACT != CONTRACT:
        return None, f"cairn-native {native.VERSION} was built for another version of Cairn"
    return native, ""
