"""Answers become semantic where facts are served, and nowhere else."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from cairn.base.errors import UsageError
from cairn.codebase.codebase import Codebase
from tests.notes import said
from tests.semantic.facts import marked, publish, publish_recorded
from tests.semantic.recorded import PROJECTS
from tests.trees import write

PYPROJECT = '[project]\nname = "x"\n'
HEAD = "scip-python python x 0 "
OPEN = "no use is proven or likely: 3 places of that name may be one"
Make = Callable[[Mapping[str, str]], Codebase]


@pytest.fixture
def make(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Make]:
    """Make a codebase of some files, indexed."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    with ExitStack() as stack:

        def made(files: Mapping[str, str]) -> Codebase:
            for path, text in {"pyproject.toml": PYPROJECT, **files}.items():
                write(folder, path, text)
            codebase = stack.enter_context(Codebase(str(folder)))
            codebase.index()
            return codebase

        yield made


def tell(
    codebase: Codebase,
    files: Mapping[str, tuple[str, Mapping[str, str]]],
    context: str = "python:.",
    overrides: tuple[tuple[str, str], ...] = (),
    config_hash: str = "",
) -> None:
    facts = {
        path: list(marked(text, {word: _full(symbol) for word, symbol in words.items()}))
        for path, (text, words) in files.items()
    }
    told = [(_full(one), _full(other)) for one, other in overrides]
    publish(codebase, context, facts, overrides=told, config_hash=config_hash)


def _full(symbol: str) -> str:
    return symbol if symbol.startswith("local ") else HEAD + symbol


def uses(codebase: Codebase, name: str) -> list[str]:
    return [
        f"{item.path}:{item.line}:{item.column} {item.tier} {item.layer} {item.role}"
        for item in codebase.insight.references(name).value.items
    ]


def defined(codebase: Codebase, name: str) -> list[str]:
    return [
        f"{item.path}:{item.symbol.name_line} {item.symbol.qualified_name} {item.symbol.layer}"
        for item in codebase.insight.symbol(name).value.definitions
    ]


@pytest.mark.slow
@pytest.mark.requirement("MOD.1")
@pytest.mark.parametrize(
    ("tool", "context", "goods", "places"),
    [
        (
            "scip-python",
            "python:.",
            "shop/goods.py",
            [
                "shop/till.py:3:19 proven semantic import",
                "shop/till.py:7:39 proven semantic call",
            ],
        ),
        (
            "scip-typescript",
            "javascript:.",
            "src/goods.ts",
            [
                "src/till.ts:1:9 proven semantic import",
                "src/till.ts:4:53 proven semantic call",
            ],
        ),
    ],
)
def test_what_a_real_tool_wrote_answers(make: Make, tool: str, context: str, goods: str, places: list[str]) -> None:
    codebase = make(PROJECTS[tool])
    assert [each.split()[2] for each in uses(codebase, "Thing.price")] == ["syntactic"]
    assert uses(codebase, "Book") == [each.replace("semantic", "syntactic") for each in places]
    publish_recorded(codebase, tool, context)
    assert uses(codebase, "Book") == places
    assert [each.split()[-1] for each in defined(codebase, "Book")] == ["semantic"]
    # The one call of `price` is of the base by its type, and may be of what overrides it.
    assert [each.split()[1:3] for each in uses(codebase, "Thing.price")] == [["proven", "semantic"]]
    assert [each.split()[1:3] for each in uses(codebase, "Book.price")] == [["likely", "semantic"]]
    told = codebase.insight.references("Thing.price").value
    # The method that overrides it is another definition.
    assert (told.layers, told.elsewhere, told.unresolved) == ({"semantic": 1}, 1, 0)
    assert {item.path for item in told.definitions} == {goods}
    assert [item.symbol.layer for item in codebase.insight.symbol("total")] == ["semantic"]


A = "class A:\n    def drop(self):\n        pass\n\n\nclass B:\n    def drop(self):\n        pass\n"
U = "from a import A, B\n\n\ndef use(one, two, three):\n    one.drop()\n    two.drop()\n    three.drop()\n"
A_FACTS = {"!A": "a/A#", "!drop": "a/A#drop().", "!B": "a/B#", "!drop@2": "a/B#drop()."}
U_FACTS = {"A": "a/A#", "B": "a/B#", "drop@1": "a/A#drop().", "drop@2": "a/B#drop()."}


