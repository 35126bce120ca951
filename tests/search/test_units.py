"""A place in all its forms, from a real index."""

from pathlib import Path

import pytest

from cairn.codebase.answers import Request
from cairn.codebase.codebase import Codebase
from cairn.search import Unit
from tests.trees import write

LONG = "\n".join(f"    value_{number} = compute_{number}(value_{number - 1})" for number in range(1, 120))
LONG_FUNCTION = f'''def unrolled(value_0):
    """Computes a very long chain. And says more about it."""
{LONG}

    return value_119
'''
SEVERAL = '''"""Small helpers."""

import os


# Opens the gate.
# Twice if need be.
def open_gate(gate):
    return gate.open()


def close_gate(gate):
    return gate.close()


LIMIT = 10
'''


def unit(folder: Path, query: str, path: str) -> Unit:
    with Codebase(str(folder)) as codebase:
        codebase.reindex_incremental()
        answer = codebase.search(Request(query, budget_tokens=1_000))
        (found,) = (each for each in answer.value.units if each.path == path)
        return found


def lines(text: str, first: int, last: int) -> str:
    return "\n".join(text.split("\n")[first - 1 : last]) + "\n"


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_a_part_of_a_long_function_becomes_the_whole_of_it(folder: Path) -> None:
    text = "import os\n\n\n" + LONG_FUNCTION + "\n\ndef other():\n    return os\n"
    write(folder, "long.py", text)
    found = unit(folder, "compute_77", "long.py")
    assert found.symbol == "unrolled"
    assert (found.whole.form, found.whole.text) == ("definition", LONG_FUNCTION)
    assert found.whole.text == lines(text, found.whole.start_line, found.whole.end_line)
    assert found.part is not None
    assert "compute_77" in found.part.text
    assert len(found.part.text) < len(found.whole.text)
    assert found.signature.text == "def unrolled(value_0)\n    Computes a very long chain.\n"


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_of_several_in_a_chunk_the_one_meant_is_cut_out_with_its_comments(folder: Path) -> None:
    write(folder, "gates.py", SEVERAL)
    found = unit(folder, "open_gate", "gates.py")
    assert found.whole.text == "# Opens the gate.\n# Twice if need be.\ndef open_gate(gate):\n    return gate.open()\n"
    assert found.whole.text == lines(SEVERAL, found.whole.start_line, found.whole.end_line)
    assert found.part is None
    assert found.signature.text == "def open_gate(gate)\n    Opens the gate.\n"


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_a_constant_keeps_what_is_around_it(folder: Path) -> None:
    write(folder, "gates.py", SEVERAL)
    found = unit(folder, "LIMIT", "gates.py")
    assert found.whole.form == "chunk"
    assert "LIMIT = 10" in found.whole.text
    assert len(found.whole.text.split("\n")) > 2


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_a_large_type_stays_the_chunk_that_matched(folder: Path) -> None:
    methods = "\n".join(
        f"    def method_{number}(self):\n        return {number}  # {'x' * 60}\n" for number in range(80)
    )
    write(folder, "types.py", f'class Large:\n    """Holds much."""\n\n{methods}')
    found = unit(folder, "Large", "types.py")
    assert (found.symbol, found.whole.form) == ("Large", "chunk")
    assert "method_79" not in found.whole.text
    assert found.signature.text == "class Large\n    Holds much.\n"


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_prose_is_shown_as_it_stands_or_by_its_first_line(folder: Path) -> None:
    write(folder, "notes.txt", "\nThe gate is opened at dawn.\nAnd closed at dusk.\n")
    found = unit(folder, "gate dawn", "notes.txt")
    assert (found.whole.form, found.symbol) == ("chunk", "")
    assert found.signature.text == "The gate is opened at dawn.\n"


@pytest.mark.slow
@pytest.mark.requirement("BUDGET.1")
def test_a_line_longer_than_a_chunk_is_put_together_again(folder: Path) -> None:
    text = f"def big():\n    data = [{', '.join(str(number) for number in range(2_000))}]\n\n\n    return data\n"
    write(folder, "big.py", text)
    found = unit(folder, "big", "big.py")
    assert found.whole.text == text


@pytest.mark.requirement("BUDGET.1")
def test_no_signature_is_longer_than_a_glance(folder: Path) -> None:
    write(folder, "page.txt", "gate " * 400 + "\n")
    assert len(unit(folder, "gate", "page.txt").signature.text) <= 201


def test_forms_are_made_for_a_budget_alone(folder: Path) -> None:
    write(folder, "gates.py", SEVERAL)
    with Codebase(str(folder)) as codebase:
        codebase.reindex_incremental()
        assert codebase.search(Request("open gate")).value.units == ()


@pytest.mark.requirement("IDX.MUST.001")
def test_a_file_that_is_gone_has_no_forms_either(folder: Path) -> None:
    write(folder, "gates.py", SEVERAL)
    write(folder, "other.py", "def open_gate():\n    return 1\n")
    with Codebase(str(folder)) as codebase:
        codebase.reindex_incremental()
        (folder / "gates.py").unlink()
        answer = codebase.search(Request("open_gate", budget_tokens=1_000))
        assert (
            [each.path for each in answer.value.units] == [item.row.path_key for item in answer.items] == ["other.py"]
        )
