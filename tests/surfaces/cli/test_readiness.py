"""The first search at a terminal may start the daemon: asked once, never for machines, and gone when idle."""

import io
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from cairn import __version__
from cairn.base.errors import ConfigError
from cairn.config.daemon import DaemonSettings, daemon_settings
from cairn.daemon.folder import DaemonFolder, RunningDaemon
from cairn.daemon.process import end
from cairn.program.readiness import _agreed, is_to_be_replaced
from tests.surfaces.cli.screens import CAIRN, shell, terminal
from tests.surfaces.http.running import until
from tests.trees import Repo, cairn

SEARCH = ("search", "walrus")
ASKS = "[Y/n] "


@pytest.fixture
def place() -> Iterator[DaemonFolder]:
    """The folder of the daemon, which doesn't outlive the test."""
    found = DaemonFolder(os.environ["CAIRN_HOME"])
    yield found
    end(found, lambda _: None)


@pytest.fixture
def tree(repo: Repo) -> Repo:
    repo.write("a.py", "walrus = 1\n")
    repo.commit()
    assert cairn("index", cwd=repo.path).returncode == 0
    return repo


def config() -> Path:
    return Path(os.environ["CAIRN_HOME"], "config.toml")


def remembered() -> DaemonSettings:
    return daemon_settings(config().read_bytes() if config().exists() else None)


def settle(start: str, more: str = "") -> None:
    config().write_text(f'[daemon]\nstart = "{start}"\n{more}')


def searched(tree: Repo, **environment: str) -> tuple[int, str]:
    """What a search at a terminal ends with and shows, where nobody presses a key."""
    with terminal(*CAIRN, *SEARCH, cwd=tree.path, environment={"CI": "", **environment}) as screen:
        return screen.end()


def ready(place: DaemonFolder) -> RunningDaemon | None:
    running = place.running()
    return running if running is not None and running.ready else None


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("keys", ["n\n", "\x04", "No\n", "\x03"])
def test_who_doesnt_agree_is_not_asked_again(tree: Repo, place: DaemonFolder, keys: str) -> None:
    config().write_text("# mine\n[gain]\nrecord = true\n")
    with terminal(*CAIRN, *SEARCH, cwd=tree.path, environment={"CI": ""}) as screen:
        # The answer is there before the question.
        assert "a.py:1" in screen.see(ASKS)
        screen.press(keys)
        code, text = screen.end()
    assert code == 0
    assert "cairn config set daemon.start auto" in text
    assert remembered().start == "off"
    assert config().read_text().startswith("# mine\n[gain]\nrecord = true\n")
    code, text = searched(tree)
    assert (code, ASKS in text) == (0, False)
    assert place.running() is None


@pytest.mark.slow
def test_what_is_neither_yes_nor_no_settles_nothing(tree: Repo, place: DaemonFolder) -> None:
    with terminal(*CAIRN, *SEARCH, cwd=tree.path, environment={"CI": ""}) as screen:
        screen.see(ASKS)
        screen.press("maybe\n")
        code, text = screen.end()
    assert (code, "the next search asks again" in text) == (0, True)
    assert remembered().start == "ask"
    assert place.running() is None


@pytest.mark.slow
def test_who_agrees_has_a_daemon_that_answers_the_next_search(tree: Repo, place: DaemonFolder) -> None:
    with terminal(*CAIRN, *SEARCH, cwd=tree.path, environment={"CI": ""}) as screen:
        screen.see(ASKS)
        screen.press("\n")
        code, text = screen.end()
    assert (code, "cairn stop" in text) == (0, True)
    assert remembered() == DaemonSettings("auto", 30)
    running = until(lambda: ready(place))
    assert running.by_itself
    assert "through the daemon" in cairn("status", cwd=tree.path).stdout
    code, text = searched(tree)
    assert (code, ASKS in text) == (0, False)
    assert cairn("stop").returncode == 0
    assert not os.path.exists(place.socket_path)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize(
    "variables", [{"CI": "true"}, {"GITHUB_ACTIONS": "true"}, {"JENKINS_URL": "http://x.invalid"}, {"TERM": "dumb"}]
)
def test_a_machine_is_neither_asked_nor_served(tree: Repo, place: DaemonFolder, variables: dict[str, str]) -> None:
    for start in ("ask", "auto"):
        settle(start)
        code, text = searched(tree, **variables)
        assert (code, ASKS in text) == (0, False)
    assert not os.path.exists(place.folder)


