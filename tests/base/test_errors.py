"""The error tree: stable codes, exit codes and hints, as drawn in the module's docstring."""

import importlib
import json
import pkgutil
import re
from dataclasses import dataclass

import pytest

import cairn
from cairn.base import errors
from cairn.base.errors import CairnError, ConfigError, ExitCode, GitBusyError, UsageError

_DRAWN = re.compile(
    r"^ {4}(?P<branch>(?:[│ ]   )*(?:[├└]── )?)(?P<name>\w+) +(?P<code>\w+) +(?P<exit>\d+)(?P<retryable> +retryable)?$"
)


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the tree in the docstring, or one class."""

    name: str
    parent: str
    code: str
    exit_code: int
    retryable: bool


def tree_of(error: type[CairnError]) -> list[type[CairnError]]:
    return [error, *(each for child in error.__subclasses__() for each in tree_of(child))]


def tree_of_the_package() -> list[type[CairnError]]:
    """Every error class of Cairn, wherever it is defined."""
    for module in pkgutil.walk_packages(cairn.__path__, "cairn."):
        if not module.name.endswith("__main__"):
            importlib.import_module(module.name)
    return [each for each in tree_of(CairnError) if each.__module__.split(".")[0] == "cairn"]


ALL = tree_of_the_package()


def drawn_rows() -> list[Row]:
    rows: list[Row] = []
    line_of: dict[int, str] = {}
    for line in (errors.__doc__ or "").splitlines():
        match = _DRAWN.match(line)
        if match is None:
            continue
        depth = len(match["branch"]) // 4
        line_of[depth] = match["name"]
        parent = line_of[depth - 1] if depth else "Exception"
        rows.append(Row(match["name"], parent, match["code"], int(match["exit"]), match["retryable"] is not None))
    return rows


def by_name(row: Row) -> str:
    return row.name


def test_the_tree_in_the_docstring_is_the_tree_of_classes() -> None:
    actual = [
        Row(each.__name__, each.__bases__[0].__name__, each.code, int(each.exit_code), each.retryable) for each in ALL
    ]
    assert sorted(drawn_rows(), key=by_name) == sorted(actual, key=by_name)


def test_every_line_of_the_drawing_is_understood() -> None:
    drawing = [line for line in (errors.__doc__ or "").splitlines() if line.startswith("    ")]
    assert len(drawing) == len(drawn_rows()) == len(ALL)


def test_every_error_class_lives_in_the_one_tree() -> None:
    found = [value for value in vars(errors).values() if isinstance(value, type) and issubclass(value, Exception)]
    assert set(found) == set(ALL)


def test_codes_are_unique_and_well_formed() -> None:
    codes = [each.code for each in ALL]
    assert len(set(codes)) == len(codes)
    assert all(re.fullmatch(r"[a-z]+(_[a-z]+)*", code) for code in codes)


@pytest.mark.parametrize("error", ALL)
def test_every_class_states_a_code_of_its_own(error: type[CairnError]) -> None:
    assert "code" in vars(error)


@pytest.mark.parametrize("error", ALL)
def test_every_error_exits_with_a_failing_exit_code(error: type[CairnError]) -> None:
    assert isinstance(error.exit_code, ExitCode)
    assert error.exit_code is not ExitCode.OK


@pytest.mark.parametrize("error", ALL)
def test_every_error_has_a_hint_unless_the_caller_gives_one(error: type[CairnError]) -> None:
    assert error("It broke.").hint.strip()
    assert error("It broke.").hint == error.default_hint
    assert error("It broke.", hint="Mend it.").hint == "Mend it."
    assert error("It broke.", hint="").hint == ""


@pytest.mark.parametrize("error", ALL)
def test_a_hint_is_one_line_that_ends_like_a_sentence(error: type[CairnError]) -> None:
    assert "\n" not in error.default_hint
    assert error.default_hint.endswith(".")


@pytest.mark.parametrize("error", ALL)
def test_the_message_is_what_the_exception_says(error: type[CairnError]) -> None:
    raised = error("It broke.")
    assert raised.message == str(raised) == "It broke."


@pytest.mark.parametrize("error", ALL)
def test_the_envelope_has_the_five_fields(error: type[CairnError]) -> None:
    raised = error("It broke.", hint="Mend it.", retry_after_ms=250)
    assert raised.envelope() == {
        "error": {
            "code": error.code,
            "message": "It broke.",
            "hint": "Mend it.",
            "retryable": error.retryable,
            "retry_after_ms": 250,
        }
    }
    assert json.loads(json.dumps(raised.envelope())) == raised.envelope()


def test_without_a_known_pause_retry_after_ms_is_null() -> None:
    assert '"retry_after_ms": null' in json.dumps(GitBusyError("Busy.").envelope())


def test_exit_codes_are_the_contract_of_the_command_line() -> None:
    assert {code.name.lower(): int(code) for code in ExitCode} == {
        "ok": 0,
        "nothing": 1,
        "usage": 2,
        "not_indexed": 3,
        "requires_reindex": 4,
        "refused": 5,
        "busy": 10,
        "timeout": 11,
        "cancelled": 12,
        "incompatible": 13,
        "corrupt": 14,
        "resources": 15,
        "internal": 70,
    }


def test_a_caller_can_catch_by_kind() -> None:
    with pytest.raises(UsageError):
        raise ConfigError("The key x is unknown.")
    with pytest.raises(CairnError):
        raise GitBusyError("Busy.")


@pytest.mark.parametrize("error", [each for each in ALL if each.exit_code in (ExitCode.BUSY, ExitCode.TIMEOUT)])
def test_what_is_busy_or_late_may_be_tried_again(error: type[CairnError]) -> None:
    assert error.retryable
