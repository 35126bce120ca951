"""A local hides what has its name further out: nothing that is asked of it is proven to be that thing's."""

from pathlib import Path

import pytest

from cairn.graph.calls import CALLEES, CALLERS, Limits, call_graph
from tests.graph.worlds import Files, calls_at, one, places, resolver_of, uses

pytestmark = pytest.mark.sampled

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
        "def f(x: A):\n    import outside as x\n    x.m()\n",
        "def f(x: A):\n    from outside import B as x\n    x.m()\n",
        "def f(x: A):\n    x = B()\n    x.m()\n",
        "def f(x: A, g=lambda x: x.m()): ...\n",
        "def f(x: A | outside.Other):\n    x.m()\n",
        "def f():\n    from nowhere import A\n    A.m()\n",
        "def f():\n    global A\n    A = make()\n    A.m()\n",
        "for A in make():\n    A.m()\n",
        "def f():\n    (\n        x,\n        A,\n        y,\n    ) = make()\n    A.m()\n",
        "def f():\n    for (\n        x,\n        A,\n    ) in make():\n        A.m()\n",
        "def f():\n    x, *A = make()\n    A.m()\n",
        "def f():\n    with make() as (x, A):\n        A.m()\n",
        "class C:\n    A = make()\n    x = A.m()\n",
    ],
)
def test_python(folder: Path, body: str) -> None:
    _assert_never_proven(folder, {"a.py": _PYTHON, "u.py": "import outside\nfrom a import A, B\n\n\n" + body}, "u.py")


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
        "function f(x: A) { try { make(); } catch (x) { x.m(); } }",
        "function f(x: A) { try { make(); } catch ({ x }) { x.m(); } }",
        "function f(x: A) { return function x() { x.m(); }; }",
        "{ let A = make(); A.m(); }",
    ],
)
def test_typescript(folder: Path, body: str) -> None:
    _assert_never_proven(folder, {"a.ts": _TYPESCRIPT, "u.ts": 'import { A, B } from "./a";\n' + body + "\n"}, "u.ts")


@pytest.mark.parametrize(
    "body",
    [
        "func f(a A) { a := B{}; a.M() }",
        "func f(a A) { if a := make(); true { a.M() } }",
        "func f(a A) { for _, a := range make() { a.M() } }",
        "func f(a []A) { a.M() }",
        "func f(a ...A) { a.M() }",
        "func f(a map[string]A) { a.M() }",
        "func f[A any](a A) { a.M() }",
        "func f() { A := B{}; A.M() }",
        "func f(a A) { func(a B) { a.M() }(B{}) }",
    ],
)
def test_go(folder: Path, body: str) -> None:
    text = "package p\n\ntype A struct{}\n\nfunc (x A) M() {}\n\ntype B struct{}\n\nfunc (x B) M() {}\n\n"
    with resolver_of(folder, {"p.go": text + body + "\n"}) as resolver:
        told = [meant for asked, meant in calls_at(resolver, "p.go").items() if asked.endswith(".M")]
        assert told
        assert not any(meant == "proven p.go:A.M" for meant in told)


@pytest.mark.parametrize(
    "body",
    [
        "void f() { B a = new B(); a.m(); }",
        "void f(List<B> bs) { for (B a : bs) { a.m(); } }",
        "void f() { make().forEach(a -> a.m()); }",
        "void f() { try { } catch (B a) { a.m(); } }",
        "void f(Object o) { if (o instanceof B a) { a.m(); } }",
        "void f() { B A = null; A.m(); }",
        "void f(A[] x) { x.m(); }",
        "void f(A... x) { x.m(); }",
        "<A> void f(A x) { x.m(); }",
        "void f(Optional<A> x) { x.m(); }",
        "void f(A x) { make().forEach(x -> x.m()); }",
    ],
)
def test_java(folder: Path, body: str) -> None:
    files = {
        "A.java": "class A {\n  void m() {}\n}\n",
        "B.java": "class B {\n  void m() {}\n}\n",
        "C.java": "class C {\n  A a;\n  " + body + "\n}\n",
    }
    with resolver_of(folder, files) as resolver:
        told = [meant for asked, meant in calls_at(resolver, "C.java").items() if asked.endswith(".m")]
        assert told
        assert not any(meant == "proven A.java:A.m" for meant in told)


