"""What only Linux has stands in one module, and Cairn works without it."""

import ast
import errno
import os
import subprocess
import sys
from pathlib import Path

import pytest

from cairn.base import system
from cairn.base.owner import is_proven_alive, is_proven_dead, this_process
from tests.test_architecture import SOURCE, load
from tests.trees import Repo
from tests.trees import cairn as run_cairn

CALLS = {"O_PATH", "O_TMPFILE", "sched_getaffinity", "listxattr", "getxattr", "setxattr", "SOCK_CLOEXEC", "SO_PEERCRED"}
CALLS |= {"posix_fadvise", "fdatasync", "memfd_create", "copy_file_range", "eventfd", "prctl"}


@pytest.mark.slow
def test_what_only_linux_has_is_called_in_one_module() -> None:
    found = set()
    for module in load(SOURCE).values():
        for node in module.nodes:
            words = (
                [node.attr]
                if isinstance(node, ast.Attribute)
                else [alias.name for alias in node.names]
                if isinstance(node, ast.Import)
                else [node.value]
                if isinstance(node, ast.Constant) and isinstance(node.value, str)
                else []
            )
            if any(word in CALLS or word == "ctypes" or word.startswith("/proc/") for word in words):
                found.add(module.path.relative_to(SOURCE).as_posix())
    assert found == {"base/system.py"}


@pytest.mark.parametrize(
    "path",
    [
        "a.py",
        "sub/../a.py",
        "link",
        "sub/up",
        "sub/./b.py",
        "folder/b.py",
        "sub",
        ".",
        "loop",
        "gone",
        "sub/gone",
        "a.py/x",
        "out",
        "sub/../../x",
        "/etc/hostname",
        "absolute",
        "out/secret",
        "chain0",
    ],
)
@pytest.mark.parametrize("follow", [True, False])
def test_a_walk_beneath_a_root_ends_where_the_kernel_would_let_it(tmp_path: Path, path: str, follow: bool) -> None:
    root = tmp_path / "root"
    (root / "sub").mkdir(parents=True)
    (tmp_path / "secret").write_text("no")
    (root / "a.py").write_text("a")
    (root / "sub/b.py").write_text("b")
    for name, target in {
        "link": "sub/b.py",
        "sub/up": "../a.py",
        "folder": "sub",
        "loop": "loop",
        "out": "..",
        "absolute": str(root / "a.py"),
        **{f"chain{at}": f"chain{at + 1}" for at in range(45)},
    }.items():
        (root / name).symlink_to(target)
    fd = os.open(root, os.O_RDONLY | os.O_DIRECTORY)
    try:
        outcomes = []
        for opened in (system.open_beneath, system.walk_beneath):
            try:
                got = opened(fd, path, os.O_RDONLY | os.O_CLOEXEC, follow=follow)
            except OSError as error:
                if error.errno == errno.ENOSYS:
                    pytest.skip("this kernel or sandbox has no openat2")
                outcomes.append((error.errno, 0))
            else:
                outcomes.append((0, os.fstat(got).st_ino))
                os.close(got)
        assert outcomes[0] == outcomes[1]
    finally:
        os.close(fd)


def test_elsewhere_nobody_is_proven_dead_or_alive_and_counts_are_the_best_there_are(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    here = this_process()
    monkeypatch.setattr(system, "IS_LINUX", False)
    assert not is_proven_dead(here)
    assert not is_proven_alive(this_process())
    assert this_process().boot_id == ""
    assert system.cores() >= 1
    assert system.open_handles() > 0
    assert system.memory_pages(1) == 0
    assert system.watcher_to_be_had()
    system.die_with_parent(9)
    system.limit_arenas(2)
    system.trim_memory()
    with pytest.raises(FileNotFoundError):
        system.proc("self/stat")
    with pytest.raises(OSError, match=os.strerror(errno.ENOSYS)):
        system.open_beneath(0, ".", 0, follow=True)
    assert system.ShortName("/a/b/c").path == "/a/b/c"


@pytest.mark.slow
def test_index_search_and_edit_work_without_what_only_linux_has(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A whole round of commands, each in a process of its own that takes the other way."""
    monkeypatch.setenv("CAIRN_PORTABLE", "1")
    for at in range(60):
        repo.write(f"src/part_{at}.py", f"def compute_{at}(value):\n    return value + {at}\n")
    repo.write("src/use.py", "from src.part_7 import compute_7\n\nprint(compute_7(1))\n")
    (repo.path / "src/inside.py").symlink_to("part_1.py")
    (repo.path / "src/outside.py").symlink_to("/etc/hostname")
    repo.commit()
    done = run_cairn("search", "--literal", "compute_7(", str(repo.path))
    assert "src/use.py" in done.stdout
    assert "part_7.py" in run_cairn("symbol", "compute_7", str(repo.path)).stdout
    renamed = run_cairn("rename", "compute_7", "reckon", "--apply", cwd=repo.path)
    assert "reckon" in (repo.path / "src/use.py").read_text(), renamed.stdout + renamed.stderr
    assert "def reckon(value)" in (repo.path / "src/part_7.py").read_text()
    again = run_cairn("search", "--literal", "reckon(", str(repo.path))
    assert "src/part_7.py" in again.stdout
    assert run_cairn("health", str(repo.path)).returncode == 0


LAUNCHED = """
import os, runpy, sys
if hasattr(os, "pidfd_open"):
    del os.pidfd_open
os.setpgrp()
sys.argv = [sys.argv[1], *sys.argv[2:]]
runpy.run_path(sys.argv[0], run_name="__main__")
"""


@pytest.mark.parametrize(
    ("code", "wanted"), [("raise SystemExit(7)", 7), ("import os; os.kill(os.getpid(), 9)", 128 + 9)]
)
def test_an_indexer_is_waited_for_without_descriptors_of_processes(code: str, wanted: int) -> None:
    ours, theirs = os.pipe()
    try:
        done = subprocess.run(
            (
                sys.executable,
                "-c",
                LAUNCHED,
                str(SOURCE / "semantic/launch.py"),
                str(theirs),
                str(1 << 40),
                str(1 << 30),
                sys.executable,
                "-c",
                code,
            ),
            pass_fds=(theirs,),
            timeout=60,
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)
    assert done.returncode == wanted
