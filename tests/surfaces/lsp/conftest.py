"""One small project, indexed once, and one server for many checks."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.surfaces.lsp.client import LanguageClient
from tests.trees import Repo, cairn

BASE = '''"""Shapes."""


class Shape:
    """Something with an area."""

    def area(self) -> float:
        """How large it is."""
        return 0.0


class Square(Shape):
    def __init__(self, side: float) -> None:
        self.side = side

    def area(self) -> float:
        return self.side * self.side
'''
USES = '''from shapes import Shape, Square


def total(shapes: list[Shape]) -> float:
    """The sum of all areas."""
    return sum(each.area() for each in shapes)


def twice(side: float) -> float:
    # Zwölf Äpfel 🍎 before the name
    größe = "🍎"; square = Square(side)
    return total([square, square])
'''
SHELL = """greet() {
    echo "hello $1"
}

greet world
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """An indexed repository beneath a home of its own, which stays for the module."""
    place = tmp_path_factory.mktemp("lsp")
    kept = {name: os.environ.get(name) for name in ("HOME", "CAIRN_HOME")}
    os.environ |= {"HOME": str(place), "CAIRN_HOME": str(place / ".cairn")}
    repo = Repo.create(place / "project")
    repo.write("shapes.py", BASE)
    repo.write("uses.py", USES)
    repo.write("greet.sh", SHELL)
    repo.commit()
    done = cairn("index", str(repo.path), HOME=str(place), CAIRN_HOME=str(place / ".cairn"))
    assert done.returncode == 0, done.stderr
    yield repo.path
    for name, value in kept.items():
        if value is not None:
            os.environ[name] = value


def environment(project: Path) -> dict[str, str]:
    """What a server of the project is started with."""
    return {"HOME": str(project.parent), "CAIRN_HOME": str(project.parent / ".cairn")}


@pytest.fixture(scope="module")
def client(project: Path) -> Iterator[LanguageClient]:
    """A server that offers everything."""
    with LanguageClient(environment=environment(project)) as found:
        found.initialize([project], {"features": "all", "sync": False, "index": "never"})
        yield found
