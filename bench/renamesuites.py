"""Renames that suites of other language tools have the answers of: `python -m bench.renamesuites FILE...`.

Two forms are read: baselines of the TypeScript compiler (`// === findRenameLocations ===`, `[|nameRENAME|]`) and marker
tests of gopls (archives with `//@rename` and the differences that it makes). The files are brought by whoever runs
this. What stands in comments is no part of the comparison: it is a choice of its own.
"""

import argparse
import os
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from unittest.mock import patch

from bench.markers import archived, written
from cairn.base.errors import CairnError
from cairn.codebase.codebase import Codebase
from cairn.edit.gate.draft import draft
from cairn.edit.source.texts import rewritten
from cairn.edit.source.values import APPLICABLE, NEEDS_DECISION, EditDraft, Spot
from cairn.semantic.states import ProbedContexts

RIGHT, ASKS, REFUSED, SILENT, OUTSIDE = "right", "asks", "refused", "silent", "outside"
OTHERWISE, WRONG = "otherwise", "WRONG"
"""`silent`: refused without a reason. `outside`: asks, and its proven places are not all the suite's. `otherwise`:
passes, and isn't what the suite has, for a reason that is written down."""
_SECTION = re.compile(r"^// === findRenameLocations ===$", re.MULTILINE)
_FILE = re.compile(r"^// === (\S+) ===$", re.MULTILINE)
_MARK = re.compile(r"/\*START PREFIX\*/.*?(?=/\*RENAME\*/|\[\|)|/\*RENAME\*/|\[\||RENAME\|\]|\{\|[^|]*\|\}")
_SUFFIX = re.compile(r"(RENAME\|\])((?:(?!\[\||\|\]).)*?)/\*END SUFFIX\*/")
_ASKED = re.compile(
    r"\b(rename|renameerr)\((?:\"([^\"]*)\"|re\"([^\"]*)\"|(\w+)), \"([^\"]*)\", (\w+|\"[^\"]*\"|`[^`]*`)"
)
_HUNK = re.compile(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$")
_COMMENT = re.compile(rb"//[^\n]*|/\*.*?\*/", re.DOTALL)
_LOOKED_AT = {
    "bad.txt": "gopls renames nothing in a package with errors; the names are right",
    "methods.txt": "gopls refuses a method that an interface asks for, or leaves what implements it; all are renamed",
    "issue65098.txt": "its text says that the recorded answer is a fault of gopls: what implements the method is left",
    "recv.txt": "gopls gives receivers of all other methods the name too; each is a name of its own",
    "doclink.txt": "gopls leaves a name out that an import gives if it is the package's own; it is written",
    "random.txt": "the same",
    "findAllRefsReExportsUseInImportType": "asked twice: others keep the name that is exported, or get the new one",
    "renameInheritedProperties7": "classes that derive from each other; a member and what overrides it have one name",
    "renameParameterPropertyDeclaration": "a `let` of the name of its function's parameter, which no compiler takes",
    "renameExportSpecifier": "what is exported under its own name is renamed with it, in all files",
}
"""Renames that differ from what a suite has and were looked at by people: why they are no faults."""
_APART = ("flags", "settings.json", "capabilities.json")


@dataclass(frozen=True, slots=True)
class Asked:
    """A rename of the name at a place, and the files that it makes; None where the suite refuses it."""

    files: Mapping[str, bytes]
    path: str
    line: int
    column: int
    """In bytes, from 0."""
    new: str
    """The name; `+` before what is put to the old one."""
    wanted: Mapping[str, bytes] | None
    also: Sequence["_Section"] = ()
    """Other renames of the same files: one after the other they are right too, as when the suite stops at an import."""
    own: "_Section | None" = None


@dataclass(frozen=True, slots=True)
class Judged:
    asked: Asked
    verdict: str
    reasons: tuple[str, ...] = ()


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.renamesuites", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--show", default="", help="list the renames with these verdicts, separated by commas")
    options = parser.parse_args()
    shown = options.show.split(",")
    found: dict[str, list[Judged]] = {}
    for file in options.files:
        own = [_excused(file.name, each) for each in judged(list(read(file)))]
        found.setdefault("typescript" if file.suffix == ".jsonc" else "gopls", []).extend(own)
        for each in own:
            if each.verdict in shown:
                asked = each.asked
                print(f"{each.verdict} {file.name} {asked.path}:{asked.line}:{asked.column + 1} {each.reasons}")
    print(*table(found), sep="\n")


def _excused(name: str, found: Judged) -> Judged:
    """A rename that differs from the suite, with why that is no fault."""
    why = next((reason for start, reason in _LOOKED_AT.items() if name.startswith(start)), "")
    return replace(found, verdict=OTHERWISE, reasons=(why,)) if found.verdict == WRONG and why else found


def read(file: Path) -> Iterator[Asked]:
    """The renames of a suite's file, whichever form it has."""
    text = file.read_text("utf-8", "replace")
    return _of_baseline(text) if _SECTION.search(text) else _of_archive(text)


