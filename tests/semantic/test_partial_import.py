"""A part that is imported over older facts equals the whole; what is refused leaves no trace."""

from pathlib import Path

import pytest

from cairn.base.ulid import new_ulid
from cairn.semantic.importing import import_index
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scip.wire import ScipError
from cairn.store import SemanticWriter
from cairn.store.staging import Staging
from tests.semantic.imports import META, Fact, Former, Outcome, Texts, as_file, read_back, run, write_segment
from tests.semantic.recorded import PROJECTS, recorded
from tests.semantic.scip.wireformat import document, metadata, occurrence
from tests.store.samples import make_store, publish

OURS = "scip-test x project 1 "
F, G, GONE = (f"{OURS}`{file}`/{name}()." for file, name in (("a.py", "f"), ("b.py", "g"), ("b.py", "gone")))
B = "def g(): f()\nx = 1\n"
IN_B = document(
    "b.py", occurrence([0, 4, 5], G, 1), occurrence([0, 9, 10], F), occurrence([1, 0, 1], "local 0", 1)
)  # fmt: skip
OLD_A, NEW_A = "def f(): g()\n", "y = 2\ndef f(): g(); gone()\n"
OLD = metadata() + document("a.py", occurrence([0, 4, 5], F, 1), occurrence([0, 9, 10], G)) + IN_B
NEW_PART = document(
    "a.py",
    occurrence([0, 0, 1], "local 0", 1),
    occurrence([1, 4, 5], F, 1),
    occurrence([1, 9, 10], G),
    occurrence([1, 14, 18], GONE),
)


def over(folder: Path, index: Path | bytes, texts: Texts, older: Former, *, prefix: str = "") -> Outcome:
    made, imported = write_segment(folder, as_file(folder, index), texts, prefix=prefix, former=older)
    return read_back(made, imported, texts)


def former(folder: Path, index: Path | bytes, texts: Texts) -> Former:
    made, imported = write_segment(folder, as_file(folder, index), texts)
    return Former(made, read_back(made, imported, texts))


def by_symbol(outcome: Outcome) -> list[Fact]:
    return sorted(outcome.facts)


@pytest.mark.requirement("JOB.3", "SCIP.1")
def test_a_part_over_older_facts_equals_the_whole(tmp_path: Path) -> None:
    older = former(tmp_path, OLD, Texts({"a.py": OLD_A, "b.py": B}))
    now = Texts({"a.py": NEW_A, "b.py": B})
    part = over(tmp_path, metadata() + NEW_PART, now, older)
    whole = run(tmp_path, metadata() + NEW_PART + IN_B, now)
    assert by_symbol(part) == by_symbol(whole)
    assert {path: facts.dependencies for path, facts in part.recorded.items()} == {
        path: facts.dependencies for path, facts in whole.recorded.items()
    }
    assert part.imported.dropped == whole.imported.dropped == 1
    assert part.imported.files == 1


def test_what_only_the_part_itself_used_to_define_is_gone(tmp_path: Path) -> None:
    """The former definition of what a document no longer defines explains nothing."""
    texts = Texts({"a.py": "def f(): f()\n"})
    older = former(tmp_path, metadata() + document("a.py", occurrence([0, 4, 5], F, 1)), texts)
    index = metadata() + document("a.py", occurrence([0, 4, 5], G, 1), occurrence([0, 9, 10], F))
    found = over(tmp_path, index, Texts({"a.py": "def g(): f()\n"}), older)
    assert found.of("f().") == []
    assert found.imported.dropped == 1


@pytest.mark.requirement("JOB.4", "SCIP.1")
@pytest.mark.parametrize("tool", PROJECTS)
def test_output_that_breaks_off_publishes_nothing(tmp_path: Path, tool: str) -> None:
    store = make_store(tmp_path)
    texts = Texts(PROJECTS[tool])
    publish(store, {path: text.decode() for path, text in texts.files.items() if not path.endswith(".json")})
    before = store.active()
    broken = tmp_path / "broken.scip"
    broken.write_bytes(recorded(tool).read_bytes()[:-1])
    staging = Staging(store.layout, new_ulid())
    writer = SemanticWriter(store.layout, staging.folder("semantic"), META)
    with pytest.raises(ScipError):
        import_index(read_index(str(broken)), "", "", texts, writer, META.job_id)
    writer.abandon()
    staging.remove()
    assert store.active() == before
    with store.view() as view:
        assert view.semantic(META.context) is None
