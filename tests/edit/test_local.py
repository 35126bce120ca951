"""A name that one scope proves to be local is renamed there and nowhere else."""

import re

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from cairn.edit.gate.local import local_draft
from cairn.edit.source.texts import rewritten
from cairn.edit.source.values import EditDraft
from cairn.edit.source.words import words_in
from tests.named import source

PATHS = {"python": "a.py", "javascript": "a.jsx", "typescript": "a.ts", "go": "a.go", "java": "A.java", "ruby": "a.rb"}


def drafted(language: str, text: str, nth: int, new: str = "fresh") -> EditDraft | None:
    """The rename of the nth `name` of a text."""
    path, data = PATHS[language], text.encode()
    word = words_in(source(path, language, data), "name")[nth - 1]
    return local_draft(source(path, language, data), (word.line, word.column), "name", new)


def renamed(language: str, text: str, nth: int) -> str:
    draft = drafted(language, text, nth)
    assert draft is not None
    assert (draft.status, draft.reasons) == ("ok_syntactic", ())
    return rewritten(text.encode(), draft.spots, "fresh").decode()


# In each text `@` marks what belongs to the scope: all of them are renamed, from any of them, and nothing else is.
PYTHON = [
    "def f():\n    @ = 1\n    return @\n",
    "name = 0\ndef f():\n    @ = 1\n    return @\nprint(name)\n",
    "def f():\n    @ = 1\n    def g():\n        return @\n    def h():\n        name = 2\n"
    "        return name\n    return g\n",
    "def f():\n    @ = 1\n    def g():\n        nonlocal @\n        @ += 1\n    return @\n",
    "def f():\n    @ = [1]\n    return [name for name in @]\n",
    "def f():\n    name = [1]\n    return [@ for @ in name if @]\n",
    "def f():\n    return {(@ := x) for x in y}, @\n",
    "def f():\n    @ = 1\n    return g(name=@, x=self.name)\n",
    "def f():\n    @ = 1\n    class C:\n        name = 2\n        def m(self):\n"
    "            return @, self.name\n    return C.name\n",
    "class C:\n    name = 1\n    def m(self):\n        @ = self.name\n        return @\n",
    "def f(v):\n    match v:\n        case {'name': @}:\n            return @\n"
    "        case P(name=@):\n            return @\n",
    "def f():\n    for @ in x:\n        pass\n    del @\n    with a as @:\n        pass\n"
    "    try:\n        pass\n    except E as @:\n        pass\n",
    "def f():\n    def @():\n        return @\n    return @()\n",
    "def f():\n    @ = 1\n    return f'{@} name {@!r:>{@}}'  # name\n",
    "def f():\n    @ = 1\n    def g(x=@, *, y: @ = 2):\n        return x\n    return lambda z=@: z\n",
    "async def f():\n    async for @ in x:\n        await @\n",
]
SCRIPT = [
    "function f() { let @ = 1; { let name = 2; g(name); } return @; }",
    "function f() { let name = 1; { let @ = 2; g(@); } return name; }",
    "function f() { if (x) { var @ = 1; } return @; }",
    "function f(@) { return () => g(@, o.name, o?.name); }",
    "const f = @ => @ + 1; const name = 2;",
    "function f() { try {} catch (@) { g(@); } }",
    "function f() { name: for (;;) { const @ = 1; break name; } }",
    "function f() { const @ = 1; return { name: @, name() { return @; }, ['name']: @ }; }",
    "function f() { const { ...@ } = o; return [...@]; }",
    "function f() { const @ = 1; class A { name = @; m() { return this.name; } } }",
    "function f() { function @() { return @(); } return @; }",
    "function f() { const @ = 1; return <p name={@}>{@} name</p>; }",
]
OTHERS = [
    ("typescript", "function f(@: string): @ is string { return typeof @ === 'string'; }"),
    ("typescript", "function f() { const @ = 1; type T = typeof @; return { x: @ } as { name: T }; }"),
    (
        "go",
        "package a\n\nfunc f() int {\n\t@ := 1\n\tif true {\n\t\tname := 2\n\t\t_ = name\n\t}\n"
        "\treturn @ + x.name\n}\n",
    ),
    (
        "go",
        "package a\n\ntype S struct{ name int }\n\nfunc f() (@ int) {\n\t@ = S{name: 1}.name\n\treturn\n}\n",
    ),
    ("java", "class A { int name; int f(int @) { this.name = @; return @; } }"),
    ("java", "class A { int f() { int @ = 1; Runnable r = () -> g(@); return @; } int name() { return name(); } }"),
]
CASES = [*(("python", text) for text in PYTHON), *(("javascript", text) for text in SCRIPT), *OTHERS]


