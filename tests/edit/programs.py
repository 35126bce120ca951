"""Python programs, each with the place to rename marked by `§`; `m.py` is run, and prints what it does.

The first line says what becomes of the rename: `passes`, `asks`, or `asks in vain`: the question can't be spared,
though this program would do the same. The new name is `fresh`, or what stands behind an arrow.
"""

PROGRAMS = """
passes  a function, its import, an alias, the list of exports
from n import §go, other as kept
from n import go as run
print(go(), run(), kept())
--- n.py
__all__ = ["go", "other"]
def go(): return 1
def other(): return go()
======
passes  a class in annotations that are texts
class §Box: pass
def f(it: "Box | None" = None) -> "list[Box]": return [it]
print(len(f(Box())))
======
passes  a private member, which another class below has too -> __fresh
class A:
    def __init__(self): self.§__size = 1
    def seen(self): return self.__size
class B(A):
    def __init__(self):
        super().__init__()
        self.__size = 2
    def both(self): return self.__size + self.seen()
print(B().both())
======
passes  a re-export, and the name that it repeats
from p import Box
print(Box().size)
--- p/__init__.py
from .m import Box as Box
--- p/m.py
class §Box: size = 1
======
passes  methods that override each other
class A:
    def §go(self): return 1
class B(A):
    def go(self): return super().go() + 1
class C:
    def go(self): return 5
print(A().go(), B().go(), C().go())
======
passes  methods of two bases that meet below
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
class C(A, B): pass
def f(it: B): return it.go()
print(C().go(), f(C()))
======
passes  a field of a row and the keywords that give it
from dataclasses import dataclass, replace
@dataclass
class A:
    §size: int
    other: int = 1
a = A(size=2)
print(replace(a, size=3) == A(3), a.size, A(4).size)
======
asks  a field of a named tuple
from typing import NamedTuple
class A(NamedTuple):
    §size: int
print(A(size=2).size)
======
passes  a keyword of a pattern
class A:
    def __init__(self): self.§size = 1
match A():
    case A(size=1): print("one")
    case _: print("none")
======
passes  the names of a pattern by their place
class A:
    __match_args__ = ("size",)
    def __init__(self): self.§size = 1
match A():
    case A(1): print("one")
    case _: print("none")
======
passes  a parameter and the keywords that give it
def f(§size, other=1): return size + other
print(f(size=1), f(2, other=2))
======
passes  a parameter of a constructor
class A:
    def __init__(self, §size): self.kept = size
class B(A):
    def __init__(self): super().__init__(size=2)
print(A(size=1).kept, B().kept)
======
passes  a text that happens to be the name of something else
def §go(): return 1
print(go(), {"go": 1}["go"])
======
passes  a name that is only shown
class §A:
    def __repr__(self): return "<" + type(self).__name__[:0] + ">"
print(A())
======
passes  members of another class are listed
class A:
    def __init__(self): self.§size = 1
class B:
    def __init__(self): self.width = 2
def f(it: B): return sorted(vars(it))
print(A().size, f(B()))
======
passes  another member is asked for by its name
class A:
    §size = 1
    width = 2
print(A().size, getattr(A(), "width"), getattr(A(), "wi" + "dth"))
======
passes  a written name that is the member
class A:
    def __init__(self): self.§size = 1
print(getattr(A(), "size"), hasattr(A(), "size"), A().size)
======
passes  a test's patch that names the function
import n, unittest.mock as mock
def §go(): return 1
if __name__ == "__main__":
    import m
    with mock.patch("m.go", lambda: 2), mock.patch.object(n, "width", 3):
        print(m.go(), n.width)
--- n.py
width = 1
======
asks  a class that lists its members
class A:
    def __init__(self): self.§size = 1
    def all(self): return sorted(vars(self))
print(A().size, A().all())
======
asks  a class below that lists what it inherits
class A:
    def __init__(self): self.§size = 1
class B(A):
    def all(self): return dict(self.__dict__)
print(B().size, B().all())
======
asks  a class that is asked for a member by a word
class A:
    §size = 1
    def of(self, word): return getattr(self, word)
print(A().size, A().of("si" + "ze"))
======
asks  something unknown is asked for a word that stands as a text
class A:
    §size = 1
def of(it, word): return getattr(it, word)
print(A().size, of(A(), "size"))
======
asks  a name that is put together
class A:
    def §get_size(self): return 1
    def of(self, word): return getattr(self, f"get_{word}")()
print(A().get_size(), A().of("size"))
======
asks  a name that is put together for something unknown
class A:
    def §get_size(self): return 1
def of(it, word): return getattr(it, "get_" + word)()
print(A().get_size(), of(A(), "size"))
======
asks  members that are found by how they begin
class A:
    def §do_run(self): return 1
    def all(self): return [each for each in dir(self) if each.startswith("do_")]
print(A().do_run(), A().all())
======
asks  a row that is written out
from dataclasses import dataclass, asdict
@dataclass
class A:
    §size: int = 1
print(A().size, asdict(A()))
======
asks  a row that is made of names
from dataclasses import dataclass
@dataclass
class A:
    §size: int
given = {"size": 1}
print(A(**given).size)
======
asks  a row that makes itself of names
from dataclasses import dataclass
@dataclass
class A:
    §size: int
    @classmethod
    def of(cls, given): return cls(**given)
print(A.of({"size": 1}).size)
======
asks  a row that is changed by names
from dataclasses import dataclass, replace
@dataclass
class A:
    §size: int
print(replace(A(1), **{"size": 2}).size)
======
asks  a metaclass that reads the body
class M(type):
    def __new__(cls, name, bases, given):
        made = super().__new__(cls, name, bases, given)
        made.all = [each for each in given if each[0] != "_"]
        return made
class A(metaclass=M):
    §size = 1
print(A.size, A.all)
======
asks  a class that is kept by its name
kept = {}
class Base:
    def __init_subclass__(cls): kept[cls.__name__] = cls
class §Kid(Base): pass
print(Kid(), kept["Kid"]) if 0 else print(list(kept))
======
asks  the name of a class in a table
class A:
    def tag(self): return "is_" + type(self).__name__
class §B(A): pass
print(B().tag())
======
asks  a class below whose members a base lists
class Base:
    def __init_subclass__(cls): cls.all = [each for each in vars(cls) if each[0] != "_"]
class A(Base):
    §size = 1
print(A.size, A.all)
======
asks  a value that is told its name
class F:
    def __set_name__(self, owner, name): self.name = name
class A:
    §size = F()
print(A.size.name)
======
asks  members of an enumeration by a word
from enum import Enum
class A(Enum):
    §size = 1
print(A.size.value, A["si" + "ze"].value)
======
asks  members of an enumeration by their own class
from enum import Enum
class A(Enum):
    §size = 1
    @classmethod
    def of(cls, word): return cls[word]
print(A.size.value, A.of("si" + "ze").value)
======
asks  members of an enumeration that tell their names
from enum import Enum
class A(Enum):
    §size = 1
print(A.size.name)
======
asks  members of an enumeration that are listed with their names
from enum import Enum
class A(Enum):
    §size = 1
print(A.size.value, [each.name for each in A])
======
asks  members of an enumeration whose values are their names
from enum import StrEnum, auto
class A(StrEnum):
    §size = auto()
print(A.size.value)
======
passes  members of an enumeration that are only meant
from enum import Enum
class A(Enum):
    §size = 1
    width = 2
print(A.size.value, A(1) is A.size, A.width in (A.size, A.width))
======
asks  a decorator that keeps what it decorates by name
kept = {}
def keep(f):
    kept[f.__name__] = f
    return f
@keep
def §go(): return 1
print(kept)if 0 else print(list(kept))
======
passes  a decorator that only wraps
from functools import wraps
def twice(f):
    @wraps(f)
    def both(*given, **named): return f(*given, **named), f(*given, **named)
    return both
@twice
def §go(): return 1
print(go())
======
asks  a module that is asked for a word
import n
def f(word): return getattr(n, word)()
print(n.go(), f("g" + "o"))
--- n.py
def §go(): return 1
======
asks  a module that is listed
import n
print(n.go(), [each for each in dir(n) if each[0] != "_"])
--- n.py
def §go(): return 1
======
asks  a module that asks itself
def §go(): return 1
print(go(), globals()["g" + "o"]())
======
asks  a module that is loaded by a word
from importlib import import_module
print(getattr(import_module("n"), "go")())
--- n.py
def §go(): return 1
======
asks  a text that is run
def §go(): return 1
print(go(), eval("go()"))
======
asks  a function whose code is asked for its name
import sys
def f(): return sys._getframe(1).f_code.co_name == "go"
def §go(): return f()
print(go())
======
asks  something that passes on whatever is asked of it
class A:
    def __init__(self): self.§size = 1
class P:
    def __init__(self, it): self._it = it
    def __getattr__(self, word): return getattr(self._it, word)
print(P(A()).size, A().size)
======
asks  a member of something unknown
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
print([each.go() for each in (A(), B())])
======
asks  a keyword that is passed on
def f(§size): return size
def g(**given): return f(**given)
print(g(size=1))
======
asks  a keyword of a call whose names are in a table
def f(§size): return size
print(f(**{"size": 1}))
======
asks  a function that is handed on and called by keywords
def f(§size): return size
def run(it): return it(size=1)
print(run(f))
======
asks  a wrapper that is called by keywords
from functools import partial
def f(§size): return size
print(partial(f, size=1)())
======
passes  a function that is handed on and called in order
def f(§size): return size
print(list(map(f, [1])))
======
asks  the parameters of a signature
import inspect
def f(§size): return size
print(f(1), inspect.signature(f))
======
asks  the format of an object
class A:
    def __init__(self): self.§size = 1
print(A().size, "{0.size}".format(A()))
======
asks  the member of a protocol
from typing import Protocol
class P(Protocol):
    def go(self): ...
class A:
    def §go(self): return 1
def f(it: P): return it.go()
print(f(A()), A().go())
======
asks  a getter of members
from operator import attrgetter
class A:
    def __init__(self): self.§size = 1
print(A().size, attrgetter("size")(A()))
======
asks  a class that keeps slots
class A:
    __slots__ = ("size",)
    def __init__(self): self.§size = 1
print(A().size, A.__slots__)
======
asks  a base of a library that may know the name
from json import JSONEncoder
class A(JSONEncoder):
    def §default(self, o): return 1
print(A().encode(object()))
======
passes  a base of a library that knows it not
from json import JSONEncoder
class A(JSONEncoder):
    def §extra(self): return 1
print(A().extra())
======
asks  a base that a call makes
def make():
    class Base:
        def run(self): return self.go()
    return Base
class A(make()):
    def §go(self): return 1
print(A().go(), A().run())
======
passes  a star that brings the name
from n import *
print(go())
--- n.py
def §go(): return 1
======
passes  two definitions of one name
import sys
if sys.maxsize:
    def §go(): return 1
else:
    def go(): return 2
print(go())
======
passes  a module's value that another file sets
import n
n.size = 2
print(n.size, n.get())
--- n.py
§size = 1
def get(): return size
======
asks  a private name in its full form
class A:
    def __init__(self): self.§__size = 1
    def get(self): return self.__size
print(A().get(), A()._A__size)
======
asks  a setting by its name
class A:
    §size = 1
a = A()
for key, value in {"size": 2}.items(): setattr(a, key, value)
print(a.size)
======
asks  a namespace whose members are keywords
from types import SimpleNamespace
class A:
    §size = 1
def f(it): return it.size
print(f(A()), f(SimpleNamespace(size=2)))
======
asks  a stored object
import pickle
class §A: pass
kept = pickle.dumps(A())
print(len(kept))
======
asks  a name in JSON
import json
from dataclasses import dataclass
@dataclass
class A:
    §size: int
def load(kind, text): return kind(**json.loads(text))
print(load(A, '{"size": 1}').size)
======
asks  hints that are read
from typing import get_type_hints
class A:
    §size: int = 1
print(A.size, get_type_hints(A))
======
passes  a property with its setter
class A:
    _kept = 1
    @property
    def §size(self): return self._kept
    @size.setter
    def size(self, value): self._kept = value
a = A()
a.size = 3
print(a.size)
======
passes  a global that functions set
§count = 0
def add():
    global count
    count += 1
add()
print(count)
======
passes  a class in a class
class A:
    class §Inner:
        size = 1
    def f(self): return self.Inner().size
print(A().f(), A.Inner.size)
======
passes  a type that a call is given as a text
from typing import TypeVar, cast
class §Box: size = 1
Kind = TypeVar("Kind", bound="Box | None")
print(cast("list[Box]", [Box()])[0].size, Kind.__bound__.__forward_arg__.count("Box | None") < 2)
======
passes  a parameter and the field that it is kept in on its line
class A:
    def __init__(self, §size): self.size = size
print(A(size=2).size)
======
passes  a class and its member on one line
class §K: K = 1
print(K.K)
======
passes  a field and the parameter that it keeps on its line
class A:
    def __init__(self, size): self.§size = size
print(A(size=2).size)
======
passes  a class that makes its values by what it is
class A:
    def __init__(self, §size): self.k = size
    @classmethod
    def of(cls, n): return cls(size=n)
    def a(self): return type(self)(size=self.k)
    def b(self): return self.__class__(size=self.k)
print(A.of(1).k, A(2).a().k, A(size=2).b().k)
======
asks  a class that is handed on and called by keywords
class A:
    def __init__(self, §size): self.k = size
def make(t): return t(size=4)
print(make(A).k)
======
asks  a class in a list that is called by keywords
class A:
    def __init__(self, §size): self.k = size
print([c(size=1) for c in [A]])if 0 else print(len([c(size=1) for c in [A]]))
======
passes  a class that a member holds
class A:
    def __init__(self, §size): self.k = size
class F:
    kind = A
    def make(self): return self.kind(size=2)
print(F().make().k)
======
passes  a parameter of methods that override each other
class A:
    def go(self, §size=1): return size
class B(A):
    def go(self, size=2): return size + 1
def f(a: A): return a.go(size=3)
print(f(B()), B().go(size=1))
======
passes  a parameter of an abstract method
from abc import ABC, abstractmethod
class A(ABC):
    @abstractmethod
    def go(self, size=1): ...
class B(A):
    def go(self, §size=2): return size + 1
def f(a: A): return a.go(size=3)
print(f(B()), B().go(size=1))
======
asks  a decorator that gives the keyword
def deco(fn):
    def w(*a): return fn(*a, size=3)
    return w
@deco
def f(§size): return size
print(f())
======
asks  a function without a name that is called by keywords
f = lambda §size, k=1: size + k
print(f(size=1))
======
passes  a parameter of two constructors
class A:
    def __new__(cls, size): return super().__new__(cls)
    def __init__(self, §size): self.k = size
print(A(size=1).k)
======
passes  a keyword in the head of a class
class A:
    def __init_subclass__(cls, §size=0, **k): cls.s = size
class B(A, size=3): pass
print(B.s)
======
passes  a parameter of what is registered with a function
from functools import singledispatch
@singledispatch
def f(x, §size=0): return size
@f.register
def _(x: int, size=1): return size + 1
print(f(1, size=2), f("", size=3))
======
asks  a parameter that its function lists on one line
def f(§size): return "%(size)s" % locals()
print(f(1))
======
asks  a parameter that a format gets by its name
def f(§size): return "{size}".format_map(vars())
print(f(1))
======
asks  a parameter that its function lists
def f(§size):
    return "%(size)s" % locals()
print(f(1))
======
asks  a parameter that a template gets by its name
from string import Template
def f(§size):
    return Template("$size").substitute(locals())
print(f(1))
======
passes  a parameter of methods in two files
from n import A
class B(A):
    def go(self, size=2): return size
def f(a: A): return a.go(size=3)
print(f(B()))
--- n.py
class A:
    def go(self, §size=1): return size
======
passes  a constructor below with its own parameter of the name
class A:
    def __init__(self, §size): self.k = size
class B(A):
    def __init__(self, size, other):
        super().__init__(size=size)
print(B(size=1, other=2).k)
======
passes  a class under another name
class A:
    def __init__(self, §size): self.k = size
K = A
print(K(size=1).k)
======
asks  a class that an annotation tells of
from typing import Type
class A:
    def __init__(self, §size): self.k = size
def f(t: Type[A]): return t(size=1)
print(f(A).k)
======
asks  a decorator that keeps the function
handlers = []
def on(fn):
    handlers.append(fn)
    return fn
@on
def f(§size): return size
print([h(size=1) for h in handlers])
======
asks  a decorator that keeps the function for names that are not written
handlers = {}
def on(word):
    def keep(fn):
        handlers[word] = fn
        return fn
    return keep
@on("x")
def f(§size): return size
print(handlers["x"](**{"size": 1}))
======
asks  a method that keeps the function
class App:
    def __init__(self): self.all = []
    def on(self, fn):
        self.all.append(fn)
        return fn
app = App()
@app.on
def f(§size): return size
print([h(size=1) for h in app.all])
======
asks  a class with a private member in its full form
class §A:
    def __init__(self): self.__size = 1
class B(A):
    def h(self): return self._A__size
print(B().h())
======
passes  a parameter of what is only wrapped
from functools import wraps
def twice(f):
    @wraps(f)
    def both(*given, **named): return f(*given, **named)
    return both
@twice
def go(§size): return size
print(go(size=1))
======
passes  keywords of other functions
def go(§size): return size
def other(size): return size
class C:
    def __init__(self, size): self.k = size
print(go(size=1), other(size=2), C(size=1).k, [go(1)])
======
passes  a parameter of overloads
from typing import overload
@overload
def f(size: int) -> int: ...
@overload
def f(size: str) -> str: ...
def f(§size): return size
print(f(size=1))
======
passes  constructors that one keyword reaches
class A:
    def __init__(self, §size): self.k = size
    @classmethod
    def of(cls): return cls(size=1)
class B(A):
    def __init__(self, size): self.k = size + 1
print(A.of().k, B.of().k, B(size=3).k)
======
passes  a parameter of what is called as a value
class A:
    def __call__(self, §size): return size
a = A()
print(a(size=2), A()(size=3))
======
passes  a function without a name that has the same parameter
def g(§size):
    return (lambda size: size + 1)(size)
print(g(size=1))
======
asks  a keyword that is passed on with the function
def f(§size): return size
def run(it, **k): return it(**k)
print(run(f, size=1))
======
passes  a name that another function has for a value of its own
def §go(): return 1
def f(fresh=2): return fresh
def g():
    fresh = 3
    return [fresh for _ in "ab"]
print(go(), f(fresh=4), g())
======
asks  a constructor that another stands before
class M:
    def __init__(self, size): super().__init__(size=size)
class A:
    def __init__(self, §size): self.k = size
class C(M, A): pass
print(C(size=1).k)
======
asks  a method that is asked for by its name and given a keyword
class A:
    def go(self, §size): return size
    def x(self): return getattr(self, "go")(size=1)
print(A().x())
======
asks  a method whose name is put together and that is given a keyword
class A:
    def go(self, §size): return size
print(getattr(A(), "g" + "o")(size=1))
======
passes  a keyword for a method by another name
class A:
    def go(self, §size): return size
    run = go
print(A().run(size=1))
======
passes  a keyword in the head of a class for what makes it
class M(type):
    def __new__(m, name, bases, ns, §size=0): return super().__new__(m, name, bases, ns)
    def __init__(c, name, bases, ns, size=0): c.s = size
class B(metaclass=M, size=3): pass
print(B.s)
======
passes  a keyword in the head of a class for what makes its base
class M(type):
    def __new__(m, name, bases, ns, §size=0): return super().__new__(m, name, bases, ns)
    def __init__(c, name, bases, ns, size=0): c.s = size
class A(metaclass=M): pass
class B(A, size=3): pass
print(B.s)
======
passes  a function that a member holds
def f(§size): return size
class A:
    def __init__(self): self.f = f
    def x(self): return self.f(size=1)
print(A().x())
======
passes  a keyword for what a wrapper holds
from functools import wraps, lru_cache
@lru_cache
def f(§size): return size
print(f(size=2), f.__wrapped__(size=2))
======
asks  a table of keywords beside the function
import threading
def f(§size): out.append(size)
out = []
t = threading.Thread(target=f, kwargs=dict(size=1)); t.start(); t.join()
print(out)
======
asks  a table of keywords for a class
class A:
    def __init__(self, §size): self.k = size
def run(fn, given): return fn(**given)
print(run(A, dict(size=1)).k)
======
asks  a class that is handed on with names that are not written
class A:
    def __init__(self, §size): self.k = size
def run(fn, given): return fn(**given)
print(run(A, {"size": 1}).k)
======
asks  a parameter of a method that fits a protocol
from typing import Protocol
class P(Protocol):
    def go(self, size): ...
class A:
    def go(self, §size): return size
def f(p: P): return p.go(size=1)
print(f(A()))
======
asks  a parameter of a function that fits a protocol
from typing import Protocol
class P(Protocol):
    def __call__(self, size): ...
def g(§size): return size
def f(p: P): return p(size=1)
print(f(g))
======
passes  a member with a name that only others have
fresh = 2
class A:
    def §go(self): return fresh
    def f(self, fresh=3): return fresh + self.go()
class B:
    fresh = 4
def g(b: B): return b.fresh
print(A().f(), g(B()), A().go())
======
asks  something that is given and lists what it has
class A:
    def __init__(self): self.§size = 1
def dump(v): return sorted(vars(v))
def show(it): return dump(it)
print(show(A()))
======
passes  what lists other things that it is given
class A:
    def __init__(self): self.§size = 1
class B:
    def __init__(self): self.width = 1
def dump(v): return sorted(vars(v))
def show(it): return dump(v=it)
print(show(B()), dump(B()), A().size)
======
asks  what lists its members as a value that others call
import json
class A:
    def __init__(self): self.§size = 1
print(json.dumps(A(), default=vars))
======
asks  a function without a name that lists what it gets
import json
class A:
    def __init__(self): self.§size = 1
print(json.dumps([A()], default=lambda o: o.__dict__))
======
asks  things that are kept and listed
class A:
    def __init__(self): self.§size = 1
class R:
    def __init__(self): self.all = []
    def add(self, it): self.all.append(it)
    def dump(self): return [sorted(vars(each)) for each in self.all]
r = R()
r.add(A())
print(r.dump())
======
passes  members that are asked for and set as every object does it
from dataclasses import dataclass
@dataclass(frozen=True)
class A:
    §size: int = 1
    def __post_init__(self): object.__setattr__(self, "size", 3)
    def get(self): return object.__getattribute__(self, "size") + super().__getattribute__("size")
    def __getattr__(self, word): return object.__getattribute__(self, word)
print(A().size, A().get())
======
asks  a word that every object is asked for
class A:
    def __init__(self, word): self.§size = 1; self.kept = object.__getattribute__(self, word)
print(A("si" + "ze").kept)
======
passes  a test that replaces members by keywords
from unittest import mock
class A:
    def §go(self): return 1
with mock.patch.multiple(A, go=lambda self: 2):
    print(A().go())
======
asks  the names of a module as its local ones
def §go(): return 1
print(locals().get("go")())
======
asks  the names of a module by its own list
def §go(): return 1
print([each for each in dir() if each[0] != "_"])
======
asks  the names of a class in its body
class A:
    §size = 1
    all = [each for each in locals() if each[0] != "_"]
print(A.all)
======
passes  the local names of another function
def §go(): return 1
def f(width): return sorted(locals())
print(go(), f(1))
======
asks  the names of parameters in the code of a function
def f(§size): return size
def g(fn): return fn.__code__.co_varnames
print(f(1), g(f))
======
asks  an answer for members that are not there -> y
class A:
    def §go(self): return 1
    def __getattr__(self, n): return n
def f(x): return x.y
print(A().go(), f(A()))
======
asks  a member that something unknown gets -> y
class A:
    def §go(self): return 1
def f(a):
    a.y = 3
    return a
print(f(A()).go())
======
asks  a keyword that becomes a member -> y
class A:
    def __init__(self, **k): self.__dict__.update(k)
    def §go(self): return 1
print(A(y=3).go())
======
asks  a keyword of a namespace -> y
from types import SimpleNamespace
class A(SimpleNamespace):
    def §go(self): return 1
print(A(y=3).go())
======
asks  a name that a library looks for -> visit_Name
import ast
class A(ast.NodeVisitor):
    n = 0
    def §go(self, node): self.n += 1
a = A()
a.visit(ast.parse("b"))
print(a.n)
======
asks  a name that is put together and was not found -> get_size
class A:
    def §go(self): return 1
    def of(self, w): return getattr(self, "get_" + w, lambda: 0)()
print(A().go(), A().of("size"))
======
asks  a keyword for a class that is handed on -> y
class A:
    def __init__(self, **k): vars(self).update(k)
    def §go(self): return 1
def make(t): return t(y=3)
print(make(A).go())
======
passes  a keyword of another function -> y
class A:
    def §go(self): return 1
def f(y): return y
print(A().go(), f(y=2))
======
passes  members of another class -> y
class A:
    def §go(self): return 1
class B:
    def __init__(self): self.y = 1
def f(b: B): return b.y
print(A().go(), f(B()), B().y)
======
asks  a keyword that a wrapper keeps -> y
from functools import partial
def f(§go=0, **k): return go, k
print(partial(f, y=3)())
======
asks  a keyword for a function that is handed on -> y
def f(§go=0, **k): return go, k
def g(fn): return fn(y=3)
print(g(f))
======
asks  a table of keywords for a function that is handed on -> y
def f(§go=0, **k): return go, k
def g(fn, d): return fn(**d)
print(g(f, {"y": 3}))
======
passes  a keyword of another function's -> y
def f(§go=0): return go
def g(y=1): return y
print(f(1), g(y=3))
======
asks  a pattern that asks for a member -> y
class A:
    def §go(self): return 1
match A():
    case A(y=_): print("y")
    case _: print("none")
======
asks  something unknown that is asked whether it has it -> y
class A:
    def §go(self): return 1
def f(x): return hasattr(x, "y")
print(f(A()))
======
asks  a text that asks a module -> y
def §go(): return 1
print(globals().get("y"))
======
passes  a list that a star takes -> _y
from n import *
print(go())
--- n.py
__all__ = ["go"]
def §go(): return 1
======
asks  a variable that has the name of one of a library's
import threading
class A:
    def __init__(self): self.§size = 1
def f():
    v = threading.local()
    return sorted(vars(v))
def g(v): return sorted(vars(v))
print(f(), g(A()))
======
passes  a value of a library that lists what it has
import threading
kept = threading.local()
class A:
    def __init__(self): self.§size = 1
print(A().size, sorted(vars(kept)))
======
asks  the members of something unknown by a word
class A:
    def __init__(self): self.§size = 1
def f(it, word): return it.__dict__.get(word)
print(f(A(), "size"))
======
passes  what gets the members of another
class A:
    def __init__(self): self.§size = 1
class B:
    def __init__(self): self.width = 1
    def copy(self):
        it = object.__new__(self.__class__)
        it.__dict__.update(self.__dict__)
        return it
print(A().size, B().copy().width)
======
passes  what passes on what it is asked for, and lists itself
class A:
    def __init__(self): self.§size = 1
class P:
    def __init__(self, it): self.it = it
    def __getattr__(self, word): return 0
print(A().size, sorted(vars(P(1))))
======
passes  an example of its own module that is run
import doctest
def §go(x):
    '''Go on.

    >>> go(1) + go(
    ...     2)
    3
    '''
    return x
print(doctest.testmod())
======
asks  a keyword in an example
import doctest
def f(§go=1):
    '''
    >>> f(go=1)
    1
    '''
    return go
print(doctest.testmod())
======
asks  examples of a document that are run
import doctest
def §go(x): return x
print(doctest.testfile("d.rst", module_relative=False))
--- d.rst
About `go`:

>>> from m import go
>>> go(1)
1
======
asks  a member in an example
import doctest
class A:
    '''
    >>> A().go()
    1
    '''
    def §go(self): return 1
print(doctest.testmod())
======
asks in vain  the code of a notebook
def §go(): return 1
print(go(), open("n.ipynb").read().count("import fresh"))
--- n.ipynb
{"cells": [{"cell_type": "markdown", "source": ["go there"]},
 {"cell_type": "code", "outputs": [], "source": ["from m import go\\n", "print(go())"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
======
passes  the prose of a notebook
def §go(): return 1
print(go())
--- n.ipynb
{"cells": [{"cell_type": "markdown", "metadata": {}, "source": ["go there"]},
 {"cell_type": "code", "outputs": [], "source": ["print(1)"]}],
 "metadata": {}, "nbformat": 4, "nbformat_minor": 5}
======
asks  a value that is shown beside its name
§go = 1
print(f"{go=}")
======
passes  examples that say something else
import doctest
def f(§size=1):
    '''size it.

    >>> size = 2
    >>> dict(size=3)["size"] + size
    5
    '''
    return size
print(f(size=1), doctest.testmod())
======
asks  an example that gives the name another value
import doctest
def §go(x):
    '''
    >>> go = go(1)
    >>> go
    1
    '''
    return x
print(doctest.testmod())
======
passes  a name of a module that a function sets
def f():
    global §count
    count = 1
def g():
    count = 2
    return count
f(); print(count, g())
======
passes  a name that an expression binds
xs = [(§hit := x) for x in (1, 2)]
print(hit)
======
passes  one of several names that are bound at once
§K, L = 3, 4
def f(K): return K
class A:
    def k(self): return K
print(K, L, f(1), A().k())
======
asks  one of several names that another module takes
import n
from n import K as q
print(n.K, q)
--- n.py
§K, L = 3, 4
======
passes  what a function imports under another name
def f():
    import os as §o
    return len(o.sep)
def g(o): return o
o = 3
print(f(), g(1), o)
======
passes  what a module imports under another name
from os import getcwd as §go
def f(): return go()
print(len(go()) > 0, f() == go())
======
asks  parts of what a function is given
from a import A
from u import dump
print(dump([A()]))
--- u.py
def dump(vs):
    return [sorted(vars(x)) for x in vs]
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  what an object was given
from a import A
from u import S
print(S(A()).out())
--- u.py
class S:
    def __init__(self, v): self.v = v
    def out(self): return vars(self.v)
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  another variable for what a function is given
from a import A
from u import dump
print(dump(A()))
--- u.py
def dump(v):
    x = v
    return vars(x)
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  a method that a base from elsewhere calls
import json
from a import A
from u import E
print(json.dumps(A(), cls=E))
--- u.py
import json
class E(json.JSONEncoder):
    def default(self, o): return vars(o)
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  a function that others get
import u
from a import A
print(u.d(A()))
--- u.py
def dump(v): return sorted(vars(v))
d = dump
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  what a collection of a module holds
from a import A
from u import dump, put
put(A())
print(dump())
--- u.py
R = []
def put(v): R.append(v)
def dump(): return [sorted(r.__dict__) for r in R]
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  what a function that was given makes
from a import A
from u import dump
print(dump(A))
--- u.py
def dump(f): return vars(f())
--- a.py
class A:
    def __init__(self): self.§size = 1
======
passes  what a library makes of what a function is given
from a import A
from u import dump
print(A().size, dump([]))
--- u.py
from optparse import OptionParser
def dump(v):
    parser = OptionParser()
    found, rest = parser.parse_args(v)
    return vars(found)
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  a value that goes through many functions
from a import A
from u import dump
print(dump(A()))
--- u.py
def dump(v): return f1(v)
def f1(v): return f2(v)
def f2(v): return f3(v)
def f3(v): return f4(v)
def f4(v): return f5(v)
def f5(v): return f6(v)
def f6(v): return vars(v)
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  a member that a name that is worked out finds
from enum import Enum
class E(Enum):
    §RED = 1
print(E['r'.upper() + 'ED'].value, E.RED.value)
======
asks  a parameter that gets another value
from a import A
from u import dump
print(dump(A(), 'si'))
print('size')
--- u.py
def dump(o, w):
    w = w + 'ze'
    return getattr(o, w)
--- a.py
class A:
    def __init__(self): self.§size = 1
======
asks  keywords of a class that others get
from u import B
class A(B):
    §size = 0
C = A
print(C(size=2).size)
--- u.py
class B:
    def __init__(self, **k):
        for n, v in k.items(): setattr(self, n, v)
print(B(real=1).real)
======
asks  an override in a class whose base is a parameter
class A:
    def §go(self): return 1
    def run(self): return self.go()
def mk(b):
    class B(b):
        def go(self): return 2
    return B
print(mk(A)().run())
======
asks  a member of the new name in a class whose base is a parameter
class A:
    def §go(self): return 1
    def run(self): return self.go()
def mk(b):
    class B(b):
        def fresh(self): return 2
    return B
print(mk(A)().run())
======
asks  a function that asks for a word has another name, too
import u
from a import A
g = u.get
print(g(A(), 'si' + 'ze'))
--- a.py
class A:
    def __init__(self):
        self.§size = 1
--- u.py
def get(o, w):
    return getattr(o, w)
print(get(1, 'real'))
======
asks  a function that asks for a word is handed on
import u
from functools import partial
from a import A
print(partial(u.get, A())('si' + 'ze'))
--- a.py
class A:
    def __init__(self):
        self.§size = 1
--- u.py
def get(o, w):
    return getattr(o, w)
print(get(1, 'real'))
======
passes  a function that asks for a word is handed on, and no texts of the tree make the name
import u
from functools import partial
from a import A, B
print(partial(u.get, B())('wid' + 'th'), A().size)
--- a.py
class A:
    def __init__(self):
        self.§size = 1
class B:
    width = 2
--- u.py
def get(o, w):
    return getattr(o, w)
print(get(1, 'real'))
======
passes  functions ask the table of something unknown for single names
import json
class A:
    def __init__(self): self.§size = 1
class B:
    def __init__(self): self.width = 2
def outer(table, more): return inner(1, table=table) + more
def inner(_, table): return table["width"] + table.get("height", 3)
def of(kept): return outer(kept[0].__dict__, 4)
print(of([B()]), A().size)
======
asks  a function below lists the table of something unknown
class A:
    def __init__(self): self.§size = 1
def outer(table): return inner(1, table)
def inner(_, table): return table.get("width", 2), list(table)
def of(kept): return outer(kept[0].__dict__)
print(of([A()]), A().size)
======
passes  a class that is registered with an abstract one is what it is
from collections import abc
class A:
    def __init__(self): self.§size = 1
@abc.Sized.register
class B:
    def __len__(self): return 1
    def __getstate__(self): return {}
it = B()
print(it.__getstate__(), A().size)
======
passes  a module that is called like a field
from p.size import width
from p.all import A
print(width, A().size)
--- p/size.py
width = 1
--- p/all.py
class A:
    def __init__(self): self.§size = 1
======
asks  a method that asks for a word is called on something unknown
from a import A
class G:
    def get(self, o, w): return getattr(o, w)
print(G().get(1, 'real'))
def f(g, w): return g.get(A(), w)
print(f(G(), 'si' + 'ze'))
--- a.py
class A:
    def __init__(self):
        self.§size = 1
======
passes  all calls of a function write out which words it asks for
from a import A
from u import get
print(get(A(), 'width'), A().size)
--- a.py
class A:
    def __init__(self):
        self.§size = 1
        self.width = 2
--- u.py
def get(o, w):
    return getattr(o, w)
print(get(1, 'real'))
======
passes  all calls of a method write out which words it asks for
from a import A
class G:
    def get(self, o, w): return getattr(o, w)
print(G().get(1, 'real'), G().get(A(), 'width'))
--- a.py
class A:
    def __init__(self):
        self.§size = 1
        self.width = 1
======
asks  a value is handed to what asks for a word in another file
from a import A
from u import get
print(get(A(), 'si'+'ze'))
--- a.py
class A:
    def __init__(self):
        self.§size = 1
--- u.py
def get(o, w): return getattr(o, w)
======
passes  another value is handed to what asks for a word in another file
from a import A
from u import get
class B:
    width = 2
print(get(B(), 'wid'+'th'), A().size)
--- a.py
class A:
    def __init__(self):
        self.§size = 1
--- u.py
def get(o, w): return getattr(o, w)
======
asks  names are laid over the members of what is handed over
class A:
    def __init__(self):
        self.§go = 1
def fill(o, d): vars(o).update(d)
a = A()
fill(a, {'fr'+'esh': 3})
print(a.go)
======
asks  names are laid over the table of what is handed over
class A:
    def __init__(self):
        self.§go = 1
def fill(o, d): o.__dict__.update(d)
a = A()
fill(a, {'fr'+'esh': 3})
print(a.go)
======
asks  a name is set in the table of what is handed over
class A:
    def __init__(self):
        self.§go = 1
def fill(o, k, v): o.__dict__[k] = v
a = A()
fill(a, 'fr'+'esh', 3)
print(a.go)
======
asks  a name is set among the members of what is handed over
class A:
    def __init__(self):
        self.§go = 1
def fill(o, k, v): vars(o)[k] = v
a = A()
fill(a, 'fr'+'esh', 3)
print(a.go)
======
passes  names are laid over the table of something else
class A:
    def __init__(self):
        self.§go = 1
class B: pass
def fill(o, d): o.__dict__.update(d)
fill(B(), {'fr'+'esh': 3})
print(A().go)
======
asks  a name is set for what is handed over
class A:
    def __init__(self):
        self.§go = 1
def fill(o, k, v): setattr(o, k, v)
a = A()
fill(a, 'fr'+'esh', 3)
print(a.go)
======
asks in vain  what a doctest expects
class §Box:
    '''
    >>> Box()
    Box
    '''
    def __repr__(self): return "it"
print(Box())
======
passes  prose below an example
class §Box:
    '''
    >>> Box()
    it

    A Box of its own.
    '''
    def __repr__(self): return "it"
print(Box())
======
asks  what an object says of itself is expected
class §Box:
    def __repr__(self): return f"<{type(self).__name__}>"
print(repr(Box()) == "<Box>")
======
asks  what an heir says of itself is expected
class Base:
    def __repr__(self): return f"<{self.__class__.__name__}>"
class §Box(Base): pass
print(repr(Box()) == "<Box>")
======
passes  what an object says of itself, of which no text has the name
class §Box:
    def __repr__(self): return f"<{type(self).__name__}>"
print(len(repr(Box())) > 1)
======
passes  a field that is only assigned, beside another's that is declared
class B:
    ctx: int = 1
class A:
    def __init__(self, ctx):
        self.§ctx = ctx
    def of(self): return self.ctx
print(A(1).of(), A(2).ctx, B.ctx)
======
asks  a function called like what shows texts keeps a name
KEPT = {}
def log(f): KEPT[f.__name__] = f
def §go(): return 1
log(go)
print(sorted(KEPT), go(), "go" in KEPT)
======
passes  a name that is only logged
def log(text): return None
def §go(): return 1
def call(f):
    log(f.__name__)
    return f()
print(call(go), "go")
======
asks  a variable that follows the context is listed
import n
class A:
    def __init__(self): self.§size = 1
n.V.set(A())
print(n.out(), A().size)
--- n.py
from contextvars import ContextVar
V = ContextVar("V")
def out(): return sorted(vars(V.get()))
======
asks  what is caught is listed
import n
class A(Exception):
    def __init__(self): self.§size = 1
def f(): raise A()
print(n.out(f), A().size)
--- n.py
def out(f):
    try: f()
    except Exception as e: return sorted(vars(e))
======
asks  what is sent is listed
import n
class A:
    def __init__(self): self.§size = 1
g = n.dump()
next(g)
print(g.send(A()), A().size)
--- n.py
def dump():
    v = yield
    yield sorted(vars(v))
======
asks  a lister that another file hands on
import n
class A:
    def __init__(self): self.§size = 1
print(n.out([A()]), A().size)
--- n.py
def out(vs): return [sorted(x) for x in map(vars, vs)]
======
asks  a reader under another name
class A:
    def __init__(self): self.§size = 1
g = getattr
print(g(A(), 'si'+'ze'))
======
asks  a reader that is imported under another name
class A:
    def __init__(self): self.§size = 1
from operator import attrgetter as ag
print(ag('si'+'ze')(A()))
======
asks  a reader of a module under another name
class A:
    def __init__(self): self.§size = 1
import operator
ag = operator.attrgetter
print(ag('si'+'ze')(A()))
======
asks  a lister that another file gives a name
import n
class A:
    def __init__(self): self.§size = 1
print(n.state(A()))
--- n.py
state = vars
======
asks  a lister of rows under another name
from dataclasses import dataclass
@dataclass
class A:
    §size: int = 1
from dataclasses import asdict as to_dict
print(to_dict(A()))
======
asks  a lister of rows that another file hands on under another name
from n import to_dict
from dataclasses import dataclass
@dataclass
class A:
    §size: int = 1
print(to_dict(A()))
--- n.py
from dataclasses import asdict as to_dict
======
asks  a reader with one argument given
class A:
    def __init__(self): self.§size = 1
from functools import partial
print(partial(getattr, A())('si'+'ze'))
======
asks  a reader that goes through lists
class A:
    def __init__(self): self.§size = 1
print(list(map(getattr, [A()], ['si'+'ze'])))
======
asks  a reader that goes down a path
import n
class A:
    def __init__(self): self.§size = 1
print(n.out(A(), 'si'+'ze'))
--- n.py
from functools import reduce
def out(o, path): return reduce(getattr, path.split('.'), o)
======
asks  a reader that is what a parameter is without an argument
import n
class A:
    def __init__(self): self.§size = 1
print(n.out(A()))
--- n.py
def out(v, how=vars): return sorted(how(v))
======
asks  a reader among all that a module has
class A:
    def __init__(self): self.§size = 1
from operator import *
ag = attrgetter
print(ag('si'+'ze')(A()))
======
asks  what changes rows is handed on
from dataclasses import dataclass
@dataclass
class A:
    §size: int = 1
from dataclasses import replace
from functools import partial
print(partial(replace, A())(**{'si'+'ze': 2}))
======
asks  a named tuple lists its fields elsewhere
import n
from typing import NamedTuple
class A(NamedTuple):
    §size: int = 1
print(n.out(A()))
--- n.py
def out(v): return list(v._asdict())
======
asks  a named tuple lists its fields
from typing import NamedTuple
class A(NamedTuple):
    §size: int = 1
print(list(A()._asdict()))
======
asks  the fields of a named tuple
from typing import NamedTuple
class A(NamedTuple):
    §size: int = 1
print(A._fields)
======
asks  the fields of a named tuple elsewhere
import n
from typing import NamedTuple
class A(NamedTuple):
    §size: int = 1
print(n.out(A()))
--- n.py
def out(v): return v._fields
======
asks  what a row is matched by
import n
from dataclasses import dataclass
@dataclass
class A:
    §size: int = 1
print(n.out(A()))
--- n.py
def out(v): return v.__match_args__
======
asks  a named tuple is changed by keywords that are handed on
import n
from typing import NamedTuple
class A(NamedTuple):
    §size: int = 1
print(n.out(A(), size=3)[0])
--- n.py
def out(v, **k): return v._replace(**k)
======
asks  what a value is reduced to
import n
class A:
    def __init__(self): self.§size = 1
print(n.out(A()))
--- n.py
def out(v): return v.__reduce_ex__(2)[2]
======
asks  the function that lists a named tuple is a value
from typing import NamedTuple
class A(NamedTuple):
    §size: int = 1
f = A()._asdict
print(list(f()))
======
passes  a function of the tree that is called like a reader is handed on
from n import fields as kept
class A:
    def __init__(self): self.§size = 1
print(list(map(kept, [A().size])))
--- n.py
def fields(it): return it
======
passes  a field of a row, beside what lists others
from dataclasses import dataclass
@dataclass
class A:
    §size: int = 1
from typing import NamedTuple
class B(NamedTuple):
    other: int = 1
print(A().size, B()._asdict())
======
asks  a reader that a function imports
class A:
    def __init__(self): self.§size = 1
def out(v):
    from operator import attrgetter
    ag = attrgetter
    return ag('si'+'ze')(v)
print(out(A()))
======
asks  a reader that a function imports under another name
class A:
    def __init__(self): self.§size = 1
def out(v):
    from operator import attrgetter as ag
    return ag('si'+'ze')(v)
print(out(A()))
======
asks  a reader of a module of the tree is a value
import n
class A:
    def __init__(self): self.§size = 1
f = n.attrgetter
print(f('si'+'ze')(A()))
--- n.py
from operator import attrgetter
======
passes  what a class of the tree has under the name of a reader
from n import B
class A:
    def __init__(self): self.§size = 1
kept = B.fields
print(kept, A().size)
--- n.py
class B: fields = 1
======
asks  a keyword that reaches a class beside by way of one that both are bases of
class Base:
    def __init__(self, **rest): assert not rest
class Left(Base):
    def __init__(self, *, left=1, **rest): super().__init__(**rest)
class Right(Base):
    def __init__(self, *, §right=1, **rest):
        super().__init__(**rest)
        self.kept = right
class Both(Left, Right): pass
print(Both(left=2, right=3).kept)
======
asks  a method whose value depends on what overrides it
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
class Maker:
    def make(self): return A()
    def run(self): return self.make().go()
class Other(Maker):
    def make(self): return B()
print(Other().run(), Maker().run())
======
asks  a property whose value depends on what overrides it
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
class Maker:
    @property
    def it(self): return A()
    def run(self): return self.it.go()
class Other(Maker):
    it = B()
print(Other().run(), Maker().run())
======
asks  a variable of a class that others below give another value
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
class Maker:
    kind = A
    @classmethod
    def run(cls): return cls.kind().go()
class Other(Maker):
    kind = B
print(Other.run(), Maker.run())
======
asks  what a call of a value gives, which depends on what overrides that
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
class Maker:
    def __call__(self): return A()
class Other(Maker):
    def __call__(self): return B()
def run(it: Maker): return it().go()
print(run(Other()), run(Maker()))
======
asks  what a with gives, which depends on what overrides that
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
class Maker:
    def __enter__(self): return A()
    def __exit__(self, *rest): pass
class Other(Maker):
    def __enter__(self): return B()
def run(it: Maker):
    with it as made: return made.go()
print(run(Other()), run(Maker()))
======
passes  what a value of this very class gives
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
class Maker:
    def make(self): return A()
class Other(Maker):
    def make(self): return B()
print(Maker().make().go(), Other().make().go())
======
asks  members down a path
from operator import attrgetter
class Inner:
    §size = 3
class A:
    inner = Inner()
print(attrgetter("inner.size")(A()))
======
asks  a name that is put into the holes of a text
class A:
    def §get_size(self): return 1
    def of(self, word): return getattr(self, "{}_{}".format("get", word))()
print(A().of("size"))
======
asks  a name that is joined of texts
class A:
    def §get_size(self): return 1
    def of(self): return getattr(self, "_".join(["get", "size"]))()
print(A().of())
======
asks  a name that begins with one of two texts
class A:
    def §get_size(self): return 1
    def of(self, short): return getattr(self, ("fetch" if short else "get") + "_size")()
print(A().of(False))
======
passes  a name of other beginnings
class A:
    def §get_size(self): return 1
    def set_size(self): return 2
    def of(self, word): return getattr(self, "set_{}".format(word))() + getattr(self, "set_%s" % word)()
print(A().of("size"), A().get_size())
======
asks  what parameters are without arguments
def f(*, §size=1): return size
print(f.__kwdefaults__["size"], f())
======
asks  a class that has what is around it before it has its own
§limit = 3
class A:
    low = limit - 1
    limit = limit + 1
print(A.low, A.limit, limit)
======
asks in vain  a name of a class that it reads from around it first
limit = 3
class A:
    low = limit - 1
    §limit = limit + 1
print(A.low, A.limit, limit)
======
asks  a class in a class that is derived from one of its name
class Meta: §tag = 1
class A:
    class Meta(Meta): other = 2
print(A.Meta.tag, Meta.tag)
======
asks in vain  a member that is decorated with what has its name
def prop(f): return property(f)
class A:
    @prop
    def §prop(self): return 1
print(A().prop)
======
passes  a name of a class that is not around it
class A:
    §limit = 3
    low = limit - 1
print(A.low, A.limit)
======
asks  a member of a protocol, from there
from typing import Protocol
class P(Protocol):
    def §go(self): ...
class A:
    def go(self): return 1
def f(it: P): return it.go()
print(f(A()), A().go())
======
asks  a member of a protocol that a class has from its base
from typing import Protocol
class P(Protocol):
    def go(self): ...
    def §stop(self): ...
class Base:
    def go(self): return 1
class A(Base):
    def stop(self): return 2
def f(it: P): return it.go(), it.stop()
print(f(A()), A().go())
======
asks  a variable of a protocol
from typing import Protocol
class P(Protocol):
    §size: int
class A:
    def __init__(self): self.size = 3
def f(it: P): return it.size
print(f(A()), A().size)
======
asks  a variable that a protocol has
from typing import Protocol
class P(Protocol):
    size: int
class A:
    def __init__(self): self.§size = 3
def f(it: P): return it.size
print(f(A()), A().size)
======
asks  a method that a class has from whatever it is derived from
class A:
    def §run(self): return 1
def mk(b):
    class B(b): pass
    return B
print(mk(A)().run())
======
asks  a method that a class has from one of some
class X:
    def §go(self): return 1
bases = (X,)
class A(*bases):
    def run(self): return self.go()
print(A().run(), A().go())
======
asks  a method that a class has from what is chosen when it runs
import sys
class X:
    def §go(self): return 1
class Y:
    def go(self): return 2
Base = X if sys.maxsize else Y
class A(Base):
    def run(self): return self.go()
print(A().run(), A().go())
======
passes  a reader that makes values of another class again
import copy
class B:
    def __init__(self, word): self.word = word
    def __reduce__(self): return getattr, (B, self.word)
    it = 3
class A:
    def __init__(self): self.§size = 1
print(copy.copy(B("it")), A().size)
======
asks  a reader that makes values again
import copy
class A:
    §size = 3
    def __reduce__(self): return getattr, (A, "si" + "ze")
print(copy.copy(A()))
======
asks  a method whose value depends on a class whose base is given
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
class Maker:
    def make(self): return A()
    def run(self): return self.make().go()
def mixed(base):
    class Other(base):
        def make(self): return B()
    return Other
print(mixed(Maker)().run(), Maker().run())
======
asks  a class that a call makes of names and values
class A:
    def §size(self): return 1
    def twice(self): return self.size() * 2
B = type("B", (A,), {"size": lambda self: 5})
print(B().twice())
======
passes  a class that a call makes of another
class A:
    def §size(self): return 1
class Other: pass
B = type("B", (Other,), {"size": 5})
print(B.__name__, A().size(), type(A()) is A)
======
passes  slots with what is said of each
class A:
    __slots__ = {"size": "size"}
    def __init__(self): self.§size = 1
print(A().size)
======
asks  a property that each value holds once it was asked for
from functools import cached_property
class A:
    @cached_property
    def §size(self): return 1
a = A()
print(a.size, a.__dict__.pop("size"))
======
asks  a class whose name is part of what is looked for
class §Number: pass
class Visitor:
    def visit_Number(self, it): return 1
    def visit(self, it): return getattr(self, "visit_" + type(it).__name__)(it)
print(Visitor().visit(Number()))
======
passes  a class whose members are listed
class §A:
    size = 1
print(sorted(word for word in dir(A) if word[0] != "_"))
======
passes  a property beside what asks functions for their names
class A:
    @property
    def §size(self): return 1
def told(f): return f.__name__
print({"size": 1}.get(told(print)), A().size, [told(each) for each in (len, repr)])
======
asks  a method that is a value beside what asks functions for their names
class A:
    def §size(self): return 1
def told(f): return f.__name__
for each in [A().size]: print({"size": 1}.get(told(each)))
======
passes  a function that imports another of its name
from n import go
print(go())
--- n.py
def §go():
    from o import go
    return go() + 1
--- o.py
def go(): return 1
======
asks  a function that gives its module another of its name
from n import go, change
change()
print(go())
--- n.py
def §go(): return 0
def change():
    global go
    from o import go
--- o.py
def go(): return 1
"""
