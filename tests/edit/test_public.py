"""What a package shows to others is asked about; and so is code that the index leaves out."""

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from cairn.edit.editor import Planned
from cairn.edit.source.values import NEEDS_DECISION, OK
from tests.edit.conftest import Make
from tests.edit.samples import PLACE
from tests.trees import Repo

pytestmark = pytest.mark.requirement("GATE.1")


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
