"""Lists of parameters as text: what is added and removed again leaves every byte, and is read as it was meant."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.edit.signature.brackets import changed
from cairn.edit.signature.given import NONE_GIVEN, UNSURE, WrittenCall, call_of
from cairn.edit.signature.parameters import (
    NAMES,
    ONLY_NAMED,
    ONLY_POSITIONAL,
    PLAIN,
    REST,
    Signature,
    function_of,
    signature_of,
)
from tests.named import stored_tree


def parsed(data: bytes, language: str) -> Any:
    tree = stored_tree("take", language, data)
    assert tree is not None
    assert not tree.root_node.has_error, data
    return tree.root_node


def signature(data: bytes, language: str = "python") -> Signature:
    at = data.index(b"take")
    function = function_of(parsed(data, language).descendant_for_byte_range(at, at + 4))
    found = signature_of(function, data, python=language == "python")
    assert found is not None
    return found


def call(text: str, language: str = "python") -> WrittenCall:
    data = text.encode()
    at = data.index(b"take")
    found = call_of(parsed(data, language).descendant_for_byte_range(at, at + 4), data)
    assert found is not None
    return found


_NAMES = st.lists(st.sampled_from([f"p{n}" for n in range(9)]), unique=True, max_size=6)
_GAPS = st.sampled_from(["", " ", "  "])


@st.composite
def lists(draw: st.DrawFn) -> tuple[str, str]:
    """The inside of a list in the layouts that people use, and its language."""
    language = draw(st.sampled_from(["python", "typescript"]))
    python = language == "python"
    names = draw(_NAMES)
    entries = [f"{name}=1" for name in names]
    if python and len(entries) > 1:
        stars = draw(st.sampled_from([0, 1, 2, 3]))
        cut = draw(st.integers(1, len(entries) - 1))
        if stars == 1:
            entries.insert(cut, "*")
        elif stars == 2:
            entries.insert(cut, "/")
        elif stars == 3:
            entries.insert(cut, "*rest")
    if python and draw(st.booleans()):
        entries.append("**names")
    trailing = draw(st.booleans()) and bool(entries) and entries[-1] != "**names"
    mark = "#" if python else "//"
    end = draw(st.sampled_from(["\n", "\r\n"]))
    if not draw(st.booleans()):
        gap = draw(_GAPS)
        return f"{draw(_GAPS)}{f',{gap}'.join(entries)}{',' if trailing else ''}{draw(_GAPS)}", language
    lines = []
    for number, entry in enumerate(entries):
        if draw(st.integers(0, 3)) == 0:
            lines.append(f"    {mark} above")
        comma = "," if number < len(entries) - 1 or trailing else ""
        comment = f"  {mark} behind" if draw(st.integers(0, 3)) == 0 else ""
        lines.append(f"    {entry}{comma}{comment}")
    inside = "".join(f"{end}{line}" for line in lines)
    return f"{inside}{end}", language


def written(inside: str, language: str) -> bytes:
    return (f"def take({inside}): pass\n" if language == "python" else f"function take({inside}) {{}}\n").encode()


@pytest.mark.slow
@given(lists(), st.booleans(), st.integers(0, 6))
def test_what_is_added_and_removed_leaves_every_byte_and_stands_where_it_was_meant(
    made: tuple[str, str], only_named: bool, position: int
) -> None:
    inside, language = made
    data = written(inside, language)
    before = signature(data, language)
    only_named = only_named and language == "python"
    at = before.place_for(None if position == 6 else position, only_named=only_named)
    new = changed(data, [before.added("fresh=2", at, only_named=only_named)])
    after = signature(new, language)
    names = list(before.names)
    assert sorted(after.names) == sorted([*names, "fresh"])
    assert [name for name in after.names if name != "fresh"] == names
    own = after.parameters[after.index("fresh")]
    assert (own.kind == ONLY_NAMED) == only_named
    if not only_named:
        assert after.position(after.index("fresh")) == min(position if position < 6 else 99, before.positions)
    assert changed(new, [after.removed(after.index("fresh"))]) == data


@pytest.mark.slow
@given(lists(), st.data())
def test_what_is_removed_is_gone_and_the_rest_is_as_it_was(made: tuple[str, str], data: st.DataObject) -> None:
    inside, language = made
    text = written(inside, language)
    before = signature(text, language)
    if not before.names:
        return
    gone = data.draw(st.sampled_from(before.names))
    after = signature(changed(text, [before.removed(before.index(gone))]), language)
    assert after.names == tuple(name for name in before.names if name != gone)
    assert [each.kind for each in after.parameters if each.name] == [
        each.kind for each in before.parameters if each.name and each.name != gone
    ]


@pytest.mark.slow
@given(lists(), st.data())
def test_what_is_reordered_has_each_parameter_once_with_its_comments(
    made: tuple[str, str], data: st.DataObject
) -> None:
    inside, language = made
    text = written(inside, "python") if language == "python" else f"function take({{{inside}}}) {{}}\n".encode()
    before = signature(text, language)
    if language == "python":
        names = [each.name for each in before.parameters if each.kind == ONLY_NAMED]
    else:
        names = [name for _, keys in before.patterns() for name in keys]
    order = data.draw(st.permutations(names))
    new = changed(text, before.reordered(order))
    after = signature(new, language)
    if language == "python":
        assert [each.name for each in after.parameters if each.kind == ONLY_NAMED] == order
    elif names:
        assert [name for _, keys in after.patterns() for name in keys] == order
    assert new.count(b"behind") == text.count(b"behind")
    assert new.count(b"above") == text.count(b"above")
    assert changed(new, after.reordered(names)) == text


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("def take(a, /, b, *c, d=1, **e): pass", (ONLY_POSITIONAL, PLAIN, REST, ONLY_NAMED, NAMES)),
        ("def take(a: int, b: int = 1, *, c: str): pass", (PLAIN, PLAIN, ONLY_NAMED)),
        ("def take(*a: int, **b: str): pass", (REST, NAMES)),
    ],
)
def test_parameters_are_told_apart_by_how_a_call_can_give_them(text: str, kinds: tuple[str, ...]) -> None:
    assert tuple(each.kind for each in signature(text.encode()).parameters if each.name) == kinds


def test_the_marks_of_python_go_with_the_last_parameter_that_they_tell_apart() -> None:
    for text, gone, left in [
        ("def take(a, *, b): pass", "b", "def take(a): pass"),
        ("def take(a, *, b, **c): pass", "b", "def take(a, **c): pass"),
        ("def take(a, *, b, c): pass", "b", "def take(a, *, c): pass"),
        ("def take(a, /): pass", "a", "def take(): pass"),
        ("def take(a, /, b): pass", "a", "def take(b): pass"),
        ("def take(a, b, /): pass", "b", "def take(a, /): pass"),
    ]:
        found = signature(text.encode())
        assert changed(text.encode(), [found.removed(found.index(gone))]) == left.encode()


def test_a_parameter_without_brackets_gets_some() -> None:
    data = b"const take = x => x\n"
    found = signature(data, "typescript")
    assert changed(data, [found.added("y = 1", 1)]) == b"const take = (x, y = 1) => x\n"
    assert changed(data, [found.removed(0)]) == b"const take = () => x\n"


@pytest.mark.parametrize(
    ("text", "position", "name", "number"),
    [
        ("take(1, 2)", 1, "b", 1),
        ("it.take(1, b=2)", 1, "b", 1),
        ("take(b=2, *x)", 1, "b", 0),
        ("take(1)", 1, "b", NONE_GIVEN),
        ("take(*x)", 1, "b", UNSURE),
        ("take(1, *x)", 0, "a", 0),
        ("take(1, **x)", 1, "b", UNSURE),
        ("take(1, **x)", 0, "a", 0),
        ("take(**x)", 0, "", NONE_GIVEN),
        ("take(x for x in y)", 0, "a", 0),
        ("take(1, b=2)", -1, "b", 1),
    ],
)
def test_the_argument_of_a_parameter_is_found_by_position_or_name(
    text: str, position: int, name: str, number: int
) -> None:
    assert call(text).given_to(position, name) == number


def test_an_argument_may_do_something_when_it_is_evaluated() -> None:
    found = call("take(f(), [await x for x in y], lambda: f(), a.b, (n := 1), {1: -x})")
    assert [found.has_effects(number) for number in range(6)] == [True, True, False, False, True, False]
    script = call("new take(f(), () => f(), i++, new A(), a.b, x ? 1 : 2)", "typescript")
    assert [script.has_effects(number) for number in range(6)] == [True, False, True, True, False, False]
