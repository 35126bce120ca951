import errno
import os
import stat
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from cairn.base import system
from cairn.base.errors import ExitCode, OutOfRootError, RootNotFoundError, SymlinkLoopError
from cairn.workspace.beneath import Beneath, OpenFolder
from tests.trees import write

SECRET = b"the outside must never be read\n"
RACES, MOST_RACES = 10_000, 200_000


def is_regular(fd: int) -> bool:
    return stat.S_ISREG(os.fstat(fd).st_mode)


@pytest.fixture(params=[True, False], ids=["openat2", "verified"])
def use_openat2(request: pytest.FixtureRequest) -> bool:
    assert isinstance(request.param, bool)
    return request.param


@pytest.fixture
def outside(tmp_path: Path) -> Path:
    place = tmp_path / "outside"
    write(place, "secret.txt", SECRET)
    return place.resolve()


@pytest.fixture
def tree(folder: Path, use_openat2: bool) -> Iterator[Beneath]:
    with Beneath(str(folder), use_openat2=use_openat2) as held:
        if use_openat2 and not held.has_openat2:
            pytest.skip("this kernel or sandbox has no openat2")
        assert held.has_openat2 is use_openat2
        yield held


def read(tree: Beneath, raw: str) -> bytes:
    with open(tree.open_file(raw), "rb") as file:
        return file.read()


def listed(tree: Beneath, raw: str) -> list[str]:
    fd = tree.open_folder(raw)
    try:
        return sorted(os.listdir(fd))
    finally:
        os.close(fd)


def open_descriptors() -> set[str]:
    return set(os.listdir("/proc/self/fd"))


_SWAP_FOLDERS = """
import os
os.rename("d", "kept")
os.rename("way-out", "d")
os.rename("d", "way-out")
os.rename("kept", "d")
"""
_SWAP_FILES = """
import os
os.symlink("../outside/secret.txt", "staged")
os.rename("staged", "a.py")
with open("staged", "wb") as file:
    file.write(b"inside\\n")
os.rename("staged", "a.py")
"""


@contextmanager
def over_and_over(code: str, folder: Path) -> Iterator[None]:
    """Another process repeats some code in a folder until the block ends."""
    loop = f"code = compile({code!r}, 'swap', 'exec')\nexec(code)\nprint('turning', flush=True)\nwhile True: exec(code)"
    with subprocess.Popen((sys.executable, "-c", loop), cwd=folder, stdout=subprocess.PIPE) as other:
        try:
            assert other.stdout is not None
            assert other.stdout.readline() == b"turning\n"
            yield
        finally:
            other.kill()


def outcomes(tree: Beneath, raw: str) -> set[bytes]:
    """Every content and refusal that a path in motion gives, over as many reads as it takes to see both."""
    seen: set[bytes] = set()
    for attempt in range(MOST_RACES):
        if attempt > RACES and {b"inside\n", b"refused"} <= seen:
            break
        try:
            seen.add(read(tree, raw))
        except OutOfRootError:
            seen.add(b"refused")
        except FileNotFoundError:
            seen.add(b"missing")
    return seen


@pytest.mark.requirement("PATH.2")
def test_a_plain_file_is_read(tree: Beneath, folder: Path) -> None:
    write(folder, "d/e/a.py", b"x\n")
    write(folder, "é \n.py", b"y\n")

    assert read(tree, "d/e/a.py") == b"x\n"
    assert read(tree, "é \n.py") == b"y\n"
    assert read(tree, "./d/../d/e/a.py") == b"x\n"


@pytest.mark.requirement("PATH.2")
def test_a_name_that_is_not_utf8_is_read(tree: Beneath, folder: Path) -> None:
    with open(bytes(folder) + b"/caf\xe9", "wb") as file:
        file.write(b"x\n")

    assert read(tree, "caf\udce9") == b"x\n"


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize("target", ["../a.py", "./../d/../a.py", "b.py"])
def test_a_relative_link_inside_the_root_is_followed(tree: Beneath, folder: Path, target: str) -> None:
    write(folder, "a.py", b"x\n")
    write(folder, "d/other.py")
    (folder / "d/b.py").symlink_to("../a.py")
    (folder / "d/link.py").symlink_to(target)

    assert read(tree, "d/link.py") == b"x\n"


@pytest.mark.requirement("PATH.2")
def test_a_linked_folder_inside_the_root_is_followed(tree: Beneath, folder: Path) -> None:
    write(folder, "real/a.py", b"x\n")
    (folder / "link").symlink_to("real")

    assert read(tree, "link/a.py") == b"x\n"
    assert listed(tree, "link") == ["a.py"]


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize("raw", ["../outside/secret.txt", "d/../../outside/secret.txt", "..", "d/../.."])
def test_dots_do_not_lead_out(tree: Beneath, folder: Path, outside: Path, raw: str) -> None:
    (folder / "d").mkdir()

    for opens in (tree.open_file, tree.open_folder):
        with pytest.raises(OutOfRootError) as caught:
            opens(raw)
        assert (caught.value.code, caught.value.exit_code) == ("out_of_root", ExitCode.REFUSED)


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize("raw", ["/", "/etc/passwd", "/proc/self/environ"])
def test_an_absolute_path_is_refused(tree: Beneath, raw: str) -> None:
    with pytest.raises(OutOfRootError):
        tree.open_file(raw)


