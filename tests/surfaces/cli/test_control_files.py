"""A control file that lies stops nobody: it is kept under another name, and begins anew."""

from pathlib import Path

import pytest

from cairn.base.errors import ExitCode
from cairn.config.user import cairn_home
from tests.surfaces.cli.test_store import answer, run
from tests.trees import Repo


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.mark.slow
@pytest.mark.requirement("STO.21")
def test_a_flipped_bit_in_the_registry_stops_no_codebase_and_no_command(repo: Repo, tmp_path: Path) -> None:
    repo.write("walrus.py", "walrus = 1\n")
    repo.commit()
    other = Repo.create(tmp_path / "other")
    other.write("heron.py", "heron = 1\n")
    other.commit()
    for each in (repo, other):
        answer("index", str(each.path))
    registry = Path(cairn_home(), "registry.db")
    data = bytearray(registry.read_bytes())
    data[63] ^= 2
    registry.write_bytes(data)
    for each, word in ((repo, "walrus"), (other, "heron")):
        assert answer("search", word, str(each.path), "--no-sync")["results"]
        assert run("status", str(each.path)).returncode == 0
        health = run("health", str(each.path))
        assert health.returncode == ExitCode.CORRUPT
        assert "registry.db" in health.stdout
        assert "Run `cairn repair`." in health.stdout
    assert registry.read_bytes() == data
    said = answer("index", str(repo.path))
    (kept,) = registry.parent.glob("registry.db.damaged-*")
    assert any(str(kept) in warning for warning in said["warnings"])
    assert kept.read_bytes() == data
    assert answer("status", str(other.path))["state"] == "indexed"
