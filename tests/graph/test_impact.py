"""What a change reaches."""

from pathlib import Path

import pytest

from cairn.graph.calls import Limits
from cairn.graph.difference import differences, outside_of_symbols
from cairn.graph.impact import Change, Impact, impact_of
from cairn.graph.imports import imports_of
from cairn.store import SymbolRow
from cairn.syntax.parse import parse_file
from tests.graph.worlds import resolver_of

BEFORE = (
    "LIMIT = 1\n\n\ndef same():\n    pass\n\n\ndef body():\n    return 1\n\n\ndef head(a):\n    pass\n\n\n"
    "def gone():\n    pass\n"
)
AFTER = (
    "def fresh():\n    pass\n\n\nLIMIT = 1\n\n\ndef same():\n    pass\n\n\ndef body():\n    return 2\n\n\n"
    "def head(a, b):\n    pass\n"
)
FILES = {
    "m.py": AFTER,
    "u.py": "from m import body, gone as g, head\nimport m\n\n\ndef near():\n    body()\n    g()\n    m.gone()\n"
    "    head(1, 2)\n",
    "v.py": "from u import near\n\n\ndef far(x):\n    near()\n",
    "tests/test_far.py": "from v import far\n\n\ndef test_far():\n    far(1)\n",
    "tests/test_near.py": "from u import near\n\n\ndef test_near():\n    near()\n",
    "tests/test_import.py": "import m\n\n\ndef test_nothing():\n    pass\n",
    "tests/test_apart.py": "def test_apart():\n    pass\n",
}


