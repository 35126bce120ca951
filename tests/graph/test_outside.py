"""Uses of what no file of the snapshot defines."""

from pathlib import Path

import pytest

from cairn.graph.outside import find_outside
from tests.graph.worlds import places, resolver_of

_FILES = {
    "a.py": "import os\nfrom os.path import join\nfrom os import path as p\n\n\ndef f(join2):\n    print(join('a'))\n"
    "    os.path.join('b')\n    p.join('c')\n    ','.join('d')\n    # print\n",
    "b.py": "def g(print):\n    print()\n    x.print()\n",
    "c.tsx": "import React, { useState as use, useEffect } from 'react';\nconst [a] = use(1);\nReact.useState(2);\n"
    "useEffect();\n",
}


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "found", "elsewhere"),
    [
        ("print", ["a.py:7:4 name call", "b.py:3:6 name call"], 1),
        (
            "os.path.join",
            [
                "a.py:2:20 likely import",
                "a.py:7:10 likely call",
                "a.py:8:12 likely call",
                "a.py:9:6 likely call",
            ],
            1,
        ),
        ("useEffect", ["c.tsx:1:33 likely import", "c.tsx:4:0 likely call"], 0),
        (
            "react.useState",
            [
                "c.tsx:1:16 likely import",
                "c.tsx:1:28 likely import",
                "c.tsx:2:12 likely call",
                "c.tsx:3:6 likely call",
            ],
            0,
        ),
        ("nobody", [], 0),
        ("not a name", [], 0),
    ],
)
def test_uses_are_told_by_the_import_or_by_the_name(folder: Path, name: str, found: list[str], elsewhere: int) -> None:
    with resolver_of(folder, _FILES) as resolver:
        told = find_outside(resolver, name)
        assert places(told) == found
        assert told.elsewhere == elsewhere
        assert told.definitions == ()


def test_limits_are_said(folder: Path) -> None:
    files = {f"f{number}.py": "print(1)\nprint(2)\n" for number in range(4)}
    with resolver_of(folder, files) as resolver:
        assert find_outside(resolver, "print", max_files=3).limits_hit == ("files",)
        cut = find_outside(resolver, "print", max_places=3)
        assert (len(cut.items), cut.limits_hit) == (4, ("places",))
