"""Call graphs: what is drawn, what is cut and said, and that they end."""

import random
from itertools import pairwise
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.errors import UsageError
from cairn.graph.calls import CallGraph, Limits, call_graph
from cairn.graph.graphnotes import GraphNote, relevant_notes
from cairn.graph.resolve import Resolver
from cairn.graph.symbols import find_definitions
from tests.graph.worlds import one, resolver_of

CHAIN = "".join(f"def f{at}():\n    f{at + 1}()\n\n\n" for at in range(6)) + "def f6():\n    f6()\n    f0()\n"


def drawn(graph: CallGraph) -> list[str]:
    names = {node.id: node.name for node in graph.nodes}
    return [f"{names[call.source]} -> {names[call.target]} {call.tier} {call.lines}" for call in graph.calls]


def test_callers_and_callees_up_to_a_depth_with_recursion_and_circles(folder: Path) -> None:
    with resolver_of(folder, {"a.py": CHAIN}) as resolver:
        root = one(resolver, "f6")
        callees = call_graph(resolver, [root], "callees", Limits(depth=2))
        assert [(node.name, node.depth) for node in callees.nodes] == [("f6", 0), ("f0", 1), ("f1", 2)]
        assert drawn(callees) == ["f6 -> f6 proven (26,)", "f6 -> f0 proven (27,)", "f0 -> f1 proven (2,)"]
        assert [(note.type, note.start_line) for note in callees.notes.items] == [("recursion", 26)]
        callers = call_graph(resolver, [root], "callers", Limits(depth=3))
        assert [(node.name, node.depth) for node in callers.nodes] == [("f6", 0), ("f5", -1), ("f4", -2), ("f3", -3)]
        both = call_graph(resolver, [root], "both", Limits(depth=3))
        assert {node.name for node in both.nodes} == {f"f{at}" for at in (0, 1, 2, 3, 4, 5, 6)}
        assert all(call.count == len(call.lines) == 1 for call in both.calls)
        with pytest.raises(UsageError):
            call_graph(resolver, [root], "sideways", Limits())


def test_more_roots_than_nodes_are_cut_and_said(folder: Path) -> None:
    source = "".join(f"def g{at}():\n    unknown.thing()\n    g{at}()\n\n\n" for at in range(5))
    with resolver_of(folder, {"a.py": source}) as resolver:
        roots = [one(resolver, f"g{at}") for at in range(5)]
        graph = call_graph(resolver, roots, "both", Limits(nodes=2))
        assert [node.name for node in graph.nodes] == ["g0", "g1"]
        assert len(graph.roots) == 2
        assert graph.limits_hit == ("nodes",)


def test_neither_side_uses_up_the_places_of_the_other(folder: Path) -> None:
    leaves = "".join(f"def leaf{at}():\n    pass\n\n\n" for at in range(6))
    middle = "def middle():\n" + "".join(f"    leaf{at}()\n" for at in range(6)) + "\n\n"
    callers = "".join(f"def caller{at}():\n    middle()\n\n\n" for at in range(9))
    with resolver_of(folder, {"a.py": leaves + middle + callers}) as resolver:

        def sides(nodes: int) -> tuple[int, int]:
            graph = call_graph(resolver, [one(resolver, "middle")], "both", Limits(nodes=nodes))
            assert len(graph.nodes) == min(nodes, 16)
            assert ("nodes" in graph.limits_hit) == (nodes < 16)
            return sum(node.depth < 0 for node in graph.nodes), sum(node.depth > 0 for node in graph.nodes)

        # What is left of a side that needs less than its half goes to the other one.
        assert [sides(nodes) for nodes in (3, 7, 14, 16, 100)] == [(1, 1), (3, 3), (7, 6), (9, 6), (9, 6)]


