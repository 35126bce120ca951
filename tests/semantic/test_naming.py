"""Names, kinds and signatures of symbols."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.semantic import naming
from cairn.semantic.naming import SymbolName, kind_named, named, signature_of
from cairn.semantic.scip.decode import SymbolInformation
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scip.symbols import Suffix
from tests.semantic.recorded import PROJECTS, recorded

AT = "scip-x m p 1 "


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize(
    ("end", "expected"),
    [
        ("`p.m`/Thing#", SymbolName("Thing", "class")),
        ("`p.m`/Thing#run().", SymbolName("run", "method")),
        ("`p.m`/run(+1).", SymbolName("run", "function")),
        ("`p.m`/run().inner().", SymbolName("inner", "function")),
        ("`p.m`/LIMIT.", SymbolName("LIMIT", "variable")),
        ("`p.m`/Thing#size.", SymbolName("size", "field")),
        ("`p.m`/run().(x)", SymbolName("x", "parameter")),
        ("`p.m`/Thing#[T]", SymbolName("T", "type_parameter")),
        ("`p.m`/__init__:", SymbolName("p.m", "module")),
        ("`p.m`/Thing#__init__().", SymbolName("__init__", "method")),
        ("src/`a.ts`/", SymbolName("a.ts", "module")),
        ("`a.ts`/Bar#`<get>wide`().", SymbolName("wide", "method")),
        ("`a.ts`/Bar#`<constructor>`().", SymbolName("constructor", "constructor", f"{AT}`a.ts`/Bar#")),
        ("`a.ts`/key0:", SymbolName("key0", "property")),
        ("macros/assert!", SymbolName("assert", "macro")),
    ],
)
def test_names_and_kinds_come_from_descriptors(end: str, expected: SymbolName) -> None:
    assert named(AT + end) == expected


@pytest.mark.parametrize("text", ["", "a b c", f"{AT}`e", "local 1 2"])
def test_what_the_grammar_does_not_allow_has_no_name(text: str) -> None:
    assert named(text) is None


_AROUND = st.tuples(st.sampled_from(["a", "B1", "`a.b/c#`", "`x y`"]), st.sampled_from(["/", "#", ".", "().", "(+1)."]))


@pytest.mark.slow
@given(st.lists(_AROUND), st.sampled_from(["f().", "T#", "v.", "`odd`.", "(x)", "[T]", "m:", "n/", "M!"]))
def test_what_is_seen_at_sight_is_what_the_grammar_says(around: list[tuple[str, str]], last: str) -> None:
    symbol = AT + "".join(name + sign for name, sign in around) + last
    quick = naming._at_sight(symbol)
    try:
        naming._at_sight = lambda _: None  # type: ignore[assignment]
        slow = named(symbol)
    finally:
        naming._at_sight = _AT_SIGHT
    assert quick is None or quick == slow


_AT_SIGHT = naming._at_sight


@pytest.mark.parametrize("tool", PROJECTS)
def test_every_symbol_of_real_output_has_a_name(tool: str) -> None:
    for document in read_index(str(recorded(tool))).documents():
        for each in document.occurrences:
            assert each.local or named(each.symbol)


@pytest.mark.parametrize(
    ("documentation", "signature"),
    [
        ((), ""),
        (("plain words",), ""),
        (("```python\nclass Book(Thing):\n```", "More."), "class Book(Thing):"),
        (("```python\ndef f(\n  a,\n  b=1\n) -> int:\n```",), "def f(a, b=1) -> int:"),
        (("```python\n@property\ndef wide(\n  self\n): # -> int:\n```",), "@property def wide(self): # -> int:"),
        (("```ts\nvar x: 3\n```",), "var x: 3"),
        (("```",), ""),
    ],
)
def test_signatures_are_what_is_shown_in_code_on_one_line(documentation: tuple[str, ...], signature: str) -> None:
    assert signature_of(SymbolInformation("s", documentation)) == signature


def test_a_tool_that_says_or_shows_the_kind_is_believed() -> None:
    assert kind_named("class", 0, "interface Thing") == "interface"
    assert kind_named("class", 49, "") == "struct"
    assert kind_named("variable", 8, "") == "constant"
    assert kind_named("class", 0, "class Thing") == "class"
    assert set(naming._KINDS) == set(Suffix)
