"""Answers about code as text and as JSON, without a process around them."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.graph.calls import Limits
from cairn.questions import code_documents, graph_documents
from cairn.questions.asking import file_meant
from cairn.questions.parameters import Values
from cairn.questions.question import Asked
from cairn.surfaces.cli import changes, drawing, knowledge, relations
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.knowledge import Shown
from tests.trees import Repo

pytestmark = pytest.mark.slow

WORK = "def base():\n    pass\n\n\ndef work():\n" + "    base()\n" * 5
USE = """from src.work import work


def first():
    work()


def second():
    first()


def other(thing):
    thing.unheard_of()
    work()
"""
LONE = "class Lone:\n    def very_own(self):\n        pass\n"
ASKER = "def ask(thing):\n    thing.very_own()\n"
SHADOW = "def shadow(base):\n    base()\n"


@pytest.fixture
def codebase(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Codebase]:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    texts = {"work": WORK, "use": USE, "lone": LONE, "asker": ASKER, "shadow": SHADOW}
    for name, text in texts.items():
        repo.write(f"src/{name}.py", text)
    repo.commit()
    monkeypatch.chdir(repo.path)
    with Codebase(str(repo.path)) as made:
        made.index()
        yield made


def lines(shown: Shown) -> list[str]:
    return list(shown.lines(False))


def named(name: str) -> Values:
    return {"name": name}


def calls(codebase: Codebase, name: str, direction: str, **limits: int) -> Shown:
    return relations.calls(codebase.insight.calls(name, direction, Limits(**limits)), named(name))


def test_many_calls_of_one_name_a_few_of_their_lines(codebase: Codebase) -> None:
    shown = calls(codebase, "work", "callees")
    assert lines(shown)[1] == "└─ base  src/work.py:1  at 6, 7, 8, ..."
    edges: Any = graph_documents.calls(shown.answer, named("work"))["edges"]
    assert (edges[0]["lines"], edges[0]["count"]) == ([6, 7, 8, 9, 10], 5)


def test_a_guess_is_told_from_what_is_proven(codebase: Codebase) -> None:
    shown = calls(codebase, "very_own", "callers")
    assert lines(shown)[1].endswith("src/asker.py:1  at 2, likely")
    assert shown.summary == "2 definitions, 1 call (1 likely)"


def test_what_was_not_resolved_is_in_the_last_line(codebase: Codebase) -> None:
    shown = calls(codebase, "other", "callees")
    assert shown.summary == "2 definitions, 1 call (1 proven), 1 not resolved"
    assert lines(shown)[-1] == "note: src/use.py:13: not resolved, unheard_of is called once"


def test_a_graph_that_was_cut_to_nothing_does_not_say_that_nothing_is_known(codebase: Codebase) -> None:
    cut = calls(codebase, "work", "callers", nodes=1)
    assert cut.answer.limits_hit == ("nodes",)
    assert not [line for line in lines(cut) if "are known" in line]
    assert lines(calls(codebase, "very_own", "callees"))[-1] == "no callees are known"


def test_both_ways_hang_where_they_belong(codebase: Codebase) -> None:
    told = lines(calls(codebase, "first", "both", depth=2))
    half = told.index("callees:")
    assert told[0] == "callers:"
    assert [name for name in ("second", "work", "base") if any(name in line for line in told[1:half])] == ["second"]
    assert [name for name in ("second", "work", "base") if any(name in line for line in told[half:])] == [
        "work",
        "base",
    ]


def test_uses_that_are_surely_others_are_counted(codebase: Codebase) -> None:
    shown = knowledge.references(codebase.insight.references("base"), named("base"))
    assert shown.summary == "5 uses (5 proven), 2 of that name elsewhere"
    assert code_documents.references(shown.answer, named("base"))["elsewhere"] == 2


def test_where_a_line_has_no_room_the_text_goes_before_what_it_stands_in(repo: Repo, codebase: Codebase) -> None:
    repo.write("src/long.py", "from src.work import work\n\n\ndef caller():\n    work()" + "  # words" * 10 + "\n")
    codebase.index()
    shown = [line for line in lines(_references(codebase, "work")) if "# words" in line]
    assert [len(line) <= 120 for line in shown] == [True]
    assert "in caller" not in shown[0]


def _references(codebase: Codebase, name: str) -> Shown:
    return knowledge.references(codebase.insight.references(name), named(name))


def test_many_definitions_are_named_up_to_ten(repo: Repo, codebase: Codebase) -> None:
    repo.write("src/many.py", "".join(f"class C{at}:\n    def same(self):\n        pass\n\n\n" for at in range(11)))
    codebase.index()
    told = lines(_references(codebase, "same"))
    assert len(told) == 11
    assert told[-1] == "and 1 more definition: see `cairn symbol`"


def test_a_reach_says_how_far_and_through_what(repo: Repo, codebase: Codebase) -> None:
    repo.write("src/work.py", WORK.replace("def work", "def toil"))
    codebase.index()
    told = codebase.insight.impact(codebase.detector.git, "HEAD", ["src/work.py"])
    shown = changes.impact(told, {})
    document = graph_documents.impact(told, {})
    symbols: Any = document["symbols"]
    assert {(item["former"], item["name"], item["still_used"]) for item in symbols} == {("work", "toil", 3)}
    dependants: Any = document["dependants"]
    assert [(item["path"], item["imports"]) for item in dependants] == [("src/use.py", "src/work.py")]
    labels = {each.id: (each.label, each.detail) for each in shown.nodes}
    assert ("work", "removed from src/work.py") in labels.values()
    drawn = [(labels[each.source][0], labels[each.target][0]) for each in shown.arrows]
    assert ("src/use.py", "src/work.py") in drawn
    callers: Any = document["users"]
    assert callers
    assert {(item["name"], "work") for item in callers if item["distance"] == 1} <= set(drawn)
    for picture in (drawing.dot, drawing.mermaid):
        assert "removed from src/work.py" in picture(shown.nodes, shown.arrows, "about")
    repo.git("checkout", "--", ".")
    codebase.index()
    told = codebase.insight.impact(codebase.detector.git, None, ["src/work.py"])
    reached = {line.split()[1]: line for line in lines(changes.impact(told, {})) if "use.py:" in line}
    assert reached["second"].endswith("2 steps away")
    assert not reached["first"].endswith("away")


def test_a_file_is_meant_from_where_one_stands_before_the_root(
    repo: Repo, codebase: Codebase, monkeypatch: pytest.MonkeyPatch
) -> None:
    repo.write("same.py", "x = 1\n")
    repo.write("src/same.py", "y = 2\n")
    monkeypatch.chdir(repo.path / "src")
    asked = Asked(codebase, current())
    assert Path(file_meant("same.py", asked)) == repo.path / "src/same.py"
    assert file_meant("src/work.py", asked) == "src/work.py"


def test_imports_that_lead_nowhere_are_counted(repo: Repo, codebase: Codebase) -> None:
    repo.write("src/out.py", "import os\nimport json\nfrom src.work import work\n")
    codebase.index()
    shown = relations.imports(codebase.insight.imports("src/out.py"), {})
    assert graph_documents.imports(shown.answer, {})["unresolved"] == 2
    assert shown.summary == "3 imports, 2 outside or unknown, imported by 0 files"
