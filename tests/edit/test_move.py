"""A definition moves to another module: all runs afterwards as before, or nothing is written and it is said why."""

import re
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack
from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.moves import Moving
from cairn.edit.editor import Planned
from tests.trees import write

Move = Callable[..., tuple[Planned, dict[str, str]]]
PACKAGE = {
    "pkg/__init__.py": "from .a import f\n",
    "pkg/a.py": (
        '"""Old."""\n\nimport os\nfrom .c import helper\n\nLIMIT = 3\n\n\n'
        "# Says where.\n@helper\ndef f(x: int = 1) -> str:\n    return os.path.join(str(x), 'y')\n\n\n"
        "def g():\n    return LIMIT\n"
    ),
    "pkg/b.py": '"""New."""\n\nimport sys\n\n\ndef other():\n    return sys.argv\n',
    "pkg/c.py": "def helper(function):\n    return function\n",
    "main.py": "from pkg.a import f, g\n\nprint(f(2), g())\n",
}


@pytest.fixture
def move(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Move]:
    """Move `name` of a file to another; the result and the tree afterwards, if it could be applied."""
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    with ExitStack() as stack:

        def moved(
            files: Mapping[str, str], path: str, name: str, to: str, take: str = ""
        ) -> tuple[Planned, dict[str, str]]:
            for each, text in files.items():
                write(folder, each, text)
            codebase = stack.enter_context(Codebase(str(folder)))
            codebase.index()
            moving = Moving(codebase)
            head = re.compile(rf"^(?:export )?(?:abstract )?(?:\w+ )?({name})\b(?=\s*[(:=<{{]| extends)", re.M)
            found = head.search(files[path])
            assert found is not None
            line = files[path].count("\n", 0, found.start(1)) + 1
            column = found.start(1) - files[path].rfind("\n", 0, found.start(1))
            planned = moving.plan_move(path, line, column, to)
            if take and planned.plan is not None:
                planned = moving.decide(f"{planned.plan.id}:{take}")
            if planned.applicable and planned.plan is not None:
                moving.apply(planned.plan.id)
            after = (each for each in folder.rglob("*") if each.is_file())
            return planned, {str(each.relative_to(folder)): each.read_text() for each in after}

        yield moved


