"""Damage at random to every file of a home: a right answer, or an error that names a step that mends it."""

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.hostile.forked import Ended, Forked
from tests.hostile.ground import ENVIRONMENT, MARK, Ground
from tests.hostile.tally import Tally, rounds, seed

Damage = Callable[[Path, random.Random, list[Path]], None]
_STEP = re.compile(r"(?:`|-> )cairn ([a-z][^`\n]*)")
_MODE = re.compile(r"`chmod ([0-7]+) ([^`\n]+)`")
_MENDING = ("index", "repair", "gc", "clear", "upgrade-store", "rename --recover")
"""Commands of hints that are followed; others need a choice or name nothing."""
_TELLING = frozenset({"older_snapshot", "degraded", "files_gone", "last_index_failed", "sync_failed"})
"""Notices that say in which way an answer is not whole."""
_ROUNDS = 3
"""So often the answers are asked what to do next."""


def _flip(path: Path, generator: random.Random, others: list[Path]) -> None:
    del others
    data = bytearray(path.read_bytes() or b"\0")
    data[generator.randrange(len(data))] ^= 1 << generator.randrange(8)
    path.write_bytes(data)


def _truncate(path: Path, generator: random.Random, others: list[Path]) -> None:
    del others
    os.truncate(path, generator.randrange(path.stat().st_size + 1))


def _delete(path: Path, generator: random.Random, others: list[Path]) -> None:
    del generator, others
    path.unlink()


def _empty(path: Path, generator: random.Random, others: list[Path]) -> None:
    del generator, others
    path.write_bytes(b"")


def _folder(path: Path, generator: random.Random, others: list[Path]) -> None:
    del generator, others
    path.unlink()
    path.mkdir()


def _pipe(path: Path, generator: random.Random, others: list[Path]) -> None:
    del generator, others
    path.unlink()
    os.mkfifo(path, 0o600)


def _link(path: Path, generator: random.Random, others: list[Path]) -> None:
    del generator, others
    aside = path.with_name(f"{path.name}-target")
    shutil.move(path, aside)
    path.symlink_to(aside)


def _other(path: Path, generator: random.Random, others: list[Path]) -> None:
    path.write_bytes(generator.choice(others).read_bytes())


DAMAGES: dict[str, Damage] = {
    "bit flipped": _flip,
    "truncated": _truncate,
    "deleted": _delete,
    "emptied": _empty,
    "replaced by a folder": _folder,
    "replaced by a pipe": _pipe,
    "replaced by a link": _link,
    "replaced by another file": _other,
}


def play(ground: Ground, kind: str, path: Path, files: list[Path]) -> None:
    """Damage one file, ask, do what the answers say and nothing else, and look whether all is well again."""
    truth = ground.on_disk()
    DAMAGES[kind](path, ground.generator, files)
    _compare(ground, ended := _ask(ground), truth)
    for _ in range(_ROUNDS):
        steps = _follow(ground, ended)
        if ground.hung or not steps:
            break
        ended = _ask(ground)
    if ground.hung:
        return
    _require_well(ground, _ask(ground), truth)
    ground.settle()


def _ask(ground: Ground) -> list[Ended]:
    return [
        ground.run("search", "--literal", MARK, "--limit", "10000", "--json", "--offline", "--no-sync"),
        ground.run("symbol", "file_7", "--offline"),
        ground.run("status"),
        ground.run("health"),
    ]


def _follow(ground: Ground, ended: list[Ended]) -> list[str]:
    """Run every command that the answers name, and what those name that fail; the commands."""
    waiting = [step for each in ended for step in _steps(each)]
    done: list[str] = []
    for step in waiting:
        if step not in done and not ground.hung:
            done.append(step)
            ran = ground.run(*step.split())
            waiting += _steps(ran) if ran.code else []
    for mode, path in (found for each in ended for found in _MODE.findall(each.out)):
        if os.path.exists(path):
            os.chmod(path, int(mode, 8))
            done.append(path)
    return done


def _compare(ground: Ground, ended: list[Ended], truth: set[tuple[str, str]]) -> None:
    """The first answer is right, says in which way it is not, or is an error with a hint."""
    answer = ended[0]
    if answer.code != 0:
        if "hint" not in answer.out:
            ground.said.append(f"an error without a hint: {answer}")
        return
    document = json.loads(answer.out)
    found = _found(document)
    if found != truth and _TELLING.isdisjoint(notice["code"] for notice in document["notices"]):
        ground.said.append(f"a wrong answer: lost {sorted(truth - found)[:2]}, ghosts {sorted(found - truth)[:2]}")


def _require_well(ground: Ground, ended: list[Ended], truth: set[tuple[str, str]]) -> None:
    """What was named was enough: every answer is there, and right."""
    for each in ended:
        if each.code:
            ground.said.append(f"not mended by what was named: {each}")
    if ended[0].code == 0 and (found := _found(json.loads(ended[0].out))) != truth:
        ground.said.append(f"mended, but lost {sorted(truth - found)[:2]}, ghosts {sorted(found - truth)[:2]}")


def _found(document: dict[str, Any]) -> set[tuple[str, str]]:
    return {(row["path"], row["text"].strip()) for row in document["results"]}


def _steps(ended: Ended) -> list[str]:
    return [step for step in _STEP.findall(ended.out + ended.err) if step.startswith(_MENDING)]


@pytest.mark.slow
@pytest.mark.long
@pytest.mark.requirement("STO.21")
def test_damage_gives_a_right_answer_or_names_the_step_that_mends_it(
    tmp_path: Path, record_property: Callable[[str, object], None]
) -> None:
    chosen = seed()
    generator = random.Random(chosen)
    tally = Tally("Damages", chosen)
    environment = ENVIRONMENT | {"CAIRN_HOME": str(tmp_path / "now" / "home")}
    commands = Forked(environment)
    with pytest.MonkeyPatch.context() as patch:
        for name, value in environment.items():
            patch.setenv(name, value)
        ground = Ground(tmp_path, commands, generator)
        try:
            ground.prepare()
            for _ in range(rounds("DAMAGES", 40)):
                ground.restore()
                files = sorted(path for path in ground.home.rglob("*") if path.is_file())
                kind, path = generator.choice(list(DAMAGES)), generator.choice(files)
                play(ground, kind, path, files)
                said = [f"{path.relative_to(ground.home)}: {each}" for each in ground.said]
                tally.count(kind, said, hung=ground.hung)
        finally:
            commands.close()
    record_property("table", tally.table())
    assert not tally.complaints, "\n".join(tally.complaints)
