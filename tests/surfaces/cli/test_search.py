"""`cairn search`: index what is new, then ask; with --no-sync only ask."""

import json
import os
import pty
import re
import subprocess
import sys
import unicodedata
from pathlib import Path
from typing import Any

import pytest

from cairn.store.lease import WriterLease
from tests.surfaces.cli.test_main import assert_one_sentence_and_a_hint, error_of
from tests.surfaces.cli.test_store import everything_but_the_cache, layout_of, run
from tests.trees import Repo, cairn


def search(repo: Repo, *arguments: str) -> dict[str, Any]:
    query, *options = arguments
    done = run("search", *options, "--json", query, str(repo.path))
    assert (done.returncode in (0, 1), done.stderr) == (True, "")
    document: dict[str, Any] = json.loads(done.stdout)
    return document


def paths(document: dict[str, Any]) -> list[str]:
    return [item["path"] for item in document["results"]]


@pytest.fixture
def sample(repo: Repo) -> Repo:
    repo.write("src/lease.py", "def take_over(lease):\n    return lease\n")
    repo.write("docs/notes.md", "About the lease and its epoch.\n")
    repo.write("other.py", "nothing = 0  # but a lease\n")
    repo.commit()
    return repo


def test_help_has_an_example() -> None:
    text = run("search", "--help").stdout
    assert "Example: cairn search" in text
    assert "--no-sync" in text


def test_a_search_creates_the_index_and_answers(sample: Repo) -> None:
    document = search(sample, "epoch")
    result = document["results"][0]
    assert result["path"] == "docs/notes.md"
    assert (result["start_line"], result["end_line"], result["kind"]) == (1, 1, "text")
    assert result["text"] == "About the lease and its epoch."
    assert result["score"] > 0
    for name in ("store_id", "snapshot_id", "config_fingerprint", "ignore_fingerprint"):
        assert document[name]
    assert (document["schema_version"], document["degraded"]) == (2, False)


@pytest.mark.slow
def test_a_search_takes_in_what_is_new_first(sample: Repo) -> None:
    search(sample, "epoch")
    sample.write("fresh.py", "epoch = 2\n")
    (sample.path / "docs/notes.md").unlink()
    found = paths(search(sample, "epoch"))
    assert found[0] == "fresh.py"
    assert "docs/notes.md" not in found


@pytest.mark.slow
@pytest.mark.requirement("STO.3")
def test_without_sync_the_snapshot_answers_as_it_is(sample: Repo) -> None:
    before = search(sample, "epoch")
    sample.write("fresh.py", "epoch = 2\n")
    sample.write("docs/notes.md", "Another text.\n")
    after = search(sample, "epoch", "--no-sync")
    assert after["snapshot_id"] == before["snapshot_id"]
    assert [item["text"] for item in after["results"]] == [item["text"] for item in before["results"]]
    assert [item["path"] for item in after["results"] if item["changed_since"]] == ["docs/notes.md"]


@pytest.mark.slow
def test_without_sync_nothing_is_written_but_the_cache(sample: Repo) -> None:
    search(sample, "lease")
    store = layout_of(sample.path).path
    search(sample, "lease", "--no-sync")
    before = everything_but_the_cache(store)
    sample.write("fresh.py", "lease = 2\n")
    search(sample, "lease", "--no-sync")
    assert everything_but_the_cache(store) == before


@pytest.mark.bare_home
def test_without_sync_and_without_an_index_it_exits_3_and_makes_nothing(sample: Repo, private_home: Path) -> None:
    done = run("search", "--no-sync", "lease", str(sample.path))
    assert (done.returncode, done.stdout) == (3, "")
    assert_one_sentence_and_a_hint(done.stderr)
    assert not (private_home / ".cairn").exists()
    written = run("search", "--no-sync", "lease", str(sample.path), "--json")
    assert (written.returncode, error_of(written.stdout)["code"]) == (3, "not_indexed")


@pytest.mark.requirement("STO.6")
def test_without_a_pointer_the_newest_whole_snapshot_answers(sample: Repo) -> None:
    before = search(sample, "epoch")
    os.unlink(layout_of(sample.path).pointer)
    assert search(sample, "epoch", "--no-sync")["snapshot_id"] == before["snapshot_id"]


def without_the_moment(text: str) -> str:
    document = json.loads(text)
    assert document.pop("timings_ms")
    assert document.pop("request_id")
    return json.dumps(document)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.3")
def test_the_same_question_gives_the_same_bytes(sample: Repo) -> None:
    cairn("index", str(sample.path))
    one = cairn("search", "--no-sync", "lease", str(sample.path), "--json", "--explain").stdout
    two = cairn("search", "--no-sync", "lease", str(sample.path), "--json", "--explain").stdout
    assert without_the_moment(one) == without_the_moment(two)
    scores = [item["score"] for item in json.loads(one)["results"]]
    assert scores == sorted(scores, reverse=True)


