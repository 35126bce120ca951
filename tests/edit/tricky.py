"""Programs that live in the corners of their languages; each prints what it does."""

PYTHON = [
    """\
def f():
    x = 1
    class C:
        nonlocal x
        x = 2
        y = x
    return x, C.y, hasattr(C, 'x')
print(f())
""",
    """\
x = 5
def f():
    x = 1
    class C:
        global x
        x = 2
        y = x
    return x, C.y, hasattr(C, 'x')
print(f(), x)
""",
    """\
x = 5
def f():
    x = 1
    class C:
        y = x
        x = x + 1
        z = [x for _ in (1,)]
        def m(self): return x
    return x, C.y, C.x, C.z, C().m()
try: print(f())
except Exception as e: print(type(e))
""",
    """\
def f():
    class C:
        x = [1, 2]
        y = [i for i in x]
        try: z = [x for i in y]
        except NameError: z = 0
    return C.y, C.z
x = 9
print(f())
""",
    """\
def f():
    xs = [y := 1, y ** 2]
    zs = [last := i for i in (1,2)]
    return xs, y, zs, last
print(f())
""",
    """\
def f():
    e = 1
    try:
        raise ValueError(3)
    except ValueError as e:
        z = e.args
    try:
        return e
    except UnboundLocalError:
        return z
print(f())
""",
    """\
def f(v):
    match v:
        case [x, *rest] if x > 1:
            return x, rest
        case {"k": k, **more}:
            return k, more
        case str() as s:
            return s
        case (1 | 2) as n:
            return n
print(f([2,3]), f({"k":1,"z":2}), f("q"), f(1))
""",
    """\
def f():
    x = 1
    del x
    try:
        x
    except UnboundLocalError:
        x = 2
    return x
print(f())
""",
    """\
def f():
    def g(a, b=1): return a+b
    h = lambda q, w=2: q+w
    return g(1, b=3), h(1, w=3), h(q=4)
print(f())
""",
    """\
def f():
    name = 3
    return f"{name=} {name!r}"
print(f())
""",
    """\
def f():
    name = 3
    other = 4
    return dir()
print(f())
""",
    """\
import sys
def f():
    name = 3
    return g()
def g():
    return sorted(sys._getframe(1).f_locals)
print(f())
""",
    """\
def f():
    def inner(): pass
    class Kind: pass
    return inner.__name__, Kind.__name__, repr(Kind)
print(f())
""",
    """\
def f():
    from dataclasses import dataclass, asdict
    @dataclass
    class Row:
        size: int = 1
    return asdict(Row())
print(f())
""",
    """\
def outer():
    value = 1
    def inner():
        def deep():
            nonlocal value
            value += 1
        deep()
        return value
    return inner(), value
print(outer())
""",
    """\
def f():
    i = 10
    a = [i for i in range(3)]
    b = [j for j in range(i) if (k := j) > 8]
    c = {i: j for i, j in zip(range(i), a)}
    g = (i for i in (i,))
    return a, b, c, i, k, list(g)
print(f())
""",
    """\
def f():
    x = 1
    def g(x=x, y=lambda: x):
        return x + y()
    return g(5)
print(f())
""",
    """\
class A:
    def m(self):
        __secret = 1
        return __secret, locals is None
    def n(self):
        super().__init__()
        def q():
            return __class__
        return q()
print(A().m(), A().n())
""",
    """\
def f():
    import os.path as op
    import collections
    from math import pi as circle
    return op.sep, collections.__name__, circle
print(f())
""",
    """\
def f():
    total = 0
    for total in range(3):
        pass
    else:
        last = total
    with open('/dev/null') as fh, open('/dev/null') as fh2:
        pass
    return total, last, fh.closed
print(f())
""",
    """\
def f():
    x: int = 1
    y: 'x' = 2
    return x
print(f())
""",
    """\
def f():
    x = 'v'
    return '{x}'.format(x=x), '%(x)s' % {'x': x}, '{x}'.format(**locals())
print(f())
""",
    """\
def deco(fn):
    return fn.__name__
def f():
    def plain(): pass
    return deco(plain)
print(f())
""",
    """\
def f():
    class Base:
        def __init_subclass__(cls, **kw): cls.tag = cls.__name__
    class Kid(Base): pass
    return Kid.tag
print(f())
""",
    """\
def f():
    from collections import namedtuple
    Point = namedtuple('Point', 'x y')
    p = Point(1, 2)
    x = p.x
    return p, x
print(f())
""",
    """\
def f(*args, **kw):
    return args, kw
def g(self_, /, b):
    return self_, b
print(f(1, args=2, kw=3), g(1, b=2))
def h(pos, /, **kw):
    return pos, kw
print(h(1, pos=2))
""",
    """\
def f(n):
    def fact(n): return 1 if n < 2 else n * fact(n - 1)
    return fact(n)
print(f(4))
""",
    """\
def f():
    lst = [1,2]
    lst[0], lst[1] = lst[1], lst[0]
    (a, [b, *c]) = 1, [2, 3]
    for a, b in [(1, 2)]: pass
    a.real
    return lst, a, b, c
print(f())
""",
    """\
import inspect
def f():
    def inner(alpha, beta=1): return 0
    return str(inspect.signature(inner))
print(f())
""",
    """\
from string import Template
def f():
    who = 'x'
    return Template('$who').substitute(who=who), Template('$who').substitute(vars())
print(f())
""",
    """\
def gen():
    x = 1
    yield from (x + y for y in (x,))
    class K(metaclass=type):
        x = x if False else 3
        print(x)
x = 8
print(list(gen()))
""",
    """\
def f():
    x = 1
    class A:
        x = 2
        class B:
            y = x
        def m(self):
            return x
        l = lambda: x
        t = (x for _ in [0])
        u = [q for q in (x,)]
    return A.B.y, A().m(), A.l(), list(A.t), A.u
print(f())
""",
    """\
def f():
    if False:
        import json as name
    name = 3
    return name
print(f())
""",
    """\
def f():
    global made
    made = 1
    def g():
        made = 2
        return made
    return g()
print(f(), made)
""",
    """\
def f():
    a = 1
    def g():
        global a
        a = 5
        def h():
            return a
        return h()
    return g(), a
print(f(), a)
""",
    """\
def f():
    try:
        return 1
    except* ValueError as group:
        print(group)
    finally:
        x = 2
print(f())
""",
    """\
def f():
    x = 1
    return eval('x', {}, {'x': 2}), compile('x', '', 'eval') is None
print(f())
""",
    """\
def test(fixture=None):
    value = 1
    assert value == 1, f"{value}"
    print(f"{value:>{value}}" f"{value + 1 = }")
test()
""",
    """\
def deco(a):
    def wrap(fn):
        return lambda *x: fn(*x)
    return wrap
def f():
    size = 2
    @deco(size)
    def inner(n: size = size) -> size:
        return n
    return inner(), size
print(f())
""",
]
SCRIPT = [
    """\
function f(a, g = () => x) { var x = 1; return [g(), x]; }
globalThis.x = 7;
console.log(f(1));
""",
    """\
function f(x, g = () => x) { var x; x = 2; return [g(), x]; }
console.log(f(1));
""",
    """\
function f(x, g = () => x) { var x = 3; return [g(), x]; }
console.log(f(1));
""",
    """\
function f(o) { const size = 1; with (o) { return size; } }
console.log(f({size: 2}), f({}));
""",
    """\
function f(o) { let size = 1; with (o) { size = 5; } return size + (o.size || 0); }
console.log(f({size: 2}), f({}), f({fresh: 3}));
""",
    """\
function f() { { function g() { return 1; } } return typeof g + g(); }
console.log(f());
""",
    """\
function f() { g = 1; { g = 2; function g() {} g = 3; } return [typeof g, g]; }
try { console.log(f()); } catch (e) { console.log(e.name); }
""",
    """\
function f() { if (true) { function h() { return 1; } } else { function h() { return 2; } } return h(); }
console.log(f());
""",
    """\
function f() { switch (1) { case 1: function q() { return 4; } } return q(); }
console.log(f());
""",
    """\
function f() { try { throw 1; } catch (e) { var e = 2; } return e; }
console.log(f());
""",
    """\
function f() { var e = 5; try { throw 1; } catch (e) { e = 2; var r = e; } return [e, r]; }
console.log(f());
""",
    """\
function f() { try { throw 1; } catch (e) { for (var e = 3; e < 4; e++) {} return e; } }
console.log(f());
""",
    """\
function f() { let size = 1; return eval('size'); }
console.log(f());
""",
    """\
function f() { var size = 1; { let size = 2; var q = size; } return [size, q]; }
console.log(f());
""",
    """\
function f() { var arguments_ = 1; function arguments2() { return arguments.length; } return arguments2(1, 2); }
console.log(f());
""",
    """\
function f(a, a2) { arguments[0] = 9; return a; }
console.log(f(1));
""",
    """\
const f = function g(n) { return n < 2 ? 1 : n * g(n - 1); };
console.log(f(4), f.name);
""",
    """\
function f() { const k = () => 1; class Q {} const W = class {};
  return [k.name, Q.name, W.name, new Q().constructor.name]; }
console.log(f());
""",
    """\
function f() { const k = () => 1; const o = { k, v: k }; return Object.keys(o); }
console.log(f());
""",
    """\
function f() { label: for (let label = 0; label < 2; label++) { continue label; } return 1; }
console.log(f());
""",
    """\
class A { #x = 1; x = 2; static y = 3; m(x) { return [this.#x, this.x, x, A.y]; } get z() { let z = 1; return z; } }
console.log(new A().m(5), new A().z);
""",
    """\
function f({ a, b: { c = 1 } = {}, ...rest }, [d, ...e]) { return [a, c, rest, d, e]; }
console.log(f({ a: 1, z: 2 }, [3, 4]));
""",
    """\
function f() { let a = 1, b = 2; [a, b] = [b, a]; ({ a, b: b } = { a: 5, b: 6 });
  for ({ a } of [{ a: 9 }]) {} return [a, b]; }
console.log(f());
""",
    """\
function f() { let x = 1; { x2(); function x2() { x = 2; } } return x; }
console.log(f());
""",
    """\
function f() { let i = 'o'; for (let i = 0, n = i; i < 1; i++) { let i = 5; }
  for (const i of [i2()]) {} function i2() { return i; } return i; }
console.log(f());
""",
    """\
function f() { return typeof undefinedThing + typeof later; var later = 1; }
console.log(f());
""",
    """\
function f() { const fn = new Function('return typeof hidden'); const hidden = 1; return fn() + hidden; }
console.log(f());
""",
    """\
function f() { var x = 1; function x() {} return typeof x; }
console.log(f());
""",
    """\
function f() { class C { static n = C.name; } const D = class E { n() { return E.name; } };
  return [C.n, new D().n()]; }
console.log(f());
""",
    """\
var f = (x, { y = x, z = y } = {}) => { let w = x; return [x, y, z, w]; };
console.log(f(1));
""",
    """\
function f() { let a = 1; const t = `${a} a ${`${a}`}`; return t; }
console.log(f());
""",
    """\
function* f() { const v = yield 1; let w = yield* [v]; return w; }
console.log([...f()]);
""",
    """\
function f(x) { { let x = 1; { var y = x; } } return [x, y]; }
console.log(f(4));
""",
    """\
function f() { let s = 0; for (const k in { a: 1 }) s += k; for (var q in { b: 1 }); return [s, q]; }
console.log(f());
""",
    """\
function f() { const a = 1; return { a, get b() { return a; }, [a]: a, a() { return a; } }; }
console.log(Object.keys(f()));
""",
    """\
function f() { "use strict"; { function g() { return 1; } } return typeof g; }
console.log(f());
""",
    """\
function f() { let g = 1; { function g() { return 2; } } return typeof g; }
console.log(f());
""",
    """\
function f(g) { { function g() { return 2; } } return typeof g; }
console.log(f(1));
""",
    """\
function g() { return 'outer'; } function f() { { function g() { return 2; } } return g(); }
console.log(f(1));
""",
    """\
function f() { const set = new Set([1]); set.size; let get = 1; let async = 2; let of = 3;
  for (of of [1]) {} return [get, async, of]; }
console.log(f());
""",
    """\
let a = 1; function f(b = a) { var a = 2; return [a, b]; }
console.log(f());
""",
    """\
function f() { try { throw { m: 1 }; } catch ({ m }) { var r = m; { let m = 2; r += m; } } return r; }
console.log(f());
""",
    """\
const o = { m() { const self = this; return (function () { return self === o; })(); } };
console.log(o.m());
""",
    """\
function f() { const x = 1; return JSON.stringify({ x, y: x }); }
console.log(f());
""",
    """\
function f(x) { switch (x) { case 1: let y = 2; return y; default: { let y = 3; return y; } } }
console.log(f(1), f(2));
""",
    """\
function f() { for (var i = 0, fs = []; i < 2; i++) { let j = i; fs.push(() => i * 10 + j); }
  return fs.map(g => g()); }
console.log(f());
""",
    """\
function f(a, b = a, c = () => { var a = 4; return a; }) { return [a, b, c()]; }
console.log(f(1));
""",
    """\
function f() { const fresh2 = 1; const helper = () => fresh2; return helper.toString().length > 0 && helper(); }
console.log(f());
""",
]
