"""Renames in Python programs: what passes does the same, and what is asked about could break."""

import subprocess
import sys
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.edit.gate.draft import draft
from cairn.edit.source.texts import rewritten
from cairn.edit.source.values import APPLICABLE, NEEDS_DECISION, REFUSED, EditDraft
from cairn.semantic.states import ProbedContexts
from tests.edit.programs import PROGRAMS
from tests.trees import write

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]
CASES = [case.strip("\n").partition("\n") for case in PROGRAMS.split("======")]


def laid_out(folder: Path, program: str) -> tuple[str, int, int]:
    """Write a program's files; where the name to rename is."""
    at = ("", 0, 0)
    for number, part in enumerate(program.split("--- ")):
        path, _, text = part.partition("\n") if number else ("m.py", "", part)
        for line, row in enumerate(text.split("\n"), start=1):
            if "§" in row:
                at = (path, line, row.index("§") + 1)
        write(folder, path, text.replace("§", ""))
    return at


def drafted(folder: Path, at: tuple[str, int, int], new: str = "fresh") -> EditDraft:
    with Codebase(str(folder)) as codebase:
        codebase.index()
        with codebase.view() as view:
            return draft(view, ProbedContexts(view, codebase.now().is_there), *at, new)


def ran(folder: Path) -> tuple[int, str]:
    """What the program prints, and how it ends."""
    command = (sys.executable, "-B", "m.py")
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, timeout=60)
    return done.returncode, done.stdout


