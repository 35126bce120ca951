"""The map: what it shows, that it keeps its budget, and that it is the same each time."""

import random
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.graph.repomap import Ground, ground_of, repo_map
from cairn.graph.standing import standings
from cairn.graph.world import World
from cairn.kernel.tokens import token_cost
from tests.graph.worlds import resolver_of

FILES = {
    "pyproject.toml": '[project.scripts]\ntool = "pkg.cli:run"\n',
    "package.json": '{"name": "web", "bin": {"webby": "./bin/web.js"}, "main": "lib/index.js"}',
    "bin/web.js": "const core = require('../lib/core');\nfunction begin() { core.spin(); }\n",
    "lib/index.js": "export { spin as turn } from './core';\n",
    "lib/core.js": "export function spin() {}\n",
    "src/pkg/__init__.py": "from .core import Store\nfrom .util import join_all as glue\n\n\ndef own():\n"
    "    pass\n\n\ndef _no():\n    pass\n",
    "src/pkg/cli.py": "from .core import Store\n\n\ndef run():\n    Store().fetch_it()\n    own_thing()\n",
    "src/pkg/core.py": "class Store:\n    def fetch_it(self):\n        return glued()\n\n"
    "    def keep_it(self):\n        pass\n\n\ndef _private():\n    pass\n",
    "src/pkg/util.py": "def join_all(parts: list[str], sign: str = ',') -> str:\n    return sign.join(parts)\n\n\n"
    + "".join(f"def helper_{at}(first_argument, second_argument):\n    pass\n\n\n" for at in range(30)),
    "src/main.go": "package main\nfunc main() {}\n",
    "tests/test_core.py": "from pkg.core import Store\n\n\ndef test_store():\n    Store().fetch_it()\n",
    "README.md": "# Words\n",
}


@contextmanager
def world_of(root: Path) -> Iterator[tuple[World, Ground]]:
    with resolver_of(root, FILES) as resolver:
        yield resolver.world, ground_of(resolver.world)


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
def test_a_map_tells_languages_folders_ways_in_tests_and_what_is_offered(folder: Path) -> None:
    with world_of(folder) as (world, ground):
        made = repo_map(world, ground, 100_000)
        text = made.text()
        assert text.startswith("languages: python ")
        for line in (
            "  src/pkg/  4 files, ",
            "  src/pkg/cli.py  (command tool)\n",
            "  bin/web.js  (command webby)\n",
            "  lib/index.js  (package web)\n",
            "  src/main.go  (defines main)\n",
            "folded (map a folder to see it):\n  tests  1 file in tests/\n  docs  1 file in ./\n",
            "  src/pkg/__init__.py: own, Store, glue\n",
            "  lib/index.js: turn\n",
        ):
            assert line in text
        assert made.entries[0].path == "src/pkg/core.py"
        assert {symbol.name for symbol in made.entries[0].symbols} == {"Store", "fetch_it", "keep_it"}
        assert (made.files_left_out, made.definitions_left_out, made.head_left_out, made.rest) == (0, 0, 0, "")
        assert {entry.path for entry in made.entries} == {path for path, _ in ground.order}
        # What is folded is not listed: a newcomer asks for it last.
        assert "tests/test_core.py" not in text


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
def test_any_budget_is_kept_exactly_and_the_full_one_shows_all(folder: Path) -> None:
    with world_of(folder) as (world, ground):
        whole = repo_map(world, ground, 100_000)
        names = sum(len(entry.symbols) for entry in whole.entries)

        @settings(max_examples=150)
        @given(st.integers(1, whole.full_tokens + 50))
        def holds(budget: int) -> None:
            made = repo_map(world, ground, budget)
            text = made.text()
            assert token_cost(text) <= budget
            assert made == repo_map(World(world.view), ground_of(World(world.view)), budget)
            assert made.full_tokens == whole.full_tokens
            left = made.files_left_out, made.definitions_left_out, made.head_left_out
            shown = sum(len(entry.symbols) for entry in made.entries)
            if not made.files_left_out:
                assert shown + made.definitions_left_out == names
            assert made.files_left_out + len(made.entries) == len(whole.entries)
            if any(left) and made.rest:
                assert text.endswith(f"{made.rest}")
                assert "token" not in made.rest, "what lifts a limit is told by the door"
            if budget >= 200:
                assert bool(made.rest) == any(left)
            if budget >= whole.full_tokens:
                assert text == whole.text()

        holds()


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
@pytest.mark.requirement("IDX.MUST.001")
def test_files_that_are_gone_are_left_out_of_all_parts(folder: Path) -> None:
    with world_of(folder) as (world, _):
        gone = frozenset(path for path in FILES if path.startswith(("src/pkg/", "lib/", "tests/")))
        made = repo_map(world, ground_of(world, gone), 100_000)
        assert not {entry.path for entry in made.entries} & gone
        assert not [path for path in gone if path in made.text()]
        assert made.overview is not None
        assert {(each.path, each.files) for each in made.overview.folders} == {("bin", 1), ("src", 1)}
        assert made.overview.tests == ()
        assert {(each.language, each.files) for each in made.overview.languages} == {
            ("javascript", 1),
            ("go", 1),
            ("markdown", 1),
            ("json", 1),
            ("toml", 1),
        }
        assert {each.path for each in made.overview.entry_points} == {"bin/web.js", "src/main.go"}
        assert made.overview.fronts == ("src/main.go",)
        assert made.api == ()
        assert made.files_left_out == 0


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
@pytest.mark.parametrize(
    "manifest",
    [
        "[project",
        "project = 1\n",
        "[project]\nscripts = 3\n",
        "[project.scripts]\na = 1\n",
        "[project.scripts]\na = 'x:y'\n",
    ],
)
def test_a_broken_manifest_names_no_way_in(folder: Path, manifest: str) -> None:
    files = {"pyproject.toml": manifest, "package.json": "[1,", "a.py": "def f():\n    pass\n"}
    with resolver_of(folder, files) as resolver:
        assert ground_of(resolver.world).overview.entry_points == ()


