"""`cairn move` as a user meets it: a plan, a write, an undo, a refusal with the way out, and what is missing."""

import json

import pytest

import cairn as package
from cairn.base.errors import UsageError
from tests.edit.samples import contents
from tests.surfaces.cli.test_store import run
from tests.trees import Repo

FILES = {
    "shop/cart.py": "RATE = 2\n\n\ndef total(x):\n    return x\n\n\ndef taxed(x):\n    return total(x) * RATE\n",
    "shop/tax.py": "def none():\n    return 0\n",
    "user.py": "from shop.cart import total\n\nprint(total(1))\n",
}
OLD = {path: text.encode() for path, text in FILES.items()}


@pytest.fixture
def tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.chdir(repo.path)
    for path, text in FILES.items():
        repo.write(path, text)
    run("index", str(repo.path))
    return repo


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
def test_a_plan_is_a_diff_with_the_command_that_writes_it_and_one_that_undoes_it(tree: Repo) -> None:
    done = run("move", "user.py:3:7", "shop/new.py")
    lines = done.stdout.splitlines()
    assert (done.returncode, lines[0]) == (0, "move total to shop/new.py: ok_syntactic; nothing is written yet")
    assert {"+++ b/shop/new.py", "+def total(x):", "+from shop.new import total"} <= set(lines)
    assert contents(tree) == OLD
    written = run(*lines[lines.index("to go on:") + 1].split()[1:])
    assert "move total to shop/new.py: " in written.stdout
    assert contents(tree)["shop/new.py"] == b"def total(x):\n    return x\n"
    undo = next(line for line in written.stdout.splitlines() if "undo" in line).partition(": ")[2].split()
    assert run(*undo[1:]).returncode == 0
    assert contents(tree) == OLD
    assert run("move", "--apply", "user.py:3:7", "shop/tax.py").returncode == 0
    assert b"def total" in contents(tree)["shop/tax.py"]


@pytest.mark.slow
@pytest.mark.requirement("REN.20")
def test_an_import_cycle_is_refused_with_exit_code_5_and_the_way_out(tree: Repo) -> None:
    tree.write("shop/cart.py", FILES["shop/cart.py"].replace("return x\n", "return x * RATE\n"))
    done = run("move", "shop/cart.py:4:5", "shop/tax.py", "--apply")
    assert done.returncode == 5
    assert "import cycle: shop/cart.py imports shop/tax.py imports shop/cart.py" in done.stdout
    assert "move what it uses of shop/cart.py first" in done.stdout
    found = json.loads(run("move", "shop/cart.py:4:5", "shop/tax.py", "--json").stdout)
    assert (found["status"], found["title"]) == ("refused", "move total to shop/tax.py")


@pytest.mark.slow
def test_what_is_missing_or_wrong_is_said(tree: Repo) -> None:
    assert "needs a place and a file" in run("move").stderr
    assert "is missing" in run("move", "user.py:3:7").stderr
    assert "Nothing that nobody names" in run("move", "nobody", "shop/tax.py").stderr
    outside = run("move", "user.py:3:7", "/tmp/elsewhere.py")
    assert outside.returncode != 0
    assert "shop/notes.txt is no file of python" in run("move", "user.py:3:7", "shop/notes.txt").stdout
    with package.open(tree.path) as workspace:
        planned = workspace.move.plan_move("user.py", 3, 7, "shop/tax.py")
        assert planned.applicable
        with pytest.raises(UsageError):
            workspace.move.plan_move("user.py", 0, 7, "shop/tax.py")


def test_a_definition_is_named_as_in_a_rename(tree: Repo) -> None:
    for place in ("shop/cart.py:total", "shop/cart.py:4", "total"):
        assert run("move", place, "shop/new.py").stdout.startswith("move total to shop/new.py: ok_syntactic")
