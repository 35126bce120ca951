"""What a call is asked of, from the bytes before it and as written."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.syntax.receivers import MAX_RECEIVER, plain_receiver, receiver_of


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("f", ""),
        ("x > f", ""),
        ("a:f", ""),
        ("a.f", "a"),
        ("a.b.f", "a.b"),
        ("a?.b!.f", "a.b"),
        ("$this->d->f", "$this.d"),
        ("crate::util::f", "crate.util"),
        ("@x.f", "@x"),
        ("super().f", "super()"),
        ("a().f", "?"),
        ("a().b.f", "?"),
        ("a[0].f", "?"),
        ("'x'.f", "?"),
        ("5.f", "?"),
        ("变量.方法.f", "变量.方法"),
        ("x = y.f", "y"),
        ("(a.b.f", "a.b"),
        (".f", "?"),
        ("a.\n\t\tf", "a"),
        ("a.b().\n\tf", "?"),
        ("return f", ""),
        ("...f", ""),
        ("0..f", ""),
        ("'a' . f", ""),
        ("a" * (MAX_RECEIVER + 5) + ".f", "?"),
    ],
)
def test_the_words_before_a_name(text: str, expected: str) -> None:
    assert receiver_of(text.encode(), len(text.encode()) - 1) == expected


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("", ""),
        ("a", "a"),
        ("a.b", "a.b"),
        ("a?.b", "a.b"),
        ("$this->d", "$this.d"),
        ("ns::W", "ns.W"),
        ("App\\Store", "App.Store"),
        ("super()", "super()"),
        ("super().x", "super().x"),
        ("a()", "?"),
        ("a[0]", "?"),
        ("'x'", "?"),
        ("(a)", "?"),
        ("变量.方法", "变量.方法"),
    ],
)
def test_a_receiver_as_written_is_a_chain_or_nothing_plain(written: str, expected: str) -> None:
    assert plain_receiver(written) == expected


@pytest.mark.slow
@given(st.text(max_size=40))
def test_no_text_is_too_odd(text: str) -> None:
    assert plain_receiver(text) == "?" or "(" not in plain_receiver(text).replace("super()", "")
    receiver_of(text.encode("utf-8", "replace"), len(text))