def runs(folder: Path, file: str = "main.py") -> str:
    done = subprocess.run(
        [sys.executable, "-B", file], cwd=folder, capture_output=True, text=True, timeout=60, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def doubts(planned: Planned) -> set[str]:
    """The codes of what is asked."""
    assert planned.draft.witness is not None
    return {doubt.code for doubt in planned.draft.witness.checklist}


def said(planned: Planned) -> str:
    return "; ".join((planned.draft.status, *planned.draft.reasons))


def test_a_function_goes_with_decorators_comments_and_imports_and_everybody_takes_it_from_there(
    move: Move, folder: Path
) -> None:
    planned, tree = move(PACKAGE, "pkg/a.py", "f", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert tree["pkg/a.py"] == '"""Old."""\n\nLIMIT = 3\n\n\ndef g():\n    return LIMIT\n'
    assert tree["pkg/b.py"] == (
        '"""New."""\n\nimport sys\nimport os\nfrom .c import helper\n\n\ndef other():\n    return sys.argv\n\n\n'
        "# Says where.\n@helper\ndef f(x: int = 1) -> str:\n    return os.path.join(str(x), 'y')\n"
    )
    assert tree["pkg/__init__.py"] == "from .b import f\n"
    assert tree["main.py"] == "from pkg.a import g\nfrom pkg.b import f\n\nprint(f(2), g())\n"
    assert runs(folder) == "2/y 3\n"


@pytest.mark.slow
def test_a_new_file_is_made_with_its_packages_and_an_undo_takes_all_of_it_back(move: Move, folder: Path) -> None:
    planned, tree = move(PACKAGE, "pkg/a.py", "f", "pkg/sub/deep.py")
    assert planned.applicable, said(planned)
    assert tree["pkg/sub/__init__.py"] == ""
    assert tree["pkg/sub/deep.py"].startswith("import os\nfrom ..c import helper\n\n\n# Says where.\n@helper\ndef f")
    assert tree["pkg/__init__.py"] == "from .sub.deep import f\n"
    assert runs(folder) == "2/y 3\n"
    with Codebase(str(folder)) as codebase:
        moving = Moving(codebase)
        moving.undo(moving.edits()[-1].id)
    assert not (folder / "pkg/sub").exists()
    assert {path: (folder / path).read_text() for path in PACKAGE} == PACKAGE


@pytest.mark.sampled
@pytest.mark.parametrize(
    ("importing", "used", "after"),
    [
        ("from pkg.a import f as h", "h", "from pkg.b import f as h"),
        ("from pkg import a", "a.f", "from pkg import a\nfrom pkg import b"),
        ("import pkg.a", "pkg.a.f", "import pkg.a\nimport pkg.b"),
        ("import pkg.a as x", "x.f", "import pkg.a as x\nimport pkg.b"),
        ("from pkg import f", "f", "from pkg import f"),
        ("import pkg", "pkg.f", "import pkg"),
        ("from pkg.a import *", "f", "from pkg.a import *\nfrom pkg.b import f"),
        ("from pkg.a import (\n    f,\n    g,\n)", "f", "from pkg.a import (\n    g,\n)\nfrom pkg.b import f"),
    ],
)
def test_each_way_to_take_it_is_mended_and_who_takes_it_from_elsewhere_stays(
    move: Move, folder: Path, importing: str, used: str, after: str
) -> None:
    planned, tree = move(PACKAGE | {"main.py": f"{importing}\n\nprint({used}(2))\n"}, "pkg/a.py", "f", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert tree["main.py"].startswith(after + "\n\n"), tree["main.py"]
    assert runs(folder) == "2/y\n"


@pytest.mark.slow
@pytest.mark.parametrize("relative", ["from .a import f", "from . import a", "import pkg.a"])
def test_imports_within_a_function_stay_there(move: Move, folder: Path, relative: str) -> None:
    used = {"from .a import f": "f", "from . import a": "a.f", "import pkg.a": "pkg.a.f"}[relative]
    user = f"def use():\n    {relative}\n    return {used}(2)\n"
    files = PACKAGE | {"pkg/user.py": user, "main.py": "from pkg.user import use\nprint(use())\n"}
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert tree["pkg/user.py"] != user
    assert runs(folder) == "2/y\n"


@pytest.mark.slow
def test_what_its_old_module_still_uses_it_imports_and_what_it_needs_of_it_is_taken_from_there(
    move: Move, folder: Path
) -> None:
    files = PACKAGE | {
        "pkg/a.py": "LIMIT = 3\n\n\ndef f(x):\n    return x + 1\n\n\ndef g():\n    return f(LIMIT)\n",
        "main.py": "from pkg.a import g\nprint(g())\n",
    }
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert tree["pkg/a.py"].startswith("from .b import f\n\nLIMIT = 3\n") or tree["pkg/a.py"].startswith(
        "from pkg.b import f\n\nLIMIT = 3\n"
    )
    assert runs(folder) == "4\n"
    files |= {"pkg/a.py": "LIMIT = 3\n\n\ndef f(x):\n    return x + LIMIT\n"}
    files |= {"main.py": "from pkg.a import f\nprint(f(1))\n"}
    planned, tree = move(files, "pkg/a.py", "f", "pkg/new.py")
    assert planned.applicable, said(planned)
    assert runs(folder) == "4\n"


@pytest.mark.requirement("REN.20")
def test_a_move_that_makes_an_import_cycle_is_refused_with_the_way_out(move: Move) -> None:
    files = PACKAGE | {
        "pkg/a.py": "LIMIT = 3\n\n\ndef f(x):\n    return x + LIMIT\n\n\ndef g():\n    return f(1)\n",
    }
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert planned.draft.status == "refused"
    assert "import cycle" in said(planned)
    assert "pkg/a.py" in said(planned)
    assert "move what it uses" in said(planned)
    assert tree == files


def test_a_name_that_the_new_module_has_already_is_refused_with_its_place(move: Move) -> None:
    files = PACKAGE | {"pkg/b.py": "\n\ndef f():\n    return 1\n"}
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert said(planned) == "refused; pkg/b.py:3 has a f already"
    planned, tree = move(PACKAGE | {"pkg/b.py": "def helper():\n    return 1\n"}, "pkg/a.py", "f", "pkg/b.py")
    assert "pkg/b.py:1 gives helper another meaning" in said(planned)
    assert tree["pkg/a.py"] == PACKAGE["pkg/a.py"]


def test_what_imports_it_in_the_new_module_has_it_there(move: Move, folder: Path) -> None:
    files = PACKAGE | {
        "pkg/b.py": "from .a import f, g\nfrom . import a\n\nVALUE = f(1)\n\n\ndef use():\n    return a.f(2), g()\n",
        "main.py": "from pkg import b\nprint(b.VALUE, b.use())\n",
    }
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert "from .a import g\n" in tree["pkg/b.py"]
    assert runs(folder) == "1/y ('2/y', 3)\n"


def test_lists_of_exports_follow(move: Move, folder: Path) -> None:
    files = PACKAGE | {
        "pkg/a.py": '__all__ = ["f", "g"]\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return 2\n',
        "pkg/b.py": '__all__ = ["other"]\n\n\ndef other():\n    return 3\n',
        "main.py": "from pkg.a import *\nfrom pkg.b import *\nprint(f(), g(), other())\n",
    }
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert tree["pkg/a.py"].startswith('__all__ = ["g"]\n')
    assert tree["pkg/b.py"].startswith('__all__ = ["f", "other"]\n')
    assert runs(folder) == "1 2 3\n"


def test_names_for_types_stay_for_types_and_the_future_goes_along(move: Move, folder: Path) -> None:
    a = (
        "from __future__ import annotations\n\nfrom typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n"
        "    from .c import Kind\n\n\ndef f(x: Kind) -> Kind:\n    return x\n"
    )
    files = PACKAGE | {"pkg/a.py": a, "pkg/c.py": "class Kind: ...\n", "main.py": "from pkg.a import f\nprint(f(1))\n"}
    planned, tree = move(files, "pkg/a.py", "f", "pkg/new.py")
    assert planned.applicable, said(planned)
    assert tree["pkg/new.py"].startswith(
        "from __future__ import annotations\nfrom typing import TYPE_CHECKING\n\nif TYPE"
    )
    assert runs(folder) == "1\n"


def test_a_module_without_the_future_is_asked_about(move: Move) -> None:
    a = "from __future__ import annotations\n\n\ndef f(x: int) -> int:\n    return x\n"
    planned, _ = move(PACKAGE | {"pkg/a.py": a}, "pkg/a.py", "f", "pkg/b.py")
    assert planned.draft.status == "needs_decision"
    assert "future_annotations" in doubts(planned)


@pytest.mark.slow
def test_texts_that_give_its_full_name_are_asked_about_and_prose_is_offered(move: Move) -> None:
    files = PACKAGE | {
        "tests/test_f.py": "from unittest import mock\n\n\n@mock.patch('pkg.a.f')\ndef test(f):\n    pass\n",
        "README.md": "Call `pkg.a.f` first.\n",
    }
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert planned.draft.status == "needs_decision"
    assert tree == files
    assert {each.choice for each in planned.draft.candidates} == {"proven", "all", "docs"}
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py", "all,docs")
    assert "'pkg.b.f'" in tree["tests/test_f.py"]
    assert tree["README.md"] == "Call `pkg.b.f` first.\n"


@pytest.mark.parametrize(
    ("old", "reason"),
    [
        ("def f():\n    global COUNT\n    COUNT = 1\n\n\nCOUNT = 0\n", "another value"),
        ("if True:\n    def f():\n        return 1\n", "no statement of its own"),
        ("f = g = 1\n", "no statement of its own"),
        ("class K:\n    def f(self):\n        return 1\n", "top of its module"),
    ],
)
def test_what_can_not_be_moved_is_refused_with_the_reason(move: Move, folder: Path, old: str, reason: str) -> None:
    files = {"pkg/a.py": old, "pkg/b.py": "x = 1\n"}
    for each, text in files.items():
        write(folder, each, text)
    with Codebase(str(folder)) as codebase:
        codebase.index()
        at = re.search(r"\bf\b", old)
        assert at is not None
        line = old.count("\n", 0, at.start()) + 1
        planned = Moving(codebase).plan_move("pkg/a.py", line, at.start() - old.rfind("\n", 0, at.start()), "pkg/b.py")
    assert reason in said(planned)


@pytest.mark.slow
def test_a_class_and_a_constant_move_too(move: Move, folder: Path) -> None:
    files = PACKAGE | {
        "pkg/a.py": "from .c import helper\n\n# The most.\nLIMIT: int = 3\n\n\n"
        "class K:\n    most = LIMIT\n\n    def m(self):\n        return helper(self.most)\n",
        "pkg/__init__.py": "",
        "main.py": "from pkg.a import K, LIMIT\nprint(K().m(), LIMIT)\n",
    }
    planned, tree = move(files, "pkg/a.py", "LIMIT", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert runs(folder) == "3 3\n"
    planned, tree = move(tree, "pkg/a.py", "K", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert runs(folder) == "3 3\n"


@pytest.mark.parametrize(
    "replacing",
    [
        "def test(monkeypatch):\n    monkeypatch.setattr('pkg.a.helper', None)\n",
        "from pkg import a\n\n\ndef test(monkeypatch):\n    monkeypatch.setattr(a, 'helper', None)\n",
        "from pkg import a\n\n\ndef test():\n    a.helper = None\n",
    ],
)
def test_a_name_that_it_uses_and_a_test_replaces_is_asked_about(move: Move, replacing: str) -> None:
    planned, _ = move(PACKAGE | {"tests/test_f.py": replacing}, "pkg/a.py", "f", "pkg/b.py")
    assert planned.draft.status == "needs_decision"
    assert {each.why for each in planned.draft.opened} == {"replaced_name"}


@pytest.mark.slow
def test_what_stands_in_annotations_alone_makes_no_import_cycle(move: Move, folder: Path) -> None:
    future = "from __future__ import annotations\n\n"
    files = PACKAGE | {
        "pkg/a.py": f"{future}from .b import other\n\n\nclass K: ...\n\n\n"
        "def f(x: K) -> K:\n    return other(x)\n\n\ny = f(1)\n",
        "pkg/b.py": f"{future}\ndef other(x):\n    return x\n",
        "main.py": "from pkg.a import f\nprint(f(1))\n",
    }
    planned, tree = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert "if TYPE_CHECKING:\n    from .a import K\n" in tree["pkg/b.py"]
    assert runs(folder) == "1\n"


def test_a_module_that_is_known_already_needs_no_other_import(move: Move, folder: Path) -> None:
    main = "from pkg import a\nfrom pkg import b\n\nprint(a.f(2), b.other)\n"
    planned, tree = move(PACKAGE | {"main.py": main}, "pkg/a.py", "f", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert tree["main.py"] == main.replace("a.f", "b.f")


def test_a_base_is_needed_when_the_module_is_loaded(move: Move, folder: Path) -> None:
    future = "from __future__ import annotations\n\n\n"
    files = {
        "pkg/__init__.py": "",
        "pkg/a.py": f"{future}class Base:\n    x = 1\n\n\n"
        "class K(Base):\n    def m(self) -> Base:\n        return self\n",
        "pkg/b.py": f"{future}y = 1\n",
        "main.py": "from pkg.a import K\nprint(K().m().x)\n",
    }
    planned, tree = move(files, "pkg/a.py", "K", "pkg/b.py")
    assert planned.applicable, said(planned)
    assert "TYPE_CHECKING" not in tree["pkg/b.py"]
    assert runs(folder) == "1\n"


def test_a_cycle_that_is_there_already_and_a_module_that_is_not_loaded_everywhere_are_asked_about(move: Move) -> None:
    files = PACKAGE | {
        "pkg/a.py": "import sys\n\nfrom .b import other\n\nassert sys.platform\nx = other\n\n\n"
        "def f():\n    return x\n\n\ny = f\n",
        "pkg/b.py": "import sys\n\nif sys.platform == 'win32':\n    from .a import x\n\n\ndef other():\n    return 1\n",
    }
    planned, _ = move(files, "pkg/a.py", "f", "pkg/new.py")
    assert "import cycle" in said(planned)
    planned, _ = move(files, "pkg/a.py", "f", "pkg/b.py")
    assert planned.draft.status == "refused" or planned.draft.witness is not None
    alone = "assert True\n\n\ndef f():\n    return 1\n"
    planned, _ = move(PACKAGE | {"pkg/a.py": alone}, "pkg/a.py", "f", "pkg/b.py")
    assert doubts(planned) == {"conditional_module"}


def test_imports_in_another_outermost_package_are_absolute(move: Move, folder: Path) -> None:
    files = {
        "p/__init__.py": "",
        "p/a.py": "from .c import k\nfrom . import c\n\n\ndef f():\n    from .c import k as late\n"
        "    return k, c.k, late\n",
        "p/c.py": "k = 3\n",
        "q/__init__.py": "",
        "q/b.py": "x = 1\n",
        "main.py": "from p.a import f\nprint(f())\n",
    }
    planned, tree = move(files, "p/a.py", "f", "q/b.py")
    assert planned.applicable, said(planned)
    assert "from p.c import k\n" in tree["q/b.py"]
    assert "from .." not in tree["q/b.py"]
    assert runs(folder) == "(3, 3, 3)\n"


@pytest.mark.slow
def test_a_relative_import_of_folders_that_no_file_marks_climbs_no_higher_than_one_that_is_written(move: Move) -> None:
    files = {"p/a.py": "from .c import k\n\n\ndef f():\n    return k\n", "p/c.py": "k = 3\n", "q/b.py": "x = 1\n"}
    planned, _ = move(files, "p/a.py", "f", "q/b.py")
    assert said(planned) == "refused; q/b.py has no name for the module .c"
    files["p/b.py"] = "x = 1\n"
    planned, tree = move(files, "p/a.py", "f", "p/b.py")
    assert (planned.applicable, tree["p/a.py"]) == (True, ""), said(planned)
    assert "from .c import k\n" in tree["p/b.py"]


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("def max():\n    return 1\n", "def h():\n    return max(1, 2)\n", "new.py:2 uses max already"),
        ("from c import len\n\n\ndef max():\n    return len()\n", "y = 1\nx = len([y])\n", "new.py:2 uses len already"),
        ("len = 3\n\n\ndef max():\n    return len\n", "x = len([1])\n", "new.py:1 uses len already"),
        ("def max():\n    return 1\n", "def h(max):\n    return max(1, 2)\n", ""),
        ("def max():\n    return 1\n", "def h():\n    return dict(max=2)\n", ""),
        ("def max():\n    return 1\n", "from old import max\nx = max()\n", ""),
    ],
)
def test_a_name_that_the_new_module_uses_with_another_meaning_is_refused(
    move: Move, old: str, new: str, reason: str
) -> None:
    planned, _ = move({"old.py": old, "new.py": new, "c.py": "def len():\n    return 1\n"}, "old.py", "max", "new.py")
    assert planned.applicable == (not reason), said(planned)
    assert reason in said(planned)


def test_whoever_takes_all_names_of_the_new_module_uses_none_with_another_meaning(move: Move) -> None:
    files = {"old.py": "def max():\n    return 1\n", "new.py": "x = 1\n"}
    files |= {"main.py": "from new import *\nprint(max(x, 2))\n"}
    planned, _ = move(files, "old.py", "max", "new.py")
    assert "main.py:2 uses max already" in said(planned)


REGISTER = {
    "c.py": "R = []\n\n\ndef reg(f):\n    R.append(f)\n    return f\n\n\ndef named(name):\n    def deco(f):\n"
    "        R[name] = f\n        return f\n    return deco\n\n\ndef plain(f):\n    def w(*a):\n        R.clear()\n"
    "        return f(*a)\n    return w\n\n\nclass Base:\n    def __init_subclass__(cls):\n        R.append(cls)\n",
    "b.py": "x = 1\n",
}


@pytest.mark.parametrize(
    ("old", "asked"),
    [
        ("from c import reg\n\n\n@reg\ndef f():\n    return 1\n\n\n@reg\ndef g():\n    return 1\n", True),
        ("from c import named\n\n\n@named('x')\ndef f():\n    return 1\n", True),
        ("from c import Base\n\n\nclass f(Base):\n    pass\n", True),
        ("from c import plain\n\n\n@plain\ndef f():\n    return 1\n", False),
        ("from functools import cache\n\n\n@cache\ndef f():\n    return 1\n", False),
    ],
)
def test_what_is_registered_when_its_module_is_loaded_is_asked_about(move: Move, old: str, asked: bool) -> None:
    planned, _ = move(REGISTER | {"a.py": old}, "a.py", "f", "b.py")
    assert planned.applicable != asked, said(planned)
    assert {each.kind for each in planned.draft.constructs} == ({"registered"} if asked else set())


@pytest.mark.slow
def test_whoever_would_no_longer_load_a_module_that_does_something_is_asked_about(move: Move, folder: Path) -> None:
    old = "from c import R, reg\n\n\ndef f():\n    return 1\n\n\n@reg\ndef g():\n    return 1\n"
    main = "from a import f\nfrom c import R\nprint(f(), len(R))\n"
    planned, _ = move(REGISTER | {"a.py": old, "main.py": main}, "a.py", "f", "b.py")
    assert planned.draft.status == "needs_decision"
    assert doubts(planned) == {"load_effects"}
    planned, _ = move(REGISTER | {"a.py": old, "main.py": f"import a\n{main}"}, "a.py", "f", "b.py")
    assert planned.applicable, said(planned)
    assert runs(folder) == "1 1\n"


def test_an_import_that_does_something_stays_where_it_is(move: Move, folder: Path) -> None:
    loaded = "from c import R\n\n\ndef used():\n    return 2\n\n\nR.append(used)\n"
    files = REGISTER | {"d.py": loaded, "a.py": "from d import used\n\n\ndef f():\n    return used()\n"}
    planned, tree = move(files | {"main.py": "import a\nfrom c import R\nprint(len(R))\n"}, "a.py", "f", "b.py")
    assert planned.applicable, said(planned)
    assert "from d import used\n" in tree["a.py"]
    assert runs(folder) == "1\n"


NO_PACKAGE = {"a.py": "X = 1\n\n\ndef f():\n    return 1\n\n\ndef g():\n    return f()\n"}


@pytest.mark.parametrize(
    ("more", "to", "written"),
    [
        ({"main.py": "import a\n\nprint(a.g())\n"}, "sub/new.py", "from sub.new import f"),
        ({"main.py": "import a\nimport sub.o\n\nprint(a.g())\n", "sub/o.py": ""}, "sub/o.py", "from sub.o import f"),
        (
            {"main.py": "import a\nfrom sub import o\n\nprint(a.g())\n", "sub/o.py": ""},
            "sub/n.py",
            "from sub.n import f",
        ),
        ({"main.py": "import a\n\nprint(a.g())\n", "sub/o.py": "Y = 1\n"}, "sub/o.py", "from sub.o import f"),
    ],
)
def test_a_folder_that_no_file_marks_is_named_as_it_is_loaded(
    move: Move, folder: Path, more: dict[str, str], to: str, written: str
) -> None:
    planned, tree = move(NO_PACKAGE | more, "a.py", "f", to)
    assert planned.applicable, said(planned)
    assert written in tree["a.py"]
    assert runs(folder) == "1\n"


def test_a_module_of_a_folder_that_no_file_marks_names_its_neighbours_as_it_is_named(move: Move, folder: Path) -> None:
    files = {"sub/a.py": NO_PACKAGE["a.py"], "main.py": "import sub.a\n\nprint(sub.a.g())\n"}
    planned, tree = move(files, "sub/a.py", "f", "sub/b.py")
    assert planned.applicable, said(planned)
    assert "from sub.b import f" in tree["sub/a.py"]
    assert runs(folder) == "1\n"


def test_a_new_module_in_a_folder_that_no_file_marks_names_the_old_one(move: Move, folder: Path) -> None:
    files = {"a.py": "X = 1\n\n\ndef f():\n    return X\n", "main.py": "from a import f\n\nprint(f())\n"}
    planned, tree = move(files, "a.py", "f", "sub/new.py")
    assert planned.applicable, said(planned)
    assert tree["sub/new.py"].startswith("from a import X\n")
    assert runs(folder) == "1\n"


def test_a_module_that_no_import_of_the_tree_tells_a_name_for_is_refused(move: Move) -> None:
    files = {"src/p/__init__.py": "", "src/p/a.py": NO_PACKAGE["a.py"], "tools/y.py": "import x\n", "tools/x.py": ""}
    planned, _ = move(files, "src/p/a.py", "f", "tools/x.py")
    assert said(planned) == "refused; src/p/a.py has no name for tools/x.py, of which it needs f"