@pytest.mark.parametrize(
    "body",
    [
        "fn f(a: A) { let a = B; a.m(); }",
        "fn f(a: A) { make().map(|a| a.m()); }",
        "fn f(a: A) { if let Some(a) = make() { a.m(); } }",
        "fn f(a: A) { match make() { Some(a) => a.m(), None => () } }",
        "fn f(a: A) { for a in make() { a.m(); } }",
        "fn f(a: &[A]) { a.m(); }",
        "fn f(a: Vec<A>) { a.m(); }",
        "fn f<A>(a: A) { a.m(); }",
        "fn f(a: A) { a.len(); }",
        "impl A { fn f(&self) { self.len(); } }",
        "mod inner { pub struct A; impl A { pub fn m(&self) {} } fn f(a: A) { a.m(); } }",
        "mod inner { pub struct A; impl A { pub fn m(&self) {} } }\nfn f(a: A) { a.m(); }",
    ],
)
def test_rust(folder: Path, body: str) -> None:
    text = "pub struct A { len: usize }\nimpl A { pub fn m(&self) {} }\npub struct B;\nimpl B { pub fn m(&self) {} }\n"
    with resolver_of(folder, {"src/lib.rs": text + body + "\n"}) as resolver:
        told = [meant for asked, meant in calls_at(resolver, "src/lib.rs").items() if asked.endswith((".m", ".len"))]
        assert told
        assert not any("proven" in meant for meant in told)


def test_what_a_namespace_has_hides_what_is_around_it(folder: Path) -> None:
    text = "class A { m() {} }\nnamespace N {\n  class A { m() {} }\n  function f(x: A) {\n    x.m();\n  }\n}\n"
    with resolver_of(folder, {"a.ts": text + "function g(x: A) {\n  x.m();\n}\n"}) as resolver:
        assert calls_at(resolver, "a.ts") == {"5:x.m": "proven a.ts:N.A.m", "9:x.m": "proven a.ts:A.m"}


def test_a_chain_over_lines_is_asked_of_its_start(folder: Path) -> None:
    text = "package p\n\nfunc Where() {}\n\nfunc f(db DB) {\n\tdb.\n\t\tWhere()\n\tWhere()\n}\n"
    with resolver_of(folder, {"p.go": text}) as resolver:
        assert calls_at(resolver, "p.go") == {"7:db.Where": "outside", "8:Where": "proven p.go:Where"}


def test_members_of_a_class_without_a_name_come_first(folder: Path) -> None:
    text = "class K {\n  void go() {}\n  void f() {\n    new B() {\n      void z() {\n        go();\n      }\n    };\n"
    with resolver_of(folder, {"K.java": text + "  }\n  void g() {\n    go();\n  }\n}\n"}) as resolver:
        told = calls_at(resolver, "K.java")
        assert told["6:go"] == "likely K.java:K.go"
        assert told["11:go"] == "proven K.java:K.go"


def test_an_import_of_another_function_proves_nothing(folder: Path) -> None:
    files = {"a.py": _PYTHON, "u.py": "def f():\n    from a import A\n\n\ndef g():\n    A.m()\n"}
    with resolver_of(folder, files) as resolver:
        assert calls_at(resolver, "u.py") == {"6:A.m": "likely a.py:A.m"}


