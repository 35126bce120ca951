"""The repository that the kept outputs tell about: several languages, three commits with fixed dates, and an edit."""

import os
import subprocess
from collections.abc import Mapping
from pathlib import Path

_WHO = {
    "GIT_AUTHOR_NAME": "Ada",
    "GIT_AUTHOR_EMAIL": "ada@example.invalid",
    "GIT_COMMITTER_NAME": "Ada",
    "GIT_COMMITTER_EMAIL": "ada@example.invalid",
}

FIRST: dict[str, str | bytes] = {
    "README.md": """# Harbour

A small service that lends berths to ships.

## Leases

A lease expires after its term. Stale leases are taken over by the next ship.

## Tariffs

Each berth has a tariff, see `src/harbour/tariff.py`.
""",
    "pyproject.toml": '[project]\nname = "harbour"\nversion = "1.0"\n',
    ".gitignore": "*.log\nbuild/\n",
    ".env": "TOKEN=never-shown\n",
    "debug.log": "noise\n",
    "logo.png": b"\x89PNG\r\n\x1a\n\0",
    "src/harbour/__init__.py": '"""Berths and their leases."""\n\nfrom harbour.lease import Lease, take_over\n\n'
    '__all__ = ["Lease", "take_over"]\n',
    "src/harbour/clock.py": '"""What time it is."""\n\nimport time\n\n\ndef now() -> int:\n'
    '    """Seconds since the epoch."""\n    return int(time.time())\n',
    "src/harbour/lease.py": '''"""Who may lie at a berth."""

from harbour.clock import now

TERM_SECONDS = 30


class LeaseError(Exception):
    """A lease that can't be had."""


class Lease:
    """A lease that expires."""

    def __init__(self, owner: str, berth: int) -> None:
        self.owner = owner
        self.berth = berth
        self.taken_at = now()

    def is_stale(self, limit: int = TERM_SECONDS) -> bool:
        """Whether another ship may take it over."""
        age = now() - self.taken_at
        if age > limit:
            age = limit
            return True
        return age == limit

    def release(self) -> None:
        """Give the berth back."""
        self.owner = ""


class LongLease(Lease):
    def is_stale(self, limit: int = 10 * TERM_SECONDS) -> bool:
        return super().is_stale(limit)


def take_over(lease: Lease, owner: str) -> Lease:
    """Stale leases are taken over."""
    if not lease.is_stale():
        raise LeaseError(owner)
    lease.release()
    return Lease(owner, lease.berth)
''',
    "src/harbour/tariff.py": '''"""What a berth costs."""

RATES = {"small": 10, "large": 25}


def price(kind: str, days: int) -> int:
    rate = RATES[kind]
    total = rate * days
    return total


def release(kind: str) -> None:
    """Another thing of that name."""
    RATES.pop(kind)
''',
    "src/harbour/desk.py": '''"""Where ships ask."""

import harbour.lease as leases
from harbour import tariff
from harbour.lease import Lease, take_over


def arrive(ship: str, lease: Lease | None, days: int) -> tuple[Lease, int]:
    """A ship arrives: it gets the berth and the bill."""
    mine = take_over(lease, ship) if lease else leases.Lease(ship, 1)
    return mine, tariff.price("small", days)


def depart(lease: Lease) -> None:
    lease.release()


def depart_all(found: list[Lease]) -> None:
    for each in found:
        depart(each)
''',
    "tests/test_lease.py": """from harbour.desk import arrive, depart
from harbour.lease import Lease, take_over


def test_a_stale_lease_is_taken_over() -> None:
    assert take_over(Lease("a", 1), "b").owner == "b"


def test_arrival() -> None:
    lease, bill = arrive("a", None, 2)
    assert bill == 20
    depart(lease)
""",
}
SECOND: dict[str, str | bytes] = {
    "package.json": '{"name": "board", "version": "1.0.0"}\n',
    "tsconfig.json": '{"compilerOptions": {"strict": true}}\n',
    "web/board.ts": """import { format, type Row } from "./format";

export interface Listener {
  changed(row: Row): void;
}

export class Board implements Listener {
  private rows: Row[] = [];

  changed(row: Row): void {
    this.rows.push(row);
    this.draw();
  }

  draw(): string {
    return this.rows.map((row) => format(row)).join("\\n");
  }
}

export function start(name: string): Board {
  const board = new Board();
  board.changed({ name, berth: 1 });
  return board;
}
""",
    "web/format.ts": """export type Row = { name: string; berth: number };

// A row as people read it.
export const format = (row: Row): string => `${row.berth}: ${row.name}`;
""",
    "web/legacy.js": 'const { format } = require("./format");\n\nfunction legacy(rows) {\n'
    "  return rows.map(format);\n}\n\nmodule.exports = { legacy };\n",
    "web/page.html": "<!doctype html>\n<title>Board</title>\n<main id=board></main>\n",
    "go.mod": "module example.invalid/harbour\n\ngo 1.22\n",
    "tide/tide.go": """package tide

import "fmt"

// Level is the height of the water.
type Level struct {
	Metres float64
}

func (l Level) String() string { return fmt.Sprintf("%.1f m", l.Metres) }

// Next tells the level after a change.
func Next(l Level, change float64) Level {
	return Level{Metres: l.Metres + change}
}
""",
    "tide/tide_test.go": 'package tide\n\nimport "testing"\n\nfunc TestNext(t *testing.T) {\n'
    "\tif Next(Level{1}, 1).Metres != 2 {\n\t\tt.Fatal(1)\n\t}\n}\n",
    "crane/Cargo.toml": '[package]\nname = "crane"\nversion = "0.1.0"\n',
    "crane/src/lib.rs": """mod load;

use load::Load;

pub trait Lift {
    fn lift(&self, load: &Load) -> u32;
}

pub struct Crane {
    pub limit: u32,
}

impl Lift for Crane {
    fn lift(&self, load: &Load) -> u32 {
        load.weight().min(self.limit)
    }
}
""",
    "crane/src/load.rs": """pub struct Load(pub u32);

impl Load {
    pub fn weight(&self) -> u32 {
        self.0
    }
}
""",
    "yard/src/main/java/yard/Yard.java": """package yard;

import java.util.List;

public class Yard {
    private final List<String> ships;

    public Yard(List<String> ships) {
        this.ships = ships;
    }

    public int count() {
        return ships.size();
    }
}
""",
    "buoy/buoy.h": "#ifndef BUOY_H\n#define BUOY_H\nint blink(int times);\n#endif\n",
    "buoy/buoy.c": '#include "buoy.h"\n\nstatic int wait_ms = 10;\n\nint blink(int times) {\n'
    "    int done = 0;\n    while (done < times) {\n        done += 1;\n    }\n    return done * wait_ms;\n}\n",
    "ops/deploy.sh": '#!/bin/sh\nset -eu\n\ndeploy() {\n  echo "deploy $1"\n}\n\ndeploy harbour\n',
    "ops/ship.sql": "CREATE TABLE ship (id INTEGER PRIMARY KEY, name TEXT);\n",
}
THIRD: dict[str, str | bytes] = {
    "src/harbour/tariff.py": str(FIRST["src/harbour/tariff.py"]).replace(
        "total = rate * days", "total = rate * days + 1"
    ),
    "docs/tariffs.md": "# Tariffs\n\nA small berth costs 10 a day, a large one 25.\n",
}
EDIT: dict[str, str | bytes] = {
    "src/harbour/clock.py": str(FIRST["src/harbour/clock.py"]).replace("int(time.time())", "round(time.time())"),
    "web/format.ts": str(SECOND["web/format.ts"]).replace(": ${", " - ${"),
}
OTHER: dict[str, str | bytes] = {
    "pier.py": '"""Another codebase."""\n\n\nclass Lease:\n    def release(self) -> None: ...\n\n\n'
    "def pier(lease: Lease) -> None:\n    lease.release()\n"
}


def make(folder: Path) -> None:
    """The repository in `folder`, with an edit that isn't committed."""
    folder.mkdir(parents=True)
    _git(folder, 0, "init", "-q", "-b", "main")
    for number, files in enumerate((FIRST, SECOND, THIRD)):
        write(folder, files)
        _git(folder, number, "add", "-A")
        _git(folder, number, "commit", "-q", "-m", f"Commit {number + 1}")
        _git(folder, number, "tag", f"v{number + 1}")
    write(folder, EDIT)


def write(folder: Path, files: Mapping[str, str | bytes]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())


def _git(folder: Path, day: int, *arguments: str) -> None:
    when = f"2026-01-0{day + 1}T12:00:00+00:00"
    dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
    subprocess.run(("git", *arguments), cwd=folder, env=os.environ | _WHO | dates, check=True)