def changed(found: Impact) -> dict[str, str]:
    return {item.name: item.change for item in found.symbols}


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_a_change_is_told_by_symbol_and_reaches_callers_dependants_and_tests(folder: Path) -> None:
    with resolver_of(folder, FILES) as resolver:
        found = impact_of(resolver, [Change("m.py", BEFORE)], [], Limits(depth=2))
        assert changed(found) == {"fresh": "added", "body": "modified", "head": "signature", "gone": "removed"}
        removed = next(item for item in found.symbols if item.change == "removed")
        assert (removed.line, removed.uses, removed.kind) == (0, 3, "function")
        assert [(item.node.name, item.distance, item.tier) for item in found.users] == [
            ("near", 1, "proven"),
            ("test_near", 2, "proven"),
            ("far", 2, "proven"),
        ]
        assert [(item.path, item.distance, item.tier, item.imports) for item in found.dependants] == [
            ("tests/test_import.py", 1, "proven", "m.py"),
            ("u.py", 1, "proven", "m.py"),
            ("tests/test_near.py", 2, "proven", "u.py"),
            ("v.py", 2, "proven", "u.py"),
        ]
        assert [(item.path, item.how, item.tier) for item in found.tests] == [
            ("tests/test_near.py", "uses", "proven"),
            ("tests/test_import.py", "imports", "likely"),
        ]
        deeper = impact_of(resolver, [Change("m.py", BEFORE)], [], Limits(depth=3))
        assert "tests/test_far.py" in {item.path for item in deeper.tests}
        there = impact_of(resolver, [Change("m.py", BEFORE)], [], Limits(depth=3), lambda path: path != "u.py")
        assert not {"u.py"} & {item.path for item in there.dependants}
        assert there.users == ()
        assert next(item.uses for item in there.symbols if item.change == "removed") == 0


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_a_new_file_counts_whole_and_a_test_that_was_changed_is_among_the_tests(folder: Path) -> None:
    with resolver_of(folder, FILES) as resolver:
        found = impact_of(resolver, [Change("tests/test_near.py"), Change("v.py")], ["old.py"], Limits())
        assert changed(found) == {"test_near": "added", "far": "added"}
        assert found.removed_files == ("old.py",)
        assert ("tests/test_near.py", "changed", 0) in {(item.path, item.how, item.distance) for item in found.tests}


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_what_stands_beside_definitions_is_a_change_of_the_file(folder: Path) -> None:
    with resolver_of(folder, {"a.py": "import os\n\n\ndef f():\n    pass\n"}) as resolver:
        found = impact_of(resolver, [Change("a.py", "import sys\n\n\ndef f():\n    pass\n")], [], Limits())
        assert changed(found) == {"a.py": "modified"}
        assert impact_of(resolver, [Change("a.py", "import os\n\n\ndef f():\n    pass\n")], [], Limits()).symbols == ()


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_more_changes_than_nodes_are_cut_and_said(folder: Path) -> None:
    many = "".join(f"def f{at}():\n    f{at}()\n" for at in range(700))
    with resolver_of(folder, {"a.py": many}) as resolver:
        found = impact_of(resolver, [Change("a.py")], [], Limits(nodes=500))
        assert len(found.symbols) == 700
        assert "nodes" in found.limits_hit


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_the_tier_of_a_way_is_its_weakest_link_and_the_best_way_counts(folder: Path) -> None:
    files = {
        "m.py": "class A:\n    def only_here(self):\n        pass\n",
        "a.py": "def guess(x):\n    x.only_here()\n",
        "b.py": "from a import guess\nfrom m import A\n\n\ndef over():\n    guess(1)\n\n\ndef straight(a: A):\n"
        "    a.only_here()\n    guess(a)\n",
    }
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("m.py")], [], Limits(depth=2))
        assert {item.node.name: item.tier for item in found.users} == {
            "guess": "likely",
            "over": "likely",
            "straight": "proven",
        }


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_callers_of_what_was_removed_are_reached(folder: Path) -> None:
    before = (
        "class A:\n    def run(self):\n        pass\n\n    def go(self):\n        self.run()\n\n\n"
        "def gone():\n    pass\n\n\ndef kept():\n    gone()\n"
    )
    files = {
        "m.py": "class A:\n    def go(self):\n        self.run()\n\n\ndef kept():\n    gone()\n",
        "u.py": "from m import A, gone as g\n\n\ndef near(a: A, x):\n    g(); g()\n    a.run()\n    x.run()\n",
        "v.py": "import u\n\n\ndef far(gone):\n    u.near(1, 2)\n    gone()\n",
        "w.py": "class B:\n    def run(self):\n        pass\n\n\ndef other(b: B):\n    b.run()\n",
    }
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("m.py", before)], [], Limits(depth=2))
        assert {item.name: (item.change, item.uses) for item in found.symbols} == {
            "A.run": ("removed", 2),
            "gone": ("removed", 4),
        }
        assert [(each.node.name, each.distance, each.tier, each.reason) for each in found.users] == [
            ("A.go", 1, "proven", "removed, still used"),
            ("kept", 1, "proven", "removed, still used"),
            ("near", 1, "proven", "removed, still used"),
            ("far", 2, "proven", "removed, still used"),
        ]
        assert found.unresolved == 1


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_what_was_moved_and_is_imported_again_is_not_missed(folder: Path) -> None:
    before = "def moved():\n    pass\n\n\ndef twice():\n    pass\n\n\ndef twice():\n    pass\n"
    files = {
        "m.py": "from n import moved\n\n\ndef twice():\n    pass\n",
        "n.py": "def moved():\n    pass\n",
        "u.py": "from m import moved, twice\n\n\ndef use():\n    moved()\n    twice()\n",
    }
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("m.py", before)], [], Limits())
        assert {(item.name, item.uses) for item in found.symbols if item.change == "removed"} == {
            ("moved", 0),
            ("twice", 0),
        }
        assert found.users == ()


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_a_caller_of_what_was_changed_and_of_what_was_removed_is_told_once(folder: Path) -> None:
    files = {
        "m.py": "def kept():\n    return 2\n",
        "u.py": "from m import gone, kept\n\n\ndef both():\n    kept()\n    gone()\n\n\ndef one():\n    kept()\n",
    }
    before = "def kept():\n    return 1\n\n\ndef gone():\n    pass\n"
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("m.py", before)], [], Limits())
        assert [(each.node.name, each.reason) for each in found.users] == [
            ("both", "removed, still used"),
            ("one", "changed"),
        ]


