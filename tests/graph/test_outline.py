"""Outlines, ids, and what is meant by a name or a place."""

from pathlib import Path

import pytest

from cairn.base.errors import UsageError
from cairn.graph.outline import exact, outline_tree, outline_within, walk
from cairn.graph.symbols import ids_of, symbol_id
from cairn.graph.targets import Place, definitions_meant, is_id, place_of
from cairn.store import SymbolRow
from tests.graph.worlds import one, resolver_of


def row(qualified: str, start: int, end: int, kind: str = "function", signature: str = "") -> SymbolRow:
    container, _, name = qualified.rpartition(".")
    return SymbolRow(
        "syntactic", name, qualified, kind, signature or f"def {name}()", start, end, start, container, True, ""
    )


ROWS = [
    row("A", 1, 10, "class"),
    row("A.f", 2, 4),
    row("A.f.inner", 3, 4),
    row("A.g", 5, 6),
    row("g", 12, 13),
    row("g", 14, 15, signature="def g(x)"),
]


def test_a_tree_is_nested_as_the_file_is() -> None:
    tree = outline_tree("a.py", ROWS)
    assert [(depth, branch.symbol.qualified_name) for depth, branch in walk(tree)] == [
        (0, "A"),
        (1, "A.f"),
        (2, "A.f.inner"),
        (1, "A.g"),
        (0, "g"),
        (0, "g"),
    ]
    assert outline_tree("a.py", []) == ()


def test_of_what_begins_on_one_line_the_longer_holds_the_shorter() -> None:
    tree = outline_tree("a.js", [row("A.f", 1, 1), row("A", 1, 9, "class")])
    assert [(depth, branch.symbol.qualified_name) for depth, branch in walk(tree)] == [(0, "A"), (1, "A.f")]


def test_a_member_that_stands_apart_from_its_type_is_not_put_into_it() -> None:
    tree = outline_tree("a.go", [row("A", 1, 3, "struct"), row("A.f", 5, 6), row("A.g", 2, 9)])
    assert [depth for depth, _ in walk(tree)] == [0, 0, 0]


def test_one_definition_is_found_by_id_label_or_signature() -> None:
    tree = outline_tree("a.py", ROWS)
    assert exact(tree, tree[0].id).branches == (tree[0],)
    for label in ("A.f", "A::f", "A#f", "f.inner", "inner", "def g(x)"):
        found = exact(tree, label)
        assert found.status == "ok", label
    assert [branch.symbol.qualified_name for branch in exact(tree, "f").branches] == ["A.f"]
    both = exact(tree, "g")
    assert (both.status, len(both.branches)) == ("ambiguous", 2)
    missing = exact(tree, "A.innr")
    assert (missing.status, missing.branches) == ("not_found", ())
    assert "A.f.inner" in missing.suggestions
    assert exact(tree, "zzzzzz").suggestions == ()
    assert exact((), "a").status == "not_found"


def test_five_thousand_nested_functions_make_a_tree() -> None:
    rows, qualified = [], ""
    for at in range(5_000):
        qualified = f"{qualified}.f" if qualified else "f"
        rows.append(row(qualified, at + 1, 10_000 - at))
    tree = outline_tree("deep.py", rows)
    assert max(depth for depth, _ in walk(tree)) == 4_999
    assert exact(tree, rows[2_500].qualified_name).status == "ok"
    assert exact(tree, "g").status == "not_found"


def test_an_outline_within_a_budget_shows_the_top_first() -> None:
    whole = outline_within(ROWS, 10_000)
    assert (whole.kept, whole.left_out) == (tuple(ROWS), ())
    assert outline_within(ROWS, whole.full_tokens).left_out == ()
    cut = outline_within(ROWS, whole.full_tokens - 1)
    assert [each.qualified_name for each in cut.left_out] == ["A.f.inner"]
    assert outline_within(ROWS, 0).kept == ()
    # What comes after something that doesn't fit is not shown for being short.
    long, short = row("a", 1, 2, signature="def a(" + "x" * 400 + ")"), row("b", 3, 4)
    assert outline_within([long, short], 50).kept == ()
    assert outline_within([short, long], 50).kept == (short,)


