"""Parameters: what each may be, and what is said of one that isn't."""

from typing import Any

import pytest

from cairn.base.errors import UsageError
from cairn.questions.parameters import Parameter, by_name, checked
from cairn.questions.registry import QUESTIONS

LIMIT = Parameter("limit", "integer", "how many", 50, least=1, most=2_000, short="-k")
MODE = Parameter("mode", "string", "what to look for", choices=("auto", "code"))
NAME = Parameter("name", "string", "a name", required=True, flag=None, metavar="NAME")
PATHS = Parameter("paths", "strings", "only these files", flag="--path", http="glob")
FAN_OUT = Parameter("fan_out", "integer", "how many of each", 25)
EXPLAIN = Parameter("explain", "boolean", "what each signal added", False)
EVERY = (LIMIT, MODE, NAME, PATHS, FAN_OUT, EXPLAIN)


def refused(parameter: Parameter, value: object) -> UsageError:
    with pytest.raises(UsageError) as told:
        checked((parameter,), {parameter.name: value})
    return told.value


@pytest.mark.parametrize(
    ("parameter", "value", "expected"),
    [
        (LIMIT, 1, 1),
        (LIMIT, 2_000, 2_000),
        (LIMIT, 5.0, 5),
        (FAN_OUT, -7, -7),
        (MODE, "code", "code"),
        (NAME, "x" * 50_000, "x" * 50_000),
        (PATHS, ["a", "b"], ("a", "b")),
        (PATHS, ("a",), ("a",)),
        (PATHS, [], ()),
        (EXPLAIN, True, True),
    ],
)
def test_what_is_allowed_is_taken(parameter: Parameter, value: object, expected: object) -> None:
    assert checked((parameter,), {parameter.name: value})[parameter.name] == expected


@pytest.mark.parametrize(
    ("parameter", "value", "message"),
    [
        (LIMIT, 0, "limit 0 is not allowed; give a whole number from 1 to 2000."),
        (LIMIT, 2_001, "limit 2001 is not allowed; give a whole number from 1 to 2000."),
        (LIMIT, "5", "limit '5' is not allowed; give a whole number from 1 to 2000."),
        (LIMIT, 5.5, "limit 5.5 is not allowed; give a whole number from 1 to 2000."),
        (LIMIT, True, "limit True is not allowed; give a whole number from 1 to 2000."),
        (LIMIT, float("inf"), "limit inf is not allowed; give a whole number from 1 to 2000."),
        (FAN_OUT, "x", "fan_out 'x' is not allowed; give a whole number."),
        (MODE, "odd", "mode 'odd' is not allowed; give one of auto, code."),
        (MODE, ["auto"], "mode ['auto'] is not allowed; give one of auto, code."),
        (NAME, "", "name is empty."),
        (NAME, "a\0b", "name holds a NUL character."),
        (NAME, 5, "name 5 is not allowed; give a text of 1 to 50000 characters."),
        (PATHS, "src", "paths 'src' is not allowed; give a list of at most 100 texts."),
        (PATHS, ["a", 1], "paths ['a', 1] is not allowed; give a list of at most 100 texts."),
        (PATHS, ["a", ""], "paths holds an empty text."),
        (EXPLAIN, "yes", "explain 'yes' is not allowed; give true or false."),
        (EXPLAIN, 1, "explain 1 is not allowed; give true or false."),
    ],
)
def test_what_is_not_allowed_says_what_is(parameter: Parameter, value: object, message: str) -> None:
    error = refused(parameter, value)
    assert (error.message, error.hint) == (message, f"{parameter.name}: {parameter.help}.")


def test_a_long_value_is_shown_in_part() -> None:
    message = refused(LIMIT, "x" * 50_001).message
    assert message.startswith("limit 'xxx")
    assert "xxx... is not allowed" in message
    assert len(message) < 150


def test_sizes_are_bounded_but_for_who_asks_on_their_own_machine() -> None:
    assert "at most 100 texts" in refused(PATHS, ["a"] * 101).message
    assert refused(NAME, "x" * 50_001).message == "name has more than 50,000 characters."
    assert refused(PATHS, ["x" * 50_001]).message == "paths holds a text of more than 50,000 characters."
    large = {"name": "x" * 50_000, "paths": ["a"] * 101}
    values = checked((NAME, PATHS), large, sized=False)
    assert (len(values["name"]), len(values["paths"])) == (50_000, 101)
    for name, value in (("name", ""), ("name", "\0"), ("name", "x" * 50_001), ("paths", [""]), ("paths", "a")):
        with pytest.raises(UsageError):
            checked((NAME, PATHS), {"name": "x"} | {name: value}, sized=False)


