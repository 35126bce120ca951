"""TSX: what is found in a sample."""

import pytest

from tests.syntax.grammars.reading import calls, chunk_lines, docs, imports, outline, read, read_broken, signatures

PATH = "src/leases.tsx"
SAMPLE = """/** A table of leases. */
import { memo, useState } from "react";
import type { Lease } from "./leases";

type RowProps = {
  lease: Lease;
  onDrop(name: string): void;
};

/** One lease. */
export function LeaseRow({ lease, onDrop }: RowProps) {
  const [open, setOpen] = useState(false);
  const toggle = () => setOpen(!open);
  return (
    <tr onClick={toggle}>
      <td>{lease.name}</td>
      <Icons.Trash onClick={() => onDrop(lease.name)} />
    </tr>
  );
}

export const LeaseTable: React.FC<{ leases: Lease[] }> = ({ leases }) => (
  <table>
    {leases.map((lease) => <LeaseRow key={lease.name} lease={lease} onDrop={drop} />)}
  </table>
);

export const Cached = memo(LeaseTable);

export default class Boundary extends React.Component<Props> {
  state = { failed: false };

  render() {
    return <Fallback />;
  }
}
"""


@pytest.mark.slow
@pytest.mark.requirement("MOD.3")
def test_symbols() -> None:
    assert outline(read(PATH, SAMPLE)) == [
        "type RowProps 5-8",
        "field RowProps.lease 6-6",
        "method RowProps.onDrop 7-7",
        "function LeaseRow 11-20 +",
        "function LeaseRow.toggle 13-13",
        "function LeaseTable 22-26 +",
        "constant Cached 28-28 +",
        "class Boundary 30-36 +",
        "field Boundary.state 31-31 +",
        "method Boundary.render 33-35 +",
    ]


def test_signatures() -> None:
    found = signatures(read(PATH, SAMPLE))
    assert found["LeaseRow"] == "function LeaseRow({ lease, onDrop }: RowProps)"
    assert found["Boundary"] == "class Boundary extends React.Component<Props>"


def test_docs() -> None:
    assert docs(read(PATH, SAMPLE)) == {"LeaseRow": "One lease."}
    assert read(PATH, SAMPLE).top_comment == "A table of leases."


def test_imports() -> None:
    assert imports(read(PATH, SAMPLE)) == [("react", 2), ("./leases", 3)]


def test_calls() -> None:
    assert calls(read(PATH, SAMPLE)) == [
        ("useState", 12, "LeaseRow"),
        ("setOpen", 13, "LeaseRow.toggle"),
        ("Trash", 17, "LeaseRow"),
        ("onDrop", 17, "LeaseRow"),
        ("map", 24, "LeaseTable"),
        ("LeaseRow", 24, "LeaseTable"),
        ("memo", 28, "Cached"),
        ("Fallback", 34, "Boundary.render"),
    ]


def test_chunks_follow_definitions() -> None:
    assert chunk_lines(PATH, SAMPLE, 300) == [(1, 8), (10, 20), (22, 28), (30, 36)]


def test_broken_source_is_read() -> None:
    assert any(parsed.symbols for parsed in read_broken(PATH, SAMPLE))
