"""What depends on the module that a definition stands in is led on, asked about or refused; programs run."""

import shutil
import subprocess
from pathlib import Path

import pytest

from cairn.edit.editor import Planned
from tests.edit.test_move import Move, doubts, move, runs, said

__all__ = ["move"]
USED = {"b.py": "K = 2\n", "m.py": "from n import go\nprint(go())\n"}


def kinds(planned: Planned) -> set[str]:
    return {each.kind for each in planned.draft.constructs}


@pytest.mark.requirement("REN.21")
@pytest.mark.parametrize(
    ("body", "word"),
    [
        ('globals()["Z"]', "globals"),
        ('eval("Z")', "eval"),
        ('exec("print(Z)")', "exec"),
        ('sys._getframe().f_globals["Z"]', "f_globals"),
        ("sorted(vars())", "vars()"),
        ("dir()", "dir()"),
        ("__file__", "__file__"),
    ],
)
def test_code_that_reads_its_module_is_asked_about(move: Move, body: str, word: str) -> None:
    planned, _ = move(USED | {"n.py": f"import sys\nZ = 3\n\n\ndef go():\n    return {body}\n"}, "n.py", "go", "b.py")
    assert planned.draft.status == "needs_decision", said(planned)
    assert "own_module" in doubts(planned)
    assert planned.draft.witness is not None
    assert any(word in doubt.question for doubt in planned.draft.witness.checklist)


def test_what_only_sounds_so_goes_through(move: Move, folder: Path) -> None:
    text = "class T:\n    eval = 1\n\n\ndef go():\n    return T().eval, vars(T).keys() is None, go.__name__\n"
    planned, _ = move(USED | {"n.py": text}, "n.py", "go", "b.py", take="proven")
    assert planned.draft.witness is None or "own_module" not in doubts(planned)
    assert runs(folder, "m.py") == "(1, False, 'go')\n"


@pytest.mark.requirement("REN.21")
@pytest.mark.parametrize(
    "use",
    [
        'import pickle\nprint(pickle.loads(b"cn\\nA\\n."))\n',
        "from n import A\nprint(A.__module__)\n",
        "import shelve\n",
    ],
)
def test_who_keeps_the_module_of_a_class_is_asked_about(move: Move, use: str) -> None:
    files = {"n.py": "class A:\n    pass\n\n\ndef f():\n    return 1\n", "b.py": "K = 2\n", "m.py": use}
    planned, _ = move(files, "n.py", "A", "b.py")
    assert "kept_module" in kinds(planned), said(planned)
    planned, _ = move(files, "n.py", "f", "b.py")
    assert "kept_module" not in kinds(planned)


@pytest.mark.slow
@pytest.mark.requirement("REN.21")
def test_what_loading_the_new_module_does_is_asked_about(move: Move, folder: Path) -> None:
    files = {"n.py": "def go():\n    return 1\n", "m.py": USED["m.py"], "b.py": 'print("loading")\n'}
    planned, _ = move(files, "n.py", "go", "b.py")
    assert doubts(planned) == {"load_effects"}
    already = files | {"m.py": "import b\nfrom n import go\nprint(go())\n"}
    planned, _ = move(already, "n.py", "go", "b.py")
    assert planned.applicable, said(planned)
    assert runs(folder, "m.py") == "loading\n1\n"


@pytest.mark.requirement("REN.21")
@pytest.mark.parametrize(
    ("to", "reason"),
    [
        ("class.py", "class is a word of the language"),
        ("p/import/b.py", "import is a word of the language"),
        ("random.py", "would stand before random"),
    ],
)
def test_a_file_that_nobody_could_import_is_refused(move: Move, to: str, reason: str) -> None:
    planned, tree = move(USED | {"p/__init__.py": "", "n.py": "def go():\n    return 1\n"}, "n.py", "go", to)
    assert (planned.draft.status, reason in said(planned), to in tree) == ("refused", True, False), said(planned)


def test_a_module_of_a_package_may_be_called_like_one_of_the_language(move: Move, folder: Path) -> None:
    files = {"p/__init__.py": "", "p/n.py": "def go():\n    return 1\n", "main.py": "from p.n import go\nprint(go())\n"}
    planned, _ = move(files, "p/n.py", "go", "p/random.py")
    assert planned.applicable, said(planned)
    assert runs(folder) == "1\n"


Q = "export const q = 4;\n"


@pytest.mark.requirement("REN.21")
@pytest.mark.skipif(shutil.which("node") is None, reason="needs node")
def test_modules_that_a_script_names_where_it_uses_them_are_led_on(move: Move, folder: Path) -> None:
    files = {
        "package.json": '{"type": "module"}\n',
        "n.js": 'export const go = async () => (await import("./q.js")).q;\n',
        "q.js": Q,
        "sub/deep/b.js": "export const k = 2;\n",
        "m.js": 'import { go } from "./n.js";\nconsole.log(await go());\n',
    }
    planned, tree = move(files, "n.js", "go", "sub/deep/b.js")
    assert planned.applicable, said(planned)
    assert 'import("../../q.js")' in tree["sub/deep/b.js"]
    done = subprocess.run(["node", "m.js"], cwd=folder, capture_output=True, text=True, timeout=60, check=False)
    assert (done.stdout, done.returncode) == ("4\n", 0), done.stderr


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("body", "asked", "written"),
    [
        ('null as unknown as typeof import("./q.ts")', False, 'typeof import("../../q.ts")'),
        ('require("./q")', False, 'require("../../q")'),
        ('jest.requireActual("./q.ts")', False, 'jest.requireActual("../../q.ts")'),
        ('require("./data.bin")', True, ""),
        ("import.meta.url", True, ""),
        ('new URL("./q.ts", import.meta.url)', True, ""),
        ("__dirname", True, ""),
        ("[].concat()", False, "[].concat()"),
    ],
)
def test_what_names_files_from_where_it_stands(move: Move, body: str, asked: bool, written: str) -> None:
    files = {
        "n.ts": f"export function go() {{\n  return {body};\n}}\n",
        "q.ts": Q,
        "m.ts": 'import { go } from "./n.ts";\ngo();\n',
    }
    planned, tree = move(files, "n.ts", "go", "sub/deep/b.ts")
    if asked:
        assert doubts(planned) == {"own_module"}, said(planned)
    else:
        assert planned.applicable, said(planned)
        assert written in tree["sub/deep/b.ts"]


@pytest.mark.slow
def test_names_of_modules_have_the_endings_that_the_tree_gives_them(move: Move) -> None:
    files = {
        "n.ts": "const p = 2;\nexport function go() {\n  return p;\n}\n",
        "b.ts": "export const k = 2;\n",
        "m.ts": 'import { go } from "./n.ts";\ngo();\n',
    }
    planned, tree = move(files, "n.ts", "go", "b.ts")
    assert 'import { p } from "./n.ts";' in tree["b.ts"], said(planned)
    files = files | {"m.ts": "export {};\n", "z.ts": 'import { k } from "./b.js";\nk;\n'}
    planned, tree = move(files, "n.ts", "go", "b.ts")
    assert 'import { p } from "./n.js";' in tree["b.ts"], said(planned)
