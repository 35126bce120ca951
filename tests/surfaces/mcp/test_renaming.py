"""`rename_symbol` over a real client and in this process: plan, decide, apply, undo, and what stands in the way."""

import json
from pathlib import Path
from typing import Any

import pytest

from cairn.config.user import cairn_home
from cairn.surfaces.mcp.service import ToolCall
from cairn.surfaces.mcp.size import size_of, text_of
from cairn.surfaces.mcp.tools import BY_NAME
from tests.edit.samples import FILES, MARKS, UNTYPED, contents, project
from tests.surfaces.mcp.client import Answer, connected
from tests.surfaces.mcp.local import Local
from tests.trees import Repo

NEW = {
    path: text.replace("take", "acquire").encode() if path.endswith(".py") else text.encode()
    for path, text in FILES.items()
}
OLD = {path: text.encode() for path, text in FILES.items()}
PLACE: dict[str, Any] = {"action": "plan", "path": "lease.py", "line": 1, "column": 5, "new_name": "acquire"}


@pytest.fixture
def proven(repo: Repo, monkeypatch: pytest.MonkeyPatch, local: Local) -> Local:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    project(repo).close()
    local.see(repo.path)
    return local


@pytest.fixture
def doubtful(repo: Repo, monkeypatch: pytest.MonkeyPatch, local: Local) -> Local:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    project(repo, {"later.py": UNTYPED, "go.json": '"take"\n'}, {**MARKS, "later.py": {}}).close()
    local.see(repo.path)
    return local


def follow(local: Local, step: dict[str, Any]) -> Answer:
    """Do what an answer says comes next, as it stands."""
    return local.call(step["tool"], **step["args"])


