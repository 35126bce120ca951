"""The native core tells of every name in a file what the reference tells: role, receiver, scope, tie."""

import random
from pathlib import Path

import pytest

from cairn.base.values import replace
from cairn.kernel.core import core
from cairn.languages.files import language_of
from cairn.syntax.blocks import block_by_reference, occurrence_block, parse_with_block
from cairn.syntax.flows import flows_by_reference
from cairn.syntax.native import flows_natively, occurrences_natively
from cairn.syntax.parse import grammar_name, parse_file
from tests.kernel.test_parsing import SAMPLES, seeds
from tests.long import LONG
from tests.syntax.test_uses import CASES

pytestmark = pytest.mark.skipif(core() is None, reason="the native core is not installed")

TEXTS = sorted({*SAMPLES.items(), *((path, text) for path, text, _, _ in CASES)})


def both(path: str, data: bytes) -> tuple[bytes | None, bytes]:
    """The blocks of the core and of the reference; the core gives None where the reference has to tell."""
    language = language_of(path, data[:100])
    name = grammar_name(path, language, data)
    assert name is not None
    return occurrences_natively(name, data), block_by_reference(path, language, data)


def flipped(data: bytes, made: random.Random) -> bytes:
    """Some bytes changed into others of ASCII."""
    changed = bytearray(data)
    for _ in range(made.randint(1, 5) if changed else 0):
        changed[made.randrange(len(changed))] = made.randrange(128)
    return bytes(changed)


@pytest.mark.sampled
@pytest.mark.parametrize(("path", "text"), TEXTS)
def test_the_names_of_a_sample_are_the_same(path: str, text: str) -> None:
    native, reference = both(path, text.encode())
    assert native == reference


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("a.py", ""),
        ("a.py", "\n"),
        ("a.py", "\ufeffdef größe(é, Ω):\n    return é + e\u0301 + Ω\n"),
        ("a.py", "def f(a: 'A[b.C]', b: Literal['x'], c: Annotated['D', 'e']) -> \"F | G\": pass\n"),
        ("a.py", "def f(A):\n    x: 'A' = 1\n    y: \"not a type\" = 2\n    z: f'{A}' = 3\n"),
        (
            "a.py",
            "def f():\n  global a\n  a = 1\n  def g():\n    nonlocal b\n    b = [c := d for d in a]\n",
        ),
        ("a.js", "class A { static b = this; c() { return () => this.d } }\nfunction e() { return this }\n"),
        ("a.js", "let A = class { f() { return this } }\nlet o = { m() { return this } }\n"),
        ("a.java", "class A { Object f() { return new B() { Object g() { return this; } }; } }\n"),
        ("a.go", "package a\nfunc f() {\n\tvar x T\n\ttype T struct{ n *T }\n\tvar y T\n}\n"),
        ("a.java", "class A extends B {\n  A() { this(1); }\n  A(int n) { super(n, this.x); }\n}\n"),
        ("a.cs", "class A : B {\n  A() : this(1) {}\n  A(int n) : base(n) { A a = new(2); this.x = a; }\n}\n"),
        ("a.js", "a(\n  1,\n  2\n)\n  .b\n  .c();\n" + "x" * 500 + ".d;\n" + "é" * 150 + ".d;\n"),
        (
            "a.rs",
            "fn f(x: u8) { match x { A => 1, b => b }; m!(g(x), a.b.c(1)); if let S(y) = x { y } else { y } }\n",
        ),
        ("a.py", "def f():\n    " + "(a, b[" * 200 + "c" + "], d)" * 200 + " = [e, [g, [h]]] = a\n"),
        ("a.js", "[x,\n" * 500 + "y" + "]\n" * 500 + "= z; for (const [[a], { b: [c, d = a] }] of c) d(a);\n"),
        ("a.kt", 'fun f(a: Int) = "$a \\$b $c1 $1"\n'),
        ("a.hs", "f :: Int -> Int\n-- between\nf 0 = g 1\nf n = g n\n"),
        ("a.php", "<?php\nfunction f($a) { global $b; $c = $a; \\X\\y($c); return $this->d . Z::$e; }\n"),
    ],
)
def test_a_text_that_could_be_read_otherwise_is_the_same(path: str, text: str) -> None:
    native, reference = both(path, text.encode())
    assert native == reference


def assert_same_flows(path: str, data: bytes) -> None:
    language = language_of(path, data[:100])
    name = grammar_name(path, language, data)
    assert name is not None
    told = flows_natively(name, data)
    assert told is None or told == flows_by_reference(path, language, data)


@pytest.mark.sampled
@pytest.mark.parametrize(("path", "text"), TEXTS)
def test_the_flows_of_a_sample_are_the_same_whole_and_broken(path: str, text: str) -> None:
    assert_same_flows(path, text.encode())
    made = random.Random(path)
    for _ in range(5 * LONG):
        assert_same_flows(path, flipped(text.encode(), made))


@pytest.mark.slow
def test_names_and_facts_come_from_one_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    for path, text in SAMPLES.items():
        data = text.encode()
        language = language_of(path, data[:100])
        told.append((path, language, data, parse_file(path, language, data, 1500, 100)))
    monkeypatch.delattr("cairn.syntax.blocks.occurrences_natively")  # which would be a second parse
    for path, language, data, parsed in told:
        found, block = parse_with_block(path, language, data, 1500, 100)
        assert (replace(found, names=None, tree=b""), block) == (parsed, block_by_reference(path, language, data))


def test_without_the_core_names_and_facts_are_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    data = SAMPLES["src/lease.py"].encode()
    told = parse_with_block("a.py", "python", data, 1500, 100)
    monkeypatch.setattr("cairn.syntax.parse.parse_natively", lambda *_: None)
    monkeypatch.setattr("cairn.syntax.blocks.occurrences_natively", lambda *_: None)
    alone, block = parse_with_block("a.py", "python", data, 1500, 100)
    assert (replace(told[0], names=None), told[1]) == (alone, block)


@pytest.mark.parametrize("data", [b"x = '\xff'\ny = x\n", b"fn f(x: u8) { match x { \xc3\x84 => 1 } }\n"])
def test_what_the_core_cannot_tell_is_told_by_the_reference(data: bytes) -> None:
    path = "a.rs" if b"match" in data else "a.py"
    native, reference = both(path, data)
    assert native is None
    assert occurrence_block(path, language_of(path), data) == reference != b""


@pytest.mark.slow
def test_names_in_broken_samples_are_the_same() -> None:
    compared = 0
    for path, text, made in seeds(2):
        for data in (text.encode(), flipped(text.encode(), made)):
            native, reference = both(path, data)
            assert native in (None, reference), (path, data)
            compared += native is not None
    assert compared > 3 * len(SAMPLES)


@pytest.mark.slow
def test_names_in_many_broken_samples_are_the_same() -> None:
    for path, text, made in seeds(25 * max(LONG, 1)):
        data = made.choice((text.encode(), flipped(text.encode(), made)))
        native, reference = both(path, data)
        assert native in (None, reference), (path, data)


@pytest.mark.slow
def test_names_in_installed_packages_are_the_same() -> None:
    folder = Path(pytest.__file__).resolve().parent.parent
    files = [path for path in sorted(folder.rglob("*")) if path.is_file() and path.stat().st_size < 300_000]
    compared = 0
    for path in files[:: max(1, 40 // max(LONG, 1))]:
        data = path.read_bytes()
        if grammar_name(path.name, language_of(path.name, data[:100]), data) is not None:
            native, reference = both(path.name, data)
            assert native in (None, reference), path
            compared += native is not None
    assert compared > 20
