"""What a variable or an attribute holds is called under its name; callers and callees agree on it."""

from pathlib import Path

from cairn.graph.calls import CALLEES, CALLERS, CallGraph, Limits, call_graph
from cairn.graph.references import find_uses
from tests.graph.worlds import one, resolver_of

_FILES = {
    "a.py": """def f(): ...
def g(): ...
class A:
    def go(self): ...
held = f
def make(): return f
def makes(): return make()
""",
    "b.py": """import a
from a import A, f, g, held as kept, makes


class Box:
    def __init__(self):
        self.done = g
    def run(self):
        self.done()


def local():
    x = f
    x()


def method():
    x = A().go
    x()


def either(p):
    x = f if p else a.g
    x()


def two():
    x, y = f, A
    y()


def top():
    kept()


def given(p=f):
    p()


def far():
    x = makes()
    x()


def other(x):
    x()


def box(b: Box):
    b.done()
""",
}


def _edges(graph: CallGraph) -> set[tuple[str, str, str]]:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[call.source], names[call.target], call.tier) for call in graph.calls}


def test_what_a_variable_holds_is_called_under_its_name(folder: Path) -> None:
    names = ("f", "g", "A", "A.go")
    callers = ("Box.run", "local", "method", "either", "two", "top", "given", "far", "other", "box")
    with resolver_of(folder, _FILES) as resolver:
        above = {
            edge for name in names for edge in _edges(call_graph(resolver, [one(resolver, name)], CALLERS, Limits()))
        }
        below = {
            edge for name in callers for edge in _edges(call_graph(resolver, [one(resolver, name)], CALLEES, Limits()))
        }
        uses = [use.line for use in find_uses(resolver, [one(resolver, "f")]).items if use.role == "call"]
    assert above == {
        ("local", "f", "proven"),
        ("method", "A", "proven"),
        ("method", "A.go", "proven"),
        ("either", "f", "likely"),
        ("either", "g", "likely"),
        ("two", "A", "proven"),
        ("top", "f", "proven"),
        ("far", "f", "proven"),
        ("Box.run", "g", "proven"),
        ("box", "g", "proven"),
    }
    assert {edge for edge in below if edge[1] in names} == above
    # The name of a function stands nowhere in a call of what holds it.
    assert uses == []
