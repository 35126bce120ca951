"""The API is what its description says, whatever is asked; `make api` installs what this needs."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.base.errors import UsageError
from cairn.daemon.folder import DaemonFolder
from cairn.questions.code import SYMBOL
from cairn.surfaces.http.endpoints import read
from tests.surfaces.http.running import Daemon
from tests.trees import Repo

_TOOL = os.environ.get("CAIRN_SCHEMATHESIS") or os.path.join(os.path.dirname(sys.executable), "schemathesis")
_CHECKS = "status_code_conformance,content_type_conformance,response_schema_conformance,negative_data_rejection"


@pytest.mark.skipif(not os.path.exists(_TOOL), reason="schemathesis is not installed")
def test_generated_requests_are_answered_as_described(shared: Daemon, shared_tree: Repo, tmp_path: Path) -> None:
    token = DaemonFolder(str(shared.home)).token()
    # What is made up names no codebase, so that nothing would be answered but errors.
    settings = tmp_path / "schemathesis.toml"
    settings.write_text(f'[parameters]\n"query.root" = {json.dumps(str(shared_tree.path))}\n')
    done = subprocess.run(
        (
            *(_TOOL, "--config-file", str(settings), "run", "--max-examples", "25", "--checks", _CHECKS),
            *("--phases", "examples,coverage,fuzzing", "--request-timeout", "60"),
            # One ends the daemon, one has no end, and one has a protocol of its own.
            *("--exclude-path", "/v1/stop", "--exclude-path", "/v1/events", "--exclude-path", "/mcp"),
            *("--header", f"Authorization: Bearer {token}", f"{shared.told['url']}/openapi.json"),
        ),
        capture_output=True,
        text=True,
        timeout=580,
        check=False,
    )
    assert done.returncode == 0, "\n".join(line[:300] for line in done.stdout.splitlines())
    answered = re.findall(r'path="(/v1/\w+)",status="200"', shared.get("/metrics").body.decode())
    assert {"/v1/search", "/v1/symbol", "/v1/refs", "/v1/map", "/v1/status", "/v1/snapshots"} <= set(answered)
    # A deadline of a millisecond may pass, which is no defect; this would be one.
    assert 'status="500"' not in shared.get("/metrics").body.decode()


def test_a_parameter_that_is_given_more_than_once_is_refused() -> None:
    with pytest.raises(UsageError, match="The parameter limit is given more than once") as refused:
        read(SYMBOL.parameters, [("name", "x"), ("limit", "1"), ("limit", "2")])
    assert "/openapi.json" in refused.value.hint
