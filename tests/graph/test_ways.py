"""The shortest way of calls, and answers that keep to some files or to one kind of use."""

from pathlib import Path

from cairn.graph.references import find_uses
from cairn.graph.wanted import Wanted
from cairn.graph.ways import shortest_way
from tests.graph.worlds import one, resolver_of

FILES = {
    "src/a.py": "from src.b import far, near\n\n\ndef start():\n    far()\n    near()\n",
    "src/b.py": "from src.c import goal\n\n\ndef far():\n    near()\n\n\ndef near():\n    goal()\n",
    "src/c.py": "def goal():\n    pass\n\n\ndef alone():\n    pass\n",
    "tests/test_c.py": "from src.c import goal\n\n\ndef test_goal():\n    goal()\n    assert goal\n",
}


def test_the_fewest_calls_lead_from_one_to_the_other(folder: Path) -> None:
    with resolver_of(folder, FILES) as resolver:
        start, goal, alone = (one(resolver, name) for name in ("start", "goal", "alone"))
        way = shortest_way(resolver, [start], [goal])
        names = {node.id: node.name for node in way.nodes}
        steps = [(names[call.source], call.lines, names[call.target]) for call in way.calls]
        assert steps == [("start", (6,), "near"), ("near", (9,), "goal")]
        assert [names[each] for each in way.roots] == ["start"]
        assert shortest_way(resolver, [goal], [start]).calls == ()
        assert shortest_way(resolver, [start], [alone]).calls == ()
        assert shortest_way(resolver, [start], [goal], lambda path: path != "src/b.py").calls == ()


def test_files_and_roles_that_are_not_wanted_are_left_out_before_anything_is_bounded(folder: Path) -> None:
    with resolver_of(folder, FILES) as resolver:
        goal = [one(resolver, "goal")]

        def places(wanted: Wanted, most: int = 10) -> list[str]:
            found = find_uses(resolver, goal, max_places=most, wanted=wanted)
            return [f"{use.path}:{use.line}" for use in found.items]

        assert places(Wanted()) == ["src/b.py:1", "src/b.py:9", *(f"tests/test_c.py:{at}" for at in (1, 5, 6))]
        assert places(Wanted("calls"), 1) == ["src/b.py:9", "tests/test_c.py:5"]
        assert places(Wanted(no_tests=True)) == places(Wanted(paths=("src/**",))) == ["src/b.py:1", "src/b.py:9"]
        assert places(Wanted("tests")) == places(Wanted(not_paths=("src",)))
        assert places(Wanted("calls", no_tests=True)) == ["src/b.py:9"]
        # What is asked about may itself stand where no uses are wanted.
        assert places(Wanted(paths=("tests/**",))) == [f"tests/test_c.py:{at}" for at in (1, 5, 6)]