def test_the_code_itself_and_what_is_used_most_is_kept_before_tests_and_examples(folder: Path) -> None:
    files = {"m.py": "def root():\n    pass\n"}
    for path, times in (("a.py", 1), ("z.py", 3), ("tests/test_m.py", 5), ("examples/e.py", 2)):
        name = path.rpartition("/")[2].removesuffix(".py")
        files[path] = f"from m import root\n\n\ndef in_{name}():\n" + "    root()\n" * times
    with resolver_of(folder, files) as resolver:

        def kept(many: int) -> list[str]:
            graph = call_graph(resolver, [one(resolver, "root")], "callers", Limits(fan_out=many))
            return sorted(f"{node.name}{node.apart and ':'}{node.apart}" for node in graph.nodes[1:])

        assert kept(1) == ["in_z"]
        assert kept(2) == ["in_a", "in_z"]
        assert kept(3) == ["in_a", "in_test_m:test", "in_z"]
        assert kept(4) == ["in_a", "in_e:example", "in_test_m:test", "in_z"]


@pytest.mark.slow
@pytest.mark.parametrize("behind", ["", " PRINTF(1, 2)", "\n  PRINTF(1, 2)"])
def test_a_prototype_is_no_second_root_and_doubles_no_caller(folder: Path, behind: str) -> None:
    files = {
        "say.h": f"#define PRINTF(a, b)\nvoid say(const char *fmt, ...){behind};\n",
        "say.c": '#include "say.h"\n\nvoid say(const char *fmt, ...)\n{\n  puts(fmt);\n}\n',
        "use.c": '#include "say.h"\n\nvoid one(void) { say("a"); }\nvoid two(void) { say("b"); say("c"); }\n',
    }
    with resolver_of(folder, files) as resolver:
        graph = call_graph(resolver, find_definitions(resolver.world.view, "say"), "both", Limits())
        (root,) = (node for node in graph.nodes if node.id in graph.roots)
        assert (root.path, root.line, root.places) == ("say.c", 3, ("say.h:2",))
        assert [(call.count, call.target == root.id) for call in graph.calls] == [(1, True), (1, True)]
        assert [node.name for node in graph.nodes] == ["say", "one", "two"]


def test_fan_out_keeps_the_surest_and_says_so(folder: Path) -> None:
    files = {"m.py": "class A:\n    def release_it(self):\n        pass\n"}
    files["a.py"] = "def guess(x):\n    x.release_it()\n"
    files["z.py"] = "from m import A\n\n\ndef sure(a: A):\n    a.release_it()\n"
    with resolver_of(folder, files) as resolver:
        root = one(resolver, "A.release_it")
        graph = call_graph(resolver, [root], "callers", Limits(fan_out=1))
        assert [node.name for node in graph.nodes] == ["A.release_it", "sure"]
        assert graph.limits_hit == ("fan_out",)
        assert [(note.type, note.detail) for note in graph.notes.items] == [("fan_out", "2 callers, 1 shown")]
        whole = call_graph(resolver, [root], "callers", Limits())
        assert drawn(whole) == ["guess -> A.release_it likely (2,)", "sure -> A.release_it proven (5,)"]
        there = call_graph(resolver, [root], "callers", Limits(fan_out=1), lambda path: path != "z.py")
        assert "z.py" not in there.paths
        assert not there.limits_hit


def test_calls_of_a_type_are_calls_of_its_maker(folder: Path) -> None:
    files = {
        "m.py": "class A:\n    def __init__(self):\n        helper()\n\n\ndef helper():\n    pass\n",
        "u.py": "from m import A as B\n\n\ndef f():\n    B()\n",
    }
    with resolver_of(folder, files) as resolver:
        graph = call_graph(resolver, [one(resolver, "A.__init__")], "callers", Limits())
        assert drawn(graph) == ["f -> A.__init__ proven (5,)"]
        inside = call_graph(resolver, [one(resolver, "A")], "callees", Limits())
        assert drawn(inside) == ["A -> helper proven (3,)"]


