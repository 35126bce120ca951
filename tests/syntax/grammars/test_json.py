"""JSON: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import chunk_lines, outline, read, read_broken, signatures

PATH = "package.json"
SAMPLE = """{
  "name": "leases",
  "version": "2.0.0",
  "scripts": {
    "build": "tsc --build",
    "test": "node --test",
    "lint": "eslint ."
  },
  "dependencies": {
    "clock": "^1.0.0",
    "nested": {
      "deep": true
    }
  },
  "files": [
    "dist",
    { "glob": "*.d.ts" }
  ],
  "private": false
}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "key name 2-2 +",
        "key version 3-3 +",
        "key scripts 4-8 +",
        "key scripts.build 5-5 +",
        "key scripts.test 6-6 +",
        "key scripts.lint 7-7 +",
        "key dependencies 9-14 +",
        "key dependencies.clock 10-10 +",
        "key dependencies.nested 11-13 +",
        "key files 15-18 +",
        "key private 19-19 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["name"] == '"name": "leases"'
    assert found["scripts"] == '"scripts":'
    assert found["scripts.build"] == '"build": "tsc --build"'


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 120) == [(1, 3), (4, 8), (9, 14), (15, 20)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
