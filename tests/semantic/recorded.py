"""Two small projects, what the real tools wrote about them, and how that was recorded.

`python -m tests.semantic.recorded` writes `data/` anew with the tools that `make install-scip` installed.
"""

import os
import re
import subprocess
import tempfile
from pathlib import Path

from cairn.semantic.indexers import IndexerRequest, indexer_named
from cairn.semantic.settings import SemanticSettings
from cairn.semantic.tools import run_indexer
from tests.semantic.scip.wireformat import field
from tests.trees import write

REPOSITORY = Path(__file__).resolve().parents[2]
TOOLS = REPOSITORY / "build" / "scip" / "node_modules" / ".bin"
DATA = Path(__file__).parent / "data"

PYTHON = {
    "shop/__init__.py": "",
    "shop/goods.py": '''"""What is sold."""

import os

LIMIT = 3


class Thing:
    """Anything with a price."""

    def price(self) -> int:
        return LIMIT


class Book(Thing):
    def price(self) -> int:
        return len(os.sep)


def total(things: list[Thing]) -> int:
    return sum(thing.price() for thing in things)
''',
    "shop/till.py": """from shop import goods
from .goods import *
from .goods import Book as Volume, total


def sell(name):
    label = "😀é " + name; volume = Volume()
    return label, total([volume]), goods.LIMIT
""",
}
TYPESCRIPT = {
    "package.json": '{"name": "shop", "version": "1.0.0"}\n',
    "tsconfig.json": '{"compilerOptions": {"target": "es2020", "types": []}, "include": ["src"]}\n',
    "src/goods.ts": """export interface Thing {
  price(): number;
}

export class Book implements Thing {
  price(): number {
    return 3;
  }
}

export function total<T extends Thing>(things: T[]): number {
  return things.reduce((sum, thing) => sum + thing.price(), 0);
}
""",
    "src/till.ts": """import { Book as Volume, total } from "./goods";

export function sell(name: string): [string, number] {
  const label = "😀é " + name; const volume = new Volume();
  return [label, total([volume])];
}
""",
}
PROJECTS = {"scip-python": PYTHON, "scip-typescript": TYPESCRIPT}


def make_project(folder: Path, tool: str) -> Path:
    for name, text in PROJECTS[tool].items():
        write(folder, name, text)
    return folder


def recorded(tool: str) -> Path:
    return DATA / f"{tool}.scip"


def why_not_for_real() -> str:
    """Why the real tools aren't run; empty for `make scip`, which must find them."""
    if not os.environ.get("CAIRN_SCIP"):
        return "make scip runs it"
    if why := _missing():
        raise RuntimeError(why)
    return ""


def _missing() -> str:
    if not all((TOOLS / tool).exists() for tool in PROJECTS):
        return "the tools are not installed: make install-scip"
    try:
        subprocess.run(("node", "--version"), check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        return "there is no node"
    return ""


def index_for_real(project: Path, tool: str, folder: Path) -> Path:
    indexer = indexer_named(tool)
    assert indexer is not None
    settings = SemanticSettings(tool_folders=(str(TOOLS),))
    request = IndexerRequest(str(project), str(project), "shop", str(folder))
    return Path(run_indexer(indexer, request, settings, os.environ).output)


def _record() -> None:
    for tool in PROJECTS:
        with tempfile.TemporaryDirectory() as name:
            project = make_project(Path(name).resolve() / "project", tool)
            folder = project.parent / "private"
            folder.mkdir()
            data = index_for_real(project, tool, folder).read_bytes()
        # The machine's own path is in one place, and nobody's business.
        found = re.match(rb"\x0a(.)(.*?)\x1a.(file://[^\x20]*) \x01", data, re.DOTALL)
        assert found is not None
        assert found[1][0] == found.end() - 2
        recorded(tool).write_bytes(field(1, found[2] + field(3, "file:///project") + field(4, 1)) + data[found.end() :])


if __name__ == "__main__":
    _record()
