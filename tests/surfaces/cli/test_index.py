"""`cairn index --dry-run`: the plan for people and for programs."""

import json
import os
import pty
import re
import shutil
import subprocess
import sys
import tempfile
import unicodedata
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.codebase.test_codebase import everything_beneath
from tests.surfaces.cli.test_main import COMMAND, PATIENCE_S, assert_one_sentence_and_a_hint, error_of
from tests.trees import Repo, cairn, write

NOBODY = 65534


def dry_run(path: Path, *options: str, **environment: str) -> subprocess.CompletedProcess[str]:
    return cairn("index", "--dry-run", *options, str(path), cwd=None, **environment)


def plan_of(path: Path, **environment: str) -> dict[str, Any]:
    done = dry_run(path, "--json", **environment)
    assert (done.returncode, done.stderr) == (0, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def text_of(path: Path, *options: str, **environment: str) -> str:
    done = dry_run(path, *options, **environment)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


def raw_output(path: bytes, *options: str, **environment: str) -> bytes:
    done = subprocess.run(
        (*COMMAND, "index", "--dry-run", *options, path),
        env=os.environ | environment,
        capture_output=True,
        timeout=PATIENCE_S,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    return done.stdout


def assert_refused(path: Path, exit_code: int, code: str, **environment: str) -> str:
    """The same refusal for people and for programs; gives the sentence."""
    said = dry_run(path, **environment)
    assert said.returncode == exit_code
    assert said.stdout == ""
    assert_one_sentence_and_a_hint(said.stderr)
    written = dry_run(path, "--json", **environment)
    assert written.returncode == exit_code
    assert written.stderr == ""
    error = error_of(written.stdout)
    assert error["code"] == code
    return str(error["message"])


@pytest.fixture
def sample(repo: Repo) -> Repo:
    repo.write(".gitignore", "# made\n*.log\nbuild/\n")
    repo.write("src/main.py", "x = 1\n")
    repo.write("src/util.py", "y = 2\n")
    repo.write("README.md", "# Sample\n")
    repo.write("debug.log", "noise\n")
    repo.write("build/out.py")
    repo.write("build/deep/out.py")
    repo.write("logo.png", b"\x89PNG")
    repo.write("blob.dat", b"a\0b")
    repo.write("latin.txt", "ä".encode("latin-1"))
    repo.write(".env", "TOKEN=1\n")
    repo.commit()
    return repo


@pytest.fixture
def common_folder() -> Iterator[Path]:
    """A folder that other users can reach, unlike those of pytest."""
    path = Path(tempfile.mkdtemp(prefix="cairn-test-")).resolve()
    path.chmod(0o755)
    yield path
    for inner in path.rglob("*"):
        if inner.is_dir() and not inner.is_symlink():
            inner.chmod(0o755)
    shutil.rmtree(path)


AS_ORDINARY_USER = f"""
import contextlib, io, os, sys
from cairn.program.start import main
# Python itself may lie where only root can read: what is imported late is imported now.
with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
    main(["index", "--dry-run", sys.argv[1]]), main(["nonsense"])
if os.geteuid() == 0:
    os.setgroups([]), os.setresgid(*[{NOBODY}] * 3), os.setresuid(*[{NOBODY}] * 3)
sys.exit(main(sys.argv[2:]))
"""


def as_ordinary_user(path: Path, *options: str, home: Path) -> subprocess.CompletedProcess[str]:
    """Run where permissions count: the process gives up root, if it has it, before it looks."""
    warm_up = write(home, "warm-up/.cairn.toml", "").parent
    return subprocess.run(
        (sys.executable, "-c", AS_ORDINARY_USER, str(warm_up), "index", "--dry-run", *options, str(path)),
        cwd="/",
        env=os.environ | {"HOME": str(home), "XDG_CONFIG_HOME": str(home), "CAIRN_HOME": str(home / ".cairn")},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


@pytest.mark.requirement("ELIG.1")
@pytest.mark.requirement("GIT.1")
def test_the_document_tells_every_path_and_every_count(sample: Repo) -> None:
    head = sample.git("rev-parse", "HEAD").strip()
    document = plan_of(sample.path)
    fingerprint = document.pop("ignore_fingerprint")
    assert re.fullmatch("[0-9a-f]{64}", fingerprint)
    assert document == {
        "schema_version": 1,
        "root": str(sample.path),
        "requested_path": str(sample.path),
        "git": {"head": head, "dirty": False, "untracked_included": True},
        "eligible": [".gitignore", "README.md", "src/main.py", "src/util.py"],
        "aliases": [],
        "skipped": [
            {"path": ".env", "reason": "secret", "detail": ""},
            {"path": "blob.dat", "reason": "binary", "detail": ""},
            {"path": "build/", "reason": "ignored", "detail": ".gitignore:3: build/"},
            {"path": "debug.log", "reason": "ignored", "detail": ".gitignore:2: *.log"},
            {"path": "latin.txt", "reason": "encoding", "detail": ""},
            {"path": "logo.png", "reason": "unsupported", "detail": ""},
        ],
        "failed": [],
        "collisions": [],
        "counts": {
            "eligible": 4,
            "bytes": len("# made\n*.log\nbuild/\n" + "# Sample\n" + "x = 1\n" + "y = 2\n"),
            "skipped": 6,
            "aliases": 0,
            "failed": 0,
            "by_reason": {"binary": 1, "encoding": 1, "ignored": 2, "secret": 1, "unsupported": 1},
            "by_language": {"python": 2, "ignore": 1, "markdown": 1},
        },
        "warnings": [],
        "notices": [],
    }


@pytest.mark.requirement("ELIG.1")
def test_the_counts_agree_with_the_lists(sample: Repo) -> None:
    document = plan_of(sample.path)
    counts = document["counts"]
    assert counts["eligible"] == len(document["eligible"]) == sum(counts["by_language"].values())
    assert counts["skipped"] == len(document["skipped"]) == sum(counts["by_reason"].values())
    assert counts["by_reason"] == Counter(skip["reason"] for skip in document["skipped"])
    assert not set(document["eligible"]) & {skip["path"] for skip in document["skipped"]}


@pytest.mark.slow
@pytest.mark.requirement("ELIG.1")
def test_the_same_tree_gives_the_same_bytes(sample: Repo) -> None:
    place = os.fsencode(sample.path)
    for options in (("--json",), ("--verbose",)):
        assert raw_output(place, *options, PYTHONHASHSEED="1") == raw_output(place, *options, PYTHONHASHSEED="2")


def test_the_report_tells_counts_languages_reasons_and_rules(sample: Repo) -> None:
    head = sample.git("rev-parse", "HEAD").strip()
    assert text_of(sample.path).splitlines() == [
        f"{sample.path}  at {head[:10]}",
        "",
        "would index 4 files, 41 B",
        "        2  python",
        "        1  ignore",
        "        1  markdown",
        "",
        "would skip 6 paths (a folder counts once)",
        "        1  binary",
        "           - blob.dat",
        "        1  encoding",
        "           - latin.txt",
        "        2  ignored",
        "           - build/   [.gitignore:3: build/]",
        "           - debug.log   [.gitignore:2: *.log]",
        "        1  secret",
        "           - .env",
        "        1  unsupported",
        "           - logo.png",
    ]


@pytest.mark.slow
def test_the_report_says_when_there_are_uncommitted_changes(sample: Repo) -> None:
    assert "uncommitted" not in text_of(sample.path)
    sample.write("src/main.py", "x = 2\n")
    assert "with uncommitted changes" in text_of(sample.path).splitlines()[0]
    assert plan_of(sample.path)["git"]["dirty"] is True


@pytest.mark.slow
def test_the_report_shows_a_few_skips_and_verbose_all_of_them(repo: Repo) -> None:
    for number in range(6):
        repo.write(f"picture{number}.png", b"x")
        repo.write(f"code{number}.py")
    short = text_of(repo.path)
    assert "picture2.png" in short
    assert "picture3.png" not in short
    assert "and 3 more (--verbose lists all)" in short
    assert "code0.py" not in short
    long = text_of(repo.path, "--verbose")
    assert all(f"- picture{number}.png" in long for number in range(6))
    assert all(f"+ code{number}.py" in long for number in range(6))
    assert "more" not in long
    assert text_of(repo.path, "-v") == long


@pytest.mark.slow
def test_the_report_sums_up_rare_languages(repo: Repo) -> None:
    suffixes = "py js ts go rs java c cpp rb php swift scala lua sql".split()
    for number, suffix in enumerate(suffixes):
        for copy in range(20 - number):
            repo.write(f"f{copy}.{suffix}")
    lines = text_of(repo.path).splitlines()
    assert "       20  python" in lines
    assert "        9  scala" in lines
    assert "       15  in 2 other languages" in lines
    assert not any("sql" in line for line in lines)
    assert plan_of(repo.path)["counts"]["by_language"]["sql"] == 7


@pytest.mark.slow
def test_an_empty_tree_is_told_as_such(repo: Repo, folder: Path) -> None:
    lines = text_of(repo.path).splitlines()
    assert "would index 0 files, 0 B" in lines
    assert "would skip 0 paths" in lines
    document = plan_of(folder)
    assert document["eligible"] == document["skipped"] == []


@pytest.mark.slow
@pytest.mark.bare_home
@pytest.mark.parametrize("options", [(), ("--json",), ("--verbose",)])
def test_nothing_is_written_anywhere(sample: Repo, private_home: Path, options: tuple[str, ...]) -> None:
    # A stamp that git's index doesn't know: an ordinary `git status` would write it there.
    os.utime(sample.path / "src/main.py", (1, 1))
    before = everything_beneath(sample.path, private_home)
    assert dry_run(sample.path, *options).returncode == 0
    assert everything_beneath(sample.path, private_home) == before
    assert not (private_home / ".cairn").exists()


@pytest.mark.slow
@pytest.mark.requirement("ROOT.1")
def test_a_subfolder_stands_for_the_git_top_level_and_the_answer_says_so(sample: Repo) -> None:
    inner = sample.path / "src"
    document = plan_of(inner)
    assert document["root"] == str(sample.path)
    assert document["requested_path"] == str(inner)
    assert "README.md" in document["eligible"]
    lines = cairn("index", "--dry-run", cwd=inner).stdout.splitlines()
    assert lines[0].startswith(f"{sample.path}  at ")
    assert lines[1] == f"  (the git top-level of {inner}: all of it counts)"
    assert "would index 4 files, 41 B" in lines
    assert "top-level" not in text_of(sample.path)


@pytest.mark.requirement("ROOT.1")
def test_a_link_to_the_tree_is_the_tree(sample: Repo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(sample.path)
    document = plan_of(tmp_path / "link")
    assert document["root"] == document["requested_path"] == str(sample.path)


@pytest.mark.slow
def test_a_plain_folder_has_no_git(folder: Path) -> None:
    write(folder, "a.py")
    assert plan_of(folder)["git"] is None
    assert text_of(folder).splitlines()[0] == f"{folder}  (no git)"


@pytest.mark.slow
def test_without_git_on_the_path_the_tree_is_looked_at_all_the_same(sample: Repo, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    document = plan_of(sample.path / "src", PATH=str(tmp_path / "empty"))
    assert document["root"] == str(sample.path)
    assert document["git"] == {"head": None, "dirty": None, "untracked_included": True}
    assert document["eligible"] == plan_of(sample.path)["eligible"]


@pytest.mark.slow
@pytest.mark.requirement("GIT.1")
def test_an_unborn_head_is_told_as_such(repo: Repo) -> None:
    repo.write("a.py")
    document = plan_of(repo.path)
    assert document["git"] == {"head": None, "dirty": True, "untracked_included": True}
    assert document["eligible"] == ["a.py"]
    assert "before the first commit" in text_of(repo.path).splitlines()[0]


@pytest.mark.requirement("CHG.6")
def test_a_nested_repository_is_reported_once(sample: Repo) -> None:
    Repo.create(sample.path / "vendor/lib").write("inner.py")
    document = plan_of(sample.path)
    assert {"path": "vendor/lib/", "reason": "submodule", "detail": ""} in document["skipped"]
    assert not any(key.startswith("vendor") for key in document["eligible"])


@pytest.mark.slow
def test_a_missing_path_is_refused(folder: Path) -> None:
    assert "doesn't exist" in assert_refused(folder / "missing", 2, "root_not_found")


def test_an_empty_path_is_refused(folder: Path) -> None:
    done = cairn("index", "--dry-run", "", cwd=folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_one_sentence_and_a_hint(done.stderr)


@pytest.mark.slow
def test_a_file_is_refused_and_its_folder_proposed(folder: Path) -> None:
    file = write(folder, "a.py")
    assert "is a file" in assert_refused(file, 2, "usage")
    assert str(folder) in dry_run(file).stderr.splitlines()[1]


@pytest.mark.slow
def test_the_root_of_the_file_system_is_refused() -> None:
    assert_refused(Path("/"), 5, "root_refused")


@pytest.mark.slow
def test_the_home_folder_is_refused(private_home: Path) -> None:
    assert "home" in assert_refused(private_home, 5, "root_refused")


@pytest.mark.slow
def test_the_home_of_cairn_is_refused(private_home: Path, tmp_path: Path) -> None:
    store = private_home / ".cairn" / "data"
    store.mkdir(parents=True)
    assert_refused(store.parent, 5, "root_refused")
    assert dry_run(store).returncode == 5
    (tmp_path / "elsewhere").mkdir()
    assert_refused(tmp_path / "elsewhere", 5, "root_refused", CAIRN_HOME=str(tmp_path / "elsewhere"))


@pytest.mark.slow
def test_a_folder_of_a_repository_that_is_the_home_is_refused_with_a_way_out(private_home: Path) -> None:
    subprocess.run(("git", "init", "-q", str(private_home)), check=True)
    project = private_home / "project"
    project.mkdir()
    assert "belongs to" in assert_refused(project, 5, "root_refused")
    assert "git init" in dry_run(project).stderr


def test_a_home_of_cairn_inside_the_tree_is_left_out(sample: Repo) -> None:
    sample.write(".cairn-home/data/x.py")
    document = plan_of(sample.path, CAIRN_HOME=str(sample.path / ".cairn-home"))
    assert {"path": ".cairn-home/", "reason": "ignored", "detail": "Cairn's own home"} in document["skipped"]


@pytest.mark.slow
def test_a_bare_repository_and_the_inside_of_git_are_refused(sample: Repo, tmp_path: Path) -> None:
    bare = tmp_path / "bare.git"
    sample.git("clone", "-q", "--bare", str(sample.path), str(bare))
    assert_refused(bare, 5, "root_refused")
    assert_refused(sample.path / ".git", 5, "root_refused")


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.requirement("CFG.1")
@pytest.mark.parametrize(
    ("text", "named"),
    [
        ("[index]\nmax_file_byts = 5\n", "max_file_byts"),
        ("[index]\nmax_file_bytes = 99999999\n", "index.max_file_bytes"),
        ("[index\n", "TOML"),
        (b"\xff\xfe", "UTF-8"),
        ('[index]\nmode = "\\u001b[31m\\n"\n', "mode"),
        ("[index]\nmax_file_bytes = " + "9" * 5000, ".cairn.toml"),
    ],
    ids=["unknown key", "above the limit", "bad syntax", "not UTF-8", "escape sequence", "endless number"],
)
def test_a_bad_config_is_refused_by_name(repo: Repo, text: str | bytes, named: str) -> None:
    repo.write(".cairn.toml", text)
    message = assert_refused(repo.path, 2, "config_invalid")
    assert named in message
    assert ".cairn.toml" in message


@pytest.mark.slow
@pytest.mark.requirement("CFG.1")
def test_a_config_that_is_a_pipe_does_not_stop_the_command(folder: Path) -> None:
    os.mkfifo(folder / ".cairn.toml")
    assert_refused(folder, 2, "config_invalid")


@pytest.mark.slow
@pytest.mark.requirement("CFG.1")
def test_a_config_from_outside_is_refused(folder: Path, tmp_path: Path) -> None:
    write(tmp_path, "other.toml", "[index]\nuntracked = true\n")
    (folder / ".cairn.toml").symlink_to(tmp_path / "other.toml")
    assert_refused(folder, 5, "out_of_root")


@pytest.mark.slow
def test_an_ignore_file_that_is_too_large_stops_the_plan(repo: Repo) -> None:
    repo.write("pkg/.gitignore", b"#" * (1024 * 1024 + 1))
    assert "pkg/.gitignore" in assert_refused(repo.path, 5, "ignore_file_invalid")


@pytest.mark.slow
def test_an_ignore_file_that_is_no_file_is_a_warning(repo: Repo) -> None:
    (repo.path / ".gitignore").mkdir()
    repo.write("a.py")
    (notice,) = plan_of(repo.path)["notices"]
    assert notice["code"] == "rules_unread"
    (warning,) = plan_of(repo.path)["warnings"]
    assert ".gitignore" in warning
    assert f"warning: {warning}" in text_of(repo.path).splitlines()


@pytest.mark.slow
@pytest.mark.requirement("PATH.4")
def test_names_that_differ_in_case_are_reported_and_block(repo: Repo) -> None:
    repo.write("Read.py")
    repo.write("read.py")
    assert plan_of(repo.path)["collisions"] == [{"paths": ["Read.py", "read.py"], "blocks": True}]
    assert (
        "warning: Read.py and read.py differ only in case or normalisation: indexing would be refused"
        in text_of(repo.path).splitlines()
    )


@pytest.mark.slow
@pytest.mark.requirement("PATH.4")
def test_a_setting_allows_names_that_differ_in_case_but_never_two_with_one_key(repo: Repo) -> None:
    repo.write(".cairn.toml", '[index]\ncase_collisions = "allow"\n')
    repo.write("Read.py")
    repo.write("read.py")
    repo.write(unicodedata.normalize("NFC", "é.py"))
    repo.write(unicodedata.normalize("NFD", "é.py"))
    blocks = {tuple(each["paths"]): each["blocks"] for each in plan_of(repo.path)["collisions"]}
    assert blocks == {("Read.py", "read.py"): False, ("e\u0301.py", "\u00e9.py"): True}
    text = text_of(repo.path)
    assert "Read.py and read.py differ only in case or normalisation: allowed by case_collisions" in text
    assert text.count("indexing would be refused") == 1


@pytest.mark.slow
@pytest.mark.requirement("PATH.1")
def test_a_name_that_is_not_utf8_is_reported_with_its_bytes(folder: Path) -> None:
    write(folder, "a.py")
    (folder / os.fsdecode(b"caf\xe9.py")).write_text("x\n")
    (folder / os.fsdecode(b"dir\xff")).mkdir()
    document = plan_of(folder)
    assert document["eligible"] == ["a.py"]
    assert [(skip["path"], skip["reason"]) for skip in document["skipped"]] == [
        ("caf\\xe9.py", "encoding"),
        ("dir\\xff/", "encoding"),
    ]
    assert "- caf\\xe9.py" in text_of(folder)


@pytest.mark.requirement("PATH.1")
@pytest.mark.parametrize("options", [(), ("--json",)])
def test_a_root_that_is_not_utf8_can_be_looked_at(tmp_path: Path, options: tuple[str, ...]) -> None:
    root = os.fsencode(tmp_path.resolve()) + b"/caf\xe9"
    os.mkdir(root)
    write(Path(os.fsdecode(root)), "a.py")
    output = raw_output(root, *options).decode("utf-8")
    assert "\\xe9" in output
    if options:
        assert json.loads(output)["root"] == f"{tmp_path.resolve()}/caf\\xe9"


HOSTILE = [
    "escape\x1b[31mred.py",
    "title\x1b]0;x\x07.py",
    "two\nlines.py",
    "return\rback.py",
    "c1\x9b31m.py",
    "bell\x07.png",
    "del\x7f.png",
    "bidi\u202etxt.exe",
    "line\u2028break.png",
]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.5")
def test_no_name_of_the_tree_acts_on_the_terminal(folder: Path) -> None:
    root = folder / "root\x1b[2J\nx"
    for name in HOSTILE:
        write(root, name)
    write(root, ".gitignore", "ignored\x1b\x9b*\n")
    write(root, "ignored\x1b\x9bfile.py")
    write(root, "sub\x1b/.gitignore/x", "")
    write(root, "Twin\x1b.py")
    write(root, "twin\x1b.py")
    (root / "link\x1b.py").symlink_to("nowhere\x1b")
    for options in ((), ("--verbose",)):
        shown = raw_output(os.fsencode(root), *options).decode("utf-8")
        kinds = {unicodedata.category(character) for character in shown.replace("\n", "")}
        assert kinds.isdisjoint({"Cc", "Cf", "Cs", "Zl", "Zp"})
    lines = shown.splitlines()
    assert any("two\\nlines.py" in line for line in lines)
    assert any("escape\\x1b[31mred.py" in line for line in lines)
    assert any("[.gitignore:1: ignored\\x1b\\x9b*]" in line for line in lines)


@pytest.mark.requirement("SRCH.5")
def test_the_document_has_no_raw_control_character_and_keeps_the_names(folder: Path) -> None:
    for name in HOSTILE:
        write(folder, name, b"x")
    output = raw_output(os.fsencode(folder), "--json").decode("utf-8")
    assert not [character for character in output if unicodedata.category(character) == "Cc" and character != "\n"]
    document = json.loads(output)
    assert {*document["eligible"], *(skip["path"] for skip in document["skipped"])} == set(HOSTILE)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("encoding", "shown"),
    [
        ("ascii", ["caf\\xe9.py", "\\u65e5\\u672c.py", "\\U0001f600.py"]),
        ("latin-1", ["café.py", "\\u65e5\\u672c.py", "\\U0001f600.py"]),
        ("utf-8", ["café.py", "日本.py", "😀.py"]),
    ],
)
def test_any_encoding_of_the_output_will_do(folder: Path, encoding: str, shown: list[str]) -> None:
    names = ["café.py", "日本.py", "😀.py"]
    for name in names:
        write(folder, name)
    text = raw_output(os.fsencode(folder), "--verbose", PYTHONIOENCODING=encoding).decode(encoding)
    assert [line for line in text.splitlines() if line.startswith("    + ")] == [f"    + {name}" for name in shown]
    document = json.loads(raw_output(os.fsencode(folder), "--json", PYTHONIOENCODING=encoding).decode(encoding))
    assert document["eligible"] == names


def test_an_error_is_valid_json_in_any_encoding(folder: Path) -> None:
    done = dry_run(folder / "café", "--json", PYTHONIOENCODING="ascii")
    assert done.returncode == 2
    assert "caf" in error_of(done.stdout)["message"]


@pytest.mark.slow
@pytest.mark.requirement("ELIG.1")
def test_what_may_not_be_read_is_a_skip_with_the_reason(common_folder: Path) -> None:
    root = common_folder / "tree"
    write(root, "a.py")
    write(root, "closed.py").chmod(0)
    write(root, "closed/b.py").parent.chmod(0)
    done = as_ordinary_user(root, "--json", home=common_folder)
    assert (done.returncode, done.stderr) == (0, "")
    document = json.loads(done.stdout)
    assert document["eligible"] == ["a.py"]
    assert document["skipped"] == [
        {"path": "closed.py", "reason": "unreadable", "detail": "Permission denied"},
        {"path": "closed/", "reason": "unreadable", "detail": "Permission denied"},
    ]


def test_a_root_that_may_not_be_opened_is_refused_in_a_sentence(common_folder: Path) -> None:
    root = common_folder / "tree"
    write(root, "a.py")
    root.chmod(0)
    done = as_ordinary_user(root, home=common_folder)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_one_sentence_and_a_hint(done.stderr)
    assert "Permission denied" in done.stderr


def test_a_tree_that_git_does_not_trust_is_refused_with_the_way_out(common_folder: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("another user's repository can be made only by root")
    repo = Repo.create(common_folder / "tree")
    repo.write("a.py")
    done = as_ordinary_user(repo.path, home=common_folder)
    assert done.returncode == 5
    assert_one_sentence_and_a_hint(done.stderr)
    assert "safe.directory" in done.stderr


def late_git(folder: Path) -> dict[str, str]:
    """A git whose first answer comes later than the pause before progress is shown."""
    script = write(
        folder,
        "bin/git",
        f'#!/bin/sh\ncase " $* " in *" --show-toplevel "*) sleep 0.3;; esac\nexec {shutil.which("git")} "$@"\n',
    )
    script.chmod(0o755)
    return {"PATH": f"{script.parent}:{os.environ['PATH']}"}


@pytest.mark.slow
def test_progress_is_shown_on_a_terminal_and_wiped_away(sample: Repo, tmp_path: Path) -> None:
    ours, theirs = pty.openpty()
    try:
        done = subprocess.run(
            (*COMMAND, "index", "--dry-run", "--json", str(sample.path)),
            env=os.environ | late_git(tmp_path),
            stdout=subprocess.PIPE,
            stderr=theirs,
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
        os.close(theirs)
        shown = b""
        try:
            while block := os.read(ours, 4096):
                shown += block
        except OSError:
            # Linux reports the end of a terminal that nobody holds open as an error.
            pass
    finally:
        os.close(ours)
    assert done.returncode == 0
    assert json.loads(done.stdout)["counts"]["eligible"] == 4
    assert b"looking at " in shown
    assert b" files" in shown
    assert shown.endswith(b"\r\x1b[K")
    assert b"\n" not in shown


@pytest.mark.slow
def test_there_is_no_progress_in_a_pipe(sample: Repo, tmp_path: Path) -> None:
    done = dry_run(sample.path, **late_git(tmp_path))
    assert done.returncode == 0
    assert done.stderr == ""
    assert "looking at" not in done.stdout


@pytest.mark.slow
def test_a_first_index_that_was_refused_is_made_once_its_hint_is_followed(repo: Repo) -> None:
    """Nothing was published under the former settings, so there is nothing to make anew."""
    repo.write("Read.py", "one = 1\n")
    repo.write("read.py", "two = 2\n")
    refused = cairn("index", str(repo.path))
    assert refused.returncode == 5
    assert 'case_collisions = "allow"' in refused.stderr
    repo.write(".cairn.toml", '[index]\ncase_collisions = "allow"\n')
    assert cairn("index", str(repo.path)).returncode == 0
    assert "Read.py" in cairn("search", "--literal", "one = 1", str(repo.path)).stdout
