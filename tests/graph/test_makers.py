"""A call of a type is a use of its constructor, for whoever asks."""

from pathlib import Path

import pytest

from cairn.graph.references import find_uses
from cairn.graph.targets import definitions_named
from tests.graph.worlds import places, resolver_of

PROGRAMS = {
    "python": (
        "Box.__init__",
        {
            "a.py": "class Box:\n    def __init__(self, size): ...\n",
            "b.py": "from a import Box\n\n\ndef go(kind: Box):\n    Box(1)\n    return [Box]\n",
        },
        ["b.py:5:4 proven call"],
    ),
    "typescript": (
        "Box.constructor",
        {
            "a.ts": "export class Box {\n  constructor(size: number) {}\n}\n",
            "b.ts": 'import { Box } from "./a"\nexport function go(kind: Box) {\n  return new Box(1)\n}\n',
        },
        ["b.ts:3:13 proven call"],
    ),
    "php": (
        "Box.__construct",
        {"a.php": "<?php\nclass Box { function __construct($size) {} }\nfunction go(Box $b) { return new Box(1); }\n"},
        ["a.php:3:33 proven call"],
    ),
}


@pytest.mark.parametrize("language", sorted(PROGRAMS))
def test_a_call_of_a_type_is_a_use_of_its_constructor(folder: Path, language: str) -> None:
    name, files, expected = PROGRAMS[language]
    with resolver_of(folder, files) as resolver:
        [maker] = definitions_named(resolver, name)
        found = find_uses(resolver, [maker])
        assert places(found) == expected
        assert {item.target for item in found.items} == {maker}


def test_who_asks_for_both_is_told_of_the_type(folder: Path) -> None:
    files = {"a.py": "class Box:\n    def __init__(self): ...\n\n\nkept = Box\nBox()\n"}
    with resolver_of(folder, files) as resolver:
        both = [*definitions_named(resolver, "Box"), *definitions_named(resolver, "Box.__init__")]
        found = find_uses(resolver, both)
        assert places(found) == ["a.py:5:7 proven read", "a.py:6:0 proven call"]
        assert {item.target.symbol.name for item in found.items if item.target is not None} == {"Box"}
