"""A rename from the question to the written files: proven, asked about or refused, and never half done."""

import contextlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from cairn.base.errors import ContentChangedError, NotIndexedError, RefusedError, UsageError
from cairn.base.values import replace
from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from cairn.edit.editor import Editor, Planned
from cairn.edit.gate.draft import EditInputs, rename_draft
from cairn.edit.journal import Journal
from cairn.edit.plans import TTL_S, Plans
from cairn.edit.source.files import name_at
from cairn.edit.source.values import RENAME, EditDraft
from tests.edit.conftest import Make
from tests.edit.samples import (
    FILES,
    HEAD,
    MARKS,
    PLACE,
    UNTYPED,
    USER,
    asked,
    contents,
    editor,
    places,
    tell,
)
from tests.graph.test_without_parsing import without_parsers
from tests.named import source
from tests.semantic.facts import publish
from tests.trees import Repo

ALL = ["lease.py:1:5", "lease.py:6:12", "lease.py:6:23", "user.py:1:19", "user.py:5:20"]


def planned(codebase: Codebase, new: str = "acquire") -> Planned:
    return Renaming(codebase).plan(*PLACE, new)


def plan_id(found: Planned) -> str:
    assert found.plan is not None
    return found.plan.id


@pytest.mark.slow
@pytest.mark.requirement("GATE.1")
def test_what_is_clean_and_certain_passes_with_every_place_and_prose_is_only_told(make: Make, repo: Repo) -> None:
    codebase = make()
    before = contents(repo)
    found = planned(codebase)
    assert (found.draft.status, found.draft.reasons, found.draft.opened) == ("ok", (), ())
    assert places(found) == ALL
    assert {spot.provenance for spot in found.spots} == {"semantic", "syntactic"}  # a definition proves itself
    assert {"lease.py", "user.py"} <= set(found.draft.hashes)
    assert [(each.path, each.column, each.tier) for each in found.draft.mentions] == [
        ("README.md", 6, "high"),
        ("README.md", 15, "medium"),
    ]
    assert contents(repo) == before
    with codebase.view() as view:
        assert found.snapshot_id == view.snapshot_id


