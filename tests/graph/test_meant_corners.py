"""Small programs of known meaning, each about one corner in which an answer was wrong: marks are those of `meant`."""

from pathlib import Path

import pytest

from cairn.graph.references import find_uses
from cairn.graph.symbols import Definition
from tests.graph.meant import Program
from tests.graph.test_meant import faults_of
from tests.graph.worlds import places, resolver_of, uses

_B = "pub struct B;\nimpl B { pub fn ⟨D1⟩NAME(&self) -> u8 { 1 } }\n"
_RC = "use std::rc::Rc;\npub struct B;\nimpl Clone for B { fn ⟨D1⟩NAME(&self) -> B { B } }\n"
_A = "class A { ⟨D1⟩NAME() {} }\n"

WRAPPERS = [
    ("map", {"src/lib.rs": _B + "fn f(o: Option<B>, r: Result<B, u8>) { o.⟨X⟩NAME(); r.⟨X⟩NAME(); }\n"}),
    ("map", {"src/lib.rs": _B + "fn f(o: &Option<B>) { o.as_ref().⟨X⟩NAME(); }\nfn g(b: &B) { b.⟨C1⟩NAME(); }\n"}),
    (
        "clone",
        {"src/lib.rs": _RC + "fn f(a: Rc<B>, b: &Rc<B>, c: Option<B>) { a.⟨X⟩NAME(); b.⟨X⟩NAME(); c.⟨X⟩NAME(); }\n"},
    ),
    ("go", {"src/lib.rs": _B + "fn f(a: std::rc::Rc<B>, o: Option<B>) { a.⟨C1⟩NAME(); o.unwrap().⟨C1⟩NAME(); }\n"}),
    (
        "reset",
        {
            "a.cpp": "#include <memory>\nstruct B { void ⟨D1⟩NAME() {} };\n"
            "void f(std::unique_ptr<B> p, const std::shared_ptr<B>& q, B* b) {\n"
            "  p.⟨X⟩NAME();\n  q.⟨X⟩NAME();\n  p->⟨C1⟩NAME();\n  b->⟨C1⟩NAME();\n}\n"
        },
    ),
    ("catch", {"a.ts": _A + "function f(x: Promise<A>) { x.⟨X⟩NAME(() => 1); }\n"}),
    ("catch", {"a.ts": _A + "async function mk() { return new A(); }\nfunction f() { mk().⟨X⟩NAME(() => 1); }\n"}),
    (
        "close",
        {"a.py": "class B:\n    def ⟨D1⟩NAME(self): ...\n\n\nasync def af():\n    return B()\n\n\naf().⟨X⟩NAME()\n"},
    ),
    (
        "close",
        {
            "a.py": "class B:\n    def ⟨D1⟩NAME(self): ...\n\n\nasync def af() -> B:\n    return B()\n\n\n"
            "async def f():\n    x = await af()\n    x.⟨C1⟩NAME()\n    y = af()\n    y.⟨X⟩NAME()\n"
        },
    ),
]

_KEPT = (
    "class A:\n    def ⟨D1⟩NAME(self): ...\n\n"
    "    @classmethod\n    def make(cls):\n        x = cls()\n        return x\n\n"
    "    def me(self):\n        x = self\n        return x\n\n    def chain(self):\n        return self.me()\n\n"
    "    def fresh(self):\n        x = A()\n        return x\n\n\nclass B(A):\n    def ⟨D2⟩NAME(self): ...\n\n\n"
)
_PHP = (
    "<?php\nclass A {\n  function ⟨D1⟩NAME() {}\n  static function mk() { return new self(); }\n"
    "  static function said(): self { return new self(); }\n  static function own() { return new static(); }\n}\n"
    "class B extends A {\n  function ⟨D2⟩NAME() {}\n}\n"
)
SELVES = [
    ("run", {"k.py": _KEPT + "B.make().⟨C2⟩NAME()\nB().me().⟨C2⟩NAME()\nB().chain().⟨C2⟩NAME()\n"}),
    ("run", {"k.py": _KEPT + "B().fresh().⟨C1⟩NAME()\nA().me().⟨C1~2⟩NAME()\n"}),
    ("go", {"a.php": _PHP + "B::mk()->⟨C1⟩NAME();\nB::said()->⟨C1~2⟩NAME();\nB::own()->⟨C2⟩NAME();\n"}),
]


