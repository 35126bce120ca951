"""The requirement markers: what they catch, and the page that is made from them."""

import os
import shutil
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests import conformance
from tests.conformance import ROOT, Requirement, broken_claims, render, unknown_ids

ROWS = {
    "A.1": Requirement("A.1", "004", "Nothing is lost."),
    "B.1": Requirement("B.1", "D", "Either | or."),
    "C.1": Requirement("C.1", "000", "Never seen yet."),
}
SETTINGS = """
[tool.pytest.ini_options]
testpaths = ["tests"]
addopts = "-ra --strict-markers --strict-config"
xfail_strict = true
markers = [
    "requirement(id): the requirement that the test proves",
    "slow: the second tier",
    "sampled: only the first and the last case are in the first tier",
]
"""
REQUIREMENTS = """
[[requirement]]
id = "ONE.1"
seed = "004"
text = "One holds."
[[requirement]]
id = "TWO.1"
seed = "D"
text = "Two holds."
[[requirement]]
id = "THREE.1"
seed = "D"
text = "Three holds."
"""


@dataclass(frozen=True, slots=True)
class Project:
    """A copy of the test set-up with requirements and tests of its own."""

    path: Path

    @property
    def page(self) -> Path:
        return self.path / "docs" / "conformance.md"

    def pytest(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            (sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments),
            cwd=self.path,
            env=os.environ | {"PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"},
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )

    def claim(self, *ids: str) -> None:
        (self.path / "docs" / "claims.toml").write_text(f"claimed = {list(ids)}\n")

    def test(self, *lines: str) -> None:
        (self.path / "tests" / "test_tiny.py").write_text("\n".join(["import pytest", *lines]) + "\n")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    made = Project(tmp_path / "project")
    (made.path / "tests").mkdir(parents=True)
    (made.path / "docs").mkdir()
    for name in ("__init__.py", "conftest.py", "conformance.py", "trees.py"):
        shutil.copy(ROOT / "tests" / name, made.path / "tests" / name)
    (made.path / "pyproject.toml").write_text(SETTINGS)
    (made.path / "docs" / "requirements.toml").write_text(REQUIREMENTS)
    made.claim()
    made.test("@pytest.mark.requirement('ONE.1')", "def test_one(): pass")
    return made


def test_ids_that_no_requirement_has_are_unknown() -> None:
    assert unknown_ids(["A.1", "Z.9", "B.1", "A.2", "Z.9"], ROWS) == ["A.2", "Z.9"]
    assert unknown_ids(["A.1", "C.1"], ROWS) == []


def test_a_claim_holds_only_with_a_passing_test_and_without_a_failing_one() -> None:
    passed = {"A.1": {"t::a"}, "B.1": {"t::b"}}
    failed = {"B.1": {"t::y", "t::x"}, "D.1": {"t::d"}}
    assert broken_claims(["C.1", "B.1", "A.1"], passed, failed) == {
        "B.1": "failing: t::x, t::y",
        "C.1": "no passing test of the first tier names it",
    }
    assert broken_claims(["A.1"], passed, failed) == {}
    assert broken_claims(["A.1"], {"A.1": set()}, {}) == {"A.1": "no passing test of the first tier names it"}


def test_the_page_shows_open_rows_as_open_and_the_rest_as_they_are() -> None:
    page = render(ROWS, frozenset({"A.1"}), {"A.1": {"t::b", "t::a"}, "B.1": {"t::c"}})
    assert "| A.1 | claimed | Nothing is lost. | `t::a`<br>`t::b` |" in page
    assert "| B.1 | in work | Either \\| or. | `t::c` |" in page
    assert "| C.1 | open | Never seen yet. |  |" in page
    assert "1 of 3" in page


def test_the_page_does_not_depend_on_the_order_of_tests() -> None:
    names = ["t::a", "t::b", "t::c"]
    assert render(ROWS, frozenset(), {"A.1": names}) == render(ROWS, frozenset(), {"A.1": [*names[::-1], "t::a"]})


