"""The exact uses of a name in one file: places, roles, receivers, what is local."""

import unicodedata

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.languages.files import language_of
from cairn.syntax.parse import parse_file
from cairn.syntax.uses import Use, scoped_language
from tests.named import all_uses, uses_of

KOTLIN = """class A(val p: Int) : Base() {
    fun m(a: Int): R { val x = p; for (i in a) { i }; l.map { k -> k + x }; f(x = x); a?.b.c(); x = 2; i
        return "$x ${x.y} \\$x" }
}
"""
CPP = """int proto(int a);
template <typename T> int N::f(int a, const S& b, int *p) {
  int x = a, *y; for (auto& v : w) { v; } auto g = [x](int k) { return k; };
  a->b.c = x; A::B::h(x); S s{.x = 1}; x += 1; v; T t; x.x();
}
struct S : Base { int u; int get() { return u; } };
"""
CSHARP = """using A.B;
class A<T> : Base { int F = 1; void M(int a, out string b) {
  int x = a; foreach (var i in xs) { i; } i; F(x: x); a?.b.c(); new S { x = 1 }; x++; this.x = x;
  Func<int> g = k => k; if (o is S s) { s; } int Inner(int r) { return r; } try {} catch (E e) { e; } F = 2; } }
"""
RUBY = """class A < Base::C
  attr_accessor :name
  def m(a, b = a, *c, d: 2)
    x = 1; @x = 3; x += 1; xs.each { |k| k + x }; g(x: x); a.x = 2; a&.ok?; "#{x}"; name
    def self.k; x; end
  end
end
"""
PHP = """<?php
use A\\B as C;
function f(int $a, S $b): R { $x = $a; foreach ($xs as $k => $v) { $x; } g(x: 1); $a->x->c(); A::x(); A::$x;
  $this->x = 1; new N\\Foo(); "{$x} $x"; global $gl; $gl = 2; $h = fn($q) => $q + $x; x(); }
class K extends Base { public int $p = 1; }
"""
SWIFT = """func f(_ a: Int) -> R {
  let x = 1; for i in x { i }; i; if let q = a { q }; q; x += 1; l.map { k in k + x }; f(a: 1); "\\(x)"; a.x
  switch v { case .some(let u): u }
}
class A: B { var p: Int = 1; init(n: Int) { self.p = n } }
"""
SCALA = """class A(p: Int) extends B {
  def m(a: Int): R = { val x = a; for (i <- x) yield i; i; l.map(k => k + 1); f(x = x); a.x = 2
    v match { case Some(u) => u; case None => x } }
}
"""
LUA = """function f(x) local q = x; for k, v in pairs(q) do print(k) end; k(); t.q = {q = 1}; g = 2
  for i = 1, 2 do print(i) end
end
"""
JAVA = """import a.b.Foo;
class A<T> extends Base implements I { int f = 1; void m(int a, String... b) {
  int x = f; for (int i : b) { i = 1; } i(); Runnable g = p -> p; if (o instanceof S s) { s.t(); } a.f = x;
  this.f.g(); x++; new Foo<T>(x) { int x; void z() { x = 2; } }; } }
"""
GO = """package p
import "fmt"
func (r *T) F(a, b int) (c error) {
	x, y := x, a
	for i, v := range x { use(i, v) }
	if e := f(); e != nil { fmt.Println(e) }
	e.x.z = S{x: x}
	switch t := c.(type) { case int: t() }
	g := func(k int) int { x++; return k }
	_ = map[string]int{y: 1}
}
type G[T any] struct { F map[string]T }
"""
RUST = """use a::b::Foo;
fn f<T>(a: u8, (b, c): X) -> Y {
    let x = x; if let Some(z) = z { z } else { z };
    match m { P { k, l: n } if k > 1 => n, None => x, A::B(o) => o };
    let g = |p| p + x; S { h: 1, x }; a.h = 3; mac!(x, a.b.call(1)); x += 1; A::B::<T>(x);
    fn inner() { x }
}
struct S { h: u8 }
"""
TSX = """import D, {E as F} from "x";
function f<T>(a: A, {b, c: d = 1, ...e}: P = q, ...g: any[]) {
  let x = 1; for (const k of xs) { k } try {} catch (m) { m } const h = o => o; x += 1; x++; `${x}`;
  y = <Foo.Bar x={x}/>; if (a) { let k2 = 1; var k3 = 2 } k2; k3; return {x, n: x, ...x};
}
class C<T> extends Base<T> implements I { private ff = 1; m() { this.ff = 2; a?.b!.c(x) } }
export {D as G}; enum En { A1 = 1 }
"""
PYTHON = '''from m import q as z  # q
@deco(x)
def f(a, b: int = a, *c, **e) -> R:
    """x and a"""
    x: int = 1
    for i in xs: print(f"{x!r}", "x")
    [l for l in a if (w := l)]
    lambda n, y=x: n + y
    global g
    g = x.g(x=x).x
    x.y[a] = w = 1
    def inner():
        nonlocal x
        x += 1
    try: import q
    except E as err: q(err)
    match v:
        case P(u, kk=t) | {"a": u, **t}: u
class C(B, metaclass=M):
    y = 1
    def m(self): return self.y, y
__all__ = ["f"]
'''