@pytest.mark.requirement("PATH.2")
def test_even_an_absolute_path_of_a_file_inside_is_refused(tree: Beneath, folder: Path) -> None:
    path = write(folder, "a.py")

    with pytest.raises(OutOfRootError):
        tree.open_file(str(path))


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize(
    "target", ["/etc/passwd", "{outside}/secret.txt", "../outside/secret.txt", "/proc/self/environ"]
)
def test_a_link_out_of_the_root_is_refused(tree: Beneath, folder: Path, outside: Path, target: str) -> None:
    (folder / "link").symlink_to(target.format(outside=outside))
    (folder / "again").symlink_to("link")

    for raw in ("link", "again"):
        with pytest.raises(OutOfRootError, match="leads out of the root"):
            tree.open_file(raw)


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize("target", ["{outside}", "../outside", "/"])
def test_a_linked_folder_out_of_the_root_is_refused(tree: Beneath, folder: Path, outside: Path, target: str) -> None:
    (folder / "d").symlink_to(target.format(outside=outside))

    with pytest.raises(OutOfRootError):
        tree.open_folder("d")
    with pytest.raises(OutOfRootError):
        tree.open_file("d/secret.txt" if target != "/" else "d/etc/passwd")


@pytest.mark.requirement("PATH.2")
def test_a_sibling_whose_name_begins_like_the_root_is_outside(tmp_path: Path, use_openat2: bool) -> None:
    root, sibling = tmp_path.resolve() / "root", tmp_path.resolve() / "root-too"
    root.mkdir()
    write(sibling, "secret.txt", SECRET)
    (root / "link").symlink_to("../root-too/secret.txt")

    with Beneath(str(root), use_openat2=use_openat2) as tree, pytest.raises(OutOfRootError):
        tree.open_file("link")


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize("raw", ["a.py\0.txt", "\0", "a.py\0"])
def test_a_name_with_a_nul_opens_nothing(tree: Beneath, folder: Path, raw: str) -> None:
    write(folder, "a.py")

    with pytest.raises((ValueError, OSError)):
        tree.open_file(raw)


_OPEN_PIPES = """
import os, stat, sys
from cairn.workspace.beneath import Beneath
from cairn.workspace.beneath import OpenFolder
with Beneath(sys.argv[1], use_openat2=sys.argv[2] == "True") as tree, OpenFolder(tree, "") as held:
    for fd in (tree.open_file("pipe"), tree.open_file("link"), held.open_file("pipe")):
        print(stat.S_ISFIFO(os.fstat(fd).st_mode))
"""