def test_defaults_stand_where_nothing_was_given() -> None:
    expected = {"limit": 50, "mode": None, "name": "x", "paths": (), "fan_out": 25, "explain": False}
    assert checked(EVERY, {"name": "x"}) == expected
    assert checked(EVERY, {"name": "x", "limit": None, "paths": None, "explain": None}) == expected


@pytest.mark.parametrize("given", [{}, {"name": None}])
def test_what_is_missing_is_told(given: dict[str, Any]) -> None:
    with pytest.raises(UsageError) as told:
        checked(EVERY, given)
    hint = "Give a text of 1 to 50000 characters: a name."
    assert (told.value.message, told.value.hint) == ("name is missing.", hint)


def test_an_unknown_name_is_told_with_those_that_are_known() -> None:
    with pytest.raises(UsageError) as told:
        checked((NAME, PATHS), {"name": "x", "glob": ["a"]}, lambda parameter: parameter.option)
    assert (told.value.message, told.value.hint) == ("There is no parameter 'glob'.", "Parameters are: NAME, --path.")
    with pytest.raises(UsageError) as told:
        checked((), {"x" * 500: 1})
    assert len(told.value.message) < 150
    assert told.value.hint == "Parameters are: none."


@pytest.mark.parametrize(
    ("parameter", "option", "in_a_query", "in_json"),
    [
        (LIMIT, "--limit", "limit", "limit"),
        (FAN_OUT, "--fan-out", "fan_out", "fan_out"),
        (PATHS, "--path", "glob", "paths"),
        (NAME, "NAME", "name", "name"),
        (Parameter("file", "string", "a file", flag=None), "FILE", "file", "file"),
    ],
)
def test_each_door_has_its_spelling(parameter: Parameter, option: str, in_a_query: str, in_json: str) -> None:
    assert (parameter.option, parameter.query_name, by_name(parameter)) == (option, in_a_query, in_json)


@pytest.mark.parametrize(
    ("spell", "said"),
    [(by_name, "paths"), (lambda each: each.option, "--path"), (lambda each: each.query_name, "glob")],
)
def test_an_error_names_the_parameter_as_its_door_does(spell: Any, said: str) -> None:
    with pytest.raises(UsageError) as told:
        checked((PATHS,), {"paths": 1}, spell)
    assert told.value.message == f"{said} 1 is not allowed; give a list of at most 100 texts."


def test_a_schema_is_flat_and_says_the_bounds() -> None:
    assert LIMIT.schema() == {"type": "integer", "minimum": 1, "maximum": 2_000, "default": 50}
    assert MODE.schema() == {"type": "string", "enum": ["auto", "code"]}
    assert NAME.schema() == {"type": "string", "minLength": 1, "maxLength": 50_000}
    assert PATHS.schema() == {"type": "array", "items": {"type": "string"}, "maxItems": 100}
    assert EXPLAIN.schema() == {"type": "boolean", "default": False}


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_what_is_declared_holds_together(question: Any) -> None:
    for spell in (by_name, lambda each: each.option, lambda each: each.query_name):
        spelled = [spell(each) for each in question.parameters]
        assert len(set(spelled)) == len(spelled)
    for each in question.parameters:
        assert each.default is None or each.accepts(each.default)
        assert not (each.required and each.default is not None)
        assert each.kind == "integer" or each.least is each.most is None
        assert all(value in each.choices for _, value, _ in each.switches)
    for _, fixed in (question.commands or {}).values():
        assert all(question.parameter(name).accepts(value) for name, value in fixed.items())


@pytest.mark.parametrize(("text", "meant"), [("12", 12), ("-1", -1), ("+5", 5), ("a", "a"), ("1.5", "1.5"), ("", "")])
def test_a_text_stands_for_a_number_where_one_is_wanted_and_written(text: str, meant: object) -> None:
    assert LIMIT.meant(text) == meant
    assert NAME.meant(text) == text