def test_the_limit_cuts_the_answer(sample: Repo) -> None:
    assert len(search(sample, "lease", "-k", "1")["results"]) == 1
    assert len(search(sample, "lease", "--limit", "200")["results"]) == 3


@pytest.mark.bare_home
@pytest.mark.parametrize("limit", ["0", "-1", "201", "many"])
def test_a_limit_out_of_range_is_bad_usage(sample: Repo, private_home: Path, limit: str) -> None:
    done = run("search", "lease", str(sample.path), "--limit", limit, "--json")
    assert (done.returncode, error_of(done.stdout)["code"]) == (2, "usage")
    assert not (private_home / ".cairn").exists()


def test_people_see_places_and_a_few_lines(sample: Repo) -> None:
    done = run("search", "take over", str(sample.path), "-k", "1", "--from-root")
    assert done.returncode == 0
    assert done.stdout == "src/lease.py:1  take_over\n  1  def take_over(lease):\n  2      return lease\n\n"
    assert done.stderr.startswith("1 result · snapshot ")
    assert "the tree was just synced" in done.stderr


def test_no_match_is_an_empty_answer(sample: Repo) -> None:
    done = run("search", "unheard", str(sample.path), "--mode", "symbol")
    assert (done.returncode, done.stdout) == (1, "nothing found\n")
    assert search(sample, "unheard", "--mode", "symbol")["results"] == []


@pytest.mark.requirement("SRCH.5")
def test_no_source_text_acts_on_the_terminal(repo: Repo) -> None:
    repo.write("evil\x1b[31m.py", "lease = '\x1b]0;title\x07\x9b31m\u202e'\r\x0b\x85\u2028\n")
    done = run("search", "lease", str(repo.path))
    assert "lease" in done.stdout
    assert not {"\x1b", "\x07", "\x9b", "\u202e", "\r", "\x0b", "\x85", "\u2028"} & set(done.stdout + done.stderr)


@pytest.mark.sampled
@pytest.mark.requirement("SRCH.2")
@pytest.mark.parametrize(
    "query",
    ["?!", '"(', "AND (", "field:", "body:lease AND", "the of and", "x" * 50_000, "日本語", "'\udc80'", "path::lease"],
    ids=lambda q: ascii(q)[:12],
)
def test_any_query_is_answered(sample: Repo, query: str) -> None:
    done = run("search", query, str(sample.path), "--json")
    assert (done.returncode in (0, 1), done.stderr) == (True, "")


@pytest.mark.bare_home
@pytest.mark.parametrize("query", ["", "  ", "\t\n"])
def test_an_empty_query_is_bad_usage_and_makes_nothing(sample: Repo, private_home: Path, query: str) -> None:
    done = run("search", query, str(sample.path), "--json")
    assert (done.returncode, error_of(done.stdout)["code"]) == (2, "usage")
    assert not (private_home / ".cairn").exists()


def test_a_query_that_starts_with_a_dash_follows_two_dashes(sample: Repo) -> None:
    done = run("search", "--json", "--", "-lease", str(sample.path))
    assert done.returncode == 0
    assert paths(json.loads(done.stdout))


@pytest.mark.parametrize("option", ["--no-sync", "--json", "-k5"])
def test_options_may_stand_between_query_and_path(sample: Repo, option: str) -> None:
    assert run("search", "lease", str(sample.path)).returncode == 0
    done = run("search", "lease", option, str(sample.path))
    assert (done.returncode, "lease.py" in done.stdout) == (0, True)


@pytest.mark.slow
def test_a_search_answers_from_the_last_snapshot_while_another_writer_is_at_work(sample: Repo) -> None:
    search(sample, "epoch")
    sample.write("fresh.py", "epoch = 2\n")
    lease = WriterLease.acquire(layout_of(sample.path))
    try:
        document = search(sample, "epoch")
    finally:
        lease.release()

    assert paths(document)[0] == "docs/notes.md"
    assert "fresh.py" not in paths(document)
    assert len(document["warnings"]) == 1
    assert "not synced" in document["warnings"][0]
    assert search(sample, "epoch")["warnings"] == []


FIELDS = [
    "schema_version",
    "request_id",
    "root",
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
    "query_fingerprint",
    "results",
]
RESULT_FIELDS = [
    "path",
    "from_here",
    "start_line",
    "end_line",
    "kind",
    "language",
    "symbol",
    "score",
    "text",
    "changed_since",
]


