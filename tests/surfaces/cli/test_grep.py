"""`cairn grep` beside `git grep`: the same lines, files, counts and exit codes for the same options."""

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from tests.surfaces.cli.test_store import run
from tests.trees import Repo

HERE = Path(__file__).parents[3]
FLAGS = (
    "",
    "-i",
    "-w",
    "-w -i",
    "-l",
    "-c",
    "-v -m 3",
    "-v -c",
    "-l -v",
    "-m 2",
    "-c -m 1",
    "-C 2",
    "-A 1",
    "-B 3",
    "-A 2 -B 1 -w",
    "-C 1 -m 2",
    "-C 3 -A 1",
    "-C 2 -B 0 -w",
    "-v -C 1 -m 1",
    "-o",
    "-o -w -i",
    "-h",
    "-h -c",
    "-h -o",
    "-2",
    "-1 -h -w",
    "-A 5000",
)
PATTERNS = (
    ("-F", "search"),
    ("-F", "("),
    ("-F", "…"),
    ("-F", "zzzqqq" + "x"),
    ("-E", r"def \w+_of"),
    ("-E", r"^class [A-Z]\w+"),
    ("-E", "import|export"),
    ("-E", r"self\.[a-z]+\("),
    ("-E", "value$"),
)
MORE_NOT_HERE = (
    ("-P", "rg -P"),
    ("--pcre2", "rg -P"),
    ("-a", "rg -a"),
    ("-f", "-e of its own"),
    ("--no-ignore", "rg -u"),
)


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, str]:
    """A real tree: a part of Cairn itself, as it is."""
    folder = tmp_path_factory.mktemp("real").resolve()
    repo = Repo.create(folder / "repo")
    for part in ("search", "questions", "surfaces/cli"):
        shutil.copytree(
            HERE / "src/cairn" / part, repo.path / part, ignore=shutil.ignore_patterns("__pycache__", "*.pyc")
        )
    repo.write("odd.txt", "tab\there\r\nlast line without an end")
    repo.write("accents.txt", "é import é\nü\nend\n")
    repo.write("wide.txt", "x" * 3_000 + " search " + "y" * 3_000 + "\n")
    repo.commit()
    home = str(folder / ".cairn")
    assert run("index", str(repo.path), CAIRN_HOME=home, CAIRN_EMBED_PROVIDER="hashing").returncode == 0
    return repo.path, home


@pytest.fixture
def tree(real: tuple[Path, str], monkeypatch: pytest.MonkeyPatch) -> Path:
    path, home = real
    monkeypatch.setenv("CAIRN_HOME", home)
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")
    monkeypatch.chdir(path)
    return path


def git_grep(kind: str, pattern: str, *arguments: str) -> tuple[int, list[str]]:
    options = [word for word in arguments if word.startswith("-") or word.isdecimal()]
    paths = [word for word in arguments if word not in options]
    done = subprocess.run(
        ("git", "grep", "-n", "--no-color", "-I", kind, *options, "-e", pattern, "--", *paths),
        capture_output=True,
        check=False,
    )
    return done.returncode, done.stdout.decode().replace("\r\n", "\n").splitlines()


def cairn_grep(kind: str, pattern: str, *arguments: str) -> tuple[int, list[str]]:
    done = run("grep", "--no-sync", *(["-F"] if kind == "-F" else []), pattern, *arguments)
    return done.returncode, done.stdout.splitlines()


@pytest.mark.sampled
@pytest.mark.requirement("CLI.20")
@pytest.mark.parametrize("every", [pytest.param(1, marks=pytest.mark.slow), 4])
@pytest.mark.parametrize("flags", FLAGS)
def test_lines_are_those_of_git_grep(tree: Path, flags: str, every: int) -> None:
    """The first tier asks for each pattern with some of the options, and with each option for some of the patterns."""
    for kind, pattern in PATTERNS[FLAGS.index(flags) % every :: every]:
        assert cairn_grep(kind, pattern, *flags.split()) == git_grep(kind, pattern, *flags.split()), (pattern, flags)