@pytest.mark.requirement("PATH.2")
def test_a_pipe_does_not_wait_for_a_writer(folder: Path, use_openat2: bool) -> None:
    os.mkfifo(folder / "pipe")
    os.mkfifo(folder / "target")
    (folder / "link").symlink_to("target")

    done = subprocess.run(
        (sys.executable, "-c", _OPEN_PIPES, str(folder), str(use_openat2)),
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert (done.stdout, done.stderr) == ("True\n" * 3, "")


@pytest.mark.requirement("PATH.2")
def test_what_is_opened_is_told_apart(tree: Beneath, folder: Path) -> None:
    write(folder, "d/a.py")

    for raw, regular in (("d", False), ("d/a.py", True)):
        fd = tree.open_file(raw)
        assert is_regular(fd) is regular
        os.close(fd)
    with pytest.raises(NotADirectoryError):
        tree.open_folder("d/a.py")
    assert listed(tree, "") == ["d"]


@pytest.mark.requirement("PATH.2")
@pytest.mark.requirement("PATH.3")
def test_a_loop_of_links_is_named(tree: Beneath, folder: Path) -> None:
    (folder / "self").symlink_to("self")
    (folder / "one").symlink_to("two")
    (folder / "two").symlink_to("one")

    for raw in ("self", "one", "two", "one/a.py"):
        with pytest.raises(SymlinkLoopError) as caught:
            tree.open_file(raw)
        assert (caught.value.code, caught.value.exit_code) == ("symlink_loop", ExitCode.REFUSED)


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize("raw", ["missing", "d/missing", "dangling", ""])
def test_what_is_missing_is_not_found(tree: Beneath, folder: Path, raw: str) -> None:
    (folder / "d").mkdir()
    (folder / "dangling").symlink_to("nowhere")

    with pytest.raises(FileNotFoundError):
        tree.open_file(raw)


@pytest.mark.requirement("PATH.2")
def test_no_descriptor_is_left_open(folder: Path, outside: Path, use_openat2: bool) -> None:
    write(folder, "a.py")
    (folder / "out").symlink_to(outside)
    (folder / "loop").symlink_to("loop")
    before = open_descriptors()

    with Beneath(str(folder), use_openat2=use_openat2) as tree:
        read(tree, "a.py")
        with OpenFolder(tree, "") as held, open(held.open_file("a.py"), "rb") as file:
            file.read()
        for raw in ("out/secret.txt", "loop", "missing", "a.py/x", "/etc/passwd"):
            with pytest.raises((OutOfRootError, SymlinkLoopError, OSError)):
                tree.open_file(raw)
    tree.close()

    assert open_descriptors() == before


@pytest.mark.requirement("PATH.2")
def test_descriptors_are_not_inherited(tree: Beneath, folder: Path) -> None:
    write(folder, "a.py")
    fd = tree.open_file("a.py")
    try:
        assert not os.get_inheritable(fd)
        assert not os.get_inheritable(tree.fd)
    finally:
        os.close(fd)


@pytest.mark.requirement("PATH.2")
def test_a_folder_swapped_for_a_link_never_gives_away_the_outside(tree: Beneath, folder: Path, outside: Path) -> None:
    write(folder, "d/secret.txt", b"inside\n")
    (folder / "way-out").symlink_to(outside)

    with over_and_over(_SWAP_FOLDERS, folder):
        seen = outcomes(tree, "d/secret.txt")

    assert SECRET not in seen
    assert {b"inside\n", b"refused"} <= seen


@pytest.mark.requirement("PATH.2")
def test_a_file_swapped_for_a_link_never_gives_away_the_outside(tree: Beneath, folder: Path, outside: Path) -> None:
    write(folder, "a.py", b"inside\n")

    with over_and_over(_SWAP_FILES, folder):
        seen = outcomes(tree, "a.py")

    assert seen == {b"inside\n", b"refused"}


@pytest.mark.requirement("PATH.2")
def test_a_real_path_is_opened_only_where_no_link_is_on_the_way(tree: Beneath, folder: Path, outside: Path) -> None:
    write(folder, "d/a.py", b"x\n")
    (folder / "link.py").symlink_to("d/a.py")
    (folder / "way").symlink_to("d")
    (folder / "out").symlink_to(outside)
    (folder / "loop").symlink_to("loop")

    with open(tree.open_file("d/a.py", follow=False), "rb") as file:
        assert file.read() == b"x\n"
    for raw in ("", "d"):
        os.close(tree.open_folder(raw, follow=False))
    for raw in ("link.py", "way/a.py", "out/secret.txt", "loop"):
        with pytest.raises((FileNotFoundError, OutOfRootError, SymlinkLoopError)):
            tree.open_file(raw, follow=False)
    for raw in ("way", "out"):
        with pytest.raises((FileNotFoundError, OutOfRootError)):
            tree.open_folder(raw, follow=False)
    with pytest.raises(OutOfRootError):
        tree.open_file("../outside/secret.txt", follow=False)


@pytest.mark.requirement("PATH.2")
def test_a_folder_swapped_for_a_link_is_never_taken_for_the_folder(tree: Beneath, folder: Path) -> None:
    write(folder, "d/secret.txt", b"inside\n")
    write(folder, "hidden/secret.txt", SECRET)
    (folder / "way-out").symlink_to("hidden")

    seen = set()
    with over_and_over(_SWAP_FOLDERS, folder):
        for _ in range(RACES):
            try:
                with open(tree.open_file("d/secret.txt", follow=False), "rb") as file:
                    seen.add(file.read())
            except FileNotFoundError:
                seen.add(b"missing")

    assert seen == {b"inside\n", b"missing"}


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize("raw", ["", "d/e"])
def test_a_held_folder_opens_its_own_files_and_follows_nothing(
    tree: Beneath, folder: Path, outside: Path, raw: str
) -> None:
    prefix = raw + "/" if raw else ""
    write(folder, prefix + "a.py", b"x\n")
    (folder / prefix / "link.py").symlink_to("a.py")
    (folder / prefix / "out.py").symlink_to(outside / "secret.txt")
    (folder / prefix / "loop").symlink_to("loop")

    with OpenFolder(tree, raw) as held:
        with open(held.open_file(prefix + "a.py"), "rb") as file:
            assert file.read() == b"x\n"
        for name in ("link.py", "out.py", "loop", "missing"):
            with pytest.raises(FileNotFoundError):
                held.open_file(prefix + name)


@pytest.mark.requirement("PATH.2")
def test_a_held_folder_stays_the_one_that_was_opened(tree: Beneath, folder: Path, outside: Path) -> None:
    write(folder, "d/secret.txt", b"inside\n")

    with OpenFolder(tree, "d") as held:
        os.rename(folder / "d", folder / "moved")
        (folder / "d").symlink_to(outside)
        with open(held.open_file("d/secret.txt"), "rb") as file:
            assert file.read() == b"inside\n"
    with pytest.raises((FileNotFoundError, OutOfRootError)):
        OpenFolder(tree, "d")
    (folder / "way").symlink_to("moved")
    with pytest.raises(FileNotFoundError):
        OpenFolder(tree, "way")


@pytest.mark.requirement("PATH.2")
def test_a_root_that_was_moved_or_replaced_is_out_of_place(tmp_path: Path) -> None:
    root = tmp_path.resolve() / "root"
    root.mkdir()
    with Beneath(str(root)) as tree:
        assert tree.is_in_place()
        root.rename(tmp_path / "moved")
        assert not tree.is_in_place()
        root.mkdir()
        assert not tree.is_in_place()
        root.rmdir()
        (tmp_path / "moved").rename(root)
        assert tree.is_in_place()


@pytest.mark.requirement("PATH.2")
def test_a_moved_root_is_still_the_root(tmp_path: Path, outside: Path) -> None:
    root = tmp_path.resolve() / "root"
    write(root, "a.py", b"x\n")
    with Beneath(str(root)) as tree:
        if not tree.has_openat2:
            pytest.skip("without openat2 the path of the root must stand")
        root.rename(tmp_path / "moved")
        root.symlink_to(outside)

        assert read(tree, "a.py") == b"x\n"
        with pytest.raises(FileNotFoundError):
            tree.open_file("secret.txt")


@pytest.mark.requirement("PATH.2")
@pytest.mark.parametrize("number", [errno.ENOSYS, errno.EPERM, errno.EACCES, errno.EINVAL, errno.EOPNOTSUPP])
def test_without_openat2_every_file_is_verified(
    folder: Path, outside: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    # No kernel at hand lacks the call: only its answer can be put in place.
    def refuse(*_: object, **__: object) -> int:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(system, "open_beneath", refuse)
    write(folder, "a.py", b"x\n")
    (folder / "link").symlink_to(outside / "secret.txt")

    with Beneath(str(folder)) as tree:
        assert not tree.has_openat2
        assert read(tree, "a.py") == b"x\n"
        with pytest.raises(OutOfRootError):
            tree.open_file("link")


@pytest.mark.requirement("PATH.2")
def test_any_other_failure_of_the_probe_is_no_reason_to_go_without(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object, **__: object) -> int:
        raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))

    # Running out of descriptors between two calls can't be arranged from outside.
    monkeypatch.setattr(system, "open_beneath", fail)
    with pytest.raises(OSError, match="Too many open files"):
        Beneath(str(folder))


