"""TOML: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import chunk_lines, docs, outline, read, read_broken, signatures

PATH = "pyproject.toml"
SAMPLE = """# Settings of a tool.
title = "demo"
"quoted key" = 1

[project]
name = "cairn"
version = "1.0"
dependencies = [
    "numpy",
]

[tool.ruff.lint]
select = ["E", "F"]
per-file-ignores = { "tests/*" = ["S101"] }

[[package]]
name = "a"
version = "1"

[[package]]
name = "b"
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "key title 2-2 +",
        "key quoted key 3-3 +",
        "key project 5-10 +",
        "key project.name 6-6 +",
        "key project.version 7-7 +",
        "key project.dependencies 8-10 +",
        "key tool.ruff.lint 12-14 +",
        "key tool.ruff.lint.select 13-13 +",
        "key tool.ruff.lint.per-file-ignores 14-14 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["project"] == "[project]"
    assert found["project.name"] == 'name = "cairn"'


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"title": "Settings of a tool."}
    assert read(PATH, SAMPLE).top_comment == "Settings of a tool."


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 120) == [(1, 3), (5, 10), (12, 18), (20, 21)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