def test_the_tier_of_a_dependant_is_the_weakest_on_the_way(folder: Path) -> None:
    files = {
        "lib/acme/redis.rb": "class One\nend\n",
        "lib/acme/base.rb": "require 'redis'\n",
        "lib/acme/top.rb": "require_relative 'base'\n",
    }
    with resolver_of(folder, files) as resolver:
        found = impact_of(resolver, [Change("lib/acme/redis.rb")], [], Limits(depth=2))
        assert [(item.path, item.tier) for item in found.dependants] == [
            ("lib/acme/base.rb", "likely"),
            ("lib/acme/top.rb", "likely"),
        ]
        assert resolver.importers["lib/acme/base.rb"][0][1] == "proven"


@pytest.mark.slow
def test_of_two_ways_to_a_dependant_the_surer_is_told(folder: Path) -> None:
    files = {
        "one.rb": "class One\nend\n",
        "two.rb": "class Two\nend\n",
        "u.rb": "require 'one'\nrequire_relative 'two'\n",
    }
    with resolver_of(folder, files) as resolver:
        tiers = {path: resolver.importers[path][0][1] for path in ("one.rb", "two.rb")}
        assert tiers["two.rb"] == "proven"
        found = impact_of(resolver, [Change("one.rb"), Change("two.rb")], [], Limits())
        assert [(item.path, item.tier, item.imports) for item in found.dependants] == [
            ("u.rb", "proven", "two.rb")
        ] or (tiers["one.rb"] == "proven")


@pytest.mark.slow
def test_imports_lead_both_ways_and_libraries_are_counted(folder: Path) -> None:
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": "import os\nfrom . import b\nfrom .b import f, gone\n",
        "pkg/b.py": "def f():\n    pass\n",
    }
    with resolver_of(folder, files) as resolver:
        found = imports_of(resolver, "pkg/a.py")
        assert [(item.source, item.line, item.paths) for item in found.outgoing] == [
            ("os", 1, ()),
            (".", 2, ("pkg/__init__.py", "pkg/b.py")),
            (".b", 3, ("pkg/b.py",)),
        ]
        assert found.unresolved == 1
        assert [(item.path, item.line, item.tier) for item in imports_of(resolver, "pkg/b.py").incoming] == [
            ("pkg/a.py", 2, "proven")
        ]


def _symbols(text: str) -> list[SymbolRow]:
    parsed = parse_file("a.py", "python", text.encode(), 2_000, 1_000)
    return [
        SymbolRow(
            "syntactic", each.name, each.qualified_name, each.kind, each.signature, each.start_line, each.end_line,
            each.name_line, each.container, each.exported, "",
        )
        for each in parsed.symbols
    ]  # fmt: skip


def _differences(old: str, new: str) -> set[tuple[str, str, int]]:
    told = differences(_symbols(old), old, _symbols(new), new)
    return {(each.qualified_name, each.change, each.ordinal) for each in told}


def test_a_class_is_not_modified_by_its_methods_nor_by_where_it_stands() -> None:
    old = "class A:\n    x = 1\n\n    def f(self):\n        return 1\n\n    def g(self):\n        pass\n"
    assert _differences(old, "\n\n" + old) == set()
    assert _differences(old, old.replace("return 1", "return 2")) == {("A.f", "modified", 0)}
    assert _differences(old, old.replace("    def g(self):\n        pass\n", "")) == {("A.g", "removed", 0)}
    assert _differences(old, old.replace("f(self)", "f(self, a)")) == {("A.f", "signature", 0)}
    twice = "if x:\n    def f():\n        return 1\nelse:\n    def f():\n        return 2\n"
    assert _differences(twice, twice.replace("return 2", "return 3")) == {("f", "modified", 1)}
    assert _differences(old, old.replace("\n", "\r\n")) == set()
    assert outside_of_symbols(_symbols(old), old + "end = 1\n").strip() == "end = 1"