@pytest.mark.slow
def test_callers_behind_reexports_and_default_exports(folder: Path) -> None:
    files = {
        "pkg/__init__.py": "from .core import drop as release\n",
        "pkg/core.py": "def drop():\n    pass\n",
        "a.py": "from pkg import release\n\n\ndef f():\n    release()\n",
        "w.ts": "export default function made() {}\n",
        "u.ts": "import other from './w';\nfunction g() { other(); }\n",
    }
    with resolver_of(folder, files) as resolver:
        assert drawn(call_graph(resolver, [one(resolver, "drop")], "callers", Limits())) == ["f -> drop proven (5,)"]
        assert drawn(call_graph(resolver, [one(resolver, "made")], "callers", Limits())) == ["g -> made proven (2,)"]


def test_of_several_definitions_of_a_name_the_one_around_the_line_calls(folder: Path) -> None:
    source = "def t():\n    pass\n\n\nif x:\n    def f():\n        pass\nelse:\n    def f():\n        t()\n"
    with resolver_of(folder, {"a.py": source}) as resolver:
        graph = call_graph(resolver, [one(resolver, "t")], "callers", Limits())
        assert [(node.name, node.line) for node in graph.nodes] == [("t", 1), ("f", 9)]


def test_c_is_followed_from_prototypes_to_definitions(folder: Path) -> None:
    files = {
        "a.h": "int take(void);\n",
        "a.c": '#include "a.h"\nint inner(void) { return 1; }\nint take(void) { return inner(); }\n',
        "m.c": '#include "a.h"\nint main(void) { return take(); }\n',
    }
    with resolver_of(folder, files) as resolver:
        graph = call_graph(resolver, [one(resolver, "main")], "callees", Limits(depth=2))
        assert [(node.name, node.path) for node in graph.nodes] == [("main", "m.c"), ("take", "a.c"), ("inner", "a.c")]
        body = call_graph(resolver, [one(resolver, "take", "a.c")], "callers", Limits())
        assert [node.name for node in body.nodes] == ["take", "main"]


def test_a_guess_between_two_shows_both(folder: Path) -> None:
    files = {
        "fast.py": "def f():\n    pass\n",
        "a.py": "try:\n    from fast import f\nexcept ImportError:\n    def f():\n        pass\n\n\ndef g():\n"
        "    f()\n",
    }
    with resolver_of(folder, files) as resolver:
        graph = call_graph(resolver, [one(resolver, "g")], "callees", Limits())
        assert {(node.path, node.name) for node in graph.nodes} == {("a.py", "g"), ("a.py", "f"), ("fast.py", "f")}
        assert {call.tier for call in graph.calls} == {"likely"}


def test_what_is_not_resolved_is_counted_and_noted(folder: Path) -> None:
    files = {
        "m.py": "class A:\n    def release_it(self):\n        pass\n\n\nclass B:\n    def release_it(self):\n"
        "        pass\n",
        "u.py": "def f(x):\n    x.release_it()\n    x.release_it()\n    print()\n",
    }
    with resolver_of(folder, files) as resolver:
        up = call_graph(resolver, [one(resolver, "A.release_it")], "callers", Limits())
        assert up.unresolved == 2
        assert [note.detail for note in up.notes.items] == ["2 calls of the name release_it may be others'"]
        down = call_graph(resolver, [one(resolver, "f")], "callees", Limits())
        assert down.unresolved == 2
        assert [note.detail for note in down.notes.items] == ["release_it is called 2 times"]


@pytest.fixture(scope="module")
def tangle(tmp_path_factory: pytest.TempPathFactory) -> "list[tuple[str, list[int]]]":
    chance = random.Random(7)
    return [(f"n{at}", sorted(chance.sample(range(25), chance.randint(0, 6)))) for at in range(25)]


