"""`cairn read` and `cairn session` in processes of their own, and cached reads over a real MCP client."""

import json
import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from cairn.config.project import MAX_FILE_BYTES
from tests.surfaces.mcp.client import connected, small_tree
from tests.trees import Repo, cairn

pytestmark = pytest.mark.slow


@pytest.fixture
def indexed(repo: Repo) -> Repo:
    repo.write("src/a.py", "".join(f"line_{number} = {number}\n" for number in range(50)))
    repo.write("wide.py", f"wide = '{'x' * 4000}'\n")
    repo.write(".env", "TOKEN=hidden\n")
    repo.write("blob.bin", b"\0\1\2")
    repo.commit()
    assert cairn("index", str(repo.path)).returncode == 0
    return repo


def said(*arguments: str, cwd: Path) -> dict[str, Any]:
    done = cairn(*arguments, "--json", cwd=cwd)
    assert (done.returncode, done.stderr) == (0, ""), done.stdout + done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.mark.requirement("RC.1", "RC.2", "RC.5")
def test_a_conversation_on_the_command_line(indexed: Repo) -> None:
    where = indexed.path
    session = said("session", "open", "--guarantee", "linear", cwd=where)["session_id"]
    first = said("read", "src/a.py", "--session", session, cwd=where)
    assert first["mode"] == "full"
    assert first["text"] == (where / "src/a.py").read_text()
    assert first["readcache"]["scopeKey"] == "full"
    again = said("read", "src/a.py", "--session", session, cwd=where)
    assert (again["mode"], again["text"]) == ("unchanged", "[readcache: unchanged, 50 lines]")
    lines = said("read", "a.py:10-22", "--session", session, cwd=where / "src")
    assert lines["mode"] == "unchanged_range"
    indexed.write("src/a.py", (where / "src/a.py").read_text().replace("line_7 = 7", "seven = 7"))
    diff = said("read", "src/a.py", "--session", session, cwd=where)
    assert (diff["mode"], diff["changed_since"]) == ("diff", True)
    assert "+seven = 7" in diff["text"]
    assert said("session", "event", session, "compaction", cwd=where)["entry"] == 5
    assert said("read", "src/a.py", "--session", session, cwd=where)["mode"] == "full"
    assert said("session", "refresh", session, "src/a.py", cwd=where)["entry"] == 7
    assert said("read", "src/a.py", "--session", session, cwd=where)["mode"] == "full"
    assert said("read", "src/a.py", "--session", session, "--bypass", cwd=where)["mode"] == "full"


def test_lines_that_are_none_and_sessions_that_nobody_knows_are_named(indexed: Repo) -> None:
    done = cairn("read", "src/a.py:1-x", cwd=indexed.path)
    assert (done.returncode, "'1-x' names no lines of src/a.py" in done.stderr) == (2, True)
    done = cairn("read", "src/a.py:1", "--session", "nope", cwd=indexed.path)
    assert (done.returncode, done.stderr) == (0, "note: the content itself, since the session is not known\n")
    done = cairn("callers", "src/a.py:99999", cwd=indexed.path)
    assert "Name a line from 1 to" in done.stderr


@pytest.mark.requirement("RC.9")
def test_status_counts_what_was_saved(indexed: Repo) -> None:
    where = indexed.path
    assert said("status", cwd=where)["reads"] == {"sessions": 0, "modes": {}, "bytes_saved": 0, "tokens_saved": 0}
    session = said("session", "open", "--guarantee", "linear", cwd=where)["session_id"]
    for _ in range(3):
        said("read", "src/a.py", "--session", session, cwd=where)
    reads = said("status", cwd=where)["reads"]
    assert reads["modes"] == {"full": 1, "unchanged": 2}
    size = len((where / "src/a.py").read_bytes())
    assert reads["bytes_saved"] == 2 * (size - len("[readcache: unchanged, 50 lines]"))
    assert "cached reads: 1 full, 2 unchanged" in cairn("status", cwd=where).stdout


