"""What holds for every language: no exception, no way out of the tree, one answer for one tree."""

import random
from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cairn.graph.customs import MAX_SOURCE, Modules, Target
from cairn.languages.modules.documents import json_object, toml_texts
from cairn.languages.modules.tree import MANY, Tree, join
from cairn.languages.registry import records
from tests.graph.modules.trees import NOTHING, Files, modules_of, tree

LANGUAGES = [each.name for each in records() if each.modules]
CONFIGURATIONS = (
    "tsconfig.json jsconfig.json package.json go.mod go.work Cargo.toml composer.json pubspec.yaml pnpm-workspace.yaml"
    " Package.swift"
).split()
SUFFIXES = "py ts d.ts js go rs java kt c h rb php dart lua ex hs pm cs swift scss sh tf zig".split()

names = st.sampled_from("a b lib src index main mod __init__ Foo crate x.y é".split())
folders = st.lists(names, max_size=3)
paths = st.one_of(
    st.builds(lambda parts, name, end: "/".join([*parts, f"{name}.{end}"]), folders, names, st.sampled_from(SUFFIXES)),
    st.builds(lambda parts, name: "/".join([*parts, name]), folders, st.sampled_from(CONFIGURATIONS)),
)
words = st.sampled_from(
    "a b . .. / // :: \\ * { } , @ # ~ $ ! ? lib src index Foo crate self super as x.y package: é".split()
)
sources = st.one_of(st.text(max_size=40), st.lists(words, max_size=8).map("".join))
settings_texts = st.one_of(
    st.text(max_size=60),
    st.sampled_from(
        [
            '{"extends": "./tsconfig.json", "compilerOptions": {"baseUrl": "..", "paths": {"*": ["../*", "./*"]}}}',
            '{"name": "a", "main": "../../a", "exports": {"./*": "./../*"}, "workspaces": ["**", "*/../*"]}',
            "module a\nreplace b => ../../..\nreplace a/b => ./\n",
            '[package]\nname = "a"\n[lib]\npath = "../../x.rs"\n',
            '{"autoload": {"psr-4": {"": "..", "a\\\\": ["", "/"]}}}',
            "name: a\n",
        ]
    ),
)
trees = st.dictionaries(paths, settings_texts, max_size=12)


@pytest.mark.slow
@given(
    files=trees, language=st.sampled_from(LANGUAGES), importer=st.one_of(paths, st.text(max_size=20)), source=sources
)
@settings(max_examples=600, deadline=None)
def test_any_input_leads_to_files_of_the_tree_or_nowhere(
    files: Files, language: str, importer: str, source: str
) -> None:
    target = modules_of(files).resolve(language, importer, source)
    assert set(target.paths) <= set(files)
    assert len(set(target.paths)) == len(target.paths)
    assert target.paths or target == NOTHING


@pytest.mark.slow
@given(
    files=trees,
    questions=st.lists(st.tuples(st.sampled_from(LANGUAGES), paths, sources), max_size=6),
    seed=st.integers(),
)
@settings(max_examples=200, deadline=None)
def test_the_order_of_paths_and_of_questions_changes_nothing(
    files: Files, questions: list[tuple[str, str, str]], seed: int
) -> None:
    shuffled = list(files)
    random.Random(seed).shuffle(shuffled)
    one, other = modules_of(files), Modules(iter(shuffled), files.get)
    expected = {question: one.resolve(*question) for question in questions}
    assert {question: other.resolve(*question) for question in reversed(questions)} == {
        question: expected[question] for question in reversed(questions)
    }


@pytest.mark.slow
@given(folder=st.lists(names, max_size=4).map("/".join), relative=sources)
def test_a_joined_path_never_leaves_the_tree(folder: str, relative: str) -> None:
    joined = join(folder, relative)
    assert joined is None or not {"..", "."} & set(joined.split("/"))
    assert joined is None or not joined.startswith("/")


@pytest.mark.slow
@given(st.text())
def test_documents_never_raise(text: str) -> None:
    assert isinstance(json_object(text), dict)
    assert all(len(found) == 3 for found in toml_texts(text))


@pytest.mark.slow
@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    )
)
def test_what_is_json_is_read_as_json(value: object) -> None:
    import json

    assert json_object(json.dumps({"value": value})) == {"value": value}


def test_configuration_is_read_once_and_only_when_it_is_needed() -> None:
    files = tree("src/main.ts src/a.ts src/b/c.ts main.py") | {"tsconfig.json": "{}", "package.json": "{}"}
    asked: list[str] = []

    def read(path: str) -> str | None:
        asked.append(path)
        return files.get(path)

    modules = Modules(files, read)
    modules.resolve("python", "main.py", "src")
    modules.resolve("typescript", "src/main.ts", "./a")
    assert asked == []
    for source in ("react", "vue", "x/y"):
        modules.resolve("typescript", "src/main.ts", source)
        modules.resolve("typescript", "src/b/c.ts", source)
    assert sorted(asked) == ["package.json", "tsconfig.json"]


@pytest.mark.parametrize("language", LANGUAGES)
def test_sources_beyond_all_measure_lead_nowhere(language: str) -> None:
    files = tree("a/b.py a/__init__.py src/lib.rs Cargo.toml a.ts")
    for source in ("a" * (MAX_SOURCE + 1), "a." * 5_000_000, "../" * 1_000_000, "", "\0", "." * MAX_SOURCE):
        assert modules_of(files).resolve(language, "a/b.py", source).paths in ((), ("a/b.py",))


def test_a_chain_of_extends_of_any_length_ends() -> None:
    files = {f"t{number}.json": f'{{"extends": ["./t{number + 1}", "./t{number // 2}"]}}' for number in range(3000)}
    files |= {"tsconfig.json": '{"extends": "./t0"}', "main.ts": ""}
    assert modules_of(files).resolve("typescript", "main.ts", "x") == NOTHING


def test_an_ending_that_fits_too_many_files_names_none() -> None:
    few = Tree([f"d{number}/x/a.h" for number in range(MANY)], lambda path: None)
    assert len(few.ending("x/a.h")) == MANY
    assert few.ending("/a.h") == few.ending("") == few.ending("y/a.h") == ()
    many = Tree([f"d{number}/x/a.h" for number in range(MANY + 1)], lambda path: None)
    assert many.ending("x/a.h") == ()
    assert many.ending("d3/x/a.h") == ("d3/x/a.h",)


def _counted(modules: Callable[[str, str, str], Target], questions: list[tuple[str, str, str]]) -> int:
    return sum(bool(modules(*question).paths) for question in questions)


@pytest.mark.slow
def test_a_large_tree_is_asked_without_being_searched_through() -> None:
    """Ten thousand files; a scan for each of the questions would take minutes."""
    files = [f"pkg{number % 100}/part{number}/mod.h" for number in range(10_000)]
    questions = [("c", f"pkg1/main{number % 50}.c", f"part{number % 10_000}/mod.h") for number in range(30_000)]
    assert _counted(Modules(files, lambda path: None).resolve, questions) == 30_000
