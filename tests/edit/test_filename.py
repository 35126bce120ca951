"""A file that is called after its class is offered to follow a rename, never by itself."""

from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from tests.trees import write

FILES = {
    "package.json": '{"name": "x", "type": "module"}\n',
    "src/UserCard.ts": "export class UserCard {\n  size = 1;\n}\n",
    "src/index.ts": "export { UserCard } from './UserCard';\nexport * from './UserCard.js';\n",
    "src/page.ts": "import { UserCard } from './UserCard';\n\nexport const card = new UserCard();\n",
    "src/page.test.ts": "import { UserCard } from './UserCard';\n\nexport const made = UserCard;\n",
}


def renamed(folder: Path, take: str, files: dict[str, str]) -> tuple[set[str], dict[str, str]]:
    for path, text in files.items():
        write(folder, path, text)
    with Codebase(str(folder)) as codebase:
        codebase.index()
        renaming = Renaming(codebase)
        planned = renaming.plan("src/UserCard.ts", 1, 14, "Card", take=take)
        assert planned.applicable, planned.draft.reasons
        assert planned.plan is not None
        list(renaming.diff(planned))
        edit = renaming.apply(planned.plan.id).applied.written
        after = {str(path.relative_to(folder)): path.read_text() for path in folder.rglob("*") if path.is_file()}
        renaming.undo(edit.id)
    assert {path: (folder / path).read_text() for path in files} == files
    return {each.choice for each in planned.draft.candidates}, after


@pytest.mark.requirement("EDIT.1")
def test_the_file_is_offered_and_follows_with_its_imports_only_if_that_is_taken(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    offered, after = renamed(folder, "", FILES)
    assert "file" in offered
    assert after["src/page.ts"].startswith("import { Card } from './UserCard';")
    assert "src/UserCard.ts" in after
    _, after = renamed(folder, "proven,file", FILES)
    assert "src/UserCard.ts" not in after
    assert after["src/Card.ts"].startswith("export class Card {")
    assert after["src/page.ts"] == "import { Card } from './Card';\n\nexport const card = new Card();\n"
    assert after["src/index.ts"] == "export { Card } from './Card';\nexport * from './Card.js';\n"


def test_a_file_of_another_name_or_whose_new_name_is_taken_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    offered, after = renamed(folder, "", FILES | {"src/Card.ts": "export const other = 1;\n"})
    assert "file" not in offered
    assert "src/UserCard.ts" in after
