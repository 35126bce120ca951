"""Two homes of one repository, and the containers that go between them."""

import json
import os
import struct
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from cairn.codebase.codebase import Codebase
from cairn.store.audit import audit
from cairn.store.health import Level, check_store
from cairn.team import container as containers
from tests.surfaces.cli.test_store import Done, run
from tests.trees import Repo

FILES = {
    "docs/guide.md": "# Guide\n\nHow herons and otters meet at the river.\n",
    "src/heron.py": "def heron_wades(river):\n    return river.depth < 1\n",
    "src/otter.py": "from src.heron import heron_wades\n\ndef otter_dives(river):\n    return not heron_wades(river)\n",
    "src/walrus.py": "class Walrus:\n    def haul_out(self, floe):\n        return floe\n",
    "src/ibis.py": "IBIS = 'white'\n",
}
QUERIES = ("heron_wades", "otter dives", "Walrus", "egret", "IBIS")


def committed(path: Path, files: Mapping[str, str] = FILES) -> Repo:
    repo = Repo.create(path)
    for name, text in files.items():
        repo.write(name, text)
    repo.commit()
    return repo


def clone(repo: Repo, path: Path) -> Repo:
    repo.git("clone", "-q", "--no-hardlinks", str(repo.path), str(path))
    return Repo(path.resolve())


@contextmanager
def at_home(home: Path) -> Iterator[None]:
    """The commands of this process belong to another user of another machine."""
    home.mkdir(mode=0o700, exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("CAIRN_HOME", str(home))
        yield


def done(*arguments: str, code: int = 0) -> dict[str, Any]:
    """What a command says as JSON."""
    said = run(*arguments, "--json")
    assert said.returncode == code, said.stdout + said.stderr
    document: dict[str, Any] = json.loads(said.stdout)
    return document


def refused(*arguments: str) -> Done:
    said = run(*arguments)
    assert said.returncode not in (0, 70), said.stdout + said.stderr
    assert said.stdout == ""
    assert said.stderr.startswith("cairn: ")
    return said


def live(root: Path) -> dict[str, str]:
    """The live files with their hashes, in a store that is sound."""
    with Codebase(str(root)) as codebase, codebase.view() as view:
        assert view.recovered == ""
        assert audit(view) == []
        assert [check for check in check_store(view.layout) if check.level is not Level.OK] == []
        return {file.path_key: file.file_hash for file in view.files()}


def found(root: Path) -> list[object]:
    """What searches say, up to the names of snapshots."""
    return [
        [(each["path"], each["start_line"], each["score"]) for each in run_search(root, query)] for query in QUERIES
    ]


def run_search(root: Path, query: str) -> list[dict[str, Any]]:
    said = run("search", "--no-sync", query, str(root), "--json")
    assert said.returncode in (0, 1), said.stderr
    results: list[dict[str, Any]] = json.loads(said.stdout)["results"]
    return results


def everything(home: Path) -> dict[str, bytes]:
    """All that stores and the registry hold, but for what is only noted."""
    if not (home / "data").exists():
        return {}
    return {
        str(path.relative_to(home)): path.read_bytes()
        for path in sorted((home / "data").rglob("*"))
        if path.is_file() and not {"cache", "logs", "locks"} & set(path.parts)
    }


def document_of(data: bytes) -> tuple[dict[str, Any], int]:
    """The document of a container, and where it begins."""
    length, *_ = struct.unpack("<Q32s32s8s", data[-80:])
    start = len(data) - 80 - length
    return json.loads(data[start:-80]), start


def sealed(parts: bytes, document: Mapping[str, Any]) -> bytes:
    """A container as somebody would make it who can compute hashes."""
    encoded = json.dumps(document).encode()
    signature = bytes(32)
    tail = struct.pack("<Q32s32s8s", len(encoded), signature, containers._seal(encoded, signature), containers.MAGIC)
    return parts + encoded + tail


def leftovers(home: Path) -> list[str]:
    staging = home / "arrivals" / "staging"
    return sorted(os.listdir(staging)) if staging.exists() else []
