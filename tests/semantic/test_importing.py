"""An index becomes the facts of a context: what goes in comes out, in bytes, and nothing that is no index does."""

from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.semantic.scip.columns import Encoding
from cairn.semantic.scip.wire import ScipError
from cairn.store import OccurrenceRow, SemanticFlag
from tests.semantic.imports import Texts, run, write_segment
from tests.semantic.recorded import PROJECTS, recorded
from tests.semantic.scip.wireformat import document, field, metadata, occurrence

OURS = "scip-test x project 1 "
THEIRS = "scip-test x library 1 "
F = f"{OURS}`a.py`/f()."
A, B = "def f():\n    pass\n", "from a import f\nf()\n"
AB = metadata() + document("a.py", occurrence([0, 4, 5], F, 1)) + document("b.py", occurrence([1, 0, 1], F))


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize(
    ("tool", "files", "occurrences", "dropped"), [("scip-python", 3, 41, 4), ("scip-typescript", 2, 32, 0)]
)
def test_recorded_output_is_imported_with_the_names_that_stand_in_the_text(
    tmp_path: Path, tool: str, files: int, occurrences: int, dropped: int
) -> None:
    found = run(tmp_path, recorded(tool), Texts(PROJECTS[tool]))
    assert (found.imported.files, found.imported.occurrences, found.imported.dropped) == (files, occurrences, dropped)
    names = {each.symbol: each for each in found.symbols if not each.home}
    aliases = {"Volume"}
    for fact in found.facts:
        symbol = names.get(fact.symbol)
        if symbol is None:
            assert fact.written.isidentifier()
        elif symbol.kind == "module":
            assert fact.written.strip("\"'./") in ("", symbol.name, symbol.name.rpartition(".")[2], "goods")
        else:
            assert fact.written in (symbol.name, *aliases)


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize(
    ("tool", "book", "using", "home"),
    [
        ("scip-python", "`shop.goods`/Book#", "shop/till.py", "shop/goods.py"),
        ("scip-typescript", "src/`goods.ts`/Book#", "src/till.ts", "src/goods.ts"),
    ],
)
def test_recorded_output_gives_uses_kinds_relationships_and_dependencies(
    tmp_path: Path, tool: str, book: str, using: str, home: str
) -> None:
    found = run(tmp_path, recorded(tool), Texts(PROJECTS[tool]))
    assert found.named(book).kind == "class"
    assert found.named(book).signature.startswith("class Book")
    # After an alias the name is another, and an emoji stands before the use.
    assert [line for path, line, _ in found.of(book) if path == using][-1] >= 3
    assert {each for each in found.relations if each[0].endswith(book)} == {
        (found.named(book).symbol, found.named("Thing#").symbol, "implementation")
    }
    assert found.recorded[using].dependencies[home] == f"shown {home}"
    assert using not in found.recorded[home].dependencies
    assert all(each.home for each in found.symbols if each.kind == "local")


@pytest.mark.requirement("SCIP.1")
def test_paths_are_those_of_the_root(tmp_path: Path) -> None:
    index = metadata() + document("a.py", occurrence([0, 4, 5], F, 1))
    found = run(tmp_path, index, Texts({"web/sub/a.py": A}), root="web", prefix="sub")
    assert found.of("f().") == [("web/sub/a.py", 1, "f")]


def test_documents_of_elsewhere_and_without_a_symbol_say_nothing(tmp_path: Path) -> None:
    index = metadata() + document("../a.py", occurrence([0, 4, 5], F, 1)) + document("b.py", occurrence([0, 0, 4], ""))
    found = run(tmp_path, index, Texts({"b.py": B}))
    assert (found.facts, found.imported.dropped, found.imported.touched) == ([], 0, frozenset())