@pytest.mark.slow
@pytest.mark.requirement("OCC.1")
def test_a_rename_by_semantic_facts_parses_no_file_of_the_snapshot(
    make: Make, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    codebase = make()
    before = planned(codebase).draft
    # What is written is in no snapshot yet: only that is parsed, when the index takes it in.
    monkeypatch.setattr(Renaming, "_follow_up", lambda *_: ((), ()))
    without_parsers(monkeypatch)
    found = planned(codebase)
    assert (found.draft, found.draft.status) == (before, "ok")
    Renaming(codebase).apply(plan_id(found))
    assert contents(repo)["lease.py"] != FILES["lease.py"].encode()


@pytest.mark.slow
@pytest.mark.requirement("GATE.3")
def test_applying_changes_the_planned_bytes_only_and_leaves_the_files_dirty_with_a_refresh(
    make: Make, repo: Repo
) -> None:
    codebase = make()
    done = Renaming(codebase).apply(plan_id(planned(codebase)))
    expected = {path: text.encode() for path, text in FILES.items()}
    expected["lease.py"] = expected["lease.py"].replace(b"take", b"acquire")
    expected["user.py"] = expected["user.py"].replace(b"take", b"acquire")
    assert contents(repo) == expected
    assert done.notes == ()
    (job,) = codebase.refreshing.queue.all()
    assert (done.jobs, job.reason) == ((job.id,), "rename")
    assert job.scope.files == {"lease.py", "user.py"}
    for path in ("lease.py", "user.py"):
        assert codebase.insight.file_standing(path).value.state.freshness == "dirty"


@pytest.mark.slow
@pytest.mark.requirement("GATE.3")
def test_any_place_of_the_name_asks_for_the_same(make: Make) -> None:
    codebase = make()
    for place in (("lease.py", 6, 12), ("lease.py", 6, 16), ("user.py", 1, 19), ("user.py", 5, 22)):
        assert places(Renaming(codebase).plan(*place, "acquire")) == ALL


@pytest.mark.slow
def test_a_plan_is_applied_once_and_an_undo_gives_all_back(make: Make, repo: Repo) -> None:
    codebase = make()
    before = contents(repo)
    renaming = Renaming(codebase)
    found = planned(codebase)
    done = renaming.apply(plan_id(found))
    with pytest.raises(RefusedError, match="no plan"):
        renaming.apply(plan_id(found))
    renaming.undo(done.applied.written.id)
    assert contents(repo) == before
    assert planned(codebase).draft.status == "ok"
    with pytest.raises(RefusedError, match="no edit"):
        renaming.undo(done.applied.written.id)


def edit(repo: Repo, codebase: Codebase) -> None:
    repo.write("user.py", USER + "\r\n# mine\r\n")


def edit_and_sync(repo: Repo, codebase: Codebase) -> None:
    edit(repo, codebase)
    codebase.index()


def remove(repo: Repo, codebase: Codebase) -> None:
    (repo.path / "user.py").unlink()


def new_user(repo: Repo, codebase: Codebase) -> None:
    repo.write("newer.py", "from lease import take\ntake(3)\n")


def new_text(repo: Repo, codebase: Codebase) -> None:
    repo.write("setup.cfg", "[options.entry_points]\ncall = lease:take\n")


def new_file_of_the_new_name(repo: Repo, codebase: Codebase) -> None:
    repo.write("user.py", USER + "acquire = 1\r\n")


def move_head(repo: Repo, codebase: Codebase) -> None:
    repo.commit()


@pytest.mark.slow
@pytest.mark.requirement("GATE.3")
@pytest.mark.parametrize(
    ("happens", "decided"),
    [
        (edit, False),
        (edit, True),
        (edit_and_sync, False),
        (remove, False),
        (new_user, False),
        (new_user, True),
        (new_text, False),
        (new_file_of_the_new_name, False),
        (move_head, False),
        (move_head, True),
    ],
)
def test_what_happens_between_plan_and_apply_stops_it_and_nothing_is_written(
    make: Make, repo: Repo, happens: Callable[[Repo, Codebase], None], decided: bool
) -> None:
    codebase = make({"later.py": UNTYPED} if decided else {}, {**MARKS, "later.py": {}} if decided else MARKS)
    found = planned(codebase)
    if decided:
        found = Renaming(codebase).decide(f"{plan_id(found)}:code")
    happens(repo, codebase)
    before = contents(repo)
    with pytest.raises(ContentChangedError):
        Renaming(codebase).apply(plan_id(found))
    assert contents(repo) == before
    assert Renaming(codebase).edits() == ()


def test_a_draft_that_would_now_change_other_places_than_it_showed_is_not_written(
    make: Make, repo: Repo, monkeypatch: pytest.MonkeyPatch
) -> None:
    codebase = make()
    found, before = planned(codebase), contents(repo)

    def fewer(*given: Any) -> EditDraft:
        whole = rename_draft(*given)
        return replace(whole, spots=whole.spots[:-1])

    monkeypatch.setattr("cairn.edit.editor.KINDS", {RENAME: fewer})
    with pytest.raises(ContentChangedError, match="other places now"):
        Renaming(codebase).apply(plan_id(found))
    assert contents(repo) == before


@pytest.mark.slow
def test_what_has_no_bearing_on_it_does_not_stop_it(make: Make, repo: Repo) -> None:
    codebase = make()
    found = planned(codebase)
    repo.write("notes.md", "How to take a lease.\n")
    repo.write("apart.go", "package apart\n\nfunc take() {}\n")
    assert Renaming(codebase).apply(plan_id(found)).applied.written.state == "applied"
    assert b"take" in contents(repo)["apart.go"]


@pytest.mark.slow
@pytest.mark.requirement("GATE.1")
def test_a_use_that_nobody_resolved_is_asked_about_and_each_choice_does_what_it_says(make: Make, repo: Repo) -> None:
    settings = '{"run": "lease:take"}\n'
    codebase = make({"later.py": UNTYPED, "run.json": settings}, {**MARKS, "later.py": {}})
    found = planned(codebase)
    assert (found.draft.status, found.applicable) == ("needs_decision", False)
    assert [(each.path, each.line, each.why, each.choice) for each in found.draft.opened] == [
        ("later.py", 2, "unresolved_use", "code"),
        ("run.json", 1, "qualified_text", "strings"),
    ]
    assert [(each.choice, len(each.spots)) for each in found.draft.candidates] == [
        ("proven", 5),
        ("code", 6),
        ("all", 7),
        ("docs", 1),
    ]
    with pytest.raises(RefusedError, match="needs_decision: nothing was written"):
        Renaming(codebase).apply(plan_id(found))
    expected = {"proven": (UNTYPED, settings)}
    expected["code"] = (UNTYPED.replace("take", "acquire"), settings)
    expected["all"] = (expected["code"][0], settings.replace("take", "acquire"))
    for choice, (later, run) in expected.items():
        renaming = Renaming(codebase)
        decided = renaming.decide(f"{plan_id(planned(codebase))}:{choice}")
        assert decided.applicable
        done = renaming.apply(plan_id(decided))
        assert contents(repo)["later.py"].decode() == later
        assert contents(repo)["run.json"].decode() == run
        assert b"take" not in contents(repo)["lease.py"]
        renaming.undo(done.applied.written.id)


@pytest.mark.slow
@pytest.mark.requirement("GATE.2")
def test_a_decision_is_offered_again_only_in_the_same_situation_and_applies_nothing_by_itself(
    make: Make, repo: Repo
) -> None:
    codebase = make({"later.py": UNTYPED}, {**MARKS, "later.py": {}})
    before = contents(repo)
    assert planned(codebase).offered == ""
    Renaming(codebase).decide(f"{plan_id(planned(codebase))}:code")
    again = planned(codebase)
    assert (again.draft.status, again.offered, again.applicable) == ("needs_decision", "code", False)
    assert contents(repo) == before
    with pytest.raises(RefusedError, match="needs_decision"):
        Renaming(codebase).apply(plan_id(again))
    # Another name is another question, and its plan is built anew: it writes that name.
    other = planned(codebase, "obtain")
    assert other.offered == ""
    decided = Renaming(codebase).decide(f"{plan_id(other)}:code")
    done = Renaming(codebase).apply(plan_id(decided))
    assert b"thing.obtain()" in contents(repo)["later.py"]
    Renaming(codebase).undo(done.applied.written.id)
    assert planned(codebase).offered == "code"
    repo.write("later.py", UNTYPED + "\n")
    codebase.index()
    tell(codebase, {**MARKS, "later.py": {}})
    assert planned(codebase).offered == ""
    repo.write("later.py", UNTYPED)
    codebase.index()
    tell(codebase, {**MARKS, "later.py": {}})
    assert planned(codebase).offered == "code"
    repo.commit()
    assert planned(codebase).offered == ""


@pytest.mark.slow
@pytest.mark.requirement("GATE.2")
@pytest.mark.parametrize("late", [TTL_S, TTL_S + 1, -1.0])
def test_a_plan_lives_five_minutes_by_its_clock(make: Make, repo: Repo, late: float) -> None:
    codebase = make()
    now = 1000.0
    it = editor(codebase, lambda: now)
    found = it.plan(asked("acquire"))
    before = contents(repo)
    now += late
    with pytest.raises(RefusedError, match="too old"):
        it.apply(plan_id(found))
    assert contents(repo) == before
    now = 1000.0 + TTL_S - 1
    assert it.apply(plan_id(found)).written.state == "applied"


@pytest.mark.slow
def test_a_choice_that_there_is_not_names_those_that_there_are(make: Make) -> None:
    codebase = make({"later.py": UNTYPED}, {**MARKS, "later.py": {}})
    found = planned(codebase)
    renaming = Renaming(codebase)
    with pytest.raises(UsageError, match="none of the choices") as caught:
        renaming.decide(f"{plan_id(found)}:everything")
    assert "proven, likely, code, all, docs" in caught.value.hint
    for wrong in ("", ":", "code", "01M7F8GZS54W2Q91PK3EY6K97D:code", "../x:code"):
        with pytest.raises(RefusedError, match="no plan"):
            renaming.decide(wrong)


@pytest.mark.slow
def test_a_name_that_can_not_be_given_is_refused_with_why(make: Make) -> None:
    codebase = make()
    for new, why in (
        ("take", "called so already"),
        ("for", "keyword"),
        ("None", "keyword"),
        ("a b", "no identifier"),
        ("1x", "no identifier"),
        ("", "no identifier"),
        ("x" * 201, "more than 200"),
        ("use", "uses use already"),
        ("key", "uses key already"),
    ):
        found = planned(codebase, new)
        assert (found.draft.status, found.plan) == ("refused", None)
        assert why in found.draft.reasons[0]


@pytest.mark.slow
def test_a_place_that_names_nothing_is_told(make: Make) -> None:
    renaming = Renaming(make())
    with pytest.raises(UsageError, match="no line 99"):
        renaming.plan("lease.py", 99, 1, "x")
    with pytest.raises(UsageError, match="no name"):
        renaming.plan("lease.py", 3, 1, "x")
    with pytest.raises(NotIndexedError):
        renaming.plan("nosuch.py", 1, 1, "x")
    with pytest.raises(UsageError):
        renaming.plan("../lease.py", 1, 1, "x")


def test_a_byte_order_mark_is_no_part_of_the_name_behind_it() -> None:
    marked = source("a.py", "python", b"\xef\xbb\xbfsize = 1\nsize\n")
    assert [name_at(marked, 1, 4), name_at(marked, 2, 1)] == [("size", 3), ("size", 0)]
    with pytest.raises(UsageError, match="no name"):
        name_at(marked, 1, 2)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("place", "told"),
    [
        (("user.py", 1, 1), "no name at user.py:1:1"),
        (("user.py", 1, 13), "no name at user.py:1:13"),
        (("lease.py", 2, 5), "no name at lease.py:2:5"),
        (("lease.py", 1, 99), "has no column 99"),
        (("lease.py", 1, 0), "has no column 0"),
        (("lease.py", 3, 2), "has no column 2"),
        (("lease.py", 99, 1), "has no line 99"),
    ],
)
def test_a_word_of_the_language_or_a_place_that_there_is_not_is_no_name(
    make: Make, place: tuple[str, int, int], told: str
) -> None:
    with pytest.raises(UsageError, match=told):
        Renaming(make()).plan(*place, "acquire")


