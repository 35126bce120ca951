"""Which files count and the one reason why the others don't, by name, by content and on real trees."""

import errno
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.config.project import MAX_CHUNKS_PER_FILE, MAX_FILE_BYTES, IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.detector import ChangeDetector
from cairn.workspace.eligibility import SkipReason, content_reason, is_media, largest_size, size_reason
from cairn.workspace.entries import TreeScan
from cairn.workspace.ignore import MAX_IGNORE_BYTES
from cairn.workspace.reads import read_stable
from cairn.workspace.root import find_root
from cairn.workspace.scan import Scanner
from cairn.workspace.secrets import is_secret
from tests.trees import Repo, write

TWELVE = {
    "ignored",
    "binary",
    "too_large",
    "too_many_chunks",
    "encoding",
    "out_of_root",
    "unreadable",
    "unsupported",
    "secret",
    "submodule",
    "symlink_loop",
    "special_file",
}


@pytest.mark.requirement("ELIG.1")
def test_the_reasons_are_the_twelve_of_the_contract() -> None:
    assert {reason.value for reason in SkipReason} == TWELVE


@pytest.mark.requirement("ELIG.1")
@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", None),
        (b"x = 1\n", None),
        ("naïve 日本 😀".encode(), None),
        ("\ufeffx = 1\n".encode(), None),
        ("x = 1\n".encode("utf-16"), SkipReason.ENCODING),
        ("x = 1\n".encode("utf-16-le"), SkipReason.BINARY),
        (b"\xfe\xff\x00x", SkipReason.ENCODING),
        (b"\xff\xfe", SkipReason.ENCODING),
        ("x = 1\n".encode("utf-32"), SkipReason.ENCODING),
        ("café".encode("latin-1"), SkipReason.ENCODING),
        (b"cut \xc3", SkipReason.ENCODING),
        (b"\xed\xa0\x80", SkipReason.ENCODING),
        (b"\xc0\xaf", SkipReason.ENCODING),
        (b"a\0b", SkipReason.BINARY),
        (b"\0", SkipReason.BINARY),
        (b"caf\xe9\0", SkipReason.BINARY),
        (b"x" * 100_000 + b"\0", SkipReason.BINARY),
        (b"x" * 100_000 + b"\xe9", SkipReason.ENCODING),
    ],
)
def test_content_is_utf8_text_or_has_one_reason(data: bytes, reason: SkipReason | None) -> None:
    assert content_reason(data) is reason


@pytest.mark.slow
@pytest.mark.requirement("ELIG.1")
@settings(max_examples=300)
@given(st.one_of(st.binary(max_size=40), st.text(max_size=20).map(lambda text: text.encode("utf-8", "surrogatepass"))))
def test_content_counts_exactly_when_it_decodes_and_holds_no_nul(data: bytes) -> None:
    try:
        text = data.decode("utf-8")
    except UnicodeDecodeError:
        counts = False
    else:
        counts = "\0" not in text
    assert (content_reason(data) is None) is counts
    assert content_reason(data) in (None, SkipReason.BINARY, SkipReason.ENCODING)


@pytest.mark.requirement("ELIG.1")
@pytest.mark.parametrize(
    "name",
    [
        ".env",
        ".env.local",
        ".ENV",
        ".env.production.local",
        "id_rsa",
        "id_ed25519",
        "x.pem",
        "X.PEM",
        "server.key",
        "server.crt",
        "store.p12",
        ".netrc",
        ".npmrc",
        ".pypirc",
        ".git-credentials",
    ],
)
def test_keys_and_credentials_are_secrets_by_name(name: str) -> None:
    assert is_secret(name)


@pytest.mark.requirement("ELIG.1")
@pytest.mark.parametrize(
    "name",
    ["id_rsa.pub", "id_ed25519.pub", "env", "env.py", "netrc", "npmrc.md", "pem", "key.py", "monkey", "x.pem.py"],
)
def test_public_keys_and_look_alikes_are_no_secrets(name: str) -> None:
    assert not is_secret(name)


@pytest.mark.requirement("ELIG.1")
@pytest.mark.parametrize("name", ["a.png", "A.PNG", "a.tar.gz", "lib.so", "m.safetensors", "font.woff2", "x.pyc"])
def test_media_and_compiled_files_are_known_by_their_suffix(name: str) -> None:
    assert is_media(name)


