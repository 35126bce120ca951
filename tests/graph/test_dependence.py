"""Who leans on whom: what surely means something counts, what only bears a name doesn't."""

import math
from pathlib import Path

import pytest

from cairn.graph.dependence import Homes, dependence_of
from cairn.graph.repomap import ground_of
from tests.graph.worlds import Files, resolver_of


def votes(folder: Path, files: Files) -> dict[tuple[str, str], float]:
    with resolver_of(folder, files) as resolver:
        world = resolver.world
        homes = Homes(world.languages)
        for path, name, _, container, exported, _ in world.view.facts.defined():
            homes.add(path, name, at_top=not container, offered=bool(exported))
        return dependence_of(
            world.languages, homes, world.modules, world.view.facts.imports(), world.view.facts.called(), {}
        )


def leans(folder: Path, files: Files) -> set[tuple[str, str]]:
    return set(votes(folder, files))


@pytest.mark.requirement("MAP.1")
def test_a_builtin_that_nobody_imported_votes_for_nobody(folder: Path) -> None:
    files = {
        "block.py": "class Block:\n    def super(self):\n        pass\n\n\ndef open():\n    pass\n",
        "user.py": "class User:\n    def __init__(self):\n        super().__init__()\n        open('x')\n",
        "asker.py": "from block import open\n\n\ndef ask():\n    open()\n",
    }
    assert leans(folder, files) == {("asker.py", "block.py")}


@pytest.mark.requirement("MAP.1")
def test_a_member_that_several_have_votes_for_none_and_that_of_one_for_that(folder: Path) -> None:
    files = {
        "one.py": "class One:\n    def shared_name(self):\n        pass\n\n    def only_here(self):\n        pass\n",
        "two.py": "class Two:\n    def shared_name(self):\n        pass\n\n    def get(self):\n        pass\n",
        "user.py": "def use(thing):\n    thing.shared_name()\n    thing.get()\n",
        "other.py": "def use(thing):\n    thing.only_here()\n",
    }
    assert leans(folder, files) == {("other.py", "one.py")}


@pytest.mark.requirement("MAP.1")
def test_what_is_proven_counts_more_than_what_is_likely(folder: Path) -> None:
    files = {
        "one.py": "def first_thing():\n    pass\n\n\nclass One:\n    def second_thing(self):\n        pass\n",
        "sure.py": "import one\n\n\ndef use():\n    one.first_thing()\n",
        "guess.py": "import one\n\n\ndef use(thing):\n    thing.second_thing()\n",
        "often.py": "import one\n\n\ndef use():\n    one.first_thing()\n    one.first_thing()\n",
    }
    found = votes(folder, files)
    assert found["guess.py", "one.py"] < found["sure.py", "one.py"] < found["often.py", "one.py"]


@pytest.mark.requirement("MAP.1")
def test_an_import_leads_to_who_defines_the_name(folder: Path) -> None:
    files = {
        "pkg/__init__.py": "from .core import Thing\n",
        "pkg/core.py": "class Thing:\n    pass\n",
        "pkg/tool.py": "def helper():\n    pass\n",
        "elsewhere.py": "class Thing:\n    pass\n\n\ndef helper():\n    pass\n",
        "passed.py": "from pkg import Thing\n\n\ndef make():\n    return Thing()\n",
        "module.py": "from pkg import tool\n\n\ndef make():\n    return tool.helper()\n",
        "outside.py": "from requests import Thing, helper\n\n\ndef make():\n    helper()\n    return Thing()\n",
        "star.py": "from pkg.tool import *\n\n\ndef make():\n    return helper()\n",
    }
    found = leans(folder, files)
    assert {pair for pair in found if pair[0] == "passed.py"} == {("passed.py", "pkg/core.py")}
    assert {pair for pair in found if pair[0] == "module.py"} == {("module.py", "pkg/tool.py")}
    assert {pair for pair in found if pair[0] == "star.py"} == {("star.py", "pkg/tool.py")}
    assert not [pair for pair in found if pair[0] == "outside.py"]


