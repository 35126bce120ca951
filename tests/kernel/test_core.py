"""Which kernel answers: told, chosen by a variable, and never one that doesn't fit."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.kernel.core import CONTRACT, core, kernel

SAY = "from cairn.kernel.core import kernel; print(kernel())"


def said(place: Path, wanted: str | None = None, *, native: str | None = None) -> tuple[int, str]:
    """What a new process says of its kernel; `native` is the text of a stand-in for the installed core."""
    if native is not None:
        (place / "cairn_native.py").write_text(native, encoding="utf-8")
    environment = {name: value for name, value in os.environ.items() if name != "CAIRN_KERNEL"}
    environment["PYTHONPATH"] = os.pathsep.join([str(place), *filter(None, [environment.get("PYTHONPATH")])])
    if wanted is not None:
        environment["CAIRN_KERNEL"] = wanted
    done = subprocess.run((sys.executable, "-c", SAY), env=environment, capture_output=True, text=True, check=False)
    return done.returncode, done.stdout + done.stderr


def test_the_reference_can_be_asked_for(tmp_path: Path) -> None:
    code, out = said(tmp_path, "python", native=f"CONTRACT = {CONTRACT}\nVERSION = '9'\n")
    assert code == 0
    assert "name='python'" in out
    assert "CAIRN_KERNEL=python" in out


def test_a_core_that_fits_answers(tmp_path: Path) -> None:
    code, out = said(tmp_path, native=f"CONTRACT = {CONTRACT}\nVERSION = '9'\n")
    assert (code, "name='native'" in out, "version='9'" in out) == (0, True, True)


@pytest.mark.parametrize(
    ("native", "reason"),
    [
        (f"CONTRACT = {CONTRACT + 1}\nVERSION = '9'\n", "built for another version"),
        ("raise ImportError('no such symbol')\n", "can't be loaded: no such symbol"),
    ],
)
def test_a_core_that_does_not_fit_is_told_and_left_alone(tmp_path: Path, native: str, reason: str) -> None:
    code, out = said(tmp_path, native=native)
    assert (code, "name='python'" in out, reason in out, "unusable=True" in out) == (0, True, True, True)
    code, out = said(tmp_path, "native")
    assert (code, reason in out, "ConfigError" in out) == (1, True, True)


def test_a_kernel_that_does_not_exist_is_named(tmp_path: Path) -> None:
    code, out = said(tmp_path, "fortran")
    assert (code, "CAIRN_KERNEL is 'fortran', which is no kernel." in out) == (1, True)


def test_the_module_is_there_just_when_it_is_said_to_answer() -> None:
    assert (core() is not None) == (kernel().name == "native")