@pytest.mark.requirement("ELIG.1")
@pytest.mark.parametrize("name", ["png", "a.py", "a.svg", "a.png.txt", "Makefile", "so", "a.", "a.pngx"])
def test_text_and_unknown_suffixes_are_no_media(name: str) -> None:
    assert not is_media(name)


@pytest.mark.requirement("CFG.2")
def test_the_largest_size_is_the_smaller_of_both_limits() -> None:
    assert largest_size(IndexSettings(max_file_bytes=1000)) == 1000
    assert largest_size(IndexSettings(max_chunks_per_file=3, chunk_bytes=200)) == 600
    assert largest_size(IndexSettings()) <= MAX_FILE_BYTES
    assert IndexSettings().max_file_bytes == MAX_FILE_BYTES == 10 * 1024 * 1024
    assert IndexSettings().max_chunks_per_file == MAX_CHUNKS_PER_FILE == 2000


@pytest.mark.requirement("ELIG.1")
@pytest.mark.requirement("CFG.2")
def test_a_size_above_both_limits_is_too_large_and_not_too_many_chunks() -> None:
    limits = IndexSettings(max_file_bytes=1000, max_chunks_per_file=3, chunk_bytes=200)
    assert size_reason(1001, limits) is SkipReason.TOO_LARGE
    assert size_reason(1000, limits) is SkipReason.TOO_MANY_CHUNKS
    assert size_reason(601, limits) is SkipReason.TOO_MANY_CHUNKS


_SCAN = """
import json, os, sys
from cairn.config.project import IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.reads import read_stable
from cairn.workspace.scan import Scanner

if os.geteuid() == 0:
    # Given up only now: the interpreter itself may lie where nobody else can go.
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
with Beneath(sys.argv[1]) as tree:
    scan = Scanner(tree, IndexSettings()).scan()
print(json.dumps([[entry.key for entry in scan.files], [[skip.path, skip.reason] for skip in scan.skips]]))
"""


def scan_tree(root: Path, **limits: Any) -> TreeScan:
    with Beneath(str(root)) as tree:
        return Scanner(tree, IndexSettings(**limits)).scan()


def reasons(scan: TreeScan) -> dict[str, str]:
    return {skip.path: skip.reason.value for skip in scan.skips}


def keys(scan: TreeScan) -> list[str]:
    return [entry.key for entry in scan.files]


@pytest.fixture
def open_folder() -> Iterator[Path]:
    """A folder that other users can reach: pytest's own temporary folders are private."""
    path = Path(tempfile.mkdtemp()).resolve()
    path.chmod(0o755)
    mask = os.umask(0o022)
    yield path
    os.umask(mask)
    for folder, _, _ in os.walk(path):
        for name in os.listdir(folder):
            if not os.path.islink(os.path.join(folder, name)):
                os.chmod(os.path.join(folder, name), 0o700)
    shutil.rmtree(path)