@pytest.mark.slow
def test_an_empty_tree_has_an_empty_map(folder: Path) -> None:
    with resolver_of(folder, {"notes.txt": "words\n"}) as resolver:
        ground = ground_of(resolver.world)
        made = repo_map(resolver.world, ground, 50)
        assert made.entries == ()
        assert token_cost(made.text()) <= 50
    assert standings([], {}, {}) == {}


LINKS = st.dictionaries(
    st.tuples(st.sampled_from("abcdef"), st.sampled_from("abcdef")), st.floats(0.1, 100), max_size=20
)


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
@given(LINKS, st.randoms(use_true_random=False))
def test_ranks_are_shares_of_one_and_know_no_order(links: dict[tuple[str, str], float], chance: random.Random) -> None:
    paths = list("abcdef")
    ranks = standings(paths, links, {})
    assert sum(ranks.values()) == pytest.approx(1 if any(one != other for one, other in links) else 0, abs=1e-6)
    assert all(rank >= 0 for rank in ranks.values())
    mixed = list(links.items())
    chance.shuffle(mixed)
    chance.shuffle(paths)
    assert standings(paths, dict(mixed), {}) == ranks


def test_who_is_used_more_stands_higher_and_what_holds_much_together_above_what_all_lean_on() -> None:
    ranks = standings("abc", {("a", "c"): 1.0, ("b", "c"): 1.0, ("c", "a"): 1.0}, {})
    assert ranks["c"] > ranks["a"] > ranks["b"] == 0
    users = {(f"u{at}", owner): 1.0 for at in range(4) for owner in ("core", "shim")}
    ranks = standings(["core", "shim", *(f"u{at}" for at in range(4))], {**users, ("core", "shim"): 1.0}, {})
    assert ranks["core"] > ranks["shim"] > 0


