"""What stands in whose place where a class is derived from several, and what its heirs alone, or in their way, have."""

from pathlib import Path

import pytest

from cairn.graph.calls import CALLEES, CALLERS, CallGraph, Limits, call_graph
from cairn.graph.references import find_uses
from tests.graph.worlds import calls_at, one, resolver_of

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


_RUBY = {
    "m.rb": "class A\n  def go; 1; end\nend\nclass B\n  def go; 2; end\nend\n"
    "class Maker\n  def make; A.new; end\n  def run; self.make.go(); end\nend\n",
    "n.rb": "require_relative 'm'\nclass Other < Maker\n  def make; B.new; end\nend\n",
}
_MODULE = {
    "m.rb": _RUBY["m.rb"].replace("class Maker", "module Maker"),
    "n.rb": "require_relative 'm'\nclass Other\n  include Maker\n  def make; B.new; end\nend\n",
}


@pytest.mark.parametrize("files", [_RUBY, _MODULE])
def test_what_a_method_gives_is_also_what_heirs_give(folder: Path, files: dict[str, str]) -> None:
    with resolver_of(folder, files) as resolver:
        (told,) = [said for use, said in calls_at(resolver, "m.rb").items() if use.endswith(".go")]
        assert told == "likely m.rb:A.go m.rb:B.go"
    with resolver_of(folder, {"n.rb": ""}) as resolver:
        (told,) = [said for use, said in calls_at(resolver, "m.rb").items() if use.endswith(".go")]
        assert told == "proven m.rb:A.go"


def test_heirs_are_those_of_other_languages_too(folder: Path) -> None:
    files = {
        "m.php": "<?php\nclass Maker {}\ntrait Made {}\nclass Own extends Maker { use Made; }\nclass No {}\n",
        "m.ts": "export default class Base {}\nexport class Side<T> {}\n",
        "n.ts": "import It, { Side as Other } from './m'\nclass One extends It {}\nclass Two extends Other<One> {}\n",
    }
    heirs = {"Maker": ["Own"], "Made": ["Own"], "No": [], "Base": ["One"], "Side": ["Two"]}
    with resolver_of(folder, files) as resolver:
        derived = resolver.evaluator.derived
        assert {name: [each.symbol.name for each in derived.of(one(resolver, name))] for name in heirs} == heirs


def test_a_class_whose_base_is_given_may_be_an_heir_of_any(folder: Path) -> None:
    files = {
        "m.js": "class A { go() { return 1 } }\nclass B { go() { return 2 } }\n"
        "class Maker {\n  make() { return new A() }\n  run() { return this.make().go() }\n}\n",
        "n.js": "const mixed = (Base) => class extends Base {\n  make() { return new B() }\n}\n",
        "o.js": "const other = (Base) => ({ go() { return 3 } })\n",
    }
    with resolver_of(folder, files) as resolver:
        derived = resolver.evaluator.derived
        bases = {
            item.path: derived.given_base(item) for name in ("make", "go") for item in resolver.world.namesakes(name)
        }
        assert bases == {"m.js": "", "n.js": "Base", "o.js": ""}