def judged(questions: Sequence[Asked]) -> Iterator[Judged]:
    """The verdicts, each set of files indexed once."""
    grouped: dict[tuple[tuple[str, bytes], ...], list[Asked]] = {}
    for asked in questions:
        grouped.setdefault(tuple(sorted(asked.files.items())), []).append(asked)
    for files, group in grouped.items():
        with tempfile.TemporaryDirectory() as folder:
            settings = {"CAIRN_HOME": f"{folder}/home", "CAIRN_EMBED_PROVIDER": "hashing"}
            written(Path(folder, "tree"), dict(files))
            with patch.dict(os.environ, settings), Codebase(f"{folder}/tree") as codebase:
                codebase.index()
                yield from (_judge(codebase, asked) for asked in group)


def _judge(codebase: Codebase, asked: Asked) -> Judged:
    line = asked.files[asked.path].split(b"\n")[asked.line - 1]
    old = re.match(rb"#?([\w$]*)", line[asked.column :])
    new = (old[1].decode() if old else "") + asked.new[1:] if asked.new.startswith("+") else asked.new
    with codebase.view() as view:
        known = ProbedContexts(view, codebase.now().is_there)
        try:
            found = draft(view, known, asked.path, asked.line, asked.column + 1, new)
        except CairnError as error:
            return Judged(asked, REFUSED if str(error) else SILENT, (str(error),))
    return Judged(asked, _verdict(asked, found), found.reasons or _differences(asked, found))


def _verdict(asked: Asked, found: EditDraft) -> str:
    if found.status in APPLICABLE:
        made = _made(asked, found.spots, found.new_name)
        return RIGHT if any(_same(made, each) for each in _wanted(asked, found)) else WRONG
    if found.status == NEEDS_DECISION:
        if asked.wanted is None:
            return ASKS
        lines = [_changed_lines(asked.files, each) for each in _wanted(asked, found)]
        proven = {(spot.path, spot.line) for spot in found.spots}
        return ASKS if any(proven <= each for each in lines) else OUTSIDE
    return REFUSED if any(found.reasons) else SILENT


def _wanted(asked: Asked, found: EditDraft) -> Iterator[Mapping[str, bytes]]:
    """What is right: the suite's rename, and that with the others that lie within what is changed."""
    if asked.wanted is not None:
        yield asked.wanted
    if asked.own is not None:
        changed = {(spot.path, spot.line, spot.column) for spot in found.spots}
        yield asked.own.made(asked.files, [each for each in asked.also if each.edits.keys() <= changed])


def _made(asked: Asked, spots: Iterable[Spot], new: str) -> dict[str, bytes]:
    by_path: dict[str, list[Spot]] = {}
    for spot in spots:
        by_path.setdefault(spot.path, []).append(spot)
    return {
        path: rewritten(content, by_path[path], new) if path in by_path else content
        for path, content in asked.files.items()
    }


def _same(one: Mapping[str, bytes], other: Mapping[str, bytes]) -> bool:
    return one.keys() == other.keys() and all(_bare(one[path]) == _bare(other[path]) for path in one)


def _bare(content: bytes) -> bytes:
    return _COMMENT.sub(b"", content)


def _changed_lines(files: Mapping[str, bytes], wanted: Mapping[str, bytes]) -> set[tuple[str, int]]:
    return {
        (path, number)
        for path, content in files.items()
        for number, (old, new) in enumerate(
            zip(content.split(b"\n"), wanted.get(path, b"").split(b"\n"), strict=False), start=1
        )
        if old != new
    }


def _differences(asked: Asked, found: EditDraft) -> tuple[str, ...]:
    """The lines that are not as the suite has them."""
    if asked.wanted is None:
        return ("the suite refuses it",)
    made = _made(asked, found.spots, found.new_name)
    wanted = _changed_lines(made, asked.wanted)
    return tuple(f"{path}:{number}" for path, number in sorted(wanted))


def _of_baseline(text: str) -> Iterator[Asked]:
    sections = [_Section(each) for each in _SECTION.split(text)[1:]]
    whole = [each for each in sections if each.asked is not None]
    files: dict[str, bytes] = {}
    for each in whole:
        files = {**each.files, **files}
    if any(files[path] != content for each in whole for path, content in each.files.items()):
        return
    for each in whole:
        assert each.asked is not None
        path, line, column = each.asked
        yield Asked(files, path, line, column, "+RENAME", each.made(files), whole, each)


