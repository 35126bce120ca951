"""A scope that seems to prove a name and does not: nothing goes through that changes what a program does."""

import contextlib
import io
import json
import keyword
import re
import shutil
import subprocess
from collections.abc import Iterator

import pytest

from cairn.edit.gate.local import local_draft
from cairn.edit.source.texts import rewritten
from cairn.edit.source.words import words_in
from tests.edit.tricky import PYTHON, SCRIPT
from tests.named import source

pytestmark = pytest.mark.requirement("EDIT.1")
_WORD = re.compile(rb"[A-Za-z_$][\w$]*")
_RUN = """
const vm = require('vm');
const told = JSON.parse(require('fs').readFileSync(0, 'utf8')).map(text => {
  const lines = [];
  const console = { log: (...all) => lines.push(JSON.stringify(all)) };
  try { vm.runInNewContext(text, { console }); } catch (error) { lines.push(String(error.name)); }
  return lines.join();
});
process.stdout.write(JSON.stringify(told));
"""


def renames(path: str, language: str, text: str) -> Iterator[tuple[str, str]]:
    """(name, the program after the rename) for each rename of a program that goes through."""
    data, done = text.encode(), set()
    for match in _WORD.finditer(data):
        name = match[0].decode()
        at = data.count(b"\n", 0, match.start()) + 1, match.start() - data.rfind(b"\n", 0, match.start()) - 1
        draft = None if keyword.iskeyword(name) else local_draft(source(path, language, data), at, name, "fresh")
        if draft is not None and draft.status == "ok_syntactic" and draft.target.symbol + name not in done:
            done.add(draft.target.symbol + name)
            yield name, rewritten(data, draft.spots, "fresh").decode()


def ran(text: str) -> str:
    """What a Python program prints, and how it fails."""
    told = io.StringIO()
    with contextlib.redirect_stdout(told):
        try:
            exec(compile(text, "tricky", "exec"), {"__name__": "tricky"})
        except Exception as error:  # noqa: BLE001 - how a program fails is a result like any other
            print(type(error).__name__)
    return told.getvalue()


@pytest.mark.parametrize("text", PYTHON)
def test_a_tricky_python_program_does_the_same_after_every_rename_that_goes_through(text: str) -> None:
    before = ran(text)
    assert before
    for name, after in renames("a.py", "python", text):
        assert ran(after) == before, f"{name}:\n{after}"


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("node") is None, reason="there is no node to run JavaScript with")
def test_a_tricky_script_does_the_same_after_every_rename_that_goes_through() -> None:
    changed = [(text, name, after) for text in SCRIPT for name, after in renames("a.js", "javascript", text)]
    programs = [*SCRIPT, *(after for _, _, after in changed)]
    done = subprocess.run(
        ("node", "-e", _RUN), input=json.dumps(programs), capture_output=True, text=True, check=True, timeout=120
    )
    told = json.loads(done.stdout)
    before = dict(zip(SCRIPT, told, strict=False))
    for (text, name, after), now in zip(changed, told[len(SCRIPT) :], strict=True):
        assert now == before[text], f"{name}:\n{after}"


@pytest.mark.slow
def test_most_names_of_tricky_programs_go_through_all_the_same() -> None:
    assert sum(1 for text in PYTHON for _ in renames("a.py", "python", text)) >= 79
    assert sum(1 for text in SCRIPT for _ in renames("a.js", "javascript", text)) >= 60


PATHS = {"python": "a.py", "javascript": "a.js", "typescript": "a.ts", "tsx": "a.tsx", "go": "a.go", "java": "A.java"}


