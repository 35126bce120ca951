"""Real trees of pinned releases, the same on every machine, and questions to ask of any of them."""

import hashlib
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from bench.processes import MissingError, environment

DJANGO = "Django==5.2.8"
MANY = "ansible==11.8.0"
"""A release of over 20,000 files."""
_PROSE = (
    "how is a password checked",
    "read the settings from a file",
    "retry a request that failed",
    "convert a date to text",
    "open a connection to the database",
    "what happens when a file is missing",
    "parse the arguments of the command line",
    "write log messages",
    "compare two versions",
    "build the url of a resource",
)
_DEFINED = re.compile(r"^\s*(?:def|class) ([A-Za-z]\w{7,})", re.MULTILINE)
_LINE = re.compile(r"^\s*((?:raise|return) \w+\([^\n\"']{12,60})$", re.MULTILINE)
_SYMBOLS = 20
_LITERALS = 10


@dataclass(frozen=True, slots=True)
class Questions:
    """What is asked of a tree; names and lines are taken from the tree itself."""

    prose: tuple[str, ...]
    symbol: tuple[str, ...]
    literal: tuple[str, ...]


def django(work: Path) -> Path:
    """The source distribution, committed to git."""
    root = work / "trees" / "django"
    if not (root / ".git").exists():
        unpack(work, download(work, DJANGO, "--no-binary"), root)
        commit(root)
    return _restored(root)


def many(work: Path, files: int) -> Path:
    """`files` files of a large release, chosen by the hashes of their names, committed to git."""
    root = work / "trees" / f"many-{files}"
    if not (root / ".git").exists():
        archive = download(work, MANY, "--only-binary")
        shutil.rmtree(root, ignore_errors=True)
        with zipfile.ZipFile(archive) as packed:
            names = [each.filename for each in packed.infolist() if not each.is_dir()]
            names.sort(key=lambda name: hashlib.sha256(name.encode()).digest())
            packed.extractall(root, names[:files])
        commit(root)
    return _restored(root)


def unpack(work: Path, archive: Path, root: Path) -> None:
    """The one folder of a tar archive, as `root`."""
    unpacked = work / "trees" / "unpacked"
    for folder in (unpacked, root):
        shutil.rmtree(folder, ignore_errors=True)
    with tarfile.open(archive) as packed:
        packed.extractall(unpacked, filter="data")
    (inside,) = unpacked.iterdir()
    inside.rename(root)


def commit(root: Path) -> None:
    git = ("git", "-c", "user.name=b", "-c", "user.email=b@example.invalid", "-C", str(root))
    for arguments in (("init", "-q"), ("add", "-A", "-f"), ("commit", "-q", "-m", "tree")):
        subprocess.run((*git, *arguments), check=True)


def _restored(root: Path) -> Path:
    """A tree without the edits of a run that was stopped."""
    subprocess.run(("git", "-C", str(root), "checkout", "--quiet", "--force"), check=True)
    return root


def questions(root: Path) -> Questions:
    symbols: dict[str, None] = {}
    lines: dict[str, None] = {}
    for path in sorted(root.rglob("*.py"), key=lambda path: hashlib.sha256(path.name.encode()).digest()):
        text = path.read_text(encoding="utf-8", errors="replace")
        symbols.update(dict.fromkeys(_DEFINED.findall(text)[:1]))
        lines.update(dict.fromkeys(_LINE.findall(text)[:1]))
        if len(symbols) >= _SYMBOLS and len(lines) >= _LITERALS:
            break
    return Questions(_PROSE, tuple(symbols)[:_SYMBOLS], tuple(lines)[:_LITERALS])


def victim(root: Path) -> Path:
    """A Python file of middling size: the one that is edited."""
    sizes = sorted((path.stat().st_size, path) for path in root.rglob("*.py"))
    return sizes[len(sizes) * 3 // 4][1]


def download(work: Path, package: str, kind: str) -> Path:
    """A release from the package index: `--no-binary` for its sources, `--only-binary` for what is installed."""
    folder = work / "downloads" / package
    if not folder.exists() or not any(folder.iterdir()):
        folder.mkdir(parents=True, exist_ok=True)
        command = (sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", kind, ":all:", "-d", str(folder))
        try:
            subprocess.run((*command, package), check=True, capture_output=True, env=environment())
        except subprocess.CalledProcessError as error:
            raise MissingError(f"{package} could not be downloaded") from error
    return next(folder.iterdir())
