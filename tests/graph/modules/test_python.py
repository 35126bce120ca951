"""Imports of Python."""

import pytest

from cairn.graph.customs import Target
from tests.graph.modules.trees import NOTHING, found, guess, sure, tree

LAYOUT = tree(
    "src/app/__init__.py src/app/main.py src/app/store/__init__.py src/app/store/view.py src/app/store/view.pyi",
    "src/app/only.pyi src/app/fast.pyx src/app/store/data/rows.py src/app/types.py",
    "tests/test_main.py tests/helpers.py tests/deep/test_view.py",
    "scripts/run.py scripts/requests.py scripts/json.py",
    "vendor/tool/__init__.py vendor/tool/inner.py",
)


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("src/app/main.py", ".store", sure("src/app/store/__init__.py")),
        ("src/app/main.py", ".store.view", sure("src/app/store/view.py")),
        ("src/app/main.py", ".", sure("src/app/__init__.py")),
        ("src/app/store/view.py", "..main", sure("src/app/main.py")),
        ("src/app/store/__init__.py", ".view", sure("src/app/store/view.py")),
        ("src/app/store/view.py", "...app.main", sure("src/app/main.py")),
        ("src/app/main.py", "....x", NOTHING),
        ("src/app/main.py", ".only", sure("src/app/only.pyi")),
        ("src/app/main.py", ".fast", sure("src/app/fast.pyx")),
        ("src/app/main.py", ".store.open", sure("src/app/store/__init__.py", "open")),
        ("src/app/main.py", "app", sure("src/app/__init__.py")),
        ("src/app/main.py", "app.store.view", sure("src/app/store/view.py")),
        ("src/app/main.py", "app.store.view.View", sure("src/app/store/view.py", "View")),
        ("src/app/main.py", "app.store.gone.x", guess("src/app/store/__init__.py", "gone", "x")),
        ("src/app/main.py", "app.store.data", NOTHING),
        ("src/app/main.py", "app.store.data.rows", sure("src/app/store/data/rows.py")),
        ("tests/test_main.py", "app.main", sure("src/app/main.py")),
        ("tests/test_main.py", "helpers", sure("tests/helpers.py")),
        ("tests/deep/test_view.py", "helpers", sure("tests/helpers.py")),
        ("tests/deep/test_view.py", "tests.helpers", sure("tests/helpers.py")),
        ("tests/test_main.py", "tool.inner", sure("vendor/tool/inner.py")),
        ("src/app/main.py", "types", NOTHING),
        ("src/app/main.py", "json", NOTHING),
        ("scripts/run.py", "json", guess("scripts/json.py")),
        ("scripts/run.py", "requests", sure("scripts/requests.py")),
        ("src/app/main.py", "requests", guess("scripts/requests.py")),
        ("src/app/main.py", "numpy.linalg", NOTHING),
        ("src/app/main.py", "app..main", NOTHING),
        ("src/app/main.py", "app/main", NOTHING),
        ("src/app/main.py", "...", NOTHING),
    ],
)
def test_modules_and_packages(importer: str, source: str, expected: Target) -> None:
    assert found(LAYOUT, "python", importer, source) == expected


def test_the_importers_own_root_goes_before_others_of_the_same_name() -> None:
    files = tree("one/app/__init__.py one/app/a.py one/app/b.py two/app/__init__.py two/app/a.py two/run.py top.py")
    assert found(files, "python", "one/app/b.py", "app.a") == sure("one/app/a.py")
    assert found(files, "python", "two/run.py", "app.a") == guess("two/app/a.py one/app/a.py")
    assert found(files, "python", "top.py", "app.b") == sure("one/app/b.py")


def test_a_module_within_a_package_is_no_top_of_its_own() -> None:
    files = tree("app/__init__.py app/vendored/__init__.py app/vendored/six.py app/main.py")
    assert found(files, "python", "app/main.py", "six") == NOTHING


def test_a_package_goes_before_a_module_of_the_same_name() -> None:
    files = tree("a/__init__.py a.py main.py")
    assert found(files, "python", "main.py", "a") == sure("a/__init__.py")


def test_a_name_that_is_everywhere_is_found_beside_the_importer_only() -> None:
    files = tree(*(f"tools/t{number}/utils.py" for number in range(50)), "tools/t7/run.py other/run.py")
    assert found(files, "python", "tools/t7/run.py", "utils").paths == ("tools/t7/utils.py",)
    assert found(files, "python", "other/run.py", "utils") == NOTHING


def test_namespace_packages_span_roots() -> None:
    files = tree("a/src/ns/one/__init__.py b/src/ns/two/__init__.py b/src/ns/two/x.py")
    assert found(files, "python", "a/src/ns/one/__init__.py", "ns.two.x") == sure("b/src/ns/two/x.py")


@pytest.mark.parametrize(
    ("importer", "source", "expected"),
    [
        ("run.py", "utils.data", guess("utils/data.py")),
        ("run.py", "helper", guess("helper.py")),
        ("web/page.py", "utils.data.Rows", guess("utils/data.py", "Rows")),
        ("web/page.py", "jinja2", NOTHING),
        ("web/page.py", "jinja2.loaders", NOTHING),
        ("web/jinja2.py", "jinja2", NOTHING),
        ("run.py", "run", NOTHING),
        ("web/page.py", "json.decoder", NOTHING),
    ],
)
def test_a_program_in_a_package_may_find_what_its_folders_hold(importer: str, source: str, expected: Target) -> None:
    layout = tree(
        "__init__.py run.py helper.py utils/__init__.py utils/data.py",
        "web/__init__.py web/page.py web/jinja2.py web/json/decoder.py",
    )
    assert found(layout, "python", importer, source) == expected
