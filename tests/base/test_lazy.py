"""What is loaded late is what would have been loaded at once."""

import copy
import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

import cairn
from cairn.base import lazy

PACKAGES = ("store", "search", "embed", "engines")


@pytest.mark.parametrize("package", PACKAGES)
def test_a_package_gives_every_name_that_it_promises(package: str) -> None:
    module = import_module(f"cairn.{package}")
    folder = Path(cairn.__file__).parent / package
    for name in module.__all__:
        assert getattr(module, name) is not None
        assert not (folder / f"{name}.py").exists()
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        module.nonsense  # noqa: B018


def test_a_module_is_loaded_when_something_of_it_is_asked_for() -> None:
    code = (
        "import sys; from cairn.base import lazy; late = lazy.module('colorsys');"
        "before = 'colorsys' in sys.modules; late.rgb_to_hsv(0, 0, 0); print(before, 'colorsys' in sys.modules)"
    )
    assert _told_by(code) == "False True"
    assert lazy.module("colorsys").rgb_to_hsv is import_module("colorsys").rgb_to_hsv


@pytest.mark.slow
def test_a_search_for_a_text_loads_neither_numbers_nor_postings_nor_writers(tmp_path: Path) -> None:
    (tmp_path / "a.py").write_text("def lease():\n    pass\n")
    heavy = {"numpy", "tantivy", "dataclasses", "cairn.store.publish", "cairn.store.gc"}
    code = (
        "import sys, cairn; from cairn.program.start import main;"
        f"main(['search', '--literal', 'def lease', {str(tmp_path)!r}, *sys.argv[1:]]);"
        f"print('loaded:', *sorted({heavy!r} & set(sys.modules)))"
    )
    assert "numpy" in _told_by(code)
    assert _told_by(code, "--no-sync").splitlines()[-1] == "loaded:"


def _told_by(code: str, *arguments: str) -> str:
    done = subprocess.run([sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True)
    return done.stdout.removesuffix("\n")


def test_a_late_module_can_be_copied() -> None:
    assert copy.copy(lazy.module("colorsys")).rgb_to_hsv is import_module("colorsys").rgb_to_hsv


def test_an_expression_is_compiled_when_it_is_first_used_and_is_then_the_same() -> None:
    late = lazy.expression(r"(?P<word>\w+)", re.IGNORECASE)
    assert set(vars(late)) == {"_given"}
    assert late.findall("a b") == ["a", "b"]
    assert (late.pattern, late.flags, dict(late.groupindex)) == (r"(?P<word>\w+)", re.I | re.U, {"word": 1})
    with pytest.raises(re.error):
        lazy.expression(rb"(").match(b"")