CASES = [
    ("a.py", PYTHON, "q", "import, import, call"),
    ("a.py", PYTHON, "z", "import"),
    ("a.py", PYTHON, "deco", "call"),
    ("a.py", PYTHON, "a", "definition local, read, read local, read local"),
    ("a.py", PYTHON, "int", "type, type"),
    ("a.py", PYTHON, "R", "type"),
    ("a.py", PYTHON, "B", "type"),
    ("a.py", PYTHON, "M", "type"),
    ("a.py", PYTHON, "metaclass", "read key"),
    ("a.py", PYTHON, "f", "definition"),
    ("a.py", PYTHON, "g", "read, write, call x"),
    (
        "a.py",
        PYTHON,
        "x",
        "read, write local, read local, read local, read local, read key, read local, read x.g(), read local, "
        "read local, write local",
    ),
    ("a.py", PYTHON, "l", "read local, write local, read local"),
    ("a.py", PYTHON, "w", "write local, write local"),
    ("a.py", PYTHON, "n", "definition local, read local"),
    ("a.py", PYTHON, "inner", "definition local"),
    ("a.py", PYTHON, "err", "write local, read local"),
    ("a.py", PYTHON, "u", "write local, write local, read local"),
    ("a.py", PYTHON, "t", "write local, write local"),
    ("a.py", PYTHON, "kk", "read key"),
    ("a.py", PYTHON, "y", "definition local, read local, read x, definition, read self, read"),
    ("a.py", "class A:\n  x = 1\n  y = [x for _ in x]\n", "x", "definition, read, read"),
    ("a.py", "def f():\n  return x\nx = f\n", "x", "read, definition"),
    ("a.py", "def f(T: list[T]) -> T: T\n", "T", "definition local, type, type, read local"),
    ("a.tsx", TSX, "D", "import, read"),
    ("a.tsx", TSX, "E", "import"),
    ("a.tsx", TSX, "T", "definition local, definition local, type local"),
    ("a.tsx", TSX, "a", "definition local, read local, read"),
    ("a.tsx", TSX, "b", "definition local, read a"),
    ("a.tsx", TSX, "c", "read key, call a.b"),
    ("a.tsx", TSX, "d", "definition local"),
    ("a.tsx", TSX, "k", "definition local, read local"),
    ("a.tsx", TSX, "m", "definition local, read local, definition"),
    ("a.tsx", TSX, "k2", "definition local, read"),
    ("a.tsx", TSX, "k3", "definition local, read local"),
    (
        "a.tsx",
        TSX,
        "x",
        "definition local, write local, write local, read local, read key, read local, read local, read local, "
        "read local, read",
    ),
    ("a.tsx", TSX, "y", "write"),
    ("a.tsx", TSX, "Foo", "read"),
    ("a.tsx", TSX, "Bar", "read Foo"),
    ("a.tsx", TSX, "Base", "type"),
    ("a.tsx", TSX, "I", "type"),
    ("a.tsx", TSX, "ff", "definition, write this"),
    ("a.tsx", TSX, "n", "read key"),
    ("a.ts", "export {a} from 'b'; export * as c from 'd';", "a", "import"),
    ("a.ts", "namespace N { export const a = 1; a }", "a", "definition, read"),
    ("a.ts", "const f = (a: A, b?: B): a is C => a as D;", "a", "definition local, type local, read local"),
    ("a.js", "var $a = 1; function b() { $a = 2; var $a }", "$a", "definition, write local, definition local"),
    ("a.js", "class A { #p = 1; m() { this.#p = 2 } get q() { q } }", "#p", "definition, write this"),
    ("a.js", "f({a: 1, a}); const {a} = b; for (a in b) {}", "a", "read key, read, definition, write"),
    ("a.js", "a: for (;;) { break a }; a()", "a", "read key, read key, call"),
    ("a.go", GO, "x", "definition local, read, read local, read e, read key, read local, write local"),
    ("a.go", GO, "a", "definition local, read local"),
    ("a.go", GO, "c", "definition local, read local"),
    ("a.go", GO, "e", "definition local, read local, read local, read"),
    ("a.go", GO, "z", "write e.x"),
    ("a.go", GO, "t", "definition local, call local"),
    ("a.go", GO, "y", "definition local, read local"),
    ("a.go", GO, "T", "type, definition local, type local"),
    ("a.go", GO, "F", "definition, definition"),
    ("a.go", GO, "Println", "call fmt"),
    *(
        ("a.go", f"package a\nconst K = 1\nvar v = {made}{{K: 2}}", "K", f"definition, {role}")
        for made, role in [
            ("[3]int", "read"),
            ("[...]int", "read"),
            ("[]int", "read"),
            ("map[int]int", "read"),
            ("T", "read key"),
            ("p.T", "read key"),
        ]
    ),
    ("a.rs", RUST, "Foo", "import a::b"),
    ("a.rs", RUST, "T", "definition local, type local"),
    ("a.rs", RUST, "b", "import a, definition local, read a"),
    (
        "a.rs",
        RUST,
        "x",
        "definition local, read, read local, read local, read local, read local, write local, read local, read",
    ),
    ("a.rs", RUST, "z", "definition local, read, read local, read"),
    ("a.rs", RUST, "k", "definition local, read local"),
    ("a.rs", RUST, "l", "read key"),
    ("a.rs", RUST, "None", "read"),
    ("a.rs", RUST, "o", "definition local, read local"),
    ("a.rs", RUST, "p", "definition local, read local"),
    ("a.rs", RUST, "h", "read key, write a, definition"),
    ("a.rs", RUST, "call", "call a.b"),
    ("a.rs", RUST, "inner", "definition local"),
    ("A.java", JAVA, "Foo", "import a.b, call"),
    ("A.java", JAVA, "T", "definition local, type local"),
    ("A.java", JAVA, "Base", "type"),
    ("A.java", JAVA, "f", "definition, read, write a, read this"),
    ("A.java", JAVA, "b", "import a, definition local, read local"),
    ("A.java", JAVA, "x", "definition local, read local, write local, read local, definition, write"),
    ("A.java", JAVA, "i", "definition local, write local, call"),
    ("A.java", JAVA, "p", "definition local, read local"),
    ("A.java", JAVA, "s", "definition local, read local"),
    ("A.java", "class A { @K(key = 1) int key; }", "key", "read key, definition"),
    ("A.kt", KOTLIN, "p", "definition, read"),
    ("A.kt", KOTLIN, "a", "definition local, read local, read local"),
    (
        "A.kt",
        KOTLIN,
        "x",
        "definition local, read local, read key, read local, write local, read local, read local",
    ),
    ("A.kt", "class A(val p: Int = q, r: S = p)", "q", "read"),
    ("A.kt", KOTLIN, "i", "definition local, read local, read"),
    ("A.kt", KOTLIN, "k", "definition local, read local"),
    ("A.kt", KOTLIN, "c", "call a?.b"),
    (
        "a.c",
        "int g; int f(int a) { int x = a; g = x; return p->x + s.x; }",
        "x",
        "definition local, read local, read p, read s",
    ),
    ("a.c", "int g; int f(int a) { int x = a; g = x; }", "g", "definition, write"),
    ("a.c", "struct S { int a; }; int f(struct S s) { return s.a; }", "S", "definition, type"),
    ("a.c", '#include "a.h"\n#define A(x) x\n/* a */ int a = A(1);', "A", "definition, call"),
    ("a.cc", CPP, "a", "definition local, definition local, read local, read local"),
    (
        "a.cc",
        CPP,
        "x",
        "definition local, read local, read local, read local, read key, write local, read local, call x",
    ),
    ("a.cc", CPP, "v", "definition local, read local, read"),
    ("a.cc", CPP, "h", "call A::B"),
    ("a.cc", CPP, "c", "write a->b"),
    ("a.cc", CPP, "T", "definition local, type local"),
    ("a.cc", CPP, "Base", "type"),
    ("a.cc", CPP, "u", "definition, read"),
    ("A.cs", CSHARP, "B", "import A"),
    ("A.cs", CSHARP, "x", "definition local, read key, read local, read key, write local, write this, read local"),
    ("A.cs", CSHARP, "i", "definition local, read local, read"),
    ("A.cs", CSHARP, "k", "definition local, read local"),
    ("A.cs", CSHARP, "s", "definition local, read local"),
    ("A.cs", CSHARP, "e", "definition local, read local"),
    ("A.cs", CSHARP, "F", "definition, call, write"),
    ("A.cs", CSHARP, "c", "call a?.b"),
    ("A.cs", CSHARP, "b", "definition local, read a"),
    ("a.rb", RUBY, "name", "definition, read"),
    ("a.rb", RUBY, "a", "definition local, read local, read local, read local"),
    ("a.rb", RUBY, "x", "write local, write local, read local, read key, read local, write a, read local, read"),
    ("a.rb", RUBY, "@x", "write"),
    ("a.rb", RUBY, "ok?", "call a"),
    ("a.rb", RUBY, "C", "type Base"),
    ("a.rb", RUBY, "k", "definition local, read local, definition self"),
    ("a.php", PHP, "B", "import A"),
    ("a.php", PHP, "a", "definition local, read local, read local"),
    (
        "a.php",
        PHP,
        "x",
        "write local, read local, read key, read $a, call A, read A, write $this, read local, read local, read local, "
        "call",
    ),
    ("a.php", PHP, "v", "write local"),
    ("a.php", PHP, "gl", "read, write"),
    ("a.php", PHP, "Foo", "call N"),
    ("a.php", PHP, "p", "definition"),
    ("a.php", PHP, "Base", "type"),
    ("a.swift", SWIFT, "a", "definition local, read local, read key, read local"),
    ("a.swift", SWIFT, "x", "definition local, read local, write local, read local, read local, read a"),
    ("a.swift", SWIFT, "i", "definition local, read local, read"),
    ("a.swift", SWIFT, "q", "definition local, read local, read"),
    ("a.swift", SWIFT, "u", "definition local, read local"),
    ("a.swift", SWIFT, "some", "read"),
    ("a.swift", SWIFT, "k", "definition local, read local"),
    ("a.swift", SWIFT, "p", "definition, write self"),
    ("a.scala", SCALA, "a", "definition local, read local, read local"),
    ("a.scala", SCALA, "x", "definition local, read local, read key, read local, write a, read local"),
    ("a.scala", SCALA, "i", "definition local, read local, read"),
    ("a.scala", SCALA, "u", "definition local, read local"),
    ("a.scala", SCALA, "k", "definition local, read local"),
    ("a.scala", SCALA, "None", "read"),
    ("a.lua", LUA, "x", "definition local, read local"),
    ("a.lua", LUA, "q", "definition local, read local, write t, read key"),
    ("a.lua", LUA, "k", "definition local, read local, call"),
    ("a.lua", LUA, "i", "definition local, read local"),
    ("a.lua", LUA, "g", "write"),
    ("a.swift", "func f(a: Int) { a.b.c(1) }", "c", "call a.b"),
    ("a.dart", "void f() { a.b.c(1); }", "c", "call a.b"),
    ("a.lua", "a.b:c(1)", "c", "call a.b"),
    ("a.scala", "object A { def f = a.b.c(1) }", "c", "call a.b"),
]