@pytest.mark.slow
@pytest.mark.requirement("GATE.3")
def test_a_real_client_plans_applies_and_undoes(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    project(repo).close()
    home = Path(cairn_home()).parent
    with connected(home, repo.path, env={"CAIRN_EMBED_PROVIDER": "hashing"}) as session:
        plan = session.call("rename_symbol", **PLACE)
        assert (plan["status"], plan["places"], plan["files"]) == ("ok", 5, 2)
        assert contents(repo) == OLD
        step = plan["nextAction"]
        done = session.call(step["tool"], **step["args"])
        assert (done["status"], done["edit"]["state"], done["places"]) == ("ok", "applied", 5)
        assert contents(repo) == NEW
        again = session.result("rename_symbol", step["args"])
        assert session.checked("rename_symbol", again)["status"] == "refused"
        undo = done["hints"]["undo"]
        assert session.call(undo["tool"], **undo["args"])["edit"]["state"] == "reverted"
        assert contents(repo) == OLD


def test_a_plan_tells_every_edit_and_what_it_rests_on(proven: Local, repo: Repo) -> None:
    plan = proven.call("rename_symbol", **PLACE)
    first = {"path": "lease.py", "line": 1, "column": 5, "newText": "acquire"}
    assert plan["edits"][0].items() >= first.items()
    assert plan["proof"] == "facts"
    assert [each["tier"] for each in plan["mentions"]] == ["high", "medium"]
    assert plan["target"]["name"] == "take"
    assert (plan["codebaseRoot"], plan["path"]) == (str(repo.path), str(repo.path / "lease.py"))
    assert plan["snapshotId"]
    assert not {"open", "witness", "message", "leftOut"} & set(plan)
    assert [each["choice"] for each in plan["candidates"]] == ["proven,docs"]


@pytest.mark.slow
@pytest.mark.requirement("GATE.1")
@pytest.mark.requirement("GATE.2")
def test_what_is_open_comes_with_choices_that_can_be_executed(doubtful: Local, repo: Repo) -> None:
    plan = doubtful.call("rename_symbol", **PLACE)
    assert plan["status"] == "needs_decision"
    assert plan["message"].startswith("Not all of it is proven: the user has to choose: ")
    assert [(each["path"], each["why"]) for each in plan["open"]] == [("later.py", "unresolved_use")]
    offers = [(each["choice"], each["places"]) for each in plan["candidates"]]
    assert offers == [("proven", 5), ("code", 6), ("proven,docs", 6)]
    assert {each["code"] for each in plan["checklist"]} == {"unresolved_use"}
    refused = doubtful.call("rename_symbol", action="apply", plan_id=plan["planId"])
    assert refused["status"] == "refused"
    seen = doubtful.call("rename_symbol", **PLACE, take="code", diff=True)
    assert (seen["status"], seen["places"]) == ("ok", 6)
    assert "+    return thing.acquire()" in seen["diff"].split("\n")
    again = doubtful.call("rename_symbol", **PLACE)
    assert again["offered"] == "code"
    assert contents(repo)["lease.py"] == OLD["lease.py"]
    done = follow(doubtful, again["candidates"][1]["nextAction"])
    assert (done["status"], done["places"]) == ("ok", 6)
    assert b"thing.acquire()" in contents(repo)["later.py"]
    assert contents(repo)["go.json"] == b'"take"\n'


@pytest.mark.slow
def test_a_plan_is_told_in_words_with_the_calls_that_can_come_next(doubtful: Local, repo: Repo) -> None:
    def told(**given: Any) -> list[str]:
        return text_of(BY_NAME["rename_symbol"].call(doubtful.service, ToolCall(doubtful.access), given)).split("\n")

    lines = told(**PLACE)
    assert lines[0] == "needs_decision: take → acquire, function at lease.py:1:5: 5 places in 2 files"
    at = lines.index("lease.py")
    assert lines[at : at + 3] == ["lease.py", "  1:5 take → acquire", "  6:12 take → acquire"]
    at = next(at for at, line in enumerate(lines) if line.startswith("open, unresolved_use: Is this the same thing?"))
    assert lines[at + 1] == "  later.py:2:18  return thing.take()"
    at = next(at for at, line in enumerate(lines) if line.startswith("choice code: these, and all open places in code"))
    applied = told(**json.loads(lines[at + 1].removeprefix("  rename_symbol ")))
    assert applied[0].startswith("applied: ")
    assert applied[1:4] == ["  later.py", "  lease.py", "  user.py"]
    (step,) = (line.removeprefix("undo: rename_symbol ") for line in applied if line.startswith("undo: "))
    assert told(**json.loads(step))[0].startswith("reverted: ")
    assert contents(repo)["lease.py"] == OLD["lease.py"]


@pytest.mark.slow
@pytest.mark.requirement("GATE.1")
def test_what_is_not_clean_is_blocked_with_the_scope_to_refresh(doubtful: Local, repo: Repo) -> None:
    repo.write("later.py", UNTYPED + "\n")
    plan = doubtful.call("rename_symbol", **PLACE)
    assert (plan["status"], plan["refresh"]["files"]) == ("blocked", ["later.py"])
    assert plan["hint"] == "More is proven once the user has run: cairn refresh --wait."
    assert [fact["freshness"] for fact in plan["facts"]] == ["dirty"]
    assert "nextAction" not in plan
    assert follow(doubtful, plan["candidates"][0]["nextAction"])["status"] == "ok"


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
def test_places_are_taken_or_left_out_in_one_call(doubtful: Local, repo: Repo) -> None:
    place = {**PLACE, "action": "apply"}
    asked = doubtful.call("rename_symbol", **place)
    assert (asked["status"], contents(repo)["lease.py"]) == ("needs_decision", OLD["lease.py"])
    gone = doubtful.call("rename_symbol", **place, only=["later.py:3"])
    assert (gone["status"], "later.py:3 is none of the places" in gone["message"]) == ("invalid_arguments", True)
    assert gone["hint"].startswith("Call rename_symbol with action=plan")
    done = doubtful.call("rename_symbol", **place, **{"take": "all", "except": ["later.py"]})
    assert (done["status"], done["places"]) == ("ok", 5)
    assert contents(repo)["later.py"] == UNTYPED.encode()


@pytest.mark.slow
@pytest.mark.requirement("REN.21")
@pytest.mark.parametrize(
    ("place", "change", "written"),
    [
        ({"line": 6, "column": 5}, {"to_file": "desk.py"}, {"desk.py": b"from lease import take\n\n\ndef both("}),
        ({"line": 1, "column": 5}, {"add": "wait: int = 3"}, {"lease.py": b"def take(key, wait: int = 3):\n"}),
        ({"line": 6, "column": 5}, {"remove": "word"}, {"lease.py": b"def both(key):\n"}),
    ],
)
def test_moves_and_signatures_go_through_the_same_tool(
    proven: Local, repo: Repo, place: dict[str, int], change: dict[str, str], written: dict[str, bytes]
) -> None:
    repo.write("lease.py", FILES["lease.py"].replace("\n\n\ndef both(key)", "\n\n\n\ndef both(key, word=1)"))
    before = contents(repo)
    asked = {"action": "plan", "path": "lease.py", **place, **change}
    text = text_of(BY_NAME["rename_symbol"].call(proven.service, ToolCall(proven.access), asked))
    assert "+" in text
    assert contents(repo) == before
    plan = proven.call("rename_symbol", **asked)
    step = plan["nextAction"] if "nextAction" in plan else plan["candidates"][0]["nextAction"]
    done = follow(proven, step)
    now = contents(repo)
    assert {path: each in now[path] for path, each in written.items()} == dict.fromkeys(written, True)
    assert follow(proven, done["hints"]["undo"])["edit"]["state"] == "reverted"
    assert contents(repo) == before
    outside = proven.call("rename_symbol", **(asked | {"to_file": "/etc/x.py", "add": None, "remove": None}))
    assert outside["status"] in ("invalid_arguments", "refused")


@pytest.mark.requirement("REN.20")
def test_the_risk_of_a_choice_is_the_highest_of_its_words(repo: Repo, local: Local) -> None:
    members = "class A:\n    def go(self): return 1\n    def of(self, word): return getattr(self, word)\n"
    repo.write("m.py", f"{members}def f(x): return x.go()\nprint(A().go(), f(A()))  # go on\n")
    project(repo).close()
    local.see(repo.path)
    plan = local.call("rename_symbol", action="plan", path="m.py", line=2, column=9, new_name="fresh")
    risks = {each["choice"]: each["risk"] for each in plan["candidates"]}
    assert risks["proven,docs"] == risks["proven"] == "high"
    long = local.call("rename_symbol", action="plan", path="m.py", line=2, column=9, new_name="x" * 5_000)
    assert (long["status"], len(json.dumps(long)) < 500) == ("invalid_arguments", True)


@pytest.mark.slow
def test_a_scope_that_proves_itself_needs_no_facts(proven: Local, repo: Repo) -> None:
    repo.write("loop.py", "def f():\n    total = 1\n    return total\n")
    plan = proven.call("rename_symbol", action="plan", path="loop.py", line=2, column=5, new_name="sum_of_all")
    assert plan["status"] == "ok_syntactic"
    assert follow(proven, plan["nextAction"])["edit"]["files"] == ["loop.py"]


@pytest.mark.slow
@pytest.mark.requirement("GATE.3")
def test_a_file_that_changed_since_the_plan_is_refused(proven: Local, repo: Repo) -> None:
    plan = proven.call("rename_symbol", **PLACE)
    repo.write("user.py", b"# mine\n")
    answer = follow(proven, plan["nextAction"])
    assert (answer["status"], answer["code"]) == ("refused", "content_changed")
    assert contents(repo) == OLD | {"user.py": b"# mine\n"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("arguments", "status", "said"),
    [
        ({"action": "plan"}, "invalid_arguments", "path is missing"),
        ({"action": "plan", "path": "lease.py"}, "invalid_arguments", "line is missing"),
        ({**PLACE, "plan_id": "x"}, "invalid_arguments", "plan_id doesn't go with action=plan"),
        ({**PLACE, "column": 0}, "invalid_arguments", "column 0"),
        ({**PLACE, "line": 99}, "invalid_arguments", "no line 99"),
        ({**PLACE, "path": "."}, "invalid_arguments", "is a folder"),
        ({**PLACE, "path": "/etc/passwd"}, "refused", "not beneath"),
        ({**PLACE, "path": "nosuch.py"}, "not_found", "nosuch.py"),
        ({**PLACE, "new_name": "a b"}, "refused", "no identifier"),
        ({**PLACE, "new_name": "\x1b[31m"}, "refused", "no identifier"),
        ({"action": "apply"}, "invalid_arguments", "plan_id is missing"),
        ({"action": "apply", "plan_id": "x"}, "refused", "no plan x"),
        ({"action": "apply", "plan_id": "x", "take": "all"}, "refused", "no plan x"),
        ({"action": "apply", "new_name": "x"}, "invalid_arguments", "path is missing"),
        ({**PLACE, "take": "everything"}, "invalid_arguments", "everything is none of the choices"),
        ({"action": "undo", "edit_id": "x", "take": "all"}, "invalid_arguments", "take doesn't go with action=undo"),
        ({"action": "undo", "edit_id": "../x"}, "refused", "no edit"),
        ({"action": "rename"}, "invalid_arguments", "action 'rename'"),
    ],
)
def test_bad_input_is_told_with_what_is_allowed(
    proven: Local, repo: Repo, arguments: dict[str, Any], status: str, said: str
) -> None:
    answer = proven.call("rename_symbol", **arguments)
    assert (answer["status"], said in answer["message"]) == (status, True), answer
    assert contents(repo) == OLD


def test_a_change_that_is_missing_or_double_is_told_with_those_that_the_tool_shows(proven: Local) -> None:
    ways = "new_name or to_file or add or remove."
    for change in ({}, {"new_name": "x", "to_file": "y.py"}):
        answer = proven.call("rename_symbol", **{**PLACE, "new_name": None, **change})
        assert (answer["status"], answer["hint"].endswith(ways)) == ("invalid_arguments", True), answer


@pytest.mark.slow
def test_an_answer_keeps_its_bytes_and_says_what_it_left_out(repo: Repo, local: Local) -> None:
    repo.write("notes.md", "".join(f"take {number} {'x' * 90}\n" for number in range(200)))
    project(repo).close()
    local.see(repo.path)
    whole = local.call("rename_symbol", **PLACE, max_bytes=128_000)
    assert len(whole["mentions"]) == 202
    for most in (2_000, 8_000):
        cut = local.call("rename_symbol", **PLACE, max_bytes=most)
        assert size_of(cut) <= most
        kept = len(cut.get("mentions", ()))
        assert cut["leftOut"] == 202 - kept + 5 - len(cut["edits"])
        assert f"{202 - kept} mentions" in cut["warnings"][-1]
        assert cut["places"] == 5
    assert follow(local, cut["nextAction"])["status"] == "ok"


def test_a_codebase_that_is_not_indexed_says_so(repo: Repo, local: Local) -> None:
    repo.write("lease.py", FILES["lease.py"])
    local.see(repo.path)
    answer = local.call("rename_symbol", **PLACE)
    assert (answer["status"], answer["reason"]) == ("not_indexed", "not_indexed")