def test_ids_stand_while_path_name_and_ordinal_do(folder: Path) -> None:
    source = "class A:\n    def f(self):\n        pass\n\n\ndef g():\n    pass\n"
    before = {symbol.qualified_name: found for found, symbol in _ids(folder / "one", source)}
    moved = "import os\n\n\ndef fresh(): pass\n\n\n" + source.replace("pass", "return os")
    after = {symbol.qualified_name: found for found, symbol in _ids(folder / "two", moved)}
    assert {name: after[name] for name in before} == before
    assert len(set(after.values())) == len(after)
    assert symbol_id("a.py", "g") != symbol_id("b.py", "g")
    assert symbol_id("a.py", "g") != symbol_id("a.py", "g", 1)
    first, second = ids_of("a.py", ROWS[4:])
    assert (first[0], second[0]) == (symbol_id("a.py", "g"), symbol_id("a.py", "g", 1))
    assert all(map(is_id, after.values()))
    assert not is_id("sym_12")


def _ids(root: Path, source: str) -> list[tuple[str, SymbolRow]]:
    root.mkdir()
    with resolver_of(root, {"a.py": source}) as resolver:
        return list(ids_of("a.py", resolver.world.scope("a.py").symbols))


def test_places_are_told_from_names() -> None:
    assert place_of("src/a.py:12") == Place("src/a.py", 12)
    assert place_of("src/a.py:12:3") == Place("src/a.py", 12, 3)
    assert place_of("src/a.py:99999999999") == Place("src/a.py", 99_999_999_999)
    for name in ("a", "a.b", "a::b", "A::b:3", "a.py:", "a.py:x"):
        assert place_of(name) is None


def test_a_local_name_means_what_its_own_scope_defines(folder: Path) -> None:
    source = (
        "def drop():\n    pass\n\n\ndef f():\n    drop = 1\n    return drop\n\n\n"
        "def g():\n    def drop():\n        x = 1\n        return x\n    return drop\n"
    )
    with resolver_of(folder, {"a.py": source}) as resolver:

        def meant(line: int, column: int | None = None) -> list[str]:
            found = definitions_meant(resolver, "x", Place("a.py", line, column))
            return [item.symbol.qualified_name for item in found]

        assert meant(7, 12) == []
        assert meant(7) == ["f"]
        assert meant(14, 12) == ["g.drop"]
        assert meant(14) == ["g.drop"]
        # Nothing is used here: the innermost of what is around is meant.
        assert meant(12) == ["g.drop"]


def test_a_place_means_what_stands_at_its_column(folder: Path) -> None:
    files = {
        "m.py": "class A:\n    def run(self):\n        pass\n\n\nclass B:\n    def run(self):\n        pass\n",
        "u.py": "from m import A, B\n\n\ndef f(a: A, b: B):\n    é = a.run() or b.run()\n    x = 1\n",
    }
    with resolver_of(folder, files) as resolver:

        def meant(line: int, column: int | None = None, path: str = "u.py") -> list[str]:
            place = Place(path, line, column)
            return [item.symbol.qualified_name for item in definitions_meant(resolver, "x", place)]

        text = files["u.py"].split("\n")[4].encode()
        first, second = text.index(b"run") + 1, text.rindex(b"run") + 1
        assert meant(5, first) == ["A.run"]
        assert meant(5, second) == ["B.run"]
        assert meant(5, second + 2) == ["B.run"]
        assert meant(2, path="m.py") == ["A.run"]
        assert meant(4, 5) == ["f"]
        assert meant(6) == ["f"]
        assert meant(5, 1) == []
        with pytest.raises(UsageError):
            meant(99)
        item = one(resolver, "A.run")
        known = next(
            found for found, symbol in ids_of("m.py", resolver.world.scope("m.py").symbols) if symbol == item.symbol
        )
        assert definitions_meant(resolver, known, None) == [item]
        assert definitions_meant(resolver, "sym_" + "0" * 20, None) == []
        assert definitions_meant(resolver, "unheard", None) == []
        for wrong in ("", "  ", "x" * 1_001):
            with pytest.raises(UsageError):
                definitions_meant(resolver, wrong, None)