@pytest.mark.slow
def test_any_walk_keeps_its_limits_says_its_cuts_and_is_the_same_again(
    folder: Path, tangle: list[tuple[str, list[int]]]
) -> None:
    source = "".join(
        f"def {name}():\n    pass\n" + "".join(f"    n{other}()\n" for other in others) for name, others in tangle
    )
    with resolver_of(folder, {"a.py": source}) as resolver:

        @given(
            st.integers(0, 24),
            st.sampled_from(["callers", "callees", "both"]),
            st.integers(1, 3),
            st.integers(1, 30),
            st.integers(1, 8),
            st.integers(0, 3),
        )
        def holds(start: int, direction: str, depth: int, nodes: int, fan_out: int, notes: int) -> None:
            limits = Limits(depth, nodes, fan_out, notes)
            root = find_definitions(resolver.world.view, f"n{start}")
            graph = call_graph(resolver, root, direction, limits)
            assert graph == call_graph(Resolver(resolver.world), root, direction, limits)
            ids = {node.id for node in graph.nodes}
            assert len(ids) == len(graph.nodes) <= nodes
            assert all(abs(node.depth) <= depth for node in graph.nodes)
            assert all({call.source, call.target} <= ids for call in graph.calls)
            assert len(graph.notes.items) <= notes
            for node in graph.nodes:
                # Of what a node was asked for, no more than its share is drawn.
                if direction == "callees":
                    assert sum(call.source == node.id for call in graph.calls) <= fan_out
                elif direction == "callers":
                    assert sum(call.target == node.id for call in graph.calls) <= fan_out
            if not graph.limits_hit and direction == "callees":
                assert {node.name for node in graph.nodes} == _reachable(tangle, start, depth)
            if len(_reachable(tangle, start, depth)) > nodes and direction == "callees":
                assert graph.limits_hit

        holds()


def _reachable(tangle: list[tuple[str, list[int]]], start: int, depth: int) -> set[str]:
    found, level = {start}, {start}
    for _ in range(depth):
        level = {other for at in level for other in tangle[at][1]}
        found |= level
    return {f"n{at}" for at in found}


NOTES = st.builds(
    GraphNote,
    st.sampled_from(["a.py", "b.py", "c.py"]),
    st.sampled_from(["fan_out", "recursion"]),
    st.sampled_from([None, "s1", "s2", "s3"]),
    st.sampled_from([None, 0, 1, 2, 10]),
    st.sampled_from([None, "", "x", "y"]),
)


@pytest.mark.slow
@pytest.mark.requirement("CGN.1")
@given(st.lists(NOTES, max_size=30), st.integers(0, 35), st.randoms(use_true_random=False))
def test_notes_are_those_of_the_graph_in_one_order_however_they_came(
    notes: list[GraphNote], limit: int, chance: random.Random
) -> None:
    files, symbols = {"a.py", "b.py"}, {"s1", "s2"}
    told = relevant_notes(notes, files, symbols, limit)
    relevant = {note for note in notes if note.file in files and note.symbol_id in (None, *symbols)}
    assert set(told.items) <= relevant
    assert told.total == len(relevant)
    assert len(told.items) == min(limit, told.total)
    assert told.truncated == (told.total > limit)
    assert told.truncated == (told.total > limit)
    mixed = list(notes)
    chance.shuffle(mixed)
    assert relevant_notes(mixed, files, symbols, limit) == told
    assert told.items == relevant_notes(notes, files, symbols, 100).items[:limit]
    for one_note, other in pairwise(told.items):
        assert _comes_before(one_note, other)


def _comes_before(one_note: GraphNote, other: GraphNote) -> bool:
    """File, type, symbol and line, nulls last; what is left is ordered by the hash of the detail."""
    for mine, its in (
        (one_note.file, other.file),
        (one_note.type, other.type),
        (one_note.symbol_id, other.symbol_id),
        (one_note.start_line, other.start_line),
    ):
        if mine != its:
            return its is None or (mine is not None and mine < its)  # type: ignore[operator]
    return _hash(one_note.detail) <= _hash(other.detail)


