"""The shape of the package: imports point one way, and a few habits are kept out."""

import ast
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pytest

import cairn
from tests.trees import Repo

SOURCE = Path(cairn.__file__).resolve().parent

# From the bottom up; a part may import those of lower rows only. "cairn" is the package's own __init__.
ROWS = (
    "base",
    "config languages kernel",
    "engines syntax",
    "store embed workspace",
    "search graph lifecycle",
    "semantic readcache indexing team",
    "edit",
    "codebase",
    "questions",
    "daemon",
    "api",
    "cairn",
    "surfaces",
    "surfaces.cli surfaces.mcp surfaces.http surfaces.lsp surfaces.page surfaces.agents",
    "program",
    "__main__",
)
RANK = {part: rank for rank, row in enumerate(ROWS) for part in row.split()}

MOST_LINES = 400


@dataclass(frozen=True, slots=True)
class Module:
    name: str
    path: Path
    tree: ast.Module
    nodes: tuple[ast.AST, ...]
    """All of the tree's: most of the tests look at each, and a walk costs more than the look."""

    @property
    def package(self) -> str:
        """What a relative import starts from."""
        return self.name if self.path.name == "__init__.py" else self.name.rpartition(".")[0]


@dataclass(frozen=True, slots=True)
class Import:
    importer: str
    target: str
    line: int

    def __str__(self) -> str:
        return f"{self.importer}:{self.line} imports {self.target}"


@cache
def load(source: Path) -> dict[str, Module]:
    """Every module of a package tree, by its dotted name."""
    modules = {}
    for path in sorted(source.rglob("*.py")):
        parts = [source.name, *path.relative_to(source).with_suffix("").parts]
        name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        tree = ast.parse(path.read_bytes(), str(path))
        modules[name] = Module(name, path, tree, tuple(ast.walk(tree)))
    return modules


_MODULE = re.compile(r"cairn(\.[a-z_]+)+")


def imports(module: Module, modules: dict[str, Module]) -> Iterator[Import]:
    """Every import of the package's own modules, inside functions and type checks too."""
    for node in module.nodes:
        targets: list[str] = []
        if isinstance(node, ast.Import):
            targets = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            base = _base_of(node, module)
            targets = [f"{base}.{alias.name}" if f"{base}.{alias.name}" in modules else base for alias in node.names]
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            # Whoever has a module's name as a text loads it by that, however the function that does is called.
            targets = [node.value] if _MODULE.fullmatch(node.value) and part_of(node.value) in RANK else []
        elif isinstance(node, ast.Call) and len(node.args) == 2 and _called(node).rpartition(".")[2] == "exports":
            homes = node.args[1]
            keys = [each for each in homes.keys if each is not None] if isinstance(homes, ast.Dict) else []
            targets = [f"{module.package}.{home}" for home in _texts(keys)]
        for target in targets:
            if target.split(".")[0] == "cairn":
                yield Import(module.name, target, getattr(node, "lineno", 0))


def _texts(nodes: Sequence[ast.expr]) -> list[str]:
    return [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]


def _base_of(node: ast.ImportFrom, module: Module) -> str:
    if not node.level:
        return node.module or ""
    parts = module.package.split(".")
    above = parts[: len(parts) - node.level + 1]
    return ".".join([*above, *([node.module] if node.module else [])])


def _called(node: ast.Call) -> str:
    return ast.unparse(node.func)


def part_of(name: str) -> str:
    """The room of the house that a module belongs to."""
    parts = name.split(".")
    if parts[1:2] == ["surfaces"]:
        return ".".join(parts[1:3])
    return parts[1] if len(parts) > 1 else parts[0]


def unknown_parts(modules: dict[str, Module]) -> list[str]:
    return sorted({part_of(name) for name in modules} - RANK.keys())


def wrong_way(modules: dict[str, Module]) -> list[str]:
    """Imports that go up or sideways."""
    found = []
    for module in modules.values():
        for each in imports(module, modules):
            here, there = part_of(each.importer), part_of(each.target)
            if here != there and RANK.get(there, len(ROWS)) >= RANK.get(here, -1):
                found.append(str(each))
    return found