@pytest.mark.slow
def test_a_name_at_the_very_start_of_a_file_is_not_its_module(make: Make) -> None:
    kept = HEAD + "kept/take."
    codebase = make({"kept.py": "take = 1\nprint(take)\n"}, {**MARKS, "kept.py": {"!take": kept, "take@2": kept}})
    files = {
        "kept.py": [
            (1, 0, 1, 0, HEAD + "kept/__init__:", 1),
            (1, 0, 1, 4, kept, 1),
            (2, 6, 2, 10, kept, 0),
        ]
    }
    publish(codebase, "python:.", files, keep=["lease.py", "user.py"])
    found = Renaming(codebase).plan("kept.py", 1, 1, "acquire")
    assert (found.draft.status, places(found)) == ("ok", ["kept.py:1:1", "kept.py:2:7"])


@pytest.mark.slow
@pytest.mark.requirement("GATE.3")
def test_an_edit_right_after_the_last_look_at_the_facts_stops_it_and_nothing_is_written(make: Make, repo: Repo) -> None:
    codebase = make()
    renaming = Renaming(codebase)
    plan = plan_id(planned(codebase))

    @contextlib.contextmanager
    def ground() -> Iterator[EditInputs]:
        with renaming._ground() as found:
            yield found
        edit(repo, codebase)

    layout, tree = codebase.store().layout, codebase.detector.tree
    late = Editor(tree, Plans(layout), Journal(layout, tree), ground, renaming._head)
    with pytest.raises(ContentChangedError, match=r"user.py was changed since"):
        late.apply(plan)
    assert contents(repo) == {path: text.encode() for path, text in FILES.items()} | {
        "user.py": (USER + "\r\n# mine\r\n").encode()
    }