class _Section:
    """One rename of a baseline: the files without its marks, and the places that it changes."""

    def __init__(self, text: str) -> None:
        self.files: dict[str, bytes] = {}
        self.asked: tuple[str, int, int] | None = None
        self.edits: dict[tuple[str, int, int], str] = {}
        """The texts of places after the rename."""
        self.sizes: dict[tuple[str, int, int], int] = {}
        # What a baseline leaves out can't be indexed.
        if "--- (line: " in text or "bundled:" in text:
            return
        heads = list(_FILE.finditer(text))
        asked = None
        for head, after in zip(heads, [*heads[1:], None], strict=False):
            path = head[1].lstrip("/")
            lines = text[head.end() + 1 : after.start() if after else len(text)].rstrip("\n").split("\n")
            plain = []
            for number, line in enumerate(lines, start=1):
                bare, at = self._line(path, number, line.removeprefix("//").removeprefix(" "))
                plain.append(bare)
                asked = (path, number, at) if at >= 0 else asked
            self.files[path] = "\n".join(plain).encode() + b"\n"
        # A place that is not changed itself is no place to ask at.
        if asked is not None:
            self.asked = next((place for place in self.edits if _touches(place, self.sizes[place], asked)), None)

    def _line(self, path: str, number: int, line: str) -> tuple[str, int]:
        """A line without its marks, and where it is asked."""
        line = _SUFFIX.sub(lambda said: f"{said[1]}\0{said[2]}\0", line)
        bare, asked, prefix, start = "", -1, "", -1
        for part in re.split(f"({_MARK.pattern}|\0[^\0]*\0)", line):
            if part.startswith("/*START PREFIX*/"):
                prefix = part.removeprefix("/*START PREFIX*/")
            elif part == "/*RENAME*/":
                asked = len(bare.encode())
            elif part == "[|":
                start = len(bare.encode())
            elif part == "RENAME|]":
                old = bare.encode()[start:].decode()
                self.edits[path, number, start] = f"{prefix}{old}RENAME"
                self.sizes[path, number, start] = len(old.encode())
                prefix = ""
            elif part.startswith("\0"):
                self.edits[path, number, start] += part.strip("\0")
            elif not part.startswith("{|"):
                bare += part
        return bare, asked

    def made(self, files: Mapping[str, bytes], others: Iterable["_Section"] = ()) -> dict[str, bytes]:
        """The files with this rename, and with others after it."""
        said: dict[tuple[str, int, int], set[str]] = {}
        for each in (self, *others):
            for place, text in each.edits.items():
                said.setdefault(place, set()).add(text)
        sizes = {place: size for each in (self, *others) for place, size in each.sizes.items()}
        made = {path: content.split(b"\n") for path, content in files.items()}
        for (path, line, column), texts in sorted(said.items(), reverse=True):
            row, size = made[path][line - 1], sizes[path, line, column]
            # Where one rename keeps the name that is imported and another the name that is bound, both are new.
            text = next(iter(texts)) if len(texts) == 1 else f"{row[column : column + size].decode()}RENAME"
            made[path][line - 1] = row[:column] + text.encode() + row[column + size :]
        return {path: b"\n".join(rows) for path, rows in made.items()}


def _touches(place: tuple[str, int, int], size: int, asked: tuple[str, int, int]) -> bool:
    return place[:2] == asked[:2] and place[2] - 1 <= asked[2] <= place[2] + size + 1


def _of_archive(text: str) -> Iterator[Asked]:
    archive = archived(text)
    plain = {
        path: content for path, content in archive.files.items() if not path.startswith("@") and path not in _APART
    }
    for note, path, number, code in archive.notes:
        for kind, literal, pattern, name, new, golden in _ASKED.findall(note) if path in plain else ():
            spot = archive.spots.get(name) if name else None
            if not name:
                found = re.search(pattern or re.escape(literal), code)
                spot = (path, number, len(code[: found.start(found.lastindex or 0)].encode())) if found else None
            if spot is not None:
                wanted = _patched(plain, archive.files, f"@{golden}/") if kind == "rename" else None
                yield Asked(plain, *spot, new, wanted)


def _patched(plain: Mapping[str, bytes], parts: Mapping[str, bytes], golden: str) -> dict[str, bytes]:
    """The files with the differences that a test has recorded."""
    made = dict(plain)
    for name, difference in parts.items():
        path = name.removeprefix(golden)
        if not name.startswith(golden):
            continue
        if path not in plain or not difference.startswith(b"@@"):
            made[path] = difference
            continue
        rows, moved = plain[path].decode().split("\n"), 0
        lines = difference.decode().split("\n")
        for index, line in enumerate(lines):
            if hunk := _HUNK.match(line):
                size = int(hunk[2]) if hunk[2] is not None else 1
                first = int(hunk[1]) - (size > 0) + moved
                end = next((at for at in range(index + 1, len(lines)) if lines[at].startswith("@@")), len(lines))
                added = [each[1:] for each in lines[index + 1 : end] if each.startswith("+")]
                rows[first : first + size] = added
                moved += len(added) - size
        made[path] = "\n".join(rows).encode()
    return made


def table(found: Mapping[str, Sequence[Judged]]) -> Iterator[str]:
    """What became of the renames of each suite."""
    yield "| suite | renames | passes, right | asks | refused | passes, otherwise | wrong | asks, outside | no reason |"
    yield "| --- | --- | --- | --- | --- | --- | --- | --- | --- |"
    for suite, own in found.items():
        count = Counter(each.verdict for each in own)
        shares = [f"{count[verdict]} ({count[verdict] / len(own):.0%})" for verdict in (RIGHT, ASKS, REFUSED)]
        rest = [str(count[verdict]) for verdict in (OTHERWISE, WRONG, OUTSIDE, SILENT)]
        yield f"| {suite} | {len(own)} | {' | '.join((*shares, *rest))} |"


if __name__ == "__main__":
    main()
