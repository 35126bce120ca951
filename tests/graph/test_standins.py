"""What a decorator, a metaclass or a `__new__` may put in the place of a definition is likely called, not surely."""

import re
from pathlib import Path

from cairn.graph.calls import CALLEES, CALLERS, Limits, call_graph
from cairn.graph.references import find_uses
from tests.graph.worlds import one, resolver_of

_MADE = """import functools
from dataclasses import dataclass
from elsewhere import unknown, Meta


def same(f):
    return f
def named(name):
    def given(f):
        return f
    return given
def wrapping(f):
    @functools.wraps(f)
    def inner(): return f()
    return inner
def other(f):
    def inner(): ...
    return inner
def late(name):
    def given(f):
        return 1
    return given


@same
def kept_same(): ...
@named("x")
def kept_named(): ...
@wrapping
def kept_wrapping(): ...
@functools.lru_cache(
    maxsize=1,
)
def kept_cached(): ...
@other
def lost_other(): ...
@late("x")
def lost_late(): ...
@unknown
def lost_unknown(): ...
@same
@unknown
def lost_second(): ...
@dataclass
class KeptData: ...
@unknown
class LostClass: ...


class Calling(type):
    def __call__(cls): return 1
class Plain(type):
    def __new__(mcs, name): return super().__new__(mcs, name)
class LostCalling(metaclass=Calling): ...
class LostDerived(LostCalling): ...
class LostMeta(metaclass=Meta): ...
class KeptPlain(metaclass=Plain): ...
class KeptNew:
    def __new__(cls):
        made = super().__new__(cls)
        return made
class LostNew:
    def __new__(cls): return 1
"""
_NAMES = sorted(set(re.findall(r"\b(?:kept_|lost_|Kept|Lost)\w+", _MADE)))
_USED = "from made import *\n\n\ndef use():\n" + "".join(f"    {name}()\n" for name in _NAMES)


def test_a_call_of_what_may_be_replaced_is_likely_and_its_name_is_proven(folder: Path) -> None:
    with resolver_of(folder, {"made.py": _MADE, "used.py": _USED}) as resolver:
        use = one(resolver, "use")
        below = call_graph(resolver, [use], CALLEES, Limits())
        names = {node.id: node.name for node in below.nodes}
        tiers = {names[call.target]: call.tier for call in below.calls}
        assert tiers == {name: "likely" if name.lower().startswith("lost") else "proven" for name in _NAMES}
        for name in _NAMES:
            item = one(resolver, name)
            [edge] = call_graph(resolver, [item], CALLERS, Limits()).calls
            assert (name, edge.tier) == (name, tiers[name])
            assert [each.tier for each in find_uses(resolver, [item]).items if each.role == "call"] == ["proven"]


def test_what_a_replaced_type_or_function_gives_is_likely_of_it(folder: Path) -> None:
    files = {
        "a.py": """from b import unknown
@unknown
class A:
    def go(self): ...
class B:
    def go(self): ...
@unknown
def make(): return B()
@unknown
def said() -> B: ...
A().go()
make().go()
said().go()
B().go()
"""
    }
    with resolver_of(folder, files) as resolver:
        uses = {
            each.line: each.tier
            for name in ("A.go", "B.go")
            for each in find_uses(resolver, [one(resolver, name)]).items
            if each.tier != "name"
        }
    assert uses == {11: "likely", 12: "likely", 13: "likely", 14: "proven"}


def test_a_decorator_is_called_by_what_is_around_what_it_decorates(folder: Path) -> None:
    files = {
        "a.py": """def plain(f): return f
def given(x): return plain
@plain
def top(): ...
class Box:
    @given(1)
    def member(self):
        @plain
        def inner(): ...
"""
    }
    with resolver_of(folder, files) as resolver:
        graphs = [call_graph(resolver, [one(resolver, name)], CALLERS, Limits()) for name in ("plain", "given")]
        callers = [{node.name for node in graph.nodes if node.depth} for graph in graphs]
        assert callers == [{"a.py", "Box.member"}, {"Box"}]
        below = call_graph(resolver, [one(resolver, "Box.member")], CALLEES, Limits())
        assert [node.name for node in below.nodes if node.depth] == ["plain"]
        assert "top" not in {
            call.source for call in call_graph(resolver, [one(resolver, "top")], CALLEES, Limits()).calls
        }
