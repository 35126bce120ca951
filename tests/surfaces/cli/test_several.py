"""`cairn search --root A --root B` and `--all`."""

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.cli.test_main import assert_one_sentence_and_a_hint, error_of
from tests.surfaces.cli.test_search import without_the_moment
from tests.surfaces.cli.test_store import layout_of, run
from tests.trees import Repo, cairn, write


@pytest.fixture
def first(tmp_path: Path) -> Repo:
    repo = Repo.create(tmp_path / "first")
    repo.write("src/lease.py", "def take_over(lease):\n    return lease\n")
    repo.commit()
    return repo


@pytest.fixture
def second(tmp_path: Path) -> Path:
    write(tmp_path, "second/renew.py", "def renew(lease):\n    return lease  # taken over\n")
    return (tmp_path / "second").resolve()


def ask(*arguments: str | Path, code: int = 0) -> dict[str, Any]:
    done = run("search", *map(str, arguments), "--json")
    assert (done.returncode, done.stderr) == (code, "")
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.requirement("MULTI.1")
def test_every_result_names_its_codebase_and_its_snapshot(first: Repo, second: Path) -> None:
    found = ask("lease", "--root", first.path, "--root", second)
    assert {(item["root"], item["path"]) for item in found["results"]} == {
        (str(first.path), "src/lease.py"),
        (str(second), "renew.py"),
    }
    told = {item["root"]: item for item in found["codebases"]}
    assert list(told) == [str(first.path), str(second)]
    for item in found["results"]:
        assert item["snapshot_id"] == told[item["root"]]["snapshot_id"]
    for root, item in told.items():
        alone = ask("lease", root, "--no-sync")
        for name in ("store_id", "snapshot_id", "config_fingerprint", "ignore_fingerprint", "git", "degraded"):
            assert item[name] == alone[name]
        assert item["freshness"] == {"synced": True, "checked": "tree", "moved": False}
        assert "error" not in item
    assert (found["schema_version"], found["warnings"], found["degraded"]) == (2, [], False)


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_the_same_question_gives_the_same_bytes_in_any_order(first: Repo, second: Path) -> None:
    cairn("index", str(first.path))
    cairn("index", str(second))
    one = cairn("search", "lease", "--no-sync", "--root", str(first.path), "--root", str(second), "--json", "--explain")
    two = cairn("search", "lease", "--no-sync", "--root", str(second), "--root", str(first.path), "--json", "--explain")
    assert without_the_moment(one.stdout) == without_the_moment(two.stdout)
    assert len(json.loads(one.stdout)["results"]) == 2


@pytest.mark.requirement("MULTI.1")
def test_one_that_cannot_answer_is_a_warning_and_none_that_can_is_a_failure(first: Repo, tmp_path: Path) -> None:
    absent = tmp_path / "absent"
    found = ask("lease", "--root", absent, "--root", first.path)
    assert [item["path"] for item in found["results"]] == ["src/lease.py"]
    assert found["codebases"][0]["root"] == str(absent)
    assert found["codebases"][0]["error"]["code"] == "root_not_found"
    assert str(absent) in found["warnings"][0]
    done = run("search", "lease", "--root", str(absent), "--root", str(first.path))
    assert done.returncode == 0
    assert f"warning: {absent} did not answer" in done.stderr
    assert ask("lease", "--root", absent, "--root", tmp_path / "other", code=2)["error"]["code"] == "root_not_found"


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_a_damaged_store_stops_no_other(first: Repo, second: Path) -> None:
    ask("lease", "--root", first.path, "--root", second)
    shutil.rmtree(Path(layout_of(second).path, "segments"))
    found = ask("lease", "--root", first.path, "--root", second)
    assert [item["root"] for item in found["results"]] == [str(first.path)]
    assert found["codebases"][1]["error"]["code"] == "store_corrupt"
    assert "cairn repair" in found["warnings"][0]


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_people_see_full_paths_and_the_snapshot_of_each(first: Repo, second: Path) -> None:
    done = run("search", "lease", "--root", str(first.path), "--root", str(second))
    assert f"{first.path}/src/lease.py:1  take_over" in done.stdout
    assert f"{second}/renew.py:1  renew" in done.stdout
    for item in ask("lease", "--no-sync", "--root", first.path, "--root", second)["codebases"]:
        assert f"{item['root']}  snapshot {item['snapshot_id']}" in done.stderr
    first.write("src/lease.py", "def take_over(lease):\n    return 2\n")
    done = run("search", "lease", "--no-sync", "--root", str(first.path), "--root", str(second))
    assert f"{first.path}/src/lease.py:1  take_over  changed since" in done.stdout
    assert "1 cited file changed since" in done.stderr


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_all_asks_every_codebase_that_is_indexed(first: Repo, second: Path) -> None:
    assert ask("lease", "--all", code=3)["error"]["code"] == "not_indexed"
    cairn("index", str(first.path))
    found = ask("lease", "--all")
    assert [item["root"] for item in found["codebases"]] == [str(first.path)]
    cairn("index", str(second))
    first.write("new.py", "lease = 'new'\n")
    found = ask("lease", "--all")
    assert [item["root"] for item in found["codebases"]] == [str(first.path), str(second)]
    assert "new.py" in {item["path"] for item in found["results"]}
    shutil.rmtree(second)
    found = ask("lease", "--all")
    assert [item["root"] for item in found["codebases"]] == [str(first.path)]
    assert found["warnings"] == [f"{second} is left out: the folder is gone"]


