"""What a package shows to others is asked about; and so is code that the index leaves out."""

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from cairn.edit.editor import Planned
from cairn.edit.values import NEEDS_DECISION, OK
from tests.edit.conftest import Make
from tests.edit.samples import PLACE, Rename, why
from tests.trees import Repo

pytestmark = pytest.mark.requirement("GATE.1")
PYTHON = ("class Group: pass\n\n\ndef use(): return Group()\n", {"!Group": "`p.m`/Group#", "Group@2": "`p.m`/Group#"})


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "text", "is_asked"),
    [
        ("p/__init__.py", "from .m import *\n", True),
        ("p/__init__.py", "from p.m import *\n", True),
        ("p/__init__.py", "from .other import *\n", False),
        ("p/__init__.py", "from . import m\n", False),
        ("p/more.py", "from .m import *\n", False),
        ("__init__.py", "from .p.m import *\n", True),
    ],
)
def test_all_of_a_module_that_a_package_shows_is_public(rename: Rename, path: str, text: str, is_asked: bool) -> None:
    found = rename("Group", {"p/m.py": PYTHON, path: (text, {})})
    assert (found.status, why(found)) == ((NEEDS_DECISION, {"exported"}) if is_asked else (OK, set()))


@pytest.mark.slow
@pytest.mark.parametrize(("name", "is_asked"), [("Group", True), ("_Group", False)])
def test_what_the_entrance_of_a_package_defines_is_public(rename: Rename, name: str, is_asked: bool) -> None:
    text = f"class {name}: pass\n\n\ndef use(): return {name}()\n"
    found = rename(name, {"p/__init__.py": (text, {f"!{name}": f"`p`/{name}#", f"{name}@2": f"`p`/{name}#"})})
    assert (found.status == NEEDS_DECISION) == is_asked


def planned(codebase: Codebase) -> Planned:
    return Renaming(codebase).plan(*PLACE, "acquire")


def told(found: Planned) -> list[str]:
    checklist = found.draft.witness.checklist if found.draft.witness is not None else ()
    return [each.question for each in checklist if each.code == "unread_file"]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("path", "data", "is_told"),
    [
        ("old.py", "# caf\xe9\nfrom lease import take\n".encode("latin-1"), True),
        ("wide.py", "from lease import take\n".encode("utf-16"), True),
        ("odd.py", b"from lease import take\n\0", True),
        ("long.py", b"from lease import take\n" + b"# more\n" * 800_000, True),
        ("old.py", "# caf\xe9\nfrom lease import give\n".encode("latin-1"), False),
        ("old.go", "// caf\xe9\nfunc take() {}\n".encode("latin-1"), False),
        ("made/old.py", "# caf\xe9\nfrom lease import take\n".encode("latin-1"), False),
    ],
)
def test_code_that_the_index_leaves_out_and_that_bears_the_name_is_told(
    make: Make, repo: Repo, path: str, data: bytes, is_told: bool
) -> None:
    codebase = make({".gitignore": "made/\n"})
    file = repo.path / path
    file.parent.mkdir(exist_ok=True)
    file.write_bytes(data)
    found = planned(codebase)
    assert found.draft.status == (NEEDS_DECISION if is_told else OK)
    assert [path in question for question in told(found)] == ([True] if is_told else [])


@pytest.mark.slow
def test_many_files_that_are_left_out_are_counted(make: Make, repo: Repo) -> None:
    codebase = make()
    for number in range(8):
        (repo.path / f"old{number}.py").write_bytes("# caf\xe9\ntake\n".encode("latin-1"))
    questions = told(planned(codebase))
    assert len(questions) == 5
    assert "3 more" in questions[-1]