@pytest.mark.requirement("RC.8")
def test_secrets_are_refused_and_what_is_no_text_leaves_nothing(indexed: Repo, private_home: Path) -> None:
    where = indexed.path
    session = said("session", "open", "--guarantee", "linear", cwd=where)["session_id"]
    for _ in range(2):
        answer = said("read", "blob.bin", "--session", session, cwd=where)
        told = "[blob.bin is no text in UTF-8: 3 bytes]"
        assert (answer["mode"], answer["text"], answer["readcache"]) == ("full", told, None)
        refused = cairn("read", ".env", "--session", session, cwd=where)
        assert (refused.returncode, refused.stdout) == (5, "")
        assert ".env is a secret, which nobody is given." in refused.stderr
    assert not (private_home / ".cairn/objects").exists()
    assert b"hidden" not in (private_home / ".cairn/readcache.db").read_bytes()


@pytest.mark.requirement("RC.7")
def test_plain_reads_need_no_session_and_the_gate_comes_first(indexed: Repo, folder: Path) -> None:
    where = indexed.path
    assert cairn("read", "src/a.py:2-3", cwd=where).stdout == "line_1 = 1\nline_2 = 2\n"
    assert cairn("read", "src/a.py:2", cwd=where).stdout == "line_1 = 1\n"
    cut = cairn("read", "src/a.py", "--max-bytes", "25", cwd=where)
    assert cut.stdout == "line_0 = 0\nline_1 = 1\n"
    assert cut.stderr == "warning: cut behind line 2: --start-line 3 reads on, --max-bytes 630 shows all\n"
    part = said("read", "src/a.py:1-4", "--start-line", "3", "--max-bytes", "11", cwd=where)
    assert (part["text"], part["limits_hit"]) == ("line_2 = 2\n", ["max_bytes"])
    assert [notice["lift"] for notice in part["notices"]] == [{"parameter": "--max-bytes", "value": 22}]
    (folder / "a.py").write_text("x = 1\n")
    refused = cairn("read", "a.py", cwd=folder)
    assert (refused.returncode, refused.stdout) == (3, "")
    indexed.write(".cairn.toml", "[index]\nchunk_bytes = 300\n")
    assert cairn("read", "src/a.py", cwd=where).returncode == 4


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (("read", "nothing.py"), 3),
        (("read", "src"), 2),
        (("read", ".git/config"), 5),
        (("read", "../x.py"), 2),
        (("read", "src/a.py:60-70"), 2),
        (("read", "src/a.py", "--max-bytes", "0"), 2),
        (("session", "event", "unknown", "clear"), 2),
        (("session", "event", "unknown", "explode"), 2),
        (("session", "open", "--id", "a b"), 2),
        (("session",), 2),
    ],
)
def test_bad_input_is_one_sentence(indexed: Repo, arguments: tuple[str, ...], code: int) -> None:
    done = cairn(*arguments, cwd=indexed.path)
    assert done.returncode == code, done.stdout + done.stderr
    assert done.stderr.startswith("cairn: ")
    assert "Traceback" not in done.stderr


def test_a_hook_opens_and_tells(indexed: Repo) -> None:
    where = indexed.path

    def hook(text: str) -> subprocess.CompletedProcess[str]:
        command = (sys.executable, "-m", "cairn", "session", "hook")
        return subprocess.run(command, input=text, cwd=where, capture_output=True, text=True, check=False)

    started = hook('{"session_id": "c-1", "hook_event_name": "SessionStart", "source": "startup"}')
    assert (started.returncode, "session=c-1" in started.stdout) == (0, True)
    modes = [said("read", "src/a.py", "--session", "c-1", cwd=where)["mode"] for _ in range(2)]
    assert hook('{"session_id": "c-1", "hook_event_name": "PreCompact"}').stdout == ""
    modes.append(said("read", "src/a.py", "--session", "c-1", cwd=where)["mode"])
    assert modes == ["full", "unchanged", "full"]
    # It runs at every prompt: what it can't use it passes over.
    for text in ("nonsense", "", "{}", '{"session_id": "../../x", "hook_event_name": "PreCompact"}'):
        passed = hook(text)
        assert (passed.returncode, passed.stdout, passed.stderr) == (0, "", "")


