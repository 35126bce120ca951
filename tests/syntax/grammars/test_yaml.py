"""YAML: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import chunk_lines, docs, outline, read, read_broken, signatures

PATH = "deploy.yaml"
SAMPLE = """# Where the leases run.
version: "3"

services:
  web:
    image: leases:2
    ports:
      - "80:80"
  # Keeps the leases.
  db: &db
    image: postgres
    environment:
      POSTGRES_USER: leases
      POSTGRES_DB: leases

jobs: [sweep, {name: renew}]
---
kind: Deployment
metadata:
  name: leases
  labels:
    app: leases
items:
  - name: one
    run: |
      sweep --all
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "key version 2-2 +",
        "key services 4-14 +",
        "key services.web 5-9 +",
        "key services.db 10-14 +",
        "key jobs 16-16 +",
        "key kind 18-18 +",
        "key metadata 19-22 +",
        "key metadata.name 20-20 +",
        "key metadata.labels 21-22 +",
        "key items 23-26 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["version"] == 'version: "3"'
    assert found["services.db"] == "db: &db"
    assert found["items"] == "items"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"version": "Where the leases run.", "services.db": "Keeps the leases."}
    assert read(PATH, SAMPLE).top_comment == "Where the leases run."


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 120) == [(1, 4), (5, 14), (16, 18), (19, 22), (23, 26)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
