"""What the real tools say about hard cases, imported: relative and star imports, new names, odd lines."""

import os
from pathlib import Path

import pytest

from cairn.semantic.indexers import IndexerRequest, indexer_named
from cairn.semantic.scope import FULL, RefreshScope, scope_of
from cairn.semantic.settings import SemanticSettings
from cairn.semantic.tools import Indexed, run_indexer
from tests.semantic.imports import Former, Outcome, Texts, read_back, run, write_segment
from tests.semantic.recorded import TOOLS, why_not_for_real
from tests.trees import write

pytestmark = pytest.mark.skipif(bool(why_not_for_real()), reason=why_not_for_real() or "they can be run")

PYTHON = {
    "pkg/__init__.py": "from .core import Engine, start\nfrom .helpers import *\nfrom . import core, json\n"
    "from .sub.deep import Deep as Deeper\n",
    "pkg/core.py": "from . import helpers\nfrom .helpers import assist\nfrom .json import dumps\n\n"
    "class Engine:\n    def run(self):\n        return assist(), helpers.assist(), dumps(1)\n\n"
    "    def again(self):\n        def inner(): pass\n        inner()\n\n"
    "    def more(self):\n        def inner(): pass\n        inner()\n\n"
    "def start():\n    engine = Engine()\n    engine.run()\n    engine.missing()\n",
    "pkg/helpers.py": "def assist():\n    return 1\n\nclass Thing:\n    pass\n",
    "pkg/json.py": "def dumps(x):\n    return 'mine'\n",
    "pkg/sub/__init__.py": "",
    "pkg/sub/deep.py": "from ..core import Engine as E\nfrom ..helpers import *\nfrom . import string\n"
    "from .string import capwords\n\nclass Deep(E):\n    def run(self):\n"
    "        é = '😀'; t = Thing(); capwords(é); string.capwords('y'); super().run()\n        return t\n",
    "pkg/sub/string.py": "def capwords(x):\n    return x\n",
    "ns/mod.py": "from .other import deed\nfrom ns.other import *\n\ndeed(); third()\n",
    "ns/other.py": "def deed():\n    pass\n\ndef third():\n    pass\n",
    "string.py": "def local_one(s):\n    return s\n",
    "main.py": "import pkg\nfrom pkg import start, Deeper\r\nfrom pkg.core import *\n\n"
    "pkg.start()\nDeeper().run()\nEngine()\n",
}
SCRIPT = {
    "package.json": '{"name": "case", "version": "1.0.0"}\n',
    "tsconfig.json": '{"compilerOptions": {"target": "es2020", "types": [], "allowJs": true}, "include": ["src"]}\n',
    "src/a.ts": "export default class Bar {\n  constructor(public size: number) {}\n"
    "  get wide(): number { return this.size; }\n}\nexport const limit = 3, other = { key: 1, limit };\n"
    "const hidden = 1;\nexport { hidden as shown };\n",
    "src/b.ts": '\ufeffimport Foo, { limit as most, shown } from "./a";\nimport * as all from "./a";\n'
    'const s = "é😀\u2028"; const f = new Foo(most);\nf["wide"]; all.limit; shown; all.default;\n',
}


def index(project: Path, tool: str, scope: RefreshScope = FULL) -> Indexed:
    indexer = indexer_named(tool)
    assert indexer is not None
    folder = project.parent / f"private-{len(scope.packages)}"
    folder.mkdir()
    files = tuple(str(path.relative_to(project)) for path in project.rglob("*.py"))
    request = IndexerRequest(str(project), str(project), "case", str(folder), scope, files)
    return run_indexer(indexer, request, SemanticSettings(tool_folders=(str(TOOLS),)), os.environ)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("real").resolve() / "project"
    for path, text in PYTHON.items():
        target = root / path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(text.encode())
    return root


@pytest.fixture(scope="module")
def python(project: Path) -> Path:
    return Path(index(project, "scip-python").output)


@pytest.fixture
def found(python: Path, tmp_path: Path) -> Outcome:
    return run(tmp_path, python, Texts(PYTHON))


@pytest.mark.requirement("SCIP.1")
def test_the_uses_of_functions_and_classes_are_found_across_files(found: Outcome) -> None:
    assert found.of("`pkg.helpers`/assist().") == [
        ("pkg/core.py", 2, "assist"),
        ("pkg/core.py", 7, "assist"),
        ("pkg/core.py", 7, "assist"),
        ("pkg/helpers.py", 1, "assist"),
    ]
    assert found.of("`pkg.sub.deep`/Deep#") == [
        ("main.py", 2, "Deeper"),
        ("main.py", 6, "Deeper"),
        ("pkg/__init__.py", 4, "Deep"),
        ("pkg/sub/deep.py", 6, "Deep"),
    ]
    assert [place[:2] for place in found.of("`pkg.sub.string`/capwords().")] == [
        ("pkg/sub/deep.py", 4),
        ("pkg/sub/deep.py", 8),
        ("pkg/sub/deep.py", 8),
        ("pkg/sub/string.py", 1),
    ]
    assert found.of("`pkg.json`/dumps().")[0] == ("pkg/core.py", 3, "dumps")


