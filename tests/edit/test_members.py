"""Renames of members: what a program says of a value proves whose member is asked, or keeps the question."""

from pathlib import Path

import pytest

from cairn.edit.source.values import APPLICABLE, NEEDS_DECISION, OK_SYNTACTIC
from tests.edit.samples import Rename
from tests.edit.test_python import drafted, laid_out, ran

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]

PASSES = {
    "a library's value that is listed": """
from threading import local
held = local()
class A:
    §size = 1
held.__dict__["size"] = 2
print(held.size, A.size)
""",
    "what a library's parser made of arguments": """
import optparse
class A:
    §size = 1
def f(given):
    parser = optparse.OptionParser()
    parser.add_option("--size")
    found, rest = parser.parse_args(given)
    return vars(found)
print(f(["--size", "2"]), A.size)
""",
    "a value that is cast": """
import typing as t
class A:
    def §go(self): return 1
def f(it):
    a = t.cast(A, it)
    return a.go()
print(f(A()))
""",
    "parts of a tuple": """
class A:
    def §go(self): return 1
class B:
    def go(self): return 2
def both() -> tuple[A, B]: return A(), B()
def f():
    a, b = both()
    return a.go(), b.go()
print(f())
""",
    "clauses that catch errors under one name": """
class A(Exception):
    def §go(self): return 1
class B(Exception):
    def go(self): return 2
def f(what):
    try:
        raise what()
    except A as e:
        return e.go()
    except B as e:
        return e.go()
print(f(A), f(B))
""",
    "values of a table": """
class A:
    def §takes(self): return 1
class P:
    def __init__(self):
        self.by: dict[str, A] = {}
    def f(self, key):
        a = self.by[key]
        return a.takes()
p = P()
p.by["k"] = A()
print(p.f("k"))
""",
    "a method of a value whose own fields are listed": """
class A:
    def __init__(self): self.size = 1
    def §go(self): return sorted(self.__dict__)
kinds = [A]
print(len(kinds), A().go())
""",
    "names that all calls write as keywords": """
class A:
    §size = 1
def made(**given):
    a = A()
    for key, value in given.items():
        setattr(a, key, value)
    return a
print(made(width=2).width, A.size)
""",
}
ASKS = {
    "a method of a class that is listed": """
class A:
    def §go(self): return [each for each in type(self).__dict__ if each[0] != "_"]
print(A().go())
""",
    "names that a call writes as a keyword": """
class A:
    §size = 1
def made(**given):
    a = A()
    for key, value in given.items():
        setattr(a, key, value)
    return a
print(made(width=2).width, made(size=2).size)
""",
    "names that a function adds to its keywords": """
class A:
    §size = 1
def made(**given):
    a = A()
    given["si" + "ze"] = 3
    for key, value in given.items():
        setattr(a, key, value)
    return a
print(made(width=2).width, A.size)
""",
    "a library's value that stands for another": """
from argparse import Namespace
class A:
    §size = 1
def f(it: A): return it.size
a = Namespace(size=2)
a.size = 3
print(f(a))
""",
    "what a library's value holds": """
from queue import Queue
class A:
    def §go(self): return 1
def f():
    q = Queue()
    q.put(A())
    a = q.get()
    return a.go()
print(f())
""",
    "an attribute of a library's value": """
from threading import local
class A:
    def §go(self): return 1
held = local()
held.a = A()
print(held.a.go())
""",
    "an error that its clause gives another value": """
class A:
    def §go(self): return 1
class B(Exception):
    def go(self): return 2
def f():
    try:
        raise B
    except B as e:
        for i in range(2):
            if i: return e.go()
            e = A()
print(f())
""",
    "a key of a table that has a member of the name": """
class A:
    def §upper(self): return 1
class P:
    def __init__(self):
        self.by: dict[str, A] = {"k": A()}
    def f(self):
        for a in self.by:
            return a.upper()
print(P().f())
""",
}