@pytest.mark.slow
@pytest.mark.requirement("GATE.1")
@pytest.mark.requirement("REN.20")
def test_what_is_open_in_files_that_changed_says_what_to_refresh_and_can_be_taken_all_the_same(
    make: Make, repo: Repo
) -> None:
    codebase = make({"later.py": UNTYPED}, {**MARKS, "later.py": {}})
    repo.write("user.py", USER + "\r\n")  # Nothing is open there: what it means is proven without facts.
    assert planned(codebase).draft.witness is not None
    repo.write("later.py", UNTYPED + "\n")
    found = planned(codebase)
    assert (found.draft.status, found.applicable) == ("blocked", False)
    assert found.draft.witness is not None
    assert found.draft.witness.refresh.files == {"later.py"}
    assert [each.choice for each in found.draft.candidates] == ["proven", "code", "docs"]
    Renaming(codebase).apply(plan_id(Renaming(codebase).decide(f"{plan_id(found)}:proven")))
    assert b"take" not in contents(repo)["lease.py"]


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@pytest.mark.requirement("REN.20")
def test_without_facts_a_rename_goes_by_syntactic_proof(make: Make, repo: Repo) -> None:
    loop = "def count(things):\n    return len(things)\n\n\ncount(things=[1])\n"
    codebase = make({"loop.py": loop}, {})
    for place, new in ((PLACE, "acquire"), (("loop.py", 1, 11), "items")):
        found = Renaming(codebase).plan(*place, new)
        assert found.draft.status == "ok_syntactic"
        Renaming(codebase).apply(plan_id(found))
    assert contents(repo)["loop.py"].decode() == loop.replace("things", "items")
    assert b"take" not in contents(repo)["user.py"]


