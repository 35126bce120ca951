"""The API is what its description says, whatever is asked; `make api` installs what this needs."""

import os
import subprocess
import sys

import pytest

from cairn.surfaces.daemon.place import Place
from tests.surfaces.daemon.running import Daemon

_TOOL = os.environ.get("CAIRN_SCHEMATHESIS") or os.path.join(os.path.dirname(sys.executable), "schemathesis")
_CHECKS = "status_code_conformance,content_type_conformance,response_schema_conformance,negative_data_rejection"


@pytest.mark.skipif(not os.path.exists(_TOOL), reason="schemathesis is not installed")
def test_generated_requests_are_answered_as_described(shared: Daemon) -> None:
    token = Place(str(shared.home)).token()
    done = subprocess.run(
        (
            *(_TOOL, "run", "--max-examples", "25", "--checks", _CHECKS),
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
    # A deadline of a millisecond may pass, which is no defect; this would be one.
    assert 'status="500"' not in shared.get("/metrics").body.decode()
