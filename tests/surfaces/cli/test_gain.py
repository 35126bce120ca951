"""`cairn gain`: what was asked through every door, and what it weighed."""

from pathlib import Path

from cairn.codebase import ledger
from cairn.config.user import cairn_home
from tests.surfaces.cli.test_store import answer, say
from tests.surfaces.mcp.local import Local, index
from tests.trees import Repo

TEXT = "def walrus():\n    return 1\n" * 200


def test_it_says_that_nothing_was_asked_yet() -> None:
    assert say("gain") == "nothing was asked in the last 30 days\n"
    assert say("gain", "--days", "1") == "nothing was asked today\n"
    found = answer("gain", "--days", "7")
    assert (found["questions"], found["days"], found["recording"], found["gains"]) == (0, 7, True, [])


def test_the_command_line_and_agents_are_counted_and_reports_are_not(repo: Repo) -> None:
    repo.write("walrus.py", TEXT)
    repo.commit()
    index(repo.path)
    answer("status", str(repo.path))
    printed = say("read", str(repo.path / "walrus.py:1-2"))
    local = Local(repo.path)
    told = local.call("search_codebase", query="walrus", path=str(repo.path))
    local.call("search_codebase", query="walrus", path="/nowhere")
    local.close()
    ledger.finish()
    (gain,) = (found := answer("gain"))["gains"]
    assert told["results"]
    assert gain["root"] == str(repo.path)
    kinds = {each["question"]: each for each in gain["kinds"]}
    assert set(kinds) == {"read", "search"}
    assert kinds["read"]["bytes_delivered"] == len(printed)
    assert kinds["search"]["bytes_delivered"] > 0
    assert [each["whole_files_bytes"] for each in gain["kinds"]] == [len(TEXT)] * 2
    assert found["questions"] == sum(each["questions"] for each in gain["by_day"]) == 2
    assert "2 questions" in say("gain")
    assert "estimate" in say("gain")


def test_it_says_where_counting_is_off() -> None:
    Path(cairn_home()).mkdir(exist_ok=True)
    Path(cairn_home(), "config.toml").write_text("[gain]\nrecord = false\n")
    assert "answers are not counted" in say("gain")
    assert answer("gain")["recording"] is False