def forbidden(modules: dict[str, Module], rooms: tuple[str, ...], kept_out: tuple[str, ...]) -> list[str]:
    """Imports by one of the rooms of what it must not know, in type checks too."""
    return [
        str(each)
        for name, module in modules.items()
        if part_of(name).partition(".")[0] in rooms
        for each in imports(module, modules)
        if part_of(each.target) in kept_out
    ]


def cycles(modules: dict[str, Module]) -> list[tuple[str, ...]]:
    """Groups of modules that import each other, directly or around corners.

    `from package import module` is an import of that module, not of the package that re-exports it.
    """
    return _circles({name: {each.target for each in imports(module, modules)} for name, module in modules.items()})


def package_cycles(modules: dict[str, Module]) -> list[tuple[str, ...]]:
    """Packages, at any depth, whose modules import each other's; what a package's `__init__` re-exports is its own."""
    graph: dict[str, set[str]] = {}
    for name, module in modules.items():
        package = name if name.endswith(".__main__") else module.package
        targets = {each.target for each in imports(module, modules)} & modules.keys()
        graph.setdefault(package, set()).update({modules[each].package for each in targets} - {package})
    return _circles(graph)


def _circles(graph: dict[str, set[str]]) -> list[tuple[str, ...]]:
    reached = {name: _reach(name, graph) for name in graph}
    groups = {
        tuple(sorted(other for other in reached[name] if name in reached.get(other, ())))
        for name in graph
        if name in reached[name]
    }
    return sorted(groups)


def _reach(start: str, graph: dict[str, set[str]]) -> set[str]:
    seen: set[str] = set()
    todo = list(graph.get(start, ()))
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo.extend(graph.get(name, ()))
    return seen


def swallowed(module: Module) -> Iterator[int]:
    """Lines where any exception at all is dropped without a word."""
    for node in module.nodes:
        if isinstance(node, ast.ExceptHandler) and _catches_all(node.type):
            if all(isinstance(each, ast.Pass | ast.Continue) or _is_literal(each) for each in node.body):
                yield node.lineno
        elif isinstance(node, ast.Call) and _called(node).rpartition(".")[2] == "suppress":
            if any(_catches_all(arg) for arg in node.args):
                yield node.lineno


def _catches_all(kind: ast.expr | None) -> bool:
    if isinstance(kind, ast.Tuple):
        return any(_catches_all(each) for each in kind.elts)
    return kind is None or ast.unparse(kind).rpartition(".")[2] in ("Exception", "BaseException")


def _is_literal(node: ast.stmt) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)


def shells(module: Module) -> Iterator[int]:
    """Lines that hand a command to a shell."""
    runners = ("os.system", "os.popen", "subprocess.getoutput", "subprocess.getstatusoutput")
    for node in module.nodes:
        if isinstance(node, ast.Call):
            asked = any(word.arg == "shell" and not _is_false(word.value) for word in node.keywords)
            if asked or _called(node) in runners:
                yield node.lineno


def _is_false(node: ast.expr) -> bool:
    return isinstance(node, ast.Constant) and node.value is False


def children_by_themselves(module: Module) -> Iterator[int]:
    """Lines that start a process whose environment `child_environment` didn't make."""
    starts = (
        "subprocess.Popen",
        "subprocess.run",
        "subprocess.call",
        "subprocess.check_call",
        "subprocess.check_output",
    )
    names = {
        node.arg if isinstance(node, ast.arg) else ast.unparse(node.target)
        for node in module.nodes
        if isinstance(node, ast.arg | ast.AnnAssign)
        if node.annotation is not None and ast.unparse(node.annotation) == "ChildEnvironment"
    }
    for node in module.nodes:
        if not isinstance(node, ast.Call):
            continue
        called = _called(node)
        if called in starts or called.endswith(("StdioServerParameters", "create_subprocess_exec")):
            given = next((word.value for word in node.keywords if word.arg == "env"), None)
            known = given is not None and ast.unparse(given).rpartition(".")[2] in names
            if not known and not (isinstance(given, ast.Call) and _called(given) == "child_environment"):
                yield node.lineno
        elif re.match(r"os\.(exec|spawn|posix_spawn)", called):
            yield node.lineno


