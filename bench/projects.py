"""Real projects in several languages, by their names in package registries, each as a committed tree."""

import shutil
import subprocess
import zipfile
from collections.abc import Callable
from pathlib import Path

from bench import corpora, peers
from bench.processes import MissingError, environment

RXJS = "rxjs@7.8.2"
RICH = "rich==13.9.4"
UWSGI = "uWSGI==2.0.28"
GRPC = "golang-google-grpc-dev"
REGEX = "librust-regex-dev"
"""Debian packages: their versions are those of the release at hand."""


def rxjs(work: Path) -> Path:
    """The sources that the package ships, with a configuration that an indexer takes."""

    def make(root: Path) -> None:
        corpora.unpack(work, _npm(work, RXJS), root)
        for each in list(root.iterdir()):
            if each.name not in ("src", "package.json", "tsconfig.json"):
                shutil.rmtree(each) if each.is_dir() else each.unlink()
        (root / "tsconfig.json").write_text(_TSCONFIG, encoding="utf-8")

    return _tree(work, "rxjs", make)


def rich(work: Path) -> Path:
    def make(root: Path) -> None:
        with zipfile.ZipFile(corpora.download(work, RICH, "--only-binary")) as packed:
            packed.extractall(root, [name for name in packed.namelist() if name.startswith("rich/")])

    return _tree(work, "rich", make)


def django_package(work: Path) -> Path:
    """The package alone, without its tests and documents."""
    return _tree(work, "django-package", lambda root: _copied(corpora.django(work) / "django", root / "django"))


def _copied(source: Path, target: Path) -> None:
    shutil.copytree(source, target)


def uwsgi(work: Path) -> Path:
    return _tree(work, "uwsgi", lambda root: corpora.unpack(work, corpora.download(work, UWSGI, "--no-binary"), root))


def grpc(work: Path) -> Path:
    return _tree(work, "grpc", _debian(work, GRPC, "usr/share/gocode/src/google.golang.org/grpc"))


def regex(work: Path) -> Path:
    return _tree(work, "regex", _debian(work, REGEX, "usr/share/cargo/registry/regex-*"))


def _tree(work: Path, name: str, make: Callable[[Path], None]) -> Path:
    root = work / "trees" / name
    if not (root / ".git").exists():
        shutil.rmtree(root, ignore_errors=True)
        root.parent.mkdir(parents=True, exist_ok=True)
        make(root)
        corpora.commit(root)
    return root


def _debian(work: Path, package: str, inside: str) -> Callable[[Path], None]:
    def make(root: Path) -> None:
        found = sorted(peers.debian(work, package).glob(inside))
        if not found:
            raise MissingError(f"{package} holds no {inside}")
        shutil.copytree(found[0], root, symlinks=True)

    return make


def _npm(work: Path, package: str) -> Path:
    folder = work / "downloads" / package
    if not folder.exists() or not any(folder.iterdir()):
        folder.mkdir(parents=True, exist_ok=True)
        try:
            subprocess.run(
                ("npm", "pack", "--silent", package), check=True, capture_output=True, cwd=folder, env=environment()
            )
        except (OSError, subprocess.CalledProcessError) as error:
            raise MissingError(f"{package} could not be downloaded") from error
    return next(folder.iterdir())


_TSCONFIG = """{
  "compilerOptions": {
    "target": "es2019", "module": "commonjs", "moduleResolution": "node", "strict": true, "noEmit": true,
    "lib": ["es2019", "dom"], "types": [], "baseUrl": "./src", "paths": {"rxjs": ["./"], "rxjs/*": ["./*"]}
  },
  "include": ["src/**/*.ts"]
}
"""
