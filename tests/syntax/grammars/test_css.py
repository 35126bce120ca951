"""CSS: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "web/leases.css"
SAMPLE = """/* The table of leases. */
@import url("base.css");
@import "theme.css" screen;

:root {
  --lease-gap: 4px;
  --lease-colour: #333;
}

/* One row. */
.lease-row,
.lease-row:hover > td {
  padding: var(--lease-gap);
  color: var(--lease-colour);
}

#leases .stale::after {
  content: "stale";
}

table.leases {
  width: 100%;

  & .name {
    font-weight: bold;
  }
}

@media (max-width: 600px) {
  .lease-row {
    display: block;
  }
}

@keyframes fade-out {
  from {
    opacity: 1;
  }
  to {
    opacity: 0;
  }
}

@layer components {
  .badge {
    animation: fade-out 2s;
  }
}

@font-face {
  font-family: "Lease Sans";
  src: url("lease.woff2");
}
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "rule :root 5-8 +",
        "variable :root.--lease-gap 6-6 +",
        "variable :root.--lease-colour 7-7 +",
        "rule .lease-row, .lease-row:hover > td 11-15 +",
        "rule #leases .stale::after 17-19 +",
        "rule table.leases 21-27 +",
        "rule table.leases.& .name 24-26 +",
        "rule .lease-row 30-32 +",
        "rule fade-out 35-42 +",
        "rule .badge 45-47 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found[":root"] == ":root"
    assert found["#leases .stale::after"] == "#leases .stale::after"
    assert found["fade-out"] == "@keyframes fade-out"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {".lease-row, .lease-row:hover > td": "One row."}
    assert read(PATH, SAMPLE).top_comment == "The table of leases."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("base.css", 2), ("theme.css", 3)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("--lease-gap", 13, ".lease-row, .lease-row:hover > td"),
        ("--lease-colour", 14, ".lease-row, .lease-row:hover > td"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 200) == [(1, 8), (10, 19), (21, 33), (35, 47), (48, 53)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