@pytest.mark.requirement("SCIP.1")
def test_edges_that_the_tool_gets_wrong_are_not_there(found: Outcome) -> None:
    """Names behind star imports are the module to it, and modules behind dots the library's or the root's."""
    symbols = {each.symbol: each for each in found.symbols if not each.home}
    for fact in found.facts:
        symbol = symbols.get(fact.symbol)
        if symbol is None:
            assert fact.written in ("engine", "é", "t")
        elif symbol.kind == "module":
            assert fact.written in ("", symbol.name, symbol.name.rpartition(".")[2])
        elif fact.written != symbol.name:
            assert (fact.written, symbol.name) in {("E", "Engine"), ("Deeper", "Deep")}
    assert found.of("case 0 string/__init__:") == [("string.py", 1, "")]
    assert found.of("stdlib 3.11 json/__init__:") == found.of("stdlib 3.11 string/__init__:") == []
    assert {each.written for each in found.facts if each.path == "ns/mod.py"}.isdisjoint({"third"})
    assert found.imported.dropped >= 15


@pytest.mark.requirement("STATE.2")
def test_dependencies_are_there_where_edges_are_not(found: Outcome) -> None:
    on = {path: set(facts.dependencies) for path, facts in found.recorded.items()}
    assert {"pkg/core.py", "pkg/helpers.py", "pkg/json.py", "pkg/sub/deep.py"} <= on["pkg/__init__.py"]
    assert {"pkg/core.py", "pkg/helpers.py", "pkg/sub/string.py"} <= on["pkg/sub/deep.py"]
    assert {"pkg/helpers.py", "pkg/json.py"} <= on["pkg/core.py"]
    assert on["ns/mod.py"] == {"ns/other.py"}
    assert on["pkg/helpers.py"] == set()


@pytest.mark.requirement("STATE.3")
def test_one_symbol_for_two_functions_is_flagged(found: Outcome) -> None:
    assert [(flag.line, flag.what) for flag in found.recorded["pkg/core.py"].flags] == [(14, "inner")]


@pytest.mark.requirement("JOB.3")
def test_a_folder_that_is_indexed_alone_gives_what_the_whole_gives(
    project: Path, python: Path, tmp_path: Path, found: Outcome
) -> None:
    texts = Texts(PYTHON)
    made, imported = write_segment(tmp_path, python, texts)
    former = Former(made, read_back(made, imported, texts))
    part = index(project, "scip-python", scope_of(packages=["pkg/sub"]))
    assert part.prefix == "pkg/sub"
    made, imported = write_segment(tmp_path, Path(part.output), texts, prefix=part.prefix, former=former)
    assert imported.files == 3
    over = read_back(made, imported, texts)
    assert sorted(over.facts) == sorted(found.facts)
    assert {path: each.dependencies for path, each in over.recorded.items()} == {
        path: each.dependencies for path, each in found.recorded.items()
    }


@pytest.mark.requirement("SCIP.1")
def test_scip_typescript_is_imported_whole(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "project"
    for path, text in SCRIPT.items():
        write(root, path, text)
    found = run(tmp_path, Path(index(root, "scip-typescript").output), Texts(SCRIPT))
    assert found.imported.dropped == 0
    assert found.of("`a.ts`/limit.") == [
        ("src/a.ts", 5, "limit"),
        ("src/a.ts", 5, "limit"),
        ("src/b.ts", 1, "limit"),
        ("src/b.ts", 1, "most"),
        ("src/b.ts", 3, "most"),
        ("src/b.ts", 4, "limit"),
    ]
    assert found.of("`a.ts`/hidden.")[-1] == ("src/b.ts", 4, "shown")
    assert ("src/b.ts", 3, "Foo") in found.of("`<constructor>`().")
    assert ("src/b.ts", 4, "wide") in found.of("`<get>wide`().")
    assert found.of("`a.ts`/Bar#")[-1] == ("src/b.ts", 4, "default")


@pytest.mark.requirement("SEMA.20")
def test_settings_for_pyright_hide_no_file(tmp_path: Path) -> None:
    files = {
        "pyproject.toml": '[tool.pyright]\ninclude = ["pkg"]\n',
        "pkg/__init__.py": "",
        "pkg/goods.py": "def price(): return 3\n",
        "src/lay/__init__.py": "",
        "src/lay/m.py": "def q(): return 3\n",
        "more/till.py": "from pkg.goods import price\nfrom lay.m import q\nprice()\nq()\n",
    }
    project = tmp_path / "project"
    for path, text in files.items():
        write(project, path, text)
    found = run(tmp_path / "facts", Path(index(project, "scip-python").output), Texts(files))
    assert [place[0] for place in found.of("`pkg.goods`/price().")] == ["more/till.py", "more/till.py", "pkg/goods.py"]
    assert {place[0] for place in found.of("`lay.m`/q().")} == {"more/till.py", "src/lay/m.py"}
