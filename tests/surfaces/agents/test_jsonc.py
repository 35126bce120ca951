"""One member of a JSON text is set or removed; nothing else in the text moves."""

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.surfaces.agents import jsonc
from cairn.surfaces.agents.edits import EditError

pytestmark = pytest.mark.requirement("INST.1")

KEYS = ("mcpServers", "cairn")
ENTRY = {"command": "/usr/bin/cairn", "args": ["mcp"]}

scalars = st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(max_size=8)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=12,
)
documents = st.dictionaries(st.text(max_size=5), values, max_size=4)
servers = st.dictionaries(
    st.sampled_from(["other", "cairn", 'a"b', "é"]), st.dictionaries(st.text(max_size=4), scalars)
)


@st.composite
def gaps(draw: st.DrawFn) -> str:
    """White space and comments, as they may stand between any two tokens."""
    pieces = st.sampled_from(["", "", " ", "\n", "\t", "/* note */", "// note\n", '/* } " , */', "\r\n"])
    return "".join(draw(st.lists(pieces, max_size=3)))


@st.composite
def texts(draw: st.DrawFn, value: Any) -> str:
    """A value in one of the many ways to write it."""

    def gap() -> str:
        return draw(gaps())

    if isinstance(value, dict):
        members = [f"{gap()}{json.dumps(key)}{gap()}:{gap()}{draw(texts(each))}{gap()}" for key, each in value.items()]
        trailing = draw(st.sampled_from(["", ","])) if members else ""
        return "{" + ",".join(members) + trailing + gap() + "}"
    if isinstance(value, list):
        return "[" + ",".join(f"{gap()}{draw(texts(each))}{gap()}" for each in value) + "]"
    return json.dumps(value, ensure_ascii=draw(st.booleans()))


@st.composite
def written(draw: st.DrawFn) -> tuple[dict[str, Any], str]:
    value = draw(documents)
    if draw(st.booleans()):
        value["mcpServers"] = draw(servers)
    return value, draw(gaps()) + draw(texts(value)) + draw(gaps())


def comments(text: str) -> list[str]:
    without_strings = re.sub(r'"(?:[^"\\]|\\.)*"', '""', re.sub(r'/\* } " , \*/', "/* note */", text))
    return re.findall(r"/\*.*?\*/|//[^\r\n]*", without_strings)


@pytest.mark.slow
@given(documents)
def test_plain_json_is_read_as_the_standard_library_reads_it(value: dict[str, Any]) -> None:
    for text in (json.dumps(value), json.dumps(value, indent=2), json.dumps(value, ensure_ascii=False)):
        assert jsonc.parse(text) == value


@pytest.mark.slow
@given(written())
def test_what_is_put_in_is_there_and_all_else_is_as_it_was(case: tuple[dict[str, Any], str]) -> None:
    value, text = case
    after = jsonc.put(text, KEYS, ENTRY)
    meant = {**value, "mcpServers": {**value.get("mcpServers", {}), "cairn": ENTRY}}
    assert jsonc.parse(after) == meant
    if "cairn" not in value.get("mcpServers", {}):
        assert comments(after) == comments(text)
        # Only something was added: but for white space, the old text is still there in its order.
        position = 0
        for character in "".join(text.split()):
            position = after.index(character, position) + 1


@pytest.mark.slow
@given(written())
def test_putting_it_in_twice_changes_nothing_more(case: tuple[dict[str, Any], str]) -> None:
    once = jsonc.put(case[1], KEYS, ENTRY)
    assert jsonc.parse(jsonc.put(once, KEYS, ENTRY)) == jsonc.parse(once)


@pytest.mark.slow
@given(written())
def test_what_is_taken_out_is_gone_and_all_else_is_as_it_was(case: tuple[dict[str, Any], str]) -> None:
    value, text = case
    after = jsonc.take(jsonc.put(text, KEYS, ENTRY), KEYS, empty_parents="mcpServers" not in value)
    others = {key: each for key, each in value.get("mcpServers", {}).items() if key != "cairn"}
    assert jsonc.parse(after) == ({**value, "mcpServers": others} if "mcpServers" in value else value)
    if "cairn" not in value.get("mcpServers", {}):
        assert sorted(comments(after)) == sorted(comments(text))


