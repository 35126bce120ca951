"""The round trip of doctor, with real servers that do and don't answer."""

import os
import sys
from pathlib import Path

import pytest

from cairn.surfaces.agents.checks import CheckLevel
from cairn.surfaces.agents.roundtrip import check_round_trip
from tests.trees import write

pytestmark = pytest.mark.requirement("INST.1")

SERVER = """
import os, pathlib, sys
from mcp.server.mcpserver import MCPServer
pathlib.Path(sys.argv[1]).write_text(str(os.getpid()))
server = MCPServer("tiny")
@server.tool()
def {tool}() -> str:
    {body}
server.run("stdio")
"""


@pytest.fixture(autouse=True)
def _client() -> None:
    pytest.importorskip("mcp")


def serve(folder: Path, tool: str = "list_codebases", body: str = "return 'none'") -> tuple[str, ...]:
    return (sys.executable, str(write(folder, "server.py", SERVER.format(tool=tool, body=body))), str(folder / "pid"))


def require_gone(folder: Path) -> None:
    """The server's process is not there any more, not even as one that waits to be reaped."""
    with pytest.raises(ProcessLookupError):
        os.kill(int((folder / "pid").read_text()), 0)


@pytest.mark.slow
def test_a_server_that_answers_is_fine_and_gone_afterwards(tmp_path: Path) -> None:
    found = check_round_trip(serve(tmp_path))
    assert found.level is CheckLevel.OK, found
    assert found.message.startswith(f"`{' '.join(serve(tmp_path))}` answers list_codebases; ")
    require_gone(tmp_path)


@pytest.mark.slow
def test_a_server_without_the_tool_fails(tmp_path: Path) -> None:
    found = check_round_trip(serve(tmp_path, tool="other"))
    assert found.level is CheckLevel.FAILED
    assert "no tool list_codebases: other" in found.message


@pytest.mark.slow
def test_a_tool_that_fails_is_told(tmp_path: Path) -> None:
    found = check_round_trip(serve(tmp_path, body="raise ValueError('the shelf is bare')"))
    assert found.level is CheckLevel.FAILED
    assert "refused list_codebases" in found.message


@pytest.mark.slow
def test_a_server_that_never_answers_is_stopped_at_the_deadline(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    code = "import os, pathlib, signal; pathlib.Path('pid').write_text(str(os.getpid())); signal.pause()"
    monkeypatch.chdir(tmp_path)
    found = check_round_trip((sys.executable, "-c", code), deadline_s=1)
    assert found.level is CheckLevel.FAILED
    assert "didn't answer within 1 s" in found.message
    require_gone(tmp_path)


def test_a_server_that_ends_at_once_is_told_with_its_last_words(tmp_path: Path) -> None:
    script = write(tmp_path, "s.py", "import sys\nsys.exit('no such command: mcp')\n")
    found = check_round_trip((sys.executable, str(script)))
    assert found.level is CheckLevel.FAILED
    assert "no such command: mcp" in found.message


def test_a_program_that_is_not_there_is_told(tmp_path: Path) -> None:
    found = check_round_trip((str(tmp_path / "gone"), "mcp"))
    assert found.level is CheckLevel.FAILED
    assert "can't be started: No such file" in found.message
