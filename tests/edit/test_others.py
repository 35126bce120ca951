"""Renames in programs of JavaScript, TypeScript and Go: what passes does the same, what is asked about could break."""

import os
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn.edit.source.texts import rewritten
from cairn.edit.source.values import APPLICABLE, NEEDS_DECISION, REFUSED
from cairn.syntax.grammar import load
from tests.edit.other_programs import PROGRAMS
from tests.edit.test_python import drafted
from tests.trees import write

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]
CASES = [case.strip("\n").partition("\n") for case in PROGRAMS.split("======")]
# The ends are run in the first tier, where Go's first build of its library would take longest of all.
CASES.sort(key=lambda case: case[2].startswith("--- m.go"))
CASES.append(CASES.pop(0))
_TYPES = frozenset({"type_annotation", "interface_declaration", "type_alias_declaration"})


def laid_out(folder: Path, program: str) -> tuple[str, tuple[str, int, int]]:
    """Write a program's files; the first of them, and where the name to rename is."""
    first, at = "", ("", 0, 0)
    for part in program.split("--- ")[1:]:
        path, _, text = part.partition("\n")
        first = first or path
        for line, row in enumerate(text.split("\n"), start=1):
            if "§" in row:
                at = (path, line, row.index("§") + 1)
        write(folder, path, text.replace("§", ""))
    if first.endswith(".go"):
        write(folder, "go.mod", "module example.com\n\ngo 1.22\n")
    return first, at


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What Go builds is kept for the next program."""
    return str(tmp_path_factory.mktemp("built"))


def ran(folder: Path, path: str, built: str) -> tuple[int, str] | None:
    """What a program prints, and how it ends; None where it can't be run here."""
    command = ("go", "run", ".") if path.endswith(".go") else ("node", "run.mjs" if path.endswith(".ts") else path)
    if shutil.which(command[0]) is None:
        return None
    if path.endswith(".ts"):
        data = (folder / path).read_bytes()
        if b"enum " in data:
            return None
        (folder / "run.mjs").write_bytes(_without_types(data))
    settings = {**os.environ, "GOCACHE": built, "GOFLAGS": "-buildvcs=false"}
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=300, env=settings)
    (folder / "run.mjs").unlink(missing_ok=True)
    return done.returncode, done.stdout


def _without_types(data: bytes) -> bytes:
    """TypeScript as JavaScript, as far as these programs go."""
    loaded = load("typescript")
    assert loaded is not None
    done, kept = 0, b""
    for start, end in _typed(loaded.parser.parse(data).root_node):
        kept, done = kept + data[done:start], end
    return kept + data[done:]


def _typed(node: object) -> Iterator[tuple[int, int]]:
    for child in node.children:  # type: ignore[attr-defined]
        if child.type in _TYPES or (child.type == "required_parameter" and child.text.startswith(b"this:")):
            yield child.start_byte, child.end_byte
        elif child.type == "as_expression":
            yield child.named_children[0].end_byte, child.end_byte
        else:
            yield from _typed(child)


@pytest.mark.parametrize(("what", "program"), [(what, program) for what, _, program in CASES])
def test_a_program_does_the_same_or_is_asked_about(
    folder: Path, monkeypatch: pytest.MonkeyPatch, built: str, what: str, program: str
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    verdict, new = [*what.partition("  ")[0].replace("in vain", "").split(), "fresh"][:2]
    first, at = laid_out(folder, program)
    before = ran(folder, first, built)
    assert before is None or before[0] == 0
    found = drafted(folder, at, new)
    expected = {"passes": APPLICABLE, "asks": (NEEDS_DECISION,), "refused": (REFUSED,)}[verdict]
    assert found.status in expected, found
    for path in found.files if verdict != "refused" else ():
        spots = [spot for spot in found.spots if spot.path == path]
        (folder / path).write_bytes(rewritten((folder / path).read_bytes(), spots, new))
    if before is not None and verdict != "refused" and "in vain" not in what:
        assert (ran(folder, first, built) == before) == (verdict == "passes")


def test_a_type_is_renamed_with_what_is_called_like_it_on_the_same_line(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    data = b"class A { public A(int v) {} ~A() {} static A Of() => new(1); }\n"
    (folder / "A.cs").write_bytes(data)
    found = drafted(folder, ("A.cs", 1, 7))
    assert found.status in APPLICABLE, found
    assert rewritten(data, found.spots, "fresh") == data.replace(b"A", b"fresh")
