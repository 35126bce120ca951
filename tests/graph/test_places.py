"""A local hides what has its name further out: nothing that is asked of it is proven to be that thing's."""

from pathlib import Path

import pytest

from cairn.graph.calls import CALLEES, CALLERS, Limits, call_graph
from tests.graph.worlds import Files, calls_at, one, places, resolver_of, uses

_PYTHON = "class A:\n    def m(self): ...\n\n\nclass B:\n    def m(self): ...\n"
_TYPESCRIPT = "export class A { m() {} }\nexport class B { m() {} }\n"


@pytest.mark.parametrize(
    "body",
    [
        "def f(A):\n    A.m()\n",
        "def f():\n    A = make()\n    A.m()\n",
        "def f(xs):\n    for A in xs:\n        A.m()\n",
        "def f(xs):\n    for _, A in xs:\n        A.m()\n",
        "def f():\n    with make() as A:\n        A.m()\n",
        "def f():\n    try: ...\n    except Exception as A:\n        A.m()\n",
        "def f():\n    if A := make():\n        A.m()\n",
        "def f(xs):\n    return [A.m() for A in xs]\n",
        "def f():\n    return lambda A: A.m()\n",
        "def f(x):\n    match x:\n        case A:\n            A.m()\n",
        "def f():\n    A = make()\n    def g():\n        A.m()\n",
        "[A.m() for A in make()]\n",
        "def f(*x: A):\n    x.m()\n",
        "def f(**x: A):\n    x.m()\n",
        "def f[A](x: A):\n    x.m()\n",
        "class C[A]:\n    def f(self, x: A):\n        x.m()\n",
        "def f(x: A):\n    return [x.m() for x in make()]\n",
        "def f(x: A):\n    return lambda x: x.m()\n",
        "def f(x: A):\n    x = B()\n    x.m()\n",
        "def f(x: A | outside.Other):\n    x.m()\n",
        "def f():\n    from nowhere import A\n    A.m()\n",
        "def f():\n    global A\n    A = make()\n    A.m()\n",
        "for A in make():\n    A.m()\n",
    ],
)
def test_python(folder: Path, body: str) -> None:
    _never_proven(folder, {"a.py": _PYTHON, "u.py": "import outside\nfrom a import A, B\n\n\n" + body}, "u.py")


@pytest.mark.parametrize(
    "body",
    [
        "function f(A: any) { A.m(); }",
        "function f() { const A = make(); A.m(); }",
        "function f({ A }: any) { A.m(); }",
        "function f(xs: any) { for (const A of xs) A.m(); }",
        "try { make(); } catch (A) { A.m(); }",
        "make().map(A => A.m());",
        "function f(x: A[]) { x.m(); }",
        "function f(...x: A[]) { x.m(); }",
        "function f(x: A['k']) { x.m(); }",
        "function f<A>(x: A) { x.m(); }",
        "class C<A> { f(x: A) { x.m(); } }",
        "function f(x: A) { make().map(x => x.m()); }",
        "{ let A = make(); A.m(); }",
    ],
)
def test_typescript(folder: Path, body: str) -> None:
    _never_proven(folder, {"a.ts": _TYPESCRIPT, "u.ts": 'import { A, B } from "./a";\n' + body + "\n"}, "u.ts")


def _never_proven(folder: Path, files: Files, path: str) -> None:
    with resolver_of(folder, files) as resolver:
        told = {asked: meant for asked, meant in calls_at(resolver, path).items() if asked.endswith(".m")}
        assert told and not any(meant.startswith("proven") for meant in told.values()), told
        assert not any("proven call" in each for each in places(uses(resolver, "A.m")))
        up = call_graph(resolver, [one(resolver, "A.m")], CALLERS, Limits())
        assert not any(call.tier == "proven" for call in up.calls)


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("u.py", "from a import A\n\n\ndef f(x: A):\n    x.m()\n    make(x)\n"),
        ("u.py", "from a import A\n\n\ndef f(xs):\n    [A for A in xs]\n    return A.m()\n"),
        ("u.py", "from a import A\n\n\ndef f(x: 'A | None' = None, y=lambda A: A):\n    return lambda: x.m()\n"),
        ("u.py", "def f():\n    from a import A\n    A.m()\n    return A\n"),
        ("u.ts", 'import { A } from "./a";\nfunction f(x: A) {\n  x = make();\n  x.m();\n}\n'),
        ("u.ts", 'import { A } from "./a";\nfunction f() {\n  { const A = 1; }\n  A.m();\n}\n'),
    ],
)
def test_what_is_not_hidden_stays_proven(folder: Path, path: str, text: str) -> None:
    with resolver_of(folder, {"a.py": _PYTHON, "a.ts": _TYPESCRIPT, path: text}) as resolver:
        told = {asked: meant for asked, meant in calls_at(resolver, path).items() if asked.endswith(".m")}
        assert list(told.values()) == [f"proven a.{path[2:]}:A.m"]