def reasons(language: str, text: str, nth: int = 1, name: str = "name") -> tuple[str, ...]:
    path, data = PATHS[language], text.encode()
    word = words_in(source(path, language, data), name)[nth - 1]
    draft = local_draft(source(path, language, data), (word.line, word.column), name, "fresh")
    assert draft is not None
    assert (draft.status == "needs_decision") == bool(draft.reasons)
    return draft.reasons


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "text", "nth", "why"),
    [
        (
            "python",
            "def f():\n    name = 1\n    class C:\n        nonlocal name\n        name = 2\n",
            1,
            "body of a class",
        ),
        ("python", "def f():\n    name = 1\n    return f'{name=}'\n", 1, "by its name"),
        ("python", "def f():\n    name = 1\n    return f'{name + 1 = !r}'\n", 1, "by its name"),
        ("python", "def f():\n    name = 1\n    return dir( )\n", 1, "dir() stands"),
        ("python", "def f():\n    name = 1\n    return '{name}'.format(**vars())\n", 1, "vars() stands"),
        (
            "python",
            "def f():\n    name = 1\n    return g()\ndef g(): return frame(1).f_locals\n",
            1,
            "looks into frames",
        ),
        ("python", "def f():\n    def name(): pass\n    return name.__name__\n", 1, "__name__"),
        ("python", "def f():\n    class name: pass\n    return type(name()).__qualname__\n", 1, "__name__"),
        ("javascript", "function f(a = () => name) { var name = 1; return a; }", 2, "in the parameters"),
        ("javascript", "function f(name, a = () => name) { var name = 1; return a; }", 1, "in the parameters"),
        ("javascript", "function f(o) { let name = 1; with (o) { return name; } }", 1, "with"),
        ("javascript", "function f() { { function name() {} } return name(); }", 1, "in a block"),
        ("javascript", "{ function name() {} }", 1, "in a block"),
        ("javascript", "function f() { { function name() {} } return fresh; }", 1, "is used already"),
        ("javascript", "function f() { try {} catch (name) { var name = 2; } }", 1, "in several ways"),
        ("javascript", "function f() { try {} catch (name) { var name = 2; } }", 2, "in several ways"),
        ("javascript", "function f() { var name = 1; function name() {} }", 1, "in several ways"),
        ("javascript", "function f(name) { function name() {} return name; }", 1, "in several ways"),
        ("javascript", "function f() { for (var name of []) {} { function name() {} } }", 1, "in several ways"),
        ("javascript", "function f() { class name {} return new name().constructor.name; }", 1, "for its name"),
        ("javascript", "const f = function name() {}; f.name;", 1, "for its name"),
        ("javascript", "function f() { let name = 1; return eval('name'); }", 1, "eval stands"),
        ("tsx", "function f() { const name = 1; return <name>{name}</name>; }", 1, "element of a page"),
        ("typescript", "function f() { const name = 5; enum E { name = 1, B = name } }", 1, "member of the enum"),
        ("typescript", "function f() { type name = 1; { const name = 1; let y: name = name; } }", 1, "a type in one"),
        ("typescript", "function f() { const name = 1; { type name = 1; return name; } }", 1, "a type in one"),
        ("go", "package a\nfunc f(name error) {\n\tx, name := g()\n\t_ = x\n}\n", 1, "declared again"),
        ("go", "package a\nfunc f() (name error) {\n\tx, name := g()\n\t_ = x\n\treturn\n}\n", 2, "declared again"),
        ("go", "package a\nfunc f() {\n\tname := 1\n\t_ = map[int]int{name: 2}\n}\n", 1, "key of a literal"),
        ("go", "package a\nfunc f() {\n\tname := 1\n\t_ = T{name: name}\n}\n", 1, "key of a literal"),
        ("java", "class A { void f() { int name = 0; name: for (;;) { break name; } } }", 1, "label"),
        ("java", "class A { void f() { int name = 0; new B() { void g() { h(name); } }; } }", 1, "inherit"),
        ("java", "class A { void f(Object o) { if (!(o instanceof B name)) return; g(name); } }", 1, "pattern"),
        ("java", "class A { void f(Object o) { if (o instanceof B name) { g(name); } h(name); } }", 1, "pattern"),
    ],
)
def test_a_corner_of_a_language_is_told_as_one(language: str, text: str, nth: int, why: str) -> None:
    assert any(why in reason for reason in reasons(language, text, nth))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("python", "def f():\n    name = 1\n    return f'{name}', dir(name), vars(name), df.eval('x')\n"),
        ("python", "def f():\n    name = 1\n    return type(name).__name__\n"),
        ("javascript", "function f(a = 1) { var name = a; { let name = 2; g(name); } return name; }"),
        ("javascript", "function f() { function name() {} return name(); }"),
        ("javascript", "function f() { { function name() {} name(); } }"),
        ("javascript", "function f() { let name = 1; return o.name + name; }"),
        ("typescript", "function f() { class name {} let y: name = new name(); }"),
        ("typescript", "function f() { const name = 1; enum E { B = name } }"),
        ("go", "package a\nfunc f() {\n\tname, err := g()\n\tb, name := h()\n\t_, _ = b, err\n}\n"),
        ("java", "class A { void f(Object o) { if (o instanceof B name && name.ok()) { g(name); } } }"),
        ("java", "class A { int f(Object o) { return switch (o) { case B name -> name.x(); default -> 0; }; } }"),
    ],
)
def test_what_only_looks_like_one_is_none(language: str, text: str) -> None:
    assert reasons(language, text) == ()
