"""A file that is called after its class is offered to follow a rename, never by itself."""

import shutil
import subprocess
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


@pytest.mark.slow
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


@pytest.mark.slow
def test_a_file_of_another_name_or_whose_new_name_is_taken_stays(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    offered, after = renamed(folder, "", FILES | {"src/Card.ts": "export const other = 1;\n"})
    assert "file" not in offered
    assert "src/UserCard.ts" in after


JAVA = {
    "a/UserCard.java": (
        "package a;\n\npublic class UserCard {\n    private int n;\n    public UserCard(int n) { this.n = n; }\n"
        "    public int size() { return n; }\n}\n"
    ),
    "a/Main.java": (
        "package a;\n\npublic class Main {\n    public static void main(String[] args) {\n"
        "        UserCard card = new UserCard(3);\n        System.out.println(card.size());\n    }\n}\n"
    ),
}
RUBY = {
    "lib/user_card.rb": "class UserCard\n  def size\n    3\n  end\nend\n",
    "main.rb": 'require_relative "lib/user_card"\nputs UserCard.new.size\n',
}
TIN = {
    "tin.hpp": "class Tin {\n public:\n  Tin(int n);\n  ~Tin();\n};\n",
    "tin.cpp": '#include "tin.hpp"\nTin::Tin(int n) {}\nTin::~Tin() {}\nint main() { Tin t(1); return 0; }\n',
}


def after(folder: Path, files: dict[str, str], path: str, line: int, column: int, take: str) -> dict[str, str]:
    for each, text in files.items():
        write(folder, each, text)
    with Codebase(str(folder)) as codebase:
        codebase.index()
        renaming = Renaming(codebase)
        planned = renaming.plan(path, line, column, "BigCard", take=take)
        if planned.applicable and planned.plan is not None:
            renaming.apply(planned.plan.id)
        return {str(each.relative_to(folder)): each.read_text() for each in folder.rglob("*.*") if each.is_file()}


@pytest.mark.parametrize(("line", "column"), [(3, 14), (5, 12)])
@pytest.mark.slow
def test_a_public_class_of_java_goes_with_its_constructor_and_asks_for_its_file(
    folder: Path, monkeypatch: pytest.MonkeyPatch, line: int, column: int
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    assert after(folder, JAVA, "a/UserCard.java", line, column, "") == JAVA
    found = after(folder, JAVA, "a/UserCard.java", line, column, "proven,file")
    assert set(found) == {"a/BigCard.java", "a/Main.java"}
    assert "public BigCard(int n)" in found["a/BigCard.java"]
    if (javac := shutil.which("javac")) is not None:
        subprocess.run([javac, "a/BigCard.java", "a/Main.java"], cwd=folder, check=True, timeout=120)


@pytest.mark.slow
def test_a_file_of_ruby_is_called_in_small_letters_and_is_required_so(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    found = after(folder, RUBY, "lib/user_card.rb", 1, 7, "proven,file")
    assert found["main.rb"] == 'require_relative "lib/big_card"\nputs BigCard.new.size\n'
    assert set(found) == {"lib/big_card.rb", "main.rb"}


@pytest.mark.slow
def test_constructors_have_the_name_of_their_class(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    found = after(folder, TIN, "tin.hpp", 1, 7, "")
    assert found == {path: text.replace("Tin", "BigCard") for path, text in TIN.items()}


def test_a_file_that_a_list_names_is_not_offered(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    files = JAVA | {"build.txt": "a/UserCard.java\n"}
    found = after(folder, files, "a/UserCard.java", 3, 14, "proven")
    assert "a/UserCard.java" in found
