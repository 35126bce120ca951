"""What was probably meant: commands and options that are mistyped, or that other tools have."""

import pytest

from cairn.program.command import HOMES
from cairn.surfaces.cli.parser import OFTEN_MEANT
from tests.trees import cairn


@pytest.mark.parametrize(
    ("typed", "cause", "meant"),
    [
        (("serach", "x"), "cairn has no command 'serach'.", "`cairn search`"),
        (("grep", "x"), "cairn has no command 'grep'.", "`cairn search --literal`"),
        (("session", "opne"), "cairn session has no command 'opne'.", "`cairn session open`"),
        (("search", "x", "--limt=3"), "cairn search has no option --limt.", "`--limit`"),
        (("outline", "a.py", "--jsn"), "cairn outline has no option --jsn.", "`--json`"),
        (("--versio",), "cairn has no option --versio.", "`--version`"),
    ],
)
def test_the_nearest_command_or_option_is_named(typed: tuple[str, ...], cause: str, meant: str) -> None:
    done = cairn(*typed)
    assert (done.returncode, done.stdout) == (2, "")
    first, second = done.stderr.splitlines()
    assert first == f"cairn: {cause}"
    assert f"Did you mean {meant}? Run `" in second


def test_what_is_like_nothing_gets_no_guess() -> None:
    done = cairn("qqqq")
    assert done.returncode == 2
    assert "Did you mean" not in done.stderr
    assert len(done.stderr) < 150


def test_words_of_other_tools_lead_to_commands_that_there_are() -> None:
    commands = {name for _, some in HOMES for _, names in some for name in names.split()}
    assert {meant.split()[0] for meant in OFTEN_MEANT.values()} <= commands
    assert not OFTEN_MEANT.keys() & commands
