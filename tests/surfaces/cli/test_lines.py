"""`cairn search --literal` and `--regex`: lines, in a pipe, on a terminal and as JSON."""

import json
import os
import subprocess
import sys
from typing import Any

import pytest

from tests.surfaces.cli.test_main import assert_one_sentence_and_a_hint
from tests.surfaces.cli.test_search import search
from tests.surfaces.cli.test_store import run
from tests.trees import Repo, cairn


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


@pytest.fixture
def sample(repo: Repo) -> Repo:
    repo.write("src/lease.py", "def take_over(lease):\n    return lease  # lang:rust\n")
    repo.write("docs/notes.md", "About the lease\x1b[31m and its epoch.\n")
    repo.write("wide.txt", "x" * 3_000 + " lease " + "y" * 3_000 + "\n")
    repo.commit()
    return repo


def places(document: dict[str, Any]) -> list[tuple[str, int]]:
    return [(item["path"], item["start_line"]) for item in document["results"]]


def test_a_pipe_gets_path_line_and_text(sample: Repo) -> None:
    done = run("search", "--literal", "lease", str(sample.path), "--from-root")
    assert done.returncode == 0
    notes, first, second, wide = done.stdout.splitlines()
    assert notes == "docs/notes.md:1:About the lease\\x1b[31m and its epoch."
    assert first == "src/lease.py:1:def take_over(lease):"
    assert second == "src/lease.py:2:    return lease  # lang:rust"
    assert wide.startswith("wide.txt:1:…x")
    assert " lease y" in wide
    assert wide.endswith("y…")
    assert 2_000 <= len(wide) < 2_100
    assert "4 lines · snapshot" in done.stderr
    assert "the tree was just synced" in done.stderr
    assert "cut short: line" in done.stderr


def test_explain_tells_which_engine_matched(sample: Repo) -> None:
    # It looks behind: no engine but Python's does that.
    asked = ("search", "--regex", r"(?<=return )lease", str(sample.path))
    assert "engine" not in run(*asked).stderr
    assert run(*asked, "--explain").stderr.splitlines()[0].endswith(" · engine: python")
    assert search(sample, r"(?<=return )lease", "--regex", "--explain")["engine"] == "python"
    assert search(sample, "lease", "--literal", "--explain")["engine"] == "text"
    assert "engine" not in search(sample, "lease", "--literal")


@pytest.mark.slow
def test_json_has_the_envelope_of_a_search_and_the_place_of_the_match(sample: Repo) -> None:
    question = search(sample, "lease")
    document = search(sample, "RETURN l", "--literal", "--ignore-case")
    assert set(document) == set(question)
    (result,) = document["results"]
    assert result == {
        "path": "src/lease.py",
        "from_here": str(sample.path / "src/lease.py"),
        "start_line": 2,
        "end_line": 2,
        "kind": "match",
        "language": "python",
        "symbol": "take_over",
        "score": 1.0,
        "text": "    return lease  # lang:rust",
        "changed_since": False,
        "column": 5,
        "match": "return l",
        "text_column": 1,
        "cut": False,
    }
    assert document["freshness"] == {"synced": True, "checked": "tree", "moved": False}


@pytest.mark.slow
def test_case_counts_unless_it_is_told_not_to(sample: Repo) -> None:
    assert places(search(sample, "ABOUT", "--literal")) == []
    assert places(search(sample, "ABOUT", "--literal", "-i")) == [("docs/notes.md", 1)]
    assert places(search(sample, "^about", "--regex", "-i")) == [("docs/notes.md", 1)]


def test_what_looks_like_a_filter_is_text(sample: Repo) -> None:
    assert places(search(sample, "lang:rust", "--literal")) == [("src/lease.py", 2)]
    assert places(search(sample, r"lang:\w+", "--regex")) == [("src/lease.py", 2)]


@pytest.mark.slow
def test_filters_come_from_options(sample: Repo) -> None:
    assert places(search(sample, "lease", "--literal", "--lang", "py")) == [("src/lease.py", 1), ("src/lease.py", 2)]
    assert places(search(sample, "lease", "--literal", "--path", "docs/")) == [("docs/notes.md", 1)]
    assert places(search(sample, "lease", "--literal", "--mode", "code"))[0] == ("src/lease.py", 1)
    assert places(search(sample, "lease", "--literal", "--mode", "docs"))[0] == ("docs/notes.md", 1)


@pytest.mark.requirement("SRCH.1")
def test_the_limit_counts_lines_and_what_is_more_is_said(sample: Repo) -> None:
    document = search(sample, "lease", "--literal", "-k", "2")
    assert places(document) == [("docs/notes.md", 1), ("src/lease.py", 1)]
    assert document["limits_hit"] == ["results"]
    (warning,) = document["warnings"]
    assert "only the first 2 lines" in warning
    assert "--limit" in warning