def prints(module: Module) -> Iterator[int]:
    """Lines that write to the user's streams."""
    for node in module.nodes:
        if isinstance(node, ast.Name | ast.Attribute) and ast.unparse(node) in ("print", "sys.stdout", "sys.stderr"):
            yield node.lineno


def too_long(modules: dict[str, Module]) -> list[str]:
    """Modules that can't be read at a sitting."""
    return [name for name, module in modules.items() if len(module.path.read_bytes().splitlines()) > MOST_LINES]


def fake(root: Path, files: dict[str, str]) -> dict[str, Module]:
    """A tiny package with the name of the real one."""
    for name, text in {"__init__.py": "", **files}.items():
        path = root / "cairn" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return load(root / "cairn")


@pytest.fixture(scope="module")
def package() -> dict[str, Module]:
    return load(SOURCE)


def test_the_whole_package_is_looked_at(package: dict[str, Module]) -> None:
    assert {
        "cairn",
        "cairn.__main__",
        "cairn.base.errors",
        "cairn.workspace.scan",
        "cairn.program.command",
    } <= set(package)
    assert any(imports(module, package) for module in package.values())


def test_the_drawing_shows_the_house_as_it_is() -> None:
    page = (SOURCE.parents[1] / "docs" / "architecture.md").read_text(encoding="utf-8")
    drawing = page.split("```mermaid\n")[1].split("```")[0]
    drawn = [" ".join(label.split(" · ")) for label in re.findall(r'\["([^"]+)"\]', drawing)]
    assert drawn == [*reversed(ROWS)]


def test_every_part_has_a_place_in_the_house(package: dict[str, Module]) -> None:
    assert unknown_parts(package) == []


def test_every_module_can_be_read_at_a_sitting(package: dict[str, Module]) -> None:
    assert too_long(package) == []


@pytest.mark.slow
@pytest.mark.requirement("HOUSE.1")
def test_imports_point_one_way(package: dict[str, Module]) -> None:
    assert wrong_way(package) == []


@pytest.mark.requirement("HOUSE.1")
def test_no_surface_knows_the_store(package: dict[str, Module]) -> None:
    """What a door or a question needs of a store, a codebase tells."""
    assert forbidden(package, ("surfaces", "program", "api", "questions"), ("store",)) == []


def test_the_store_knows_no_language(package: dict[str, Module]) -> None:
    """It keeps rows and facts whatever they are of; an index outlives the parser that made it."""
    assert forbidden(package, ("store",), ("syntax", "languages")) == []


@pytest.mark.slow
def test_only_surfaces_know_the_package_itself(package: dict[str, Module]) -> None:
    knows = {
        part_of(name) for name, module in package.items() for each in imports(module, package) if each.target == "cairn"
    }
    assert {room.partition(".")[0] for room in knows} <= {"daemon", "surfaces", "program", "__main__"}


@pytest.mark.slow
@pytest.mark.requirement("HOUSE.1")
def test_no_modules_import_each_other_in_a_circle(package: dict[str, Module]) -> None:
    assert cycles(package) == []


@pytest.mark.slow
@pytest.mark.requirement("HOUSE.1")
def test_no_packages_import_each_other_in_a_circle(package: dict[str, Module]) -> None:
    assert package_cycles(package) == []


@pytest.mark.slow
def test_no_exception_is_swallowed_unseen(package: dict[str, Module]) -> None:
    assert [f"{name}:{line}" for name, module in package.items() for line in swallowed(module)] == []


@pytest.mark.slow
def test_no_command_goes_through_a_shell(package: dict[str, Module]) -> None:
    assert [f"{name}:{line}" for name, module in package.items() for line in shells(module)] == []


