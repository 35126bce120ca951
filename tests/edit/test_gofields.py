"""Renames in Go: embedded types, keys of literals, files for several systems, and what a package keeps to itself."""

from pathlib import Path

import pytest

from cairn.codebase.codebase import Codebase
from cairn.edit.gate.draft import draft
from cairn.edit.source.values import OK_SYNTACTIC, REFUSED, EditDraft
from cairn.semantic.states import ProbedContexts
from tests.trees import write

pytestmark = [pytest.mark.requirement("GATE.1"), pytest.mark.sampled]
HEAD = "package a\n\n"


def renamed(folder: Path, files: dict[str, str], word: str, new: str = "Fresh") -> EditDraft:
    """Rename the first place of a word in the first of some files."""
    write(folder, "go.mod", "module example.com\n\ngo 1.20\n")
    for path, text in files.items():
        write(folder, path, text)
    path, text = next(iter(files.items()))
    line = text[: text.index(word)].count("\n") + 1
    column = len(text[: text.index(word)].rpartition("\n")[2])
    with Codebase(str(folder)) as codebase:
        codebase.index()
        with codebase.view() as view:
            return draft(view, ProbedContexts(view, codebase.now().is_there), path, line, column + 1, new)


def places(found: EditDraft) -> list[tuple[str, int, int]]:
    return sorted((spot.path, spot.line, spot.column) for spot in found.spots)


@pytest.fixture(autouse=True)
def _hashing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CAIRN_EMBED_PROVIDER", "hashing")


def test_the_field_of_an_embedded_type_follows(folder: Path) -> None:
    files = {
        "a/a.go": HEAD + "type Lock int\n",
        "b/b.go": 'package b\n\nimport "example.com/a"\n\ntype B struct{ a.Lock }\n\nvar it = B{Lock: 1}\n\n'
        "func f(b B) { b.Lock = 1 }\n",
    }
    found = renamed(folder, files, "Lock")
    assert (found.status, places(found)) == (
        OK_SYNTACTIC,
        [("a/a.go", 3, 5), ("b/b.go", 5, 17), ("b/b.go", 7, 11), ("b/b.go", 9, 16)],
    )


@pytest.mark.parametrize(
    "head", ["(lock a.Lock)", "(a *a.Lock)", "() (a a.Lock)", "(a a.Lock, run func(a a.Lock) a.Lock)"]
)
def test_a_type_is_asked_of_its_package_whatever_the_parameters_are_called(folder: Path, head: str) -> None:
    text = f'package b\n\nimport "example.com/a"\n\nfunc work{head} {{ panic(1) }}\n'
    found = renamed(folder, {"a/a.go": HEAD + "type Lock int\n", "b/b.go": text}, "Lock")
    assert (found.status, len(places(found))) == (OK_SYNTACTIC, 1 + head.count("a.Lock"))


def test_a_field_is_found_behind_a_parameter_that_is_called_like_its_package(folder: Path) -> None:
    text = 'package b\n\nimport "example.com/a"\n\nfunc work(a *a.Lock) int { return a.Size }\n'
    found = renamed(folder, {"a/a.go": HEAD + "type Lock struct{ Size int }\n", "b/b.go": text}, "Size")
    assert (found.status, places(found)) == (OK_SYNTACTIC, [("a/a.go", 3, 18), ("b/b.go", 5, 36)])


@pytest.mark.parametrize("literal", ["Group{Ident: 1}", "[]Group{{Ident: 1}}", 'map[string]*Group{"a": {Ident: 1}}'])
def test_the_key_of_a_literal_is_a_field_of_its_type(folder: Path, literal: str) -> None:
    text = HEAD + f"type Group struct{{ Ident int }}\n\ntype Other struct{{ Ident int }}\n\nvar a = {literal}\n"
    found = renamed(folder, {"a.go": f"{text}\nvar b = Other{{Ident: 2}}\n"}, "Ident")
    assert (found.status, [line for _, line, _ in places(found)]) == (OK_SYNTACTIC, [3, 7])


def test_files_for_several_systems_define_one_thing(folder: Path) -> None:
    files = {
        "a_linux.go": HEAD + "func Open() {}\n",
        "a_windows.go": HEAD + "func Open() {}\n",
        "a_test.go": "package a_test\n\nfunc Open() {}\n",
        "c.go": HEAD + "func f() { Open() }\n",
    }
    found = renamed(folder, files, "Open")
    assert [path for path, _, _ in places(found)] == ["a_linux.go", "a_windows.go", "c.go"]


def test_what_a_package_keeps_to_itself_ends_with_it(folder: Path) -> None:
    text = HEAD + "type A struct{ size int }\n\nfunc (a A) f() int { return a.size }\n"
    other = "package b\n\nfunc f(it any) { g(it).size = 1 }\n"
    assert renamed(folder, {"a/a.go": text, "b/b.go": other}, "size", "fresh").status == OK_SYNTACTIC


def test_what_is_no_name_is_not_renamed(folder: Path) -> None:
    assert renamed(folder, {"a.go": HEAD + "func _() {}\n"}, "_").status == REFUSED


USER = 'package b\n\nimport "example.com/a"\n\nvar it = a.Group{Ident: a.Count()}\n'


@pytest.mark.parametrize(
    ("word", "new", "why"),
    [
        ("Count", "count", "b/b.go is of another package, and would not see count"),
        ("Ident", "ident", "b/b.go is of another package, and would not see ident"),
        ("Group struct", "group", "b/b.go is of another package, and would not see group"),
        ("size", "fmt", "a/o.go:5 uses fmt already"),
        ("Show", "String", "go's own library asks any value for String"),
    ],
)
def test_a_name_that_others_would_not_see_or_have_already_is_refused(
    folder: Path, word: str, new: str, why: str
) -> None:
    text = "type Group struct{ Ident int }\n\nfunc Count() int { return size() }\n\nfunc size() int { return 1 }\n"
    files = {
        "a/a.go": f'{HEAD}{text}\nfunc (g Group) Show() string {{ return "" }}\n',
        "a/o.go": HEAD + 'import "fmt"\n\nfunc show() { fmt.Println(1) }\n',
        "b/b.go": USER,
    }
    found = renamed(folder, files, word, new)
    assert (found.status, found.reasons) == (REFUSED, (why,))