@pytest.mark.requirement("JOB.2")
def test_a_file_that_changed_is_not_imported_and_those_that_depend_on_it_know_nothing_of_it(tmp_path: Path) -> None:
    found = run(tmp_path, AB, Texts({"a.py": A, "b.py": B}, absent=["a.py"]))
    assert found.imported.touched == {"a.py", "b.py"}
    assert found.of("f().") == [("b.py", 2, "f")]
    assert found.recorded["b.py"].dependencies == {"a.py": ""}
    assert "a.py" not in found.recorded


@pytest.mark.requirement("STATE.1")
def test_a_file_that_no_snapshot_has_is_not_depended_on(tmp_path: Path) -> None:
    found = run(tmp_path, AB, Texts({"b.py": B}))
    assert found.recorded["b.py"].dependencies == {}
    assert "b.py" not in found.imported.touched
    assert found.of("f().") == [("b.py", 2, "f")]


@pytest.mark.requirement("STATE.1")
def test_a_file_of_another_context_is_depended_on_and_has_no_facts(tmp_path: Path) -> None:
    texts = Texts({"a.py": A, "b.py": B}).with_source("a.py", own=False)
    found = run(tmp_path, AB, texts)
    assert found.imported.touched == frozenset()
    assert list(found.recorded) == ["b.py"]
    assert found.recorded["b.py"].dependencies == {"a.py": "shown a.py"}


@pytest.mark.requirement("STATE.3")
def test_flags_are_those_of_the_source_and_of_calls_that_are_not_resolved(tmp_path: Path) -> None:
    """What is described and lies nowhere in the project is resolved; what is only named isn't."""
    text = "f(x)\nx.g()\nx.h()\nx.i()\n"
    index = metadata() + document(
        "a.py",
        occurrence([0, 0, 1], F, 1),
        occurrence([1, 2, 3], f"{THEIRS}`x.py`/X#g()."),
        occurrence([2, 2, 3], "local 0"),
        occurrence([3, 2, 3], "local 1"),
        more=field(3, field(1, "local 1") + field(3, "```python\ndef i() -> int:\n```")),
    )
    calls = [
        OccurrenceRow("syntactic", name, "call", line, "", receiver)
        for name, line, receiver in (("f", 1, ""), ("g", 2, "x"), ("h", 3, "x"), ("i", 4, "x"))
    ]
    star = SemanticFlag(9, "star_import", "*")
    found = run(tmp_path, index, Texts({"a.py": text}).with_source("a.py", flags=(star,), calls=calls))
    assert found.recorded["a.py"].flags == (SemanticFlag(3, "unresolved_receiver", "x.h"), star)


def test_two_documents_of_one_file_are_one_file_with_locals_apart(tmp_path: Path) -> None:
    local = [occurrence([0, 0, 1], "local 1", 1), occurrence([1, 0, 1], "local 1", 1)]
    index = metadata() + document("a.py", local[0]) + document("a.py", local[1], local[1])
    found = run(tmp_path, index, Texts({"a.py": "x = 1\ny = 2\n"}))
    assert (found.imported.files, found.imported.occurrences) == (1, 2)
    assert [(each.name, each.home) for each in found.symbols] == [("x", "a.py"), ("y", "a.py")]


@pytest.mark.requirement("JOB.4", "SCIP.1")
@pytest.mark.parametrize("tool", PROJECTS)
@pytest.mark.parametrize("how", ["cut", "garbage"])
def test_what_is_no_index_is_refused(tmp_path: Path, tool: str, how: str) -> None:
    data = recorded(tool).read_bytes()
    broken = tmp_path / "broken.scip"
    broken.write_bytes(data[:-1] if how == "cut" else data + b"\x12\x7fgarbage")
    with pytest.raises(ScipError):
        write_segment(tmp_path, broken, Texts(PROJECTS[tool]))


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize("text", [" a\nname\n", "é\nname\n"])
def test_a_range_that_begins_behind_its_line_is_not_that_of_the_next(tmp_path: Path, text: str) -> None:
    column = len(text.split("\n")[0]) + 1
    index = metadata("scip-python") + document("a.py", occurrence([0, column, column + 4], f"{THEIRS}`x`/name."))
    found = run(tmp_path, index, Texts({"a.py": text}))
    assert (found.facts, found.imported.dropped) == ([], 1)


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize(("tool", "column"), [("scip-python", 1), ("scip-typescript", 0)])
def test_a_byte_order_mark_is_counted_by_one_tool_and_not_by_the_other(tmp_path: Path, tool: str, column: int) -> None:
    first = occurrence([0, column, column + 4], f"{THEIRS}`x`/name.")
    index = metadata(tool) + document("a", first, occurrence([1, 0, 4], f"{THEIRS}`x`/name."))
    found = run(tmp_path, index, Texts({"a": "\ufeffname\nname\n"}))
    assert [(fact.line, fact.column, fact.written) for fact in found.facts] == [(1, 3, "name"), (2, 0, "name")]


