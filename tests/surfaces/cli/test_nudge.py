"""`cairn session nudge`: one line after a grep with many hits, and silence about everything else."""

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cairn.program import nudge
from cairn.program.start import main
from tests.surfaces.mcp.local import index
from tests.trees import Repo

MANY = "src/a.py:1:lease\n" * nudge.MANY


@pytest.fixture
def indexed(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    repo.write("src/a.py", "lease = 1\n")
    index(repo.path)
    return repo.path


def hook(folder: Path, tool: str = "Grep", response: object = None, **given: str) -> dict[str, Any]:
    return {
        "hook_event_name": "PostToolUse",
        "cwd": str(folder / "src"),
        "tool_name": tool,
        "tool_input": given or {"pattern": "lease"},
        "tool_response": {"content": MANY} if response is None else response,
    }


def test_a_grep_with_many_hits_is_told_the_better_call(indexed: Path) -> None:
    assert 'find_references symbol="lease"' in nudge.reminder(hook(indexed))
    assert 'query="lea.*e" regex=true' in nudge.reminder(hook(indexed, pattern="lea.*e"))
    shell = hook(indexed, "Bash", {"stdout": MANY}, command="cd src && grep -rn lease . | sort")
    assert "search_codebase" in nudge.reminder(shell)
    assert "\n" not in nudge.reminder(hook(indexed, pattern="a\nb" * 50))


@pytest.mark.parametrize(
    ("tool", "response", "given"),
    [
        ("Grep", {"content": "one\ntwo\n"}, {"pattern": "lease"}),
        ("Bash", {"stdout": MANY}, {"command": "cat grep.txt"}),
        ("Bash", {"stdout": ""}, {"command": "grep -r lease"}),
        ("Read", {"content": MANY}, {"pattern": "lease"}),
        ("Grep", {"content": MANY}, {"pattern": "lease", "path": "/etc"}),
        ("Bash", {"stdout": MANY}, {"command": "ps aux | grep foo; cat log"}),
        ("Bash", {"stdout": MANY}, {"command": "grep x /var/log/syslog"}),
        ("Bash", {"stdout": MANY}, {"command": 'git log --grep=foo | cat; echo "(grep)"'}),
    ],
)
def test_what_found_little_or_was_no_grep_is_passed_over(
    indexed: Path, tool: str, response: object, given: dict[str, str]
) -> None:
    assert nudge.reminder(hook(indexed, tool, response, **given)) == ""


def test_nothing_is_said_where_nothing_is_indexed(indexed: Path, tmp_path: Path) -> None:
    (tmp_path / "src").mkdir()
    assert nudge.reminder(hook(tmp_path)) == ""


@pytest.mark.parametrize(
    ("response", "hits"),
    [
        ("a\nb", 2),
        ({"filenames": ["a"] * 70, "numFiles": 70}, 70),
        ({"numLines": 55, "content": "a"}, 55),
        ([{"type": "text", "text": "a\nb\n"}], 2),
        (None, 0),
        (7, 0),
    ],
)
def test_hits_are_counted_in_every_form(response: object, hits: int) -> None:
    assert nudge.lines_of(response) == hits


@pytest.mark.parametrize("text", ["", "nonsense", "[]", "{}", '{"tool_name": "Grep", "cwd": 7}', "[" * 100_000])
def test_whatever_it_is_given_it_is_silent_and_succeeds(
    text: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert main(["session", "nudge"]) == 0
    assert capsys.readouterr() == ("", "")


def test_the_host_is_answered_in_its_own_form_with_little_loaded(indexed: Path) -> None:
    code = (
        "import sys; from cairn.program.start import main; main(['session', 'nudge'])\n"
        "heavy = {'numpy', 'argparse', 'cairn.base.errors', 'cairn.surfaces.cli.parser'} & set(sys.modules)\n"
        "print(sorted(heavy), file=sys.stderr)"
    )
    done = subprocess.run(
        (sys.executable, "-c", code), input=json.dumps(hook(indexed)), capture_output=True, text=True, check=True
    )
    said = json.loads(done.stdout)["hookSpecificOutput"]
    assert (said["hookEventName"], done.stderr.strip()) == ("PostToolUse", "[]")
    assert "find_references" in said["additionalContext"]
