"""HTML: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import chunk_lines, imports, outline, read, read_broken, signatures

PATH = "web/leases.html"
SAMPLE = """<!DOCTYPE html>
<!-- The page of leases. -->
<html lang="en">
<head>
  <title>Leases</title>
  <link rel="stylesheet" href="leases.css">
  <script src="app.js" defer></script>
  <style>
    .lease { color: red; }
  </style>
</head>
<body>
  <main id="content">
    <h1>All leases</h1>
    <section id="held" class="panel">
      <h2>Held <em>now</em></h2>
      <lease-table rows="10"></lease-table>
      <img src="a.png"/>
    </section>
    <form id='new-lease'><input id=name></form>
  </main>
  <script>
    function start() { run(); }
  </script>
  <template id="row"><slot name="x"></slot></template>
</body>
</html>
"""


@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "key content 13-21 +",
        "heading content.All leases 14-14 +",
        "key content.held 15-19 +",
        "heading content.held.Held 16-16 +",
        "key content.new-lease 20-20 +",
        "key content.new-lease.name 20-20 +",
        "key row 25-25 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["content"] == '<main id="content">'
    assert found["content.held"] == '<section id="held" class="panel">'
    assert found["content.All leases"] == "<h1>All leases</h1>"
    assert read(PATH, SAMPLE).top_comment == "The page of leases."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("leases.css", 6), ("app.js", 7)]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 250) == [(1, 12), (13, 20), (21, 27)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