def scan_without_rights(root: Path) -> tuple[list[str], dict[str, str]]:
    """Scan in a child process that may not read what a mode forbids, as root always may."""
    done = subprocess.run((sys.executable, "-c", _SCAN, str(root)), capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    found, skips = json.loads(done.stdout)
    return found, dict(skips)


def settle(scanner: Scanner) -> TreeScan:
    """Scan until every stamp is old enough to be trusted."""
    end = time.monotonic() + 30
    while (scan := scanner.scan()).hashed:
        assert time.monotonic() < end, "the stamps never settled"
    return scan


def make_socket(folder: Path, name: str) -> None:
    # A socket's path has at most 107 bytes, which a temporary folder may already use up.
    fd = os.open(folder, os.O_RDONLY)
    try:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(f"/proc/self/fd/{fd}/{name}")
    finally:
        os.close(fd)


@pytest.mark.requirement("ELIG.1")
def test_a_real_tree_gives_each_of_the_twelve_reasons_once(open_folder: Path) -> None:
    root = open_folder / "tree"
    write(root, "kept.py")
    write(root, ".gitignore", "build/\n")
    write(root, "build/one.py")
    write(root, "build/two.py")
    write(root, "nul.py", b"a\0b")
    with open(root / "huge.txt", "wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    with open(root / "long.txt", "wb") as file:
        file.truncate(MAX_CHUNKS_PER_FILE * IndexSettings().chunk_bytes + 1)
    write(root, "latin.txt", "café".encode("latin-1"))
    (root / "out").symlink_to(open_folder)
    write(root, "locked.py").chmod(0)
    write(root, "picture.png", b"text all the same")
    write(root, ".env", "TOKEN=1\n")
    Repo.create(root / "inner").write("inner.py")
    (root / "loop").symlink_to("loop")
    os.mkfifo(root / "fifo")

    found, skips = scan_without_rights(root)

    assert found == [".gitignore", "kept.py"]
    assert skips == {
        "build/": "ignored",
        "nul.py": "binary",
        "huge.txt": "too_large",
        "long.txt": "too_many_chunks",
        "latin.txt": "encoding",
        "out": "out_of_root",
        "locked.py": "unreadable",
        "picture.png": "unsupported",
        ".env": "secret",
        "inner/": "submodule",
        "loop": "symlink_loop",
        "fifo": "special_file",
    }
    assert set(skips.values()) == TWELVE


@pytest.mark.requirement("ELIG.1")
def test_an_unreadable_folder_is_one_skip_and_hides_nothing_else(open_folder: Path) -> None:
    root = open_folder / "tree"
    write(root, "closed/a.py")
    write(root, "closed/deep/b.py")
    write(root, "open/c.py")
    # This one may be listed, but nothing in it may be opened.
    write(root, "listed/d.py")
    write(root, "listed/deep/e.py")
    (root / "closed").chmod(0)
    (root / "listed").chmod(0o444)

    found, skips = scan_without_rights(root)

    assert found == ["open/c.py"]
    assert skips == {"closed/": "unreadable", "listed/d.py": "unreadable", "listed/deep/": "unreadable"}


@pytest.mark.requirement("ELIG.1")
def test_every_path_has_one_outcome_and_the_counts_add_up(folder: Path) -> None:
    write(folder, ".gitignore", "*.log\n.env\nnode_modules/\n")
    for name in ("a.py", "a.log", ".env", "node_modules/x.js", "node_modules/.env", "z.png", "b/nul.txt", "b/a.log"):
        write(folder, name, b"\0" if name.endswith("nul.txt") else b"text\n")

    scan = scan_tree(folder)

    assert keys(scan) == [".gitignore", "a.py"]
    assert reasons(scan) == {
        ".env": "ignored",
        "a.log": "ignored",
        "b/a.log": "ignored",
        "b/nul.txt": "binary",
        "node_modules/": "ignored",
        "z.png": "unsupported",
    }
    assert len(scan.skips) == len(reasons(scan))
    assert scan.skips_by_reason() == {"binary": 1, "ignored": 4, "unsupported": 1}


@pytest.mark.requirement("ELIG.1")
def test_files_and_skips_stand_in_byte_order(folder: Path) -> None:
    names = ["Z.py", "a.py", "a-b.py", "a/b.py", "a0.py", "é.py", "\uffee.py", "\U0001f600.py", "z/é.py", "z/z.py"]
    for name in names:
        write(folder, name)
        write(folder, name.removesuffix(".py") + ".png")

    scan = scan_tree(folder)

    assert keys(scan) == sorted(names, key=str.encode)
    skipped = [skip.path for skip in scan.skips]
    assert skipped == sorted(skipped, key=str.encode)
    assert len(skipped) == len(names)


@pytest.mark.requirement("ELIG.1")
def test_a_second_scanner_and_the_cache_give_the_same_outcome(folder: Path) -> None:
    for name in ("b.py", "a/b.py", "a/.env", "a/x.png", "c/nul.py", "é/ü.py"):
        write(folder, name, b"\0" if "nul" in name else b"x = 1\n")
    write(folder, ".gitignore", "c/*.txt\n")
    write(folder, "c/x.txt")
    with Beneath(str(folder)) as tree:
        scanner = Scanner(tree, IndexSettings())
        first = scanner.scan()
        cached = settle(scanner)
    again = scan_tree(folder)

    assert cached.hashed == 0
    for other in (cached, again):
        assert replace(other, hashed=first.hashed, listed=first.listed) == first


@pytest.mark.requirement("ELIG.1")
@pytest.mark.parametrize("name", [".env", ".env.local", "id_rsa", "x.pem", ".netrc", ".npmrc"])
def test_a_secret_is_left_out_at_any_depth_unless_cairnignore_asks_for_it(folder: Path, name: str) -> None:
    write(folder, f"deep/{name}")
    write(folder, "deep/id_rsa.pub")

    assert reasons(scan_tree(folder)) == {f"deep/{name}": "secret"}
    write(folder, ".gitignore", f"!{name}\n")
    assert reasons(scan_tree(folder)) == {f"deep/{name}": "secret"}
    write(folder, ".cairnignore", f"!{name}\n")
    assert keys(scan_tree(folder)) == sorted([".cairnignore", ".gitignore", f"deep/{name}", "deep/id_rsa.pub"])


@pytest.mark.requirement("ELIG.1")
def test_a_folder_of_secrets_is_left_out_and_one_that_only_sounds_so_is_entered(folder: Path) -> None:
    for name in (".env/settings", ".env.d/prod", ".ssh/mykey", ".aws/credentials", "keys.pem/b.py"):
        write(folder, name)

    scan = scan_tree(folder)
    assert keys(scan) == ["keys.pem/b.py"]
    assert reasons(scan) == dict.fromkeys((".aws/", ".env.d/", ".env/", ".ssh/"), "secret")


@pytest.mark.requirement("ELIG.1")
@pytest.mark.parametrize(
    "name", ["server.key.bak", "cert.pem~", ".env.pub", ".env.example", "id_rsa.old", ".vault-token"]
)
def test_a_copy_of_a_secret_is_a_secret(name: str) -> None:
    assert is_secret(name)


@pytest.mark.requirement("READ.1")
def test_a_file_that_the_system_fails_to_read_is_a_failure_and_neither_skip_nor_delete(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(folder, "a.py")
    write(folder, "b.py")

    def fail(opened: object, raw: str, *_: object, **__: object) -> object:
        if raw == "b.py":
            raise OSError(errno.EIO, os.strerror(errno.EIO))
        return read_stable(opened, raw, 100)  # type: ignore[arg-type]

    # No real file gives an I/O error on demand.
    monkeypatch.setattr("cairn.workspace.scan.read_stable", fail)
    scan = scan_tree(folder)

    assert keys(scan) == ["a.py"]
    assert reasons(scan) == {}
    assert [(failure.key, failure.code) for failure in scan.failures] == [("b.py", "read_failed")]


@pytest.mark.requirement("ELIG.1")
def test_include_takes_in_a_media_suffix_but_only_if_it_is_text(folder: Path) -> None:
    write(folder, "notes.bin", "plain text\n")
    write(folder, "other.bin", b"\0\1")
    write(folder, "picture.png")

    assert set(reasons(scan_tree(folder)).values()) == {"unsupported"}
    scan = scan_tree(folder, include=("*.bin",))
    assert keys(scan) == ["notes.bin"]
    assert reasons(scan) == {"other.bin": "binary", "picture.png": "unsupported"}


@pytest.mark.requirement("ELIG.1")
def test_include_brings_back_neither_a_secret_nor_an_ignored_file(folder: Path) -> None:
    write(folder, ".gitignore", "*.bin\n")
    write(folder, "a.bin")
    write(folder, "key.pem")

    assert reasons(scan_tree(folder, include=("*.bin", "*.pem"))) == {"a.bin": "ignored", "key.pem": "secret"}


@pytest.mark.requirement("ELIG.1")
@pytest.mark.requirement("CFG.2")
def test_a_sparse_file_of_two_gigabytes_is_too_large_and_never_read(folder: Path) -> None:
    with open(folder / "huge.txt", "wb") as file:
        file.truncate(2 << 30)

    before = _bytes_read()
    scan = scan_tree(folder)
    read = _bytes_read() - before

    assert reasons(scan) == {"huge.txt": "too_large"}
    assert scan.skips[0].detail == f"{2 << 30} bytes"
    assert scan.hashed == 0
    assert read < MAX_FILE_BYTES


def _bytes_read() -> int:
    lines = Path("/proc/self/io").read_text().splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith("rchar:")))


@pytest.mark.requirement("ELIG.1")
@pytest.mark.requirement("CFG.2")
def test_a_file_at_a_limit_counts_and_one_byte_more_does_not(folder: Path) -> None:
    write(folder, "full.txt", b"x" * 1000)
    write(folder, "over.txt", b"x" * 1001)

    by_size = scan_tree(folder, max_file_bytes=1000)
    assert keys(by_size) == ["full.txt"]
    assert reasons(by_size) == {"over.txt": "too_large"}

    by_chunks = scan_tree(folder, max_chunks_per_file=5, chunk_bytes=200)
    assert keys(by_chunks) == ["full.txt"]
    assert reasons(by_chunks) == {"over.txt": "too_many_chunks"}


@pytest.mark.requirement("ELIG.1")
def test_fifos_and_sockets_are_special_files_and_block_nothing(folder: Path) -> None:
    os.mkfifo(folder / "fifo.py")
    os.mkfifo(folder / ".env")
    make_socket(folder, "socket.py")
    write(folder, "z.py")

    scan = scan_tree(folder)

    assert keys(scan) == ["z.py"]
    assert reasons(scan) == {".env": "special_file", "fifo.py": "special_file", "socket.py": "special_file"}


@pytest.mark.requirement("ELIG.1")
@pytest.mark.requirement("PATH.1")
@pytest.mark.parametrize(
    "name",
    [
        "new\nline.py",
        "tab\t.py",
        "quo'te\".py",
        " space .py",
        "-dash.py",
        "back\\slash.py",
        "naïve-日本.py",
        "\x1b[31m.py",
    ],
)
def test_odd_names_are_eligible_as_they_are(folder: Path, name: str) -> None:
    write(folder, name)
    write(folder, f"{name}.d/{name}")

    scan = scan_tree(folder)

    assert keys(scan) == sorted([name, f"{name}.d/{name}"])
    assert scan.skips == ()


@pytest.mark.requirement("ELIG.1")
@pytest.mark.requirement("PATH.1")
def test_a_name_that_is_not_utf8_is_an_encoding_skip_with_its_bytes_shown(folder: Path) -> None:
    write(folder, os.fsdecode(b"bad\xff.py"))
    write(folder, os.fsdecode(b"folder\xe9/inner.py"))
    write(folder, os.fsdecode(b"good/caf\xe9.py"))
    write(folder, "good/a.py")

    scan = scan_tree(folder)

    assert keys(scan) == ["good/a.py"]
    assert reasons(scan) == {"bad\\xff.py": "encoding", "folder\\xe9/": "encoding", "good/caf\\xe9.py": "encoding"}
    for skip in scan.skips:
        skip.path.encode()


@pytest.mark.requirement("ELIG.1")
def test_an_empty_file_is_eligible(folder: Path) -> None:
    write(folder, "pkg/__init__.py", b"")

    scan = scan_tree(folder)

    assert [(entry.key, entry.size, entry.language) for entry in scan.files] == [("pkg/__init__.py", 0, "python")]


@pytest.mark.requirement("ELIG.1")
@pytest.mark.requirement("CHG.6")
def test_nested_repositories_and_submodules_are_one_skip_each(tmp_path: Path) -> None:
    library = Repo.create(tmp_path / "library")
    library.write("lib.py")
    library.commit()
    outer = Repo.create(tmp_path / "outer")
    outer.write("a.py")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "vendored")
    nested = Repo.create(outer.path / "deep" / "nested")
    nested.write("b.py")
    nested.write("c/d.py")

    scan = scan_tree(outer.path)

    assert (outer.path / "vendored" / ".git").is_file()
    assert keys(scan) == [".gitmodules", "a.py"]
    assert reasons(scan) == {"deep/nested/": "submodule", "vendored/": "submodule"}


