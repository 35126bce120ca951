"""The examples in every command's help: each is understood, and runs on a tree that has what it names."""

import argparse
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from cairn.program.command import groups_with
from cairn.surfaces.cli.parser import Parser, parser_of
from tests.trees import Repo, cairn

_EXAMPLE = re.compile(r"(?<!`)\bcairn (?:'[^']*'|[^'.,;`]|[.,;](?=\S))+")
"""A command up to the end of its sentence; what stands in backticks is mentioned, not shown."""

_NOT_HERE = {
    "cairn open 3": "takes the third of a list on a terminal: test_open.py",
    "cairn pick parse options": "draws on a terminal: test_pick.py",
    "cairn engine migrate --to lancedb ~/src/project": "needs an extra: tests/engines",
    "cairn engine drop lancedb ~/src/project": "needs a former index: test_removal.py",
    "cairn serve --detach --http 127.0.0.1:0": "stays when the test has gone: tests/daemon",
    "cairn lsp --stdio": "speaks with an editor: tests/surfaces/lsp",
    "cairn push": "needs a remote: tests/team",
    "cairn pull": "needs a remote: tests/team",
    "cairn remote gc --keep 20": "needs a remote: tests/team",
    "cairn watch ~/src/project": "runs until it is ended: tests/daemon",
}
_BEFORE = {
    "cairn config unset query.limit --project": "cairn config set query.limit 20 --project",
    "cairn import index.cairn": "cairn export index.cairn",
}
"""What has to be done before."""
_AFTER = {"cairn clear ~/src/project": "cairn index"}
_GIVEN = {"issue.txt": "Stale leases are not taken over"}
"""Files that standard input is taken from."""
_QUICK = ("search", "grep", "outline", "rename", "config get")
"""Commands whose examples the first tier runs; the second runs all."""

_LEASE = '''"""Leases, and how stale leases are taken over."""

from storage import Storage

LIMIT = 3


class Lease:
    lease_ttl_ms = 500
    held = False

    def acquire(self, storage: Storage) -> bool:
        self.held = storage.write("lease")
        return self.held

    def release(self, storage: Storage) -> None:
        note(storage)
        self.held = False


def note(storage: Storage) -> None:
    storage.write("released")


def load_config() -> int:
    return 3


def work(storage: Storage) -> None:
    lease = Lease()
    if lease.acquire(storage):
        lease.release(storage)


# The epoch tells a new holder from an old one:
# it grows by one.


def next_epoch(given: int) -> int:
    """The epoch after a take-over."""
    epoch = given + 1
    return epoch
'''
_STORAGE = '''"""Where leases are kept."""


class Storage:
    def write(self, text: str) -> bool:
        return bool(text)


class Disk(Storage):
    def write(self, text: str) -> bool:
        return text != ""
'''
_TEST = """from lease import work
from storage import Disk


def test_work() -> None:
    work(Disk())
"""


@dataclass(frozen=True, slots=True)
class _Shown:
    """A command as a help shows it."""

    of: str
    line: str


def _shown(parser: Parser) -> Iterator[_Shown]:
    parser.complete()
    for line in _EXAMPLE.findall((parser.epilog or "").removeprefix("Example: ")):
        yield _Shown(parser.prog, line.strip())
    for action in parser._actions:
        if isinstance(action, argparse._SubParsersAction):
            for below in action.choices.values():
                yield from _shown(below)


_SHOWN = list(_shown(parser_of(groups_with(""))))
_LINES = list(dict.fromkeys(each.line for each in _SHOWN))


def _marked(line: str) -> object:
    quick = any(line.startswith(f"cairn {command} ") for command in _QUICK)
    return pytest.param(line, marks=() if quick else pytest.mark.slow, id=line.removeprefix("cairn "))


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Repo:
    """`~/src/project` of somebody who has indexed it: a branch that is one change ahead of main."""
    repo = Repo.create(tmp_path_factory.mktemp("user") / "src" / "project")
    repo.write("src/storage.py", _STORAGE)
    repo.write("src/lease.py", _LEASE.replace("LIMIT = 3", "LIMIT = 2").replace('"released"', '"over"'))
    repo.write("tests/test_lease.py", _TEST)
    repo.commit()
    repo.git("checkout", "-q", "-b", "work")
    repo.write("src/lease.py", _LEASE)
    repo.commit()
    (repo.path.parents[1] / ".cursor").mkdir()  # an agent for `cairn install`
    _run(repo, "cairn index")
    return repo


def _environment(repo: Repo) -> dict[str, str]:
    user = repo.path.parents[1]
    return {"HOME": str(user), "CAIRN_HOME": str(user / ".cairn"), "EDITOR": "true", "VISUAL": "true"}


def _run(repo: Repo, line: str) -> str:
    environment = _environment(repo)
    line, _, file = line.partition(" < ")
    words = [re.sub("^~", environment["HOME"], word) for word in shlex.split(line)[1:]]
    done = cairn(*words, cwd=repo.path, given=_GIVEN[file] if file else None, **environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_every_command_shows_one() -> None:
    def commands(parser: Parser) -> Iterator[str]:
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for below in action.choices.values():
                    yield below.prog
                    below.complete()
                    yield from commands(below)

    # What an agent's settings start is shown where they are described.
    for_agents = {"cairn session hook", "cairn session nudge"}
    assert set(commands(parser_of(groups_with("")))) - {each.of for each in _SHOWN} == for_agents
    assert set(_NOT_HERE) <= set(_LINES)


@pytest.mark.parametrize("line", _LINES)
def test_is_understood(line: str) -> None:
    words = shlex.split(line)
    assert words[0] == "cairn"
    assert parser_of(groups_with(words[1])).parse_args(words[1:]).run is not None


@pytest.mark.slow
@pytest.mark.parametrize("line", [_marked(line) for line in _LINES if line not in _NOT_HERE])
def test_runs(project: Repo, line: str) -> None:
    try:
        if line in _BEFORE:
            _run(project, _BEFORE[line])
        if "ID" in shlex.split(line):
            session = _run(project, "cairn session open --guarantee linear").split()[0]
            line = line.replace(" ID ", f" {session} ")
        _run(project, line)
        if line in _AFTER:
            _run(project, _AFTER[line])
    finally:
        project.git("checkout", "-q", ".")
        project.git("clean", "-fdq")
