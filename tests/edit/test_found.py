"""What renames in real projects got wrong, or asked for without need."""

import pytest

from cairn.edit.source.values import NEEDS_DECISION, OK, OK_SYNTACTIC
from tests.edit.samples import Rename, Words, lines, why

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]


STORE = "def save(path, mode):\n    return path\n"
STORE_FACTS = {
    "!save": "`m`/save().",
    "!path": "`m`/save().(path)",
    "path@2": "`m`/save().(path)",
    "!mode": "`m`/save().(mode)",
}


def test_a_call_of_something_unknown_by_the_functions_name_leaves_its_keywords_open(rename: Rename) -> None:
    calls = "from m import save\nsave(1, 2)\ndef run(it): it.save(path=1)\n"
    facts = {"save": "`m`/save().", "save@2": "`m`/save()."}
    found = rename("path", {"m.py": (STORE, STORE_FACTS), "n.py": (calls, facts)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"keyword_argument"})


@pytest.mark.parametrize(
    "text",
    [
        "class A:\n    def f(it):\n        return it\n",
        "class A:\n    @classmethod\n    def f(it):\n        return it\n",
        "def f(*it):\n    return it\n",
        "def f(**it: int):\n    return it\n",
        "def f(it, /, other):\n    return it\n",
    ],
)
def test_what_no_caller_can_name_is_proven_by_its_scope(rename: Rename, text: str) -> None:
    other = "'it'\nprint(it=1)\n"
    found = rename("it", {"m.py": (text, {}), "n.py": (other, {})})
    assert (found.status, len(found.spots)) == (OK_SYNTACTIC, 2)


VISIT = "`m`/V#visit_Name()."
VISITED = ("from m import V\nV().visit_Name()\n", {"visit_Name": VISIT})


def test_documentation_is_prose(rename: Rename) -> None:
    text = 'class Loop:\n    """See loop.index, and {index}."""\n    def index(self): pass\nLoop().index()\n'
    member = "`m`/Loop#index()."
    found = rename(
        "index@3",
        {"m.py": (text, {"!Loop": "`m`/Loop#", "Loop@2": "`m`/Loop#", "!index@3": member, "index@4": member})},
    )
    assert (found.status, len(found.mentions)) == (OK, 2)


@pytest.mark.slow
def test_the_letter_of_an_escape_is_no_name(rename: Rename) -> None:
    text = "class A:\n    def n(self): pass\nA().n()\nend = '\\n'\n"
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "!n": "`m`/A#n().", "n@2": "`m`/A#n()."}
    assert rename("n", {"m.py": (text, facts)}).status == OK


PRINT = "scip-python python python-stdlib 3.11 builtins/print()."
NAMESPACE = "scip-python python python-stdlib 3.11 types/SimpleNamespace#"


def test_a_local_name_that_others_look_for_is_not_local_alone(rename: Rename) -> None:
    assert (
        rename("__tracebackhide__", {"m.py": ("def f():\n    __tracebackhide__ = True\n", {})}).status == NEEDS_DECISION
    )


@pytest.mark.parametrize(
    "text",
    [
        "def f():\n    it = 1\n    exec('it')\n    return it\n",
        "def f():\n    it = 1\n    return f'{it=}'\n",
        "def f():\n    it = 1\n    return '{it}'.format(**vars()), it\n",
    ],
)
def test_a_local_name_that_is_asked_for_as_a_text_is_not_proven_by_facts_either(rename: Rename, text: str) -> None:
    found = rename("it", {"m.py": (text, {"!it": "local 0", f"it@{text.count('it')}": "local 0"})})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"asked_by_name"})


def test_a_name_that_an_import_repeats_of_something_else_stays(rename: Rename) -> None:
    group = "`m`/Group#"
    found = rename(
        "Group",
        {
            "m.py": ("class Group: pass\nGroup()\n", {"!Group": group, "Group@2": group}),
            "o.py": ("from x import Group as Group\n", {"Group": "`x`/Group#", "Group@2": "`x`/Group#"}),
        },
    )
    assert (found.status, lines(found)) == (OK, [("m.py", 1), ("m.py", 2)])