def short(use: Use) -> str:
    return " ".join(part for part in (use.role, use.receiver, "local" * use.local, "key" * use.keyword) if part)


@pytest.mark.slow
@pytest.mark.parametrize(("path", "text", "name", "expected"), CASES)
def test_roles_receivers_and_scopes(path: str, text: str, name: str, expected: str) -> None:
    found = uses_of(path, language_of(path), text.encode(), name)
    assert ", ".join(map(short, found)) == expected


@pytest.mark.parametrize(("path", "text"), sorted({(path, text) for path, text, _, _ in CASES}))
def test_places_are_in_order_and_hold_their_names(path: str, text: str) -> None:
    assert_well_placed(path, text.encode())


def assert_well_placed(path: str, data: bytes) -> None:
    language = language_of(path)
    found = all_uses(path, language, data)
    lines = data.split(b"\n")
    places = [(use.line, use.column) for use in found]
    assert places == sorted(set(places))
    for use in found:
        written = lines[use.line - 1][use.column :]
        assert unicodedata.normalize("NFC", written.decode("utf-8", "replace")).startswith(use.name)
        assert use.role in ("definition", "import", "call", "write", "type", "read")
        assert not (use.local and (use.receiver or use.keyword))


def test_within_is_the_qualified_name_of_a_symbol() -> None:
    for path, text in {(path, text) for path, text, _, _ in CASES}:
        language = language_of(path)
        symbols = {symbol.qualified_name for symbol in parse_file(path, language, text.encode(), 1500, 100).symbols}
        assert {use.within for use in all_uses(path, language, text.encode())} <= symbols | {""}