@pytest.mark.requirement("CHG.6")
def test_enabled_submodules_live_in_a_namespace_out_of_reach_of_the_outer_rules(tmp_path: Path) -> None:
    library = Repo.create(tmp_path / "library")
    library.write("lib.py")
    library.write("kept.log")
    library.write("out.tmp")
    library.write(".gitignore", "*.tmp\n")
    library.commit()
    outer = Repo.create(tmp_path / "outer")
    outer.write("a.py")
    outer.write("dropped.log")
    outer.write("kept.tmp")
    outer.write(".gitignore", "*.log\n")
    outer.git("-c", "protocol.file.allow=always", "submodule", "add", "-q", str(library.path), "vendored")
    outer.write("vendored/new.tmp")
    Repo.create(outer.path / "vendored" / "inner").write("deep/i.tmp")

    scan = scan_tree(outer.path, submodules=True)

    assert {entry.key: entry.namespace for entry in scan.files} == {
        ".gitignore": "",
        ".gitmodules": "",
        "a.py": "",
        "kept.tmp": "",
        "vendored/.gitignore": "vendored",
        "vendored/inner/deep/i.tmp": "vendored/inner",
        "vendored/kept.log": "vendored",
        "vendored/lib.py": "vendored",
    }
    assert reasons(scan) == {"dropped.log": "ignored", "vendored/new.tmp": "ignored"}