@pytest.mark.slow
def test_a_place_of_another_symbol_is_elsewhere_and_one_that_nothing_is_said_of_is_judged_as_before(
    make: Make,
) -> None:
    codebase = make({"a.py": A, "u.py": U})
    assert [each.split()[1] for each in uses(codebase, "A.drop")] == ["name"] * 3
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)})
    assert uses(codebase, "A.drop") == ["u.py:5:8 proven semantic call", "u.py:7:10 name syntactic call"]
    told = codebase.insight.references("A.drop").value
    # The other definition, and its use.
    assert (told.elsewhere, told.unresolved) == (2, 1)
    assert told.layers == {"semantic": 1, "syntactic": 1}
    assert told.tiers == {"proven": 1, "name": 1}


def test_a_symbol_that_the_index_could_not_name_proves_nothing(make: Make) -> None:
    user = "from a import *\n\nA()\n"
    codebase = make({"a.py": A, "u.py": user})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (user, {"A": "local 7"})})
    assert uses(codebase, "A") == ["u.py:3:0 proven syntactic call"]


def test_a_symbol_that_stands_for_several_things_proves_nothing(make: Make) -> None:
    text = "def a():\n    def ask(): ...\n    return ask\n\n\ndef b():\n    def ask(): ...\n    return ask\n"
    codebase = make({"a.py": text})
    before = [uses(codebase, "a.ask"), uses(codebase, "b.ask")]
    assert before == [["a.py:3:11 proven syntactic read"], ["a.py:8:11 proven syntactic read"]]
    tell(
        codebase,
        {"a.py": (text, {"!ask@1": "a/ask().", "ask@2": "a/ask().", "!ask@3": "a/ask().", "ask@4": "a/ask()."})},
    )
    assert [uses(codebase, "a.ask"), uses(codebase, "b.ask")] == before
    assert defined(codebase, "a.py:8:12") == ["a.py:7 b.ask syntactic"]


def test_of_ranges_around_a_place_the_narrowest_tells(make: Make) -> None:
    user = "from a import A as B\n"
    codebase = make({"a.py": A, "u.py": user})
    facts = {
        "a.py": list(marked(A, {word: _full(symbol) for word, symbol in A_FACTS.items()})),
        "u.py": [(1, 14, 1, 20, _full("a/B#"), 0), (1, 14, 1, 15, _full("a/A#"), 0)],
    }
    publish(codebase, "python:.", facts)
    assert uses(codebase, "A") == ["u.py:1:14 proven semantic import"]
    assert uses(codebase, "B") == ["u.py:1:19 proven semantic import"]


def test_what_is_defined_in_a_string_is_no_use_of_itself(make: Make) -> None:
    text = "class A:\n    __slots__ = ('slot',)\n\n    def get(self):\n        return self.slot\n"
    codebase = make({"a.py": text})
    tell(codebase, {"a.py": (text, {"!A": "a/A#", "!slot@1": "a/A#slot.", "slot@2": "a/A#slot."})})
    assert defined(codebase, "slot") == ["a.py:2 A.slot semantic"]
    assert uses(codebase, "slot") == ["a.py:5:20 proven semantic read"]


def test_uses_under_names_that_nobody_looked_for_are_added(make: Make) -> None:
    user = "from a import load\n\nload('A')\nfound = 1\n\n\ndef use():\n    return found.drop\n"
    codebase = make({"a.py": A, "u.py": user})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (user, {"found@2": "a/A#", "A": "a/A#"})})
    # In the text of a string no syntax finds a name.
    assert uses(codebase, "A") == ["u.py:3:6 proven semantic read", "u.py:8:11 proven semantic read"]
    told = codebase.insight.references("A").value.items
    assert [(item.name, item.within, item.text) for item in told] == [
        ("A", "", "load('A')"),
        ("found", "use", "return found.drop"),
    ]


def test_a_member_that_the_index_takes_for_its_class_is_not_believed(make: Make) -> None:
    text = "class A:\n    __slots__ = ('slot',)\n\n    def get(self):\n        return self.slot\n"
    codebase = make({"a.py": text})
    tell(codebase, {"a.py": (text, {"!A": "a/A#", "slot@2": "a/A#"})})
    assert uses(codebase, "A") == []
    assert codebase.insight.references("slot").value.elsewhere == 0


SELF = (
    "class A:\n    def __init__(self, size):\n        self.count = size\n\n    def more(self):\n"
    "        self.count = self.count + 1\n\n\ndef use(a: A):\n    count = a.count\n    return count\n"
)


