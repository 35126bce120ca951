"""Call graphs with a known truth, held against Cairn's: `python -m bench.callgraphs FOLDER...`.

A case is a folder with `callgraph.json`: from the dotted name of a caller to those of what it calls, as PyCG's
suites write it, or `package.Type:method(parameters)` as SWARM-CG's of Java do; overloads are one there. Its data is
brought by whoever runs this and is never a part of the project.
"""

import argparse
import json
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from unittest.mock import patch

from cairn.api import Workspace, open_workspace
from cairn.graph.outline import Branch
from cairn.graph.resolve import LIKELY, PROVEN
from cairn.store import SymbolRow

_MODULES = {".py": "__init__", ".js": "index", ".ts": "index", ".java": ""}
"""How a file ends that a module may be, and the name of the one that stands for its folder; empty where all do."""
_PARAMETERS = re.compile(r"\(.*\)$")
_MAKER = "<init>"
"""A constructor in truths of Java."""
_MAKERS = ("__init__", "constructor")
_VALUES = frozenset({"variable", "constant", "field", "property"})
_TIERS = (PROVEN, LIKELY)
Edge = tuple[str, str]


@dataclass(frozen=True, slots=True)
class Score:
    """How one case's edges agree with the truth."""

    name: str
    wanted: frozenset[Edge]
    found: Mapping[Edge, str]
    """Cairn's edges and their tiers."""

    def right(self, tiers: Sequence[str]) -> int:
        return sum(edge in self.wanted for edge, tier in self.found.items() if tier in tiers)

    def told(self, tiers: Sequence[str]) -> int:
        return sum(tier in tiers for tier in self.found.values())


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.callgraphs", description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path, help="where cases lie, at any depth")
    parser.add_argument("--truth", type=Path, help="one truth beside the folder, where it isn't in it")
    parser.add_argument("--inside", default="", help="the module that the folder itself is")
    parser.add_argument("--show", action="store_true", help="list what is missing and what is wrong")
    options = parser.parse_args()
    scores = []
    with tempfile.TemporaryDirectory() as home, patch.dict(os.environ, _settings(home)):
        for folder in options.folders:
            cases = [(folder, options.truth)] if options.truth else list(_cases(folder))
            scores += [scored(case.resolve(), truth, options.inside) for case, truth in cases]
    if options.show:
        print(*_differences(scores), sep="\n")
    print(*_table(scores), sep="\n")


def _settings(home: str) -> dict[str, str]:
    return {"CAIRN_HOME": home, "CAIRN_EMBED_PROVIDER": "hashing"}


def _cases(folder: Path) -> Iterator[tuple[Path, Path]]:
    for truth in sorted(folder.rglob("callgraph.json")):
        yield truth.parent, truth


def scored(root: Path, truth: Path, inside: str = "") -> Score:
    """One case, indexed anew."""
    wanted: dict[str, list[str]] = json.loads(truth.read_text("utf-8"))
    with open_workspace(str(root)) as workspace:
        found, own = edges(workspace, root, inside)
    # Calls of what the case doesn't define (built-in functions, other packages) are no edges of its own graph.
    return Score(
        f"{root.parent.name}/{root.name}",
        frozenset(
            (_holder(caller), _plain(callee))
            for caller, callees in wanted.items()
            for callee in callees
            if _is_own(_plain(callee), own)
        ),
        {edge: tier for edge, tier in found.items() if tier in _TIERS},
    )


def _holder(caller: str) -> str:
    """A caller of the truth, as Cairn tells it: what a function without a name calls is called by what holds it."""
    return _plain(caller).partition(".<lambda")[0]


def _plain(name: str) -> str:
    """A name of the truth, dotted."""
    return _PARAMETERS.sub("", name).replace(":", ".").replace("$", ".")


def _is_own(callee: str, modules: Iterable[str]) -> bool:
    return any(callee == module or callee.startswith(module + ".") for module in modules)