@pytest.mark.requirement("MULTI.1")
def test_one_root_is_a_path_by_another_name(first: Repo) -> None:
    named = ask("lease", "--root", first.path)
    assert "codebases" not in named
    assert named.keys() == ask("lease", first.path).keys()
    assert len(ask("lease", "--root", first.path, "--root", first.path / "src")["codebases"]) == 1


@pytest.mark.slow
@pytest.mark.bare_home
@pytest.mark.requirement("MULTI.1")
@pytest.mark.parametrize(
    "arguments",
    [
        (".", "--root", "x"),
        (".", "--all"),
        ("--root", "x", "--all"),
        ("--root", "x", "--root", "y", "--shared-store", "s"),
        ("--all", "--shared-store", "s"),
        ("--root", "x", "--root", "y", "--path", "/etc"),
        ("--root", "", "--root", ""),
    ],
    ids=" ".join,
)
def test_what_does_not_go_together_is_bad_usage(first: Repo, private_home: Path, arguments: tuple[str, ...]) -> None:
    done = cairn("search", "lease", *arguments, cwd=first.path)
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_sentence_and_a_hint(done.stderr)
    assert error_of(cairn("search", "lease", *arguments, "--json", cwd=first.path).stdout)["code"] == "usage"
    assert not (private_home / ".cairn").exists()


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_a_shared_store_of_the_environment_is_not_asked_with_others(first: Repo, second: Path) -> None:
    done = cairn("search", "lease", "--root", str(first.path), "--root", str(second), CAIRN_SHARED_STORE="somewhere")
    assert done.returncode == 2
    assert "CAIRN_SHARED_STORE" in done.stderr


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1", "BUDGET.1")
def test_a_budget_goes_over_all_of_them(first: Repo, second: Path) -> None:
    whole = ask("lease", "--root", first.path, "--root", second, "--budget", "500")
    assert {(item["root"], item["form"]) for item in whole["results"]} == {
        (str(first.path), "definition"),
        (str(second), "definition"),
    }
    needed = whole["results"][0]["tokens"]
    found = ask("lease", "--root", first.path, "--root", second, "--budget", str(needed))
    assert [item["path"] for item in found["results"]] == [whole["results"][0]["path"]]
    (missing,) = found["budget"]["left_out"]
    assert (missing["root"], missing["path"]) == (whole["results"][1]["root"], whole["results"][1]["path"])
    done = run("search", "lease", "--root", str(first.path), "--root", str(second), "--budget", "500")
    assert f"{first.path}/src/lease.py:1-2  take_over\ndef take_over(lease):\n    return lease\n" in done.stdout