@pytest.mark.requirement("MAP.1")
@pytest.mark.parametrize(
    ("files", "wanted"),
    [
        (
            {
                "a/use.go": "package a\nfunc Use() { Help() }\n",
                "a/help.go": "package a\nfunc Help() {}\n",
                "b/help.go": "package b\nfunc Help() {}\n",
            },
            {("a/use.go", "a/help.go")},
        ),
        (
            {
                "use.sh": "work_hard\necho x\nhelp_out\n",
                "lib.sh": "work_hard() {\n  :\n}\necho() {\n  :\n}\n",
                "a.sh": "help_out() {\n  :\n}\n",
                "b.sh": "help_out() {\n  :\n}\n",
            },
            {("use.sh", "lib.sh")},
        ),
        (
            {
                "use.c": "int use(void) { return far_away(1) + mine(); }\nstatic int mine(void) { return 1; }\n",
                "include/far.h": "int far_away(int x);\n",
                "src/far.c": "int far_away(int x) { return x; }\n",
                "mine.c": "int mine(void) { return 2; }\n",
            },
            {("use.c", "src/far.c"), ("use.c", "include/far.h")},
        ),
        (
            {
                "use.ts": "import { Store } from './store';\nfunction f(s: Store) { parse(); return new Store(); }\n",
                "store.ts": "export class Store {}\n",
                "parse.ts": "export function parse() {}\n",
            },
            {("use.ts", "store.ts")},
        ),
        (
            {
                "src/main/java/p/Use.java": "package p;\nimport q.Far;\nclass Use { void f() { Far.go(); } }\n",
                "src/main/java/q/Far.java": "package q;\npublic class Far { public static void go() {} }\n",
            },
            {("src/main/java/p/Use.java", "src/main/java/q/Far.java")},
        ),
        (
            {
                "src/lib.rs": "mod near;\nuse crate::near::{Thing, help as aid};\nfn f() { aid(); }\n",
                "src/near.rs": "pub struct Thing;\npub fn help() {}\n",
            },
            {("src/lib.rs", "src/near.rs")},
        ),
    ],
    ids=["go", "bash", "c", "typescript", "java", "rust"],
)
def test_each_language_votes_by_its_own_rules(folder: Path, files: Files, wanted: set[tuple[str, str]]) -> None:
    assert leans(folder, files) == wanted


@pytest.mark.requirement("MAP.1")
def test_a_file_beside_the_code_is_no_part_of_the_order(folder: Path) -> None:
    """Used nine times as much, a helper of tests is folded with them, not listed with what the code itself uses."""
    code = {"src/core.py": "def central():\n    pass\n", "tests/helper.py": "def assist():\n    pass\n"}
    users = {f"src/user_{at}.py": "from src.core import central\n\n\ncentral()\n" for at in range(4)}
    tests = {f"tests/test_{at}.py": "from tests.helper import assist\n\n\nassist()\n" for at in range(30)}
    with resolver_of(folder, {**code, **users, **tests}) as resolver:
        order = ground_of(resolver.world).order
    assert [path for path, _ in order] == ["src/core.py"]


@pytest.mark.requirement("MAP.1")
def test_a_vote_is_shared_by_those_that_it_may_mean_and_nobody_votes_for_itself(folder: Path) -> None:
    files = {
        "go.mod": "module m\n",
        "pkg/a.go": "package pkg\nfunc One() {}\n",
        "pkg/b.go": "package pkg\nfunc Two() {}\n",
        "use/use.go": 'package use\nimport "m/pkg"\nvar x pkg.T\n',
        "lone.py": "import lone\n\n\ndef only_thing():\n    lone.only_thing()\n",
    }
    found = votes(folder, files)
    assert set(found) == {("use/use.go", "pkg/a.go"), ("use/use.go", "pkg/b.go")}
    assert found["use/use.go", "pkg/a.go"] == found["use/use.go", "pkg/b.go"]
    assert sum(found.values()) <= math.log(2)


@pytest.mark.requirement("MAP.1")
def test_what_is_asked_of_a_library_votes_for_nobody_and_a_way_into_the_tree_wins(folder: Path) -> None:
    files = {
        "here.py": "class Here:\n    def very_special(self):\n        pass\n\n\ndef made():\n    pass\n",
        "outside.py": "import numpy\n\n\ndef use():\n    numpy.very_special()\n",
        "either.py": "try:\n    from here import made\nexcept ImportError:\n    from gone import made\n\nmade()\n",
    }
    found = votes(folder, files)
    assert set(found) == {("either.py", "here.py")}
    assert found["either.py", "here.py"] == pytest.approx(2 * math.log(2))