@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize(("language", "text"), CASES)
def test_a_scope_is_renamed_whole_from_each_of_its_places(language: str, text: str) -> None:
    whole, expected = text.replace("@", "name"), text.replace("@", "fresh")
    marks = [mark.start() for mark in re.finditer("@", text)]
    meant = {at + 3 * number for number, at in enumerate(marks)}
    places = [match.start() for match in re.finditer(r"\bname\b", whole)]
    assert meant <= set(places)
    for number, at in enumerate(places, 1):
        if at in meant:
            assert renamed(language, whole, number) == expected


@pytest.mark.parametrize(
    ("text", "nth", "expected"),
    [
        (
            "function f() { const name = 1; return { name }; }",
            1,
            "function f() { const fresh = 1; return { name: fresh }; }",
        ),
        (
            "function f(o) { const { name } = o; return name; }",
            2,
            "function f(o) { const { name: fresh } = o; return fresh; }",
        ),
        ("function f({ name = 1 }) { return name; }", 2, "function f({ name: fresh = 1 }) { return fresh; }"),
        ("function f(o) { let name; ({ name } = o); }", 1, "function f(o) { let fresh; ({ name: fresh } = o); }"),
    ],
)
def test_a_property_keeps_its_name_where_its_value_gets_another(text: str, nth: int, expected: str) -> None:
    assert renamed("javascript", text, nth) == expected


@pytest.mark.requirement("EDIT.1")
@pytest.mark.parametrize(
    ("language", "text", "nth"),
    [
        ("python", "name = 1\nprint(name)\n", 1),
        ("python", "def f():\n    global name\n    name = 1\n", 2),
        ("python", "class C:\n    name = 1\n", 1),
        ("python", "def f():\n    return name\n", 1),
        ("python", "def f():\n    import name\n    return name\n", 2),
        ("python", "def f():\n    from m import name\n    return name\n", 2),
        ("python", "def f():\n    name = 1\n    return self.name\n", 2),
        ("python", "def f():\n    name = 1\n    return g(name=1)\n", 2),
        ("python", "def f(name):\n    return name\n", 1),
        ("python", "class A:\n    def f(name): return name\n    x = f(name=1)\n", 1),
        ("javascript", "const name = 1;", 1),
        ("typescript", "class A { constructor(private name: string) {} }", 1),
        ("typescript", "interface A { name: string }", 1),
        ("java", "class A { int name; int f() { return name; } }", 2),
        ("ruby", "def f\n  name = 1\n  name\nend\n", 1),
    ],
)
def test_what_others_may_see_is_not_proven_by_a_scope(language: str, text: str, nth: int) -> None:
    assert drafted(language, text, nth) is None


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("def f():\n    name = 1\n    fresh = 2\n", "uses fresh already"),
        ("def f():\n    name = 1\n    return fresh(name)\n", "uses fresh already"),
        ("def f():\n    name = 1\n    return g(lambda: fresh)\n", "uses fresh already"),
        ("def f():\n    name = 1\n    return locals()\n", "locals stands in the same scope"),
        ("def f():\n    name = 1\n    exec('name')\n", "exec stands in the same scope"),
        ("def f():\n    name = 1\n    x = (\n    return name\n", "could not be parsed"),
        ("def f():\n    name = 1\n    return name\n\nx = (\nname\n", "could not be parsed"),
        ("def f():\n    class name: pass\n    def g(x: 'name'): pass\n    name\n", "no scope tells"),
        ("def f():\n    name = 1\n    return ｎａｍｅ\n", "no scope tells"),
    ],
)
def test_what_a_scope_can_not_prove_is_asked_about_or_refused_with_why(text: str, why: str) -> None:
    draft = drafted("python", text, 1)
    assert draft is not None
    assert draft.status == ("refused" if why == "uses fresh already" else "needs_decision")
    assert any(why in reason for reason in draft.reasons)


def test_an_error_elsewhere_in_the_file_keeps_nothing_from_passing() -> None:
    draft = drafted("python", "def f():\n    name = 1\n    return name\n\nx = = 1\n", 1)
    assert draft is not None
    assert draft.status == "ok_syntactic"
    within = drafted("javascript", "{{{ ( [ ; ;; ) function f() { let name = 1; return name } ) )", 1)
    assert within is not None
    assert within.reasons == ("a.jsx:1 could not be parsed whole",)