@pytest.mark.slow
@pytest.mark.requirement("CLI.20")
def test_paths_restrict_as_with_git_grep(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for paths in (("search",), ("search/grep.py", "questions"), ("surfaces/cli/", "odd.txt")):
        assert cairn_grep("-F", "def ", *paths) == git_grep("-F", "def ", *paths)
    monkeypatch.chdir(tree / "surfaces")
    for below in ([], ["."], ["../search"], ["cli/grep.py"]):
        assert cairn_grep("-F", "def ", *below) == git_grep("-F", "def ", *below), below


def test_a_search_for_lines_takes_the_same_options(tree: Path) -> None:
    for flags in ("-w", "-l", "-c", "-v -m 1", "-C 1", "-i"):
        done = run("search", "--no-sync", "--literal", "parse_query", "questions", *flags.split())
        assert done.stdout.splitlines() == git_grep("-F", "parse_query", "questions", *flags.split())[1], flags
    for option in (("-C", "1"), ("-c",), ("-w",), ("--json-lines",), ("--sort", "newest")):
        done = run("search", "parse", "query", *option)
        assert (done.returncode, "--literal or --regex" in done.stderr) == (2, True), option
    assert run("grep", "-c", "-l", "x").returncode == 2
    assert run("grep").returncode == 2


@pytest.mark.requirement("CLI.20")
def test_patterns_of_options_are_taken_as_by_grep(tree: Path) -> None:
    for paths in ((), ("search",), ("search", "questions")):
        done = run("grep", "--no-sync", "-F", "-e", "->", "-e", "import re", *paths)
        assert done.stdout.splitlines() == git_grep("-E", "->|import re", *paths)[1], paths
    assert run("grep", "--no-sync", "--", "-1", "search").stdout.splitlines() == git_grep("-E", "-1", "search")[1] != []
    done = run("grep", "--no-sync", "-F", "-e", "self.", "-e", "[str]", "search")
    assert done.stdout.splitlines() == git_grep("-E", r"self\.|\[str\]", "search")[1]
    done = run("grep", "--no-sync", "-rnHEI", "-e", "-> (int|str)", "search")
    assert done.stdout.splitlines() == git_grep("-E", "-> (int|str)", "search")[1]


@pytest.mark.requirement("CLI.20")
def test_every_line_matches_nothing_at_all(tree: Path) -> None:
    for flags in ("", "-c", "-v", "-F", "-m 2"):
        found = cairn_grep("-E", "", "search/version.py", "odd.txt", *flags.split())
        assert found == git_grep("-E", "", "search/version.py", "odd.txt", *flags.replace("-F", "").split()), flags
    for none in (("-m", "0", "def"), ("-m0", "def", "search"), ("-v", "")):
        done = run("grep", "--no-sync", *none)
        assert (done.returncode, done.stdout) == (1, ""), none


@pytest.mark.requirement("CLI.20")
def test_what_others_have_options_for_is_taken_or_answered(tree: Path) -> None:
    assert run("grep", "--no-sync", "-s", "def ", "search").stdout == run("grep", "--no-sync", "def ", "search").stdout
    for option, other in (
        ("-L", "git grep -L"),
        ("-u", "rg -u"),
        ("--multiline", "within one line"),
        ("-z", "rg -z"),
        *MORE_NOT_HERE,
    ):
        done = run("grep", option, "x")
        assert done.returncode == 2
        named = done.stderr.partition("grep has no option ")[2].partition(" here.")[0]
        assert option in named.split(" or ")
        assert other in done.stderr
    assert run("grep", "-h").stdout == run("grep", "--help").stdout != ""


@pytest.mark.requirement("CLI.20")
def test_whole_lines_are_those_of_grep(tree: Path) -> None:
    file = "search/query.py"
    asked: tuple[tuple[str, ...], ...] = (
        ("-F", "from typing import Any"),
        ("-F", "-i", "IMPORT RE"),
        ("-F", "import"),
        ("-E", "from|import"),
        ("-E", "import .*|from .* import (replace|dataclass)"),
        ("-E", "-w", "import re"),
        ("-E", "-e", "import re", "-e", "    .*return.*"),
        ("-E", "-v", "-m", "3", "import .*|from .*"),
        ("-E", "-c", ""),
    )
    for arguments in asked:
        wanted = subprocess.run(
            ("grep", "-n", "-H", "-x", *arguments, file), capture_output=True, check=False, text=True
        )
        done = run("grep", "--no-sync", "-x", *arguments, file)
        assert (done.returncode, done.stdout) == (wanted.returncode, wanted.stdout), arguments


@pytest.mark.slow
@pytest.mark.requirement("CLI.20")
def test_globs_leave_files_out_as_in_ripgrep(tree: Path) -> None:
    everything = cairn_grep("-E", "import", "-c")[1]
    documents = [line for line in everything if "/cli/" in line]
    others = [line for line in everything if "/cli/" not in line]
    assert documents
    assert others
    for flags in (["-g", "!cli"], ["-g", "!**/cli/**"], ["--exclude-dir", "cli"], ["--exclude=cli"]):
        assert cairn_grep("-E", "import", "-c", *flags)[1] == others, flags
    for flags in (["-g", "*.py", "-g", "!cli"], ["--include", "*.py", "--exclude", "cli"]):
        assert cairn_grep("-E", "import", "-c", *flags)[1] == [line for line in others if ".py:" in line], flags
    assert cairn_grep("-E", "import", "-c", "-g", "cli")[1] == documents
    assert run("grep", "--no-sync", "--hidden", "-c", "import").stdout.splitlines() == everything


@pytest.mark.requirement("CLI.20")
def test_smart_case_looks_at_the_pattern(tree: Path) -> None:
    for pattern, option in (("pattern", ["-i"]), ("Pattern", []), (r"\Spattern", ["-i"])):
        found = run("grep", "--no-sync", "-S", pattern, "search").stdout
        assert found
        assert found == run("grep", "--no-sync", *option, pattern, "search").stdout, pattern


def test_every_match_of_a_line_is_coloured(tree: Path) -> None:
    assert run("grep", "--no-sync", "--color", "always", "-m", "1", "e", "odd.txt").stdout.count("\x1b[1;31m") == 2


def test_an_option_that_does_not_go_with_another_is_named_as_it_is_called(tree: Path) -> None:
    assert "--json and --count exclude each other" in run("grep", "-c", "--json", "x").stdout
    assert "-o and -v exclude each other" in run("grep", "-ov", "x").stderr


def test_files_are_sorted_by_time_where_that_is_asked_for(tree: Path) -> None:
    files = run("grep", "-l", "def ", "search").stdout.split()
    assert files == sorted(files)
    for age, name in enumerate(files):
        os.utime(tree / name, (1_600_000_000 - 60 * age,) * 2)
    assert run("grep", "-l", "def ", "search", "--sort", "newest", "--no-sync").stdout.split() == files
    assert run("grep", "-l", "def ", "search", "--sort", "modified", "--no-sync").stdout.split() == files[::-1]


def messages(*arguments: str) -> list[Any]:
    return [json.loads(line) for line in run("grep", "--json-lines", *arguments).stdout.splitlines()]


def test_json_lines_are_the_messages_of_ripgrep(tree: Path) -> None:
    found = messages("-w", "-A", "2", "def|import", "accents.txt", "search/version.py", "search/query.py")
    kinds = [each["type"] for each in found]
    assert (kinds[0], kinds[-2:]) == ("begin", ["end", "summary"])
    for each in found:
        if each["type"] not in ("match", "context"):
            continue
        data = each["data"]
        raw = (tree / data["path"]["text"]).read_bytes()
        line = data["lines"]["text"].encode()
        assert raw[data["absolute_offset"] :].startswith(line)
        assert raw[: data["absolute_offset"]].count(b"\n") == data["line_number"] - 1
        assert bool(data["submatches"]) == (each["type"] == "match")
        for match in data["submatches"]:
            assert line[match["start"] : match["end"]].decode() == match["match"]["text"]
    total = found[-1]["data"]["stats"]
    assert total["matched_lines"] == kinds.count("match")
    assert total["searches_with_match"] == kinds.count("begin")


@pytest.mark.skipif(shutil.which("rg") is None, reason="ripgrep is not installed here")
@pytest.mark.parametrize("flags", ["", "-w", "-i", "-C2", "-A1", "-m2"])
def test_json_lines_equal_those_of_ripgrep(tree: Path, flags: str) -> None:
    asked = (*flags.split(), "parse", "search")
    theirs = subprocess.run(
        ("rg", "--json", "--sort", "path", "--no-config", *asked), capture_output=True, text=True, check=True
    )
    wanted = ("begin", "match", "context")
    expected = [each for each in map(json.loads, theirs.stdout.splitlines()) if each["type"] in wanted]
    assert [each for each in messages(*asked) if each["type"] in wanted] == expected


def test_whole_lines_and_bytes_go_into_a_pipe(tree: Path) -> None:
    (line,) = run("grep", "--no-sync", "search", "wide.txt").stdout.splitlines()
    assert len(line) > 6_000
    assert "…" in run("search", "--no-sync", "--literal", "search", "wide.txt").stdout


def test_json_has_the_lines_around_and_all_matches(tree: Path) -> None:
    found = json.loads(
        run("search", "--literal", "last", "odd.txt", "-B", "2", "--all-matches", "--json", "--no-sync").stdout
    )
    (row,) = found["results"]
    assert (row["before"], row["after"], row["matches"]) == (["tab\there"], [], [[0, 4]])
