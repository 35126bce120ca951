"""The words of the package: what is public is documented, and no two public classes share a name."""

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import TypeGuard

import pytest

from tests.test_architecture import SOURCE, Module, load

Definition = ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef
RIDDLES = frozenset({"told", "tops", "votes"})
ALONE = frozenset({"until", "later", "keeping"})
"""Words that say something only beside others: `wait_until_quiet` does, `until` doesn't."""


def definitions(body: list[ast.stmt]) -> Iterator[Definition]:
    """The public definitions of a module or class body, also those behind a condition."""
    for node in body:
        if isinstance(node, Definition) and not node.name.startswith("_"):
            yield node
        elif isinstance(node, ast.If | ast.Try):
            yield from definitions([*node.body, *node.orelse])


def classes(modules: dict[str, Module]) -> dict[str, list[str]]:
    """The modules of the public classes, by the name of the class."""
    found = defaultdict(list)
    for module in modules.values():
        for node in definitions(module.tree.body):
            if isinstance(node, ast.ClassDef):
                found[node.name].append(module.name)
    return found


def undocumented(modules: dict[str, Module]) -> list[str]:
    """Public definitions that have no docstring, as `module.name`."""
    contracts = [node for module in modules.values() for node in definitions(module.tree.body) if is_class(node)]
    found = []
    for module in modules.values():
        for node in definitions(module.tree.body):
            found += [f"{module.name}.{name}" for name in lacking(node, contracts)]
    return found


def lacking(node: Definition, contracts: list[ast.ClassDef]) -> Iterator[str]:
    """What has no docstring: a definition itself, and methods of a class that fulfil no documented contract."""
    if ast.get_docstring(node) is None:
        yield node.name
    if is_class(node):
        kept = {each.name for contract in fulfilled(node, contracts) for each in methods(contract) if is_told(each)}
        for method in methods(node):
            if method.name not in kept and not is_told(method) and not completes(method):
                yield f"{node.name}.{method.name}"


def fulfilled(node: ast.ClassDef, contracts: list[ast.ClassDef]) -> Iterator[ast.ClassDef]:
    """The classes that a class inherits from, and the Protocols all of whose methods it has."""
    own = {each.name for each in methods(node)}
    bases = {ast.unparse(base).partition("[")[0] for base in node.bases}
    for each in contracts:
        if each is not node and each.name in bases:
            yield each
            yield from fulfilled(each, contracts)
        elif "Protocol" in {ast.unparse(base) for base in each.bases} and {it.name for it in methods(each)} <= own:
            yield each


def methods(node: ast.ClassDef) -> list[ast.FunctionDef | ast.AsyncFunctionDef]:
    return [each for each in definitions(node.body) if not isinstance(each, ast.ClassDef)]


def is_class(node: Definition) -> TypeGuard[ast.ClassDef]:
    return isinstance(node, ast.ClassDef)


def is_told(node: Definition) -> bool:
    return ast.get_docstring(node) is not None


def completes(node: Definition) -> bool:
    """Whether a method is the setter of a property or one form of an overload: the other part is documented."""
    marks = [ast.unparse(each) for each in node.decorator_list]
    return any(mark.endswith((".setter", ".deleter", "overload")) for mark in marks)


@pytest.fixture(scope="module")
def package() -> dict[str, Module]:
    return load(SOURCE)


@pytest.mark.slow
@pytest.mark.requirement("HOUSE.1")
def test_what_is_public_is_documented(package: dict[str, Module]) -> None:
    assert undocumented(package) == []


@pytest.mark.requirement("HOUSE.1")
def test_no_two_public_classes_share_a_name(package: dict[str, Module]) -> None:
    assert {name: homes for name, homes in classes(package).items() if len(homes) > 1} == {}


def riddles(modules: dict[str, Module]) -> list[str]:
    """Identifiers and modules that are called by words which say nothing of the thing."""
    found = [name for name in modules if any(map(is_riddle, name.split(".")))]
    for module in modules.values():
        for node in module.nodes:
            names = (getattr(node, field, None) for field in ("id", "attr", "arg", "name", "asname"))
            found += [f"{module.name}.{name}" for name in names if isinstance(name, str) and is_riddle(name)]
    return found


def is_riddle(name: str) -> bool:
    return name.strip("_").lower() in ALONE or not RIDDLES.isdisjoint(name.lower().split("_"))


@pytest.mark.slow
def test_nothing_is_called_by_a_riddle(package: dict[str, Module]) -> None:
    assert riddles(package) == []


def test_a_riddle_is_noticed(tmp_path: Path) -> None:
    folder = tmp_path / "cairn"
    (folder / "base").mkdir(parents=True)
    text = "def _told_of(answer, until):\n    tops = answer.told\n    later, _keeping = call_later(tops)\n"
    (folder / "base" / "votes.py").write_text(text)
    names = ("cairn.base.votes", "_told_of", "until", "tops", "tops", "told", "later", "_keeping")
    assert sorted(each.removeprefix("cairn.base.votes.") for each in riddles(load(folder))) == sorted(names)


def test_a_definition_without_words_is_noticed(tmp_path: Path) -> None:
    text = '''
class Reader(Protocol):
    """A reader."""

    def read(self) -> bytes:
        """The next bytes."""

class File:
    """A file that can be read."""

    def read(self) -> bytes: ...
    def close(self) -> None: ...
    def _seek(self) -> None: ...
    @property
    def size(self) -> int: ...

def opened() -> File: ...
def _hidden() -> None: ...
'''
    folder = tmp_path / "cairn"
    (folder / "base").mkdir(parents=True)
    (folder / "base" / "files.py").write_text(text)
    found = undocumented(load(folder))
    assert found == [f"cairn.base.files.{name}" for name in ("File.close", "File.size", "opened")]
    assert classes(load(folder)) == {"Reader": ["cairn.base.files"], "File": ["cairn.base.files"]}
