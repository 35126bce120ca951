"""Programs in which the types of receivers are known; what each line calls stands behind it."""

PYTHON = {
    "a.py": """from contextlib import contextmanager
from typing import Optional


class Base:
    def go(self): ...
    def me(self): return self
    def other(self): return Other()
    @classmethod
    def create(cls): return cls()
    @property
    def kin(self): return Other()
    def __enter__(self): return self


class Sub(Base):
    def go(self): ...


class Other:
    def go(self): ...
    def __init__(self):
        self.sub = Sub()
        self.maybe = None
        if x:
            self.maybe = Base()
    def run(self):
        self.sub.go()  # => proven Sub.go


def make(): return Base()
def again(): return make()
def typed() -> Optional[Other]: ...
@contextmanager
def opened():
    yield Other()


MODULE = Other()


def f(items: list[Base], p, q: Base, maker=Sub):
    x = Base()
    x.go()  # => proven Base.go
    make().go()  # => proven Base.go
    again().me().go()  # => proven Base.go
    typed().go()  # => proven Other.go
    MODULE.go()  # => proven Other.go
    for i in items:
        i.go()  # => proven Base.go
    with opened() as o:
        o.go()  # => proven Other.go
    with Base() as b:
        b.go()  # => proven Base.go
    Sub.create().go()  # => proven Sub.go
    x.kin.go()  # => proven Other.go
    x.other().sub.go()  # => proven Sub.go
    y = Base()
    if p:
        y = Other()
    y.go()  # => likely Base.go Other.go
    z = Base() if p else Sub()
    z.go()  # => likely Base.go Sub.go
    p.go()  # => name
    Other().maybe.go()  # => proven Base.go
    [k.go() for k in items]  # => proven Base.go
    (lambda x: x.go())(1)  # => name
    q = q.me()
    q.go()  # => likely Base.go
    for a, c in items:
        a.go()  # => name
    def inner():
        x.go()  # => proven Base.go
    maker().go()  # => likely Sub.go
    w = unknown()
    w.go()  # => name
    items[0].go()  # => proven Base.go
    Base().go()  # => proven Base.go
    "".go()  # => outside
    v = 3
    v.go()  # => outside
    u = 3
    u += p
    u.go()  # => name
""",
    "d.py": """from typing import Callable
from a import Base, Sub


def made(f) -> Base: ...
def maker(name: str) -> Callable[[int, str], Base]: ...
def either(name) -> Sub | Callable[[int], Sub]: ...
def same(f):
    def inner(): ...
    return inner


@made
def one(): ...


@maker("x")
@same
def two(): ...


@either
def three(): ...


@same
def four(): ...


def use(kept: Callable[[], Sub]):
    one.go()  # => proven Base.go
    two.go()  # => proven Base.go
    three.go()  # => likely Sub.go
    four.go()  # => name
    kept().go()  # => likely Sub.go
""",
    "e.py": """from a import Base, Other, Sub
from lib import Missing
try:
    from a import Sub as Maybe
except ImportError:
    from lib import Maybe


class Held:
    def __init__(self):
        self.kept = Base()
        self.changed = Base()
    if x:
        def get(self): return Base()
    else:
        def get(self): return Base()


class Behind(Missing, Held): ...
class Before(Held, Missing): ...


if x:
    class Two:
        def __init__(self): self.own = Base()
        def go(self): ...
else:
    class Two:
        def __init__(self): self.own = Base()
        def go(self): ...


class Three(Two): ...


def change(p):
    p.changed = Other()


def one(): return Base()
def other(): return Base()


def use(p, pair: tuple[Other, Base], two: Two, maybe: Maybe, mapping: dict[Sub, Base]):
    maybe.go()  # => likely Sub.go
    Held().kept.go()  # => proven Base.go
    Held().changed.go()  # => likely Base.go
    Held().get().go()  # => likely Base.go
    Before().kept.go()  # => proven Base.go
    Behind().kept.go()  # => likely Base.go
    Three().own.go()  # => likely Base.go
    two.go()  # => likely Two.go
    either = one if p else other
    either().go()  # => proven Base.go
    for each in pair:
        each.go()  # => likely Base.go
    for each_one in mapping.values():
        each_one.go()  # => proven Base.go
    for key in mapping.keys():
        key.go()  # => proven Sub.go
    kept = mapping.values()
    [k.go() for k in kept]  # => proven Base.go
    x = Base()
    x.go()  # => likely Base.go
    del x
    y = Base()
    y.go()  # => likely Base.go
    class y: ...
    z = Base()
    z.go()  # => likely Base.go
    def z(): ...
    w = Base()
    w.go()  # => likely Base.go
    match p:
        case {"a": w}: ...
""",
    "c.py": """from a import Base, Other, Sub


def narrowed(p, q: Base):
    if isinstance(p, Other):
        p.go()  # => proven Other.go
    if isinstance(q, Sub):
        q.go()  # => proven Sub.go
    q.go()  # => proven Base.go
""",
    "b.py": """import a
from a import MODULE as M, again


def h():
    a.MODULE.go()  # => proven Other.go
    M.go()  # => proven Other.go
    a.make().go()  # => proven Base.go
    again().go()  # => proven Base.go
    t = a.Sub()
    t.go()  # => proven Sub.go
    t.me().go()  # => proven Sub.go
""",
}
TYPESCRIPT = {
    "a.ts": """export class B {
  go() {}
  me() { return this; }
  static make(): B { return new B(); }
  get kin() { return new C(null, []); }
}
export class C {
  made = new B();
  go() {}
  constructor(private b: B, public readonly list: B[]) {}
  run() {
    this.b.go(); // => proven B.go
    this.list[0].go(); // => proven B.go
    for (const x of this.list) {
      x.go(); // => proven B.go
    }
    this.made.go(); // => proven B.go
    new C(this.b, []).go(); // => proven C.go
  }
}
export interface Opts { onError: B; go(): void }
type Other = Opts;
export async function make(): Promise<B> { return new B(); }
export const arrow = () => new C(null, []);
export async function f<T extends B>(o: Opts, m: Map<string, B>, n: Other, t: T) {
  const x = new B();
  x.go(); // => proven B.go
  const y = await make();
  y.go(); // => proven B.go
  (await make()).go(); // => proven B.go
  (o as C).go(); // => proven C.go
  const { onError } = o;
  onError.go(); // => proven B.go
  const z: C = null as any;
  z.go(); // => proven C.go
  B.make().me().go(); // => proven B.go
  arrow().go(); // => proven C.go
  x.kin.go(); // => proven C.go
  m.get("x").go(); // => likely B.go
  const w = o as C;
  w.go(); // => proven C.go
  const v = o;
  v.go(); // => proven Opts.go
  n.go(); // => proven Opts.go
  t.go(); // => proven B.go
  const u = unknown(o);
  u.go(); // => name
}
""",
}
JAVASCRIPT = {
    "a.js": """export class B {
  go() {}
  me() { return this; }
  static make() { return new B(); }
  get kin() { return new C(); }
}
export class C {
  constructor(b) {
    this.b = new B();
    this.c = b;
  }
  go() {}
  run() {
    this.b.go(); // => proven B.go
    this.c.go(); // => name
  }
}
export function make() { return new B(); }
export const arrow = () => new C();
export function f(o) {
  const x = new B();
  x.go(); // => proven B.go
  let y = make();
  y.go(); // => proven B.go
  make().go(); // => proven B.go
  B.make().me().go(); // => proven B.go
  arrow().go(); // => proven C.go
  new C().go(); // => proven C.go
  x.kin.go(); // => proven C.go
  o.go(); // => name
  let z = new B();
  if (o) { z = new C(); }
  z.go(); // => likely B.go C.go
}
""",
}
GO = {
    "go.mod": "module ex.com/m\n",
    "lib/lib.go": "package lib\n\ntype Thing struct{}\n\nfunc (t *Thing) Go() {}\n\nfunc New() *Thing { return nil }\n",
    "a.go": """package m

import (
\t"ex.com/m/lib"
\t"text/template"
)

type Base struct{}

func (b *Base) Go() {}

type Other struct {
\t*Base
\tr  *Router `json:"r"`
\trs []*Router
\tm  map[string]Router
}

type Router struct{}

func (r *Router) Go()        {}
func (r Router) Sub() *Base { return nil }
func NewRouter() *Router     { return &Router{} }
func NewTwo() (*Router, error) { return nil, nil }

type I interface{ Go() }

func f(o *Other, i I, u Router) {
\tvar v Router
\tv.Go() // => proven Router.Go
\tw := NewRouter()
\tw.Go() // => proven Router.Go
\tx := &Router{}
\tx.Go() // => proven Router.Go
\tNewRouter().Sub().Go() // => proven Base.Go
\to.r.Go() // => proven Router.Go
\tfor _, y := range o.rs {
\t\ty.Go() // => proven Router.Go
\t}
\to.m["x"].Go() // => proven Router.Go
\ti.Go() // => proven I.Go
\tz := i.(*Router)
\tz.Go() // => proven Router.Go
\tg(func(o, p *Router, e error) {
\t\tp.Go() // => proven Router.Go
\t})
\to.Base.Go() // => proven Base.Go
\to.Go() // => proven Base.Go
\tboth, err := NewTwo()
\tboth.Go() // => proven Router.Go
\tnew(Router).Go() // => proven Router.Go
\tRouter{}.Go() // => proven Router.Go
\tlib.New().Go() // => proven Thing.Go
\tt := template.New("x")
\tt.Go() // => name
\ttemplate.Go() // => outside
}
""",
}
RUST = {
    "Cargo.toml": '[package]\nname = "m"\n',
    "src/lib.rs": """use std::sync::{Arc, Mutex};
pub struct B { c: C, cs: Vec<C>, o: Option<C>, s: Arc<Mutex<C>> }
impl B {
    pub fn new() -> Self { B {} }
    pub fn go(&self) -> &Self { self }
    pub fn given(&self) -> Result<C, E> {}
    pub fn run(&self) {
        self.c.go(); // => proven C.go
        for x in &self.cs {
            x.go(); // => proven C.go
        }
        self.o.as_ref().unwrap().go(); // => proven C.go
        self.s.lock().unwrap().go(); // => proven C.go
        each(|p: &C| {
            p.go(); // => proven C.go
        });
    }
}
pub struct C;
impl C {
    pub fn go(&self) {}
    pub fn with(mut self) -> Self { self }
}
impl Default for C { fn default() -> Self { C } }
pub fn make() -> C { C }
pub fn f<T: Into<C>>(d: &B, t: T) {
    let b: B = unknown();
    b.go(); // => proven B.go
    let c = C::default();
    c.go(); // => proven C.go
    B::new().go(); // => proven B.go
    make().with().go(); // => proven C.go
    let e = d.given()?;
    e.go(); // => proven C.go
    d.given().unwrap().go(); // => proven C.go
    if let Some(x) = d.o {
        x.go(); // => proven C.go
    }
    let x = B {};
    x.go(); // => proven B.go
    let x = make();
    x.go(); // => proven C.go
    hyper::upgrade::go(1); // => outside
}
""",
}
JAVA = {
    "p/J.java": """package p;
import java.util.*;
class J {
  K k = new K();
  List<K> ks;
  Map<String, K> m;
  K go() { return k; }
  static J of() { return new J(); }
  <T extends K> void f(J p, T t) {
    J j = new J();
    j.go(); // => proven J.go
    var v = new K();
    v.go(); // => proven K.go
    of().go(); // => proven J.go
    k.go(); // => proven K.go
    this.k.go(); // => proven K.go
    for (K x : ks) {
      x.go(); // => proven K.go
    }
    for (var y : ks) {
      y.go(); // => proven K.go
    }
    m.get("a").go(); // => likely K.go
    J.of().k.go(); // => proven K.go
    var w = J.of();
    w.go(); // => proven J.go
    try { } catch (Ex e) {
      e.go(); // => proven Ex.go
    }
    p.go().go(); // => proven K.go
    new J().go().go(); // => proven K.go
    ((K) q()).go(); // => proven K.go
    each((K r, J s) -> {
      r.go(); // => proven K.go
    });
    t.go(); // => proven K.go
    List<K> made = new ArrayList<>();
    made.get(0).go(); // => likely K.go
  }
}
class K { K go() { return this; } }
class Ex extends Exception { void go() {} }
""",
}
CSHARP = {
    "a.cs": """namespace N;
class J {
  K k = new K();
  public K P { get; set; }
  List<K> ks;
  public K Go() { return k; }
  public static J Of() => new J();
  async Task<K> Later() { return k; }
  async void F(J p) {
    J j = new J();
    j.Go(); // => proven J.Go
    var v = new K();
    v.Go(); // => proven K.Go
    Of().Go(); // => proven J.Go
    k.Go(); // => proven K.Go
    this.P.Go(); // => proven K.Go
    foreach (var x in ks) {
      x.Go(); // => proven K.Go
    }
    foreach (K y in ks) {
      y.Go(); // => proven K.Go
    }
    p.P.Go(); // => proven K.Go
    K z = new();
    z.Go(); // => proven K.Go
    p.Go().Go(); // => proven K.Go
    new J().Go().Go(); // => proven K.Go
    ((K) p).Go(); // => proven K.Go
    (p as K).Go(); // => proven K.Go
    Each((K r, J s) => {
      r.Go(); // => proven K.Go
    });
    (await Later()).Go(); // => proven K.Go
  }
}
class K {
  public K Go() { return this; }
}
""",
}
CPP = {
    "a.cpp": """#include <memory>
#include <vector>
class K { public: K* go() { return this; } };
class J {
 public:
  K k;
  K* kp;
  std::unique_ptr<K> up;
  std::vector<K> ks;
  K go();
  static J of() { return J(); }
  void f(J* p);
};
K J::go() { return k; }
void J::f(J* p) {
  J j;
  j.go(); // => proven J.go
  auto v = new K();
  v->go(); // => proven K.go
  J().go(); // => proven J.go
  J::of().go(); // => proven J.go
  k.go(); // => proven K.go
  this->k.go(); // => proven K.go
  kp->go(); // => proven K.go
  up->go(); // => proven K.go
  for (auto& x : ks) {
    x.go(); // => proven K.go
  }
  p->go().go(); // => proven K.go
  K z{};
  z.go(); // => proven K.go
  ks[0].go(); // => proven K.go
  static_cast<K*>(p->q())->go(); // => proven K.go
  each([&](K& r, const J* p) {
    r.go(); // => proven K.go
  });
}
""",
}
KOTLIN = {
    "a.kt": """class K {
  fun go(): K { return this }
}
class J(val k: K) {
  val l = K()
  lateinit var m: K
  val ks: List<K> = listOf()
  fun go(): K = k
  fun f(p: J, q: Any) {
    val j = J(K())
    j.go() // => proven J.go
    K().go() // => proven K.go
    k.go() // => proven K.go
    l.go() // => proven K.go
    m.go() // => proven K.go
    this.k.go() // => proven K.go
    for (x in ks) {
      x.go() // => proven K.go
    }
    p.k.go() // => proven K.go
    val n: K? = null
    n?.go() // => proven K.go
    p.go().go() // => proven K.go
    ks[0].go() // => proven K.go
    (q as K).go() // => proven K.go
  }
}
""",
}
PHP = {
    "a.php": """<?php
class K {
  public function go(): static { return $this; }
  public static function make() { return new static(); }
}
class J {
  private K $k;
  private $l;
  public function __construct(private K $m) { $this->l = new K(); }
  public function go() { return $this->k; }
  public function f(J $p, ?K $q) {
    $j = new J(1);
    $j->go(); // => proven J.go
    $this->k->go(); // => proven K.go
    $this->l->go(); // => proven K.go
    $this->m->go(); // => proven K.go
    K::make()->go(); // => proven K.go
    $p->go()->go(); // => proven K.go
    $q->go(); // => proven K.go
    (new K())->go(); // => proven K.go
  }
}
""",
}
RUBY = {
    "a.rb": """class K
  def go; self; end
end
class J
  def initialize; @k = K.new; end
  def go(); @k; end
  def f(p)
    j = J.new
    j.go() # => proven J.go
    K.new.go() # => proven K.go
    @k.go() # => proven K.go
    j.go.go() # => proven K.go
    x = K.new(1)
    x.go() # => proven K.go
    p.go() # => name
  end
end
""",
}
SWIFT = {
    "a.swift": """class K {
  func go() -> K { return self }
  static func make() -> K { return K() }
}
class J {
  let k: K
  let l = K()
  var ks: [K] = []
  init(k: K) { self.k = k }
  func go() -> K { return k }
  func f(p: J, q: Any) {
    let j = J(k: K())
    j.go() // => proven J.go
    K().go() // => proven K.go
    k.go() // => proven K.go
    l.go() // => proven K.go
    self.k.go() // => proven K.go
    for x in ks {
      x.go() // => proven K.go
    }
    p.k.go() // => proven K.go
    let n: K? = nil
    n?.go() // => proven K.go
    p.go().go() // => proven K.go
    ks[0].go() // => proven K.go
    K.make().go() // => proven K.go
    (q as! K).go() // => proven K.go
    if let r = n {
      r.go() // => proven K.go
    }
  }
}
""",
}
PROGRAMS = {
    "python": PYTHON,
    "typescript": TYPESCRIPT,
    "javascript": JAVASCRIPT,
    "go": GO,
    "rust": RUST,
    "java": JAVA,
    "csharp": CSHARP,
    "cpp": CPP,
    "kotlin": KOTLIN,
    "php": PHP,
    "ruby": RUBY,
    "swift": SWIFT,
}