def test_a_way_out_of_the_snapshot_leaves_a_doubt(folder: Path) -> None:
    text = "try:\n    from a import A\nexcept ImportError:\n    from outside import A\n\nA()\nA.m()\n"
    with resolver_of(folder, {"a.py": _PYTHON, "u.py": text}) as resolver:
        assert calls_at(resolver, "u.py") == {"6:A": "likely a.py:A", "7:A.m": "likely a.py:A.m"}
        assert places(uses(resolver, "A.m")) == ["u.py:7:2 likely call"]


def test_a_head_sees_the_types_of_its_class(folder: Path) -> None:
    text = "class A: ...\n\n\nclass C:\n    class A: ...\n\n    def f(self, x: A) -> 'A': ...\n\n\ndef g(x: A): ...\n"
    with resolver_of(folder, {"a.py": text}) as resolver:
        found = [each for each in places(uses(resolver, "A", "a.py")) if "proven" in each]
        assert found == ["a.py:10:9 proven type"]


def _assert_never_proven(folder: Path, files: Files, path: str) -> None:
    with resolver_of(folder, files) as resolver:
        told = {asked: meant for asked, meant in calls_at(resolver, path).items() if asked.endswith(".m")}
        assert told
        assert not any(meant.startswith("proven") for meant in told.values()), told
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


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        ("k.js", "class K {\ngo() {}\nf() { return class {\nx() {\nthis.go();\n} }; }\n}\n", 5),
        (
            "k.php",
            "<?php\nclass K {\nfunction go() {}\n function f() {\nnew class { function x() {\n$this->go();\n} }; } }\n",
            6,
        ),
        (
            "k.php",
            "<?php\nclass K { static function go() {}\nfunction f() { new class { function x() {\n"
            "self::go();\n} }; } }\n",
            4,
        ),
        (
            "k.php",
            "<?php\nclass K extends L {\nfunction f() {\nnew class extends M { function x() {\nparent::go();\n} }; } }"
            "\nclass L {\nfunction go() {}\n}\n",
            5,
        ),
        ("k.kt", "class K {\n  fun go() {}\n  fun f() {\n    with(b) {\n      this.go()\n    }\n  }\n}\n", 5),
        ("k.kt", "class K {\n  fun go() {}\n  fun B.f() {\n    go()\n  }\n}\n", 4),
        ("k.kt", "class K {\n  fun go() {}\n  fun f() {\n    object : B() { fun x() {\n this.go()\n } }\n  }\n}\n", 5),
        ("k.cpp", "struct K {\n  void go();\n};\ntemplate <class K>\nvoid f(K k) {\n  k.go();\n}\n", 6),
    ],
)
def test_what_may_be_another_this_is_not_proven(folder: Path, path: str, text: str, line: int) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        told = [meant for asked, meant in calls_at(resolver, path).items() if asked.startswith(f"{line}:")]
        assert len(told) == 1
        assert not told[0].startswith("proven")


def test_php_types_hold_until_something_else_is_assigned(folder: Path) -> None:
    text = "<?php\nclass A {\n  function m() {}\n}\nfunction f(A $a) {\n  $a->m();\n  g($a);\n}\n"
    text += "function h(A $a) {\n  $a = b();\n  $a->m();\n}\n"
    with resolver_of(folder, {"a.php": text}) as resolver:
        told = {asked: meant for asked, meant in calls_at(resolver, "a.php").items() if asked.endswith(".m")}
        assert told == {"6:$a.m": "proven a.php:A.m", "11:$a.m": "likely a.php:A.m"}


def test_the_graph_draws_no_call_of_a_local(folder: Path) -> None:
    files = {"a.py": _PYTHON, "u.py": "from a import A\n\n\ndef f(A):\n    A.m()\n\n\ndef g():\n    A.m()\n"}
    with resolver_of(folder, files) as resolver:
        up = call_graph(resolver, [one(resolver, "A.m")], CALLERS, Limits())
        assert [node.name for node in up.nodes if node.depth] == ["g"]
        assert up.unresolved == 1
        down = call_graph(resolver, [one(resolver, "f")], CALLEES, Limits())
        assert not down.calls
        assert down.unresolved == 1
