"""The `cairn` command as a process: errors, exit codes, signals and streams."""

import json
import os
import select
import shutil
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.metadata import entry_points
from pathlib import Path
from typing import Any

import pytest

import cairn as package
from cairn.base.errors import UsageError
from cairn.program.command import HOMES, groups_with
from cairn.program.start import main
from cairn.questions.asking import values_of
from cairn.questions.registry import QUESTIONS
from cairn.surfaces.cli.parser import parser_of
from tests.trees import Repo, cairn, write

COMMAND = (sys.executable, "-m", "cairn")
PATIENCE_S = 20
COMMANDS = (
    *("index", "search", "status", "health", "audit", "repair", "compact", "gc", "stores", "upgrade-store", "clear"),
)
BAD_USAGE = [
    ("nonsense",),
    ("--nonsense",),
    ("index", "--nonsense"),
    ("index", "--dry-run", "a", "b"),
    ("index", "missing"),
    ("search",),
    ("search", "words", "--limit", "0"),
    ("index", "--dry-run", "missing"),
    ("index", "--dry-run", "file.py"),
    ("index", "--dry-run", "file.py/inside"),
]


@dataclass(frozen=True, slots=True)
class SlowGit:
    """A git on the PATH that stops for ever at one command; `started` is readable once it did.

    Before that it says more than a pipe holds, so by then somebody is listening to it.
    """

    path: Path
    started: int

    def environment(self) -> dict[str, str]:
        return os.environ | {"PATH": f"{self.path}:{os.environ['PATH']}"}

    def wait_for_start(self) -> None:
        assert select.select([self.started], [], [], PATIENCE_S)[0], "git was never asked"
        assert os.read(self.started, 1)

    def wait_for_end(self) -> None:
        """The stopped git holds the pipe open: its end is the end of that process."""
        assert select.select([self.started], [], [], PATIENCE_S)[0], "git was left behind"
        assert os.read(self.started, 1) == b""


@contextmanager
def slow_git(folder: Path, command: str) -> Iterator[SlowGit]:
    real = shutil.which("git")
    pipe = folder / "started"
    os.mkfifo(pipe)
    script = write(
        folder,
        "bin/git",
        "#!/bin/sh\n"
        f'case " $* " in *" {command} "*)\n'
        f'  head -c 1000000 /dev/zero; exec 9>"{pipe}"; printf x >&9; exec sleep 600;;\n'
        "esac\n"
        f'exec {real} "$@"\n',
    )
    script.chmod(0o755)
    started = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        yield SlowGit(script.parent, started)
    finally:
        os.close(started)


@contextmanager
def process(*arguments: str, cwd: Path, environment: dict[str, str]) -> Iterator[subprocess.Popen[str]]:
    """A running command in a session of its own; what is left of it is killed at the end."""
    child = subprocess.Popen(
        (*COMMAND, *arguments),
        cwd=cwd,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
        # A runner in the background may ignore SIGINT, which children would inherit.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),
    )
    try:
        yield child
    finally:
        # Everything it started is in its session, so this reaches nothing else.
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
        child.communicate()


def buffered() -> dict[str, str]:
    """The environment in which Python keeps output back until the end, as it does by itself."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONUNBUFFERED"}


def with_closed_reader(*arguments: str, stream: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run with one output going into a pipe that nobody reads any more."""
    reader, writer = os.pipe()
    os.close(reader)
    streams: dict[str, int] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: writer}
    try:
        return subprocess.run(
            (*COMMAND, *arguments),
            cwd=cwd,
            env=buffered(),
            stdout=streams["stdout"],
            stderr=streams["stderr"],
            text=True,
            timeout=PATIENCE_S,
            check=False,
        )
    finally:
        os.close(writer)


