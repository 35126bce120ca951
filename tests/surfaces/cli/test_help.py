"""`cairn help` and the man page, made from the declarations."""

import shutil
import subprocess

import pytest

from cairn.program.command import HOMES
from tests.trees import cairn


@pytest.mark.slow
def test_help_of_a_command_by_two_ways() -> None:
    assert cairn("help", "search").stdout == cairn("search", "--help").stdout
    assert cairn("help").stdout == cairn("--help").stdout
    wrong = cairn("help", "serach")
    assert wrong.returncode == 2
    assert "Did you mean `cairn search`?" in wrong.stderr


@pytest.mark.slow
def test_the_man_page_has_every_command() -> None:
    page = cairn("help", "--man").stdout
    commands = [name.replace("-", r"\-") for _, some in HOMES for _, names in some for name in names.split()]
    assert [name for name in commands if rf"\fBcairn {name}\fR" not in page] == []
    groff = shutil.which("groff")
    if groff is None:
        pytest.skip("there is no groff")
    done = subprocess.run((groff, "-man", "-Tutf8", "-ww"), input=page, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert "NAME" in done.stdout