@pytest.mark.requirement("RC.1", "RC.5", "RC.7")
def test_cached_reads_over_a_real_client(tmp_path: Path) -> None:
    home = tmp_path / "home"
    home.mkdir()
    tree = small_tree(tmp_path / "tree")
    with connected(home, tree) as session:
        session.create(tree)
        name = session.call("session_open", guarantee="tree")["session"]
        root = session.call("read_file", path="src/lease.py", session=name)
        assert (root["mode"], root["readcache"]["scopeKey"]) == ("full", "full")
        again = session.call("read_file", path="src/lease.py", session=name, parent=root["entry"])
        assert again["mode"] == "unchanged"
        unknown = session.call("read_file", path="src/lease.py", session=name, parent=99)
        assert unknown["mode"] == "full"
        lines = session.call("read_file", path="src/lease.py:2-9", session=name, parent=root["entry"])
        assert (lines["mode"], lines["startLine"], lines["endLine"]) == ("unchanged_range", 2, 9)
        compacted = session.call("session_event", session=name, event="compaction", parent=again["entry"])
        after = session.call("read_file", path="src/lease.py", session=name, parent=compacted["entry"])
        assert after["mode"] == "full"
        refreshed = session.call("read_refresh", session=name, path="src/lease.py", parent=after["entry"])
        assert session.call("read_file", path="src/lease.py", session=name, parent=refreshed["entry"])["mode"] == "full"
        plain = session.call("read_file", path="src/lease.py", session="unknown")
        assert (plain["mode"], plain["readcache"], plain["plainBecause"]) == ("full", None, "the session is not known")
        assert session.call("session_event", session="unknown", event="clear")["status"] == "invalid_arguments"
        assert session.call("session_open", guarantee="perhaps")["status"] == "invalid_arguments"


def test_what_did_not_get_out_was_not_given(indexed: Repo) -> None:
    where = indexed.path
    session = said("session", "open", "--guarantee", "linear", cwd=where)["session_id"]
    command = (sys.executable, "-m", "cairn", "read", "src/a.py", "--session", session)
    with open("/dev/full", "w") as full:
        assert subprocess.run(command, cwd=where, stdout=full, stderr=subprocess.DEVNULL, check=False).returncode == 70
    assert said("read", "src/a.py", "--session", session, cwd=where)["mode"] == "full"
    indexed.write("src/é.py", "é = 1\n")
    odd = cairn("read", "src/é.py", "--session", session, cwd=where, PYTHONIOENCODING="ascii")
    assert "\\xe9" in odd.stdout
    assert said("read", "src/é.py", "--session", session, cwd=where)["mode"] == "full"


def test_a_hook_that_can_t_tell_leaves_no_trust(indexed: Repo, private_home: Path) -> None:
    where = indexed.path
    session = said("session", "open", "--guarantee", "linear", "--id", "c-2", cwd=where)["session_id"]
    said("read", "src/a.py", "--session", session, cwd=where)
    log = private_home / ".cairn/readcache.db"
    log.rename(f"{log}.aside")
    log.write_bytes(b"nonsense" * 1000)
    text = json.dumps({"session_id": "c-2", "hook_event_name": "PreCompact"})
    command = (sys.executable, "-m", "cairn", "session", "hook")
    failed = subprocess.run(command, input=text, cwd=where, text=True, capture_output=True, check=False)
    # The damaged log is kept aside, and a new one knows of nothing that was given.
    assert failed.returncode == 0
    assert [kept.read_bytes()[:8] for kept in log.parent.glob("readcache.db.damaged-*")] == [b"nonsense"]
    assert said("read", "src/a.py", "--session", session, cwd=where)["mode"] == "full"


def test_a_file_that_is_too_large_is_told_as_such(indexed: Repo) -> None:
    with (indexed.path / "huge.py").open("wb") as file:
        file.truncate(MAX_FILE_BYTES + 1)
    done = cairn("read", "huge.py", cwd=indexed.path)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"huge.py can't be read: it has more than {MAX_FILE_BYTES >> 20} MiB." in done.stderr


def test_a_folder_that_is_gone_under_a_command_is_told_as_such(indexed: Repo) -> None:
    script = "import os, sys; os.mkdir('gone'); os.chdir('gone'); os.rmdir('../gone'); " + (
        "os.execv(sys.executable, [sys.executable, '-P', '-m', 'cairn', 'read', 'a.py'])"
    )
    done = subprocess.run([sys.executable, "-c", script], cwd=indexed.path, capture_output=True, text=True, check=False)
    assert "The current folder is not there any more." in done.stderr
    assert done.returncode == 2


