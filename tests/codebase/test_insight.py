"""Questions about code: what each answer rests on, what it leaves out, and how it says so."""

import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.base.errors import NotIndexedError, UsageError
from cairn.base.notes import Lift
from cairn.base.values import replace
from cairn.codebase.changing import ChangeInsight
from cairn.codebase.codebase import Codebase
from cairn.codebase.differences import differing
from cairn.graph import references, repomap
from cairn.graph.calls import Limits
from cairn.graph.impact import MAX_CHANGED_FILES
from cairn.graph.outline import walk
from cairn.graph.targets import MAX_TARGET
from cairn.graph.world import World
from cairn.store.manifest import FileError
from cairn.store.used import USED_FILE
from cairn.workspace.git import Git
from tests.notes import said
from tests.trees import Repo, write

pytestmark = pytest.mark.sampled

LEASE = '''"""Leases."""
from src.clock import now


class Lease:
    """Held by one writer."""

    def release(self, force=False):
        epoch = now()
        if force:
            epoch = epoch + 1
        return epoch


def take_over(lease: Lease):
    return lease.release()
'''
CLOCK = "import time\n\n\ndef now():\n    return time.time()\n"
TEST = "from src.lease import Lease, take_over\n\n\ndef test_release():\n    assert take_over(Lease())\n"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def tree(repo: Repo) -> Repo:
    repo.write("src/lease.py", LEASE)
    repo.write("src/clock.py", CLOCK)
    repo.write("tests/test_lease.py", TEST)
    repo.commit()
    return repo


@pytest.fixture
def codebase(tree: Repo) -> Iterator[Codebase]:
    with Codebase(str(tree.path)) as made:
        made.index()
        yield made


@pytest.fixture
def insight(codebase: Codebase) -> ChangeInsight:
    return codebase.insight


def every_answer(codebase: Codebase) -> dict[str, Any]:
    insight = codebase.insight
    return {
        "symbol": insight.symbol("Lease"),
        "references": insight.references("Lease"),
        "callers": insight.calls("now", "callers", Limits(depth=3)),
        "callees": insight.calls("take_over", "callees", Limits(depth=3)),
        "outline": insight.outline("src/lease.py"),
        "map": insight.map(),
        "imports": insight.imports("src/lease.py"),
        "impact": insight.impact(codebase.detector.git, None, ["src/clock.py"]),
        "slice": insight.slice("src/lease.py", 9, "epoch"),
    }


@pytest.mark.requirement("SRCH.1")
def test_every_answer_names_its_snapshot_and_says_how_fresh_it_is(codebase: Codebase) -> None:
    answers = every_answer(codebase)
    with codebase.view() as view:
        assert {told.snapshot_id for told in answers.values()} == {view.snapshot_id}
    assert len({told.request_id for told in answers.values()}) == len(answers)
    for told in answers.values():
        assert told.freshness == {"synced": False, "checked": "cited_files", "moved": False}
        assert said(told) == ()
        assert told.limits_hit == ()
        assert set(told.timings_ms) == {"open", "graph", "check", "total"}
        assert told.cited == tuple(sorted(told.cited)) != ()
    assert codebase.insight.symbol("Lease", synced=True).freshness["checked"] == "tree"


def test_a_cited_file_that_changed_is_said_in_every_answer(tree: Repo, codebase: Codebase) -> None:
    for name, text in (("src/lease.py", LEASE), ("src/clock.py", CLOCK), ("tests/test_lease.py", TEST)):
        tree.write(name, text + "# more\n")
    for name, told in every_answer(codebase).items():
        assert told.changed == set(told.cited), name
        assert told.freshness["moved"], name
        assert any("changed since the snapshot" in warning for warning in said(told)), name


def test_impact_holds_dependants_and_tests_against_the_tree_too(tree: Repo, codebase: Codebase) -> None:
    tree.write("tests/test_lease.py", TEST + "# more\n")
    told = codebase.insight.impact(None, None, ["src/clock.py"])
    assert {test.path for test in told.value.tests} == {"tests/test_lease.py"}
    assert told.changed == {"tests/test_lease.py"}


