"""What something may be called, by its language."""

import pytest

from cairn.edit.gate.newname import MAX_NAME, keywords, naming_fault

LANGUAGES = ("python", "javascript", "typescript", "tsx", "go", "java", "rust", "c", "ruby", "php")
KEYWORDS = {
    "python": ("class", "lambda", "None", "await", "nonlocal", "self"),
    "javascript": ("function", "typeof", "null", "this", "const", "undefined"),
    "typescript": ("interface", "class", "super", "enum"),
    "go": ("func", "chan", "nil", "range"),
    "java": ("class", "synchronized", "this", "null"),
    "rust": ("fn", "impl", "match", "self"),
}


@pytest.mark.slow
@pytest.mark.parametrize(("language", "word"), [(name, word) for name, words in KEYWORDS.items() for word in words])
def test_a_keyword_is_none(language: str, word: str) -> None:
    assert naming_fault(word, "old", language) == f"it is a keyword of {language}"


@pytest.mark.slow
@pytest.mark.parametrize("language", LANGUAGES)
def test_an_identifier_is_one_and_anything_else_is_not(language: str) -> None:
    for good in ("x", "fresh_name", "größe", "_x"):
        assert naming_fault(good, "old", language) == ""
    assert naming_fault("Fresh2", "Old", language) == ""
    for bad in (
        "",
        " ",
        "a b",
        "a-b",
        "1a",
        "a.b",
        "a\n",
        "a;b",
        "a\0",
        "\x1b[31m",
        "a\u2028b",
        "a(b",
        "é é",
        "'",
        '"',
    ):
        assert naming_fault(bad, "old", language) == "it is no identifier"


def test_a_dollar_is_a_letter_in_some_languages() -> None:
    assert naming_fault("$el", "old", "typescript") == ""
    assert naming_fault("a$1", "old", "javascript") == ""
    assert naming_fault("1$", "old", "javascript") == "it is no identifier"
    assert naming_fault("$el", "old", "python") == "it is no identifier"


def test_a_private_member_keeps_its_underscores_or_gets_none() -> None:
    assert naming_fault("__new", "__old", "python") == ""
    assert naming_fault("__new__", "__old", "python") != "" != naming_fault("__new", "__old__", "python")


def test_the_same_name_and_one_without_end_are_none() -> None:
    assert naming_fault("old", "old", "python") == "it is called so already"
    assert naming_fault("x" * MAX_NAME, "old", "python") == ""
    assert "more than" in naming_fault("x" * (MAX_NAME + 1), "old", "python")


def test_a_language_without_a_grammar_has_no_keywords() -> None:
    assert keywords("klingon") == frozenset()


@pytest.mark.parametrize(
    ("language", "old", "new"),
    [
        ("python", "check", "__bool__"),
        ("python", "value", "__value"),
        ("python", "A", "_A_"),
        ("python", "helper", "test_helper"),
        ("javascript", "value", "arguments"),
        ("typescript", "value", "package"),
        ("tsx", "Panel", "panel"),
        ("java", "value", "goto"),
        ("go", "value", "_"),
    ],
)
def test_a_name_that_means_something_is_refused(language: str, old: str, new: str) -> None:
    assert naming_fault(new, old, language)
    assert naming_fault(f"{old}_new", old, language) == ""


def test_a_value_of_another_language_is_a_name() -> None:
    assert [naming_fault(word, "old", "python") for word in ("this", "null", "nil")] == ["", "", ""]
    assert naming_fault("self", "old", "javascript") == ""
    assert naming_fault("null", "old", "java") == "it is a keyword of java"


def test_a_name_that_python_reads_as_another_is_none() -> None:
    assert naming_fault("\ufb01eld", "old", "python") == "Python reads it as field"
    assert naming_fault("größe", "old", "python") == ""