@pytest.mark.requirement("CHG.6")
def test_cairnignore_and_exclude_reach_into_an_enabled_nested_repository(repo: Repo) -> None:
    Repo.create(repo.path / "inner")
    for name in ("a.py", "b.md", "c.txt"):
        repo.write(f"inner/{name}")
    repo.write(".cairnignore", "*.md\n")

    scan = scan_tree(repo.path, submodules=True, exclude=("*.txt",))

    assert keys(scan) == [".cairnignore", "inner/a.py"]
    assert reasons(scan) == {"inner/b.md": "ignored", "inner/c.txt": "ignored"}


@pytest.mark.requirement("CHG.6")
@pytest.mark.parametrize("junk", ["empty file", "text file", "empty folder", "fifo", "dead link"])
def test_a_junk_dot_git_hides_no_folder(folder: Path, junk: str) -> None:
    write(folder, "sub/a.py")
    entry = folder / "sub" / ".git"
    if junk == "empty file":
        entry.touch()
    elif junk == "text file":
        entry.write_text("not a pointer\n")
    elif junk == "empty folder":
        entry.mkdir()
    elif junk == "fifo":
        os.mkfifo(entry)
    else:
        entry.symlink_to("nowhere")

    scan = scan_tree(folder)

    assert keys(scan) == ["sub/a.py"]
    assert scan.skips == ()


