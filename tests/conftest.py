"""What every test shares: a private home, real git repositories, and the requirement markers."""

import itertools
import os
import signal
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

from cairn.base import durable
from cairn.embed import prepared
from cairn.embed.static import StaticEmbedder
from cairn.store import database
from tests import conformance
from tests.trees import Repo

settings.register_profile(
    "ci", derandomize=True, deadline=None, print_blob=True, suppress_health_check=[HealthCheck.too_slow]
)
settings.register_profile("long", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("CAIRN_HYPOTHESIS", "ci"))


@pytest.fixture(scope="session")
def prepared_model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The bundled model as the first command of a home leaves it, so that not every test has to prepare it."""
    home = tmp_path_factory.mktemp("prepared")
    StaticEmbedder(home=str(home)).embed(["x"])
    (kept,) = (home / prepared.FOLDER).glob("*.bin")
    return kept


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Names for new homes, numbered here: `mktemp` looks through all earlier folders to find the next number."""
    base = tmp_path_factory.mktemp("home")
    return (base / str(number) for number in itertools.count())


@pytest.fixture(autouse=True)
def private_home(
    request: pytest.FixtureRequest, homes: Iterator[Path], monkeypatch: pytest.MonkeyPatch, prepared_model: Path
) -> Path:
    """Neither the user's home nor the user's git configuration has a say in a test."""
    home = next(homes)
    home.mkdir(mode=0o700)
    if request.node.get_closest_marker("bare_home") is None:
        models = home / ".cairn" / prepared.FOLDER
        durable.make_private_folders(str(models))
        os.link(prepared_model, models / prepared_model.name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("CAIRN_HOME", str(home / ".cairn"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("GIT_CONFIG_NOSYSTEM", "1")
    for name in ("GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE"):
        monkeypatch.delenv(name, raising=False)
    return home


@pytest.fixture(autouse=True)
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let nothing in the process of the tests wait for the disk: an index does some forty times.

    Only a loss of power shows whether a file was synced. Commands and servers of their own sync as ever.
    """
    monkeypatch.setattr(os, "fsync", lambda _: None)
    monkeypatch.setattr(database, "SYNCHRONOUS", "OFF")


@pytest.fixture
def repo(tmp_path: Path) -> Repo:
    """A real, empty git repository."""
    return Repo.create(tmp_path / "repo")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """An empty folder outside of any repository."""
    path = tmp_path / "plain"
    path.mkdir()
    return path.resolve()


class _Recorder:
    """Which requirement was named, proven or broken by which test in this run.

    A test of the second tier breaks a requirement but doesn't prove it: `make test` must, and runs the first alone.
    """

    def __init__(self) -> None:
        self.named: dict[str, set[str]] = defaultdict(set)
        self.passed: dict[str, set[str]] = defaultdict(set)
        self.failed: dict[str, set[str]] = defaultdict(set)
        self.nameless: list[str] = []

    def collect(self, item: pytest.Item) -> None:
        marks = list(item.iter_markers("requirement"))
        if any(not mark.args or mark.kwargs for mark in marks):
            self.nameless.append(item.nodeid)
        ids = [str(argument) for mark in marks for argument in mark.args]
        name = item.nodeid.split("[", 1)[0]
        for requirement in ids:
            self.named[requirement].add(name)
            # Properties travel with the report, also from a worker process to the one that counts.
            item.user_properties.append(("requirement", requirement))
        if item.get_closest_marker("slow"):
            item.user_properties.append(("slow", True))

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        name = report.nodeid.split("[", 1)[0]
        slow = ("slow", True) in report.user_properties
        for requirement in (str(value) for key, value in report.user_properties if key == "requirement"):
            if report.failed:
                self.failed[requirement].add(name)
            elif report.when == "call" and report.passed and not slow:
                self.passed[requirement].add(name)


_RECORDER = pytest.StashKey[_Recorder]()


def pytest_addoption(parser: pytest.Parser) -> None:
    group = parser.getgroup("conformance")
    group.addoption("--claims", action="store_true", help="fail unless the first tier proves every claim")
    group.addoption("--write-conformance", action="store_true", help="write docs/conformance.md and run nothing")
    group.addoption("--check-conformance", action="store_true", help="fail if docs/conformance.md is out of date")


def pytest_configure(config: pytest.Config) -> None:
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # A shell starts what runs in its background so, and every command that a test interrupts would inherit it.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    config.stash[_RECORDER] = _Recorder()
    config.pluginmanager.register(config.stash[_RECORDER], "requirements")


def _leave_the_ends_in_the_first_tier(items: list[pytest.Item]) -> None:
    """Of a `sampled` test's cases the first and the last are quick enough together; the others are slow."""
    cases: dict[str, list[pytest.Item]] = defaultdict(list)
    for item in items:
        if item.get_closest_marker("sampled"):
            cases[item.nodeid.split("[", 1)[0]].append(item)
    for item in (item for found in cases.values() for item in found[1:-1]):
        item.add_marker(pytest.mark.slow)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    _leave_the_ends_in_the_first_tier(items)
    recorder = config.stash[_RECORDER]
    for item in items:
        recorder.collect(item)
    if recorder.nameless:
        raise pytest.UsageError(f"a requirement mark names its ids, but not in {', '.join(recorder.nameless)}")
    requirements = conformance.load_requirements()
    unknown = conformance.unknown_ids(recorder.named, requirements)
    if unknown:
        where = ", ".join(sorted(name for requirement in unknown for name in recorder.named[requirement]))
        raise pytest.UsageError(f"unknown requirement ids {', '.join(unknown)} in {where}")
    if config.getoption("--write-conformance") or config.getoption("--check-conformance"):
        items.clear()


def pytest_collection_finish(session: pytest.Session) -> None:
    """Write or check the page, unless a file could not even be collected: its marks would be missing."""
    config = session.config
    if session.testsfailed or not (config.getoption("--write-conformance") or config.getoption("--check-conformance")):
        return
    named = config.stash[_RECORDER].named
    page = conformance.render(conformance.load_requirements(), conformance.load_claims(), named)
    if config.getoption("--write-conformance"):
        conformance.PAGE.write_text(page, encoding="utf-8")
    elif not conformance.PAGE.exists() or conformance.PAGE.read_text(encoding="utf-8") != page:
        raise pytest.UsageError("docs/conformance.md is out of date: run `make conformance`")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Print the tables of the harnesses, also of those that passed in a worker process."""
    for report in (*terminalreporter.stats.get("passed", ()), *terminalreporter.stats.get("failed", ())):
        for name, value in report.user_properties:
            if name == "table":
                terminalreporter.write_line(f"\n{value}\n")


def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    config = session.config
    if config.getoption("--write-conformance") or config.getoption("--check-conformance"):
        if exitstatus == pytest.ExitCode.NO_TESTS_COLLECTED:
            session.exitstatus = pytest.ExitCode.OK
        return
    if not config.getoption("--claims") or hasattr(config, "workerinput"):
        return
    recorder = config.stash[_RECORDER]
    broken = conformance.broken_claims(conformance.load_claims(), recorder.passed, recorder.failed)
    if broken and exitstatus == pytest.ExitCode.OK:
        session.exitstatus = pytest.ExitCode.TESTS_FAILED
    for requirement, why in broken.items():
        print(f"\nclaimed requirement {requirement}: {why}")
