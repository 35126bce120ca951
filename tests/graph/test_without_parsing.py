"""Questions about names read the snapshot: with every parser gone they answer as before."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, NoReturn

import pytest

import cairn
from cairn import Workspace
from cairn.base.values import replace
from cairn.codebase.renames import Renaming
from cairn.syntax import parse
from cairn.syntax.grammar import Loaded, load
from cairn.syntax.native import native_grammar
from cairn.syntax.parse import grammar_for
from tests.trees import write

FILES = {
    "shop/base.py": """LIMIT = 3

class Base:
    def price(self, other: 'Base') -> int:
        return self.tax() + other.tax()

    def tax(self):
        return LIMIT
""",
    "shop/cart.py": """import os
from shop.base import LIMIT, Base

class Cart(Base):
    def total(self, base: Base, tax=None):
        tax = base.tax()
        return self.price(base) + tax + LIMIT

def run(os_name):
    cart = Cart()
    LIMIT = 2
    return cart.total(cart, tax=LIMIT), os.getcwd()
""",
    "web/a.js": """export class A {
  go() { return [1].map(() => this.stop()) }
  stop() {}
  static make() { this.go(); }
}
export function f(a) { a = 1; return new A().go(a) }
""",
    "web/b.ts": "import { A, f as g } from './a'\nexport const b = () => g(new A())\n",
    "src/lib.rs": "pub fn twice(x: i32) -> i32 { let y = x; y + y }\nfn main() { twice(2); }\n",
}
QUESTIONS: dict[str, Callable[[Workspace], Any]] = {
    "refs of a class": lambda tree: tree.references("Base"),
    "refs of a method": lambda tree: tree.references("tax"),
    "refs of a constant": lambda tree: tree.references("LIMIT"),
    "refs of a library": lambda tree: tree.references("os"),
    "refs of a place": lambda tree: tree.references("shop/cart.py:7:21"),
    "refs of a renamed import": lambda tree: tree.references("f"),
    "refs in Rust": lambda tree: tree.references("twice"),
    "callers": lambda tree: tree.callers("Base.tax", 3),
    "callers of a member of this": lambda tree: tree.callers("stop", 3),
    "callees": lambda tree: tree.callees("run", 3),
    "impact": lambda tree: tree.impact(files=["shop/base.py"]),
    "slice": lambda tree: tree.slice("shop/cart.py", 7, "tax"),
    "slice of a parameter": lambda tree: tree.slice("web/a.js", 6, "a"),
    "slice in Rust": lambda tree: tree.slice("src/lib.rs", 1, "y"),
}
RENAMES = {
    "a local of Python": ("shop/cart.py", 10, 5, "basket"),
    "a parameter that callers may name": ("shop/cart.py", 9, 9, "system"),
    "a local of a script": ("web/a.js", 6, 19, "given"),
    "what is no local": ("shop/cart.py", 4, 7, "Basket"),
    "a name of a language without rules": ("src/lib.rs", 1, 8, "double"),
}


def refuse(*_: object) -> NoReturn:
    raise AssertionError("a file is parsed")


def without_parsers(patch: pytest.MonkeyPatch) -> None:
    """Take the ways to a parser from every module that has one; a grammar still tells its keywords."""
    ways: list[tuple[object, object]] = [(native_grammar, refuse), (grammar_for, refuse), (load, speechless)]
    for name, module in list(sys.modules.items()):
        if name.startswith("cairn."):
            for key, value in list(vars(module).items()):
                for way, instead in ways:
                    if value is way:
                        patch.setattr(module, key, instead)


class Speechless:
    """A parser that parses nothing."""

    parse = staticmethod(refuse)

    def __init__(self, language: object) -> None:
        self.language = language


def speechless(language: str) -> Loaded | None:
    loaded = load(language)
    return replace(loaded, parser=Speechless(loaded.parser.language)) if loaded is not None else None


@pytest.mark.requirement("OCC.1")
def test_questions_about_names_parse_no_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, text in FILES.items():
        write(folder, path, text)
    with cairn.open(str(folder)) as tree:
        tree.sync()
        before = {question: ask(tree).value for question, ask in QUESTIONS.items()}
    without_parsers(monkeypatch)
    with cairn.open(str(folder)) as tree:
        assert {question: ask(tree).value for question, ask in QUESTIONS.items()} == before
    with pytest.raises(AssertionError, match="a file is parsed"):  # so much for the parsers being gone
        parse.parse_file("a.py", "python", b"x", 1500, 100)


@pytest.mark.slow
@pytest.mark.requirement("OCC.1")
def test_renames_of_locals_parse_no_file_of_the_snapshot(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for path, text in FILES.items():
        write(folder, path, text)
    with cairn.open(str(folder)) as tree:
        tree.sync()
        before = {what: tree.rename.plan(*place).draft for what, place in RENAMES.items()}
        assert {each.status for each in before.values()} == {"ok_syntactic"}
        # What is written is in no snapshot yet: only that is parsed, when the index takes it in.
        monkeypatch.setattr(Renaming, "_follow_up", lambda *_: ((), ()))
        without_parsers(monkeypatch)
        assert {what: tree.rename.plan(*place).draft for what, place in RENAMES.items()} == before
        planned = tree.rename.plan(*RENAMES["a local of Python"])
        assert planned.plan is not None
        tree.rename.apply(planned.plan.id)
    assert (folder / "shop/cart.py").read_text("utf-8") == FILES["shop/cart.py"].replace("cart ", "basket ").replace(
        "cart.total(cart", "basket.total(basket"
    )


@pytest.mark.requirement("OCC.1")
def test_the_snapshot_tells_roles_scopes_and_what_is_quoted(folder: Path) -> None:
    for path, text in FILES.items():
        write(folder, path, text)
    with cairn.open(str(folder)) as tree:
        tree.sync()
        found = tree.references("Base").value.items
        assert [(item.path, item.line, item.role) for item in found] == [
            ("shop/base.py", 4, "type"),
            ("shop/cart.py", 2, "import"),
            ("shop/cart.py", 4, "type"),
            ("shop/cart.py", 5, "type"),
        ]
        # A local of the same name is something else.
        assert [item.line for item in tree.references("LIMIT").value.items] == [8, 2, 7]
        assert tree.references("LIMIT").value.elsewhere == 2