@pytest.mark.parametrize(
    ("path", "text", "name", "expected"),
    [
        ("a.py", PYTHON, "deco", ["f"]),
        ("a.py", PYTHON, "f", [""]),
        ("a.py", PYTHON, "m", ["", "C"]),
        ("a.py", PYTHON, "y", ["f", "f", "f", "C", "C.m", "C.m"]),
        ("a.go", GO, "a", ["T.F", "T.F"]),
        ("a.js", "class A { get q() { return foo() } }", "foo", ["A.q"]),
        ("a.rs", "impl S { fn m(&self) { x } }", "x", ["S.m"]),
    ],
)
def test_within(path: str, text: str, name: str, expected: list[str]) -> None:
    assert [use.within for use in uses_of(path, language_of(path), text.encode(), name)] == expected


def test_a_receiver_has_no_white_space_and_is_not_endless() -> None:
    text = "a(\n  1,\n  2\n)\n  .b\n  .c();\n" + "x" * 500 + ".d;\n"
    assert [use.receiver for use in uses_of("a.js", "javascript", text.encode(), "c")] == ["a().b"]
    assert [len(use.receiver) for use in uses_of("a.js", "javascript", text.encode(), "d")] == [200]


@pytest.mark.parametrize("written", ["caf\u00e9", "cafe\u0301"])
@pytest.mark.parametrize("asked", ["caf\u00e9", "cafe\u0301"])
def test_letters_may_be_composed_or_not(written: str, asked: str) -> None:
    found = uses_of("a.js", "javascript", f"let {written} = 1; f({written});".encode(), asked)
    assert [(use.name, use.role) for use in found] == [("caf\u00e9", "definition"), ("caf\u00e9", "read")]


