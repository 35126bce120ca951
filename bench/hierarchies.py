"""Call hierarchies of other language tools' suites: `python -m bench.hierarchies [--tests FOLDER] FILE...`.

Two forms are read: baselines of the TypeScript compiler, whose programs stand in the tests of `--tests`, and marker
tests of gopls (`//@incomingcalls`, `//@outgoingcalls`). The files are brought by whoever runs this.
"""

import argparse
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from unittest.mock import patch

from bench.markers import Spot, archived, written
from cairn.api import Workspace, open_workspace
from cairn.base.errors import CairnError
from cairn.graph.resolve import LIKELY, PROVEN

Head = tuple[str, int]
"""A definition by its file and the line of its name; a file by the line 0."""
_CALLS = re.compile(r"\b(incoming|outgoing)calls\((\w+)((?:, \w+)*)\)")
_FRAME = re.compile(r"[│├╰╭ ]*")
_SPAN = re.compile(r"/(\S+?):(\d+):(\d+)-\S+")
_PROGRAM = re.compile(r"const content = `([^`]*)`")
_NEW_FILE = re.compile(r"^// @filename: /?(\S+)$", re.MULTILINE | re.IGNORECASE)
_MARK = re.compile(r"/\*\w*\*/|\[\||\|\]|^// @\w+:.*\n", re.MULTILINE)


@dataclass(slots=True)
class Item:
    """Something that is called or calls."""

    spot: Spot = ("", 0, 0)
    is_file: bool = False
    around: dict[str, list["Item"]] = field(default_factory=lambda: {"incoming": [], "outgoing": []})

    @property
    def head(self) -> Head:
        return self.spot[0], 0 if self.is_file else self.spot[1]


@dataclass(frozen=True, slots=True)
class Asked:
    """A definition in some files, and what calls it or what it calls."""

    files: Mapping[str, bytes]
    spot: Spot
    direction: str
    truth: frozenset[Head]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.hierarchies", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--tests", type=Path, help="where the tests of baselines lie, at any depth")
    parser.add_argument("--show", action="store_true", help="list what is missing and what is wrong")
    options = parser.parse_args()
    count: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder:
        settings = {"CAIRN_HOME": f"{folder}/home", "CAIRN_EMBED_PROVIDER": "hashing"}
        with patch.dict(os.environ, settings):
            for number, file in enumerate(options.files):
                for asked in read(file, options.tests):
                    written(root := Path(folder, str(number)), asked.files)
                    with open_workspace(str(root)) as workspace:
                        lines = list(_judged(workspace, asked, count))
                    print(*(f"{file.name} {line}" for line in lines), sep="\n") if options.show and lines else None
    print(*_table(count), sep="\n")


def read(file: Path, tests: Path | None) -> Iterator[Asked]:
    """The questions of a suite's file, whichever form it has."""
    text = file.read_text("utf-8")
    if not text.startswith("// === Call Hierarchy ==="):
        archive = archived(text)
        for note, *_ in archive.notes:
            for direction, name, others in _CALLS.findall(note):
                # What the suite names and doesn't mark is not in its files.
                known = (archive.spots[each][:2] for each in others.split(", ")[1:] if each in archive.spots)
                yield Asked(archive.files, archive.spots[name], direction, frozenset(known))
        return
    name = file.name.partition(".callHierarchy.")[0]
    files = _program(name, next((tests or file.parent).rglob(f"{name.replace('.', '')}_test.go")).read_text("utf-8"))
    for item in _items(text):
        for direction, others in item.around.items():
            if item.spot[0] in files:
                heads = (other.head for other in others if other.spot[0] in files)
                yield Asked(files, item.spot, direction, frozenset(heads))


def _program(name: str, test: str) -> dict[str, bytes]:
    found = _PROGRAM.search(test)
    _, *parts = _NEW_FILE.split(found[1] if found else "")
    pairs = zip(parts[::2], (each.removeprefix("\n") for each in parts[1::2]), strict=True)
    pairs_or_all = list(pairs) or [(f"{name}.ts", found[1] if found else "")]
    return {path: _MARK.sub("", text).encode() for path, text in pairs_or_all}


def _items(text: str) -> list[Item]:
    """The outermost items of a baseline, each with what is next to it."""
    found: list[Item] = []
    stack: list[tuple[int, Item]] = []
    way, named = "", False
    for line in text.split("\n"):
        frame = _FRAME.match(line)
        indent = frame.end() if frame else 0
        word = line[indent:]
        if word.startswith("name: "):
            while stack and stack[-1][0] >= indent:
                stack.pop()
            item = Item()
            if len(stack) == 1:
                stack[0][1].around[way].append(item)
            if not stack:
                found.append(item)
            stack.append((indent, item))
        elif word in ("from:", "to:"):
            way = "incoming" if word == "from:" else "outgoing"
        elif word == "kind: file":
            stack[-1][1].is_file = True
        elif word == "selectionSpan:":
            named = True
        elif named and (span := _SPAN.fullmatch(word)):
            stack[-1][1].spot = span[1], int(span[2]), int(span[3]) - 1
            named = False
    return found


def _judged(workspace: Workspace, asked: Asked, count: Counter[str]) -> Iterator[str]:
    path, line, column = asked.spot
    where = f"{asked.direction} of {path}:{line}:{column + 1}"
    count["questions"] += 1
    ask = workspace.callers if asked.direction == "incoming" else workspace.callees
    try:
        graph = ask(f"{path}:{line}:{column + 1}", 1).value
    except CairnError:
        yield f"{where}: nothing is told"
        return
    heads = {node.id: (node.path, 0 if node.kind == "file" else node.line) for node in graph.nodes}
    told: dict[Head, str] = {}
    for call in graph.calls:
        near, far = (call.target, call.source) if asked.direction == "incoming" else (call.source, call.target)
        if near in graph.roots:
            told[heads[far]] = PROVEN if told.get(heads[far]) == PROVEN else call.tier
    count.update({"answered": 1, "edges": len(asked.truth), "found": len(asked.truth & told.keys())})
    for head, tier in sorted(told.items()):
        count.update({tier: 1, f"{tier} right": head in asked.truth})
        if head not in asked.truth:
            yield f"{where}: {tier}, not in the truth: {head}"
    for head in sorted(asked.truth - told.keys()):
        yield f"{where}: missing {head}"


def _table(count: Mapping[str, int]) -> Sequence[str]:
    shares = " | ".join(f"{count[f'{tier} right']} of {count[tier]}" for tier in (PROVEN, LIKELY))
    recall = f"{count['found'] / count['edges']:.1%}" if count["edges"] else "-"
    return (
        "| questions | answered | edges of these | proven, right | likely, right | recall |",
        "| --- | --- | --- | --- | --- | --- |",
        f"| {count['questions']} | {count['answered']} | {count['edges']} | {shares} | {recall} |",
    )


if __name__ == "__main__":
    main()
