"""What a definition was: its commits with their texts, through renames, edits that nobody has committed, and limits."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import NotIndexedError, UsageError
from cairn.codebase.codebase import Codebase
from cairn.codebase.past import Past
from cairn.workspace.pastlines import lines_before
from tests.team.samples import done
from tests.trees import Repo

ONE = "def wade(river):\n    return river.depth < 1\n"
TWO = "def wade(river):\n    return river.depth < 2\n"
REST = "\n\ndef fly(sky):\n    return sky\n"


@pytest.fixture
def repo(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A definition that was made, changed, moved to another file, and pushed down."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.setenv("CAIRN_HOME", str(tmp_path / "home"))
    repo = Repo.create(tmp_path / "repo")
    repo.write("heron.py", ONE + REST)
    repo.commit("made")
    repo.write("heron.py", TWO + REST)
    repo.commit("changed")
    repo.git("mv", "heron.py", 'a "b"\té.py')
    repo.commit("moved")
    repo.write('a "b"\té.py', "# Herons.\n\n" + TWO + REST)
    repo.commit("pushed down")
    return repo


def past(repo: Repo, target: str, limit: int = 20, back: int = 100) -> tuple[Past, list[str]]:
    with Codebase(str(repo.path)) as codebase:
        codebase.index()
        answer = codebase.insight.past(codebase.detector.git, target, limit, back)
        return answer.value, [note.code for note in answer.notes]


def test_each_commit_that_changed_it_has_its_text(repo: Repo) -> None:
    found, notes = past(repo, "wade")
    assert (found.name, found.start_line, found.end_line, found.text, found.uncommitted) == ("wade", 3, 4, TWO, False)
    assert [(each.subject, each.path, each.change, each.text) for each in found.commits] == [
        ("changed", "heron.py", "changed", TWO),
        ("made", "heron.py", "added", ONE),
    ]
    assert found.commits[0].diff == "-    return river.depth < 1\n+    return river.depth < 2"
    assert (found.commits[0].added, found.commits[0].removed, found.commits[0].start_line) == (1, 1, 1)
    assert notes == []


@pytest.mark.slow
def test_what_is_not_committed_is_told_and_what_was_is_found(repo: Repo) -> None:
    repo.write(
        'a "b"\té.py', "# Herons.\n# And more.\n\n" + TWO.replace("2", "3") + REST + "\n\ndef new():\n    pass\n"
    )
    found, _ = past(repo, "wade")
    assert found.uncommitted
    assert [each.subject for each in found.commits] == ["changed", "made"]
    found, _ = past(repo, "fly")
    assert (found.uncommitted, [each.subject for each in found.commits]) == (False, ["made"])
    found, _ = past(repo, "new")
    assert (found.uncommitted, found.commits) == (True, ())


@pytest.mark.slow
def test_limits_are_told_and_can_be_lifted(repo: Repo) -> None:
    found, notes = past(repo, "wade", limit=1)
    assert ([each.subject for each in found.commits], notes) == (["changed"], ["commits_cut"])
    found, notes = past(repo, "wade", back=3)
    assert ([each.subject for each in found.commits], notes) == (["changed"], ["looked_back"])


@pytest.mark.slow
def test_lines_and_places_are_asked_like_names(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(repo.path)
    done("index")
    named, place, lines = (
        done("history", target)["commits"] for target in ("wade", 'a "b"\té.py:4', 'a "b"\té.py:3-4')
    )
    assert named == place == lines
    assert [each["subject"] for each in done("history", "wade", "--at", "HEAD~3")["commits"]] == ["made"]


def told(repo: Repo, target: str) -> tuple[list[tuple[str, str, str]], list[str]]:
    found, notes = past(repo, target)
    return [(each.subject, each.change, each.text) for each in found.commits], notes


@pytest.fixture
def bare(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    return Repo.create(tmp_path / "bare")


def test_what_stood_there_before_a_definition_is_not_its_past(bare: Repo) -> None:
    """Lines alone go on into the function whose place it took."""
    bare.write("a.py", "def swim(lake):\n    first(lake)\n    second(lake)\n")
    bare.commit("another")
    bare.write("a.py", "def wade(river):\n    one(river)\n    two(river)\n    three(river)\n")
    bare.commit("made")
    assert told(bare, "wade") == ([("made", "added", (bare.path / "a.py").read_text())], [])


def test_a_definition_is_followed_to_the_file_and_the_name_that_it_had(bare: Repo) -> None:
    old = "def swim(lake):\n    first(lake)\n    second(lake)\n    third(lake)\n"
    bare.write("a.py", old + "\n\ndef fly():\n    pass\n")
    bare.commit("made")
    bare.write("a.py", old.replace("swim", "wade") + "\n\ndef fly():\n    pass\n")
    bare.commit("renamed")
    bare.write("a.py", "def fly():\n    pass\n")
    bare.write("b.py", "# Waders.\n\n" + old.replace("swim", "wade"))
    bare.commit("moved")
    bare.write("b.py", "# Waders.\n\n" + old.replace("swim", "stride"))
    expected = [("moved", "moved"), ("renamed", "renamed"), ("made", "added")]
    for target in ("stride", "b.py:4"):
        found, _ = told(bare, target)
        assert [each[:2] for each in found] == expected
    assert [each[2] for each in found] == [old.replace("swim", "wade")] * 2 + [old]


def test_a_definition_that_went_elsewhere_in_its_file_goes_on(bare: Repo) -> None:
    wade, fly = "def wade(river):\n    one(river)\n    two(river)\n", "def fly(sky):\n    up(sky)\n    down(sky)\n"
    bare.write("a.py", f"{wade}\n\n{fly}\n\nX = 1\nY = 2\nZ = 3\n")
    bare.commit("made")
    bare.write("a.py", f"{fly}\n\nX = 1\nY = 2\nZ = 3\n\n\n{wade}")
    bare.commit("to the end")
    found, _ = told(bare, "wade")
    assert [each[:2] for each in found] == [("to the end", "changed"), ("made", "added")]


@pytest.mark.slow
def test_a_shallow_clone_does_not_know_what_its_first_commit_changed(repo: Repo, tmp_path: Path) -> None:
    repo.git("clone", "-q", "--depth", "1", f"file://{repo.path}", str(tmp_path / "clone"))
    assert told(Repo(tmp_path / "clone"), "wade") == ([], ["history_shallow"])


@pytest.mark.slow
def test_other_definitions_of_the_name_are_told(repo: Repo) -> None:
    repo.write("other.py", "class Otter:\n    def wade(self):\n        pass\n")
    repo.commit("another")
    found, notes = past(repo, "wade")
    assert (found.name, notes) == ("wade", ["one_of_several"])
    assert past(repo, "Otter.wade")[1] == []


@pytest.mark.slow
def test_a_name_may_hold_a_line_break(bare: Repo) -> None:
    bare.write("a\nb.py", ONE)
    bare.commit("made")
    bare.write("a\nb.py", TWO)
    bare.commit("changed")
    found, _ = past(bare, "wade")
    assert [(each.path, each.change, each.text) for each in found.commits] == [
        ("a\nb.py", "changed", TWO),
        ("a\nb.py", "added", ONE),
    ]


@pytest.mark.slow
def test_a_former_secret_is_shown_to_nobody(repo: Repo) -> None:
    repo.write(".env", "HERON = 1\nOTTER = 2\nIBIS = 3\n")
    repo.git("add", "-f", ".env")
    repo.commit("a secret")
    repo.git("mv", ".env", "plain.py")
    repo.commit("no secret any more")
    repo.write("plain.py", "HERON = 1\nOTTER = 4\nIBIS = 3\n")
    repo.commit("edited")
    found, notes = past(repo, "plain.py:1-3")
    assert ([each.subject for each in found.commits], notes) == (["edited"], ["history_secret"])


@pytest.mark.slow
@pytest.mark.parametrize("target", ["heron.py:1-2", 'a "b"\té.py:4-3', 'a "b"\té.py:1-99', "gone"])
def test_what_is_not_there_is_told(target: str, repo: Repo) -> None:
    with pytest.raises((UsageError, NotIndexedError)):
        past(repo, target)


LINES = st.lists(st.sampled_from("abcdef"), min_size=1, max_size=12)


@given(LINES, LINES, st.data())
def test_lines_that_stayed_are_found_where_they_were(old: list[str], new: list[str], data: st.DataObject) -> None:
    """Whatever is kept of the lines is among those of before, and nothing beyond both texts is."""
    first = data.draw(st.integers(1, len(new)))
    last = data.draw(st.integers(first, len(new)))
    were = lines_before(old, new, first, last)
    if were is not None:
        assert 1 <= were[0] <= were[1] <= len(old)
    if old == new:
        assert were == (first, last)


def test_lines_below_an_insertion_move_with_it() -> None:
    old, new = ["a", "b", "c", "d"], ["x", "y", "a", "b", "z", "d"]
    assert lines_before(old, new, 3, 4) == (1, 2)
    assert lines_before(old, new, 5, 6) == (3, 4)
    assert lines_before(old, new, 1, 2) is None