def test_attributes_that_only_the_index_knows_are_found_and_parameters_are_not(make: Make) -> None:
    codebase = make({"a.py": SELF})
    assert defined(codebase, "count") == []
    words = {
        "!size": "a/A#__init__().(size)",
        "size@2": "a/A#__init__().(size)",
        "!count@1": "a/A#count.",
        "!count@2": "a/A#count.",
        "count@3": "a/A#count.",
        "!count@4": "local 1",
        "count@5": "a/A#count.",
        "count@6": "local 1",
    }
    tell(codebase, {"a.py": (SELF, words)})
    assert defined(codebase, "count") == ["a.py:3 A.count semantic"]
    assert defined(codebase, "A.count") == ["a.py:3 A.count semantic"]
    assert defined(codebase, "B.count") == defined(codebase, "size") == []
    (found,) = codebase.insight.symbol("count").value.definitions
    assert (found.symbol.kind, found.symbol.container, found.symbol.end_line) == ("field", "A", 3)
    assert uses(codebase, "count") == [
        "a.py:6:13 proven semantic write",
        "a.py:6:26 proven semantic read",
        "a.py:10:14 proven semantic read",
    ]
    assert codebase.insight.references("count").value.elsewhere == 2
    assert defined(codebase, "a.py:10:15") == ["a.py:3 A.count semantic"]
    assert [item.symbol.layer for item in codebase.insight.symbol("count")] == ["semantic"]


def test_a_place_names_what_the_index_says(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    assert len(defined(codebase, "u.py:6:9")) == 2
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)})
    assert defined(codebase, "u.py:6:9") == ["a.py:7 B.drop semantic"]
    assert uses(codebase, "u.py:6:9")[0] == "u.py:6:8 proven semantic call"


def test_what_is_asked_of_a_base_is_likely_of_what_overrides_it_and_siblings_are_others(make: Make) -> None:
    base = "class Base:\n    def run(self): ...\n\n\nclass One(Base):\n    def run(self): ...\n\n\n"
    base += "class Two(Base):\n    def run(self): ...\n"
    user = "def use(base, one, two):\n    base.run()\n    one.run()\n    two.run()\n"
    names = ("a/Base#run().", "a/One#run().", "a/Two#run().")
    codebase = make({"a.py": base, "u.py": user})
    tell(
        codebase,
        {
            "a.py": (base, {"!run@1": names[0], "!run@2": names[1], "!run@3": names[2]}),
            "u.py": (user, {"run@1": names[0], "run@2": names[1], "run@3": names[2]}),
        },
        overrides=((names[1], names[0]), (names[2], names[0])),
    )
    assert uses(codebase, "Base.run") == [
        "u.py:2:9 proven semantic call",
    ]
    assert codebase.insight.references("Base.run").value.elsewhere == 4
    assert uses(codebase, "One.run") == ["u.py:2:9 likely semantic call", "u.py:3:8 proven semantic call"]


@pytest.mark.slow
def test_uses_are_syntactic_while_what_their_file_imports_or_defines_has_changed(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)})
    root = Path(codebase.root.path)
    write(root, "u.py", "import os\n" + U)
    codebase.index()
    told = codebase.insight.references("A.drop")
    assert [item.layer for item in told.value.items] == ["syntactic"] * 3
    assert said(told) == (OPEN,)
    write(root, "u.py", U)
    # What its definition says to others is what it was: the uses are as they were, and who they are of isn't known.
    write(root, "a.py", A + "\n\ndef more():\n    pass\n")
    codebase.index()
    told = codebase.insight.references("A.drop")
    older = "semantic facts of a.py are older than the file: run `cairn refresh`"
    assert said(told) == (OPEN, older)
    assert said(codebase.insight.symbol("A.drop")) == (older,)
    assert [item.layer for item in told.value.items] == ["syntactic"] * 3


def test_facts_of_a_stale_file_are_likely(make: Make) -> None:
    other = "def helper():\n    pass\n"
    user = U + "    helper()\n"
    codebase = make({"a.py": A, "o.py": other, "u.py": user})
    tell(
        codebase,
        {
            "a.py": (A, A_FACTS),
            "o.py": (other, {"!helper": "o/helper()."}),
            "u.py": (user, {**U_FACTS, "helper": "o/helper()."}),
        },
    )
    assert uses(codebase, "A.drop")[0] == "u.py:5:8 proven semantic call"
    write(Path(codebase.root.path), "o.py", "def helper(more):\n    pass\n")
    codebase.index()
    assert uses(codebase, "A.drop")[0] == "u.py:5:8 likely semantic call"