@pytest.mark.requirement("CHG.6")
def test_a_nested_repository_that_is_not_entered_cannot_stop_the_scan(repo: Repo) -> None:
    repo.write("a.py")
    Repo.create(repo.path / "inner")
    repo.write("inner/.gitignore", b"x\n" * MAX_IGNORE_BYTES)

    scan = scan_tree(repo.path)

    assert keys(scan) == ["a.py"]
    assert reasons(scan) == {"inner/": "submodule"}


@pytest.mark.requirement("ELIG.1")
def test_cairns_own_home_inside_the_root_is_skipped(folder: Path) -> None:
    write(folder, "a.py")
    write(folder, "state/home/stores/b.py")
    write(folder, "state/home2/c.py")
    with Beneath(str(folder)) as tree:
        scan = Scanner(tree, IndexSettings(), own_home=str(folder / "state" / "home")).scan()

    assert keys(scan) == ["a.py", "state/home2/c.py"]
    assert [(skip.path, skip.reason, skip.detail) for skip in scan.skips] == [
        ("state/home/", SkipReason.IGNORED, "Cairn's own home")
    ]


@pytest.mark.requirement("ELIG.1")
def test_a_detector_skips_cairn_home_inside_its_root(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write(folder, "a.py")
    write(folder, ".cairn/stores/b.py")
    monkeypatch.setenv("CAIRN_HOME", str(folder / ".cairn"))
    with ChangeDetector(find_root(str(folder))) as detector:
        scan = detector.detect().scan

    assert keys(scan) == ["a.py"]
    assert reasons(scan) == {".cairn/": "ignored"}


@pytest.mark.parametrize("name", [".db", ".bin", ".a"])
def test_a_dot_file_is_not_taken_for_media_by_its_whole_name(name: str) -> None:
    assert not is_media(name)


@pytest.mark.parametrize("name", ["id_rsa_utils.py", "env.py", "keys.py", "monkey.md", "id_rsa.pub"])
def test_a_name_that_only_resembles_a_secret_is_none(name: str) -> None:
    assert not is_secret(name)
