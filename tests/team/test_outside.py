"""An index whose vectors lie elsewhere travels with them, and is taken in without embedding again."""

from pathlib import Path

import pytest

from tests.engines.kinds import require
from tests.team.samples import FILES, at_home, clone, committed, done, found, leftovers, live

PLACES = ("in the segments", "elsewhere")


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_a_snapshot_whose_vectors_are_of_lancedb_is_asked(
    place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    require("lancedb")
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.setenv("CAIRN_ENGINE", "lancedb")
    repo = committed(tmp_path / "repo")
    (tmp_path / "remote").mkdir()
    machines = (tmp_path / "one", tmp_path / "two")
    for home in machines:
        with at_home(home):
            done("remote", "add", "team", str(tmp_path / "remote"))
            if place == "elsewhere":
                done("config", "set", "lancedb.uri", str(tmp_path / "vectors"))
    for name in ("stork", "crane"):
        repo.write(f"src/{name}.py", f"def {name}_wades(river):\n    return river\n")
        repo.commit()
        with at_home(machines[0]):
            done("push", "--askable", str(repo.path))
            assert leftovers(machines[0]) == []
            here = [done("search", query, str(repo.path))["results"] for query in ("otter dives", f"{name}_wades")]
        with at_home(machines[1]):
            asked = [
                done("search", "--remote", "team", query, str(repo.path))["results"]
                for query in ("otter dives", f"{name}_wades")
            ]
        said = [[[(each["path"], each["score"]) for each in one] for one in some] for some in (here, asked)]
        assert said[0] == said[1]
        assert asked[1][0]["path"] == f"src/{name}.py"
    # The second push sends the table of the new segment alone.
    assert len([path for path in (tmp_path / "remote/cairn1/tables").rglob("*") if path.is_file()]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES)
def test_vectors_of_lancedb_travel(place: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    require("lancedb")
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.setenv("CAIRN_ENGINE", "lancedb")
    repo = committed(tmp_path / "repo")
    other = clone(repo, tmp_path / "clone")
    machines = (tmp_path / "one", tmp_path / "two")
    (tmp_path / "remote").mkdir()
    for home in machines:
        with at_home(home):
            done("remote", "add", "team", str(tmp_path / "remote"))
            if place == "elsewhere":
                done("config", "set", "lancedb.uri", str(tmp_path / f"tables-{home.name}"))
    with at_home(machines[0]):
        done("push", str(repo.path))
        answers = found(repo.path)
        assert done("push", str(repo.path))["sent"] == 0
    other.write("src/heron.py", "def egret_wades(river):\n    return True\n")
    (other.path / "src/ibis.py").unlink()
    with at_home(machines[1]):
        taken = done("pull", str(other.path))
        # One file differs, and is all that is embedded.
        assert (taken["indexed"], taken["deleted"]) == (1, 1)
        assert 0 < taken["embedded"] <= 2
        assert set(live(other.path)) == set(FILES) - {"src/ibis.py"}
        other.git("checkout", "-q", ".")
        done("index", str(other.path))
        assert found(other.path) == answers
        assert leftovers(machines[1]) == []
    with at_home(machines[0]):
        done("export", str(tmp_path / "index.cairn"), str(repo.path))
        assert leftovers(machines[0]) == []
    with at_home(machines[1]):
        done("clear", str(other.path))
        imported = done("import", str(tmp_path / "index.cairn"), str(other.path))
        assert (imported["indexed"], imported["embedded"]) == (0, 0)
        assert found(other.path) == answers
