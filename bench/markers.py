"""References that suites of other language tools mark in their texts: `python -m bench.markers FILE...`.

Two forms are read: baselines of the TypeScript compiler (`// === findAllReferences ===`, `[|name|]`) and marker
tests of gopls (archives with `//@loc` and `//@refs`). The files are brought by whoever runs this.
"""

import argparse
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from cairn.api import Workspace, open_workspace
from cairn.base.errors import CairnError
from cairn.graph.resolve import LIKELY, NAME, PROVEN

Spot = tuple[str, int, int]
"""A file, a line from 1 and a column in bytes from 0."""
_SECTION = re.compile(r"^// === findAllReferences ===$", re.MULTILINE)
_FILE = re.compile(r"^// === (/\S+) ===$", re.MULTILINE)
_MARK = re.compile(r"/\*FIND ALL REFS\*/|\[\||\|\]|<\||\|>|\{\|[^|]*\|\}")
_PART = re.compile(r"^-- (\S+) --$", re.MULTILINE)
_LOC = re.compile(r"\bloc\((\w+), (?:\"([^\"]*)\"|re\"([^\"]*)\")\)")
_REFS = re.compile(r"\brefs\((?:\"([^\"]*)\"|(\w+))((?:, \w+)*)\)")


@dataclass(frozen=True, slots=True)
class Asked:
    """A place in some files, and all places that name the same thing, its own among them."""

    files: Mapping[str, bytes]
    spot: Spot
    truth: frozenset[Spot]
    same: frozenset[Spot] = frozenset()
    """Places that another question takes for the same thing: what an import or a re-export gives another name is that
    thing to who asks at its definition, and a thing of its own to who asks at the import."""


@dataclass(frozen=True, slots=True)
class Told:
    """Places that were told, with their tiers; None where nothing is known to be named there."""

    asked: Asked
    places: Mapping[Spot, str] | None


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.markers", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", action="store_true", help="list what is missing and what is wrong")
    options = parser.parse_args()
    told: list[Told] = []
    with tempfile.TemporaryDirectory() as folder:
        settings = {"CAIRN_HOME": f"{folder}/home", "CAIRN_EMBED_PROVIDER": "hashing"}
        with patch.dict(os.environ, settings):
            for number, file in enumerate(options.files):
                own = list(_all_told(Path(folder, str(number)), list(read(file))))
                told += own
                for line in _differences(file.name, own) if options.show else ():
                    print(line)
    print(*_table(told), sep="\n")


def read(file: Path) -> Iterator[Asked]:
    """The questions of a suite's file, whichever form it has."""
    text = file.read_text("utf-8", "replace")
    return _of_baseline(text) if _SECTION.search(text) else _of_archive(text)


def _of_baseline(text: str) -> Iterator[Asked]:
    for section in _SECTION.split(text)[1:]:
        # What a baseline leaves out can't be indexed.
        if "--- (line: " in section:
            continue
        files: dict[str, bytes] = {}
        truth: set[Spot] = set()
        asked: Spot | None = None
        heads = list(_FILE.finditer(section))
        for head, after in zip(heads, [*heads[1:], None], strict=False):
            path = head[1].lstrip("/")
            lines = section[head.end() + 1 : after.start() if after else len(section)].rstrip("\n").split("\n")
            plain = []
            for number, line in enumerate(lines, start=1):
                bare, marks = _unmarked(line.removeprefix("//").removeprefix(" "))
                plain.append(bare)
                truth.update((path, number, at) for mark, at in marks if mark == "[|")
                asked = next(((path, number, at) for mark, at in marks if mark.startswith("/*")), asked)
            files[path] = "\n".join(plain).encode() + b"\n"
        if asked in truth:
            yield Asked(files, asked, frozenset(truth))


def _unmarked(line: str) -> tuple[str, list[tuple[str, int]]]:
    """A line without its marks, and each mark with the byte that follows it."""
    bare, marks, end = "", [], 0
    for mark in _MARK.finditer(line):
        bare += line[end : mark.start()]
        marks.append((mark[0], len(bare.encode())))
        end = mark.end()
    return bare + line[end:], marks


def _of_archive(text: str) -> Iterator[Asked]:
    archive = archived(text)
    for note, path, number, code in archive.notes:
        for literal, name, others in _REFS.findall(note):
            spot = archive.spots.get(name) if name else (path, number, len(code[: code.find(literal)].encode()))
            names = others.split(", ")[1:]
            if spot is not None and all(each in archive.spots for each in names):
                yield Asked(archive.files, spot, frozenset(archive.spots[each] for each in names))