@pytest.mark.parametrize(("what", "program"), [(what, program) for what, _, program in CASES])
def test_a_program_does_the_same_or_is_asked_about(
    folder: Path, monkeypatch: pytest.MonkeyPatch, what: str, program: str
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    new = what.partition(" -> ")[2] or "fresh"
    at = laid_out(folder, program)
    before = ran(folder)
    assert before[0] == 0
    found = drafted(folder, at, new)
    assert found.status in (APPLICABLE if what.startswith("passes") else (NEEDS_DECISION,)), found
    for path in found.files:
        spots = [spot for spot in found.spots if spot.path == path]
        (folder / path).write_bytes(rewritten((folder / path).read_bytes(), spots, new))
    same = ran(folder) == before
    assert same == (not what.startswith("asks ") or what.startswith("asks in vain"))


DOCUMENTED = '''\
class §Box:
    """A Box of things."""  # Box
    def put(self, size):
        """Put `size` into a Box; size counts."""
        return size  # the size
label = "Box"
other = Box().put(size=1)  # Box
'''


@pytest.mark.parametrize(
    ("program", "expected"),
    [
        (DOCUMENTED, [("README.md", 1), ("m.py", 2), ("m.py", 2), ("m.py", 4), ("m.py", 7)]),
        (
            DOCUMENTED.replace("§", "").replace("put(self, size", "put(self, §size"),
            [("m.py", 4), ("m.py", 4), ("m.py", 5)],
        ),
    ],
)
def test_what_people_wrote_of_it_is_offered_by_itself(
    folder: Path, monkeypatch: pytest.MonkeyPatch, program: str, expected: list[tuple[str, int]]
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, program)
    write(folder, "README.md", "A `Box` has a size; Box is a word, and size.\n")
    found = drafted(folder, at)
    assert found.status in APPLICABLE
    assert [(each.choice, [(spot.path, spot.line) for spot in each.spots]) for each in found.candidates] == [
        ("docs", expected)
    ]


def test_what_directives_of_documents_name_is_offered_with_the_documents(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, "def §wrap(): return 1\n")
    write(folder, "api.rst", ".. autofunction:: m.wrap\n\n:func:`m.wrap` and wrap\n")
    write(folder, "api.md", "```{autofunction} wrap\n```\n.. class:: Wrap of wrap\n")
    found = drafted(folder, at)
    assert found.status in APPLICABLE
    assert [[(spot.path, spot.line) for spot in each.spots] for each in found.candidates] == [
        [("api.md", 1), ("api.rst", 1), ("api.rst", 3)]
    ]


def test_a_name_that_exists_is_refused_with_where(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, "class A:\n    §size = 1\nclass B(A):\n    def width(self): return self.size\n")
    found = drafted(folder, at, "width")
    assert (found.status, found.reasons) == ("refused", ("m.py:4 defines B.width already",))


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("def §go(): return 1\ndef f(fresh=2): return fresh + go()\n", "m.py:2 uses fresh already"),
        (
            "def §go(): return 1\ndef f():\n    fresh = 2\n    return lambda: (go(), fresh)\n",
            "m.py:3 uses fresh already",
        ),
        ("def §go(): return 1\ndef f(): return fresh()\n", "m.py:2 uses fresh already"),
        ("def §go(): return 1\nfresh = 2\n", "m.py:2 uses fresh already"),
        ("fresh = 5\nclass A:\n    §go = 3\n    z = fresh\n", "m.py:4 uses fresh already"),
        ("class A:\n    def §go(self): return 1\n    def f(self) -> fresh: pass\n", "m.py:3 uses fresh already"),
        ("class A:\n    def §go(self): return 1\n    @fresh\n    def f(self): pass\n", "m.py:3 uses fresh already"),
        ("class A:\n    def §go(self): return 1\nclass B(A): pass\nB().fresh = 3\n", "m.py:4 uses fresh already"),
        ('class A:\n    __slots__ = ("fresh",)\n    def §go(self): return 1\n', "m.py:2 uses fresh already"),
        ("def f(§go=0, **k): return k\nf(fresh=2)\n", "m.py:2 gives fresh by name already"),
        ("class A:\n    def __init__(self, §go, **k): pass\nA(1, fresh=2)\n", "m.py:3 gives fresh by name already"),
        ("import n\nn.fresh\n--- n.py\ndef §go(): pass\ndef __getattr__(word): pass\n", "m.py:2 uses fresh already"),
        ("from n import fresh\n--- n.py\ndef §go(): pass\ndef __getattr__(w): pass\n", "m.py:1 uses fresh already"),
        ("import n\nn.fresh = 3\n--- n.py\ndef §go(): pass\n", "m.py:2 uses fresh already"),
        ('import n\n--- n.py\n__all__ = ["fresh"]\ndef §go(): pass\n', "n.py:1 uses fresh already"),
        (
            "import p\n--- p/__init__.py\ndef §go(): pass\n--- p/fresh.py\n",
            "p/fresh.py is a module of the package already",
        ),
    ],
)
def test_a_name_that_would_hide_another_is_refused(
    folder: Path, monkeypatch: pytest.MonkeyPatch, program: str, why: str
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    found = drafted(folder, laid_out(folder, program))
    assert (found.status, found.reasons) == (REFUSED, (why,))


@pytest.mark.parametrize("at", [("m.py", 1, 8), ("m.py", 2, 8), ("m.py", 3, 15), ("m.py", 4, 7)])
def test_a_module_is_refused_with_its_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, at: tuple[str, int, int]
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    modules = "--- q.py\n--- p/__init__.py\n--- p/q.py\nz = 1\n"
    laid_out(folder, f"import q\nimport q as w\nfrom p import q\nprint(q.z)\n{modules}")
    found = drafted(folder, at)
    assert (found.status, found.target.kind) == (REFUSED, "module")
    assert found.reasons[0].startswith(f"q is the module {found.target.symbol}: ")
    assert found.target.symbol in ("q.py", "p/q.py")


def test_a_name_that_a_star_leaves_out_is_refused(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, "from n import *\nprint(go())\n--- n.py\ndef §go(): return 1\n")
    found = drafted(folder, at, "_go")
    why = "m.py takes all names of its module, and so none that begins with an underscore"
    assert (found.status, found.reasons) == (REFUSED, (why,))


@pytest.mark.parametrize(("home", "old"), [("n.py", "go"), ("n.py", "_go"), ("k.py", "_go")])
def test_a_name_that_a_star_brings_takes_none_from_its_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, home: str, old: str
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    handing = "--- n.py\nfrom k import *\n" if home == "k.py" else ""
    at = laid_out(folder, f"from n import *\nprint(max(1, 2))\n{handing}--- {home}\ndef §{old}(): return 1\n")
    found = drafted(folder, at, "max")
    assert (found.status, found.reasons) == (REFUSED, ("m.py:2 uses max already",))


def test_a_star_does_not_bring_what_its_module_does_not_list(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, "from n import *\nprint(max(1, x))\n--- n.py\n__all__ = ['x']\nx = 2\ndef §_go(): return 1\n")
    assert drafted(folder, at, "max").status in APPLICABLE


@pytest.mark.parametrize(
    ("path", "text", "opened"),
    [
        ("Snakefile", "from m import go\nrule all:\n    input: go()\n", ["unparsed_code"] * 2),
        ("Dockerfile", "RUN python -c 'from m import go; go()'\n", ["unparsed_code"] * 2),
        ("run.sh", "python -c 'from m import go; print(go())'\n", ["unparsed_code"] * 2),
        ("run.sh", "python - <<END\nfrom m import go\ngo()\nEND\n", ["unparsed_code"] * 2),
        ("run.sh", "go build ./m\n", []),
        ("package.json", '{"scripts": {"t": "python -c \\"import m; m.go()\\""}}\n', ["unparsed_code"]),
        ("Snakefile", "from n import go\nrule all:\n    input: go()\n", []),
        ("notes.txt", "from m import go, and go on\n", []),
    ],
)
def test_code_that_is_not_parsed_is_open_where_it_imports_the_module(
    folder: Path, monkeypatch: pytest.MonkeyPatch, path: str, text: str, opened: list[str]
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, "def §go(): return 1\n")
    write(folder, path, text)
    assert [each.why for each in drafted(folder, at).opened] == opened


@pytest.mark.parametrize(
    ("path", "head", "expected"),
    [
        ("k.py", "# Code generated by maker. DO NOT EDIT.\n", {"made_elsewhere"}),
        ("k.py", "# @generated\n", {"made_elsewhere"}),
        ("k.py", "# Do not edit in anger.\n", set()),
        ("vendor/k.py", "", {"made_elsewhere"}),
    ],
)
def test_files_that_others_write_are_asked_about(
    folder: Path, monkeypatch: pytest.MonkeyPatch, path: str, head: str, expected: set[str]
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, "def §go(): return 1\n")
    write(folder, path, f"{head}from m import go\ngo()\n")
    found = drafted(folder, at)
    assert {each.kind for each in found.constructs} == expected
    assert [doubt for doubt in found.reasons if "shall it be changed" in doubt] == list(found.reasons)


@pytest.mark.parametrize(
    ("path", "text", "opened"),
    [
        ("t.html", "<p>{{ a.go() }}</p>\n", ["template_field"]),
        ("t.html", "{% if a.go %}{% endif %}<p>a.go</p>\n", ["template_field"]),
        ("t.txt", "<% a.go %>\n", ["template_field"]),
        ("t.html", "<p>a.go, {{ go }}</p>\n", []),
        ("w.yml", "it: ${{ matrix.go }}\n", []),
    ],
)
def test_members_that_templates_ask_for_are_open(
    folder: Path, monkeypatch: pytest.MonkeyPatch, path: str, text: str, opened: list[str]
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    at = laid_out(folder, "class A:\n    def §go(self): return 1\n")
    write(folder, path, text)
    assert [each.why for each in drafted(folder, at).opened] == opened
