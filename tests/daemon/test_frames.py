"""JSON without the package `json`."""

import json
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.daemon.frames import read, written

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)
BROKEN = (b"", b"{", b"[1] 2", b"nul", b"\xff", b'"\n"', b"[1,]")


@pytest.mark.slow
@given(VALUES)
def test_it_writes_and_reads_what_json_does(value: Any) -> None:
    assert written(value) == json.dumps(value).encode()
    assert read(written(value)) == value
    assert read(json.dumps(value, ensure_ascii=False, indent=1).encode("utf-8", "replace") + b"\n") == json.loads(
        json.dumps(value, ensure_ascii=False).encode("utf-8", "replace")
    )


@pytest.mark.parametrize("text", BROKEN)
def test_what_is_no_json_is_a_value_error(text: bytes) -> None:
    with pytest.raises(ValueError):
        read(text)


@pytest.mark.parametrize("value", [{1, 2}, float("nan"), {"a": object()}])
def test_what_has_no_json_is_refused(value: object) -> None:
    with pytest.raises((TypeError, ValueError)):
        written(value)


def test_an_interpreter_without_the_accelerator_does_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "_json", None)
    assert read(written({"a": [1, None, "é"]})) == {"a": [1, None, "é"]}
