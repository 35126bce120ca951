"""What is asked once a shape is what is asked of every name: how far a shape reaches changes nothing."""

from collections.abc import Iterator

import pytest

from cairn.languages.files import language_of
from cairn.syntax import shapes
from cairn.syntax.blocks import block_by_reference
from tests.kernel.test_parsing import SAMPLES
from tests.syntax.test_uses import CASES

TEXTS = sorted({*SAMPLES.items(), *((path, text) for path, text, _, _ in CASES[::8])})
EXPORTS = "import a from 'a'\nexport { b } from 'b'\nexport { a }\nexport { c } from 'c'\nexport const d = a\n"


def blocks() -> list[bytes]:
    shapes.shapes_of.cache_clear()
    return [block_by_reference(path, language_of(path), text.encode()) for path, text in TEXTS]


@pytest.fixture
def fresh() -> Iterator[None]:
    yield
    shapes.shapes_of.cache_clear()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("limit", "value"),
    [
        pytest.param("_REACH", 3, marks=pytest.mark.slow),
        pytest.param("_REACH", 1000, marks=pytest.mark.slow),
        ("_MOST", 0),
    ],
)
def test_names_are_the_same_by_shapes_of_any_reach_and_number(
    limit: str, value: int, fresh: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    usual = blocks()
    monkeypatch.setattr(shapes, limit, value)
    assert blocks() == usual


def test_a_deep_tree_has_few_shapes(fresh: None) -> None:
    shapes.shapes_of.cache_clear()
    block_by_reference("a.py", "python", b"x = " + b"[" * 500 + b"y" + b"]" * 500)
    assert len(shapes.shapes_of("python")._known) < 20


def test_an_export_is_an_import_where_it_names_its_source() -> None:
    alone = [block_by_reference("a.js", "javascript", line.encode()) for line in EXPORTS.splitlines()]
    together = [block_by_reference("a.js", "javascript", line.encode()) for line in reversed(EXPORTS.splitlines())]
    assert together[::-1] == alone
    assert alone[1] != block_by_reference("a.js", "javascript", b"export { b }")
