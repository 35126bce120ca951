"""What a change reaches, as a comment and as a log for code hosts; names and paths of the repository are data there."""

import json

from cairn.questions.question import Document
from cairn.questions.review_text import markdown, sarif


def _user(path: str = "a b.py", name: str = "caller", *, distance: int = 1, of: str = "gone") -> Document:
    reason = "removed, still used"
    return {"path": path, "name": name, "reason": reason, "distance": distance, "of": of, "line": 3}


def _document(**own: object) -> Document:
    changed = {"path": "m.py", "name": "new", "former": "gone", "change": "renamed", "line": 7, "still_used": 1}
    test = {"path": "tests/t.py", "how": "uses", "reasons": [{"how": "uses", "of": "gone"}]}
    document: Document = {"snapshot_id": "01SNAP", "changed_files": ["m.py"], "removed_files": [], "symbols": [changed]}
    document |= {"users": [_user(), _user("far.py", "far", distance=2, of="caller")], "tests": [test]}
    return document | {"warnings": ["there is more"], "limits_hit": ["nodes"]} | own


def test_a_comment_tells_what_breaks_who_uses_it_and_which_tests_to_run() -> None:
    text = markdown(_document())
    assert "1 changed definition, 2 users, 1 test file." in text
    broken, used = text.split("Removed but still used (1)")[1].split("<details>", 1)
    assert "- `caller` at `a b.py:3` uses `gone`" in broken
    assert "renamed `new` at `m.py:7`, was `gone`, still used 1 time" in used
    assert "- `far.py`: `far`, 2 steps away" in used
    assert "- `tests/t.py`: uses `gone`" in used
    assert "> there is more" in text
    assert "`01SNAP`" in text


def test_a_comment_says_what_it_leaves_out_and_stays_within_what_hosts_take() -> None:
    users = [_user(f"{'d' * 300}/{at}.py", "n" * 400) for at in range(2000)]
    text = markdown(_document(users=users))
    assert "- and 1970 more, left out of this report" in text
    assert len(text) < 65_536


def test_nothing_differs() -> None:
    nothing = _document(symbols=[], users=[], tests=[], changed_files=[], warnings=[])
    assert "Nothing that is indexed differs." in markdown(nothing)


def test_names_of_the_repository_end_no_span_and_begin_no_markup() -> None:
    hostile = "x`</summary><img src=y>``\n# heading @team"
    lines = markdown(_document(users=[_user(hostile, hostile)])).splitlines()
    row = next(line for line in lines if "img" in line)
    spans = row.split("``` ")[1::2]
    assert len(spans) == row.count("<img") == 2
    assert all("img" in span for span in spans)
    assert not any(line.startswith("# heading") for line in lines)


def test_a_log_names_the_lines_and_keeps_its_limits() -> None:
    log = json.loads(sarif(_document()))
    assert log["version"] == "2.1.0"
    run = log["runs"][0]
    found = {each["ruleId"]: each for each in run["results"]}
    assert {name: each["level"] for name, each in found.items()} == {
        "removed-still-used": "warning",
        "uses-what-changed": "note",
        "test-to-run": "note",
    }
    place = found["removed-still-used"]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "a%20b.py", "uriBaseId": "SRCROOT"}
    assert place["region"] == {"startLine": 3}
    assert {rule["id"] for rule in run["tool"]["driver"]["rules"]} == set(found)
    assert run["invocations"][0]["toolExecutionNotifications"][0]["message"]["text"] == "there is more"
    assert run["properties"] == {"snapshot": "01SNAP", "limits_hit": ["nodes"]}