@dataclass(frozen=True, slots=True)
class Archive:
    """The files of a test of gopls, the places that it names, and the notes with their lines."""

    files: Mapping[str, bytes]
    spots: Mapping[str, Spot]
    notes: Sequence[tuple[str, str, int, str]]


def archived(text: str) -> Archive:
    """A test of gopls, read."""
    heads = list(_PART.finditer(text))
    files = {
        head[1]: text[head.end() + 1 : after.start() if after else len(text)]
        for head, after in zip(heads, [*heads[1:], None], strict=False)
    }
    spots: dict[str, Spot] = {}
    notes: list[tuple[str, str, int, str]] = []
    for path, content in files.items():
        # What a test wants made of a file is no file of its own.
        for number, line in enumerate(content.split("\n") if not path.startswith("@") else (), start=1):
            code, _, note = line.partition("//@")
            notes.append((note, path, number, code))
            for name, literal, pattern in _LOC.findall(note):
                at = code.find(literal) if literal else _matched(pattern, code)
                if at >= 0:
                    spots[name] = (path, number, len(code[:at].encode()))
    return Archive({path: content.encode() for path, content in files.items()}, spots, notes)


def _matched(pattern: str, code: str) -> int:
    """Where a pattern matches: its group, if it has one."""
    found = re.search(pattern, code)
    return found.start(found.lastindex or 0) if found else -1


def _all_told(root: Path, questions: Sequence[Asked]) -> Iterator[Told]:
    """The answers, each set of files indexed once."""
    grouped: dict[tuple[tuple[str, bytes], ...], list[Asked]] = {}
    for asked in questions:
        grouped.setdefault(tuple(sorted(asked.files.items())), []).append(asked)
    for number, (files, group) in enumerate(grouped.items()):
        folder = root / str(number)
        written(folder, dict(files))
        with open_workspace(str(folder)) as workspace:
            for asked in group:
                others = (each.truth for each in group if asked.spot in each.truth)
                yield Told(replace(asked, same=asked.truth.union(*others)), _places(workspace, asked.spot))


def written(folder: Path, files: Mapping[str, bytes]) -> None:
    """Write the files of a question."""
    for path, content in files.items():
        file = folder / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def _places(workspace: Workspace, spot: Spot) -> dict[Spot, str] | None:
    path, line, column = spot
    try:
        uses = workspace.references(f"{path}:{line}:{column + 1}", 500).value
    except CairnError:
        return None
    if not uses.definitions:
        return None
    found = {(item.path, item.line, item.column): item.tier for item in uses.items}
    for each in uses.definitions:
        at = _name_at(workspace.read(each.path), each.symbol.name_line, each.symbol.name)
        found[each.path, each.symbol.name_line, at] = PROVEN
    return found


def _name_at(text: str, line: int, name: str) -> int:
    found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text.split("\n")[line - 1])
    return len(text.split("\n")[line - 1][: found.start()].encode()) if found else 0


def _differences(name: str, told: Sequence[Told]) -> Iterator[str]:
    for each in told:
        path, line, column = each.asked.spot
        where = f"{name} at {path}:{line}:{column + 1}"
        if each.places is None:
            yield f"{where}: nothing is told"
            continue
        for spot in sorted(each.asked.truth - each.places.keys()):
            yield f"{where}: missing {spot}"
        for spot, tier in sorted(each.places.items()):
            if spot not in each.asked.same:
                yield f"{where}: {tier}, not in the truth: {spot}"


def _table(told: Sequence[Told]) -> Iterator[str]:
    answered = [each for each in told if each.places is not None]
    wanted = sum(len(each.asked.truth) for each in answered)
    tiers: Counter[str] = Counter()
    right: Counter[str] = Counter()
    found = 0
    for each in answered:
        tiers.update((each.places or {}).values())
        right.update(tier for spot, tier in (each.places or {}).items() if spot in each.asked.same)
        found += sum(spot in each.asked.truth for spot in each.places or ())
    yield "| questions | answered | places of these | found | proven, right | likely, right | by name, right |"
    yield "| --- | --- | --- | --- | --- | --- | --- |"
    shares = [f"{right[tier]} of {tiers[tier]}" for tier in (PROVEN, LIKELY, NAME)]
    share = f"{found / wanted:.1%}" if wanted else "-"
    yield f"| {len(told)} | {len(answered)} | {wanted} | {share} | {' | '.join(shares)} |"


if __name__ == "__main__":
    main()