def test_a_claim_of_an_unknown_requirement_is_not_counted() -> None:
    assert "0 of 3" in render(ROWS, frozenset({"Z.9"}), {})


def test_requirement_ids_are_unique_and_claims_name_known_ones() -> None:
    text = (ROOT / "docs" / "requirements.toml").read_text(encoding="utf-8")
    written = [line for line in text.splitlines() if line.startswith("id = ")]
    assert [line for line, count in Counter(written).items() if count > 1] == []
    assert len(written) == len(conformance.load_requirements())
    assert unknown_ids(conformance.load_claims(), conformance.load_requirements()) == []


@pytest.mark.slow
def test_a_claim_with_a_passing_test_passes(project: Project) -> None:
    project.claim("ONE.1")
    done = project.pytest("--claims")
    assert done.returncode == 0, done.stdout
    assert "1 passed" in done.stdout
    assert "claimed requirement" not in done.stdout


@pytest.mark.slow
def test_a_test_that_names_an_unknown_id_stops_the_run(project: Project) -> None:
    project.test("@pytest.mark.requirement('ONE.1', 'ONE.9')", "def test_one(): pass")
    done = project.pytest()
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "ONE.9" in done.stderr
    assert "tests/test_tiny.py::test_one" in done.stderr


@pytest.mark.slow
def test_a_mark_that_names_nothing_stops_the_run(project: Project) -> None:
    project.test(
        "@pytest.mark.requirement",
        "def test_bare(): pass",
        "@pytest.mark.requirement(id='ONE.1')",
        "def test_keyword(): pass",
    )
    done = project.pytest()
    assert done.returncode == pytest.ExitCode.USAGE_ERROR
    assert "test_bare" in done.stderr
    assert "test_keyword" in done.stderr


@pytest.mark.slow
def test_a_claim_without_a_passing_test_fails_the_run(project: Project) -> None:
    project.test(
        "@pytest.mark.skip(reason='not here')",
        "@pytest.mark.requirement('ONE.1')",
        "def test_one(): pass",
        "@pytest.mark.xfail",
        "@pytest.mark.requirement('TWO.1')",
        "def test_two(): assert False",
        "def test_other(): pass",
    )
    project.claim("ONE.1", "TWO.1", "THREE.1")
    done = project.pytest("--claims")
    assert "1 passed, 1 skipped, 1 xfailed" in done.stdout
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    for claim in ("ONE.1", "TWO.1", "THREE.1"):
        assert f"claimed requirement {claim}: no passing test of the first tier names it" in done.stdout


@pytest.mark.slow
@pytest.mark.requirement("TEST.1")
@pytest.mark.parametrize("selection", [(), ("-m", "not slow")])
def test_only_the_first_tier_proves_a_claim(project: Project, selection: tuple[str, ...]) -> None:
    project.test(
        "@pytest.mark.slow",
        "@pytest.mark.requirement('ONE.1', 'TWO.1')",
        "def test_at_length(): pass",
        "@pytest.mark.requirement('TWO.1')",
        "def test_at_once(): pass",
    )
    project.claim("ONE.1", "TWO.1")
    done = project.pytest("--claims", *selection)
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "claimed requirement ONE.1: no passing test of the first tier names it" in done.stdout
    assert "claimed requirement TWO.1" not in done.stdout


@pytest.mark.slow
@pytest.mark.parametrize(("tier", "cases"), [("not slow", "04"), ("slow", "123"), ("slow or not slow", "01234")])
def test_of_a_sampled_test_the_first_and_the_last_case_are_in_the_first_tier(
    project: Project, tier: str, cases: str
) -> None:
    project.test(
        "pytestmark = pytest.mark.sampled",
        "@pytest.mark.parametrize('case', range(5))",
        "def test_cases(case): print(f'<{case}>')",
    )
    done = project.pytest("-s", "-m", tier)
    assert done.returncode == 0, done.stdout
    assert [case for case in "01234" if f"<{case}>" in done.stdout] == list(cases)


