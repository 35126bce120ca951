"""What keeps names from having one meaning."""

import random

import pytest

from cairn.semantic.ambiguity import (
    CONDITIONAL_DEFINITION,
    DYNAMIC_IMPORT,
    MONKEY_PATCH,
    MULTIPLE_DEFINITIONS,
    STAR_IMPORT,
    UNRESOLVED_RECEIVER,
    Flag,
    flags_in,
    kinds,
    unresolved,
)
from cairn.store import OccurrenceRow


def python(text: str) -> list[str]:
    return told(flags_in("a.py", "python", text.encode()))


def script(text: str, language: str = "typescript") -> list[str]:
    return told(flags_in("a.ts", language, text.encode()))


def told(flags: tuple[Flag, ...] | None) -> list[str]:
    assert flags is not None
    return [f"{flag.line} {flag.kind} {flag.what}" for flag in flags]


PYTHON = [
    ("from a.b import *\n", ["1 star_import a.b"]),
    ("from .x import *\nimport os\n", ["1 star_import .x"]),
    ("import importlib\n\nm = importlib.import_module(name)\n", ["3 dynamic_import importlib.import_module"]),
    ("def f(x):\n    return __import__(x)\n", ["2 dynamic_import __import__"]),
    ("import m\n\nm.run = None\n", ["3 monkey_patch m.run"]),
    ("import m.n as q\n\nq.C.run, x = None, 1\n", ["3 monkey_patch q.C.run"]),
    ("class C:\n    pass\n\nC.run = print\n", ["4 monkey_patch C.run"]),
    ("from m import C\n\nsetattr(C, 'run', print)\n", ["3 monkey_patch C"]),
    (
        "if X:\n    def f(): pass\nelse:\n    def f(): pass\n",
        ["2 conditional_definition f", "4 conditional_definition f"],
    ),
    ("try:\n    import a as j\nexcept ImportError:\n    import b as j\n", ["4 conditional_definition j"]),
    ("class C:\n    if X:\n        def f(self): pass\n", ["3 conditional_definition f"]),
    ("def f(): pass\ndef f(): pass\n", ["2 multiple_definitions f"]),
    ("class C:\n    def f(self): pass\n    @cached\n    def f(self): pass\n", ["4 multiple_definitions f"]),
    ("getattr(a, name)(1)\n", ["1 unresolved_receiver getattr(a, name)"]),
]


@pytest.mark.requirement("STATE.1")
@pytest.mark.parametrize(("text", "expected"), PYTHON)
def test_python_that_may_mean_several_things(text: str, expected: list[str]) -> None:
    assert python(text) == expected


@pytest.mark.parametrize(
    "text",
    [
        "import a\nfrom b import c\n\nx = c.d\na.f()\nself.x = 1\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    class C: pass\n",
        "if __name__ == '__main__':\n    def main(): pass\n",
        "class C:\n    @property\n    def x(self): ...\n    @x.setter\n    def x(self, v): ...\n",
        "from typing import overload\n@overload\ndef f(a: int): ...\n@overload\ndef f(a: str): ...\ndef f(a): ...\n",
        "def f():\n    def g(): pass\n\ndef h():\n    def g(): pass\n",
        "class A:\n    def f(self): pass\n\nclass B:\n    def f(self): pass\n",
        "def f(c):\n    c.x = 1\n    if c:\n        def g(): pass\n",
        "try:\n    import fast\nexcept ImportError:\n    fast = None\n",
        "if TYPE_CHECKING:\n    def f(): ...\nelse:\n    class f: ...\n",
        "class C:\n    @property\n    def x(self): ...\n    @x.setter  # why\n    def x(self, v): ...\n",
        "getattr(a, 'run')(1)\n",
        "import os\n\nos.environ['A'] = 'b'\n",
    ],
)
def test_python_that_means_one_thing(text: str) -> None:
    assert python(text) == []


