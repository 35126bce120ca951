"""Changed signatures from the question to the written files: the definitions, every call, and what nobody can see."""

import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from typing import Any

import pytest

from cairn.base.errors import UsageError
from cairn.codebase.codebase import Codebase
from cairn.codebase.signatures import SignatureChanging
from cairn.edit.editor import Planned
from tests.trees import Repo

Changed = Callable[..., tuple[Planned, dict[str, str]]]


@pytest.fixture
def change(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Iterator[Changed]:
    """Change the signature of the first `take` of some files; the plan, and the files after what is proven of it."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    with ExitStack() as stack:

        def made(
            files: Mapping[str, str], take: str = "proven", word: str = "take", **said: Any
        ) -> tuple[Planned, dict[str, str]]:
            for path, text in files.items():
                repo.write(path, text)
            codebase = stack.enter_context(Codebase(str(repo.path)))
            codebase.index()
            changing = SignatureChanging(codebase)
            path, text = next(iter(files.items()))
            before = text[: text.index(word)].encode()
            place = (path, before.count(b"\n") + 1, len(before) - before.rfind(b"\n"))
            planned = changing.plan_signature(*place, **said)
            if planned.plan is not None:
                planned = planned if planned.applicable else changing.decide(f"{planned.plan.id}:{take}")
                assert planned.plan is not None
                changing.apply(planned.plan.id)
            return planned, {path: (repo.path / path).read_text() for path in files}

        yield made


def doubts(planned: Planned) -> set[str]:
    draft = planned.draft
    return {each.why for each in draft.opened} | {each.kind for each in draft.constructs}


FAMILY = """\
class Base:
    def take(self, key, wait=1, *, loud=False, quiet=True):
        return key

class Sub(Base):
    def take(self, key, wait=1, *, quiet=True, loud=False):
        return super().take(key, wait, loud=loud)

def run(base: Base):
    base.take(1, 2)
    base.take(1, wait=2, loud=True)
    Base.take(base, 1, 2)
    Sub().take(
        1,
        2,  # the wait
        loud=True,
    )
"""


def test_a_parameter_goes_from_a_method_with_its_overrides_and_from_every_call(change: Changed) -> None:
    planned, files = change({"a.py": FAMILY}, remove="wait")
    assert (planned.draft.status, planned.draft.title) == ("ok_syntactic", "remove wait from take")
    assert (
        files["a.py"]
        == """\
class Base:
    def take(self, key, *, loud=False, quiet=True):
        return key

class Sub(Base):
    def take(self, key, *, quiet=True, loud=False):
        return super().take(key, loud=loud)

def run(base: Base):
    base.take(1)
    base.take(1, loud=True)
    Base.take(base, 1)
    Sub().take(
        1,
        loud=True,
    )
"""
    )


@pytest.mark.slow
def test_a_parameter_more_and_another_order_change_the_definitions_alone(change: Changed) -> None:
    for said, head, sub in (
        ({"add": "more: int = 3"}, "wait=1, more: int = 3, *, loud=False, quiet=True", "quiet=True, loud=False"),
        ({"add": "more=3", "keyword_only": True}, "loud=False, quiet=True, more=3", "quiet=True, loud=False, more=3"),
        ({"reorder": "quiet,loud"}, "quiet=True, loud=False", "quiet=True, loud=False"),
    ):
        planned, files = change({"a.py": FAMILY}, **said)
        assert planned.draft.status == "ok_syntactic"
        heads = [line for line in files["a.py"].splitlines() if "def take" in line]
        assert head in heads[0]
        assert sub in heads[1]
        assert files["a.py"].split("def run")[1] == FAMILY.split("def run")[1]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("head", "said", "reason"),
    [
        ("def take(a, b): return a", {"remove": "a"}, "a is used: a.py:1"),
        ("def take(a, b): return a", {"remove": "c"}, "c is no parameter of take; there is a, b"),
        ("def take(a, b): return a", {"add": "b=1"}, "a.py:1 has a parameter b already"),
        ("def take(a, b): return c", {"add": "c=1"}, "a.py:1 uses the name c already"),
        ("def take(a, *b): return a", {"add": "c=1"}, "a.py:1 takes any number of arguments by position"),
        ("def take(a, *b): return a", {"remove": "b"}, "takes all further arguments"),
        ("def take(a, b): return a", {"add": "c=1", "at": 1}, "has a behind it, which has no default"),
        ("def take(a=0, b=1): return a\ntake(1)", {"add": "c=1", "at": 1}, "a.py:2 gives argument 1 by position"),
        ("def take(a, *, b, c): pass", {"reorder": "a,b"}, "a: no keyword-only parameter of take; there is b, c"),
        ("def take(a, *, b, c): pass", {"reorder": "b,c"}, "they are in that order already"),
        ("def take(a, **b): pass\ntake(1, c=2)", {"add": "c=1"}, "gives c by name already"),
        ("class A:\n    def take(self, a): pass", {"remove": "self"}, "self of a.py:2 is given by what"),
        ("class A:\n    @property\n    def take(self): pass", {"add": "a=1"}, "asked for like a field"),
        ("class take:\n    def __init__(self, a): pass", {"remove": "a"}, "name its constructor, a.py:2"),
        ("take = 1", {"remove": "a"}, "writes no parameters"),
        (
            "class A:\n    def take(self, a): pass\nclass B(A):\n    def take(self, b): pass",
            {"remove": "a"},
            "a.py:4 has b in the place of a: rename it first",
        ),
        (
            "class A:\n    def take(self, a): pass\nclass B(A):\n    def take(self, a, b=1): pass",
            {"add": "c=1"},
            "argument 2 of a.py:2 but argument 3 of a.py:4: add it as keyword-only",
        ),
    ],
)
def test_what_would_break_is_refused_with_the_place(change: Changed, head: str, said: Any, reason: str) -> None:
    planned, files = change({"a.py": head + "\n"}, **said)
    assert planned.draft.status == "refused"
    assert any(reason in each for each in planned.draft.reasons), planned.draft.reasons
    assert files == {"a.py": head + "\n"}


@pytest.mark.sampled
@pytest.mark.parametrize(
    "said",
    [
        {},
        {"add": "a=1", "remove": "b"},
        {"remove": "a", "at": 1},
        {"add": "c=1", "at": 4},
        {"add": "c=1", "at": 1, "keyword_only": True},
        *({"add": text} for text in ("c", "c=", "c=1, d=2", "c=1 # no", "c=1\n", "c=(1", "class=1", "c=x = 1", "*c")),
        *(
            {"add": text}
            for text in ("c=1); import os; (d", "c=yield", "c=(z := 3)", "c=await x", "self.c=1", "c=1;2", "")
        ),
    ],
)
def test_bad_requests_are_told_so(change: Changed, said: Any) -> None:
    if said.get("add") == "c=1\n":
        said = {"add": "c=1\n+2"}
    with pytest.raises(UsageError):
        change({"a.py": "def take(a, b): return a\n"}, **said)


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("use", "kind"),
    [
        ("take(*x)", "arguments_passed"),
        ("take(1, **x)", "arguments_passed"),
        ("partial(take, 1, 2)", "handed_on"),
        ("map(take, x)", "handed_on"),
        ("take(1, x())", "argument_with_effects"),
        ("take(1, (y := 2))", "argument_with_effects"),
        ("@take\ndef f(): pass", "handed_on"),
    ],
)
def test_whoever_may_give_the_argument_unseen_is_asked_about(change: Changed, use: str, kind: str) -> None:
    planned, files = change({"a.py": f"def take(a, b=1):\n    return a\n{use}\n"}, remove="b")
    assert planned.draft.status == "needs_decision"
    assert doubts(planned) == {kind}
    assert files["a.py"] == f"def take(a):\n    return a\n{use}\n"


def test_a_method_that_the_language_calls_is_asked_about(change: Changed) -> None:
    text = "class A:\n    def __enter__(self): pass\n    def __exit__(self, a, b, c): pass\n"
    planned, _ = change({"a.py": text}, word="__exit__", remove="b")
    assert doubts(planned) == {"special_name"}


@pytest.mark.slow
def test_a_call_of_something_unknown_is_changed_where_the_user_says_so(change: Changed) -> None:
    text = "class A:\n    def take(self, a, b): return a\ndef run(it):\n    it.take(1, 2)\n"
    planned, files = change({"a.py": text}, take="code", remove="b")
    assert (planned.draft.status, doubts(planned)) == ("needs_decision", {"unresolved_use"})
    assert files["a.py"] == text.replace("a, b", "a").replace("1, 2", "1")


def test_calls_by_other_names_and_of_constructors_are_found(change: Changed) -> None:
    source = "def take(a, b, c=1):\n    return a, c\n"
    user = "from a import take as got\nimport a\ngot(1, 2, 3)\na.take(1, b=2)\n"
    _, files = change({"a.py": source, "b.py": user}, remove="b")
    assert files["b.py"] == "from a import take as got\nimport a\ngot(1, 3)\na.take(1)\n"


SCRIPT = """\
export interface Store { take(key: string, wait?: number): string; }
export abstract class Base implements Store { abstract take(key: string, wait?: number): string; }
export class Mem extends Base {
  take(key: string, wait: number = 1): string { return key; }
}
"""
USER = 'import { Mem, Base } from "./a";\nnew Mem().take("a", 2);\nconst f = (b: Base) => b.take("x", 1);\n'


@pytest.mark.slow
def test_interfaces_and_abstract_methods_move_with_their_implementations(change: Changed) -> None:
    planned, files = change({"a.ts": SCRIPT, "b.ts": USER}, remove="wait")
    assert planned.draft.status == "ok_syntactic"
    assert "wait" not in files["a.ts"]
    assert files["b.ts"] == USER.replace(", 2)", ")").replace(", 1)", ")")
    planned, files = change({"a.ts": SCRIPT, "b.ts": USER}, add="loud = false")
    assert files["a.ts"].count("wait?: number, loud?: boolean)") == 2
    assert "wait: number = 1, loud = false)" in files["a.ts"]


@pytest.mark.slow
def test_a_function_of_javascript_that_is_handed_on_may_be_given_more_than_it_takes(change: Changed) -> None:
    planned, _ = change({"a.ts": "export function take(a: number) { return a }\n[1].map(take);\n"}, add="b = 1")
    assert doubts(planned) == {"handed_on"}


@pytest.mark.slow
def test_keys_that_a_parameter_is_taken_apart_by_change_places(change: Changed) -> None:
    text = "const take = ({ a, b = 2, ...rest }) => a + b;\ntake({ a: 1 });\n"
    _, files = change({"a.js": text}, reorder="b,a")
    assert files["a.js"] == text.replace("a, b = 2", "b = 2, a")
    planned, _ = change({"a.js": "const take = ({ a, b = a }) => a + b;\n"}, reorder="b,a")
    assert planned.draft.status == "refused"


@pytest.mark.slow
def test_whoever_may_stand_in_its_place_without_saying_so_is_asked_about(change: Changed) -> None:
    promise = "class Store(Protocol):\n    def take(self, key, wait=1): ...\n"
    text = f"from typing import Protocol\n{promise}class Loose:\n    def take(self, key, wait=1): return key\n"
    planned, _ = change({"a.py": text}, remove="wait")
    assert [(each.kind, each.line) for each in planned.draft.constructs] == [("stand_in", 5)]
    script = "interface Store { take(key: string, wait: number): string }\n"
    script += "const one: Store = { take(key, wait) { return key } };\nconst two: Store = { take: key => key };\n"
    planned, _ = change({"b.ts": script}, remove="wait")
    assert [(each.kind, each.line) for each in planned.draft.constructs] == [("stand_in", 2)]


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("def take(a): return a\nLIMIT = 3\n", 2),
        ("def take(a): return a\nimport LIMIT\n", 2),
        ("if TYPE_CHECKING:\n    from b import LIMIT\ndef take(a): return a\n", 2),
        ("class A:\n    def take(self, a): return a\n    LIMIT = 3\n", 3),
        ("class A:\n    def take(self, a): return a\nLIMIT = 3\n", 3),
        ("LIMIT = 3\ndef f():\n    def take(a): return a\n    LIMIT = 4\n    return take\n", 4),
        ("class A:\n    LIMIT = 3\n    class B:\n        def take(self, a): return a\n", 0),
        ("LIMIT: int\ndef take(a): return a\nLIMIT = 3\n", 3),
        ("LIMIT = 3\ndef take(a): return a\n", None),
        ("from b import LIMIT\nclass A:\n    def take(self, a): return a\n", None),
        ("class A:\n    LIMIT = 3\n    def take(self, a): return a\n", None),
        ("def f():\n    def take(a): return a\n    return take\nLIMIT = 4\nf()\n", None),
        ("try:\n    from b import LIMIT\nexcept ImportError:\n    LIMIT = 1\ndef take(a): return a\n", None),
    ],
)
def test_a_default_uses_only_what_has_a_value_where_the_head_is_run(
    change: Changed, text: str, line: int | None
) -> None:
    planned, _ = change({"a.py": text, "b.py": "LIMIT = 3\n"}, add="k=LIMIT")
    if line:
        assert planned.draft.status == "refused"
        assert f"a.py:{line} gives LIMIT its value" in planned.draft.reasons[0]
    else:
        assert planned.draft.status == ("needs_decision" if line == 0 else "ok_syntactic"), planned.draft.reasons


@pytest.mark.slow
def test_an_annotation_is_run_with_the_head_but_for_the_future(change: Changed) -> None:
    text = "def take(a): return a\nclass Kind: pass\n"
    assert change({"a.py": text}, add="k: Kind = None")[0].draft.status == "refused"
    planned, _ = change({"a.py": f"from __future__ import annotations\n{text}"}, add="k: Kind = None")
    assert planned.draft.status == "ok_syntactic"


MADE = "class A:\n    def __init__(self, a, b): self.a = a\n"
OF_ITSELF = (
    "    def c(self): return {}(3, 4)\nclass B(A):\n    def d(self): return {}(5, 6)\n"
    "print(A(1, 2).c().a, B(1, 2).d().a)\n"
)


@pytest.mark.slow
@pytest.mark.parametrize("own", ["type(self)", "self.__class__"])
def test_a_class_that_calls_itself_in_its_methods_calls_its_constructor(change: Changed, own: str) -> None:
    before = MADE + OF_ITSELF.format(own, own)
    planned, files = change({"a.py": before}, word="__init__", remove="b")
    assert planned.draft.status == "ok_syntactic"
    assert own + "(3)" in files["a.py"]
    said: list[list[Any]] = [[], []]
    for text, printed in zip((before, files["a.py"]), said, strict=True):
        exec(text, {"print": lambda *values, into=printed: into.extend(values)})
    assert said == [[3, 5], [3, 5]]


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize(
    ("more", "asked"),
    [
        ("def make(t): return t(1, 2)\nmake(A)\n", {"handed_on"}),
        ("class F:\n    kind = A\n", {"handed_on"}),
        ("K = A\nK(1, 2)\n", {"handed_on"}),
        ("def f(t: type[A]): return t(1, 2)\n", {"handed_on"}),
        ("    def c(self): return make(type(self))\n", {"handed_on"}),
        ("    @classmethod\n    def c(cls): return make(cls)\n", {"handed_on"}),
        (
            "    def c(self): return type(self)(1, 2)\nclass B(A):\n    def __init__(self, b): pass\n",
            {"unresolved_use"},
        ),
        ("    def c(self): return type(self).__name__, type(self) is A, isinstance(self, A)\n", set()),
        ("def f(x: A) -> list[A]:\n    try: return A.c\n    except A: return x\n", set()),
    ],
)
def test_a_class_that_is_handed_on_may_be_made_by_whoever_gets_it(change: Changed, more: str, asked: set[str]) -> None:
    planned, _ = change({"a.py": MADE + more}, word="__init__", remove="b")
    assert doubts(planned) == asked


def test_a_value_whose_class_is_called_may_be_one_of_the_class(change: Changed) -> None:
    more = "def f(x: A, y: int): return type(x)(1, 2), type(y)(1, 2)\n"
    planned, _ = change({"a.py": MADE + more}, word="__init__", remove="b")
    assert doubts(planned) == {"handed_on"}


@pytest.mark.sampled
@pytest.mark.requirement("REN.21")
@pytest.mark.parametrize(
    ("decorator", "is_asked"),
    [
        ("def deco(fn):\n    def w(a, b): return fn(a, b)\n    return w\n", True),
        ("def deco(fn):\n    return lambda a, b: fn(a, b)\n", True),
        (
            "class deco:\n    def __init__(self, fn): self.f = fn\n    def __call__(self, a, b): return self.f(a)\n",
            True,
        ),
        ("def deco(fn):\n    def w(*a, **k): return fn(*a, **k)\n    return w\n", False),
        ("def deco(fn):\n    fn.known = True\n    return fn\n", False),
    ],
)
def test_a_decorator_that_takes_parameters_of_its_own_is_asked_about(
    change: Changed, decorator: str, is_asked: bool
) -> None:
    files = {"m.py": f"{decorator}\n@deco\ndef take(a, b): return a\nprint(take(1, 4))\n"}
    planned, after = change(files, remove="b")
    assert doubts(planned) == ({"decorated"} if is_asked else set())
    if not is_asked:
        done = subprocess.run([sys.executable, "-c", after["m.py"]], capture_output=True, text=True, check=True)
        assert done.stdout == "1\n"


@pytest.mark.parametrize("reads", ["locals()", "vars()", 'eval("b")', 'exec("print(b)")'])
def test_what_reads_parameters_without_naming_them_is_asked_about(change: Changed, reads: str) -> None:
    planned, _ = change({"m.py": f"def take(a, b=1): return a, {reads}\ntake(1)\n"}, remove="b")
    assert doubts(planned) == {"name_as_data"}


@pytest.mark.parametrize(("given", "is_asked"), [("**more", True), ("other=1", False)])
def test_names_that_are_not_written_may_be_the_new_one(change: Changed, given: str, is_asked: bool) -> None:
    text = f"def take(a, **k): return a, k\ndef run(more): return take(1, {given})\n"
    planned, _ = change({"m.py": text}, add="wait = 3", keyword_only=True)
    assert {each.why for each in planned.draft.constructs} == (
        {"take is given names that are not written there"} if is_asked else set()
    )
