"""What stands in whose place where a class of Python is derived from several, and what only its heirs have."""

from pathlib import Path

from cairn.graph.calls import CALLEES, CALLERS, CallGraph, Limits, call_graph
from cairn.graph.references import find_uses
from tests.graph.worlds import one, resolver_of

_FILES = {
    "a.py": """class Base:
    def __init__(self): ...
    def run(self):
        self.go()
        self.finish()
    def go(self): ...
class Mixin:
    def go(self):
        self.finish()
    def finish(self): ...
class Other:
    def go(self): ...
class Under(Base): ...
""",
    "b.py": """import a
from a import Under as U
class Both(a.Mixin, U): ...
class Own(a.Base):
    def __init__(self): ...
class Wrong(a.Base, a.Other): ...
def make():
    Both()
    Own()
""",
}


def _edges(graph: CallGraph) -> set[tuple[str, str, str, bool]]:
    names = {node.id: node.name for node in graph.nodes}
    return {(names[call.source], names[call.target], call.tier, call.dispatch) for call in graph.calls}


def test_a_mixin_stands_in_the_place_of_what_comes_behind_it(folder: Path) -> None:
    with resolver_of(folder, _FILES) as resolver:
        below = _edges(call_graph(resolver, [one(resolver, "Base.run")], CALLEES, Limits()))
        assert below == {
            ("Base.run", "Base.go", "proven", False),
            ("Base.run", "Mixin.go", "likely", True),
            ("Base.run", "Mixin.finish", "likely", False),
        }
        for name, expected in (("Mixin.go", 1), ("Other.go", 0)):
            callers = _edges(call_graph(resolver, [one(resolver, name)], CALLERS, Limits()))
            assert callers == {edge for edge in below if edge[1] == name}
            assert len(callers) == expected
        callers = _edges(call_graph(resolver, [one(resolver, "Mixin.finish")], CALLERS, Limits()))
        assert callers == {
            ("Base.run", "Mixin.finish", "likely", False),
            ("Mixin.go", "Mixin.finish", "proven", False),
        }


def test_a_call_of_a_class_is_one_of_the_constructor_that_it_inherits(folder: Path) -> None:
    with resolver_of(folder, _FILES) as resolver:
        init = one(resolver, "Base.__init__")
        callers = _edges(call_graph(resolver, [init], CALLERS, Limits()))
        assert callers == {("make", "Base.__init__", "proven", False)}
        uses = [(use.line, use.tier) for use in find_uses(resolver, [init]).items if use.path == "b.py"]
        assert uses == [(8, "proven")]