@pytest.mark.slow
@pytest.mark.sampled
@pytest.mark.parametrize("pipe", ["| cat", "< /dev/null", "2> /dev/null", "> /dev/null", "--offline"])
def test_a_pipe_starts_nothing(tree: Repo, place: DaemonFolder, pipe: str) -> None:
    settle("auto")
    with terminal(*shell(f"cairn search walrus {pipe}"), cwd=tree.path, environment={"CI": ""}) as screen:
        assert screen.end()[0] == 0
    assert not os.path.exists(place.folder)


@pytest.mark.slow
def test_of_two_first_searches_one_starts_the_daemon(tree: Repo, place: DaemonFolder) -> None:
    settle("auto")
    both = "cairn search walrus & cairn search walrus; wait"
    with terminal(*shell(both), cwd=tree.path, environment={"CI": ""}) as screen:
        assert screen.end()[0] == 0
    assert until(lambda: ready(place)).by_itself
    until(lambda: len(daemons(place)) == 1)
    assert "Traceback" not in Path(place.log).read_text()


def daemons(place: DaemonFolder) -> list[str]:
    """The processes that are, or want to be, the daemon of a home."""
    found = []
    for each in Path("/proc").iterdir():
        try:
            words = (each / "cmdline").read_bytes().split(b"\0")
            home = f"CAIRN_HOME={place.home}".encode() in (each / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        found += [each.name] if home and b"serve" in words else []
    return found


@pytest.mark.slow
def test_it_ends_when_nobody_asks_and_leaves_nothing_behind(tree: Repo, place: DaemonFolder) -> None:
    done = subprocess.run(
        (*CAIRN, "serve", "--json", "--by-itself", "--idle-exit=0.5"), capture_output=True, timeout=60, check=True
    )
    assert b"nobody asked for a while" in done.stderr
    assert place.running() is None
    assert sorted(os.listdir(place.folder)) == ["daemon.lock"]


@pytest.mark.slow
def test_a_socket_that_was_left_behind_is_no_obstacle(tree: Repo, place: DaemonFolder) -> None:
    settle("auto")
    place.make()
    with place.listening():
        pass
    assert os.path.exists(place.socket_path)
    assert searched(tree)[0] == 0
    assert until(lambda: ready(place)).by_itself
    assert "through the daemon" in cairn("status", cwd=tree.path).stdout


OLD = "import cairn; cairn.__version__ = '0.0.0.1'; from cairn.program.start import main; main(%r)"


@pytest.mark.slow
@pytest.mark.parametrize("by_itself", [True, False])
def test_a_daemon_of_an_older_version_makes_way_unless_the_user_started_it(
    tree: Repo, place: DaemonFolder, by_itself: bool
) -> None:
    settle("auto")
    words = ["serve", "--json", *["--by-itself"] * by_itself]
    old = subprocess.Popen((sys.executable, "-c", OLD % words), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        assert until(lambda: ready(place)).version == "0.0.0.1"
        code, text = searched(tree)
        assert (code, "a.py:1" in text) == (0, True)
        if by_itself:
            until(lambda: (found := ready(place)) is not None and found.version == __version__)
            assert old.wait(60) == 0
        else:
            assert ready(place) is not None
            assert old.poll() is None
    finally:
        if old.poll() is None:
            old.terminate()
        old.wait(60)


def test_only_an_older_one_makes_way() -> None:
    assert is_to_be_replaced(RunningDaemon(None, "0.0.1", ready=True, by_itself=True))
    assert not is_to_be_replaced(RunningDaemon(None, "0.0.1", ready=True))
    assert not is_to_be_replaced(RunningDaemon(None, __version__, ready=True, by_itself=True))
    assert not is_to_be_replaced(RunningDaemon(None, "99.0.0", ready=True, by_itself=True))
    assert not is_to_be_replaced(RunningDaemon(None, "", by_itself=True))


@pytest.mark.parametrize("text", ['start = "perhaps"', "start = 1", "idle_minutes = 0", "idle_minutes = true"])
def test_what_is_not_allowed_is_named(text: str) -> None:
    with pytest.raises(ConfigError, match=text.partition(" ")[0]):
        daemon_settings(f"[daemon]\n{text}\n".encode())


def test_the_settings_are_those_of_the_file() -> None:
    assert daemon_settings(None) == DaemonSettings("ask", 30)
    assert daemon_settings(b'[daemon]\nstart = "auto"\nidle_minutes = 5\n') == DaemonSettings("auto", 5)


def test_an_interrupt_while_the_question_is_written_is_a_no(monkeypatch: pytest.MonkeyPatch) -> None:
    class Interrupted(io.StringIO):
        def flush(self) -> None:
            raise KeyboardInterrupt

    monkeypatch.setattr(sys, "stderr", Interrupted())
    assert _agreed(ASKS) is False