def in_shell(command: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """Run a shell line in which $CAIRN stands for the command."""
    return subprocess.run(
        ("sh", "-c", command),
        cwd=cwd,
        env=buffered() | {"CAIRN": f"{sys.executable} -m cairn"},
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        check=False,
    )


def assert_one_sentence_and_a_hint(stderr: str) -> None:
    lines = stderr.splitlines()
    assert len(lines) == 2, stderr
    assert lines[0].startswith("cairn: ")
    assert lines[0].endswith(".")
    assert lines[1].startswith("  ")
    assert lines[1].strip()
    assert all(line.isprintable() for line in lines)
    assert "Traceback" not in stderr


def error_of(stdout: str) -> dict[str, Any]:
    document = json.loads(stdout)
    assert list(document) == ["error"]
    error: dict[str, Any] = document["error"]
    assert set(error) == {"code", "message", "hint", "retryable", "retry_after_ms"}
    assert error["message"].endswith(".")
    assert error["hint"]
    return error


@pytest.fixture
def place(folder: Path) -> Path:
    write(folder, "file.py")
    return folder


@pytest.mark.slow
@pytest.mark.parametrize("command", [COMMAND, (str(Path(sys.executable).parent / "cairn"),)], ids=["module", "script"])
def test_the_version_is_told(command: tuple[str, ...]) -> None:
    done = subprocess.run((*command, "--version"), capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"cairn {package.__version__}\n", "")


def test_the_installed_command_is_this_one() -> None:
    (script,) = entry_points(group="console_scripts", name="cairn")
    assert script.load() is main


@pytest.mark.slow
@pytest.mark.parametrize("arguments", [("--help",), ("index", "--help"), ("-h",)])
def test_help_has_an_example_that_names_the_command(arguments: tuple[str, ...]) -> None:
    done = cairn(*arguments)
    assert done.returncode == 0
    assert "Example: cairn index" in done.stdout
    assert done.stderr == ""


@pytest.mark.slow
def test_help_lists_the_commands() -> None:
    listed = cairn("--help").stdout.partition("find:")[2]
    assert set(COMMANDS) <= {line.split()[0] for line in listed.splitlines() if line.strip()}


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("arguments", BAD_USAGE, ids=" ".join)
def test_bad_usage_exits_2_with_one_sentence_and_a_hint(arguments: tuple[str, ...], place: Path) -> None:
    done = cairn(*arguments, cwd=place)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_one_sentence_and_a_hint(done.stderr)


@pytest.mark.sampled
@pytest.mark.parametrize("arguments", BAD_USAGE, ids=" ".join)
def test_bad_usage_with_json_is_an_envelope_on_standard_output(arguments: tuple[str, ...], place: Path) -> None:
    done = cairn(*arguments, "--json", cwd=place)
    assert done.returncode == 2
    assert done.stderr == ""
    assert error_of(done.stdout)["code"] in ("usage", "root_not_found")


@pytest.mark.slow
def test_an_abbreviated_option_is_not_taken_for_the_real_one(place: Path) -> None:
    """Otherwise `--js` would answer in JSON and fail in prose."""
    for arguments in (("index", "--dry", "."), ("index", "--dry-run", "--js", "."), ("--vers",)):
        done = cairn(*arguments, cwd=place)
        assert done.returncode == 2
        assert_one_sentence_and_a_hint(done.stderr)


def test_a_path_that_looks_like_the_json_option_does_not_switch_to_json(place: Path) -> None:
    done = cairn("index", "--dry-run", "--", "--json", cwd=place)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_one_sentence_and_a_hint(done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize("name", [b"missing\x1b[31m\n\x9b", b"missing\xff\xfe", "missing\u202e\x85".encode()])
def test_an_argument_can_not_act_on_the_terminal(name: bytes, place: Path) -> None:
    for arguments in ((name,), (b"index", b"--dry-run", name), (b"index", b"--dry-run", b"--" + name)):
        done = cairn(*arguments, cwd=place)
        assert done.returncode == 2
        assert_one_sentence_and_a_hint(done.stderr)


def test_a_folder_that_is_gone_is_no_defect(tmp_path: Path) -> None:
    done = in_shell("mkdir gone && cd gone && rmdir ../gone && $CAIRN index --dry-run .", tmp_path)
    assert done.returncode == 2
    assert done.stdout == ""
    assert_one_sentence_and_a_hint(done.stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "as_json"), [("--show-toplevel", False), ("--show-toplevel", True), ("status", False)]
)
def test_an_interrupt_exits_12_and_leaves_nothing_behind(
    command: str, as_json: bool, repo: Repo, tmp_path: Path
) -> None:
    repo.write("a.py")
    repo.commit()
    arguments = ("index", "--dry-run", *(("--json",) if as_json else ()))
    with slow_git(tmp_path, command) as git, process(*arguments, cwd=repo.path, environment=git.environment()) as child:
        git.wait_for_start()
        child.send_signal(signal.SIGINT)
        stdout, stderr = child.communicate(timeout=PATIENCE_S)
        git.wait_for_end()
    assert child.returncode == 12
    if as_json:
        assert error_of(stdout)["code"] == "cancelled"
        assert stderr == ""
    else:
        assert stdout == ""
        assert_one_sentence_and_a_hint(stderr)


@pytest.mark.slow
@pytest.mark.parametrize(
    "arguments", [("--help",), ("--version",), ("index", "--dry-run"), ("index", "--dry-run", "--json")]
)
def test_a_reader_that_has_gone_away_is_no_error(arguments: tuple[str, ...], place: Path) -> None:
    done = with_closed_reader(*arguments, stream="stdout", cwd=place)
    assert done.returncode == 0
    assert done.stderr == ""


@pytest.mark.slow
def test_a_long_answer_can_be_cut_off_by_its_reader(place: Path) -> None:
    for number in range(3000):
        write(place, f"a_rather_long_file_name_to_fill_the_pipe_{number}.py", "")
    done = in_shell("$CAIRN index --dry-run --verbose | head -1", place)
    assert done.stdout.splitlines() == [f"{place}  (no git)"]
    assert done.stderr == ""


@pytest.mark.slow
def test_an_error_that_nobody_reads_keeps_its_exit_code(place: Path) -> None:
    unread_json = with_closed_reader("index", "--dry-run", "missing", "--json", stream="stdout", cwd=place)
    assert unread_json.returncode == 2
    assert unread_json.stderr == ""
    unread = with_closed_reader("index", "--dry-run", "missing", stream="stderr", cwd=place)
    assert unread.returncode == 2
    assert unread.stdout == ""


@pytest.mark.slow
def test_closed_standard_streams_are_no_defect(place: Path) -> None:
    assert in_shell("$CAIRN index --dry-run >&-", place).stderr == ""
    assert in_shell("$CAIRN index --dry-run >&-", place).returncode == 0
    silent = in_shell("$CAIRN index --dry-run 2>&-", place)
    assert silent.returncode == 0
    assert "would index 1 file" in silent.stdout


def test_an_error_does_not_move_to_standard_output_when_standard_error_is_closed(place: Path) -> None:
    done = in_shell("$CAIRN index --dry-run missing 2>&-", place)
    assert (done.returncode, done.stdout) == (2, "")


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
def test_an_answer_that_could_not_be_written_is_an_error_and_no_defect(place: Path) -> None:
    done = in_shell("$CAIRN index --dry-run > /dev/full", place)
    assert done.returncode == 70
    assert_one_sentence_and_a_hint(done.stderr)
    assert "No space left on device" in done.stderr
    assert "defect" not in done.stderr


def break_the_engine(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    # No input is known to reach this branch (that would be a defect), so the engine is made to fail.
    code = (
        "import sys; from cairn.program.start import main; from cairn.surfaces.cli import index\n"
        "def plan_index(*_): raise LookupError('odd \\x1b[31m\\nthing')\n"
        "index.plan_index = plan_index\n"
        "sys.exit(main(sys.argv[1:]))"
    )
    return subprocess.run(
        (sys.executable, "-c", code, *arguments),
        env=os.environ | environment,
        capture_output=True,
        text=True,
        check=False,
    )


def test_an_unexpected_error_is_one_sentence_too() -> None:
    done = break_the_engine("index", "--dry-run")
    assert done.returncode == 70
    assert done.stdout == ""
    assert_one_sentence_and_a_hint(done.stderr)
    assert "LookupError" in done.stderr
    assert "CAIRN_DEBUG=1" in done.stderr


def test_an_unexpected_error_with_json_is_an_envelope() -> None:
    done = break_the_engine("index", "--dry-run", "--json")
    assert done.returncode == 70
    assert done.stderr == ""
    assert error_of(done.stdout)["code"] == "internal"


def test_with_cairn_debug_an_unexpected_error_shows_its_traceback() -> None:
    done = break_the_engine("index", "--dry-run", CAIRN_DEBUG="1")
    assert done.returncode == 1
    assert "Traceback" in done.stderr
    assert "LookupError" in done.stderr


def test_with_cairn_debug_an_expected_error_stays_one_sentence(place: Path) -> None:
    done = cairn("index", "--dry-run", "missing", cwd=place, CAIRN_DEBUG="1")
    assert done.returncode == 2
    assert_one_sentence_and_a_hint(done.stderr)


def test_what_git_says_can_not_act_on_the_terminal(repo: Repo, tmp_path: Path) -> None:
    script = write(tmp_path, "bin/git", "#!/bin/sh\nprintf 'fatal: odd \\033[31m thing\\nmore\\n' >&2\nexit 128\n")
    script.chmod(0o755)
    done = cairn("index", "--dry-run", cwd=repo.path, PATH=f"{script.parent}:{os.environ['PATH']}")
    assert done.returncode == 70
    assert done.stdout == ""
    assert_one_sentence_and_a_hint(done.stderr)
    assert "odd" in done.stderr


def test_a_broken_environment_of_git_is_told_by_git(repo: Repo) -> None:
    done = cairn("index", "--dry-run", "--json", cwd=repo.path, GIT_CONFIG_COUNT="many")
    assert done.returncode == 70
    error = error_of(done.stdout)
    assert error["code"] == "git_failed"
    assert "GIT_CONFIG_COUNT" in error["message"]


def test_main_can_be_called_from_python(place: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["index", "--dry-run", str(place)]) == 0
    assert "would index 1 file" in capsys.readouterr().out
    assert main(["index", "--dry-run", str(place / "missing")]) == 2
    assert_one_sentence_and_a_hint(capsys.readouterr().err)


@pytest.mark.parametrize(("home", "names"), [home for _, some in HOMES for home in some])
def test_a_command_loads_the_module_that_has_it(home: str, names: str) -> None:
    for name in names.split():
        parser = parser_of(groups_with(name))
        assert [action.dest for _, actions in parser.groups for action in actions] == names.split(), home


def test_a_search_loads_no_other_command() -> None:
    code = (
        "import sys; from cairn.program.command import groups_with; from cairn.surfaces.cli.parser import parser_of; "
        "parser_of(groups_with('search')).parse_args(['search', 'x']); "
        "print(*[name for name in sys.modules if name.startswith(('cairn.surfaces.cli.', 'cairn.program.'))])"
    )
    done = subprocess.run((sys.executable, "-c", code), check=True, capture_output=True, text=True)
    own = set("arguments asked console envelope grep here lastlist notes numbers paged parser presented report".split())
    own |= {"terminal", "text", "through"}
    assert {name.rpartition(".")[2] for name in done.stdout.split()} - {"command"} <= own


@pytest.mark.slow
@pytest.mark.parametrize(
    ("typed", "name", "given"),
    [
        (("search", "x", "--mode", "nope"), "mode", {"query": "x", "mode": "nope"}),
        (("search", "x", "-k", "a"), "limit", {"query": "x", "limit": "a"}),
        (("search", "x", "--limit", "0"), "limit", {"query": "x", "limit": 0}),
        (("symbol",), "name", {}),
        (("slice", "a.py:1"), "name", {"place": "a.py:1"}),
    ],
)
def test_a_value_is_refused_in_the_words_of_the_declaration(
    typed: tuple[str, ...], name: str, given: dict[str, object], place: Path
) -> None:
    question = next(each for each in QUESTIONS if each.name == typed[0])
    option = question.parameter(name).option
    with pytest.raises(UsageError) as told:
        values_of(question, given)
    done = cairn(*typed, "--json", cwd=place)
    assert done.returncode == 2
    assert error_of(done.stdout)["message"] == f"{option}{told.value.message.removeprefix(name)}"
