"""`cairn symbol`, `refs`, `callers`, `outline`, `map`, `imports`, `impact`, `slice`: as a user meets them."""

import argparse
import fcntl
import json
import os
import pty
import re
import signal
import struct
import subprocess
import sys
import termios
from pathlib import Path
from typing import Any

import pytest

from cairn.questions.code import QUESTIONS as ABOUT_CODE
from cairn.questions.parameters import checked
from cairn.surfaces.cli.asked import Questions
from cairn.surfaces.cli.parser import Parser
from tests.codebase.test_insight import CLOCK, LEASE, TEST
from tests.surfaces.cli.test_drawing import read_dot, read_mermaid, shown_in_dot, shown_in_mermaid
from tests.surfaces.cli.test_main import assert_one_sentence_and_a_hint, error_of
from tests.surfaces.cli.test_store import run
from tests.trees import Repo, as_everywhere, cairn, write

COMMANDS = {
    "symbol": ("symbol", "Lease"),
    "refs": ("refs", "Lease"),
    "callers": ("callers", "now", "--depth", "3"),
    "callees": ("callees", "take_over", "--depth", "3"),
    "implementors": ("implementors", "Lease"),
    "overrides": ("overrides", "Lease.release"),
    "hierarchy": ("hierarchy", "Lease"),
    "outline": ("outline", "src/lease.py"),
    "map": ("map",),
    "imports": ("imports", "src/lease.py"),
    "cycles": ("cycles",),
    "impact": ("impact", "src/clock.py"),
    "slice": ("slice", "src/lease.py:9", "epoch"),
}
PICTURES = ("callers", "callees", "imports", "impact")
EACH = pytest.mark.parametrize("command", COMMANDS.values(), ids=COMMANDS)
ENVELOPE = {
    "schema_version",
    "request_id",
    "store_id",
    "snapshot_id",
    "config_fingerprint",
    "ignore_fingerprint",
    "git",
    "degraded",
    "freshness",
    "warnings",
    "notices",
    "limits_hit",
    "timings_ms",
}
ESCAPE = "\x1b[31m"


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


def written(repo: Repo) -> Repo:
    repo.write("src/lease.py", LEASE)
    repo.write("src/clock.py", CLOCK)
    repo.write("tests/test_lease.py", TEST)
    repo.commit()
    return repo


@pytest.fixture
def tree(repo: Repo, monkeypatch: pytest.MonkeyPatch) -> Repo:
    """A repository that isn't indexed yet, with the user standing in it."""
    monkeypatch.chdir(repo.path)
    return written(repo)


@pytest.fixture
def indexed(tree: Repo) -> Repo:
    assert run("index").returncode == 0
    return tree


@pytest.fixture(scope="module")
def indexed_once(tmp_path_factory: pytest.TempPathFactory) -> tuple[Repo, str]:
    folder = tmp_path_factory.mktemp("once").resolve()
    repo, home = written(Repo.create(folder / "repo")), str(folder / ".cairn")
    assert run("index", str(repo.path), CAIRN_HOME=home, CAIRN_EMBED_PROVIDER="hashing").returncode == 0
    return repo, home


@pytest.fixture
def known(indexed_once: tuple[Repo, str], monkeypatch: pytest.MonkeyPatch) -> Repo:
    """What `indexed` is, made once, for tests that change nothing."""
    repo, home = indexed_once
    monkeypatch.setenv("CAIRN_HOME", home)
    monkeypatch.chdir(repo.path)
    return repo


def asked(*arguments: str, **environment: str) -> Any:
    done = run(*arguments, "--json", **environment)
    assert done.returncode in (0, 1), done
    assert done.stdout.isascii()
    assert done.stderr == ""
    return as_everywhere(json.loads(done.stdout))


def said(*arguments: str) -> list[str]:
    done = run(*arguments)
    assert done.returncode in (0, 1), done
    return done.stdout.splitlines()


def on_terminal(*arguments: str, columns: int = 80, **environment: str) -> list[str]:
    """What a terminal of some width gets, line by line."""
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    variables = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "COLUMNS")}
    with subprocess.Popen(
        (sys.executable, "-m", "cairn", *arguments),
        stdout=theirs,
        stderr=theirs,
        stdin=subprocess.DEVNULL,
        env=variables | {"TERM": "xterm"} | environment,
    ) as child:
        os.close(theirs)
        told = b""
        while True:
            try:
                more = os.read(ours, 65_536)
            except OSError:
                break
            if not more:
                break
            told += more
    os.close(ours)
    assert child.returncode in (0, 1), told
    return told.decode().splitlines()


def plain(line: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


@EACH
def test_what_is_not_indexed_is_said_with_the_command_that_mends_it(tree: Repo, command: tuple[str, ...]) -> None:
    done = run(*command)
    assert (done.returncode, done.stdout) == (3, "")
    assert_one_sentence_and_a_hint(done.stderr)
    assert "Run `cairn index` first." in done.stderr
    done = run(*command, "--json")
    assert done.returncode == 3
    assert error_of(done.stdout)["code"] == "not_indexed"


@pytest.mark.requirement("SRCH.1")
@EACH
def test_json_says_what_the_answer_rests_on(known: Repo, command: tuple[str, ...]) -> None:
    document = asked(*command)
    assert set(document) > ENVELOPE
    assert document["schema_version"] == 2
    assert document["freshness"] == {"synced": True, "checked": "tree", "moved": False}
    assert document["git"]["head"] == known.git("rev-parse", "HEAD").strip()
    assert (document["warnings"], document["limits_hit"], document["degraded"]) == ([], [], False)
    assert asked(*command, "--no-sync")["freshness"]["synced"] is False


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
@EACH
def test_one_snapshot_and_one_question_give_one_document(known: Repo, command: tuple[str, ...]) -> None:
    """Sets and hashes have no say in it: two processes with different seeds tell the same."""

    def told(seed: str) -> str:
        done = cairn(*command, "--json", "--no-sync", cwd=known.path, PYTHONHASHSEED=seed)
        assert done.returncode in (0, 1)
        document = json.loads(done.stdout)
        del document["request_id"], document["timings_ms"]
        return json.dumps(document)

    assert told("1") == told("2")


@EACH
def test_the_text_ends_with_a_footer_that_stays_out_of_a_pipe(known: Repo, command: tuple[str, ...]) -> None:
    done = run(*command)
    assert "snapshot" not in done.stdout
    (footer,) = done.stderr.splitlines()
    assert asked(*command)["snapshot_id"] in footer
    assert "the tree was just synced" in footer
    assert footer.endswith(" ms")
    assert "not synced" in run(*command, "--no-sync").stderr


@EACH
def test_help_has_an_example_that_works(known: Repo, command: tuple[str, ...]) -> None:
    done = run(command[0], "--help")
    assert done.returncode == 0
    assert f"Example: cairn {command[0]}" in done.stdout
    for option in ("--json", "--no-sync", "--shared-store"):
        assert option in done.stdout
    assert all(len(line) <= 80 for line in done.stdout.splitlines())


def test_the_help_of_all_groups_the_commands() -> None:
    text = run("--help").stdout
    parts = re.split(r"^(\S.*):$", text, flags=re.MULTILINE)
    groups = {
        title: re.findall(r"^  ([\w-]+)  ", body, re.MULTILINE)
        for title, body in zip(parts[1::2], parts[2::2], strict=True)
    }
    code = next(names for names in groups.values() if "symbol" in names)
    # They tell of other files than those that are asked about.
    assert [name for name in code if name not in ("tests", "unused", "commits", "history")] == list(COMMANDS)
    assert ["index", "search", "grep", "open", "pick"] in groups.values()
    assert any("repair" in names for names in groups.values())
    assert "--version" in text
    assert all(len(line) <= 80 for line in text.splitlines())


@pytest.mark.slow
@EACH
def test_a_sub_folder_is_no_other_place(known: Repo, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]) -> None:
    """A file may be named from where one stands, from the root on, or from the root of everything."""
    here = asked(*command)
    monkeypatch.chdir(known.path / "src")
    absolute = tuple(re.sub(r"^src/", f"{known.path}/src/", word) for word in command)
    relative = tuple(re.sub(r"^src/", "", word) for word in command)
    for words in (command, absolute, relative):
        there = asked(*words)
        for document in (here, there):
            document.pop("request_id", None)
            document.pop("timings_ms", None)
        assert there == here