def test_what_leans_on_a_header_leans_on_its_body() -> None:
    links = {("main.c", "list.h"): 1.0, ("list.c", "list.h"): 1.0, ("main.c", "odd.h"): 1.0}
    ranks = standings(["main.c", "list.c", "list.h", "odd.h"], links, {"list.h": "list.c"})
    assert ranks["list.c"] == ranks["odd.h"] > ranks["list.h"] == 0


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
def test_a_large_file_leaves_room_for_others_and_shows_its_types_first(folder: Path) -> None:
    large = "".join(
        f"class Kind{at}:\n    def a_method_of_long_name_{at}(self, first_argument, second):\n        pass\n\n\n"
        for at in range(60)
    )
    users = {f"use_{at}.py": f"from large import Kind{at}\n\n\ndef user_{at}():\n    Kind{at}()\n" for at in range(20)}
    with resolver_of(folder, {"large.py": large, **users}) as resolver:
        ground = ground_of(resolver.world)
        made = repo_map(resolver.world, ground, 1_200)
        tiny = repo_map(resolver.world, ground, 150)
    first, *others = made.entries
    assert first.path == "large.py"
    assert 60 <= token_cost(first.text()) <= 1_200 // 12
    assert {symbol.kind for symbol in first.symbols} == {"class"}
    assert len(others) == len(users)
    assert made.definitions_left_out == 120 - len(first.symbols)
    # Where a twelfth is next to nothing, one entry still says something.
    assert len(tiny.entries[0].symbols) > 5


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
def test_what_is_offered_is_what_is_defined_or_passed_on_and_no_private_name(folder: Path) -> None:
    files = {
        "pkg/__init__.py": "import os\nfrom json import loads\nfrom .inner import *\nfrom .inner import _quiet\n\n\n"
        "def own():\n    pass\n\n\ndef _no():\n    pass\n",
        "pkg/inner.py": "def loud():\n    pass\n\n\ndef _quiet():\n    pass\n\n\nclass Box:\n    def lid(self):\n"
        "        pass\n",
    }
    with resolver_of(folder, files) as resolver:
        assert ground_of(resolver.world).api == (("pkg/__init__.py", ("own", "loud", "Box")),)


@pytest.mark.slow
def test_only_a_function_at_the_top_called_main_or_a_file_that_asks_whether_it_runs_is_a_way_in(folder: Path) -> None:
    files = {
        "way.py": "def main():\n    pass\n",
        "method.py": "class Main:\n    def main(self):\n        pass\n",
        "value.py": "main = 3\n",
        "tool.py": 'import x\n\nif __name__ == "__main__":\n    x.go()\n',
        "App.java": "class App {\n  public static void main(String[] args) {}\n}\n",
        "Not.java": "class Not {\n  void main() {}\n}\n",
        "log.py": "import logging\n\nlogging.getLogger(__name__)\n",
    }
    with resolver_of(folder, files) as resolver:
        told = ground_of(resolver.world).overview.entry_points
    assert [(each.path, each.why) for each in told] == [
        ("App.java", "defines main"),
        ("tool.py", "runs when started"),
        ("way.py", "defines main"),
    ]


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
def test_members_stand_below_what_they_are_in(folder: Path) -> None:
    files = {
        "a.py": "class Outer:\n    class Inner:\n        def deep(self):\n            pass\n\n\ndef top():\n    pass\n"
    }
    with resolver_of(folder, files) as resolver:
        made = repo_map(resolver.world, ground_of(resolver.world), 1_000)
    assert made.entries[0].text() == "a.py\n  class Outer\n    class Inner\n      def deep(self)\n  def top()\n"


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
def test_the_named_budget_holds_all_where_the_head_is_most_of_it(folder: Path) -> None:
    files = {f"folder_{at}/__init__.py": f"offer_{at} = 1\n" for at in range(40)}
    with resolver_of(folder, files) as resolver:
        ground = ground_of(resolver.world)
        full = repo_map(resolver.world, ground, 1).full_tokens
        assert repo_map(resolver.world, ground, full).head_left_out == 0
        assert repo_map(resolver.world, ground, full // 2).head_left_out > 0


def test_what_is_installed_leads_and_what_other_doors_lead_to_follows(folder: Path) -> None:
    files = {
        "package.json": '{"name": "kit", "exports": {".": "./index.js", "./view": "./view/index.js"}}',
        "index.js": "import { kit } from './kit.js'\nexport { kit }\n",
        "kit.js": "import { base } from './base.js'\nexport const kit = () => base()\n",
        "base.js": "export const base = () => 1\n",
        "view/index.js": "import { drawn } from './drawing.js'\nexport const view = () => drawn()\n",
        "view/drawing.js": "import { pen } from './pen.js'\nexport const drawn = () => pen()\n",
        "view/pen.js": "export const pen = () => 1\n",
        "extra.js": "import { kit } from './kit.js'\nexport const extra = () => kit()\n",
        "view/most.js": "import { drawn } from './drawing.js'\nexport const most = () => drawn()\n",
        "view/more.js": "import { drawn } from './drawing.js'\nexport const more = () => drawn()\n",
    }
    with resolver_of(folder, files) as resolver:
        order = ground_of(resolver.world).order
    ranks = dict(order)
    assert ranks["kit.js"] < ranks["view/drawing.js"] < 2 * ranks["kit.js"]
    assert [path for path, _ in order].index("kit.js") < [path for path, _ in order].index("view/drawing.js")