def _hash(detail: str | None) -> str:
    import hashlib

    return hashlib.sha256((detail or "").encode()).hexdigest()


@pytest.mark.requirement("CGN.1")
def test_a_graph_cuts_its_notes_and_warns(folder: Path) -> None:
    source = "def f(x):\n" + "".join(f"    x.far{at}()\n" for at in range(6))
    with resolver_of(folder, {"a.py": source}) as resolver:
        root = [one(resolver, "f")]
        cut = call_graph(resolver, root, "callees", Limits(notes=2)).notes
        assert (len(cut.items), cut.total, cut.truncated) == (2, 6, True)
        assert cut.truncated
        whole = call_graph(resolver, root, "callees", Limits(notes=6)).notes
        assert (len(whole.items), whole.total, whole.truncated) == (6, 6, False)


@pytest.mark.requirement("CGN.1")
def test_no_limit_below_none_shows_notes() -> None:
    notes = [GraphNote("a.py", "x", detail=str(at)) for at in range(3)]
    assert relevant_notes(notes, {"a.py"}, (), -1).items == ()


def test_calls_that_surely_lead_outside_are_not_counted(folder: Path) -> None:
    files = {
        "a.py": "class A:\n    def fetch(self): ...\n\n\nclass B:\n    def fetch(self): ...\n",
        "u.py": "import requests\n\n\ndef f(x):\n    requests.fetch()\n    x.fetch()\n",
    }
    with resolver_of(folder, files) as resolver:
        up = call_graph(resolver, [one(resolver, "A.fetch")], "callers", Limits())
        assert (up.calls, up.unresolved) == ((), 1)


def test_a_call_of_which_its_place_leaves_only_the_name_is_counted_and_not_drawn(folder: Path) -> None:
    text = "class A {\n  go() {}\n  static make() { this.go(); }\n  run() { this.go(); }\n}\n"
    with resolver_of(folder, {"a.js": text}) as resolver:
        graph = call_graph(resolver, [one(resolver, "A.go")], "callers", Limits())
        assert drawn(graph) == ["A.run -> A.go proven (4,)"]
        assert graph.unresolved == 1


def test_calls_that_several_roots_may_share_are_counted_once(folder: Path) -> None:
    text = "class A:\n    def go(self): pass\nclass B:\n    def go(self): pass\ndef f(x):\n    x.go()\n"
    with resolver_of(folder, {"a.py": text}) as resolver:
        roots = find_definitions(resolver.world.view, "go")
        assert len(roots) == 2
        assert call_graph(resolver, roots, "callers", Limits()).unresolved == 1


def test_who_only_seems_to_call_takes_no_room(folder: Path) -> None:
    files = {
        "m.py": "def f(): pass\n",
        "a.py": "from m import f\n\n\ndef seems():\n    f = print\n    f()\n",
        "b.py": "from m import f\n\n\ndef does():\n    f()\n",
    }
    with resolver_of(folder, files) as resolver:
        graph = call_graph(resolver, [one(resolver, "f", "m.py")], "callers", Limits(fan_out=1))
        assert drawn(graph) == ["does -> f proven (5,)"]


@pytest.mark.slow
def test_a_method_of_ruby_that_is_named_is_called(folder: Path) -> None:
    text = "class A\n  def one\n    two\n  end\n\n  def two\n    size = 1\n    size\n  end\n\n  def size\n  end\nend\n"
    with resolver_of(folder, {"a.rb": text}) as resolver:
        for direction, name in (("callers", "two"), ("callees", "one")):
            assert drawn(call_graph(resolver, [one(resolver, name)], direction, Limits())) == [
                "A.one -> A.two proven (3,)"
            ]
        # A local hides the method of its name.
        assert not call_graph(resolver, [one(resolver, "size")], "callers", Limits()).calls