@pytest.mark.slow
def test_lines_are_taken_in_first_unless_told_not_to(sample: Repo) -> None:
    search(sample, "lease", "--literal")
    sample.write("fresh.py", "fresh_lease = 1\n")
    (sample.path / "docs/notes.md").unlink()
    stale = search(sample, "lease", "--literal", "--no-sync")
    assert "fresh.py" not in {item["path"] for item in stale["results"]}
    assert "1 file left out: gone since the snapshot" in stale["warnings"]
    assert places(search(sample, "lease", "--literal"))[0] == ("fresh.py", 1)


def test_nothing_found_is_an_answer_of_its_own(sample: Repo) -> None:
    done = run("search", "--regex", "wal+rus", str(sample.path))
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("nothing found\n")


@pytest.mark.sampled
@pytest.mark.parametrize(
    "arguments",
    [
        ("--literal", "--regex", "a"),
        ("--literal", ""),
        ("--literal", "a\nb"),
        ("--literal", "a", "--mode", "symbol"),
        ("--literal", "a", "-k", "10001"),
        ("--literal", "a", "-k", "0"),
        ("--literal", "a", "--lang", "klingon"),
        ("--literal", "a", "--path", "../out"),
        ("--literal", b"\xff"),
        ("--regex", "(a"),
        ("--regex", r"a\nb"),
        ("--regex", "a" * 100_000),
        ("--ignore-case", "a"),
    ],
)
def test_what_can_not_be_meant_is_one_sentence(sample: Repo, arguments: tuple[str | bytes, ...]) -> None:
    done = cairn("search", *arguments, str(sample.path))
    assert done.returncode == 2
    assert_one_sentence_and_a_hint(done.stderr)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.1")
def test_an_expression_without_end_leaves_files_out_and_says_so(sample: Repo) -> None:
    sample.write("a/hostile.txt", "a" * 100 + "!\n")
    sample.write("b.txt", "aaa\n")
    document = search(sample, "^(?!b)(a+)+$", "--regex")
    assert places(document) == [("b.txt", 1)]
    assert document["limits_hit"] == ["time"]
    (warning,) = document["warnings"]
    assert "a/hostile.txt" in warning


@pytest.mark.slow
def test_a_terminal_gets_files_with_their_lines(sample: Repo) -> None:
    import pty

    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        (sys.executable, "-m", "cairn", "search", "--literal", "lease", "--from-root", str(sample.path)),
        stdout=theirs,
        stderr=subprocess.DEVNULL,
        env=os.environ | {"TERM": "xterm", "NO_COLOR": ""},
    )
    os.close(theirs)
    shown = b""
    while True:
        try:
            part = os.read(ours, 65536)
        except OSError:
            break
        if not part:
            break
        shown += part
    os.close(ours)
    assert process.wait(60) == 0
    text = shown.decode().replace("\r\n", "\n")
    assert "\x1b[1;36msrc/lease.py\x1b[0m\n" in text
    assert "\x1b[2m  1\x1b[0m  def take_over(\x1b[1mlease\x1b[0m):\n" in text
    assert "\x1b[2m  2\x1b[0m      return \x1b[1mlease\x1b[0m  # lang:rust\n" in text
    assert "\x1b[31m" not in text
    assert max(len(line) for line in text.splitlines()) < 200


@pytest.mark.slow
def test_lines_need_neither_the_model_nor_the_postings(sample: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    """A snapshot that is up to date answers from trigrams and rows alone."""
    monkeypatch.delenv("CAIRN_EMBED_PROVIDER")
    search(sample, "lease", "--literal")
    heavy = ("tantivy", "tree_sitter", "watchfiles", "cairn.graph", "cairn.indexing.pool", "importlib.metadata")
    code = (
        "import sys; from cairn.program.start import main; from cairn.embed import static; "
        "static._load_bundled = None; "
        f"assert main(['search', '--literal', 'lease', {str(sample.path)!r}]) == 0; "
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, check=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]"
    assert json.loads(run("search", "--literal", "lease", "--json", str(sample.path)).stdout)["results"]


@pytest.mark.slow
def test_who_only_reads_needs_no_walk(sample: Repo, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CAIRN_EMBED_PROVIDER")
    search(sample, "lease", "--literal")
    heavy = ("numpy", "shutil", "multiprocessing", "cairn.workspace.scan", "cairn.workspace.ignore")
    code = (
        "import sys; from cairn.program.start import main; "
        f"assert main(['search', '--no-sync', '--literal', 'lease', {str(sample.path)!r}]) == 0; "
        f"print([name for name in {heavy!r} if name in sys.modules], file=sys.stderr)"
    )
    done = subprocess.run((sys.executable, "-c", code), capture_output=True, check=True, text=True)
    assert done.stderr.splitlines()[-1] == "[]"
