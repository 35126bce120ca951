"""Python's names against the interpreter's own view of them: `ast` for places, `symtable` for scopes.

The sources are modules of the standard library that runs the tests. Two differences are meant: a
name that a function imports is local for the interpreter but means something elsewhere, so it is
not local here; and a name in a class body is bound by the class, which is no function.
"""

import ast
import re
import symtable
import sysconfig
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.syntax.uses import Use
from tests.named import all_uses

LIBRARY = Path(sysconfig.get_path("stdlib"))
MODULES = """
    abc argparse ast bdb bisect calendar codecs colorsys configparser contextlib copy csv dataclasses difflib enum
    fnmatch fractions functools glob heapq inspect ipaddress keyword locale mailbox pdb pstats queue shlex string
    subprocess tempfile textwrap threading types typing weakref
""".split()


@pytest.fixture(params=MODULES)
def source(request: pytest.FixtureRequest) -> bytes:
    path = LIBRARY / f"{request.param}.py"
    if not path.is_file():
        pytest.skip("this interpreter has it elsewhere")
    return path.read_bytes()


@pytest.mark.slow
def test_places_and_roles_agree_with_the_interpreter(source: bytes) -> None:
    uses = {(use.line, use.column): use for use in all_uses("a.py", "python", source)}
    wrong = [(node, use) for node, use, right in checked(ast.parse(source), uses) if not right]
    assert wrong == []


def checked(tree: ast.Module, uses: dict[tuple[int, int], Use]) -> Iterator[tuple[str, Use | None, bool]]:
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Name):
            use = uses.get((node.lineno, node.col_offset))
            right = use is not None and (use.name, use.receiver, use.keyword) == (node.id, "", False)
            if use is not None and id(node) in called:
                right = right and use.role == "call"
            elif use is not None:
                right = right and (use.role in ("write", "definition")) is not isinstance(node.ctx, ast.Load)
            yield node.id, use, right
        elif isinstance(node, ast.Attribute):
            assert node.end_lineno is not None
            assert node.end_col_offset is not None
            use = uses.get((node.end_lineno, node.end_col_offset - len(node.attr.encode())))
            right = use is not None and use.name == node.attr and bool(use.receiver) and not use.local
            if use is not None and re.fullmatch(r"[\w.]+", ast.unparse(node.value)):
                right = right and use.receiver.strip("()") == ast.unparse(node.value)
            if use is not None:
                stored = not isinstance(node.ctx, ast.Load)
                right = (
                    right
                    and (use.role == "write") is stored
                    and (stored or (use.role == "call") is (id(node) in called))
                )
            yield node.attr, use, right
        elif isinstance(node, ast.arg):
            use = uses.get((node.lineno, node.col_offset))
            yield node.arg, use, use is not None and use.role == "definition" and use.local
        elif isinstance(node, ast.keyword) and node.arg:
            use = uses.get((node.lineno, node.col_offset))
            yield node.arg, use, use is not None and use.keyword
        elif isinstance(node, ast.alias) and node.name != "*":
            use = uses.get((node.lineno, node.col_offset))
            yield node.name, use, use is not None and use.role == "import" and not use.local


@pytest.mark.slow
def test_locality_agrees_with_the_interpreter(source: bytes) -> None:
    uses = {(use.line, use.column): use for use in all_uses("a.py", "python", source)}
    reader = Reader(symtable.symtable(source.decode(), "a.py", "exec"))
    reader.visit(ast.parse(source))
    assert reader.found
    assert [uses[place] for place, local in reader.found.items() if uses[place].local is not local] == []


class Reader(ast.NodeVisitor):
    """Walks a module beside its symbol tables, and notes for each name whether it is a function's own."""

    def __init__(self, top: symtable.SymbolTable) -> None:
        self.tables = [top]
        self.classes = [""]
        self.met: Counter[tuple[int, str, int]] = Counter()
        self.found: dict[tuple[int, int], bool] = {}

    def enter(self, name: str, line: int, *body: ast.AST) -> None:
        above = self.tables[-1]
        key = (above.get_id(), name, line)
        tables = [each for each in above.get_children() if (each.get_name(), each.get_lineno()) == (name, line)]
        self.tables.append(tables[min(self.met[key], len(tables) - 1)])
        self.met[key] += 1
        for node in body:
            self.visit(node)
        self.tables.pop()

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        arguments = node.args
        every = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs, arguments.vararg, arguments.kwarg]
        outside = [*node.decorator_list, *arguments.defaults, *arguments.kw_defaults, node.returns]
        for part in [*outside, *(each.annotation for each in every if each is not None)]:
            if part is not None:
                self.visit(part)
        self.enter(node.name, node.lineno, *node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for part in [*node.args.defaults, *node.args.kw_defaults]:
            if part is not None:
                self.visit(part)
        self.enter("lambda", node.lineno, node.body)

    def visit_ClassDef(self, node: ast.ClassDef) -> None:
        for part in [*node.decorator_list, *node.bases, *node.keywords]:
            self.visit(part)
        self.classes.append(node.name)
        self.enter(node.name, node.lineno, *node.body)
        self.classes.pop()

    def comprehend(self, name: str, node: ast.expr, generators: list[ast.comprehension], *made: ast.expr) -> None:
        first, *rest = generators
        self.visit(first.iter)
        self.enter(name, node.lineno, first.target, *first.ifs, *rest, *made)

    def visit_ListComp(self, node: ast.ListComp) -> None:
        self.comprehend("listcomp", node, node.generators, node.elt)

    def visit_SetComp(self, node: ast.SetComp) -> None:
        self.comprehend("setcomp", node, node.generators, node.elt)

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> None:
        self.comprehend("genexpr", node, node.generators, node.elt)

    def visit_DictComp(self, node: ast.DictComp) -> None:
        self.comprehend("dictcomp", node, node.generators, node.key, node.value)

    def visit_Name(self, node: ast.Name) -> None:
        name = node.id
        if self.classes[-1] and name.startswith("__") and not name.endswith("__"):
            name = f"_{self.classes[-1].lstrip('_')}{name}"
        table = self.tables[-1]
        symbol = table.lookup(name)
        inside = table.get_type() == "function" and symbol.is_local()
        local = inside or (symbol.is_free() and table.get_type() in ("function", "class"))
        if local:
            owners = [each for each in reversed(self.tables) if each.get_type() == "function"]
            held = (each.lookup(name) for each in owners if name in each.get_identifiers())
            owner = next((each for each in held if each.is_local()), None)
            local = owner is None or not owner.is_imported()
        self.found[(node.lineno, node.col_offset)] = local
