"""The outputs are those that were kept; where a change is meant, `make golden` records them anew."""

import subprocess
import sys
from pathlib import Path

import pytest

from tests.conformance import ROOT
from tests.golden.commands import COMMANDS
from tests.golden.record import KEPT, normal


@pytest.fixture(scope="module")
def recorded(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("recorded")
    subprocess.run((sys.executable, "-m", "tests.golden.record", str(folder)), cwd=ROOT, check=True)
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMANDS)
def test_the_commands_print_what_they_printed(recorded: Path, name: str) -> None:
    asked = (recorded / f"{name}.txt").read_text(encoding="utf-8")
    assert asked == (KEPT / f"{name}.txt").read_text(encoding="utf-8")


def test_nothing_is_kept_that_is_not_asked() -> None:
    assert {path.name for path in KEPT.iterdir()} == {f"{name}.txt" for name in COMMANDS}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("snapshot 01M7K5ZXKF1SAHJC2PMA9EQS64, 4 seconds old", "snapshot <id>, <duration> old"),
        ("store r__d481114587dd0881__fa0aef12efd2db88 at /p/r", "store r__<hash>__<hash> at <place>/r"),
        ("121.8 KB, last used 2026-11-16T22:00:11Z", "<size>, last used <time>"),
        ("2 files, 3 calls, lease.py:12", "2 files, 3 calls, lease.py:12"),
    ],
)
def test_only_what_differs_from_run_to_run_is_left_out(text: str, expected: str) -> None:
    assert normal(text, Path("/p")) == expected