@pytest.mark.parametrize(("base", "expected"), [("(Outside)", {"unknown_base"}), ("", set())])
def test_a_base_of_a_base_that_nobody_knows_may_know_the_name(rename: Rename, base: str, expected: set[str]) -> None:
    text = f"class A{base}: pass\nclass B(A): pass\nclass C(B):\n    def run(self): pass\nC().run()\n"
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", "!B": "`m`/B#", "B@2": "`m`/B#", "!C": "`m`/C#", "C@2": "`m`/C#"}
    found = rename("run", {"m.py": (text, {**facts, "!run": "`m`/C#run().", "run@2": "`m`/C#run()."})})
    assert why(found) == expected


@pytest.mark.parametrize(
    ("text", "is_asked"),
    [
        ("export const mixed = (Base) => class extends Base { go() {} }\n", True),
        ("export function make() { return class extends Outside { go() {} } }\n", True),
        ("register(class extends Outside { go() {} })\n", True),
        ("class Known extends Outside {}\nregister(class extends Known { go() {} })\n", True),
        ("class Known {}\nregister(class extends Known { go() {} })\n", False),
    ],
)
def test_a_base_of_a_class_without_a_name_may_know_the_name(rename: Rename, text: str, is_asked: bool) -> None:
    found = rename("go", {"m.mjs": (f"import {{ Outside }} from 'far'\n{text}", {})})
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"unknown_base"}) if is_asked else (OK_SYNTACTIC, set()))


@pytest.mark.parametrize(
    ("text", "facts"),
    [
        (
            "Base = make()\nclass A(Base):\n    def go(self): pass\nA().go()\n",
            {"!Base": "`m`/Base.", "Base@2": "`m`/Base."},
        ),
        (
            "def make(): pass\nclass A(make()):\n    def go(self): pass\nA().go()\n",
            {"!make": "`m`/make().", "make@2": "`m`/make()."},
        ),
    ],
)
def test_a_base_that_a_call_makes_may_know_the_name(rename: Rename, text: str, facts: Words) -> None:
    own = {"!A": "`m`/A#", "A@2": "`m`/A#", "!go": "`m`/A#go().", "go@2": "`m`/A#go()."}
    found = rename("go", {"m.py": (text, facts | own)})
    assert (found.status, why(found)) == (NEEDS_DECISION, {"unknown_base"})


def test_the_parameters_of_an_exception_are_its_own(rename: Rename) -> None:
    text = "class E(Exception):\n    def __init__(self, size): self.kept = size\nE(1)\n"
    base = "scip-python python python-stdlib 3.11 builtins/Exception#"
    init = "`m`/E#__init__()."
    facts = {"!E": "`m`/E#", "Exception": base, "!__init__": init, "!size": f"{init}(size)", "size@2": f"{init}(size)"}
    assert "unknown_base" not in why(rename("size", {"m.py": (text, facts | {"E@2": "`m`/E#"})}))


@pytest.mark.parametrize(("base", "is_asked"), [("Exception", False), ("list", True)])
def test_a_new_name_that_a_base_has_already_is_asked_about(rename: Rename, base: str, is_asked: bool) -> None:
    symbol = f"scip-python python python-stdlib 3.11 builtins/{base}#"
    facts = {"!A": "`m`/A#", base: symbol, "A@2": "`m`/A#", "!go": "`m`/A#go().", "go@2": "`m`/A#go()."}
    text = f"class A({base}):\n    def go(self): pass\nA().go()\n"
    found = rename("go", {"m.py": (text, facts)}, new="sort")
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"unknown_base"}) if is_asked else (OK, set()))


@pytest.mark.parametrize(("new", "is_asked"), [("check_all", True), ("test_more", False)])
def test_what_test_runners_look_for_keeps_how_it_begins(rename: Rename, new: str, is_asked: bool) -> None:
    facts = {"!test_all": "`m`/test_all().", "test_all@2": "`m`/test_all()."}
    found = rename("test_all", {"m.py": ("def test_all(): pass\ntest_all()\n", facts)}, new=new)
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"special_name"}) if is_asked else (OK, set()))


@pytest.mark.parametrize(("old", "new"), [("visit_Name", "visit_Title"), ("do_GET", "do_PUT")])
def test_what_is_asked_for_by_a_name_that_is_made_is_asked_about(rename: Rename, old: str, new: str) -> None:
    symbol = f"`m`/A#{old}()."
    facts = {"!A": "`m`/A#", "A@2": "`m`/A#", f"!{old}": symbol, f"{old}@2": symbol}
    found = rename(old, {"m.py": (f"class A:\n    def {old}(self): pass\nA().{old}()\n", facts)}, new=new)
    assert (found.status, "special_name" in why(found)) == (NEEDS_DECISION, True)
