"""Answers held against the tree as it is: what is gone makes room, what moved is said, whatever was asked."""

import json
import os
from collections.abc import Iterable
from pathlib import Path

import pytest

import cairn
from cairn.base.errors import NotIndexedError, UsageError
from cairn.codebase.answers import Now
from cairn.program.start import main
from tests.trees import Repo

LINE = "    return dispatch(event)\n"


@pytest.fixture
def many(repo: Repo) -> Repo:
    for number in range(30):
        repo.write(f"f{number:02}.py", f"def handler_{number}(event):\n{LINE}")
    return repo


def test_files_are_looked_at_together_and_each_of_them_once() -> None:
    looks: list[list[str]] = []

    def states_of(paths: Iterable[str]) -> dict[str, str | None]:
        looks.append(list(paths))
        return {path: None if path == "gone" else "hash" for path in looks[-1]}

    now = Now(states_of)
    assert now.are_there(["a", "gone", "b"]) == [True, False, True]
    assert now.are_there(["b", "c"]) == [True, True]
    assert (now.hash_of("a"), now.is_there("gone"), now.gone) == ("hash", False, 1)
    assert looks == [["a", "gone", "b"], ["c"]]


def test_lines_of_deleted_files_make_room_for_those_that_are_there(many: Repo) -> None:
    with cairn.open(many.path) as workspace:
        for number in range(20):
            (many.path / f"f{number:02}.py").unlink()
        found = workspace.grep("dispatch(event)", 8)
        assert [item.path for item in found] == [f"f{number}.py" for number in range(20, 28)]
        assert "results" in found.limits_hit
        assert any("20 files left out" in text for text in found.warnings)
        assert found.freshness["moved"] is True
        assert len(workspace.grep("dispatch(event)", 100)) == 10


def test_places_in_deleted_files_make_room_for_those_that_are_there(many: Repo) -> None:
    with cairn.open(many.path) as workspace:
        before = [item.path for item in workspace.search("dispatch event", 30)]
        for path in before[:12]:
            (many.path / path).unlink()
        assert [item.path for item in workspace.search("dispatch event", 10)] == before[12:22]


@pytest.mark.slow
def test_several_codebases_make_room_too(many: Repo, tmp_path: Path) -> None:
    other = Repo.create(tmp_path / "other")
    other.write("one.py", f"def other(event):\n{LINE}")
    with cairn.open_all([many.path, other.path]) as workspaces:
        for number in range(28):
            (many.path / f"f{number:02}.py").unlink()
        found = workspaces.search("dispatch event", 3)
        assert {item.path for item in found} == {"f28.py", "f29.py", "one.py"}


def test_a_place_whose_file_changed_is_said(many: Repo) -> None:
    with cairn.open(many.path) as workspace:
        many.write("f03.py", "other = 1\n" * 5)
        found = workspace.related("f03.py", 2)
        assert any("f03.py changed since the snapshot" in text for text in found.warnings)
        assert found.freshness["moved"] is True
        assert "f03.py" not in {item.path for item in found}
        assert not any("f04.py changed" in text for text in workspace.related("f04.py", 2).warnings)


def test_a_place_whose_file_is_gone_is_an_error(many: Repo) -> None:
    with cairn.open(many.path) as workspace:
        (many.path / "f03.py").unlink()
        with pytest.raises(NotIndexedError, match="gone"):
            workspace.related("f03.py", 2)


def test_the_definition_around_a_line_is_the_question(repo: Repo) -> None:
    repo.write(
        "mix.py",
        "def parse_json(text):\n    return json.loads(text)\n\n\ndef open_socket(host):\n"
        "    return socket.connect(host)\n",
    )
    repo.write("sockets.py", "def socket_to(host):\n    return socket.connect(host)\n")
    repo.write("texts.py", "def read_json(text):\n    return json.loads(text)\n")
    with cairn.open(repo.path) as workspace:
        assert workspace.related("mix.py", 2, 1).results[0].path == "texts.py"
        assert workspace.related("mix.py", 6, 1).results[0].path == "sockets.py"


def test_a_definition_comes_before_a_file_of_its_name(repo: Repo) -> None:
    repo.write("src/engine.py", "class Lease:\n    def take(self):\n        return self.epoch\n")
    repo.write("src/lease.py", "lease = 1\n" * 5 + "def leases(lease):\n    return lease.lease\n")
    repo.write("src/leases/lease.py", "from engine import Lease\n\nlease = Lease().lease\n")
    with cairn.open(repo.path) as workspace:
        assert workspace.search("Lease", 1).results[0].path == "src/engine.py"
        assert workspace.search("Lease", 1, mode="symbol").results[0].symbol == "Lease"


def test_the_case_of_a_name_decides_between_two(repo: Repo) -> None:
    repo.write("a.py", "class Fitted:\n    def run(self):\n        return 1\n" + "    x = 1\n" * 30)
    repo.write("b.py", "def fitted():\n    return 2\n")
    with cairn.open(repo.path) as workspace:
        assert workspace.search("fitted", 1, mode="symbol").results[0].path == "b.py"
        assert workspace.search("Fitted", 1, mode="symbol").results[0].path == "a.py"