def edges(workspace: Workspace, root: Path, inside: str) -> tuple[dict[Edge, str], set[str]]:
    """Every call between definitions with its best tier, and the modules there are."""
    modules: dict[str, str] = {}
    branches: list[tuple[str, Branch]] = []
    for file in sorted(each for each in root.rglob("*") if each.suffix in _MODULES and each.stat().st_size):
        path = file.relative_to(root).as_posix()
        modules[path] = _module(file.relative_to(root), inside)
        branches += [(path, each) for each in _all(workspace.outline(path, budget_tokens=200_000).value.branches)]
    makers = {each.symbol.container: each for path, each in branches if each.symbol.name in _MAKERS}
    names = {each.id: _caller(modules[path], each.symbol) for path, each in branches}
    found: dict[Edge, str] = {}
    for path, branch in branches:
        if branch.symbol.kind in _VALUES:
            continue
        graph = workspace.callers(branch.id, 1, nodes=2000, fan_out=500).value
        target = _caller(modules[path], branch.symbol)
        if branch.symbol.kind == "class":
            maker = makers.get(branch.symbol.qualified_name)
            if maker is None and not path.endswith(".java"):
                continue
            target = f"{target}.{maker.symbol.name if maker else _MAKER}"
        callers = {node.id: modules[node.path] if node.kind == "file" else names.get(node.id) for node in graph.nodes}
        for call in graph.calls:
            source = callers[call.source]
            if call.target == branch.id and source is not None:
                best = found.get((source, target))
                found[source, target] = (
                    call.tier if best is None or _TIERS.index(call.tier) < _TIERS.index(best) else best
                )
    return found, set(modules.values())


def _caller(module: str, symbol: SymbolRow) -> str:
    """What runs a call that stands in a definition: a variable's value is made by what the variable is in."""
    name = symbol.container if symbol.kind in _VALUES else symbol.qualified_name
    if symbol.kind == "constructor" and symbol.name not in _MAKERS:
        name = f"{symbol.container}.{_MAKER}"
    return f"{module}.{name}" if name else module


def _module(path: Path, inside: str) -> str:
    parts = [*filter(None, [inside]), *path.with_suffix("").parts]
    return ".".join(parts[:-1] if _MODULES[path.suffix] in ("", parts[-1]) and len(parts) > 1 else parts)


def _all(branches: Iterable[Branch]) -> Iterator[Branch]:
    for branch in branches:
        yield branch
        yield from _all(branch.children)


def _differences(scores: Iterable[Score]) -> Iterator[str]:
    for score in scores:
        for caller, callee in sorted(score.wanted - score.found.keys()):
            yield f"{score.name}: missing {caller} -> {callee}"
        for (caller, callee), tier in sorted(score.found.items()):
            if (caller, callee) not in score.wanted:
                yield f"{score.name}: {tier}, not in the truth: {caller} -> {callee}"


def _table(scores: Sequence[Score]) -> Iterator[str]:
    groups: dict[str, list[Score]] = {}
    for score in scores:
        groups.setdefault(score.name.partition("/")[0], []).append(score)
    if len(groups) > 1:
        groups["all"] = list(scores)
    yield "| group | cases | edges | proven, right | likely, right | recall | cases whole | exact |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- |"
    for name, group in groups.items():
        count = Counter(
            {
                "wanted": sum(len(score.wanted) for score in group),
                "right": sum(score.right(_TIERS) for score in group),
                "whole": sum(score.wanted <= score.found.keys() for score in group),
                "exact": sum(score.wanted == score.found.keys() for score in group),
            }
        )
        shares = [
            f"{sum(score.right((tier,)) for score in group)} of {sum(score.told((tier,)) for score in group)}"
            for tier in _TIERS
        ]
        recall = count["right"] / count["wanted"] if count["wanted"] else 1.0
        cells = [name, len(group), count["wanted"], *shares, f"{recall:.1%}", count["whole"], count["exact"]]
        yield f"| {' | '.join(map(str, cells))} |"


if __name__ == "__main__":
    main()