@pytest.mark.requirement("IDX.MUST.001")
@pytest.mark.parametrize("synced", [False, True])
def test_a_deleted_file_is_in_no_answer(tree: Repo, codebase: Codebase, synced: bool) -> None:
    (tree.path / "src/lease.py").unlink()
    if synced:
        codebase.index()
    insight = codebase.insight
    told: dict[str, Any] = {
        "symbol": insight.symbol("take_over"),
        "references": insight.references("now"),
        "callers": insight.calls("now", "callers", Limits(depth=3)),
        "callees": insight.calls("test_release", "callees"),
        "map": insight.map(),
        "imports of a user": insight.imports("tests/test_lease.py"),
        "imports of one that it used": insight.imports("src/clock.py"),
        "impact": insight.impact(None, None, ["src/clock.py"]),
    }
    for name, answer in told.items():
        assert "src/lease.py" not in answer.cited, name
        assert "src/lease.py" not in repr(answer.value), name
        assert (answer.gone > 0) <= (not synced), name
    if not synced:
        assert said(told["symbol"]) == ("1 file left out: gone since the snapshot",)
        assert told["symbol"].freshness["moved"]
        assert all(told[name].gone == 1 for name in told if name not in ("map",))
    reason = "There is no file" if synced else "is gone since the snapshot"
    for ask in (
        lambda: insight.outline("src/lease.py"),
        lambda: insight.imports("src/lease.py"),
        lambda: insight.symbol("src/lease.py:5"),
        lambda: insight.slice("src/lease.py", 9, "epoch"),
        lambda: insight.impact(None, None, ["src/lease.py"]),
    ):
        with pytest.raises(NotIndexedError, match=reason):
            ask()