def test_overloads_have_parameters_of_their_own(folder: Path) -> None:
    files = {
        "A.java": "class A {\n  void m() {}\n}\n",
        "B.java": "class B {\n  void m() {}\n}\n",
        "C.java": "class C {\n  void f(A x) {\n    x.m();\n  }\n  void f(B x) {\n    x.m();\n  }\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        assert calls_at(resolver, "C.java") == {"3:x.m": "proven A.java:A.m", "6:x.m": "proven B.java:B.m"}


def test_python_self_is_what_the_place_says(folder: Path) -> None:
    files = {
        "k.py": "class K:\n    def go(self): ...\n\n    def own(self):\n        self.go()\n\n    def other(self):\n"
        "        self = make()\n        self.go()\n\n    @staticmethod\n    def static(self):\n        self.go()\n\n"
        "    def passed(self):\n        return lambda self: self.go()\n",
        "l.py": "class L:\n    def go(self): ...\n",
    }
    with resolver_of(folder, files) as resolver:
        told = {asked: meant.split()[0] for asked, meant in calls_at(resolver, "k.py").items() if "go" in asked}
        assert told == {"5:self.go": "proven", "9:self.go": "name", "13:self.go": "name", "16:self.go": "name"}


def test_this_is_what_the_place_says(folder: Path) -> None:
    text = """class K {
  go() {}
  own() {
    this.go();
    list.map(() => this.go());
    list.map(function () {
      this.go();
    });
    const it = {
      run() {
        this.go();
      },
    };
    function inner() {
      this.go();
    }
  }
  static all() {
    this.go();
    this.none();
  }
  static none() {}
}
class L {
  go() {}
}
"""
    with resolver_of(folder, {"k.js": text}) as resolver:
        told = {asked: meant.split()[0] for asked, meant in calls_at(resolver, "k.js").items() if "this" in asked}
        assert told == {
            "4:this.go": "proven",
            "5:this.go": "proven",
            "7:this.go": "name",
            "11:this.go": "name",
            "15:this.go": "name",
            "19:this.go": "name",
            "20:this.none": "proven",
        }


def test_an_anonymous_class_has_a_this_of_its_own(folder: Path) -> None:
    text = (
        "class K {\n  void go() {}\n  void own() {\n    new Thread() {\n      public void run() {\n        this.go();\n"
    )
    text += "      }\n    };\n    this.go();\n  }\n}\nclass L {\n  void go() {}\n}\n"
    with resolver_of(folder, {"K.java": text}) as resolver:
        told = calls_at(resolver, "K.java")
        assert told["9:this.go"] == "proven K.java:K.go"
        assert told["6:this.go"].startswith("name")


def test_the_graph_draws_no_call_of_a_local(folder: Path) -> None:
    files = {"a.py": _PYTHON, "u.py": "from a import A\n\n\ndef f(A):\n    A.m()\n\n\ndef g():\n    A.m()\n"}
    with resolver_of(folder, files) as resolver:
        up = call_graph(resolver, [one(resolver, "A.m")], CALLERS, Limits())
        assert [node.name for node in up.nodes if node.depth] == ["g"]
        assert up.unresolved == 1
        down = call_graph(resolver, [one(resolver, "f")], CALLEES, Limits())
        assert not down.calls and down.unresolved == 1