@pytest.mark.requirement("REF.20")
@pytest.mark.parametrize(("name", "files"), WRAPPERS)
def test_what_a_wrapper_has_itself_is_not_proven_to_be_of_what_it_holds(
    folder: Path, name: str, files: dict[str, str]
) -> None:
    assert _faults(folder, name, files) == []


@pytest.mark.requirement("REF.20")
@pytest.mark.parametrize(("name", "files"), SELVES)
def test_what_a_member_gives_of_itself_is_of_the_type_that_was_asked(
    folder: Path, name: str, files: dict[str, str]
) -> None:
    assert _faults(folder, name, files) == []


@pytest.mark.requirement("REF.20")
def test_each_of_the_rest_is_one_of_the_list_that_is_written(folder: Path) -> None:
    text = _A + "function f(...x: A[]) { x[0].⟨C1⟩NAME(); }\n"
    assert _faults(folder, "go", {"a.ts": text}) == []


@pytest.mark.requirement("REF.20")
@pytest.mark.parametrize("asks", ['require("./m")', 'await import("./m")'])
def test_what_a_function_takes_out_of_a_module_is_the_module_s(folder: Path, asks: str) -> None:
    files = {
        "m.js": "function ⟨D1⟩NAME() {}\nmodule.exports = { ⟨U1⟩NAME };\n",
        "c.js": f"async function f() {{\n  const {{ ⟨U1⟩NAME }} = {asks};\n  ⟨C1⟩NAME();\n}}\n"
        "function g(⟨X⟩NAME) {\n  ⟨X⟩NAME();\n}\n",
    }
    assert _faults(folder, "vamp", files) == []
    with resolver_of(folder, {}) as resolver:
        assert [each for each in places(uses(resolver, "vamp")) if "call" in each] == ["c.js:3:2 proven call"]


@pytest.mark.requirement("REF.20")
@pytest.mark.parametrize(
    ("path", "text", "line"),
    [
        (
            "T.java",
            "abstract class A { abstract void go(); }\nclass All {\n  static final A L = new A() {\n"
            "    void go() {}\n  };\n  void use(A a) { a.go(); }\n}\n",
            4,
        ),
        (
            "S.java",
            "enum S {\n  ONE {\n    void go() {}\n  };\n  abstract void go();\n}\n"
            "class U { void u(S s) { s.go(); } }\n",
            3,
        ),
        (
            "t.ts",
            "abstract class A { abstract go(): void; }\nconst l = new (class extends A { go() {} })();\n"
            "function f(a: A) { a.go(); }\n",
            2,
        ),
    ],
)
def test_a_member_of_a_class_without_a_name_may_be_meant_by_its_base(
    folder: Path, path: str, text: str, line: int
) -> None:
    with resolver_of(folder, {path: text}) as resolver:
        scope = resolver.world.scope(path)
        (own,) = [Definition(path, each) for each in scope.symbols if each.name == "go" and each.name_line == line]
        found = find_uses(resolver, [own])
        assert [each.tier for each in found.items if each.role == "call"] == ["name"]


@pytest.mark.requirement("REF.20")
def test_what_is_derived_is_no_type_of_the_file(folder: Path) -> None:
    text = "pub struct ⟨D1⟩NAME;\n#[derive(Clone, ⟨X⟩NAME)]\nstruct A { d: ⟨U1⟩NAME }\n"
    assert _faults(folder, "Debug", {"src/lib.rs": text}) == []
    with resolver_of(folder, {}) as resolver:
        assert places(uses(resolver, "Debug")) == ["src/lib.rs:3:14 proven type"]


def _faults(folder: Path, name: str, files: dict[str, str]) -> list[str]:
    made = Program(name)
    for path, marked in files.items():
        made.add(path, marked)
    with resolver_of(folder, made.files) as resolver:
        return faults_of(resolver, made)