@pytest.mark.requirement("MAP.1", "IDX.MUST.001")
def test_a_map_names_no_way_in_and_no_front_that_is_gone(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/__main__.py", "def main():\n    pass\n")
    tree.write("src/__init__.py", "def offered():\n    pass\n")
    codebase.index()
    before = codebase.insight.map().value
    assert before.overview is not None
    assert [item.path for item in before.overview.entry_points] == ["src/__main__.py"]
    assert [path for path, _ in before.api] == ["src/__init__.py"]
    (tree.path / "src/__main__.py").unlink()
    (tree.path / "src/__init__.py").unlink()
    after = codebase.insight.map().value
    assert after.overview is not None
    assert (after.overview.entry_points, after.overview.fronts, after.api) == ((), (), ())


def test_definitions_come_with_ids_that_find_them_again(insight: ChangeInsight) -> None:
    (found,) = insight.symbol("Lease.release").value.definitions
    (own,) = insight.symbol("Lease.release").value.ids
    assert insight.symbol(own).value.definitions == (found,)
    branches = [branch for _, branch in walk(insight.outline("src/lease.py").value.branches)]
    assert own in {branch.id for branch in branches}


def test_overloads_have_ids_of_their_own(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/twice.py", "def twice():\n    return 1\n\n\ndef twice():\n    return 2\n")
    codebase.index()
    told = codebase.insight.symbol("twice").value
    assert len(set(told.ids)) == told.total == 2
    for own, item in zip(told.ids, told.definitions, strict=True):
        assert codebase.insight.symbol(own).value.definitions == (item,)


def test_a_name_as_it_is_written_is_not_mixed_with_other_spellings(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/low.py", "def lease():\n    pass\n\n\ndef user():\n    lease()\n")
    codebase.index()
    insight = codebase.insight
    told = insight.symbol("Lease").value
    assert [item.symbol.name for item in told.definitions] == ["Lease"]
    assert (told.total, told.otherwise) == (1, {"lease": 1})
    assert [item.symbol.name for item in insight.references("Lease").value.definitions] == ["Lease"]
    assert len(insight.calls("Lease", "callers").value.roots) == 1
    assert {item.symbol.name for item in insight.symbol("LEASE").value.definitions} < {"Lease", "lease"}


def test_limits_cut_say_so_and_tell_how_to_get_the_rest(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/many.py", "from src.clock import now\n" + "now()\n" * 20)
    for at in range(5):
        tree.write(f"src/n{at}.py", "def same():\n    pass\n")
    codebase.index()
    insight = codebase.insight
    told = insight.symbol("same", 2)
    assert (len(told.value.definitions), len(told.value.ids), told.value.total) == (2, 2, 5)
    assert told.limits_hit == ("places",)
    assert said(told) == ("only the first 2 of 5 definitions: ask for a narrower name",)
    assert [note.lift for note in told.notes] == [Lift("limit")]
    assert told.cited == ("src/n0.py", "src/n1.py")
    uses = insight.references("now", 3)
    assert (len(uses.value.items), uses.value.total, sum(uses.value.tiers.values())) == (3, 23, 23)
    assert uses.limits_hit == ("places",)
    assert "only the surest 3 of 23 uses" in said(uses)[0]
    assert insight.symbol("same", 5).limits_hit == ()
    graph = insight.calls("now", "callers", Limits(depth=3, nodes=2))
    assert graph.limits_hit == ("nodes",)
    assert [note.lift for note in graph.notes] == [Lift("nodes")]
    graph = insight.calls("now", "callers", Limits(fan_out=1))
    assert graph.limits_hit == ("fan_out",)
    assert [note.lift for note in graph.notes] == [Lift("fan_out")]


def test_more_definitions_of_a_name_than_a_graph_may_have_are_cut(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/many.py", "".join(f"class C{at}:\n    def same(self):\n        return 1\n\n\n" for at in range(9)))
    codebase.index()
    told = codebase.insight.calls("same", "callers", Limits(nodes=4))
    assert told.limits_hit == ("nodes",)
    assert len(told.value.roots) == 4
    assert set(told.value.roots) == {node.id for node in told.value.nodes}
    assert codebase.insight.calls("same", "callers", Limits(nodes=9)).limits_hit == ()


def test_files_that_are_too_many_to_look_at_are_said(insight: ChangeInsight, monkeypatch: pytest.MonkeyPatch) -> None:
    real = references.DefinitionUses
    monkeypatch.setattr(references, "DefinitionUses", lambda *given, **_: real(given[0], given[1], given[2], 1))
    told = insight.references("now")
    assert told.limits_hit == ("files",)
    assert "files that may hold the name were looked at" in said(told)[0]


@pytest.mark.slow
@pytest.mark.parametrize("least", ["files", "places"])
def test_the_surest_are_not_said_to_be_shown_where_not_all_were_seen(
    tree: Repo, codebase: Codebase, monkeypatch: pytest.MonkeyPatch, least: str
) -> None:
    tree.write("src/a.py", "from src.clock import now\n" + "now()\n" * 3)
    codebase.index()
    name, given = ("DefinitionUses", {"max_files": 1}) if least == "files" else ("gathered", {"max_places": 1})
    real = getattr(references, name)

    def bounded(*asked: Any, **own: Any) -> Any:
        return real(*asked[: 3 if least == "files" else 1], **own | given)

    monkeypatch.setattr(references, name, bounded)
    told = codebase.insight.references("now", 1)
    assert least in told.limits_hit
    assert said(told)[0].startswith("only 1 of more than ")


@pytest.mark.requirement("REF.20")
def test_no_uses_and_no_callers_tell_how_much_is_open(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/open.py", "def sail():\n    pass\n\n\ndef rest():\n    pass\n\n\ndef row(x):\n    x.sail()\n")
    tree.write("src/busy.py", "from src.open import row\n\n\nrow(1)\nrow.sail = 2\n")
    codebase.index()
    ask = codebase.insight
    for name, uses, calls in (("sail", 2, 1), ("rest", 0, 0)):
        assert {"code": "no_uses", "open": uses} in [note.document() for note in ask.references(name).notes]
        for direction in ("callers", "both"):
            notes = [note.document() for note in ask.calls(name, direction).notes]
            assert {"code": "no_callers", "open": calls} in notes
    assert "no use is proven or likely: 2 places of that name may be one" in ask.references("sail").warnings
    assert "no caller is known, and no call of that name is open" in ask.calls("rest", "callers").warnings
    # What is known to be used makes no such claim, nor does what nothing here defines.
    told = (ask.references("row"), ask.calls("row", "callers"), ask.calls("rest", "callees"), ask.references("nobody"))
    assert not [note for answer in told for note in answer.notes if note.code in ("no_uses", "no_callers")]


@pytest.mark.requirement("REF.20")
def test_no_uses_and_no_callers_tell_of_other_ways_to_a_definition(tree: Repo, codebase: Codebase) -> None:
    tree.write(
        "src/ways.py",
        """import functools, threading
def held(): ...
def mapped(): ...
def bound(): ...
HELD = {"a": held}
print(map(mapped, []), functools.partial(bound, 1))
@register("x")
def registered(): ...
class Odd(threading.Thread):
    def __call__(self): ...
    def run(self): ...
class Even:
    @property
    def shown(self): ...
    def spelt(self): ...
def ask(even: Even):
    return even.shown, getattr(even, "spelt"), patch("src.ways.Even.spelt"), "no spelt here"
""",
    )
    tree.write("src/ways.js", "function done() {}\nqueue.push(done)\n")
    codebase.index()
    ways = {
        name: codebase.insight.calls(name, "callers").notes[0].document()
        for name in "held mapped bound registered Odd.__call__ Odd.run Even.shown Even.spelt done".split()
    }
    for name in ("held", "mapped", "bound", "Even.shown", "done"):
        assert ways[name] == {"code": "no_callers", "open": 0, "read": 1}, name
    for name in ("registered", "Odd.__call__", "Odd.run"):
        assert ways[name] == {"code": "no_callers", "open": 0, "unseen": 1}, name
    assert ways["Even.spelt"] == {"code": "no_callers", "open": 0, "strings": 2}
    (said,) = codebase.insight.references("Even.spelt").warnings
    assert said == "no use is known, and no place of that name is open; but 2 strings may name it"


def test_a_local_is_an_answer_that_says_whose_it_is(codebase: Codebase) -> None:
    answer = codebase.insight.references("src/lease.py:9:9")
    assert [(item.line, item.role, item.text) for item in answer.value.items] == [
        (11, "write", "epoch = epoch + 1"),
        (11, "read", "epoch = epoch + 1"),
        (12, "read", "return epoch"),
    ]
    (note,) = answer.notes
    assert note.document() == {"code": "local", "name": "epoch", "kind": "variable", "within": "Lease.release"}
    assert answer.warnings == ("epoch is local, a variable of Lease.release",)


def test_an_import_whose_target_is_gone_leads_nowhere(tree: Repo, insight: ChangeInsight) -> None:
    assert [(item.paths, item.tier) for item in insight.imports("src/lease.py").value.outgoing] == [
        (("src/clock.py",), "proven")
    ]
    (tree.path / "src/clock.py").unlink()
    assert [(item.paths, item.tier) for item in insight.imports("src/lease.py").value.outgoing] == [((), "")]


@pytest.mark.slow
@pytest.mark.requirement("CGN.1")
def test_notes_that_were_cut_are_a_warning(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/dark.py", "def dark(thing):\n    thing.one()\n    thing.two()\n    thing.three()\n")
    codebase.index()
    insight = codebase.insight
    whole = insight.calls("dark", "callees")
    assert (len(whole.value.notes.items), whole.value.notes.truncated, said(whole)) == (3, False, ())
    told = insight.calls("dark", "callees", Limits(notes=2))
    notes = told.value.notes
    assert (notes.items, notes.total, notes.truncated) == (whole.value.notes.items[:2], 3, True)
    assert said(told) == ("CALL_GRAPH_NOTES_TRUNCATED",)
    assert [note.lift for note in told.notes] == [Lift("notes")]


@pytest.mark.requirement("BUDGET.1")
@pytest.mark.parametrize("small_budget", [12, 60])
def test_a_budget_cuts_an_outline_and_a_map_and_says_so(insight: ChangeInsight, small_budget: int) -> None:
    told = insight.outline("src/lease.py", budget_tokens=10)
    assert told.limits_hit == ("budget",)
    assert told.value.left_out > 0
    whole = insight.outline("src/lease.py", budget_tokens=told.value.full_tokens)
    assert (whole.limits_hit, whole.value.left_out) == ((), 0)
    assert [note.code for note in told.notes] == ["definitions_left_out"]
    small = insight.map(small_budget)
    assert small.limits_hit == ("budget",)
    assert [note.code for note in small.notes] == ["map_cut"]
    assert insight.map(small.value.full_tokens).limits_hit == ()


@pytest.mark.parametrize("budget", [0, -1, True, 10**9])
def test_a_budget_without_sense_is_refused(insight: ChangeInsight, budget: int) -> None:
    with pytest.raises(UsageError):
        insight.map(budget)
    with pytest.raises(UsageError):
        insight.outline("src/lease.py", budget_tokens=budget)


@pytest.mark.parametrize("name", ["", "  ", "a" * (MAX_TARGET + 1), None, 3])
def test_a_name_without_sense_is_refused(insight: ChangeInsight, name: Any) -> None:
    for ask in (insight.symbol, insight.references, lambda given: insight.calls(given, "callers")):
        with pytest.raises(UsageError):
            ask(name)


@pytest.mark.parametrize(
    "name", ["nope", "größe", "a\"b'", "\x1b[31m", "\udcff", "::", "#", ".", "sym_" + "0" * 20, "%"]
)
def test_a_name_that_nothing_bears_is_an_empty_answer(insight: ChangeInsight, name: str) -> None:
    assert insight.symbol(name).value.definitions == ()
    assert insight.references(name).value.items == ()
    assert insight.calls(name, "callers").value.nodes == ()


def test_names_in_other_scripts_are_found(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/größe.py", "def größe():\n    return 名前()\n\n\ndef 名前():\n    return 1\n")
    codebase.index()
    insight = codebase.insight
    assert insight.symbol("größe").value.total == 1
    assert [node.name for node in insight.calls("名前", "callers").value.nodes] == ["名前", "größe"]
    nfd = unicodedata.normalize("NFD", "src/größe.py")
    assert insight.outline(nfd).value.path == "src/größe.py"


@pytest.mark.parametrize("name", ["Lease.release", "Lease::release", "Lease#release", "lease.release"])
def test_an_owner_may_be_named_as_languages_do(insight: ChangeInsight, name: str) -> None:
    assert [item.symbol.qualified_name for item in insight.symbol(name).value.definitions] == ["Lease.release"]


@pytest.mark.parametrize("place", ["src/lease.py:0", "src/lease.py:17", "src/lease.py:999999999", "src/lease.py:5:0"])
def test_a_line_that_is_not_there_is_refused(insight: ChangeInsight, place: str) -> None:
    for ask in (insight.symbol, insight.references, lambda given: insight.calls(given, "callers")):
        with pytest.raises(UsageError, match=r"[Tt]here is no"):
            ask(place)


@pytest.mark.parametrize("line", [0, -1, 17, True, 1.5])
def test_a_slice_of_a_line_that_is_not_there_is_refused(insight: ChangeInsight, line: Any) -> None:
    with pytest.raises(UsageError, match=r"[Tt]here is no"):
        insight.slice("src/lease.py", line, "epoch")


def test_the_last_line_is_a_line(insight: ChangeInsight) -> None:
    assert [item.symbol.name for item in insight.symbol("src/lease.py:16").value.definitions] != []
    assert insight.slice("src/lease.py", 16, "lease").value is not None


@pytest.mark.requirement("MOD.4")
def test_a_slice_follows_a_name_through_its_function(insight: ChangeInsight) -> None:
    told = insight.slice("src/lease.py", 8, "epoch")
    assert told.value is not None
    assert [(step.line, step.kind) for step in told.value.steps] == [
        (9, "definition"),
        (11, "write"),
        (11, "read"),
        (12, "read"),
    ]
    assert told.cited == ("src/lease.py",)
    assert insight.slice("src/lease.py", 8, "nope").value is None


def test_a_place_is_what_is_used_there(insight: ChangeInsight) -> None:
    at_call = insight.symbol("src/lease.py:9:17").value.definitions
    assert [(item.path, item.symbol.name) for item in at_call] == [("src/clock.py", "now")]


@pytest.mark.parametrize("path", ["../x.py", "/etc/passwd", "src/../../x.py"])
def test_a_file_outside_of_the_root_is_refused(insight: ChangeInsight, path: str) -> None:
    for ask in (insight.outline, insight.imports, lambda given: insight.symbol(f"{given}:1")):
        with pytest.raises(UsageError, match="is not beneath"):
            ask(path)


def test_an_absolute_path_beneath_the_root_is_the_same_file(tree: Repo, insight: ChangeInsight) -> None:
    assert insight.outline(str(tree.path / "src/lease.py")).value == insight.outline("src/lease.py").value


def test_a_folder_is_no_file(insight: ChangeInsight) -> None:
    with pytest.raises(UsageError, match="src is a folder"):
        insight.outline("src")


@pytest.mark.slow
def test_a_file_that_is_too_new_or_left_out_is_said(tree: Repo, codebase: Codebase) -> None:
    tree.write("src/new.py")
    tree.write(".gitignore", "ignored.py\n")
    tree.write("ignored.py")
    for path in ("src/new.py", "ignored.py"):
        for ask in (codebase.insight.outline, codebase.insight.imports):
            with pytest.raises(NotIndexedError, match="not in the snapshot: it is newer, or left out"):
                ask(path)
    codebase.index()
    assert codebase.insight.outline("src/new.py").value.branches != ()


@pytest.mark.slow
def test_a_new_snapshot_is_a_new_world(tree: Repo, codebase: Codebase) -> None:
    before = codebase.insight.map()
    assert codebase.insight.calls("now", "callers").value.calls != ()
    tree.write("src/lease.py", LEASE.replace("now()", "0"))
    codebase.index()
    after = codebase.insight.calls("now", "callers")
    assert after.value.calls == ()
    assert after.snapshot_id != before.snapshot_id
    assert codebase.insight.map().value.snapshot_id == after.snapshot_id


def test_a_map_is_made_once_for_a_snapshot(insight: ChangeInsight, monkeypatch: pytest.MonkeyPatch) -> None:
    made = []
    real = repomap.ground_of

    def counted(world: World, *more: Any) -> repomap.Ground:
        made.append((world.snapshot_id, *more))
        return real(world, *more)

    monkeypatch.setattr(repomap, "ground_of", counted)
    assert insight.map().value == insight.map().value
    assert len(made) == 1


@pytest.mark.requirement("MAP.1")
@pytest.mark.requirement("IDX.MUST.001")
def test_no_part_of_a_map_counts_a_file_that_is_gone(tree: Repo, codebase: Codebase) -> None:
    insight = codebase.insight
    assert "tests  1 file in tests/\n" in insight.map().value.text()
    (tree.path / "tests/test_lease.py").unlink()
    (tree.path / "src/clock.py").unlink()
    (tree.path / "src/clock.py").mkdir()
    told = insight.map()
    overview = told.value.overview
    assert overview is not None
    assert [(each.path, each.files) for each in overview.folders] == [("src", 1)]
    assert [(each.language, each.files) for each in overview.languages] == [("python", 1)]
    assert overview.tests == ()
    assert [entry.path for entry in told.value.entries] == ["src/lease.py"]
    assert said(told) == ("2 files left out: gone since the snapshot",)
    tree.write("tests/test_lease.py", TEST)
    assert "tests  1 file in tests/\n" in insight.map().value.text()


def test_a_question_counts_as_a_use_of_the_store(codebase: Codebase) -> None:
    used = Path(codebase.store().layout.cache) / USED_FILE
    used.unlink()
    codebase.insight.symbol("Lease")
    assert used.exists()


def test_a_file_that_could_not_be_read_since_is_said(tree: Repo, codebase: Codebase) -> None:
    """As with a search: what is shown of it is older than the rest of the snapshot."""
    real = codebase.view

    def degraded(snapshot_id: str | None = None) -> Any:
        view = real(snapshot_id)
        error = FileError("read_failed", "refused", "src/lease.py")
        view.manifest = replace(view.manifest, errors=(error,))
        return view

    codebase.view = degraded  # type: ignore[method-assign]
    told = codebase.insight.symbol("Lease")
    assert any(warning.startswith("degraded: 1 file") for warning in said(told))
    assert any("src/lease.py is shown as it was before" in warning for warning in said(told))


class TestImpact:
    @staticmethod
    def asked(codebase: Codebase, since: str | None = None, *paths: str) -> Any:
        return codebase.insight.impact(codebase.detector.git, since, paths)

    @pytest.mark.requirement("IMPACT.1")
    def test_a_change_reaches_callers_dependants_and_tests(self, tree: Repo, codebase: Codebase) -> None:
        tree.write("src/clock.py", CLOCK.replace("time.time()", "0"))
        codebase.index()
        value = self.asked(codebase).value
        assert [(item.name, item.change) for item in value.symbols] == [("now", "modified")]
        assert [each.node.name for each in value.users] == ["Lease.release", "take_over", "test_release"]
        assert [file.path for file in value.dependants] == ["src/lease.py", "tests/test_lease.py"]
        assert [test.path for test in value.tests] == ["tests/test_lease.py"]

    def test_nothing_changed_reaches_nothing(self, codebase: Codebase) -> None:
        value = self.asked(codebase).value
        assert (value.changed_files, value.symbols, value.tests, value.removed_files) == ((), (), (), ())

    def test_file_meants_are_not_said_to_be_new(self, codebase: Codebase) -> None:
        value = self.asked(codebase, None, "src/clock.py").value
        assert {item.change for item in value.symbols} == {"named"}
        assert value.users != ()

    @pytest.mark.slow
    def test_file_meants_of_a_revision_are_only_those_that_differ(self, tree: Repo, codebase: Codebase) -> None:
        tree.write("src/clock.py", CLOCK.replace("time.time()", "0"))
        codebase.index()
        assert self.asked(codebase, "HEAD", "src/lease.py").value.changed_files == ()
        found = self.asked(codebase, "HEAD", "src/lease.py", "src/clock.py").value
        assert found.changed_files == ("src/clock.py",)
        assert [item.change for item in found.symbols] == ["modified"]

    @pytest.mark.slow
    def test_untracked_files_are_new(self, tree: Repo, codebase: Codebase) -> None:
        tree.write("src/new.py", "def new():\n    pass\n")
        codebase.index()
        assert [(item.name, item.change) for item in self.asked(codebase).value.symbols] == [("new", "added")]

    def test_a_file_that_was_only_taken_out_of_the_index_is_as_it_was(self, tree: Repo, codebase: Codebase) -> None:
        tree.git("rm", "-q", "--cached", "src/clock.py")
        codebase.index()
        value = self.asked(codebase).value
        assert (value.symbols, value.removed_files) == ((), ())

    @pytest.mark.slow
    def test_renamed_and_deleted_files_are_gone_under_their_old_names(self, tree: Repo, codebase: Codebase) -> None:
        tree.git("mv", "src/clock.py", "src/watch.py")
        codebase.index()
        told = self.asked(codebase)
        assert told.value.removed_files == ("src/clock.py",)
        assert told.value.changed_files == ("src/watch.py",)
        assert [(item.path, item.distance) for item in told.value.dependants] == [
            ("src/lease.py", 1),
            ("tests/test_lease.py", 2),
        ]
        assert [(item.path, item.how) for item in told.value.tests] == [("tests/test_lease.py", "uses")]
        assert told.gone == 0
        assert self.asked(codebase, "HEAD", "src/clock.py").value.removed_files == ("src/clock.py",)
        with pytest.raises(NotIndexedError):
            self.asked(codebase, None, "src/clock.py")

    def test_without_a_sync_nothing_is_said_to_be_gone_that_is_there(self, tree: Repo, codebase: Codebase) -> None:
        tree.write("src/staged.py", "def staged():\n    pass\n")
        tree.write(".env", "SECRET=1\n")
        tree.git("add", "-f", "src/staged.py", ".env")
        (tree.path / "src/clock.py").unlink()
        told = self.asked(codebase)
        assert told.value.removed_files == ("src/clock.py",)
        assert told.value.changed_files == ()
        assert told.gone == 1
        (first, *_) = said(told)
        assert first.startswith("2 changed files not in the snapshot")
        assert ".env" in first
        assert "src/staged.py" in first

    def test_without_a_sync_new_files_are_said_to_be_unseen(self, tree: Repo, codebase: Codebase) -> None:
        tree.write("src/fresh.py", "def fresh():\n    pass\n")
        tree.write(".gitignore", "*.log\n")
        tree.write("a.log", "x\n")
        told = self.asked(codebase)
        assert told.value.changed_files == ()
        assert said(told)[0].startswith("2 changed files not in the snapshot")
        assert "src/fresh.py" in said(told)[0]
        # After a sync what isn't there was left out on purpose.
        assert said(codebase.insight.impact(codebase.detector.git, synced=True)) == ()

    @pytest.mark.slow
    @pytest.mark.requirement("IMPACT.1")
    @pytest.mark.parametrize("synced", [False, True])
    def test_callers_of_what_went_with_its_file_are_reached(self, tree: Repo, codebase: Codebase, synced: bool) -> None:
        tree.git("rm", "-q", "src/clock.py")
        if synced:
            codebase.index()
        value = self.asked(codebase).value
        assert [(item.name, item.change, item.uses) for item in value.symbols] == [("now", "removed", 2)]
        assert [(each.node.name, each.distance, each.tier, each.reason) for each in value.users] == [
            ("Lease.release", 1, "proven", "removed, still used"),
            ("take_over", 2, "proven", "removed, still used"),
            ("test_release", 3, "proven", "removed, still used"),
        ]

    def test_a_file_that_the_index_leaves_out_is_not_gone(self, tree: Repo, codebase: Codebase) -> None:
        tree.write(".env", "SECRET=1\n")
        tree.git("add", "-f", ".env")
        codebase.index()
        told = self.asked(codebase)
        assert (told.value.removed_files, told.value.changed_files, told.gone) == ((), (), 0)
        assert "1 changed file not in the snapshot" in said(told)[0]

    def test_many_files_that_are_not_seen_are_counted_and_some_named(self, tree: Repo, codebase: Codebase) -> None:
        for at in range(8):
            tree.write(f"n{at}.py")
        tree.git("add", "-A")
        (warning,) = said(self.asked(codebase))
        assert warning.startswith("8 changed files")
        assert warning.endswith("n0.py, n1.py, n2.py, n3.py, n4.py, ...")

    @pytest.mark.slow
    def test_a_name_in_another_form_is_compared_with_its_own_past(self, tree: Repo, codebase: Codebase) -> None:
        raw = unicodedata.normalize("NFD", "src/größe.py")
        tree.write(raw, "def one():\n    return 1\n\n\ndef two():\n    return 2\n")
        tree.commit()
        tree.write(raw, "def one():\n    return 1\n\n\ndef two():\n    return 3\n")
        codebase.index()
        value = self.asked(codebase).value
        assert [(item.path, item.name, item.change) for item in value.symbols] == [("src/größe.py", "two", "modified")]

    @pytest.mark.slow
    def test_an_older_revision_tells_more(self, tree: Repo, codebase: Codebase) -> None:
        tree.write("src/clock.py", CLOCK.replace("time.time()", "0"))
        tree.commit()
        tree.git("checkout", "-q", "--detach")
        codebase.index()
        assert self.asked(codebase).value.changed_files == ()
        assert self.asked(codebase, "HEAD~1").value.changed_files == ("src/clock.py",)
        with pytest.raises(UsageError, match="There is no revision 'nope'"):
            self.asked(codebase, "nope")

    def test_a_branch_without_a_commit_can_not_be_compared_with(self, tmp_path: Path) -> None:
        repo = Repo.create(tmp_path / "unborn")
        repo.write("a.py", "def a():\n    pass\n")
        with Codebase(str(repo.path)) as codebase:
            codebase.index()
            with pytest.raises(UsageError, match="There is no commit yet"):
                self.asked(codebase)
            assert self.asked(codebase, None, "a.py").value.changed_files == ("a.py",)

    def test_without_git_files_must_be_named(self, folder: Path) -> None:
        write(folder, "a.py", "def a():\n    pass\n")
        with Codebase(str(folder)) as codebase:
            codebase.index()
            assert codebase.detector.git is None
            with pytest.raises(UsageError, match="no git here to tell what changed"):
                self.asked(codebase)
            with pytest.raises(UsageError, match="no git here to look for a revision"):
                self.asked(codebase, "HEAD", "a.py")
            assert self.asked(codebase, None, "a.py").value.changed_files == ("a.py",)

    def test_a_graph_that_was_cut_is_said(self, codebase: Codebase) -> None:
        told = codebase.insight.impact(None, None, ["src/clock.py"], Limits(depth=2, nodes=1))
        assert told.limits_hit == ("nodes",)
        assert said(told) == ("there is more than was followed: name fewer files, or use --depth 1",)

    def test_former_texts_are_asked_for_only_as_far_as_they_are_looked_at(self) -> None:
        """Each is a process; the others are counted as cut all the same."""
        names = [f"f{at:04}.py" for at in range(MAX_CHANGED_FILES + 3)]
        asked: list[str] = []

        class Fake(Git):
            def changed_since(self, commit: str) -> frozenset[str]:
                return frozenset(names)

            def tracked(self) -> frozenset[str]:
                return frozenset(names)

            def blob(self, commit: str, path: str) -> bytes:
                asked.append(path)
                return b""

        found = differing(Fake(os.sep), "c", names, lambda _: True)
        assert [change.path for change in found.changes] == names
        assert asked == names[:MAX_CHANGED_FILES]


@pytest.mark.slow
def test_a_reader_is_not_disturbed_by_a_writer(tree: Repo, codebase: Codebase) -> None:
    """While another process publishes, each answer is of one snapshot: name and count belong together."""
    writer = (
        "import sys, pathlib; from cairn.codebase.codebase import Codebase\n"
        "root = pathlib.Path(sys.argv[1])\n"
        "with Codebase(str(root)) as codebase:\n"
        "    for at in range(1, 6):\n"
        "        (root / 'src' / 'grow.py').write_text('def grown():\\n    pass\\n\\n\\n' * at)\n"
        "        codebase.index()\n"
    )
    with subprocess.Popen([sys.executable, "-c", writer, str(tree.path)]) as child:
        seen: dict[str, set[int]] = {}
        while child.poll() is None:
            told = codebase.insight.symbol("grown")
            seen.setdefault(told.snapshot_id, set()).add(told.value.total)
    assert child.returncode == 0
    told = codebase.insight.symbol("grown")
    seen.setdefault(told.snapshot_id, set()).add(told.value.total)
    assert told.value.total == 5
    assert all(len(totals) == 1 for totals in seen.values()), seen