def test_byte_order_marks_and_line_ends_of_others() -> None:
    data = b"\xef\xbb\xbfx = 1\r\n\tif x:\r\n\t\ty(x)\r\n"
    assert [(use.line, use.column) for use in uses_of("a.py", "python", data, "x")] == [(1, 3), (2, 4), (3, 4)]


@pytest.mark.parametrize("path", ["a.py", "a.js", "a.rs", "a.cc"])
@pytest.mark.parametrize("text", ["(\n" * 10_000 + "x" + ")\n" * 10_000, "f(\n" * 1_000 + "x" + ")\n" * 1_000])
def test_deep_nesting_is_borne(path: str, text: str) -> None:
    assert len(uses_of(path, language_of(path), text.encode(), "x")) == 1
    assert len(all_uses(path, language_of(path), text.encode())) == 1 + text.count("f")


def test_without_a_grammar_there_are_none() -> None:
    assert uses_of("a.txt", "text", b"x", "x") == all_uses("a.txt", "text", b"x") == []
    assert not scoped_language("text")
    assert all(
        map(scoped_language, "python javascript typescript tsx go rust java kotlin c cpp csharp ruby php".split())
    )


PATHS = sorted({path for path, _, _, _ in CASES} | {"a.ml", "a.hs", "a.ex", "a.sh", "a.pl", "a.json", "a.md", "a.sql"})


@pytest.mark.slow
@given(st.sampled_from(PATHS), st.binary(max_size=80))
@settings(max_examples=150, deadline=None)
def test_any_bytes_are_borne(path: str, data: bytes) -> None:
    assert_well_placed(path, data)


@pytest.mark.slow
@given(st.sampled_from(sorted({(path, text) for path, text, _, _ in CASES})), st.data())
@settings(max_examples=150, deadline=None)
def test_torn_code_is_borne(case: tuple[str, str], draw: st.DataObject) -> None:
    path, text = case
    start = draw.draw(st.integers(0, len(text)))
    end = draw.draw(st.integers(start, len(text)))
    assert_well_placed(path, (text[:start] + text[end:]).encode())
