"""Circles of imports: found, the shortest way told, and what doesn't run with its file told apart."""

from pathlib import Path

import pytest

from cairn.graph.cycles import ImportCycles, import_cycles
from tests.graph.worlds import resolver_of


def told(found: ImportCycles) -> list[list[str]]:
    return [[f"{step.path}:{step.line}{step.kind and f' {step.kind}'}" for step in each.steps] for each in found.items]


def test_the_shortest_way_round_each_knot_is_told(folder: Path) -> None:
    files = {
        "a.py": "import b\n",
        "b.py": "import c\n",
        "c.py": "import os\nimport a\nimport d\n",
        "d.py": "from c import x\n",
        "e.py": "import a\n",
        "x.py": "from y import one\n",
        "y.py": "from x import two\n",
    }
    with resolver_of(folder, files) as resolver:
        found = import_cycles(resolver, 20)
        assert told(found) == [["c.py:3", "d.py:1"], ["x.py:1", "y.py:1"]]
        assert [each.files for each in found.items] == [("a.py", "b.py", "c.py", "d.py"), ("x.py", "y.py")]
        assert (found.total, found.files) == (2, 6)
        assert {step.text for step in found.items[1].steps} == {"from y import one", "from x import two"}
        assert all(step.tier == "proven" for each in found.items for step in each.steps)
        first = import_cycles(resolver, 1)
        assert (len(first.items), first.total) == (1, 2)
        gone = import_cycles(resolver, 20, present=lambda path: path != "d.py")
        assert gone.total == 1


@pytest.mark.slow
def test_imports_in_functions_and_for_types_count_only_when_asked_for(folder: Path) -> None:
    files = {
        "a.py": "import b\n",
        "b.py": "def late():\n    import a\n    return a\n",
        "m.py": "import n\n",
        "n.py": "from typing import TYPE_CHECKING\n\nif TYPE_CHECKING:\n    from m import M\n",
        "s.ts": 'import { t } from "./t";\nexport const s = 1;\n',
        "t.ts": 'import type { S } from "./s";\nexport const t = 1;\n',
    }
    with resolver_of(folder, files) as resolver:
        assert told(import_cycles(resolver, 20)) == []
        assert told(import_cycles(resolver, 20, lazily=True)) == [
            ["a.py:1", "b.py:2 lazy"],
            ["m.py:1", "n.py:4 types"],
            ["s.ts:1", "t.ts:1 types"],
        ]


def test_a_package_from_which_modules_are_taken_is_no_part_of_a_circle(folder: Path) -> None:
    files = {
        "p/__init__.py": "from p.one import go\n",
        "p/one.py": "from p import two\n\n\ndef go():\n    return two\n",
        "p/two.py": "",
        "q/__init__.py": "from q.one import go\n\nname = 1\n",
        "q/one.py": "from q import name\n\n\ndef go():\n    return name\n",
    }
    with resolver_of(folder, files) as resolver:
        assert told(import_cycles(resolver, 20)) == [["q/__init__.py:1", "q/one.py:1"]]