def test_one_root_may_be_a_plain_text(many: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    with cairn.open_all(str(many.path)) as workspaces:
        assert workspaces.roots == (str(many.path),)


def test_filters_in_the_query_are_meant_like_those_beside_it(many: Repo) -> None:
    many.write("sub/g.py", f"def g(event):\n{LINE}")
    with cairn.open(many.path) as workspace:
        assert [item.path for item in workspace.search(f"dispatch path:{many.path}/sub")] == ["sub/g.py"]
        with pytest.raises(UsageError, match="beneath the root"):
            workspace.search("dispatch path:../elsewhere")


def test_reading_from_a_line_needs_no_budget(repo: Repo) -> None:
    repo.write("a.txt", "one\ntwo\nthree\n")
    with cairn.open(repo.path) as workspace:
        assert workspace.read("a.txt", from_line=2) == "two\nthree\n"
        assert workspace.read("a.txt") == "one\ntwo\nthree\n"


def lines(repo: Repo, capsys: pytest.CaptureFixture[str], *arguments: str, code: int = 0) -> tuple[str, str]:
    assert main(["search", *arguments, "--from-root", str(repo.path)]) == code
    told = capsys.readouterr()
    return told.out, told.err


def test_a_line_goes_into_a_pipe_whole(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    text = "start\t\t" + "x" * 1800 + " END"
    repo.write("long.txt", text + "\n")
    assert lines(repo, capsys, "--regex", "^start.*END$")[0] == f"long.txt:1:{text}\n"
    assert lines(repo, capsys, "--literal", "END")[0] == f"long.txt:1:{text}\n"


def test_a_very_long_line_shows_where_it_was_cut(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("long.txt", "q" * 30_000 + "hit" + "r" * 30_000 + "\n")
    out, err = lines(repo, capsys, "--literal", "hit")
    assert out.startswith("long.txt:1:…q")
    assert out.endswith("r…\n")
    assert "very long lines" in err
    assert main(["search", "--literal", "hit", "--json", str(repo.path)]) == 0
    (found,) = json.loads(capsys.readouterr().out)["results"]
    assert (found["column"], found["cut"]) == (30_001, True)
    start = found["column"] - found["text_column"]
    assert found["text"][start : start + 3] == "hit"


def test_nothing_goes_into_a_pipe_where_no_line_matches(repo: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    repo.write("a.txt", "one\n")
    out, err = lines(repo, capsys, "--literal", "nowhere", code=1)
    assert out == ""
    assert "nothing found" in err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--literal", "dispatch", os.curdir, "--root", os.curdir],
        ["--related", "f01.py:1", "needle", os.curdir],
        ["--related", "f01.py:" + "9" * 5000],
        ["--related", "/etc/passwd:3"],
    ],
)
def test_nothing_that_was_typed_is_dropped(
    many: Repo, arguments: list[str], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(many.path)
    assert main(["search", *arguments]) == 2
    assert "defect" not in capsys.readouterr().err


def test_a_line_of_a_changed_file_is_marked(many: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    with cairn.open(many.path):
        many.write("f03.py", f"def other(event):\n{LINE}")
    assert main(["search", "--literal", "dispatch(event)", "--no-sync", "--json", str(many.path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {item["path"] for item in found["results"] if item["changed_since"]} == {"f03.py"}
    assert found["freshness"] == {"synced": False, "checked": "cited_files", "moved": True}


def test_a_budget_marks_what_changed(many: Repo, capsys: pytest.CaptureFixture[str]) -> None:
    with cairn.open(many.path):
        many.write("f03.py", f"def other(event):\n{LINE}")
    assert main(["search", "handler_3 dispatch", "--budget", "2000", "--no-sync", str(many.path)]) == 0
    marked = [line for line in capsys.readouterr().out.splitlines() if "changed since" in line]
    assert [line.split(":")[0] for line in marked] == ["f03.py"]


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
@pytest.mark.parametrize("budget", [60, 100, 500, 1200])
def test_the_texts_of_a_document_keep_the_budget(many: Repo, budget: int, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["search", "dispatch event", "--budget", str(budget), "--json", str(many.path)]) == 0
    found = json.loads(capsys.readouterr().out)
    assert sum(len(each["path"]) + len(each["text"]) for each in found["results"]) <= 4 * budget
    assert found["budget"]["used_tokens"] <= budget
    assert found["results"] or budget < 100
    assert len(found["results"]) + len(found["budget"]["left_out"]) == 30


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_several_codebases_say_what_each_answer_rests_on(
    many: Repo, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    other = Repo.create(tmp_path / "other")
    other.write("one.py", f"def other(event):\n{LINE}")
    roots = ["--root", str(many.path), "--root", str(other.path)]
    assert main(["search", "dispatch", *roots, "--json"]) == 0
    synced = json.loads(capsys.readouterr().out)
    assert main(["search", "dispatch", *roots, "--json", "--no-sync"]) == 0
    read = json.loads(capsys.readouterr().out)
    assert {item["freshness"]["checked"] for item in synced["codebases"]} == {"tree"}
    assert {item["freshness"]["checked"] for item in read["codebases"]} == {"cited_files"}
    assert read["degraded"] is False