_FORBID_OPENAT2 = """
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
# A seccomp filter as a sandbox sets it: openat2 (437) answers EPERM, everything else is allowed.
program = b"".join(
    struct.pack("HBBI", *line)
    for line in ((0x20, 0, 0, 0), (0x15, 0, 1, 437), (0x06, 0, 0, 0x00050000 | 1), (0x06, 0, 0, 0x7FFF0000))
)
kept = ctypes.create_string_buffer(program, len(program))
packed = ctypes.create_string_buffer(struct.pack("HxxxxxxP", 4, ctypes.addressof(kept)), 16)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, packed, 0, 0):
    print("no seccomp")
    sys.exit()
from cairn.base.errors import OutOfRootError
from cairn.workspace.beneath import Beneath
with Beneath(sys.argv[1]) as tree:
    print(tree.has_openat2, os.read(tree.open_file("a.py"), 10))
    try:
        tree.open_file("link")
    except OutOfRootError as error:
        print(error.code)
"""


@pytest.mark.requirement("PATH.2")
def test_a_sandbox_that_forbids_openat2_is_noticed(folder: Path, outside: Path) -> None:
    write(folder, "a.py", b"x")
    (folder / "link").symlink_to(outside / "secret.txt")

    done = subprocess.run(
        (sys.executable, "-c", _FORBID_OPENAT2, str(folder)), capture_output=True, text=True, check=False
    )
    if done.stdout.startswith("no seccomp"):
        pytest.skip("filters can't be set here")
    assert (done.stdout.split("\n")[:2], done.stderr) == (["False b'x'", "out_of_root"], "")


@pytest.mark.parametrize("name", ["missing", "file"])
def test_a_root_that_is_no_folder_is_named(tmp_path: Path, name: str) -> None:
    write(tmp_path, "file")

    with pytest.raises(RootNotFoundError, match=name) as caught:
        Beneath(str(tmp_path / name))
    assert caught.value.code == "root_not_found"