@pytest.mark.parametrize("newline", ["\n", "\r\n"])
@pytest.mark.parametrize(
    "text",
    [
        '{\n  "a": 1\n}\n',
        '{\n\t"a": 1,\n\t"mcpServers": {\n\t\t"x": {}\n\t}\n}\n',
        '// top\n{\n  "a": 1, // why\n  // "b": 2\n}\n',
        '{"a":1,"mcpServers":{"x":{}}}',
        '{ "a": 1 }',
        '{\n    "mcpServers": {\n        "x": {} // last\n    },\n    "z": [\n        1\n    ]\n}',
    ],
)
def test_taking_out_what_was_put_in_gives_the_same_text(text: str, newline: str) -> None:
    text = text.replace("\n", newline)
    after = jsonc.put(text, KEYS, ENTRY, newline)
    assert after != text
    if newline == "\r\n":
        assert after.count("\n") == after.count("\r\n")
    assert jsonc.take(after, KEYS, empty_parents="mcpServers" not in text) == text


def test_the_layout_of_a_file_is_kept() -> None:
    text = '{\n    "mcpServers": {\n        "x": {"command": "y"} // mine\n    }\n}\n'
    assert jsonc.put(text, KEYS, ENTRY) == (
        '{\n    "mcpServers": {\n        "x": {"command": "y"}, // mine\n'
        '        "cairn": {\n            "command": "/usr/bin/cairn",\n            "args": ["mcp"]\n        }\n'
        "    }\n}\n"
    )


def test_a_minified_file_stays_in_one_line() -> None:
    assert jsonc.put('{"mcpServers":{"x":{}}}', KEYS, {"a": [1]}) == '{"mcpServers":{"x":{},"cairn":{"a":[1]}}}'


@pytest.mark.parametrize("text", ["", " \n"])
def test_a_file_with_nothing_in_it_becomes_a_whole_one(text: str) -> None:
    assert json.loads(jsonc.put(text, KEYS, ENTRY)) == {"mcpServers": {"cairn": ENTRY}}


def test_of_a_key_that_stands_there_twice_both_are_taken_out() -> None:
    assert jsonc.parse(jsonc.take('{"m": {"cairn": 1, "b": 2, "cairn": 3}}', ("m", "cairn"))) == {"m": {"b": 2}}


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "{a: 1}",
        "{'a': 1}",
        '{"a" 1}',
        '{"a": 1 "b": 2}',
        '{"a": [1 2]}',
        '{"a": 01}',
        '{"a": tru}',
        '{"a": "\\q"}',
        '{"a": "x\ny"}',
        '{"a": 1} x',
        "/* {",
        "{,}",
        '{"a":}',
        "<<<<<<< HEAD\n{}",
        "[" * 500,
    ],
)
def test_a_text_that_is_not_json_is_refused_with_its_place(text: str) -> None:
    with pytest.raises(EditError, match=r"not valid JSON: .* \(line \d+, column \d+\)"):
        jsonc.put(text, KEYS, ENTRY)


@pytest.mark.parametrize("text", ["[]", '"x"', "1", '{"mcpServers": []}', '{"mcpServers": null}'])
def test_a_text_of_another_form_is_refused(text: str) -> None:
    with pytest.raises(EditError, match="is not an object"):
        jsonc.put(text, KEYS, ENTRY)


def test_a_comment_in_what_is_left_empty_keeps_it() -> None:
    text = '{\n  "mcpServers": {\n    // my servers\n    "cairn": {}\n  }\n}\n'
    left = jsonc.take(text, KEYS, empty_parents=True)
    assert left == '{\n  "mcpServers": {\n    // my servers\n  }\n}\n'
    assert jsonc.take('{"a": 1, "mcpServers": {"cairn": {}}}', KEYS, empty_parents=True) == '{"a": 1}'