@pytest.mark.parametrize("what", [*PASSES, *ASKS])
def test_a_program_does_the_same_or_is_asked_about(folder: Path, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, (PASSES | ASKS)[what].lstrip())
    before = ran(folder)
    assert before[0] == 0
    found = drafted(folder, at)
    assert found.status in (APPLICABLE if what in PASSES else (NEEDS_DECISION,)), found
    if what in PASSES:
        rows = (folder / "m.py").read_text().split("\n")
        for spot in sorted(found.spots, key=lambda each: (-each.line, -each.column)):
            row = rows[spot.line - 1]
            rows[spot.line - 1] = row[: spot.column] + "fresh" + row[spot.column + len(spot.text) :]
        (folder / "m.py").write_text("\n".join(rows))
        assert ran(folder) == before


CONFTEST = "import pytest\nfrom m import A\n@pytest.fixture\ndef a():\n    yield A()\n"


@pytest.mark.parametrize(
    ("head", "status"), [("", APPLICABLE), ("@pytest.mark.parametrize('a', [1])\n", (NEEDS_DECISION,))]
)
def test_a_fixture_tells_what_a_test_is_given(
    folder: Path, monkeypatch: pytest.MonkeyPatch, head: str, status: tuple[str, ...]
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    tested = f"import pytest\n{head}def test_it(a):\n    assert a.go()\n"
    program = f"class A:\n    def §go(self): return 1\n--- tests/conftest.py\n{CONFTEST}--- tests/test_it.py\n{tested}"
    found = drafted(folder, laid_out(folder, program))
    assert found.status in status
    assert (len(found.spots) == 2) is (not head)


@pytest.mark.parametrize(
    "files",
    [
        {
            "lib.ts": "export interface Lock { size: number }\n",
            "m.ts": "import * as lib from './lib'\nexport function take(lib: lib.Lock): lib.Lock { return lib }\n",
        },
        {
            "src/lock.rs": "pub struct Lock { size: u32 }\n",
            "src/lib.rs": "pub mod lock;\npub fn take(lock: lock::Lock) -> lock::Lock { lock }\n",
        },
        {"m.hpp": "namespace lib { struct Lock {}; }\ninline lib::Lock take(lib::Lock lib) { return lib; }\n"},
        {"m.kt": "class Lib { class Lock }\nfun take(Lib: Lib.Lock): Lib.Lock { return Lib }\n"},
    ],
    ids=lambda files: list(files)[-1],
)
def test_a_type_is_asked_of_its_namespace_whatever_the_parameters_are_called(
    rename: Rename, files: dict[str, str]
) -> None:
    found = rename("Lock", {path: (text, {}) for path, text in files.items()})
    assert (found.status, len(found.spots)) == (OK_SYNTACTIC, 3)


@pytest.mark.parametrize(
    "how", ["const it: typeof lib.Lock = lib.Lock", "type It = typeof lib.Lock", "const it: lib.Lock = 1"]
)
def test_the_type_of_a_value_is_asked_of_the_value(rename: Rename, how: str) -> None:
    text = f"import * as lib from './lib'\nexport function take(lib: any) {{ {how} }}\nexport const it: lib.Lock = 2\n"
    found = rename("Lock", {"lib.ts": ("export type Lock = number\n", {}), "m.ts": (text, {})})
    is_value = "typeof" in how
    assert (found.status == NEEDS_DECISION, len(found.spots)) == (is_value, 2 if is_value else 3)


@pytest.mark.parametrize("asked", ["self.type", "type.made"])
def test_what_only_is_called_like_what_makes_classes_makes_none(rename: Rename, asked: str) -> None:
    text = "class Box:\n    size = 1\n\nclass Field:\n    def run(self, type, more):\n"
    text += f"        return {asked}(more, self.one, self.two), Box().size\n"
    assert rename("size", {"m.py": (text, {})}).status == OK_SYNTACTIC
