# ruff: noqa: E501
"""What nothing uses, and everything that spares a definition."""

from pathlib import Path

import pytest

from cairn.graph.unused import find_unused
from tests.graph.worlds import resolver_of


def found(folder: Path, files: dict[str, str]) -> dict[str, bool]:
    """Names of what is unused, and whether others may use it."""
    with resolver_of(folder, files) as resolver:
        return {item.name: item.exported for item in find_unused(resolver)}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {
                "m.py": "def _dead(a):\n    return _dead(a - 1)\n\n\ndef _live():\n    pass\n\n\ndef offered():\n    pass\n\n\n"
                "_TABLE = [_live]\n_dead_value = 1\n\n\nclass _Kept:\n    def _gone(self):\n        pass\n",
                "u.py": "from m import _Kept\n\nprint(_Kept(), __import__('m')._TABLE)\n",
            },
            {"_dead": False, "_dead_value": False, "_Kept._gone": False, "offered": True},
            id="python",
        ),
        pytest.param(
            {
                "m.ts": "function dead() {}\nfunction live() {}\nexport function offered() { live(); }\n"
                "export function used() {}\n",
                "u.ts": "import { used } from './m';\nused();\n",
            },
            {"dead": False, "offered": True},
            id="typescript",
        ),
        pytest.param(
            {
                "go.mod": "module x\n",
                "m.go": "package x\n\nfunc dead() {}\n\nfunc live() {}\n\nfunc Offered() { live() }\n\ntype box struct{}\n\n"
                "func (b box) MarshalJSON() {}\n\nvar _ = box{}\n",
            },
            {"dead": False, "Offered": True},
            id="go",
        ),
        pytest.param(
            {
                "m.c": "static int dead(void) { return 1; }\nstatic int live(void) { return 1; }\n"
                "static int pasted(int x) { return x; }\n#define CALL(x) pasted(x)\nint offered(void) { return live(); }\n",
            },
            {"dead": False, "offered": True},
            id="c",
        ),
        pytest.param(
            {
                "src/lib.rs": "use std::fmt;\nfn dead() {}\nfn live() {}\npub fn offered() { live() }\npub struct A;\n"
                "impl fmt::Display for A {\n    fn fmt(&self, f: &mut fmt::Formatter) -> fmt::Result { Ok(()) }\n}\n"
                "impl A {\n    fn gone(&self) {}\n}\n",
            },
            {"dead": False, "offered": True, "A.gone": False},
            id="rust",
        ),
        pytest.param(
            {
                "src/A.java": "class A {\n  private int dead() { return 1; }\n  private int live() { return 1; }\n"
                "  private A() {}\n  int use() { return live() + twice(1); }\n  private int twice(int a) { return twice(a, 2); }\n"
                "  private int twice(int a, int b) { return a * b; }\n"
                '  public String toString() { return new A().use() + ""; }\n  Runnable r = new Runnable() { public void run() {} };\n}\n',
            },
            {"A.dead": False},
            id="java",
        ),
    ],
)
def test_what_nothing_uses_is_told_with_whether_others_may(
    folder: Path, files: dict[str, str], expected: dict[str, bool]
) -> None:
    said = found(folder, files)
    assert {name: said[name] for name in said if name in expected or not said[name]} == expected


@pytest.mark.slow
@pytest.mark.parametrize(
    "files",
    [
        pytest.param({"m.py": "import web\n\n\n@web.route('/')\ndef _page():\n    pass\n"}, id="registered"),
        pytest.param({"m.py": "import abc_of_others\n\n\nclass _A(abc_of_others.Base):\n    def _hook(self):\n        pass\n\n\n"
                      "_A()\n"}, id="a base of others"),
        pytest.param({"m.py": "def _named():\n    pass\n", "u.py": "import m\n\ngetattr(m, '_named')()\n"}, id="string"),
        pytest.param({"m.py": "def _do_get():\n    pass\n", "u.py": "import m\n\ngetattr(m, f'_do_{m.x}')()\n"}, id="piece"),
        pytest.param({"m.py": "def _start():\n    pass\n", "setup.cfg": "[options]\nrun = m:_start\n"}, id="data"),
        pytest.param({"m.py": "def _tag():\n    pass\n", "page.html": "<p>{{ _tag }}</p>\n"}, id="template"),
        pytest.param({"tests/test_m.py": "def _helper():\n    pass\n"}, id="a test"),
        pytest.param({"m.py": "def _by_name(self):\n    pass\n", "u.py": "def f(x):\n    x._by_name()\n"}, id="by name"),
        pytest.param({"m.py": "def f():\n    def inner():\n        pass\n\n    return inner\n\n\nf()\n"}, id="local"),
        pytest.param({"m.py": "def __getattr__(name):\n    pass\n\n\ndef main():\n    pass\n"}, id="entry points"),
        pytest.param({"m.py": "class _Base:\n    def _step(self):\n        pass\n\n    def go(self):\n        self._step()\n\n\n"
                      "class _Sub(_Base):\n    def _step(self):\n        pass\n\n\n_Sub().go()\n"}, id="override"),
    ],
)  # fmt: skip
def test_whatever_may_reach_a_definition_spares_it(folder: Path, files: dict[str, str]) -> None:
    assert not [name for name, exported in found(folder, files).items() if not exported]


@pytest.mark.slow
def test_what_stands_in_something_unused_is_not_told_of_its_own(folder: Path) -> None:
    assert found(
        folder, {"m.py": "class _Dead:\n    def _a(self):\n        pass\n\n    def _b(self):\n        pass\n"}
    ) == {"_Dead": False}


def test_a_piece_of_a_name_spares_it_and_a_word_that_gives_it_to_nobody_does_not(folder: Path) -> None:
    files = {
        "m.py": "def _read_later(): ...\ndef _run_now(): ...\ndef ask(x):\n    return x[f'{x}_later'], x['run' + '_now']\n\n\n"
        "class _Box:\n    @staticmethod\n    def _gone(): ...\n    @lib.register\n    def _kept(): ...\n\n\nask(_Box)\n"
    }
    assert found(folder, files) == {"_Box._gone": False}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("files", "expected"),
    [
        pytest.param(
            {
                "a.h": "int offered(int a);\n#define _XOPEN_SOURCE 600\n",
                "a.c": '#include "a.h"\nint offered(int a) { return a; }\nstatic const char KEPT_USED stack[] = "1";\n',
            },
            {"offered": True},
            id="c",
        ),
        pytest.param(
            {
                "a.rb": "class A\n  def ==(other)\n  end\n\n  def set=(a)\n  end\n\n  def read\n  end\n\n  def named?\n  end\n\n"
                "  def odd?\n  end\nend\n",
                "b.rb": "delegate :named?\nA.new\n",
            },
            {"A.odd?": True},
            id="ruby",
        ),
        pytest.param(
            {
                "a.py": "class A:\n    def readline(self):\n        pass\n\n    def other(self):\n        pass\n\n\nprint(A())\n",
            },
            {"A.other": True},
            id="python",
        ),
        pytest.param(
            {
                "a.swift": "struct A {\n  func own() {}\n}\nextension A: Encoder {\n  func kept() {}\n}\nlet a = A()\nprint(a)\n",
            },
            {"A.own": True},
            id="swift",
        ),
    ],
)
def test_what_a_library_or_a_system_reaches_by_name_is_spared_and_a_thing_is_told_once(
    folder: Path, files: dict[str, str], expected: dict[str, bool]
) -> None:
    with resolver_of(folder, files) as resolver:
        told = [(item.name, item.exported) for item in find_unused(resolver)]
        assert sorted(told) == sorted(expected.items())
