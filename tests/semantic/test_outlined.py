"""The outline and the map use semantic facts where there are any."""

from cairn.codebase.codebase import Codebase
from cairn.graph.outline import walk
from tests.semantic.test_meanings import Make, make, tell

__all__ = ["make"]
BOX = "class Box:\n    def __init__(self, size):\n        self.size = size\n\n    def open(self):\n        pass\n"
BOX_FACTS = {"!Box": "box/Box#", "!open": "box/Box#open().", "!size@2": "box/Box#size."}


def _outline(codebase: Codebase, path: str) -> list[str]:
    rows = walk(codebase.insight.outline(path).value.branches)
    return [f"{depth} {each.symbol.qualified_name} {each.symbol.layer}" for depth, each in rows]


def test_an_outline_has_what_only_an_index_tells_and_says_which_layer_tells_each(make: Make) -> None:
    codebase = make({"box.py": BOX})
    assert _outline(codebase, "box.py") == [
        "0 Box syntactic",
        "1 Box.__init__ syntactic",
        "1 Box.open syntactic",
    ]
    tell(codebase, {"box.py": (BOX, BOX_FACTS)})
    assert _outline(codebase, "box.py") == [
        "0 Box semantic",
        "1 Box.__init__ syntactic",
        "1 Box.size semantic",
        "1 Box.open semantic",
    ]
    one = codebase.insight.outline("box.py", symbol="Box.size").value.exact
    assert one is not None
    assert codebase.insight.symbol("Box.size").value.ids == (one.branches[0].id,)


ONE = "class One:\n    def turn(self):\n        pass\n"
TWO = "class Two:\n    def turn(self):\n        pass\n"
USER = "def use(it):\n    it.turn()\n    it.turn()\n"


def test_a_map_counts_what_an_index_knows_for_the_file_that_is_meant(make: Make) -> None:
    codebase = make({"a.py": ONE, "b.py": TWO, "user.py": USER})
    ranks = {entry.path: entry.rank for entry in codebase.insight.map().value.entries}
    assert ranks["a.py"] == ranks["b.py"]
    tell(
        codebase,
        {
            "a.py": (ONE, {"!One": "a/One#", "!turn": "a/One#turn()."}),
            "b.py": (TWO, {"!Two": "b/Two#", "!turn": "b/Two#turn()."}),
            "user.py": (USER, {"turn@1": "b/Two#turn().", "turn@2": "b/Two#turn()."}),
        },
    )
    ranks = {entry.path: entry.rank for entry in codebase.insight.map().value.entries}
    assert ranks["b.py"] > ranks["a.py"]