def test_what_is_told_of_a_scope_is_all_that_it_rests_on() -> None:
    text = "def f():\n    name = 1  # the name\n    return 'name', name\n\n# name\n"
    draft = drafted("python", text, 1)
    assert draft is not None
    assert list(draft.hashes) == ["a.py"]
    assert [(each.line, each.where) for each in draft.mentions] == [(2, "comment"), (3, "string")]
    assert draft.target.kind == "local"


NAMES = ("a", "b", "c")
_NAME = st.sampled_from(NAMES)
_VALUE = st.recursive(
    st.one_of(st.integers(0, 9).map(str), _NAME),
    lambda inner: st.one_of(
        st.tuples(inner, inner).map("({0[0]} + {0[1]})".format),
        st.tuples(inner, _NAME, inner).map("sum([{0[0]} for {0[1]} in (1, {0[2]})])".format),
        st.tuples(_NAME, inner, inner).map("(lambda q, {0[0]}={0[1]}: q + {0[2]})(1)".format),
        st.tuples(_NAME, inner).map("keyed({0[0]}={0[1]})".format),
        inner.map("int(f'{{{}}}')".format),
    ),
    max_leaves=4,
)


def _indented(lines: list[str]) -> list[str]:
    return [f"    {line}" for line in lines]


_PLAIN = st.one_of(
    st.tuples(_NAME, _VALUE).map(lambda t: [f"{t[0]} = {t[1]}"]),
    st.tuples(_NAME, _VALUE).map(lambda t: [f"{t[0]} += {t[1]}"]),
    _VALUE.map(lambda value: [f"seen.append({value})"]),
    st.tuples(_NAME, _VALUE).map(lambda t: [f"seen.append(({t[0]} := {t[1]}))"]),
    st.tuples(_NAME, _VALUE).map(lambda t: [f"box.{t[0]} = {t[1]}", f"seen.append(box.{t[0]})"]),
    _NAME.map(lambda name: [f"global {name}_", f"{name}_ = 1"]),
)
_BLOCK = st.recursive(
    _PLAIN,
    lambda inner: st.one_of(
        st.tuples(_NAME, inner).map(lambda t: [f"for {t[0]} in (1, 2):", *_indented(t[1])]),
        inner.map(lambda body: ["if seen:", *_indented(body)]),
        st.tuples(_NAME, inner).map(lambda t: ["def inner():", *_indented([*t[1], f"seen.append({t[0]})"]), "inner()"]),
        st.tuples(_NAME, inner).map(
            lambda t: ["def inner():", *_indented([f"nonlocal {t[0]}", f"{t[0]} = 7", *t[1]]), "inner()"]
        ),
        st.tuples(_NAME, inner).map(
            lambda t: ["class Inner:", *_indented([f"{t[0]} = 5", "def m(self):", *_indented(t[1])]), "Inner().m()"]
        ),
        st.tuples(inner, inner).map(lambda t: [*t[0], *t[1]]),
    ),
    max_leaves=5,
)


def _result(text: str) -> object:
    """What a program does: all that it has seen, or the kind of its failure."""

    class Box:
        pass

    seen: list[object] = []
    world = {"seen": seen, "box": Box(), "keyed": lambda **named: sum(named.values()), "a": 100, "b": 200, "c": 300}
    try:
        exec(compile(text, "generated", "exec"), world)
    except SyntaxError:
        return None
    except Exception as error:  # noqa: BLE001 - what a generated program raises is a result like any other
        return seen, type(error).__name__
    return seen


@pytest.mark.slow
@pytest.mark.requirement("EDIT.1")
@settings(suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much], max_examples=300)
@given(st.lists(_BLOCK, min_size=1, max_size=4).map(lambda blocks: [line for block in blocks for line in block]))
def test_a_generated_program_does_the_same_after_every_rename_that_goes_through(lines: list[str]) -> None:
    body = "".join(f"    {line}\n" for line in [*(f"{name} = {number}" for number, name in enumerate(NAMES)), *lines])
    text = f"def f():\n{body}    seen.append((a, b, c))\nf()\nseen.append((a, b, c))\n"
    before = _result(text)
    if before is None:
        return
    data = text.encode()
    for name in NAMES:
        done: set[str] = set()
        for word in words_in(source("a.py", "python", data), name):
            draft = local_draft(source("a.py", "python", data), (word.line, word.column), name, "fresh")
            if draft is None or draft.status == "refused" or draft.target.symbol in done:
                continue
            done.add(draft.target.symbol)
            after = rewritten(data, draft.spots, "fresh").decode()
            assert _result(after) == before, after
