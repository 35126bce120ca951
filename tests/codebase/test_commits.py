"""A search of the past: what commits say and changed, narrowed, page by page, and what of it nobody is given."""

from datetime import datetime, time
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import DeadlineError, UsageError
from cairn.codebase.commits import CHANGES, MESSAGES, CommitRequest, find_commits, pathspecs_of, seconds_of
from cairn.search.pattern import parse_literal, parse_regex
from cairn.workspace.beneath import Beneath
from cairn.workspace.commits import CommitsMeant
from cairn.workspace.git import Git
from tests.trees import Repo

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def past(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """A repository with a past: odd names, a rename, a secret, lines that look like heads."""
    repo = Repo.create(tmp_path_factory.mktemp("past") / "repo")
    repo.write("src/a.py", "def first():\n    return token\n")
    repo.write(".env", "token = 1\n")
    repo.write("token.py", "x = 1\nLOUD = 1\n")
    repo.commit("Begin")
    repo.write("src/a.py", "def first():\n    return other\n")
    repo.write('odd "ü\tname.py', "token\n")
    repo.commit("Take the token away\n\nIt was never a Token.")
    repo.git("mv", "src/a.py", "src/b.py")
    repo.write("notes.md", "-- a/token\n++ b/token\n@@ -1 +1 @@\n")
    repo.commit("Move")
    repo.write("notes.md", "++ b/token\n")
    (repo.path / "token.py").unlink()
    repo.write("id.txt", "-----BEGIN RSA PRIVATE KEY-----\ntoken\n")
    repo.commit("Less")
    return repo


def found(repo: Repo, text: str, **given: Any) -> list[tuple[str, list[str], list[tuple[str, str, int, str]]]]:
    parse = parse_regex if given.pop("regex", False) else parse_literal
    pattern = parse(text, ignore_case=given.pop("ignore_case", False))
    with Beneath(str(repo.path)) as tree:
        commits, _ = find_commits(Git(str(repo.path)), tree, CommitRequest(pattern, **given))
    return [
        (
            each.subject,
            list(each.message),
            [(file.path, line.sign, line.line, line.text) for file in each.files for line in file.lines],
        )
        for each in commits.items
    ]


def test_messages_and_changed_lines_are_searched_and_secrets_never(past: Repo) -> None:
    assert found(past, "token") == [
        ("Less", [], [("notes.md", "-", 1, "-- a/token")]),
        ("Move", [], [("notes.md", "+", 1, "-- a/token"), ("notes.md", "+", 2, "++ b/token")]),
        (
            "Take the token away",
            ["Take the token away"],
            [('odd "ü\tname.py', "+", 1, "token"), ("src/a.py", "-", 2, "    return token")],
        ),
        ("Begin", [], [("src/a.py", "+", 2, "    return token")]),
    ]
    assert found(past, "Begin", look_in=(CHANGES,)) == []
    # What git takes for an expression is none, and the name of a file is none of its lines.
    assert [lines for _, _, lines in found(past, "-1 +1")] == [
        [("notes.md", "-", 3, "@@ -1 +1 @@")],
        [("notes.md", "+", 3, "@@ -1 +1 @@")],
    ]
    assert [lines for _, _, lines in found(past, "x = 1")] == [
        [("token.py", "-", 1, "x = 1")],
        [("token.py", "+", 1, "x = 1")],
    ]
    assert [said for said, _, _ in found(past, "never", look_in=(MESSAGES,))] == ["Take the token away"]


def test_an_expression_is_that_of_every_other_search(past: Repo) -> None:
    assert found(past, r"return (?:other|none)\b", regex=True)[0][2] == [("src/a.py", "+", 2, "    return other")]
    assert len(found(past, "TOKEN", ignore_case=True)) == 4
    assert len(found(past, "loud", ignore_case=True)) == 2
    assert found(past, "TOKEN") == []
    assert [said for said, _, _ in found(past, r"^\W\W [ab]/t", regex=True)] == ["Less", "Move"]
    with pytest.raises(UsageError, match="can't be read"):
        found(past, "(", regex=True)


def test_the_past_is_narrowed(past: Repo) -> None:
    def subjects(**narrowed: Any) -> list[str]:
        return [said for said, _, _ in found(past, "token", meant=CommitsMeant(**narrowed))]

    assert subjects(pathspecs=pathspecs_of((), ("*.md",))) == ["Less", "Move"]
    assert subjects(pathspecs=pathspecs_of((), ("src/", "!*.md"))) == ["Take the token away", "Begin"]
    assert subjects(pathspecs=pathspecs_of(("src",), ())) == ["Take the token away", "Begin"]
    assert subjects(author="zz") == []
    assert len(subjects(author="a")) == 4
    assert subjects(after=seconds_of("2100-01-01", time.min)) == []
    today = f"{datetime.now():%Y-%m-%d}"
    assert len(subjects(after=seconds_of(today, time.min), before=seconds_of(today, time.max))) == 4
    assert subjects(before=seconds_of(today, time.min)) == []
    for wrong in ("yesterday", "2026-13-01", "--all", "0001-01-01"):
        with pytest.raises(UsageError, match="is no day"):
            seconds_of(wrong, time.min)
    for meant in (CommitsMeant(author="a\0b"), CommitsMeant(pathspecs=("a\0b",))):
        with pytest.raises(UsageError, match="no NUL"):
            found(past, "token", meant=meant)


def test_pages_follow_each_other_and_limits_tell_what_lifts_them(past: Repo) -> None:
    with Beneath(str(past.path)) as tree:

        def page(**given: Any) -> Any:
            return find_commits(Git(str(past.path)), tree, CommitRequest(parse_literal("token"), **given))

        first, notes = page(limit=1)
        assert ([each.subject for each in first.items], first.looked_at, first.more) == (["Less"], 1, True)
        assert [(note.code, note.lift and note.lift.parameter) for note in notes] == [("commits_cut", "limit")]
        second, _ = page(limit=2, skip=first.looked_at, head=first.head)
        assert [each.subject for each in second.items] == ["Move", "Take the token away"]
        last, notes = page(skip=second.looked_at, head=first.head)
        assert ([each.subject for each in last.items], last.looked_at, last.more, notes) == (["Begin"], 4, False, ())
        near, notes = page(back=2)
        assert (len(near.items), near.looked_at, near.more) == (2, 2, True)
        assert [(note.code, note.lift and note.lift.value) for note in notes] == [("looked_back", 20)]
        few, _ = page(lines=1)
        assert [(len(file.lines), file.total) for file in few.items[1].files] == [(1, 2)]


def test_nothing_that_a_repository_names_is_run_and_its_settings_change_nothing(past: Repo, tmp_path: Path) -> None:
    before = found(past, "token")
    ran = tmp_path / "ran"
    program = f"touch {ran};"
    (past.path / ".git/info/attributes").write_text("* diff=odd\n", encoding="utf-8")
    settings = {"diff.external": program, "diff.odd.command": program, "diff.odd.textconv": program}
    settings |= {"gpg.program": program, "log.showSignature": "true", "color.ui": "always", "diff.noprefix": "true"}
    settings |= {"log.showRoot": "false", "diff.context": "9", "diff.interHunkContext": "9", "log.diffMerges": "on"}
    for name, value in settings.items():
        past.git("config", name, value)
    assert found(past, "token") == before
    assert not ran.exists()


def test_an_expression_that_never_ends_is_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cairn.codebase.commits._PATIENCE_S", 0.2)
    repo = Repo.create(tmp_path / "repo")
    repo.write("a.txt", "a" * 40 + "!\n")
    repo.commit()
    with pytest.raises(DeadlineError, match="too long"):
        found(repo, r"(a+)+\1$", regex=True)


def test_before_the_first_commit_there_is_nothing(tmp_path: Path) -> None:
    assert found(Repo.create(tmp_path / "repo"), "token") == []
