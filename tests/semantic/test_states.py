"""The states of files through real stores: what a sync, a refresh and a deletion make of them."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.store import SemanticFlag
from tests.semantic.facts import marked, publish
from tests.trees import write

CONTEXT = "python:."
A, B, C = "def a():\n    return 1\n", "from a import a\n\n\ndef b():\n    return a()\n", "from b import b\n\nb()\n"
SYMBOL = "scip-python python x 0 {0}/{0}()."
FACTS = {
    "a.py": (A, {"!a": SYMBOL.format("a")}),
    "b.py": (B, {"a@1": "local 9", "a@2": SYMBOL.format("a"), "!b": SYMBOL.format("b")}),
    "c.py": (C, {"b@2": SYMBOL.format("b")}),
}


@pytest.fixture
def codebase(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Codebase]:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    write(folder, "pyproject.toml", '[project]\nname = "x"\n')
    for path, (text, _) in FACTS.items():
        write(folder, path, text)
    with Codebase(str(folder)) as made:
        made.index()
        refresh(made)
        yield made


def refresh(codebase: Codebase, paths: Sequence[str] = tuple(FACTS), config_hash: str = "") -> None:
    """Give some files facts of their content, and let the others keep theirs."""
    with codebase.view() as view:
        texts = {path: (view.rows.whole_text_of(path) or b"").decode() for path in paths}
    files = {path: list(marked(texts[path], FACTS[path][1])) for path in paths}
    flags = {"c.py": [SemanticFlag(1, "star_import", "b")]}
    publish(codebase, CONTEXT, files, flags=flags, keep=tuple(FACTS), config_hash=config_hash)


def change(codebase: Codebase, path: str, text: str | None) -> None:
    if text is None:
        (Path(codebase.root.path) / path).unlink()
    else:
        write(Path(codebase.root.path), path, text)
    codebase.index()


def freshness(codebase: Codebase) -> dict[str, str]:
    with codebase.view() as view:
        paths = [path for path, _, _ in view.rows.shows() if path.endswith(".py")]
    found = {path: codebase.insight.file_standing(path).value.state.freshness for path in sorted(paths)}
    counts = codebase.insight.contexts(states=True).value.states[CONTEXT]
    assert {name: count for name, count in counts.items() if count} == {
        name: list(found.values()).count(name) for name in set(found.values())
    }
    return found


def test_all_are_clean_after_an_index_and_flags_make_them_ambiguous(codebase: Codebase) -> None:
    assert freshness(codebase) == {"a.py": "clean", "b.py": "clean", "c.py": "clean"}
    told = codebase.insight.file_standing("c.py").value
    assert (told.context, told.probe, told.state.certainty, told.tool) == (CONTEXT, "valid", "ambiguous", "tool 1")
    assert told.flags == (SemanticFlag(1, "star_import", "b"),)
    assert codebase.insight.file_standing("a.py").value.state.certainty == "certain"


@pytest.mark.slow
@pytest.mark.requirement("STATE.1")
@pytest.mark.requirement("STATE.2")
def test_an_edit_makes_its_file_dirty_and_those_that_depend_on_it_wait(codebase: Codebase) -> None:
    change(codebase, "a.py", A.replace("1", "2"))
    assert freshness(codebase) == {"a.py": "dirty", "b.py": "pending_check", "c.py": "pending_check"}
    assert codebase.insight.file_standing("a.py").value.state.certainty == "unknown"
    change(codebase, "a.py", A)
    assert freshness(codebase) == {"a.py": "clean", "b.py": "clean", "c.py": "clean"}


@pytest.mark.slow
@pytest.mark.requirement("STATE.3")
def test_what_depends_on_another_interface_is_stale_until_it_is_indexed_again(codebase: Codebase) -> None:
    change(codebase, "a.py", A.replace("a()", "a(more)"))
    assert freshness(codebase) == {"a.py": "dirty", "b.py": "stale", "c.py": "stale"}
    refresh(codebase, ["a.py"])
    assert freshness(codebase) == {"a.py": "clean", "b.py": "stale", "c.py": "stale"}
    refresh(codebase)
    assert freshness(codebase) == {"a.py": "clean", "b.py": "clean", "c.py": "clean"}


@pytest.mark.slow
@pytest.mark.requirement("STATE.3")
def test_an_edit_of_a_body_leaves_others_clean_once_it_is_indexed(codebase: Codebase) -> None:
    change(codebase, "a.py", A.replace("1", "2"))
    refresh(codebase, ["a.py"])
    assert freshness(codebase) == {"a.py": "clean", "b.py": "clean", "c.py": "clean"}


@pytest.mark.slow
@pytest.mark.requirement("STATE.1")
def test_what_is_gone_makes_others_stale_and_what_is_new_is_not_indexed(codebase: Codebase) -> None:
    change(codebase, "a.py", None)
    change(codebase, "d.py", "x = 1\n")
    assert freshness(codebase) == {"b.py": "stale", "c.py": "stale", "d.py": "unindexed"}
    told = codebase.insight.file_standing("d.py").value
    assert (told.context, told.state.certainty, told.flags, told.job_id) == (CONTEXT, "unknown", (), "")
    assert codebase.insight.file_standing("pyproject.toml").value.context == "config:."


def test_a_file_of_nobody_has_no_context(codebase: Codebase) -> None:
    change(codebase, "tool.go", "package tool\n")
    assert codebase.insight.file_standing("tool.go").value.context is None


@pytest.mark.slow
def test_under_other_manifests_nothing_is_clean(codebase: Codebase) -> None:
    (own,) = (each for each in codebase.insight.contexts().value.contexts if each.id == CONTEXT)
    refresh(codebase, config_hash=own.config_hash)
    assert set(freshness(codebase).values()) == {"clean"}
    change(codebase, "pyproject.toml", '[project]\nname = "y"\n')
    assert set(freshness(codebase).values()) == {"pending_check"}


@pytest.mark.slow
def test_what_was_recorded_is_read_once_for_all_snapshots(codebase: Codebase, monkeypatch: pytest.MonkeyPatch) -> None:
    from cairn.store import SemanticFacts

    assert set(freshness(codebase).values()) == {"clean"}

    def read_again(_: SemanticFacts) -> dict[str, object]:
        raise AssertionError("it was read before")

    monkeypatch.setattr(SemanticFacts, "recorded", read_again)
    change(codebase, "d.py", "x = 1\n")
    assert freshness(codebase)["a.py"] == "clean"
    refresh(codebase)
    with pytest.raises(AssertionError, match="read before"):
        freshness(codebase)
