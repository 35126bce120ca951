"""What a use means by syntax and by an index: whose proof stands."""

import pytest

from cairn.graph.meaning import LIKELY, PROVEN, Meaning
from cairn.graph.semantics import SEMANTIC, agreed
from cairn.graph.symbols import Definition
from cairn.store import SymbolRow


def definition(path: str, layer: str = "syntactic") -> Definition:
    return Definition(path, SymbolRow(layer, "x", "A.x", "field", "", 1, 1, 1, "A", True, ""))


WRITTEN = definition("base.py")


@pytest.mark.parametrize(
    ("layer", "tier", "expected"),
    [
        # Syntax knows of the definition that the index has, and is wrong.
        ("syntactic", PROVEN, ["sub.py"]),
        # An attribute that only a method sets is the field that its class inherits, as well.
        (SEMANTIC, PROVEN, ["sub.py", "base.py"]),
        (SEMANTIC, LIKELY, ["sub.py"]),
    ],
)
def test_a_definition_that_the_index_alone_knows_takes_no_proof_away(
    layer: str, tier: str, expected: list[str]
) -> None:
    by_index = Meaning((definition("sub.py", layer),), PROVEN, indexed=True)
    found = agreed(Meaning((WRITTEN,), tier), by_index)
    assert [item.path for item in found.targets] == expected
    assert (found.tier, found.open) == (PROVEN, False)


def test_an_index_that_is_in_doubt_or_knows_nothing_takes_no_proof_away() -> None:
    written = Meaning((WRITTEN,), PROVEN)
    doubt = Meaning((definition("sub.py"),), LIKELY, open=True, indexed=True)
    nothing = Meaning((), "", outside=True, indexed=True)
    for by_index in (doubt, nothing):
        found = agreed(written, by_index)
        assert (found.targets, found.tier) == ((WRITTEN,), PROVEN)