@pytest.mark.requirement("SEC.4")
def test_every_child_gets_its_environment_from_one_function(package: dict[str, Module]) -> None:
    # Both are scripts that run in a child already, and hand on what it was given.
    scripts = ("cairn.semantic.launch", "cairn.semantic.interpreter")
    rest = {name: module for name, module in package.items() if name not in scripts}
    assert [f"{name}:{line}" for name, module in rest.items() for line in children_by_themselves(module)] == []


@pytest.mark.slow
def test_only_surfaces_speak_to_the_user(package: dict[str, Module]) -> None:
    speak = ("surfaces", "daemon", "program")
    inside = {name: module for name, module in package.items() if part_of(name).partition(".")[0] not in speak}
    assert [f"{name}:{line}" for name, module in inside.items() for line in prints(module)] == []


@pytest.mark.slow
@pytest.mark.requirement("IGN.4")
def test_nothing_but_the_workspace_lists_folders_or_matches_names(package: dict[str, Module]) -> None:
    """A second collector of files would have ignore rules of its own."""
    foreign = {"fnmatch", "glob", "pathspec"}
    walks = ("walk", "fwalk", "scandir", "listdir", "iterdir", "glob", "rglob")
    found = []
    for name, module in package.items():
        for node in module.nodes:
            if isinstance(node, ast.Import | ast.ImportFrom):
                names = {alias.name for alias in node.names} | {getattr(node, "module", None) or ""}
                # The tables of edits hold patterns of names in code, never of files.
                if names & foreign and part_of(name) != "edit":
                    found.append(f"{name}:{node.lineno} imports {names & foreign}")
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in walks:
                if part_of(name) == "syntax" and node.func.attr == "walk":
                    continue  # over a syntax tree, not over folders
                # These list their own folders beneath CAIRN_HOME, the page its own files: no tree, and no rules.
                own = name in (
                    "cairn.base.durable",
                    "cairn.base.ownfile",
                    "cairn.codebase.ledger",
                    "cairn.embed.cachefile",
                    "cairn.engines.kept",
                    "cairn.surfaces.cli.lastlist",
                    "cairn.surfaces.page.routes",
                )
                if part_of(name) not in ("workspace", "store", "readcache", "edit", "team") and not own:
                    found.append(f"{name}:{node.lineno} calls {node.func.attr}")
    assert found == []


def test_the_command_line_starts_without_the_watcher() -> None:
    code = "import sys, cairn.surfaces.cli; sys.exit(sum(name.split('.')[0] == 'watchfiles' for name in sys.modules))"
    assert subprocess.run((sys.executable, "-c", code), check=False).returncode == 0


def test_the_library_is_silent_when_imported() -> None:
    done = subprocess.run((sys.executable, "-c", "import cairn.codebase.codebase"), capture_output=True, check=True)
    assert done.stdout == done.stderr == b""


@pytest.mark.parametrize(
    "text",
    [
        "import cairn.codebase.codebase\n",
        "from cairn.codebase.codebase import plan\n",
        "from cairn.codebase import codebase\n",
        "from ..codebase import codebase\n",
        "from ..codebase.codebase import plan\n",
        "def late() -> None:\n    from cairn.codebase.codebase import plan\n",
        "if False:\n    import cairn.codebase.codebase as e\n",
        "import importlib\nimportlib.import_module('cairn.codebase.codebase')\n",
        "__import__('cairn.codebase.codebase')\n",
        "class Inner:\n    from cairn.codebase.codebase import plan\n",
        "from cairn.base import lazy\nplan = lazy.function('cairn.codebase.codebase', 'plan')\n",
        "from cairn.base import lazy\ncodebase = lazy.module('cairn.codebase.codebase')\n",
    ],
)
def test_an_upward_import_is_reported(text: str, tmp_path: Path) -> None:
    modules = fake(
        tmp_path, {"codebase/codebase.py": "plan = 1\n", "workspace/__init__.py": "", "workspace/scan.py": text}
    )
    (found,) = wrong_way(modules)
    assert found.startswith("cairn.workspace.scan:")
    assert found.endswith("cairn.codebase.codebase")


