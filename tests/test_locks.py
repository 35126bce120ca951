"""The locks: every package that is installed has a pinned version and the hashes of its files."""

import re
import tomllib
from pathlib import Path

import pytest

HERE = Path(__file__).parents[1]
LOCKS = ("browser", "dev", "engines", "uv")


def _name(text: str) -> str:
    return re.sub(r"[-_.]+", "-", text).lower()


def _constraints() -> dict[str, str]:
    lines = (HERE / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {_name(name): version for name, _, version in (line.partition("==") for line in lines) if version}


@pytest.mark.parametrize("lock", LOCKS)
def test_every_package_of_a_lock_has_hashes_and_the_version_of_the_constraints(lock: str) -> None:
    text = (HERE / "locks" / f"{lock}.txt").read_text(encoding="utf-8")
    assert "://" not in text, "no host stands in a lock"
    entries = re.findall(
        r"^([A-Za-z0-9._-]+)==([^\s;]+)[^\\\n]*((?: \\\n    --hash=sha256:[0-9a-f]{64})+)$", text, re.M
    )
    assert len(entries) == len(re.findall(r"^[^\s#]", text, re.M)) > 0
    pinned = _constraints()
    assert {name: version for name, version, _ in entries if pinned.get(_name(name), version) != version} == {}


def test_building_cairn_fetches_nothing_that_no_lock_names() -> None:
    """`make install` builds without isolation, with the backend that the lock has installed."""
    project = tomllib.loads((HERE / "pyproject.toml").read_text(encoding="utf-8"))
    backends = {_name(re.split(r"[<>=!~\[ ;]", need)[0]) for need in project["build-system"]["requires"]}
    locked = re.findall(r"^([A-Za-z0-9._-]+)==", (HERE / "locks" / "dev.txt").read_text(encoding="utf-8"), re.M)
    assert backends <= {_name(name) for name in locked}
    assert "--no-build-isolation -e ." in (HERE / "Makefile").read_text(encoding="utf-8")
