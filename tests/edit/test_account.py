"""What a place is to a rename: meant, something else, prose, or open; and what keeps that from being proven."""

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from cairn.edit.editor import Planned
from tests.edit.conftest import Make
from tests.edit.samples import HEAD, LEASE, MARKS, PLACE, places
from tests.trees import Repo

OTHER = HEAD + "lease/Other#take()."


def planned(codebase: Codebase, place: tuple[str, int, int] = PLACE, new: str = "acquire") -> Planned:
    return Renaming(codebase).plan(*place, new)


def opened(found: Planned) -> list[tuple[str, str]]:
    return [(f"{each.path}:{each.line}", each.why) for each in found.draft.opened]


def doubts(found: Planned) -> list[str]:
    return [each.code for each in found.draft.witness.checklist] if found.draft.witness is not None else []


@pytest.mark.slow
@pytest.mark.requirement("GATE.1")
@pytest.mark.parametrize(
    ("text", "marks", "expected"),
    [
        ("class A:\n    def take(self): ...\n", {"!take": OTHER}, []),
        ("def f():\n    take = 1\n    return take\n", {}, []),
        ("def f(x):\n    return x.take\n", {}, ["unresolved_use"]),
        ("def f(g):\n    g(take=1)\n", {}, []),
        ("x = getattr(y, 'take')\n", {}, ["name_as_text"]),
        ("x = 'how to take it'  # take\n", {}, []),
        ("def f(:\n    take take\n", {}, ["broken_code", "broken_code"]),
    ],
)
def test_a_place_is_something_else_prose_or_open(
    make: Make, text: str, marks: dict[str, str], expected: list[str]
) -> None:
    found = planned(make({"more.py": text}, {**MARKS, "more.py": marks}))
    assert [why for _, why in opened(found)] == expected
    assert found.draft.status == ("needs_decision" if expected else "ok")
    assert not [place for place in places(found) if place.startswith("more.py")]


@pytest.mark.slow
def test_other_languages_are_others_and_files_that_are_no_code_are_asked_about(make: Make) -> None:
    files = {
        "a.go": "package a\n\nfunc take() {}\n",
        "app.toml": 'call = "lease:take"\n',
        "page.html": "{{ lease.take }}\n",
        "list.csv": "take,1\n",
        "notes.txt": "take it\n",
    }
    found = planned(make(files))
    assert opened(found) == [("app.toml:1", "qualified_text"), ("page.html:1", "qualified_text")]
    assert "notes.txt" in [each.path for each in found.draft.mentions]


@pytest.mark.slow
def test_what_a_module_exports_is_changed_with_it(make: Make, repo: Repo) -> None:
    codebase = make({"lease.py": LEASE + '\n\n__all__ = ["take"]\n'})
    found = planned(codebase)
    assert (doubts(found), "lease.py:9:13" in places(found)) == ([], True)
    assert found.plan is not None
    Renaming(codebase).apply(found.plan.id)
    assert '__all__ = ["acquire"]' in (repo.path / "lease.py").read_text(encoding="utf-8")


@pytest.mark.slow
def test_a_part_of_the_tree_with_a_project_of_its_own_is_changed_too(make: Make) -> None:
    files = {"sub/pyproject.toml": '[project]\nname = "y"\n', "sub/more.py": "import lease\nlease.take(1)\n"}
    assert "sub/more.py:2:7" in places(planned(make(files)))


CLASSES = """from abc import ABC
from outside import Outer


class Base(ABC):
    def run(self): ...


class Kid(Base):
    def run(self): ...


class Stray(Outer):
    def run(self): ...


def go(base: Base, stray: Stray):
    base.run()
    stray.run()
"""
RUN = {kind: f"{HEAD}m/{kind}#run()." for kind in ("Base", "Kid", "Stray")}
CLASS = {kind: f"{HEAD}m/{kind}#" for kind in ("Base", "Kid", "Stray")}
ABC_CLASS = "scip-python python python-stdlib 3.11 abc/ABC#"
CLASS_MARKS = {
    "m.py": {
        "ABC@2": ABC_CLASS,
        "!Base@1": CLASS["Base"],
        "Base@2": CLASS["Base"],
        "!Kid@1": CLASS["Kid"],
        "!Stray@1": CLASS["Stray"],
        "!run@1": RUN["Base"],
        "!run@2": RUN["Kid"],
        "!run@3": RUN["Stray"],
        "run@4": RUN["Base"],
        "run@5": RUN["Stray"],
    }
}
OVERRIDES = [(RUN["Kid"], RUN["Base"])]


@pytest.mark.slow
def test_methods_that_override_each_other_are_renamed_together_from_any_of_them(make: Make) -> None:
    codebase = make({"m.py": CLASSES}, CLASS_MARKS, overrides=OVERRIDES)
    for place in (("m.py", 6, 9), ("m.py", 10, 9), ("m.py", 18, 10)):
        found = planned(codebase, place)
        assert places(found) == ["m.py:6:9", "m.py:10:9", "m.py:18:10"]
        assert doubts(found) == []


@pytest.mark.slow
def test_a_base_that_nobody_knows_may_know_the_name(make: Make) -> None:
    codebase = make({"m.py": CLASSES}, CLASS_MARKS, overrides=OVERRIDES)
    found = planned(codebase, ("m.py", 14, 9))
    assert (found.draft.status, doubts(found)) == ("needs_decision", ["unknown_base"])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("@app.route('/')\ndef seen(): ...\n\n\nseen()\n", ["decorated"]),
        ("import functools\n\n\n@functools.cache\ndef seen(): ...\n\n\nseen()\n", []),
        ("def seen(): ...\n", []),
        ("def __getattr__(seen): ...\n\n\n__getattr__(1)\n", ["special_name"]),
    ],
)
def test_what_may_be_asked_for_by_its_name_is_asked_about(make: Make, text: str, expected: list[str]) -> None:
    name = "__getattr__" if "__getattr__" in text else "seen"
    symbol = f"{HEAD}d/{name}()."
    marks = {f"!{name}": symbol} | ({f"{name}@2": symbol} if text.count(name) > 1 else {})
    line = next(number for number, row in enumerate(text.split("\n"), 1) if row.startswith("def"))
    found = planned(make({"d.py": text}, {**MARKS, "d.py": marks}), ("d.py", line, 5))
    assert doubts(found) == expected


@pytest.mark.slow
def test_a_new_name_that_is_taken_where_it_would_stand_is_refused(make: Make) -> None:
    codebase = make({"m.py": CLASSES.replace("go(", "hop(")}, {**MARKS, **CLASS_MARKS}, overrides=OVERRIDES)
    assert planned(codebase, new="use").draft.reasons == ("user.py:4 uses use already",)
    assert planned(codebase, ("m.py", 6, 9), "walk").draft.status == "ok"
    taken = make({"m.py": CLASSES.replace("class Stray", "    def walk(self): ...\n\n\nclass Stray")}, CLASS_MARKS)
    assert planned(taken, ("m.py", 6, 9), "walk").draft.reasons == ("m.py:13 defines Kid.walk already",)


@pytest.mark.slow
def test_a_module_is_not_renamed_by_its_name(make: Make) -> None:
    module = HEAD + "lease/__init__:"
    marks = {"user.py": {**MARKS["user.py"], "lease": module}, "lease.py": MARKS["lease.py"]}
    found = planned(make(marks=marks), ("user.py", 1, 6))
    assert found.draft.status == "refused"