def test_each_file_is_answered_for_by_its_own_context_alone(make: Make) -> None:
    inner = "def f():\n    return 1\n"
    user = "from one.m import f\n\nf()\n"
    codebase = make(
        {"one/pyproject.toml": PYPROJECT, "one/m.py": inner, "two/pyproject.toml": PYPROJECT, "two/u.py": user}
    )
    tell(codebase, {"one/m.py": (inner, {"!f": "m/f()."})}, "python:one")
    # What the other context says of files that are not its own is not asked.
    tell(
        codebase,
        {"two/u.py": (user, {"f@2": "m/f()."}), "one/m.py": (inner, {"!def": "m/other.", "return": "m/f()."})},
        "python:two",
    )
    assert defined(codebase, "f") == ["one/m.py:1 f semantic"]
    assert uses(codebase, "f") == ["two/u.py:1:18 proven syntactic import", "two/u.py:3:0 proven semantic call"]
    assert defined(codebase, "other") == []


def test_a_context_that_can_not_be_understood_answers_nothing(make: Make) -> None:
    broken = "def f(:\n  ((((\n]]]] = = class class\n) ) ) def def\n"
    codebase = make({"a.py": broken})
    tell(codebase, {"a.py": (broken, {"!class": "a/class."})})
    assert codebase.insight.contexts().value.probes["python:."].status == "failed"
    assert defined(codebase, "class") == []


def test_a_context_whose_manifest_is_gone_answers_nothing(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    tell(codebase, {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)})
    (Path(codebase.root.path) / "pyproject.toml").unlink()
    codebase.index()
    assert {item.layer for item in codebase.insight.references("A.drop").value.items} == {"syntactic"}


def test_names_that_no_index_can_have_are_no_error(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    tell(codebase, {"a.py": (A, A_FACTS)})
    assert defined(codebase, "\udcff") == []
    for nothing in ("", " "):
        with pytest.raises(UsageError):
            codebase.insight.symbol(nothing)


@pytest.mark.slow
def test_without_facts_nothing_of_the_semantic_layer_is_loaded(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    script = (
        "import sys\nfrom cairn.codebase.codebase import Codebase\n"
        "with Codebase(sys.argv[1]) as codebase:\n"
        "    codebase.insight.references('drop')\n    codebase.insight.symbol('drop')\n"
        "    codebase.insight.symbol('A')\n"
        "print([name for name in sys.modules if name.startswith('cairn.semantic') or 'served' in name])\n"
    )
    done = subprocess.run(
        (sys.executable, "-c", script, codebase.root.path), capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stdout == "[]\n"


def test_what_another_context_calls_alike_is_another_if_it_defines_it_or_calls_it_otherwise(make: Make) -> None:
    inner = "def f():\n    return 1\n"
    own = "def f():\n    return 2\n\n\nf()\n"
    other = "from elsewhere import f\n\nf()\n"
    tomls = {f"{name}/pyproject.toml": PYPROJECT for name in ("one", "two", "three")}
    codebase = make({**tomls, "one/m.py": inner, "two/m.py": own, "three/u.py": other})
    tell(codebase, {"one/m.py": (inner, {"!f": "m/f()."})}, "python:one")
    tell(codebase, {"two/m.py": (own, {"!f": "m/f().", "f@2": "m/f()."})}, "python:two")
    tell(codebase, {"three/u.py": (other, {"f@2": "elsewhere/f()."})}, "python:three")
    told = codebase.insight.references("one/m.py:1").value.items
    assert [item for item in told if item.layer == "semantic"] == []


@pytest.mark.slow
def test_facts_that_were_made_under_other_manifests_are_likely(make: Make) -> None:
    codebase = make({"a.py": A, "u.py": U})
    facts = {"a.py": (A, A_FACTS), "u.py": (U, U_FACTS)}
    (context,) = [each for each in codebase.insight.contexts().value.contexts if each.id == "python:."]
    tell(codebase, facts, config_hash=context.config_hash)
    assert uses(codebase, "A.drop")[0] == "u.py:5:8 proven semantic call"
    write(Path(codebase.root.path), "pyproject.toml", PYPROJECT + 'version = "2"\n')
    codebase.index()
    assert uses(codebase, "A.drop")[0] == "u.py:5:8 likely semantic call"
