"""The local slice: how the value of one name flows inside one function."""

import pytest

from cairn.languages.files import language_of
from cairn.syntax.slices import Slice, local_slice
from tests.named import source

PYTHON = """x = 0
def f(x, n):
    if n:
        x = 1
    elif n > 2:
        x = x + 2
    else:
        print(x)
    print(x)
    for i in n:
        print(x)
        x += 1
        if i:
            x = 3
    x = 5
    try:
        x = 6
    except E:
        x()
    def inner(y):
        x = y
        return x
    return [x.x(x=x) for _ in n], lambda: x
"""
GO = """package p
func (s S) f(n int) int {
	x := 1
	if n > 0 {
		x = x + 2
	} else if n < 0 {
		x := 9
		use(x)
	}
	for i := 0; i < n; i++ {
		x += i
	}
	g := func() { x++ }
	g()
	return x
}
"""
TYPESCRIPT = """class A {
  m(n: number, {x: z}: P) {
    let x = 1;
    switch (n) {
      case 1: x = 2; break;
      default: x = 3; use(x);
    }
    while (n) {
      use(x);
      x = 4;
    }
    for (const x of xs) { use(x); }
    return xs.map((y) => x + y);
  }
}
"""


def steps(path: str, text: str, line: int, name: str) -> list[tuple[int, str, tuple[int, ...]]]:
    found = sliced(path, text, line, name)
    return [(step.line, step.kind, step.from_) for step in found.steps]


def asked(path: str, text: str, line: int, name: str) -> Slice | None:
    file = source(path, language_of(path), text.encode())
    found = file.found(name)
    return local_slice(found, file.data, line) if found is not None else None


def sliced(path: str, text: str, line: int, name: str) -> Slice:
    found = asked(path, text, line, name)
    assert found is not None
    return found


@pytest.mark.requirement("MOD.4")
def test_python() -> None:
    assert steps("a.py", PYTHON, 9, "x") == [
        (2, "parameter", ()),
        (4, "write", ()),
        (6, "write", ()),
        (6, "read", (2,)),
        (8, "read", (2,)),
        (9, "read", (2, 4, 6)),
        (11, "read", (2, 4, 6, 12, 14)),
        (12, "write", (2, 4, 6, 12, 14)),
        (14, "write", ()),
        (15, "write", ()),
        (17, "write", ()),
        (19, "call", (15, 17)),
        (23, "read", (15, 17)),
        (23, "read", (15, 17)),
        (23, "capture", (2, 4, 6, 12, 14, 15, 17)),
    ]
    found = sliced("a.py", PYTHON, 9, "x")
    assert (found.function, found.start_line, found.end_line, found.parameters) == ("f", 2, 23, True)
    assert found.steps[1].text == "x = 1"


@pytest.mark.requirement("MOD.4")
def test_an_inner_function_with_a_variable_of_its_own() -> None:
    assert steps("a.py", PYTHON, 22, "x") == [(21, "definition", ()), (22, "read", (21,))]
    assert sliced("a.py", PYTHON, 22, "x").function == "f.inner"


@pytest.mark.requirement("MOD.4")
def test_go() -> None:
    assert steps("a.go", GO, 4, "x") == [
        (3, "definition", ()),
        (5, "write", ()),
        (5, "read", (3,)),
        (7, "definition", ()),
        (8, "read", (7,)),
        (11, "write", (3, 5, 11)),
        (13, "write", (3, 5, 11, 13)),
        (15, "read", (3, 5, 11, 13)),
    ]
    assert sliced("a.go", GO, 4, "x").function == "S.f"
    assert sliced("a.go", GO, 4, "n").parameters


@pytest.mark.requirement("MOD.4")
def test_typescript() -> None:
    assert steps("a.ts", TYPESCRIPT, 9, "x") == [
        (3, "definition", ()),
        (5, "write", ()),
        (6, "write", ()),
        (6, "read", (6,)),
        (9, "read", (3, 5, 6, 10)),
        (10, "write", ()),
        (12, "definition", ()),
        (12, "read", (12,)),
        (13, "capture", (3, 5, 6, 10)),
    ]
    assert sliced("a.ts", TYPESCRIPT, 9, "x").function == "A.m"
    assert sliced("a.ts", TYPESCRIPT, 3, "z").steps[0].kind == "parameter"


@pytest.mark.requirement("MOD.4")
def test_a_loop_that_writes_anew_hides_what_came_before() -> None:
    text = "def f(xs):\n  x = 0\n  for x in xs:\n    use(x)\n  while xs:\n    x = 1\n    use(x)\n  return x\n"
    assert steps("a.py", text, 2, "x") == [
        (2, "definition", ()),
        (3, "write", ()),
        (4, "read", (3,)),
        (6, "write", ()),
        (7, "read", (6,)),
        (8, "read", (3, 6)),
    ]


@pytest.mark.requirement("MOD.4")
@pytest.mark.parametrize(
    ("path", "text", "line", "name"),
    [
        ("a.py", "x = 1\nprint(x)\n", 1, "x"),
        ("a.py", PYTHON, 1, "x"),
        ("a.py", PYTHON, 9, "absent"),
        ("a.py", PYTHON, 900, "x"),
        ("a.py", PYTHON, 0, "n"),
        ("a.py", "def f():\n  return a.x + g(x=1)\n", 2, "x"),
        ("a.txt", "x", 1, "x"),
    ],
)
def test_there_is_none(path: str, text: str, line: int, name: str) -> None:
    assert asked(path, text, line, name) is None


@pytest.mark.requirement("MOD.4")
def test_a_name_from_outside_is_sliced_by_what_the_function_holds() -> None:
    assert steps("a.py", "x = 1\ndef f():\n  return x\n", 3, "x") == [(3, "read", ())]


@pytest.mark.requirement("MOD.4")
def test_a_text_is_cut() -> None:
    text = "def f(x):\n    return [" + "x, " * 300 + "]\n"
    assert {len(step.text) for step in sliced("a.py", text, 2, "x").steps[1:]} == {200}