_NAMES = st.sampled_from(["a", "name", "größe", "名前", "x1"])
_FILLER = st.sampled_from(["", " ", "é", "😀", "\t", "名", "\u2028", "(", '"ß" + '])
_ENDS = st.sampled_from(["\n", "\r\n", "\r"])


def _columns(text: str, encoding: Encoding) -> int:
    if encoding is Encoding.UTF32:
        return len(text)
    return len(text.encode("utf-8")) if encoding is Encoding.UTF8 else len(text.encode("utf-16-le")) // 2


@st.composite
def _documents(draw: st.DrawFn, encoding: Encoding) -> tuple[str, list[bytes], list[tuple[int, str]]]:
    """A text, occurrences of the names in it, and each with its place in bytes from the start."""
    text, before, line = "", "", 0
    occurrences, wanted = [], []
    for number, name in enumerate(draw(st.lists(_NAMES, max_size=8))):
        filler = draw(_FILLER)
        start = _columns(before + filler, encoding)
        end = _columns(before + filler + name, encoding)
        place = [line, start, end] if draw(st.booleans()) else [line, start, line, end]
        global_one = draw(st.booleans())
        symbol = f"{THEIRS}`x`/`{name}`." if global_one else f"local {number}"
        occurrences.append(occurrence(place, symbol, 0 if global_one else 1))
        text += filler
        wanted.append((len(text.encode()), name))
        text += name
        before += filler + name
        if draw(st.booleans()):
            text, before, line = text + draw(_ENDS), "", line + 1
        else:
            text, before = text + " ", before + " "
    return text, occurrences, wanted


@pytest.fixture(scope="module")
def scratch(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("import")


@pytest.mark.slow
@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize("encoding", [Encoding.UTF8, Encoding.UTF16, Encoding.UTF32])
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_what_goes_in_comes_out_in_every_encoding(scratch: Path, encoding: Encoding, data: st.DataObject) -> None:
    text, occurrences, wanted = data.draw(_documents(encoding))
    index = metadata() + document("a.py", *occurrences, more=field(6, int(encoding)))
    found = run(scratch, index, Texts({"a.py": text}))
    starts = [0]
    for line in text.encode().split(b"\n"):
        starts.append(starts[-1] + len(line) + 1)
    assert found.imported.dropped == 0
    assert sorted((starts[fact.line - 1] + fact.column, fact.written) for fact in found.facts) == wanted


@pytest.mark.slow
@pytest.mark.requirement("SCIP.1")
@given(data=st.data())
@settings(deadline=None, max_examples=60)
def test_places_that_the_text_does_not_have_are_dropped_and_counted(scratch: Path, data: st.DataObject) -> None:
    text = "name = 1\né = name\n"
    numbers = st.integers(0, 12)
    place = data.draw(st.tuples(numbers, numbers, numbers).filter(lambda told: told[1] <= told[2]))
    index = metadata("scip-python") + document("a.py", occurrence(list(place), f"{THEIRS}`x`/name."))
    found = run(scratch, index, Texts({"a.py": text}))
    right = place in ((0, 0, 4), (1, 4, 8))
    assert (len(found.facts), found.imported.dropped) == ((1, 0) if right else (0, 1))
    assert all(fact.written == "name" for fact in found.facts)
