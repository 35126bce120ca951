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
    v = 3
    v.go()  # => outside
    u = 3
    u += p
    u.go()  # => name
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
PROGRAMS = {"python": PYTHON}
