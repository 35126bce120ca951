"""Texts of symbols, taken apart."""

import contextlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.semantic.scip.symbols import Descriptor, ScipSymbol, Suffix, parse_symbol
from cairn.semantic.scip.wire import ScipError

_SIGNS = {
    Suffix.NAMESPACE: "{}/",
    Suffix.TYPE: "{}#",
    Suffix.TERM: "{}.",
    Suffix.META: "{}:",
    Suffix.MACRO: "{}!",
    Suffix.TYPE_PARAMETER: "[{}]",
    Suffix.PARAMETER: "({})",
}
_NAMES = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=8)
_PLAIN = [
    Suffix.NAMESPACE,
    Suffix.TYPE,
    Suffix.TERM,
    Suffix.META,
    Suffix.MACRO,
    Suffix.TYPE_PARAMETER,
    Suffix.PARAMETER,
]
_DESCRIPTORS = st.builds(Descriptor, _NAMES, st.sampled_from(_PLAIN)) | st.builds(
    lambda name, which: Descriptor(name, Suffix.METHOD, which), _NAMES, st.sampled_from(["", "+1", "a_b"])
)
_PARTS = st.text(st.sampled_from("ab .#/é"), max_size=6).filter(lambda part: part != ".")


def written(symbol: ScipSymbol) -> str:
    parts = (symbol.scheme, symbol.manager or ".", symbol.package or ".", symbol.version or ".")
    return " ".join(part.replace(" ", "  ") for part in parts) + " " + "".join(map(_descriptor, symbol.descriptors))


def _descriptor(descriptor: Descriptor) -> str:
    plain = descriptor.name.isascii() and descriptor.name.replace("_", "").isalnum()
    name = descriptor.name if plain else f"`{descriptor.name.replace('`', '``')}`"
    if descriptor.suffix is Suffix.METHOD:
        return f"{name}({descriptor.disambiguator})."
    return _SIGNS[descriptor.suffix].format(name)


def _is_clear(part: str) -> bool:
    # The grammar can't tell a space at an end of a part from the one between two parts.
    return not part.startswith(" ") and not part.endswith(" ")


@pytest.mark.slow
@pytest.mark.requirement("SCIP.1")
@given(
    st.builds(
        ScipSymbol,
        _PARTS.filter(bool).filter(_is_clear).filter(lambda scheme: scheme != "local"),
        _PARTS.filter(_is_clear),
        _PARTS.filter(_is_clear),
        _PARTS.filter(_is_clear),
        st.lists(_DESCRIPTORS, min_size=1, max_size=4).map(tuple),
    )
)
def test_what_is_written_by_the_grammar_is_read(symbol: ScipSymbol) -> None:
    assert parse_symbol(written(symbol)) == symbol


@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize(
    ("text", "name", "kind", "container"),
    [
        ("scip-python python p 0 `p.m`/Thing#", "Thing", "type", ("p.m",)),
        ("scip-python python p 0 `p.m`/Thing#run().", "run", "method", ("p.m", "Thing")),
        ("scip-typescript npm p 1 src/`a.ts`/over(+1).", "over", "method", ("src", "a.ts")),
        ("scip-python python p 0 `p.m`/LIMIT.", "LIMIT", "term", ("p.m",)),
        ("scip-typescript npm p 1 src/`a.ts`/Thing#`a-``b`.", "a-`b", "term", ("src", "a.ts", "Thing")),
        ("scip-python python p 0 `p.m`/run().(argument)", "argument", "parameter", ("p.m", "run")),
        ("scip-typescript npm p 1 src/`a.ts`/Thing#[T]", "T", "type_parameter", ("src", "a.ts", "Thing")),
        ("scip-python python p 0 `p.m`/__init__:", "__init__", "meta", ("p.m",)),
        (
            "scip-typescript npm p 1 src/`a.ts`/Thing#`<constructor>`().",
            "<constructor>",
            "method",
            ("src", "a.ts", "Thing"),
        ),
        ("rust-analyzer cargo core https://x macros/assert!", "assert", "macro", ("macros",)),
        ("local 12", "12", "local", ()),
    ],
)
def test_symbols_of_real_tools(text: str, name: str, kind: str, container: tuple[str, ...]) -> None:
    found = parse_symbol(text)
    assert (found.name, found.kind, found.container) == (name, kind, container)
    assert found.is_local == (kind == "local")


def test_a_package_may_be_unknown_and_spaces_are_doubled() -> None:
    found = parse_symbol("scip-x . a  b . n/")
    assert (found.scheme, found.manager, found.package, found.version) == ("scip-x", "", "a b", "")


@pytest.mark.parametrize(
    "text",
    [
        "",
        "local ",
        "local a b",
        "a",
        "a b c",
        "a b c d",
        "a b c d ",
        "a b c d e",
        "a b c d `e",
        " b c d e#",
        "a b c d (e",
        "a b c d e(f)",
        "a b c d `e`",
    ],
)
def test_what_the_grammar_does_not_allow_is_an_error(text: str) -> None:
    with pytest.raises(ScipError):
        parse_symbol(text)


@pytest.mark.slow
@given(st.text(max_size=40))
def test_any_text_is_read_or_an_error(text: str) -> None:
    with contextlib.suppress(ScipError):
        assert parse_symbol(text).descriptors