@pytest.mark.requirement("SRCH.1")
def test_the_answer_has_the_fields_of_the_contract_and_no_others(sample: Repo) -> None:
    document = search(sample, "take_over")
    assert list(document) == FIELDS
    assert all(list(item) == RESULT_FIELDS for item in document["results"])
    assert list(search(sample, "take_over", "--explain")["results"][0]) == [*RESULT_FIELDS, "explain", "chunk"]
    assert document["git"] == {"head": sample.git("rev-parse", "HEAD").strip(), "dirty": False,
                               "untracked_included": True}  # fmt: skip
    assert (document["warnings"], document["limits_hit"]) == ([], [])
    assert set(document["timings_ms"]) >= {"total"}
    first = document["results"][0]
    assert (first["language"], first["symbol"], first["changed_since"]) == ("python", "take_over", False)


@pytest.mark.requirement("SRCH.1")
def test_every_request_has_an_id_of_its_own(sample: Repo) -> None:
    assert search(sample, "lease")["request_id"] != search(sample, "lease")["request_id"]


@pytest.mark.slow
@pytest.mark.requirement("SRCH.4")
def test_explain_adds_up_in_json_and_for_people(sample: Repo) -> None:
    for item in search(sample, "take over a lease", "--explain")["results"]:
        assert item["explain"]
        assert sum(item["explain"].values()) == pytest.approx(item["score"], abs=1e-5)
    shown = run("search", "take over a lease", str(sample.path), "--explain").stdout
    assert "lexical +" in shown
    assert "    = " in shown
    assert "lexical +" not in run("search", "take over a lease", str(sample.path)).stdout


def test_of_a_long_text_it_is_explained_by_which_words_and_why_this_definition(sample: Repo) -> None:
    text = "Leases are lost\n\nI called `take_over`\nand it forgets\nthe lease.\n"
    document = search(sample, text, "--explain")
    first = document["results"][0]
    assert first["symbol"] == "take_over"
    assert {"own", "named", "text"} <= first["explain_place"].keys()
    assert {"leas", "forget"} & document["terms"].keys()
    shown = run("search", text, str(sample.path), "--explain").stdout
    assert "    place " in shown
    assert "searched by " in shown
    assert "terms" not in search(sample, text)


@pytest.mark.requirement("SRCH.1")
def test_a_deleted_file_is_left_out_and_counted_and_a_changed_one_is_marked(sample: Repo) -> None:
    search(sample, "lease")
    (sample.path / "docs/notes.md").unlink()
    sample.write("src/lease.py", "x = 1\n")
    document = search(sample, "lease", "--no-sync")
    assert {item["path"]: item["changed_since"] for item in document["results"]} == {
        "src/lease.py": True,
        "other.py": False,
    }
    assert document["freshness"] == {"synced": False, "checked": "cited_files", "moved": True}
    assert len(document["warnings"]) == 2
    done = run("search", "lease", str(sample.path), "--no-sync")
    assert "src/lease.py:1  take_over  changed since" in done.stdout
    assert "notes.md" not in done.stdout
    assert "not synced, 1 cited file changed since" in done.stderr
    assert done.stderr.count("warning: ") == 2


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        (("--lang", "Markdown"), {"docs/notes.md"}),
        (("--path", "src"), {"src/lease.py"}),
        (("--path", "src", "--path", "docs"), {"src/lease.py", "docs/notes.md"}),
        (("--mode", "docs"), {"docs/notes.md"}),
        (("--mode", "code", "--lang", "python"), {"src/lease.py", "other.py"}),
    ],
)
def test_options_filter(sample: Repo, options: tuple[str, ...], expected: set[str]) -> None:
    assert set(paths(search(sample, "lease", *options))) == expected


@pytest.mark.parametrize("query", ["lease kind:thing", "lease -lang:python"])
def test_a_filter_that_can_not_be_meant_exits_2(sample: Repo, query: str) -> None:
    done = run("search", query, str(sample.path))
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_sentence_and_a_hint(done.stderr)


def test_a_long_place_is_cut_to_the_lines_that_matter(repo: Repo) -> None:
    lines = [f"    step_{number} = {number}" for number in range(30)]
    lines[20] = "    epoch = renew(lease, heartbeat)"
    repo.write("a.py", "def long():\n" + "\n".join(lines) + "\n")
    done = run("search", "renew epoch heartbeat lease", str(repo.path), "--from-root")
    place, *shown = done.stdout.rstrip("\n").split("\n")
    assert len(shown) == 8
    assert shown[1].strip() == "…"
    first = int(shown[0].split()[0])
    assert place == f"a.py:{first}  long"
    assert any("renew(lease, heartbeat)" in line for line in shown)
    numbers = [int(line.split()[0]) for line in shown if "…" not in line]
    assert numbers == [first, *range(numbers[1], numbers[1] + 6)]
    text = (repo.path / "a.py").read_text(encoding="utf-8").split("\n")
    cut = [line.split(maxsplit=1)[1] for line in shown if "…" not in line]
    assert cut == [text[number - 1].strip() for number in numbers]


