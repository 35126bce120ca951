"""Damage at random to every file of a home: a right answer, or an error that names a step that mends it."""

import json
import os
import random
import re
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.hostile.forked import Ended, Forked
from tests.hostile.ground import ENVIRONMENT, MARK, Ground
from tests.hostile.tally import Tally, rounds, seed

Damage = Callable[[Path, random.Random, list[Path]], None]
_STEP = re.compile(r"(?:`|-> )cairn ([a-z][^`\n]*)")
_MENDING = ("index", "repair", "gc", "clear", "upgrade-store", "rename --recover")
"""Commands of hints that are followed; others need a choice or name nothing."""


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
    """Damage one file, ask, do what the answers say, and look whether all is well again."""
    truth = ground.on_disk()
    DAMAGES[kind](path, ground.generator, files)
    ended = [
        ground.run("search", "--literal", MARK, "--limit", "10000", "--json", "--offline", "--no-sync"),
        ground.run("symbol", "file_7", "--offline"),
        ground.run("status"),
        ground.run("health"),
    ]
    _compare(ground, ended[0], truth)
    for step in dict.fromkeys(step for each in ended if each.code for step in _steps(each)):
        if not ground.hung:
            ground.run(*step.split())
    if ground.hung:
        return
    again = ground.run("index")
    for step in _steps(again) if again.code else ():
        ground.run(*step.split())
    ground.settle()


def _compare(ground: Ground, ended: Ended, truth: set[tuple[str, str]]) -> None:
    if ended.code != 0:
        if "hint" not in ended.out:
            ground.said.append(f"an error without a hint: {ended}")
        return
    document = json.loads(ended.out)
    found = {(row["path"], row["text"].strip()) for row in document["results"]}
    if found != truth and not document["warnings"]:
        ground.said.append(f"a wrong answer: lost {sorted(truth - found)[:2]}, ghosts {sorted(found - truth)[:2]}")


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
