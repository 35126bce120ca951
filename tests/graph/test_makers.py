"""A call of a type is a use of its constructor, for whoever asks."""

from pathlib import Path

import pytest

from cairn.graph.calls import CALLEES, CALLERS, Limits, call_graph
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


BY_WORDS = {
    "java": (
        {
            "Box.java": "class Box {\n  Box(int n) {}\n  Box() { this(1); }\n}\n",
            "Big.java": "class Big extends Box {\n  Big() { super(2); }\n  Object o() { return this; }\n}\n",
        },
        {"Box.Box": ["Big.java:2:10 proven call", "Box.java:3:10 proven call"], "Big.Big": []},
    ),
    "csharp": (
        {
            "a.cs": "class Box {\n  public Box(int n) {}\n  public Box() : this(1) {}\n}\n",
            "b.cs": "class Big : Box {\n  Big() : base(2) { Box b = new(3); b = new(4); Go(new(5)); }\n"
            "  Box Own { get; } = new(6);\n  Big other = new();\n}\n",
        },
        {
            "Box.Box": [
                "a.cs:3:17 proven call",
                "b.cs:2:10 likely call",
                "b.cs:2:28 likely call",
                "b.cs:2:40 likely call",
                "b.cs:3:21 likely call",
            ],
            "Big.Big": ["b.cs:4:14 proven call"],
        },
    ),
    "php": (
        {
            "a.php": "<?php\nclass Box {\n  function __construct($n) {}\n"
            "  static function a() { return new self(1); }\n  static function b() { return new static(2); }\n}\n"
            "class Big extends Box {\n  function __construct() { parent::__construct(3); }\n"
            "  function up() { return new parent(4); }\n  function own() { return new self(); }\n}\n",
        },
        {
            "Box.__construct": [
                "a.php:4:35 proven call",
                "a.php:5:35 proven call",
                "a.php:8:35 proven call",
                "a.php:9:29 proven call",
            ],
            "Big.__construct": ["a.php:10:30 proven call"],
        },
    ),
    "python": (
        {
            "a.py": "class Box:\n    def __init__(self, n): ...\n\n"
            "    @classmethod\n    def a(cls):\n        return cls(1)\n"
            "\n\nclass Big(Box):\n    def __init__(self):\n        super().__init__(2)\n\n"
            "    def b(self, cls):\n        return cls()\n\n\n"
            "class Meta(type):\n    def __init__(cls, *given): ...\n\n    def c(cls):\n        return cls()\n",
        },
        {
            "Box.__init__": ["a.py:6:15 proven call", "a.py:11:16 proven call"],
            "Big.__init__": [],
            "Meta.__init__": ["a.py:21:15 likely call"],
        },
    ),
}


@pytest.mark.parametrize("language", sorted(BY_WORDS))
def test_a_word_for_a_type_that_is_called_calls_its_constructor(folder: Path, language: str) -> None:
    files, expected = BY_WORDS[language]
    with resolver_of(folder, files) as resolver:
        for name, wanted in expected.items():
            makers = definitions_named(resolver, name)
            found = find_uses(resolver, makers)
            assert places(found) == wanted, name
            graph = call_graph(resolver, makers, CALLERS, Limits())
            lines = {
                (each.path, line)
                for call in graph.calls
                for each in graph.nodes
                if each.id == call.source
                for line in call.lines
            }
            assert lines == {(item.path, item.line) for item in found.items}, name


def test_such_a_word_is_told_by_its_caller_too(folder: Path) -> None:
    files, _ = BY_WORDS["java"]
    with resolver_of(folder, files) as resolver:
        graph = call_graph(resolver, definitions_named(resolver, "Big.Big"), CALLEES, Limits())
        assert [(call.tier, call.lines) for call in graph.calls] == [("proven", (2,))]
        assert {node.name for node in graph.nodes} == {"Big.Big", "Box"}