@pytest.mark.slow
def test_a_path_through_a_link_is_the_same_file(indexed: Repo, tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(indexed.path)
    assert asked("outline", str(tmp_path / "link/src/lease.py"))["path"] == "src/lease.py"
    assert asked("refs", f"{tmp_path}/link/src/lease.py:5")["total"] == 3


@pytest.mark.slow
def test_a_link_to_a_file_is_answered_by_its_real_path(indexed: Repo) -> None:
    (indexed.path / "src/alias.py").symlink_to("lease.py")
    assert asked("outline", "src/alias.py")["path"] == "src/lease.py"


@pytest.mark.parametrize(
    "arguments",
    [
        ("symbol", ""),
        ("symbol", "a" * 10_000),
        ("symbol", "Lease", "--limit", "0"),
        ("refs", "Lease", "--limit", "2001"),
        ("refs", "src/lease.py:0"),
        ("refs", "src/lease.py:9999"),
        ("refs", "src/lease.py:5:0"),
        ("refs", "/etc/passwd:1"),
        ("callers", "now", "--depth", "0"),
        ("callers", "now", "--depth", "11"),
        ("callees", "now", "--nodes", "0"),
        ("callees", "now", "--fan-out", "501"),
        ("callees", "now", "--notes", "-1"),
        ("callers", "now", "--dot", "--mermaid"),
        ("outline", "src"),
        ("outline", ""),
        ("outline", "src/lease.py", "--budget", "0"),
        ("outline", "src/lease.py", "--budget", "9", "--symbol", "Lease"),
        ("outline", "src/lease.py", "--dot"),
        ("map", "--budget", "-1"),
        ("map", "nowhere"),
        ("imports", ""),
        ("impact", "--depth", "0"),
        ("impact", "--since", "nope"),
        ("impact", "--since=--output=x"),
        ("impact", "--since", ""),
        ("slice", "src/lease.py", "epoch"),
        ("slice", "src/lease.py:0", "epoch"),
        ("slice", "src/lease.py:99", "epoch"),
        ("slice", "src/lease.py:9", " "),
    ],
    ids=lambda words: " ".join(words)[:40],
)
def test_what_makes_no_sense_is_one_sentence_and_a_hint(known: Repo, arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert (done.returncode, done.stdout) == (2, ""), done
    assert_one_sentence_and_a_hint(done.stderr)
    if "--dot" not in arguments:
        assert run(*arguments, "--json").returncode == 2
    assert not (known.path / "x").exists()


@pytest.mark.parametrize(
    "arguments",
    [("symbol", "x", "--limit", "0"), ("map", "--budget", "0"), ("callers", "x", "--depth", "11"), ("slice", "x", "y")],
    ids=lambda words: words[0],
)
def test_options_are_looked_at_before_any_work(tree: Repo, arguments: tuple[str, ...]) -> None:
    assert run(*arguments).returncode == 2


def test_a_picture_and_json_exclude_each_other(known: Repo) -> None:
    done = run("callers", "now", "--json", "--dot")
    assert done.returncode == 2
    assert "exclude each other" in error_of(done.stdout)["message"]


@pytest.mark.slow
@pytest.mark.parametrize("command", [each for name, each in COMMANDS.items() if name != "cycles"])
def test_a_sync_takes_in_what_is_new_and_without_one_it_is_said(indexed: Repo, command: tuple[str, ...]) -> None:
    indexed.write("src/lease.py", "\n" + LEASE)
    indexed.write("src/clock.py", "\n" + CLOCK)
    old = asked(*command, "--no-sync")
    assert old["freshness"]["moved"] is True
    assert any("changed since the snapshot" in warning for warning in old["warnings"])
    assert "true" in re.findall(r'"changed_since": (\w+)', json.dumps(old))
    done = run(*command, "--no-sync")
    assert "warning: " in done.stderr
    new = asked(*command)
    assert new["snapshot_id"] != old["snapshot_id"]
    assert "true" not in re.findall(r'"changed_since": (\w+)', json.dumps(new))


@pytest.mark.slow
@pytest.mark.parametrize(
    "command",
    [
        ("outline", "src/new.py"),
        ("imports", "src/new.py"),
        ("slice", "src/new.py:1", "x"),
        ("refs", "src/new.py:1"),
    ],
    ids=lambda words: words[0],
)
def test_a_file_that_is_too_new_is_said_and_a_sync_mends_it(indexed: Repo, command: tuple[str, ...]) -> None:
    indexed.write("src/new.py", "def fresh():\n    pass\n")
    done = run(*command, "--no-sync")
    assert done.returncode == 3
    assert "is not in the snapshot: it is newer, or left out" in done.stderr
    assert "cairn index" in done.stderr
    assert run(*command).returncode in (0, 1)


@pytest.mark.slow
@pytest.mark.requirement("IDX.MUST.001")
def test_a_deleted_file_is_said_before_and_after_a_sync(indexed: Repo) -> None:
    (indexed.path / "src/lease.py").unlink()
    for command in (("outline", "src/lease.py"), ("imports", "src/lease.py"), ("refs", "src/lease.py:5")):
        before = run(*command, "--no-sync")
        assert (before.returncode, "is gone since the snapshot" in before.stderr) == (3, True)
    told = asked("symbol", "Lease", "--no-sync")
    assert told["results"] == []
    assert told["warnings"] == ["1 file left out: gone since the snapshot"]
    after = run("outline", "src/lease.py")
    assert (after.returncode, "There is no file src/lease.py" in after.stderr) == (3, True)
    assert asked("symbol", "Lease")["results"] == []


def test_a_file_in_a_folder_that_is_gone_is_one_of_this_codebase(known: Repo) -> None:
    done = run("outline", "gone/away/x.py")
    assert (done.returncode, "There is no file gone/away/x.py" in done.stderr) == (3, True)


@pytest.mark.slow
def test_a_shared_store_is_asked_by_every_command(tree: Repo, tmp_path: Path) -> None:
    store = str(tmp_path / "shared")
    assert run("index", "--shared-store", store).returncode == 0
    for command in COMMANDS.values():
        assert run(*command).returncode == 3
        assert run(*command, "--shared-store", store).returncode in (0, 1)
        assert run(*command, CAIRN_SHARED_STORE=store).returncode in (0, 1)


def test_definitions_are_told_in_full(known: Repo) -> None:
    told = asked("symbol", "Lease.release")
    (result,) = told["results"]
    assert re.fullmatch(r"sym_[0-9a-f]{20}", result.pop("id"))
    assert result == {
        "path": "src/lease.py",
        "line": 8,
        "start_line": 8,
        "end_line": 12,
        "name": "release",
        "qualified_name": "Lease.release",
        "kind": "method",
        "signature": "def release(self, force=False)",
        "container": "Lease",
        "exported": True,
        "doc": result["doc"],
        "layer": "syntactic",
        "places": [],
        "changed_since": False,
    }
    assert said("symbol", "Lease") == ["src/lease.py:5  Lease  class", "    class Lease", "    Held by one writer."]


@pytest.mark.slow
def test_a_name_that_nothing_bears_is_an_answer(known: Repo) -> None:
    for command in ("symbol", "refs", "callers"):
        (line,) = said(command, "nope")
        assert line == "nothing is called nope here; `cairn search --literal` finds lines that hold it"
        (line,) = said(command, "src/lease.py:16:1")
        assert line == "nothing that is defined here is named at src/lease.py:16:1"
    assert said("slice", "src/lease.py:9", "nope") == ["no function around that line holds nope"]
    assert asked("slice", "src/lease.py:9", "nope")["status"] == "not_found"
    assert (asked("symbol", "nope")["total"], asked("refs", "nope")["total"]) == (0, 0)


@pytest.mark.slow
def test_other_spellings_are_named_and_not_mixed_in(indexed: Repo) -> None:
    indexed.write("src/low.py", "def lease():\n    pass\n")
    assert said("symbol", "Lease")[-1] == "written otherwise: lease (1)"
    assert asked("symbol", "Lease")["otherwise"] == {"lease": 1}


def test_uses_are_told_by_file_with_role_and_tier(known: Repo) -> None:
    assert said("refs", "Lease") == [
        "src/lease.py:5  Lease  defined here",
        "src/lease.py",
        "    15  proven  type    def take_over(lease: Lease):  in take_over",
        "tests/test_lease.py",
        "     1  proven  import  from src.lease import Lease, take_over",
        "     5  proven  call    assert take_over(Lease())  in test_release",
    ]
    told = asked("refs", "Lease")
    assert (told["total"], told["tiers"], told["unresolved"]) == (3, {"proven": 3}, 0)
    assert told["results"][0] == {
        "path": "src/lease.py",
        "line": 15,
        "column": 22,
        "name": "Lease",
        "role": "type",
        "within": "take_over",
        "tier": "proven",
        "dispatch": False,
        "layer": "syntactic",
        "target": "src/lease.py:5",
        "text": "def take_over(lease: Lease):",
        "changed_since": False,
    }


def test_uses_beyond_the_limit_are_counted(known: Repo) -> None:
    told = asked("refs", "Lease", "-k", "1")
    assert (len(told["results"]), told["total"], told["limits_hit"]) == (1, 3, ["places"])
    assert "--limit" in told["warnings"][0]
    done = run("refs", "Lease", "-k", "1")
    assert "3 uses (3 proven)" in done.stderr
    assert "cut short: places" in done.stderr


@pytest.mark.slow
def test_many_definitions_don_t_hide_the_uses(indexed: Repo) -> None:
    for at in range(15):
        indexed.write(f"src/d{at:02}.py", "def same():\n    pass\n\n\nsame()\n")
    lines = said("refs", "same")
    assert sum("defined here" in line for line in lines) == 10
    assert "and 5 more definitions: see `cairn symbol`" in lines
    assert len(asked("refs", "same")["definitions"]) == 15


@pytest.mark.slow
@pytest.mark.requirement("CGN.1")
def test_calls_are_a_tree(indexed: Repo) -> None:
    indexed.write(
        "src/dark.py",
        "from src.lease import Lease\n\n\ndef dark(thing, lease):\n    thing.gleam()\n    thing.gleam()\n",
    )
    assert said("callers", "now", "--depth", "3")[:4] == [
        "now                    src/clock.py:4",
        "└─ Lease.release       src/lease.py:8  at 9",
        "   └─ take_over        src/lease.py:15  at 16",
        "      └─ test_release  tests/test_lease.py:4  at 5",
    ]
    told = asked("callers", "now", "--depth", "3")
    assert [node["name"] for node in told["nodes"]] == ["now", "Lease.release", "take_over", "test_release"]
    first = told["edges"][0]
    assert (first["tier"], first["lines"], first["count"]) == ("proven", [9], 1)
    assert told["roots"] == [told["nodes"][0]["id"]]
    assert told["direction"] == "callers"
    dark = asked("callees", "dark", "--notes", "0")
    assert (dark["notes"], dark["notes_truncated"], dark["total_note_count"], dark["returned_note_count"]) == (
        [],
        True,
        1,
        0,
    )
    assert dark["warnings"] == ["CALL_GRAPH_NOTES_TRUNCATED"]
    (note,) = asked("callees", "dark")["notes"]
    assert note["file"] == "src/dark.py"
    assert (note["type"], note["start_line"], note["symbol_id"]) == ("unresolved_call", 5, dark["roots"][0])
    assert said("callees", "dark")[-2:] == [
        "no callees are known",
        "note: src/dark.py:5: not resolved, gleam is called 2 times",
    ]


@pytest.mark.slow
def test_a_name_that_very_many_bear_is_drawn_as_far_as_it_may_be(indexed: Repo) -> None:
    same = "    def same(self):\n        return self.same()\n"
    indexed.write("src/many.py", "".join(f"class C{at}:\n{same}\n\n" for at in range(120)))
    done = run("callers", "same")
    assert (done.returncode, len(done.stdout.splitlines())) == (0, 250)
    assert "cut short: nodes" in done.stderr
    told = asked("callers", "same")
    assert told["roots"] == [node["id"] for node in told["nodes"]]
    assert (asked("symbol", "same")["total"], len(asked("symbol", "same")["results"])) == (120, 50)


@pytest.mark.slow
def test_recursion_is_drawn_once(indexed: Repo) -> None:
    indexed.write("src/round.py", "def ping():\n    pong()\n\n\ndef pong():\n    ping()\n    pong()\n")
    assert said("callees", "ping", "--depth", "3")[:4] == [
        "ping        src/round.py:1",
        "└─ pong     src/round.py:5  at 2",
        "   ├─ ping  src/round.py:1  at 6  (see above)",
        "   └─ pong  src/round.py:5  at 7  (see above)",
    ]


@pytest.mark.slow
def test_an_outline_is_a_tree_and_one_symbol_of_it(indexed: Repo) -> None:
    assert said("outline", "src/lease.py") == [
        "src/lease.py",
        "   5-12  class Lease",
        "   8-12    def release(self, force=False)",
        "  15-16  def take_over(lease: Lease)",
    ]
    told = asked("outline", "src/lease.py")
    top, inner, _ = told["symbols"]
    assert (inner["parent"], inner["depth"], top["parent"]) == (top["id"], 1, None)
    for wanted in (inner["id"], "Lease.release", "release", "def release(self, force=False)"):
        (one,) = asked("outline", "src/lease.py", "--symbol", wanted)["symbols"]
        assert one["name"] == "release"
    missing = asked("outline", "src/lease.py", "--symbol", "Lease.relese")
    assert (missing["status"], missing["suggestions"]) == ("not_found", ["Lease.release", "Lease"])
    assert said("outline", "src/lease.py", "--symbol", "Lease.relese")[1] == (
        "  nothing is called Lease.relese here; did you mean Lease.release or Lease?"
    )
    indexed.write("src/empty.py", "1\n")
    assert said("outline", "src/empty.py") == ["src/empty.py", "  nothing is defined here"]
    indexed.write("src/twice.py", "def same():\n    pass\n\n\ndef same():\n    pass\n")
    assert asked("outline", "src/twice.py", "--symbol", "same")["status"] == "ambiguous"


@pytest.mark.requirement("BUDGET.1")
def test_a_budget_says_what_it_left_out_and_how_to_get_it(known: Repo) -> None:
    told = asked("outline", "src/lease.py", "--budget", "8")
    assert told["limits_hit"] == ["budget"]
    assert told["left_out"] == 3 - len(told["symbols"]) > 0
    assert f"--budget {told['full_tokens']} shows all" in run("outline", "src/lease.py", "--budget", "8").stderr
    assert asked("outline", "src/lease.py", "--budget", str(told["full_tokens"]))["left_out"] == 0
    small = asked("map", "--budget", "40")
    assert small["limits_hit"] == ["budget"]
    assert small["tokens"] <= 40
    assert asked("map", "--budget", str(small["full_tokens"]))["limits_hit"] == []
    tiny = asked("map", "--budget", "1")
    assert (tiny["text"], tiny["warnings"]) == (
        "",
        [f"the map is cut to its budget: --budget {tiny['full_tokens']} shows all"],
    )


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
def test_a_map_tells_what_the_repository_is_made_of(indexed: Repo) -> None:
    indexed.write("src/__main__.py", "def main():\n    pass\n")
    indexed.write("src/__init__.py", "def offered():\n    pass\n")
    told = asked("map")
    assert [each["language"] for each in told["languages"]] == ["python"]
    assert {"path": "src", "files": 4, "lines": 29, "language": "python"}.keys() == told["folders"][0].keys()
    assert [each["path"] for each in told["entry_points"]] == ["src/__main__.py"]
    assert [each["path"] for each in told["tests"]] == ["tests"]
    assert told["public_api"] == [{"path": "src/__init__.py", "names": ["offered"]}]
    assert "src/clock.py" in {each["path"] for each in told["hubs"]}
    assert told["text"].rstrip("\n").split("\n") == said("map")


def test_imports_go_both_ways(known: Repo) -> None:
    assert said("imports", "src/lease.py") == [
        "src/lease.py",
        "     2  src.clock  src/clock.py",
        "imported by 1 file",
        "  tests/test_lease.py:1",
    ]
    told = asked("imports", "src/clock.py")
    assert told["outgoing"] == [
        {"source": "time", "line": 1, "names": told["outgoing"][0]["names"], "paths": [], "tier": ""}
    ]
    assert told["incoming"] == [{"path": "src/lease.py", "line": 2, "tier": "proven", "changed_since": False}]
    assert told["unresolved"] == 1
    assert said("imports", "src/clock.py")[1] == "     1  time  outside or unknown"


@pytest.mark.slow
@pytest.mark.requirement("IMPACT.1")
def test_a_change_is_followed_to_the_tests(indexed: Repo) -> None:
    indexed.write("src/clock.py", CLOCK.replace("time.time()", "0"))
    assert said("impact") == [
        "changed symbols (1)",
        "  src/clock.py:4  now  modified",
        "used by (3)",
        "  src/lease.py:8         Lease.release  call",
        "  src/lease.py:15        take_over  call, 2 steps away",
        "  tests/test_lease.py:4  test_release  call, 3 steps away",
        "files that import them (2)",
        "  src/lease.py",
        "  tests/test_lease.py  2 steps away",
        "tests that reach them (1)",
        "  tests/test_lease.py  reaches it through 2 uses, by take_over",
    ]
    told = asked("impact", "--depth", "2", "--since", "main")
    assert told["changed_files"] == ["src/clock.py"]
    (test,) = told["tests"]
    assert (test["path"], test["distance"], test["tier"], test["how"]) == (
        "tests/test_lease.py",
        2,
        "likely",
        "imports",
    )
    assert [test["how"] for test in asked("impact")["tests"]] == ["uses"]
    assert asked("impact", "src/lease.py", "--since", "HEAD")["changed_files"] == []


def test_nothing_changed_is_said(known: Repo) -> None:
    assert said("impact") == ["nothing that is indexed differs"]


@pytest.mark.slow
def test_a_change_is_reported_to_code_hosts(indexed: Repo) -> None:
    indexed.write("src/clock.py", CLOCK.replace("def now", "def then"))
    assert "- `Lease.release` at `src/lease.py:8` uses `now`" in said("impact", "--format", "markdown")
    log = json.loads("\n".join(said("impact", "--format", "sarif")))
    assert "removed-still-used" in {each["ruleId"] for each in log["runs"][0]["results"]}


@pytest.mark.slow
def test_a_change_outside_of_definitions_is_not_passed_over(indexed: Repo) -> None:
    indexed.write("src/clock.py", "import os\n" + CLOCK)
    indexed.write("NOTES.md", "Words.\n")
    lines = said("impact")
    assert "  src/clock.py:1  outside of definitions  modified" in lines
    assert lines[lines.index("other changed files (1)") + 1] == "  NOTES.md"


@pytest.mark.slow
@pytest.mark.parametrize(("calls", "told"), [(1, "once"), (2, "2 times")])
def test_what_was_removed_and_is_still_called_is_said(indexed: Repo, calls: int, told: str) -> None:
    indexed.write("src/user.py", "from src import clock\n\n\ndef use():\n" + "    clock.now()\n" * calls)
    indexed.commit()
    indexed.write("src/clock.py", "import time\n")
    indexed.git("rm", "-q", "src/lease.py")
    lines = said("impact")
    assert f"  src/clock.py  now  removed, still used {told}" in lines
    assert ["src/user.py:4", "use", "call,", "removed,", "still", "used"] in [line.split() for line in lines]
    (caller,) = [each for each in asked("impact")["users"] if each["path"] == "src/user.py"]
    assert (caller["tier"], caller["reason"]) == ("proven", "removed, still used")
    assert lines[lines.index("files that are gone (1)") + 1] == "  src/lease.py"


@pytest.mark.slow
def test_impact_from_elsewhere_needs_the_root_or_a_file(
    indexed: Repo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run("impact").returncode == 3
    assert asked("impact", "--root", str(indexed.path))["changed_files"] == []
    assert asked("impact", str(indexed.path / "src/clock.py"))["changed_files"] == ["src/clock.py"]


@pytest.mark.requirement("MOD.4")
def test_a_slice_is_told_line_by_line(known: Repo) -> None:
    assert said("slice", "src/lease.py:9", "epoch") == [
        "src/lease.py:8-12  Lease.release",
        "     9  definition  epoch = now()",
        "    11  write       epoch = epoch + 1",
        "    11  read        epoch = epoch + 1  from 9",
        "    12  read        return epoch  from 9, 11",
    ]
    told = asked("slice", "src/lease.py:9", "epoch")
    assert (told["path"], told["name"], told["status"], told["function"]) == (
        "src/lease.py",
        "epoch",
        "ok",
        "Lease.release",
    )
    assert told["steps"][-1] == {"line": 12, "column": 16, "kind": "read", "text": "return epoch", "from": [9, 11]}


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_hold_what_json_holds_and_name_their_snapshot(known: Repo, name: str) -> None:
    command = COMMANDS[name]
    told = asked(*command)
    as_dot, as_mermaid = run(*command, "--dot"), run(*command, "--mermaid", "--no-sync")
    comments, labels, arrows = read_dot(as_dot.stdout)
    assert comments == [f" snapshot {told['snapshot_id']}, the tree was just synced"]
    remarks, drawn, lines = read_mermaid(as_mermaid.stdout.rstrip("\n"))
    assert remarks == [f"snapshot {told['snapshot_id']}, not synced"]
    assert list(map(shown_in_dot, labels.values())) == list(map(shown_in_mermaid, drawn.values()))
    assert len(arrows) == len(lines) > 0
    assert (as_dot.stderr, as_mermaid.stderr) == ("", "")
    if name in ("callers", "callees"):
        assert list(labels) == [node["id"] for node in told["nodes"]]
        assert [arrow[:2] for arrow in arrows] == [(edge["source"], edge["target"]) for edge in told["edges"]]


def test_a_picture_that_is_stale_or_cut_says_so_beside_it(indexed: Repo) -> None:
    indexed.write("src/clock.py", CLOCK + "\n")
    done = run("callers", "now", "--dot", "--no-sync", "--depth", "3", "--nodes", "2")
    assert "warning: 1 cited file changed since the snapshot" in done.stderr
    assert "cut short: nodes" in done.stderr
    read_dot(done.stdout)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.5")
def test_nothing_from_a_repository_acts_on_the_terminal(indexed: Repo) -> None:
    evil = f'e{ESCAPE}"\\\u202e.py'
    write(indexed.path, f"src/{evil}", f'def evil(x="{ESCAPE}", y="\u202e\x9b"):  # {ESCAPE}\n    evil("{ESCAPE}")\n')
    place = f"src/{evil}"
    for command in (
        ("symbol", "evil"),
        ("symbol", f"no{ESCAPE}"),
        ("refs", "evil"),
        ("callers", "evil"),
        ("outline", place),
        ("outline", place, "--symbol", "evi"),
        ("map",),
        ("imports", place),
        ("impact", place),
        ("impact",),
        ("slice", f"{place}:1", "x"),
        ("slice", f"{place}:1", f"x{ESCAPE}"),
        ("outline", f"no{ESCAPE}\u202e.py"),
        ("impact", f"--since={ESCAPE}"),
        ("slice", f"{ESCAPE}", "x"),
        ("callers", "evil", "--dot"),
        ("callers", "evil", "--mermaid"),
        ("imports", place, "--dot"),
        ("imports", place, "--mermaid"),
    ):
        for form in ((), ("--json",)):
            if form and {"--dot", "--mermaid"} & set(command):
                continue
            done = run(*command, *form)
            assert done.returncode in (0, 1, 2, 3), done
            shown = (done.stdout + done.stderr).replace("\n", "")
            assert not re.search("[\x00-\x1f\x7f-\x9f\u202e]", shown), command
    assert shown_in_dot(next(iter(read_dot(run("callers", "evil", "--dot").stdout)[1].values()))).startswith(
        "evil\nsrc/e\\x1b"
    )


@pytest.mark.slow
@EACH
def test_a_terminal_gets_colours_and_lines_that_fit(indexed: Repo, command: tuple[str, ...]) -> None:
    long = (
        "def "
        + "long" * 30
        + "("
        + ", ".join(f"argument_{at}" for at in range(30))
        + "):\n    now()\n    return take_over\n"
    )
    indexed.write("src/lease.py", LEASE + "\n\n" + long)
    assert run("index").returncode == 0
    lines = on_terminal(*command, "--no-sync")
    assert all(len(plain(line)) <= 80 for line in lines[:-1] if "long" not in line or "…" in line)
    assert "\x1b[" in "".join(lines)
    assert "snapshot" in plain(lines[-1])
    without = on_terminal(*command, "--no-sync", NO_COLOR="1")
    assert "\x1b" not in "".join(without)
    assert [plain(line) for line in lines[:-1]] == without[:-1]


@pytest.mark.slow
def test_a_long_signature_is_cut_where_it_is_seen_and_whole_in_json(indexed: Repo) -> None:
    head = "def " + "long" + "(" + ", ".join(f"argument_{at}" for at in range(15)) + ")"
    indexed.write("src/long.py", head + ":\n    pass\n")
    assert asked("symbol", "long")["results"][0]["signature"] == head
    (_, shown) = said("symbol", "long")
    assert (len(shown), shown[-1]) == (120, "…")
    assert len(plain(on_terminal("symbol", "long", "--no-sync", columns=60)[1])) == 60


@pytest.mark.slow
def test_long_lists_are_cut_on_a_screen_alone(indexed: Repo) -> None:
    indexed.write("src/wide.py", "".join(f"def wide_{at}():\n    pass\n\n\n" for at in range(30)))
    assert run("index").returncode == 0
    on_screen = list(map(plain, on_terminal("impact", "--no-sync")))
    assert on_screen[0] == "changed symbols (30)"
    assert on_screen[21] == "  and 10 more: --json has all of them"
    assert len(said("impact")) == 31
    assert len(asked("impact")["symbols"]) == 30


@pytest.mark.slow
def test_a_reader_that_has_seen_enough_is_no_error(indexed: Repo) -> None:
    indexed.write("src/wide.py", "".join(f"def wide_{at}():\n    pass\n\n\n" for at in range(3_000)))
    assert run("index").returncode == 0
    for form in ("", "--json"):
        line = f"{sys.executable} -m cairn outline src/wide.py --no-sync {form} | head -c 10; exit ${{PIPESTATUS[0]}}"
        done = subprocess.run(["bash", "-c", line], cwd=indexed.path, capture_output=True, text=True, check=False)
        assert done.returncode == 0
        assert "Traceback" not in done.stderr


@pytest.mark.slow
def test_an_interrupt_is_said_and_has_its_exit_code(indexed: Repo) -> None:
    """The question is stopped where it waits: at a git that doesn't answer."""
    folder = indexed.path.parent / "bin"
    ready = indexed.path.parent / "ready"
    os.mkfifo(ready)
    write(
        folder,
        "git",
        f'#!/bin/sh\ncase "$*" in *" diff "*) echo > {ready}; exec sleep 60;; esac\nexec {_real_git()} "$@"\n',
    )
    (folder / "git").chmod(0o755)
    with subprocess.Popen(
        (sys.executable, "-m", "cairn", "impact", "--no-sync"),
        cwd=indexed.path,
        env=os.environ | {"PATH": f"{folder}:{os.environ['PATH']}"},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # A runner in the background may ignore SIGINT, which children would inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    ) as child:
        ready.read_text()
        child.send_signal(signal.SIGINT)
        out, err = child.communicate(timeout=60)
    assert (child.returncode, out) == (12, "")
    assert "interrupted" in err


def _real_git() -> str:
    return subprocess.run(("which", "git"), capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.slow
def test_a_question_for_a_name_loads_no_parser_and_no_writer(known: Repo) -> None:
    heavy = {"tantivy", "tree_sitter", "cairn.store.publish", "cairn.indexing", "cairn.codebase.differences"}
    code = (
        "import sys; from cairn.program.start import main; main(['symbol', 'Lease', '--no-sync']);"
        f"print('loaded:', *sorted({heavy!r} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=known.path, capture_output=True, text=True, check=True)
    assert done.stdout.splitlines()[-1] == "loaded:"


def test_callers_and_callees_are_shown_at_once(known: Repo) -> None:
    told = json.loads(run("callers", "take_over", "--both", "--json").stdout)
    depths = {node["depth"] for node in told["nodes"]}
    assert told["direction"] == "both"
    assert min(depths) < 0 < max(depths)
    text = run("callees", "take_over", "--both").stdout
    assert text.index("callers:") < text.index("callees:")


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_several_codebases_tell_where_something_is_defined(indexed: Repo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other, "a.py", "class Lease:\n    pass\n")
    run("index", str(other))
    told = json.loads(run("symbol", "Lease", "--root", str(indexed.path), "--root", str(other), "--json").stdout)
    assert {item["root"] for item in told["results"]} == {str(indexed.path), str(other)}
    assert all(item["snapshot_id"] for item in told["results"])
    every = run("symbol", "Lease", "--all").stdout
    assert str(other / "a.py:1") in every
    missing = run("symbol", "Lease", "--root", str(indexed.path), "--root", str(tmp_path), "--json")
    assert "is not indexed" in " ".join(json.loads(missing.stdout)["warnings"])
    assert run("symbol", "Lease", str(other), "--all").returncode == 2
    told = json.loads(run("symbol", "lease", "--root", str(indexed.path), "--root", str(other), "--json").stdout)
    assert {item["root"]: item["snapshot_id"] for item in told["codebases"]} == {
        root: asked("symbol", "Lease", root)["snapshot_id"] for root in (str(indexed.path), str(other))
    }
    done = run("symbol", "take_over", "--root", str(indexed.path), "--root", str(other))
    first, *snapshots = done.stderr.splitlines()
    assert first == "1 definition in 1 codebase"
    assert sorted(snapshots) == sorted(
        f"  {item['root']}  snapshot {item['snapshot_id']}" for item in told["codebases"]
    )
    assert (
        run("refs", "take_over", "--root", str(indexed.path), "--root", str(other)).stderr.splitlines()[1:] == snapshots
    )
    write(other, "low.py", "def lease():\n    pass\n")
    every = run("symbol", "Lease", "--root", str(indexed.path), "--root", str(other)).stdout
    assert every.splitlines()[-1] == "written otherwise: lease (1)"
    assert "low.py" not in every


@pytest.mark.slow
@pytest.mark.parametrize("command", ["symbol", "refs", "callers"])
def test_a_name_of_another_case_is_answered_with_a_word_about_it(indexed: Repo, command: str) -> None:
    indexed.write("src/lock.py", "class LEASE:\n    def release(self):\n        pass\n")
    assert run("index").returncode == 0
    exact = asked(command, "LEASE.release")
    assert [note["code"] for note in exact["notices"]] == {"refs": ["no_uses"], "callers": ["no_callers"]}.get(
        command, []
    )
    assert "src/lease.py" not in json.dumps(exact)
    told = asked(command, "lEASE.release")
    assert told["warnings"] == ["nothing is called lEASE.release here, but Lease.release is"]
    assert "src/lock.py" not in json.dumps(told)
    if command == "symbol":
        assert told["otherwise"] == {"LEASE.release": 1}
        assert exact["otherwise"] == {"Lease.release": 1}


def test_a_file_of_no_codebase_is_said_with_a_hint_that_helps(known: Repo, tmp_path: Path) -> None:
    aside = tmp_path / "not mine"
    write(aside, "x.py", "x = 1\n")
    for command in (("outline", f"{aside}/x.py"), ("slice", f"{aside}/x.py:1", "x")):
        done = run(*command)
        assert done.returncode == 2
        assert f"{known.path}" in done.stderr
        assert "index the folder of that file first" in done.stderr
    done = run("map", str(aside))
    assert done.returncode == 3
    assert f"run `cairn index '{aside}'` first" in done.stderr
    assert "codebase that is indexed" in done.stderr


def test_every_cited_file_that_changed_is_marked_in_the_text(indexed: Repo) -> None:
    indexed.write("src/lease.py", LEASE + "# more\n")
    indexed.write("src/clock.py", CLOCK + "# more\n")
    assert said("refs", "Lease", "--no-sync")[0] == "src/lease.py:5  Lease  defined here  changed since"
    imports = said("imports", "src/clock.py", "--no-sync")
    assert imports[0] == "src/clock.py  changed since"
    assert imports[-1] == "  src/lease.py:2  changed since"
    assert any(line.endswith("src/clock.py  changed since") for line in said("imports", "src/lease.py", "--no-sync"))
    callers = [line for line in said("impact", "src/clock.py", "--no-sync") if "src/lease.py" in line]
    assert callers
    assert all(line.endswith("changed since") for line in callers)


@pytest.mark.slow
def test_of_several_definitions_of_a_file_each_is_named_so_that_one_can_choose(indexed: Repo) -> None:
    indexed.write("src/two.py", "".join(f"class {owner}:\n    def go(self):\n        pass\n\n\n" for owner in "AB"))
    told = asked("outline", "src/two.py", "--symbol", "go")
    assert told["status"] == "ambiguous"
    first, second = (symbol["id"] for symbol in told["symbols"])
    assert said("outline", "src/two.py", "--symbol", "go") == [
        "src/two.py",
        "  go is the name of 2 definitions here: ask for one by its id",
        f"  {first}  A.go  method at 2-3",
        f"  {second}  B.go  method at 7-8",
    ]
    assert said("outline", "src/two.py", "--symbol", second) == ["src/two.py", "  7-8  def go(self)"]
    assert said("outline", "src/two.py", "--symbol", "gone")[1] == (
        "  nothing is called gone here; did you mean B.go or A.go?"
    )
    assert said("outline", "src/two.py", "--symbol", "xyz") == ["src/two.py", "  nothing is called xyz here"]


@pytest.mark.slow
def test_the_surest_uses_are_shown_where_not_all_are(indexed: Repo) -> None:
    vague = "def go(thing):\n    thing.release()\n    thing.release()\n"
    indexed.write("a.py", vague)
    indexed.write("src/lock.py", "class Lock:\n    def release(self):\n        pass\n")
    told = asked("refs", "Lease.release", "--limit", "1")
    assert [(use["path"], use["tier"]) for use in told["results"]] == [("src/lease.py", "proven")]
    assert told["warnings"] == [f"only the surest 1 of {told['total']} uses: use --limit up to 2000"]
    assert asked("refs", "Lease.release")["results"][0]["path"] == "a.py"


def test_an_id_or_a_file_that_names_nothing_has_its_own_hint(known: Repo) -> None:
    (line,) = said("symbol", "sym_0123456789abcdef0123")
    assert line.startswith("nothing here has the id sym_0123456789abcdef0123")
    (line,) = said("symbol", "src/lease.py")
    assert line == "nothing is called src/lease.py here; `cairn outline` shows what a file defines"


@pytest.mark.slow
@pytest.mark.requirement("MAP.1")
def test_a_map_has_room_for_all_with_the_budget_it_names(indexed: Repo) -> None:
    for at in range(30):
        indexed.write(f"src/part_{at}/__init__.py", f"def offer_{at}():\n    pass\n")
        indexed.write(f"tests/part_{at}/test_it.py", "def test_it():\n    pass\n")
    small = asked("map", "--budget", "300")
    assert small["limits_hit"] == ["budget"]
    assert small["head_left_out"] > 0
    full = asked("map", "--budget", str(small["full_tokens"]))
    assert (full["limits_hit"], full["head_left_out"], full["files_left_out"]) == ([], 0, 0)
    for at in range(30):
        assert f"  src/part_{at}/  1 file, 2 lines\n" in full["text"]
        assert f"tests/part_{at}/test_it.py\n" not in full["text"]
        assert f"  src/part_{at}/__init__.py: offer_{at}\n" in full["text"]
    assert " more" not in full["text"]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.5")
def test_a_line_break_in_a_file_name_breaks_no_line(indexed: Repo) -> None:
    indexed.write("src/odd\nname/__init__.py", "from src.clock import now\n\n\ndef odd():\n    now()\n")
    shown = r"src/odd\nname/__init__.py"
    assert [line for line in said("map") if shown in line] == [f"  {shown}: odd, now", shown]
    assert any(shown in line for line in said("callers", "now"))
    for form in ("--dot", "--mermaid"):
        text = run("imports", "src/clock.py", form).stdout
        assert "\nname" not in text


@pytest.mark.slow
def test_one_is_said_as_one(indexed: Repo) -> None:
    indexed.write(
        "src/dim.py",
        "class Dim:\n    def glow(self):\n        pass\n\n\nclass Dark:\n    def glow(self):\n"
        "        pass\n\n\ndef use(thing):\n    thing.glow()\n",
    )
    for command in COMMANDS.values():
        done = run(*command)
        assert not re.search(
            r"\b1 (?:files|lines|definitions|calls|uses|imports|tokens|names|rows|notes|places)\b",
            done.stdout + done.stderr,
        )
    assert any("1 call of the name glow may be others'" in line for line in said("callers", "Dim.glow"))
    lines = said("callers", "Dim.glow", "--notes", "0")
    assert not [line for line in lines if line.startswith("note")]
    assert run("callers", "Dim.glow", "--notes", "0").stderr.splitlines()[:2] == [
        "warning: no caller is proven or likely: 1 call of that name may be one",
        "warning: CALL_GRAPH_NOTES_TRUNCATED: --notes up to 1000 shows more",
    ]


def test_what_the_help_calls_a_default_is_one() -> None:
    found = {}
    commands = argparse.ArgumentParser().add_subparsers(parser_class=Parser)
    Questions(ABOUT_CODE).add_to(commands)
    asked = {name: each for each in ABOUT_CODE for name in each.commands or (each.name,)}
    assert set(asked) == set(commands.choices)
    for name, parser in commands.choices.items():
        needed = {each.name: "x" for each in asked[name].parameters if each.required}
        values = checked(asked[name].parameters, needed)
        parser.complete()
        for action in parser._actions:
            told = re.search(r"\(default (\d+)\)", action.help or "")
            if told is not None:
                own = action.dest.removeprefix("given_")
                assert values[own] == int(told[1]), (name, action.dest)
                found[name, own] = values[own]
    assert found["map", "budget_tokens"] == 2_000
    assert found["refs", "limit"] == found["symbol", "limit"] == 50
    assert (found["callers", "nodes"], found["callers", "fan_out"], found["callers", "notes"]) == (100, 25, 50)
    assert (found["callers", "depth"], found["impact", "depth"]) == (1, 3)


@pytest.mark.slow
@pytest.mark.requirement("MULTI.1")
def test_refs_asks_several_codebases(indexed: Repo, tmp_path: Path) -> None:
    other = tmp_path / "other"
    write(other, "a.py", "def now():\n    pass\n\n\nnow()\n")
    assert run("index", str(other)).returncode == 0
    roots = ("--root", str(indexed.path), "--root", str(other))
    told = json.loads(run("refs", "now", *roots, "--json").stdout)
    places = [(Path(use["root"]).name, use["path"], use["line"], use["tier"]) for use in told["results"]]
    assert ("other", "a.py", 5, "proven") in places
    assert told["total"] == len(places) > 1
    assert {use["root"] for use in told["results"]} == {str(indexed.path), str(other)}
    text = run("refs", "now", *roots).stdout
    assert f"{other}/a.py:5  proven  call\n    now()" in text
    assert run("refs", "now", "--all").stdout == text
    cut = json.loads(run("refs", "now", *roots, "--json", "-k", "1").stdout)
    assert (len(cut["results"]), cut["limits_hit"]) == (1, ["places"])
    missing = run("refs", "now", "--root", str(indexed.path), "--root", str(tmp_path), "--json")
    assert "did not answer" in json.loads(missing.stdout)["warnings"][0]
    assert run("refs", "now", str(other), "--all").returncode == 2
    assert json.loads(run("refs", "now", "--root", str(other), "--json").stdout)["total"] == 1


def test_uses_of_what_is_not_defined_here_are_told(known: Repo) -> None:
    lines = said("refs", "time.time")
    assert lines[0] == "time.time is not defined here; these are uses of the name"
    assert any("likely" in line and "time.time()" in line for line in lines)
    told = asked("refs", "time.time")
    assert (told["definitions"], told["tiers"], told["complete"]) == ([], {"likely": 1}, True)


def test_a_line_far_behind_the_end_is_a_line_that_isnt_there(known: Repo) -> None:
    done = run("refs", "src/clock.py:99999999999")
    assert done.returncode == 2
    assert "there is no line 99999999999" in done.stderr


@pytest.mark.requirement("REF.21")
def test_calls_through_a_base_are_marked_in_every_form(known: Repo) -> None:
    known.write(
        "base.py", "class Base:\n    def go(self):\n        pass\n\n    def run(self):\n        self.go()\n\n\n"
    )
    known.write("sub.py", "from base import Base\n\n\nclass Sub(Base):\n    def go(self):\n        super().go()\n")
    assert said("refs", "Sub.go")[:3] == [
        "sub.py:5  Sub.go  defined here",
        "base.py",
        "     6  likely  dispatch  call    self.go()  in Base.run",
    ]
    assert said("refs", "Base.go")[2:5] == ["     6  proven  call    self.go()  in Base.run", "sub.py", _SUPER]
    assert said("callers", "Sub.go")[1] == "└─ Base.run  base.py:5  at 6, likely, dispatch"
    assert said("callees", "Base.run")[1:3] == [
        "├─ Base.go  base.py:2  at 6",
        "└─ Sub.go   sub.py:5  at 6, likely, dispatch",
    ]
    (use,) = asked("refs", "Sub.go")["results"]
    assert (use["tier"], use["dispatch"]) == ("likely", True)
    (edge,) = asked("callers", "Sub.go")["edges"]
    assert (edge["tier"], edge["dispatch"]) == ("likely", True)
    assert [each["dispatch"] for each in asked("callees", "Base.run")["edges"]] == [False, True]


_SUPER = "     6  proven  call    super().go()  in Sub.go"


def test_what_is_above_and_below_is_told_as_trees(known: Repo) -> None:
    known.write("base.py", "import lib\n\n\nclass Base(lib.Far):\n    def go(self):\n        pass\n")
    known.write("sub.py", "from base import Base\n\n\nclass Sub(Base):\n    def go(self):\n        pass\n")
    known.write("low.py", "from sub import Sub\n\n\nclass Low(Sub):\n    def go(self):\n        pass\n")
    far = "note: Base is derived from lib.Far, which nothing here defines"
    assert said("implementors", "Base") == [
        "Base       base.py:4",
        "└─ Sub     sub.py:4  extends",
        "   └─ Low  low.py:4  extends",
    ]
    assert said("hierarchy", "Sub") == [
        "derived from:",
        "Sub      sub.py:4",
        "└─ Base  base.py:4  extends",
        "derived from it:",
        "Sub     sub.py:4",
        "└─ Low  low.py:4  extends",
        far,
    ]
    assert said("hierarchy", "Sub", "--up")[-1] == far
    assert said("overrides", "Sub.go")[1:3] == ["Sub.go      sub.py:5", "└─ Base.go  base.py:5  overrides"]
    assert said("implementors", "Low") == ["Low  low.py:4", "nothing that is derived from it is known"]
    assert said("overrides", "now")[-1] == "neither a base nor anything derived from it is known"
    assert said("implementors", "nowhere_to_be_found")[0].startswith("nothing is called nowhere_to_be_found here")
    nodes, arrows = read_dot(run("implementors", "Base", "--dot").stdout)[1:3]
    assert (len(nodes), len(arrows)) == (3, 2)
    told = asked("implementors", "Base", "--nodes", "2")
    assert (told["limits_hit"], [edge["relation"] for edge in told["edges"]]) == (["nodes"], ["extends"])


def test_circles_of_imports_are_told_with_their_lines(known: Repo) -> None:
    assert said("cycles") == ["no file imports itself by a way round"]
    known.write("one.py", "import two\n")
    known.write("two.py", "import os\n\n\ndef late():\n    import one\n")
    assert said("cycles") == ["no file imports itself by a way round"]
    assert said("cycles", "--lazy") == [
        "2 files",
        "  one.py:1  -> two.py",
        "    import two",
        "  two.py:5  -> one.py  lazy",
        "    import one",
    ]
    (cycle,) = asked("cycles", "--lazy")["results"]
    assert cycle["files"] == ["one.py", "two.py"]
    assert [(step["line"], step["tier"], step["kind"]) for step in cycle["steps"]] == [
        (1, "proven", ""),
        (5, "proven", "lazy"),
    ]


def test_tests_of_nothing_are_no_answer_but_a_mistake(known: Repo) -> None:
    done = run("tests", "nosuch.py")
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "cairn: Nothing is called 'nosuch.py' here.")
    done = run("tests", "nosuch.py:4")
    assert (done.returncode, done.stderr.splitlines()[0]) == (3, "cairn: There is no file nosuch.py.")


def test_a_line_inside_of_a_definition_stands_for_it(known: Repo) -> None:
    itself, whole = asked("tests", "Lease.release"), asked("tests", "src/lease.py")
    assert itself["tests"] != whole["tests"]
    assert asked("tests", "src/lease.py:10")["tests"] == itself["tests"]
    # A line outside of all of them stands for the file.
    assert asked("tests", "src/lease.py:3")["tests"] == whole["tests"]