def test_a_sibling_import_is_reported(tmp_path: Path) -> None:
    modules = fake(
        tmp_path,
        {
            "store/__init__.py": "",
            "store/view.py": "from cairn.workspace.root import find\n",
            "workspace/__init__.py": "",
            "workspace/root.py": "find = 1\n",
        },
    )
    assert wrong_way(modules) == ["cairn.store.view:1 imports cairn.workspace.root"]


def test_an_import_of_the_package_itself_from_below_is_reported(tmp_path: Path) -> None:
    modules = fake(
        tmp_path, {"base/errors.py": "from cairn import __version__\n", "__init__.py": "__version__ = '1'\n"}
    )
    assert wrong_way(modules) == ["cairn.base.errors:1 imports cairn"]


def test_a_downward_import_and_one_within_a_part_are_not_reported(tmp_path: Path) -> None:
    modules = fake(
        tmp_path,
        {
            "base/errors.py": "",
            "config/project.py": "from cairn.base.errors import CairnError\nimport os\n",
            "workspace/__init__.py": "from cairn.workspace.root import find\n",
            "workspace/git.py": "from cairn.base import errors\n",
            "workspace/root.py": "from cairn.workspace import git\nfrom . import git\nfind = 1\n",
            "surfaces/__init__.py": "from cairn import __version__\nimport cairn.workspace\n",
        },
    )
    assert wrong_way(modules) == []
    assert unknown_parts(modules) == []
    assert cycles(modules) == []


@pytest.mark.parametrize(
    "text",
    [
        "from cairn.store import StoreRow\n",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    from cairn.store.view import SnapshotView\n",
        "def late() -> None:\n    import cairn.store.view\n",
        "from cairn.base.lazy import function\nview = function('cairn.store.view', 'SnapshotView')\n",
        "from cairn.base import lazy as put_off\nview = put_off.module('cairn.store.view')\n",
        "from cairn.base import lazy\nview = lazy.function(name='SnapshotView', module='cairn.store.view')\n",
        "from importlib import import_module as load\nview = load('cairn.store.view')\n",
        "from importlib import import_module\n_HOME = 'cairn.store.view'\nview = import_module(_HOME)\n",
    ],
)
def test_a_surface_that_knows_the_store_is_reported(text: str, tmp_path: Path) -> None:
    files = {"store/__init__.py": "", "store/view.py": "", "surfaces/cli/a.py": text, "codebase/a.py": text}
    (found,) = forbidden(fake(tmp_path, files), ("surfaces", "program"), ("store",))
    assert found.startswith("cairn.surfaces.cli.a:")


def test_an_unknown_part_is_reported(tmp_path: Path) -> None:
    modules = fake(tmp_path, {"helpers.py": "", "utils/__init__.py": "", "base/errors.py": ""})
    assert unknown_parts(modules) == ["helpers", "utils"]


def test_a_module_with_a_line_too_many_is_reported(tmp_path: Path) -> None:
    modules = fake(tmp_path, {"base/long.py": "x = 1\n" * 401, "base/full.py": "x = 1\n" * 400})
    assert too_long(modules) == ["cairn.base.long"]


def test_a_circle_is_reported_whether_short_long_or_of_one(tmp_path: Path) -> None:
    modules = fake(
        tmp_path,
        {
            "workspace/__init__.py": "",
            "workspace/a.py": "from cairn.workspace.b import x\n",
            "workspace/b.py": "def f() -> None:\n    from cairn.workspace import c\n",
            "workspace/c.py": "import cairn.workspace.a\n",
            "store/__init__.py": "from cairn.store.view import View\n",
            "store/view.py": "from cairn.store import View\n",
            "base/errors.py": "import cairn.base.errors\n",
            "config/project.py": "from cairn.base.errors import x\n",
        },
    )
    assert cycles(modules) == [
        ("cairn.base.errors",),
        ("cairn.store", "cairn.store.view"),
        ("cairn.workspace.a", "cairn.workspace.b", "cairn.workspace.c"),
    ]


