"""Contents that were given: only a file of the home's own is read, and whatever else lies there is no hindrance."""

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from cairn.readcache.objects import Objects


def linked(path: Path) -> None:
    path.rename(path.with_name("target"))
    path.symlink_to("target")


def dangling(path: Path) -> None:
    path.unlink()
    path.symlink_to("nowhere")


def pipe(path: Path) -> None:
    path.unlink()
    os.mkfifo(path, 0o600)


def folder(path: Path) -> None:
    path.unlink()
    path.mkdir()


@pytest.mark.requirement("STO.20")
@pytest.mark.parametrize("make", [linked, dangling, pipe, folder])
def test_an_object_that_is_no_file_of_its_own_is_not_read_and_is_made_anew(
    tmp_path: Path, make: Callable[[Path], None]
) -> None:
    objects = Objects(str(tmp_path))
    name = objects.put(b"text")
    make(Path(objects.folder, name[:2], name[2:]))
    assert objects.get(name) is None
    assert objects.put(b"text") == name
    assert objects.get(name) == b"text"
    objects.prune()