@pytest.fixture
def plain(folder: Path) -> Path:
    """A codebase outside of git, and one that lies within it."""
    (folder / "sub").mkdir()
    (folder / "sub/two.py").write_text("def two():\n    return 2\n")
    (folder / "one.py").write_text("import sub.two\n")
    assert cairn("index", str(folder)).returncode == 0
    return folder


@pytest.mark.parametrize("command", [("read",), ("outline",), ("imports",)])
def test_a_file_in_a_folder_of_a_codebase_outside_of_git_belongs_to_it(plain: Path, command: tuple[str, ...]) -> None:
    for where, name in ((plain, "sub/two.py"), (plain / "sub", "two.py"), (plain.parent, str(plain / "sub/two.py"))):
        done = cairn(*command, name, "--json", cwd=where)
        assert done.returncode == 0, done.stderr
        assert json.loads(done.stdout).get("path", "sub/two.py") == "sub/two.py"


def test_of_codebases_in_each_other_the_one_that_one_stands_in_answers(plain: Path) -> None:
    assert cairn("index", str(plain / "sub")).returncode == 0
    for where, name, path in ((plain, "sub/two.py", "sub/two.py"), (plain / "sub", "two.py", "two.py")):
        assert said("outline", name, cwd=where)["path"] == path


def test_a_file_of_a_codebase_that_is_gone_is_none_of_the_folder_above(plain: Path) -> None:
    plain.rename(plain.with_name("away"))
    done = cairn("read", f"{plain.name}/one.py", cwd=plain.parent)
    assert done.returncode != 0
    assert f"{plain.parent} is not indexed" not in done.stderr
    assert str(plain) in done.stderr


def test_a_terminal_is_shown_escapes_and_a_pipe_gets_them(indexed: Repo) -> None:
    hostile = "a = 1\t# \x1b]0;owned\x07\u202e\nb = 2\n"
    indexed.write("src/hostile.py", hostile)
    command = (sys.executable, "-m", "cairn", "read", "src/hostile.py")
    piped = subprocess.run(command, cwd=indexed.path, capture_output=True, check=True)
    assert piped.stdout.decode() == hostile
    ours, theirs = pty.openpty()
    with os.fdopen(ours, "rb", buffering=0) as screen:
        with os.fdopen(theirs, "wb") as terminal:
            assert subprocess.run(command, cwd=indexed.path, stdout=terminal, check=False).returncode == 0
        seen = screen.read(10_000).decode().replace("\r\n", "\n")
    assert seen.expandtabs() == "a = 1\t# \\x1b]0;owned\\x07\\u202e\nb = 2\n".expandtabs()


def test_a_file_outside_of_the_codebase_is_told_as_such(indexed: Repo, folder: Path) -> None:
    done = cairn("outline", "../../../../../etc/passwd", cwd=indexed.path)
    assert done.returncode == 2
    assert f"lies outside of the codebase {indexed.path}" in done.stderr


def test_a_home_that_can_not_be_made_is_named(indexed: Repo) -> None:
    done = cairn("search", "line", cwd=indexed.path, CAIRN_HOME="/proc/x")
    assert done.returncode == 70
    assert "/proc/x can't be made" in done.stderr
    assert "CAIRN_HOME" in done.stderr


def test_several_files_are_read_at_once_each_under_its_name(indexed: Repo) -> None:
    done = cairn("read", "src/a.py:2-3", "missing.py", "src/a.py:5", "--numbers", cwd=indexed.path)
    assert done.returncode == 3
    assert "There is no file missing.py" in done.stderr
    assert done.stdout == (
        "==> src/a.py:2-3 <==\n2\tline_1 = 1\n3\tline_2 = 2\n==> missing.py <==\n==> src/a.py:5 <==\n5\tline_4 = 4\n"
    )
    done = cairn("read", "src/a.py:2-3", "src/a.py:5", "--json", cwd=indexed.path)
    assert [json.loads(line)["text"] for line in done.stdout.splitlines()] == [
        "line_1 = 1\nline_2 = 2\n",
        "line_4 = 4\n",
    ]
    refused = cairn("read", "src/a.py", "wide.py", "--start-line", "2", cwd=indexed.path)
    assert (refused.returncode, "Give lines like" in refused.stderr) == (2, True)