SCRIPT = [
    ("export * from './a';\n", ["1 star_import ./a"]),
    ("const m = await import(`./${name}`);\n", ["1 dynamic_import `./${name}`"]),
    ("const m = require(name);\n", ["1 dynamic_import name"]),
    ("import * as m from 'm';\nm.run = 1;\n", ["2 monkey_patch m.run"]),
    ("import { C as D } from 'm';\nD.prototype.run = f;\n", ["2 monkey_patch D.prototype.run"]),
    ("Array.prototype.last = f;\n", ["1 monkey_patch Array.prototype.last"]),
    ("Object.defineProperty(String.prototype, 'x', {});\n", ["1 monkey_patch String.prototype"]),
    ("const m = require('m');\nm.run = 1;\n", ["2 monkey_patch m.run"]),
    ("if (x) { function f() {} }\n", ["1 conditional_definition f"]),
    ("function f() {}\nfunction f() {}\n", ["2 multiple_definitions f"]),
    ("class A {\n f() {}\n f() {}\n}\n", ["3 multiple_definitions f"]),
    ("o[k](1);\n", ["1 unresolved_receiver o[k]"]),
]


@pytest.mark.requirement("STATE.1")
@pytest.mark.parametrize(("text", "expected"), SCRIPT)
@pytest.mark.parametrize("language", ["javascript", "typescript", "tsx"])
def test_scripts_that_may_mean_several_things(text: str, expected: list[str], language: str) -> None:
    assert script(text, language) == expected


@pytest.mark.parametrize(
    "text",
    [
        "import('./a'); require('b'); import * as n from 'n'; export * as m from 'm';\n",
        "function f(a: string): void;\nfunction f(a: number): void;\nfunction f(a: any) {}\n",
        "class A { static f() {} f() {} get x() { return 1 } set x(v) {} }\n",
        "function Old() {}\nOld.prototype.run = function () {};\n",
        "interface I { a: number }\ninterface I { b: number }\nclass I {}\n",
        "module.exports.a = 1;\nexports.b = 2;\nthis.c = 3;\nlet o = {};\no.x = 1;\no['x'](1);\n",
        "function f() { if (x) { function g() {} } }\n",
    ],
)
def test_scripts_that_mean_one_thing(text: str) -> None:
    assert script(text) == []


def test_calls_that_an_index_has_not_resolved_are_told() -> None:
    calls = [
        OccurrenceRow("syntactic", "run", "call", 3, "", "a"),
        OccurrenceRow("syntactic", "run", "call", 5, "", "b"),
        OccurrenceRow("syntactic", "free", "call", 6, "", ""),
        OccurrenceRow("syntactic", "seen", "read", 7, "", "c"),
    ]
    assert unresolved(calls, {(3, "run")}) == (Flag(5, UNRESOLVED_RECEIVER, "b.run"),)


def test_kinds_are_told_once_and_other_languages_not_at_all() -> None:
    flags = flags_in("a.py", "python", b"from a import *\nfrom b import *\nfrom c import d\nd.x = 1\n")
    assert flags is not None
    assert kinds(flags) == (MONKEY_PATCH, STAR_IMPORT)
    assert flags_in("a.go", "go", b"package a\n") is None
    assert {CONDITIONAL_DEFINITION, DYNAMIC_IMPORT, MULTIPLE_DEFINITIONS} & set(kinds(flags)) == set()


@pytest.mark.parametrize("text", [b"", b"def (", b"class \xff:", b"(" * 2000, b"from import *\nx.=1\nsetattr()\n"])
@pytest.mark.parametrize("language", ["python", "javascript", "typescript"])
def test_broken_text_is_borne(text: bytes, language: str) -> None:
    assert flags_in("a", language, text) is not None


WORDS = (
    "class def function if else try except catch import from * as . ( ) [ ] { } : ; , = \n a b 'x' getattr setattr "
    "__import__ @overload require prototype export default get set static `a${ ` Object.assign switch case abstract"
).split(" ")


@pytest.mark.parametrize("language", ["python", "javascript", "typescript", "tsx"])
def test_any_row_of_words_is_borne(language: str) -> None:
    chance = random.Random(language)
    for _ in range(500):
        words = " ".join(chance.choice(WORDS) for _ in range(chance.randint(1, 25)))
        assert flags_in("a", language, words.encode()) is not None
