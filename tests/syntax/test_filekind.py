"""What kind of file a path names."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.languages.files import language_of
from cairn.search.ranking import PENALISED
from cairn.syntax.filekind import DATA_LANGUAGES, DOCUMENT_LANGUAGES, kinds_of


def kinds(path: str) -> set[str]:
    return set(kinds_of(path, language_of(path)))


@pytest.mark.parametrize(
    "path",
    [
        "src/lease.py",
        "latest.py",
        "src/contest/greatest.go",
        "attestation.rs",
        "inspector.ts",
        "src/Latest.java",
        "testament.py",
        "workbench.py",
        "src/output.c",
        "src/distance.py",
        "unlock.py",
    ],
)
def test_an_ordinary_source_file_is_of_no_kind(path: str) -> None:
    assert kinds(path) == set()


@pytest.mark.parametrize("path", ["ChangeLog", "CODEOWNERS", ".pylintrc", "pylintrc"])
def test_text_of_no_known_language_without_a_suffix_is_a_document(path: str) -> None:
    assert kinds(path) == {"docs"}
    assert kinds("src/lease.unheard") == set()
    assert kinds_of("bin/run", "python") == frozenset()


@pytest.mark.parametrize(
    "path",
    [
        "tests/a.py",
        "src/Test/a.py",
        "pkg/__tests__/a.js",
        "lease_test.go",
        "test_lease.py",
        "lease.test.ts",
        "lease.spec.js",
        "lease-test.c",
        "LeaseTest.java",
        "LeaseTests.cs",
        "LeaseTestCase.php",
        "lease_spec.rb",
        "conftest.py",
        "unit-tests/a.py",
        "LeaseTests/A.swift",
        "pkg/testdata/in.go",
    ],
)
def test_tests_are_known_by_folder_or_name(path: str) -> None:
    assert kinds(path) == {"test"}


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("examples/a.py", {"example"}),
        ("third_party/x/a.c", {"vendored"}),
        ("node_modules/x/a.js", {"vendored"}),
        ("benchmarks/a.py", {"bench"}),
        ("lease_bench.go", {"bench"}),
        ("docs/conf.py", {"docs"}),
        ("guide.md", {"docs"}),
        ("README", {"docs"}),
        ("api_pb2.py", {"generated"}),
        ("app.min.js", {"generated"}),
        ("dist/app.js", {"generated"}),
        ("index.d.ts", {"declaration"}),
        ("lease.pyi", {"declaration"}),
        ("setup.toml", {"config"}),
        ("package-lock.json", {"generated", "config"}),
        ("docs/examples/test_a.py", {"docs", "example", "test"}),
    ],
)
def test_other_kinds(path: str, expected: set[str]) -> None:
    assert kinds(path) == expected


def test_the_file_itself_is_no_folder() -> None:
    assert kinds("src/vendor.py") == set()
    assert kinds("src/examples.py") == set()


def test_a_kind_of_language_is_one_that_files_can_have() -> None:
    samples = (
        "a.md a.txt a.tex a.json a.yaml a.toml a.ini a.xml a.html a.css .gitignore go.mod a.diff a.po Makefile "
        "CMakeLists.txt Dockerfile"
    )
    assert {language_of(name) for name in samples.split()} == DOCUMENT_LANGUAGES | DATA_LANGUAGES


@pytest.mark.slow
@given(st.text(st.characters(), max_size=40), st.sampled_from(["python", "markdown", "json", "other"]))
@settings(max_examples=200)
def test_any_path_has_only_kinds_that_ranking_knows(path: str, language: str) -> None:
    found = kinds_of(path, language)
    assert found <= set(PENALISED)
    assert ("docs" in found) >= (language == "markdown")
    assert ("config" in found) >= (language == "json")