def test_the_line_ends_of_windows_are_not_shown(repo: Repo) -> None:
    repo.write("a.py", "def take():\r\n    return 1\r\n")
    assert (
        run("search", "take", str(repo.path), "--from-root").stdout
        == "a.py:1  take\n  1  def take():\n  2      return 1\n\n"
    )


def on_a_terminal(repo: Repo, *arguments: str, **environment: str) -> str:
    """What a terminal is sent: standard output and standard error are both one."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        (sys.executable, "-m", "cairn", *arguments, str(repo.path)),
        stdin=subprocess.DEVNULL,
        stdout=theirs,
        stderr=theirs,
        env={name: value for name, value in os.environ.items() if name != "NO_COLOR"} | {"TERM": "xterm"} | environment,
    )
    os.close(theirs)
    shown = b""
    try:
        while True:
            try:
                part = os.read(ours, 65536)
            except OSError:  # so Linux says that nobody holds the other end any more
                break
            if not part:
                break
            shown += part
    finally:
        os.close(ours)
        assert process.wait(timeout=60) == 0
    return shown.decode("utf-8")


_COLOUR = re.compile(r"\x1b\[[0-9;]*m")
_PROGRESS = re.compile(r"\r\x1b\[K")


@pytest.fixture
def hostile(repo: Repo) -> Repo:
    repo.write("evil\x1b[31m.py", "lease = '\x1b]0;title\x07\x9b31m\u202e\x08'\r\x0b\x85\u2028\u200b\x7f\n")
    repo.write("b.md", "# lease \x1b[2J heading\n\x1bc lease\n")
    repo.write("c.py", "class lease\u202e: pass\ndef lease(\x1b[1m): pass\n")
    return repo


def assert_harmless(text: str) -> None:
    assert {character for character in text if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Zl", "Zp")} <= {
        "\n"
    }


@pytest.mark.slow
@pytest.mark.requirement("SRCH.5")
@pytest.mark.parametrize("extra", [(), ("--explain",), ("--json",)])
def test_a_terminal_gets_nothing_from_source_but_plain_text(hostile: Repo, extra: tuple[str, ...]) -> None:
    shown = on_a_terminal(hostile, "search", "lease", *extra)
    plain = _COLOUR.sub("", _PROGRESS.sub("", shown)).replace("\r\n", "\n")
    assert "evil" in plain
    assert_harmless(plain)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.5")
def test_a_pipe_gets_nothing_from_source_but_plain_text(hostile: Repo) -> None:
    for extra in ((), ("--explain",), ("--json",)):
        done = cairn("search", "lease", *extra, str(hostile.path))
        assert "evil" in done.stdout
        assert_harmless(done.stdout + done.stderr)


@pytest.mark.slow
@pytest.mark.requirement("SRCH.5")
def test_colours_are_for_terminals_and_can_be_switched_off(sample: Repo) -> None:
    cairn("index", str(sample.path))
    assert _COLOUR.search(on_a_terminal(sample, "search", "--no-sync", "lease"))
    for quiet in ({"NO_COLOR": "1"}, {"TERM": "dumb"}):
        shown = on_a_terminal(sample, "search", "--no-sync", "--from-root", "lease", **quiet)
        assert "src/lease.py:1" in shown
        assert "\x1b" not in shown
    assert "\x1b[1;36msrc/lease.py:1\x1b[0m" in on_a_terminal(
        sample, "search", "lease", "--no-sync", "--from-root", NO_COLOR=""
    )
    assert "\x1b" not in cairn("search", "--no-sync", "lease", str(sample.path)).stdout


@pytest.mark.slow
def test_colours_close_what_they_open(sample: Repo) -> None:
    cairn("index", str(sample.path))
    for line in on_a_terminal(sample, "search", "--no-sync", "lease", "--explain").split("\n"):
        codes = _COLOUR.findall(line)
        assert codes[1::2] == ["\x1b[0m"] * (len(codes) // 2)
        assert len(codes) % 2 == 0


@pytest.mark.bare_home
@pytest.mark.requirement("SEC.1")
def test_a_repository_that_names_an_endpoint_is_refused(sample: Repo, private_home: Path) -> None:
    sample.write(".cairn.toml", '[embed]\nprovider = "http"\nurl = "http://127.0.0.1:9/v1"\n')
    done = run("search", "lease", str(sample.path))
    assert (done.returncode, done.stdout) == (2, "")
    assert_one_sentence_and_a_hint(done.stderr)
    assert not (private_home / ".cairn").exists()


def test_the_hashing_embedder_answers_too(sample: Repo) -> None:
    done = run("search", "take over", str(sample.path), "--json", CAIRN_EMBED_PROVIDER="hashing")
    assert paths(json.loads(done.stdout))[0] == "src/lease.py"
