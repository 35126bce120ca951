"""Definitions that share a line: what nothing uses, and what a change of that line touches."""

from pathlib import Path

import pytest

from cairn.graph.calls import Limits
from cairn.graph.impact import Change, impact_of
from cairn.graph.nesting import encloses, innermost, is_within
from cairn.syntax.facts import Symbol
from tests.graph.test_unused import found
from tests.graph.worlds import resolver_of


def symbol(name: str, start: int, end: int) -> Symbol:
    return Symbol(name.rpartition(".")[2], name, "function", "", start, end, start, name.rpartition(".")[0], True, "")


@pytest.mark.parametrize(
    ("outer", "inner", "expected"),
    [
        (symbol("a", 1, 9), symbol("a.b", 2, 3), True),
        (symbol("a", 1, 9), symbol("b", 2, 3), True),
        (symbol("a", 1, 1), symbol("a.b", 1, 1), True),
        (symbol("a", 1, 1), symbol("b", 1, 1), False),
        (symbol("a", 1, 1), symbol("ab", 1, 1), False),
        (symbol("a", 1, 9), symbol("b", 9, 9), False),
        (symbol("a", 1, 9), symbol("b", 1, 3), False),
        (symbol("a", 1, 9), symbol("a.b", 9, 12), False),
        (symbol("a.b", 1, 1), symbol("a", 1, 1), False),
    ],
)
def test_a_definition_stands_in_another_by_its_name_or_between_its_lines(
    outer: Symbol, inner: Symbol, expected: bool
) -> None:
    assert encloses(outer, inner) is expected


def test_a_line_has_the_innermost_of_what_shares_it() -> None:
    items = [symbol("A", 1, 3), symbol("A.f", 1, 1), symbol("A.g", 1, 1), symbol("h", 5, 5)]
    assert [item.name for item in innermost(items, 1)] == ["f", "g"]
    assert [item.name for item in innermost(items, 2)] == ["A"]
    assert not innermost(items, 4)


def test_a_place_stands_in_a_definition_where_nothing_beside_it_could_hold_it() -> None:
    a, b = symbol("a", 1, 1), symbol("b", 1, 1)
    assert is_within(a, 1, "a", [a, b])
    assert is_within(a, 1, "a.inner", [a, b])
    assert not is_within(a, 1, "ab", [a, b])
    assert not is_within(a, 1, "b", [a, b])
    assert not is_within(a, 1, "", [a, b])
    assert is_within(a, 1, "", [a])
    assert not is_within(a, 2, "a", [a])
    assert is_within(a, 1, "", [a, symbol("a.c", 1, 1), symbol("x", 0, 9)])


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        ({"m.js": "function a() { return 1 } function b() { return a() }\nb();\n"}, set()),
        ({"m.js": "const a = 1; const b = a; console.log(b);\n"}, set()),
        ({"m.js": "function a() { return a() } function b() { return b() }\n"}, {"a", "b"}),
        ({"m.js": "function a() {\n  return 1\n} function b() { return 2 }\n"}, {"a", "b"}),
        ({"m.js": "function a() {\n  function c() {}\n  return a() } function b() {}\nb();\n"}, {"a"}),
        ({"m.ts": "class A { private f() { return 1 } g() { return this.f() } }\nnew A().g();\n"}, set()),
        ({"m.py": "def _a(): return 1\ndef _b(): return _a()\n_b()\n"}, set()),
        ({"m.py": "_a = 1; _b = _a; print(_b)\n"}, set()),
        (
            {"m.c": "static int a(void) { return 1; } int b(void) { return a(); }\nint main(void) { return b(); }\n"},
            set(),
        ),
        ({"m.go": "package m\n\nfunc a() int { return 1 }; func b() int { return a() }\n\nvar _ = b()\n"}, set()),
    ],
)
def test_of_two_definitions_of_one_line_each_is_used_by_the_other(
    tmp_path: Path, files: dict[str, str], expected: set[str]
) -> None:
    assert set(found(tmp_path, files)) == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "before", "after", "expected"),
    [
        (
            "m.js",
            "function a() { return 1 } function b() { return 2 }\n",
            "function a() { return 3 } function b() { return 2 }\n",
            {"a", "b"},
        ),
        ("m.js", "const a = 1, b = 2;\nfunction c() {}\n", "const a = 3, b = 2;\nfunction c() {}\n", {"a", "b"}),
        (
            "m.js",
            "function a() {\n  return 1\n} function b() { return 2 }\n",
            "function a() {\n  return 3\n} function b() { return 2 }\n",
            {"a"},
        ),
        (
            "m.ts",
            "class A { f() { return 1 } g() { return 2 } }\n",
            "class A { f() { return 3 } g() { return 2 } }\n",
            {"A.f", "A.g"},
        ),
        (
            "m.py",
            "class A:\n    def f(self): return 1\n    def g(self): return 2\n",
            "class A:\n    def f(self): return 3\n    def g(self): return 2\n",
            {"A.f"},
        ),
    ],
)
def test_a_changed_line_touches_every_definition_that_is_its_own(
    tmp_path: Path, path: str, before: str, after: str, expected: set[str]
) -> None:
    with resolver_of(tmp_path, {path: after}) as resolver:
        told = impact_of(resolver, [Change(path, before)], [], Limits())
        assert {item.name for item in told.symbols} == expected


def test_a_named_definition_is_not_what_stands_beside_it(tmp_path: Path) -> None:
    with resolver_of(tmp_path, {"m.js": "function a() {} function b() {}\n"}) as resolver:
        told = impact_of(resolver, [Change("m.js", None, (("b", 1),))], [], Limits())
        assert [item.name for item in told.symbols] == ["b"]
