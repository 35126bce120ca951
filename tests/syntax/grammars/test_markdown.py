"""Markdown: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import chunk_lines, outline, read, read_broken, signatures

PATH = "docs/leases.md"
SAMPLE = """---
title: Leases
---

Before all headings.

# Leases

What a lease is, and who may write while it is held by someone.

## Taking a lease

Ask for it by name:

```sh
# not a heading
cairn lease take
```

### When it is `stale`

A stale lease may be taken over once its deadline has passed.

## Renewing

Leases renew themselves.

Old style
---------

A heading that is underlined.
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "heading Leases 7-31 +",
        "heading Leases.Taking a lease 11-22 +",
        "heading Leases.Taking a lease.When it is `stale` 20-22 +",
        "heading Leases.Renewing 24-31 +",
        "heading Leases.Renewing.Old style 28-29 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["Leases"] == "# Leases"
    assert found["Leases.Taking a lease"] == "## Taking a lease"


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 120) == [(1, 5), (7, 9), (11, 18), (20, 22), (24, 31)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