@pytest.mark.slow
def test_a_place_of_which_nothing_is_known_is_refused_with_why(make: Make) -> None:
    found = Renaming(make({"later.py": UNTYPED})).plan("later.py", 2, 18, "acquire")
    assert found.draft.status == "refused"
    assert "nothing in the tree defines take as it is used at later.py:2" in found.draft.reasons[0]


@pytest.mark.slow
@pytest.mark.requirement("REN.21")
def test_an_answer_about_a_construct_settles_it_until_it_changes(make: Make, repo: Repo) -> None:
    reads = "import lease\n\n\ndef of(word):\n    return getattr(lease, word)\n"
    codebase = make({"reads.py": reads})
    renaming = Renaming(codebase)
    found = planned(codebase)
    assert [(each.path, each.line) for each in found.draft.constructs] == [("reads.py", 5)]
    renaming.apply(plan_id(renaming.decide(f"{plan_id(found)}:proven")))
    assert planned(codebase, "obtain").draft.constructs == ()
    repo.write("reads.py", reads.replace("word)\n", "word) or word\n"))
    codebase.index()
    assert len(planned(codebase, "obtain").draft.constructs) == 1


@pytest.mark.slow
@pytest.mark.requirement("REN.21")
def test_an_answer_about_a_decorator_holds_until_the_decorator_changes(make: Make, repo: Repo) -> None:
    keeps = "kept = {}\n\n\ndef keep(given):\n    kept[given.__name__] = given\n    return given\n"
    uses = "from keeps import keep\n\n\n@keep\ndef one():\n    return 1\n\n\n@keep\ndef two():\n    return 2\n"
    codebase = make({"keeps.py": keeps, "uses.py": uses}, {})
    renaming = Renaming(codebase)

    def asked_of(line: int, new: str) -> list[str]:
        return [each.kind for each in renaming.plan("uses.py", line, 5, new).draft.constructs]

    assert asked_of(5, "first") == ["decorated"]
    renaming.apply(plan_id(renaming.plan("uses.py", 5, 5, "first", take="proven")))
    assert asked_of(10, "second") == []
    repo.write("keeps.py", keeps.replace("return given", "return given or given.__name__"))
    codebase.index()
    assert asked_of(10, "second") == ["decorated"]
