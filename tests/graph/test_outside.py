"""Uses of what no file of the snapshot defines."""

from pathlib import Path

import pytest

from cairn.graph.outside import find_outside
from cairn.graph.references import find_uses
from cairn.graph.targets import definitions_named
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


def test_a_name_of_a_module_is_elsewhere_only_where_that_is_proven(folder: Path) -> None:
    files = {
        "a.py": "import requests\nfrom other import get as fetch\n\n\nclass Box:\n    def get(self): ...\n\n\n"
        "def go(box: Box, x):\n    requests.get(1)\n    x.get(2)\n    box.get(3)\n    fetch(4)\n",
        "b.go": 'package b\n\nimport foo "x.org/go-foo"\n\nfunc f() { foo.Run(); bar.Run() }\n',
    }
    with resolver_of(folder, files) as resolver:
        told = find_outside(resolver, "requests.get")
        assert places(told) == ["a.py:10:13 likely call", "a.py:11:6 name call"]
        assert told.elsewhere == 2
        assert places(find_outside(resolver, "foo.Run"))[:1] == ["b.go:5:15 likely call"]


PACKAGES = {
    "go": {
        "go.mod": "module x.org/m\n",
        "go-foo/a.go": "// Package foo does it.\npackage foo\n\nfunc Run() {}\n",
        "b/b.go": 'package b\n\nimport "x.org/m/go-foo"\n\nfunc f() { foo.Run() }\n',
    },
    "java": {
        "src/A.java": "package com.foo;\n\npublic class Run {}\n",
        "src/B.java": "package com.foo;\n\nclass B { Run run; }\n",
    },
    "csharp": {"src/a.cs": "namespace Com.Foo;\nclass Run {}\nclass B { Run run; }\n"},
    "php": {"src/a.php": "<?php\nnamespace Com\\Foo;\nclass Run {}\nnew Run();\n"},
}


@pytest.mark.parametrize("language", sorted(PACKAGES))
def test_a_package_that_is_called_otherwise_than_its_folder_is_found(folder: Path, language: str) -> None:
    with resolver_of(folder, PACKAGES[language]) as resolver:
        for name in ("foo.Run", *(["com.foo.Run", r"Com\Foo\Run"] if language != "go" else [])):
            [found] = definitions_named(resolver, name)
            assert found.symbol.name == "Run"
            assert len(find_uses(resolver, [found]).items) == 1
        assert not definitions_named(resolver, "bar.Run")