@pytest.mark.requirement("TEST.1")
def test_make_test_runs_the_first_tier_with_its_claims_and_the_rest_is_made_apart() -> None:
    made = subprocess.run(("make", "-n", "-C", str(ROOT), "test"), capture_output=True, text=True, check=True).stdout
    assert '-m "not slow" --claims' in made
    whole = subprocess.run(("make", "-n", "-C", str(ROOT), "test-all"), capture_output=True, text=True, check=True)
    for part in (
        '-m "not slow" --claims',
        '-m "slow and not long"',
        "-m long",
        "tests/engines",
        "make scip",
        "make page",
        "make vscode",
    ):
        assert part in whole.stdout
    assert [line for line in (ROOT / ".ci" / "run").read_text().splitlines() if line.startswith("make ")] == [
        "make check",
        "make test",
        "make rest",
    ]


@pytest.mark.slow
def test_a_claim_with_a_failing_test_says_which(project: Project) -> None:
    project.test(
        "@pytest.fixture",
        "def torn():",
        "    yield",
        "    raise OSError",
        "@pytest.mark.parametrize('x', [1, 2])",
        "@pytest.mark.requirement('ONE.1')",
        "def test_one_case_of_two(x): assert x == 1",
        "@pytest.mark.requirement('TWO.1')",
        "def test_at_its_end(torn): pass",
        "class TestAll:",
        "    pytestmark = pytest.mark.requirement('THREE.1')",
        "    def test_good(self): pass",
    )
    project.claim("ONE.1", "TWO.1", "THREE.1")
    done = project.pytest("--claims")
    assert done.returncode == pytest.ExitCode.TESTS_FAILED
    assert "claimed requirement ONE.1: failing: tests/test_tiny.py::test_one_case_of_two" in done.stdout
    assert "claimed requirement TWO.1: failing: tests/test_tiny.py::test_at_its_end" in done.stdout
    assert "THREE.1:" not in done.stdout


@pytest.mark.slow
def test_the_page_is_written_without_running_a_test(project: Project) -> None:
    project.test("@pytest.mark.requirement('ONE.1')", "def test_one(): assert False")
    project.claim("TWO.1")
    done = project.pytest("--write-conformance")
    assert done.returncode == 0, done.stdout
    page = project.page.read_text()
    assert "| ONE.1 | in work | One holds. | `tests/test_tiny.py::test_one` |" in page
    assert "| TWO.1 | claimed | Two holds. |  |" in page
    assert "| THREE.1 | open | Three holds. |  |" in page
    assert project.pytest("--check-conformance").returncode == 0


@pytest.mark.slow
def test_a_missing_a_stale_and_a_changed_page_fail_the_check(project: Project) -> None:
    missing = project.pytest("--check-conformance")
    assert missing.returncode == pytest.ExitCode.USAGE_ERROR
    assert "make conformance" in missing.stderr
    assert not project.page.exists()

    assert project.pytest("--write-conformance").returncode == 0
    written = project.page.read_text()
    project.page.write_text(written + "\n")
    assert project.pytest("--check-conformance").returncode == pytest.ExitCode.USAGE_ERROR

    project.page.write_text(written)
    project.test("@pytest.mark.requirement('TWO.1')", "def test_two(): pass")
    stale = project.pytest("--check-conformance")
    assert stale.returncode == pytest.ExitCode.USAGE_ERROR
    assert "out of date" in stale.stderr
    assert project.page.read_text() == written


@pytest.mark.slow
def test_a_file_that_can_not_be_imported_leaves_the_page_alone(project: Project) -> None:
    project.page.write_text("as it was\n")
    (project.path / "tests" / "test_broken.py").write_text("import nothing_of_that_name\n")
    assert project.pytest("--write-conformance").returncode != 0
    assert project.page.read_text() == "as it was\n"