def test_a_circle_of_packages_is_reported_at_any_depth(tmp_path: Path) -> None:
    modules = fake(
        tmp_path,
        {
            "store/__init__.py": "__getattr__ = lazy.exports(__name__, {'view': 'View'})\n",
            "store/rows.py": "",
            "store/view.py": "from cairn.store.live.facts import x\n",
            "store/live/__init__.py": "",
            "store/live/facts.py": "from cairn.store.rows import y\n",
            "base/__init__.py": "",
            "base/lazy.py": "",
        },
    )
    assert cycles(modules) == []
    assert package_cycles(modules) == [("cairn.store", "cairn.store.live")]


@pytest.mark.parametrize(
    "text",
    [
        "try:\n    x\nexcept Exception:\n    pass\n",
        "try:\n    x\nexcept:\n    pass\n",
        "try:\n    x\nexcept BaseException:\n    ...\n",
        "try:\n    x\nexcept (OSError, Exception):\n    pass\n",
        "for y in z:\n    try:\n        x\n    except Exception:\n        continue\n",
        "import contextlib\nwith contextlib.suppress(Exception):\n    x\n",
    ],
)
def test_a_swallowed_exception_is_reported(text: str, tmp_path: Path) -> None:
    assert len(list(swallowed(fake(tmp_path, {"base/errors.py": text})["cairn.base.errors"]))) == 1


@pytest.mark.parametrize(
    "text",
    ["try:\n    x\nexcept OSError:\n    pass\n", "try:\n    x\nexcept Exception as error:\n    report(error)\n"],
)
def test_a_handled_exception_is_not_reported(text: str, tmp_path: Path) -> None:
    assert list(swallowed(fake(tmp_path, {"base/errors.py": text})["cairn.base.errors"])) == []


@pytest.mark.parametrize("text", ["run('x', shell=True)\n", "os.system('x')\n", "Popen('x', shell=flag)\n"])
def test_a_shell_is_reported(text: str, tmp_path: Path) -> None:
    assert list(shells(fake(tmp_path, {"base/errors.py": text})["cairn.base.errors"])) == [1]


@pytest.mark.parametrize("text", ["print('x')\n", "sys.stdout.write('x')\n", "sys.stderr.flush()\n"])
def test_a_print_is_reported(text: str, tmp_path: Path) -> None:
    assert list(prints(fake(tmp_path, {"base/errors.py": text})["cairn.base.errors"])) == [1]


@pytest.mark.slow
def test_a_dry_run_loads_none_of_the_libraries_of_the_store(repo: Repo) -> None:
    heavy = ("numpy", "tantivy", "sqlite3", "watchfiles")
    code = (
        "import sys; from cairn.program.start import main; "
        f"assert main(['index', '--dry-run', {str(repo.path)!r}]) == 0; "
        f"sys.exit(sum(name in sys.modules for name in {heavy!r}))"
    )
    assert subprocess.run((sys.executable, "-c", code), capture_output=True, check=False).returncode == 0


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        ("subprocess.run(('a',))\n", [1]),
        ("subprocess.Popen(('a',), env=os.environ)\n", [1]),
        ("subprocess.Popen(('a',), env=os.environ | {'A': 'b'})\n", [1]),
        ("os.execv('a', ['a'])\n", [1]),
        ("subprocess.run(('a',), env=child_environment(()))\n", []),
        ("def run(environment: ChildEnvironment):\n    subprocess.run(('a',), env=environment)\n", []),
        ("def run(environment: dict):\n    subprocess.run(('a',), env=environment)\n", [2]),
    ],
)
def test_a_child_with_another_environment_is_reported(text: str, lines: list[int], tmp_path: Path) -> None:
    module = fake(tmp_path, {"base/start.py": text})["cairn.base.start"]
    assert list(children_by_themselves(module)) == lines
