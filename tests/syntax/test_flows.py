"""How values flow, in programs of many languages: the same rows by both kernels."""

import pytest

from cairn.base.columns import split_columns
from cairn.languages.files import language_of
from cairn.syntax.flows import NUMBERS, TEXTS, flow_block, flows_by_reference

CASES = [
    (
        "a.py",
        """
class A:
    b = B()
    c: C

    def f(self, x):
        self.y = x.g(1)[0]
        a, (b, *c) = x, self.z
        for i, j in x: ...
        with open(x) as d, e.f as self.g: ...
        try: ...
        except (E, F) as g: ...
        h = i = x if a else b or None
        k += 1
        (l := await m)
        n = super(A, self).o
        p = cast("P", q)
        r = x[1:2]
        s = not x
        t = -x
        u = [v for v in x.w()]
        yield x
        yield from y
        z = sorted(x, key=lambda y: y.z)
        return lambda: x

    async def g(self):
        async with self.h() as i:
            return i, self

    def match(self, x):
        match x:
            case y: ...
            case A() as z: ...
""",
        """
            2:4 b = B() in A
            3:4 c = : C in A
            6:13 self.y = x.g()[] in A.f
            7:8 a = x in A.f
            7:12 b = ? in A.f
            7:16 c = ? in A.f
            8:12 i = ? in A.f
            8:15 j = ? in A.f
            9:24 d = open().__enter__() in A.f
            9:39 self.g = e.f.__enter__() in A.f
            11:25 g = : (E, F) in A.f
            12:8 h = x in A.f
            12:8 h = b in A.f
            12:8 h = "" in A.f
            12:12 i = x in A.f
            12:12 i = b in A.f
            12:12 i = "" in A.f
            13:8 k = ? in A.f
            14:9 l = m in A.f
            15:8 n = super().o in A.f
            16:8 p = : "P" in A.f
            17:8 r = x in A.f
            18:8 s = "" in A.f
            19:8 t = ? in A.f
            20:8 u = "" in A.f
            20:19 v = x.w()[] in A.f
            21:8 yield = x in A.f
            22:8 yield = y[] in A.f
            23:8 z = sorted() in A.f
            24:8 return = "" in A.f
            27:31 i = self.h().__aenter__() in A.g
            28:12 return = "" in A.g
            32:17 y = ? in A.match
            33:24 z = ? in A.match
        """,
    ),
    (
        "a.ts",
        """
const a: A = f(1), b = new B(1), c = new d.C<T>();
let e: E;
this.x = a?.b!.c[0]();
const { g, h: i, j = new J(), k: { l }, ...m } = n;
const [o, p] = q;
for (const r of s.t()) {}
for (const u in v) {}
const w = (x) => y.map((z) => z.a);
w1 = a as A; w2 = (a ?? b).c; w3 = a || b; w4 ??= c; w5++; w6 = {}; w7 = !a; w8 = `a`; w9 = <any>a;
class C extends B {
  f = new A();
  g: B = h();
  m() { items.map(function (x) { return x.y; }); return super.m().n; }
  *o() { yield a; yield* b; }
}
try {} catch (e) {}
""",
        """
            1:6 a = : A
            1:19 b = B()
            1:33 c = d.C()
            2:4 e = : E
            3:5 this.x = a.b.c[]()
            4:8 g = n.g
            4:14 i = n.h
            4:17 j = n.j
            4:17 j = J()
            4:35 l = n.k.l
            4:43 m = ?
            5:7 o = ?
            5:10 p = ?
            6:11 r = s.t()[]
            7:11 u = ""
            8:6 w = ""
            8:17 return = y.map() in w
            9:0 w1 = : A
            9:13 w2 = ?
            9:30 w3 = a
            9:30 w3 = b
            9:43 w4 = c
            9:53 w5 = ?
            9:59 w6 = ?
            9:68 w7 = ""
            9:77 w8 = ""
            9:87 w9 = ?
            11:2 f = A() in C
            12:2 g = : B in C
            13:49 return = super.m().n in C.m
            14:9 yield = a in C.o
            14:18 yield = b[] in C.o
            16:14 e = ?
        """,
    ),
    (
        "a.js",
        """
function f() {
  const a = await g(), b = a.c[d];
  module.exports.x = a;
  let y = a ? b : c && d;
  [y, z] = [a, b];
  return class {};
}
const g = async () => ({ a }), h = () => a.b();
class A { #x = new B(); static y = 1; }
""",
        """
            2:8 a = g() in f
            2:23 b = a.c[] in f
            3:17 module.exports.x = a in f
            4:6 y = b in f
            4:6 y = c in f
            4:6 y = d in f
            5:3 y = a in f
            5:6 z = b in f
            6:2 return = ? in f
            8:6 g = "" in h
            8:22 return = ? in h
            8:31 h = "" in g
            8:41 return = a.b() in h
            9:10 #x = B() in A
            9:31 y = "" in A
        """,
    ),
    (
        "a.go",
        """
package p

var a T = f()
var b, c = d, e.f

func (t *T) F() (U, error) {
	g := A{1}
	h := &p.A{x: 1}
	i, err := g.f()
	for j, k := range h.l { }
	for m := range n { }
	o, ok := x.(U)
	q, ok := r[s]
	t.u = []int{1}
	v := new(W)
	v += 1
	v++
	x := <-y
	switch z := x.(type) { }
	return func() int { return 1 }(), nil
}

func s(x any) {
	switch z := x.(type) {
	case *p.A:
		z.f()
	case B, C:
	case D: z.g()
	}
}
""",
        """
            3:4 a = : T
            4:4 b = d
            4:7 c = e.f
            7:1 g = A() in T.F
            8:1 h = p.A() in T.F
            9:1 i = g.f() in T.F
            9:4 err = ? in T.F
            10:5 j = "" in T.F
            10:8 k = h.l[] in T.F
            11:5 m = ? in T.F
            12:1 o = : U in T.F
            12:4 ok = "" in T.F
            13:1 q = r[] in T.F
            13:4 ok = "" in T.F
            14:3 t.u = "" in T.F
            15:1 v = : W in T.F
            16:1 v = ? in T.F
            17:1 v = ? in T.F
            18:1 x = y[] in T.F
            19:8 z = ? in T.F
            20:1 return = "" in T.F
            24:8 z = ? in s
            25:1 z = : *p.A in s to 26
            28:1 z = : D in s to 28
        """,
    ),
    (
        "a.rs",
        """
fn f(x: X) -> T {
    let a: A = x;
    let b = B { c: 1 };
    let mut d = Router::new().e()?.f[0].await;
    let Some(g) = x else { return 1 };
    let (h, i) = (j, k);
    self.l = Vec::<T>::new();
    for m in &n {}
    if let Ok(o) = x.p() {}
    let P { q, r: s } = t;
    let u = v as W;
    let w = if x { y } else { z };
    let c = |x| { return x.y };
    w.a
}
static X: T = f();
""",
        """
            2:8 a = : A in f
            3:8 b = B() in f
            4:12 d = Router.new().e().f[] in f
            5:13 g = x in f
            5:27 return = "" in f
            6:9 h = j in f
            6:12 i = k in f
            7:9 self.l = Vec.new() in f
            8:8 m = n[] in f
            9:14 o = x.p() in f
            10:12 q = t.q in f
            10:18 s = t.r in f
            11:8 u = : W in f
            12:8 w = y in f
            12:8 w = z in f
            13:8 c = "" in f
            14:4 return = w.a in f
            16:7 X = : T
        """,
    ),
    (
        "A.java",
        """
class A {
  T f = new T();
  T m() {
    T a = f(1), b;
    var c = new d.C<T>(1);
    this.e = c.g().h[0];
    for (T i : j) {}
    for (var k : j) {}
    try (R l = q()) {} catch (E | F m) {}
    n = (T) a;
    n = x ? y : super.z();
    n = () -> { return a; };
    n = new T() { T g() { return b; } };
    n += 1;
    return this.e.o();
  }
}
""",
        """
            2:4 f = : T in A
            4:6 a = : T in A.m
            4:16 b = : T in A.m
            5:8 c = d.C() in A.m
            6:9 this.e = c.g().h[] in A.m
            7:11 i = : T in A.m
            8:13 k = j[] in A.m
            9:11 l = : R in A.m
            9:36 m = : E | F in A.m
            10:4 n = : T in A.m
            11:4 n = y in A.m
            11:4 n = super.z() in A.m
            12:4 n = "" in A.m
            13:4 n = ? in A.m
            13:26 return = b in A.m.g
            14:4 n = ? in A.m
            15:4 return = this.e.o() in A.m
        """,
    ),
    (
        "A.cs",
        """
class A {
  T F = new T();
  T P => e.f;
  T M() {
    T a = G(1), b;
    var c = new d.C<T>(1);
    this.e = c.g()?.h()[0].i;
    foreach (var j in k) {}
    foreach (T l in k) {}
    using var m = N();
    try {} catch (E n) {}
    o = a as T;
    o = a ?? b!;
    o = await p.Q<T>(1);
    var (r, s) = t;
    Run(() => { return a; });
    yield return a;
    return base.M();
  }
}
""",
        """
            2:4 F = : T in A
            3:4 P = : T in A
            5:6 a = : T in A.M
            5:16 b = : T in A.M
            6:8 c = d.C() in A.M
            7:9 this.e = c.g().h()[].i in A.M
            8:17 j = k[] in A.M
            9:15 l = : T in A.M
            10:14 m = N() in A.M
            11:20 n = : E in A.M
            12:4 o = : T in A.M
            13:4 o = a in A.M
            13:4 o = b in A.M
            14:4 o = p.Q() in A.M
            15:9 r = ? in A.M
            15:12 s = ? in A.M
            17:4 yield = a in A.M
            18:4 return = base.M() in A.M
        """,
    ),
    (
        "a.cpp",
        """
T a = f(1);
auto b = g->h.i[0]();
A c(1);
T *f() {
  auto &d = *e;
  auto *g = new ns::B<T>(1);
  this->h = ns::C::make();
  for (auto &i : j) {}
  for (const T &k : j) {}
  try {} catch (const E &l) {}
  auto [m, n] = o;
  p = static_cast<T *>(q);
  p = (T *)q;
  p = x ? y : z;
  p = [](int a) { return a; };
  T u, *v;
  return std::make_unique<A>(1);
}
""",
        """
            1:2 a = : T
            2:5 b = g.h.i[]()
            3:2 c = : A
            5:8 d = e in f
            6:8 g = ns.B() in f
            7:8 this.h = ns.C.make() in f
            8:13 i = j[] in f
            9:16 k = : T in f
            10:25 l = : E in f
            11:8 m = ? in f
            11:11 n = ? in f
            12:2 p = : T * in f
            13:2 p = : T * in f
            14:2 p = y in f
            14:2 p = z in f
            15:2 p = "" in f
            15:13 a = : int in f
            16:4 u = : T in f
            16:8 v = : T in f
            17:2 return = std.make_unique() in f
        """,
    ),
    (
        "a.kt",
        """
val a: A = f(1)
class B {
  var c = C()
  fun f(): T {
    val d = this.c.g()?.h!![0]
    for (i in j) {}
    for (k: K in j) {}
    try {} catch (l: E) {}
    m = n as? T
    m = o ?: p
    m = if (x) y else z
    val (q, r) = s
    this.c = c.let { return it }
    t = u.v<T>(1)
    return super.f()
  }
  fun g() = c.d()
}
""",
        """
            1:4 a = : A
            3:6 c = C() in B
            5:8 d = this.c.g().h[] in B.f
            6:9 i = j[] in B.f
            7:9 k = : K in B.f
            8:18 l = : E in B.f
            9:4 m = : T in B.f
            10:4 m = o in B.f
            10:4 m = p in B.f
            11:4 m = y in B.f
            11:4 m = z in B.f
            12:9 q = ? in B.f
            12:12 r = ? in B.f
            13:9 this.c = c.let() in B.f
            13:21 return = it in B.f
            14:4 t = ? in B.f
            15:4 return = super.f() in B.f
            17:12 return = c.d() in B.g
        """,
    ),
    (
        "a.php",
        r"""
<?php
class A {
  private B $b;
  public $c = 1;
  function f($x) {
    $this->d = $x->g()?->h[0];
    $e = new \a\B(1);
    $e = A::f() ?? self::$c;
    $e = $x ?: parent::f();
    foreach ($x as $i) {}
    foreach ($x as $j => $k) {}
    try {} catch (E | F $l) {}
    [$m, $n] = $x;
    $o .= "a";
    $p = array_map(function ($q) { return $q; }, $x);
    return new static;
  }
}
""",
        """
            3:13 $b = : B in A
            4:10 $c = "" in A
            6:11 $this.d = $x.g().h[] in A.f
            7:5 $e = a.B() in A.f
            8:5 $e = A.f() in A.f
            8:5 $e = self.c in A.f
            9:5 $e = $x in A.f
            9:5 $e = parent.f() in A.f
            10:20 $i = $x[] in A.f
            11:20 $j = "" in A.f
            11:26 $k = $x[] in A.f
            12:25 $l = : E | F in A.f
            13:6 $m = ? in A.f
            13:10 $n = ? in A.f
            14:5 $o = ? in A.f
            15:5 $p = array_map() in A.f
            16:4 return = static() in A.f
        """,
    ),
    (
        "a.rb",
        """
class A
  B = C.new
  def f(x)
    @d = x.g(1)&.h[0]
    @d ||= E::F.new
    i, j = x, self
    k, *l = x
    for m in x do end
    begin; rescue E, F => n; end
    o = if x then y else z end
    x.each { |p| return p }
    q += 1
    @d.r
  end
  def g = @d
end
""",
        """
            2:2 B = C.new() in A
            4:4 @d = x.g().h()[] in A.f
            5:4 @d = E.F.new() in A.f
            6:4 i = x in A.f
            6:7 j = self in A.f
            7:4 k = ? in A.f
            7:8 l = ? in A.f
            8:8 m = x[] in A.f
            9:26 n = : E, F in A.f
            10:4 o = y in A.f
            10:4 o = z in A.f
            11:17 return = p in A.f
            12:4 q = ? in A.f
            13:4 return = @d.r() in A.f
            15:10 return = @d in A.g
        """,
    ),
    (
        "a.swift",
        """
let a: A = f(1)
class B {
  var c = C()
  func f() -> T {
    let d = self.c.g()?.h[0]!
    self.e = try await f()
    for i in j {}
    do {} catch let k as E {}
    if let l = m as? T {}
    guard let n = o else { return p }
    q = r ?? s
    let (t, u) = v
    q = .some
    return super.f()
  }
}
""",
        """
            1:4 a = : A
            3:6 c = C() in B
            5:8 d = self.c.g().h[] in B.f
            6:9 self.e = f() in B.f
            7:8 i = j[] in B.f
            8:20 k = : E in B.f
            9:11 l = : T in B.f
            10:14 n = o in B.f
            10:27 return = p in B.f
            11:4 q = r in B.f
            11:4 q = s in B.f
            12:9 t = ? in B.f
            12:12 u = ? in B.f
            13:4 q = ? in B.f
            14:4 return = super.f() in B.f
        """,
    ),
    (
        "b.py",
        """
def f(x, y, z):
    if isinstance(x, A) and not y:
        x.go()
        return x
    elif (isinstance(y, (B, c.D))):
        y.go()
    if isinstance(z, A) or z:
        z.go()
    if isinstance(z, A):
        z = 1
    if isinstance(z.a, A): z.a.go()
""",
        """
            3:8 x = : A in f to 4
            4:8 return = x in f
            6:8 y = : (B, c.D) in f to 6
            10:8 z = "" in f
        """,
    ),
    (
        "b.ts",
        """
function f(x: any, y: any) {
  if (x instanceof A && y) {
    x.go();
  }
}
""",
        """
            2:27 x = : A in f to 4
        """,
    ),
    (
        "B.java",
        """
class B {
  void f(Object x) {
    if (x instanceof A) x.go();
    if (x instanceof C c && c.ok()) { c.go(); }
  }
}
""",
        """
            3:24 x = : A in B.f to 3
            4:23 c = : C in B.f
            4:36 x = : C in B.f to 4
        """,
    ),
    (
        "B.cs",
        """
class B {
  void F(object x) {
    if (x is A) { x.Go(); }
    if (x is C c) { c.Go(); }
  }
}
""",
        """
            3:16 x = : A in B.F to 3
            4:15 c = : C in B.F
            4:18 x = : C in B.F to 4
        """,
    ),
    (
        "b.kt",
        """
fun f(x: Any) {
  if (x is A) {
    x.go()
  }
}
""",
        """
            2:14 x = : A in f to 4
        """,
    ),
    (
        "b.php",
        """
<?php
function f($x) {
  if ($x instanceof A) {
    $x->go();
  }
}
""",
        """
            3:23 $x = : A in f to 5
        """,
    ),
    (
        "b.rb",
        """
def f(x)
  if x.is_a?(A)
    x.go
  end
  nil
end
""",
        """
            2:15 x = : A in f to 3
            5:2 return = "" in f
        """,
    ),
    (
        "b.js",
        """
function f(x) {
  if (x instanceof A) { x.go() };
  if (x instanceof B) { x.go() } x.stop()
}
""",
        """
            2:22 x = : A in f to 2
        """,
    ),
]


def shown(block: bytes) -> list[str]:
    columns = split_columns(block, TEXTS, NUMBERS)
    rows = zip(*map(columns.text, range(TEXTS)), *columns.numbers, strict=True)
    return [
        f"{line}:{column} {target} = {value}" + (f" in {within}" if within else "") + (f" to {end}" if end else "")
        for target, value, within, line, column, end in rows
    ]


@pytest.mark.slow
@pytest.mark.parametrize(("path", "source", "expected"), CASES, ids=[path for path, _, _ in CASES])
def test_the_flows_of_a_program(path: str, source: str, expected: str) -> None:
    data = source.removeprefix("\n").encode()
    language = language_of(path, data[:100])
    told = flows_by_reference(path, language, data)
    assert shown(told) == [line.strip() for line in expected.strip().splitlines()]
    assert flow_block(path, language, data) == told


def test_what_has_no_grammar_has_no_flows() -> None:
    assert flow_block("a.txt", "text", b"x = 1\n") == b""
