"""A few files tell whether a context can be understood."""

import pytest

from cairn.semantic.contexts.survey import probe, survey
from cairn.semantic.contexts.values import DETACHED, EMPTY, FAILED, PACKAGE, VALID, Context, Probe
from tests.semantic.contexts.trees import Files, TextTree

PYTHON = Context("python", "", PACKAGE)
DATA = Context("data", "", 0)


def probed(context: Context, files: Files) -> Probe:
    return probe(context, files, TextTree(files).tree)


@pytest.mark.requirement("CTX.1")
def test_at_most_five_samples_the_shortest_path_first_then_by_name() -> None:
    names = ["b.py", "a.py", "c/d.py", "c/a.py", "long.py", "longer.py", "blank.py"]
    files = dict.fromkeys(names, "x = 1\n") | {"z.py": " \n"}
    found = probed(PYTHON, files)
    assert found.status == VALID
    assert found.samples == found.sound == ("a.py", "b.py", "c/a.py", "c/d.py", "long.py")


@pytest.mark.requirement("CTX.1")
@pytest.mark.parametrize(
    ("context", "files", "status"),
    [
        (PYTHON, {"a.py": "def f(:\n    return (((\n"}, FAILED),
        (PYTHON, {"a.py": "this is no code at all, is it? $$$ ((\n"}, FAILED),
        (PYTHON, {"a.py": "all these words are one error " * 10}, FAILED),
        (PYTHON, {"a.py": "# a comment alone\n"}, FAILED),
        (PYTHON, {"a.py": "x = 1\ny = 2\nz = [1, 2, 3]\n" * 20 + "def (\n"}, VALID),
        (PYTHON, {"a.py": "", "b.py": "\n"}, EMPTY),
        (PYTHON, {}, EMPTY),
        (DATA, {"a.json": '{"a": [1, 2]}', "b.yaml": "a: 1\n"}, VALID),
        (DATA, {"a.json": '{"a": 1,,}' + "[1]," * 99}, FAILED),
        (DATA, {"a.json": '{"a": [1, 2]}', "b.json": '{"a": 1,,}'}, VALID),
        (PYTHON, {"a.py": "((( $$ ?\n", "b.py": "x = 1\n"}, VALID),
        (Context("docker", "", 0), {"Dockerfile": "FROM x\n"}, EMPTY),
        (Context("python", "a", PACKAGE, detached=True), {"a/a.py": "x = 1\n"}, DETACHED),
    ],
)
def test_what_a_probe_finds(context: Context, files: Files, status: str) -> None:
    assert probed(context, files).status == status


def test_a_file_that_is_gone_or_endless_is_no_sample() -> None:
    files = {"a.py": "x = 1\n" + "y" * 2_000_000, "bb.py": "x = 1\n"}
    assert probed(PYTHON, files).samples == ("bb.py",)
    assert probe(PYTHON, ["gone.py"], TextTree({}).tree) == Probe(EMPTY)


@pytest.mark.requirement("CTX.1")
def test_a_survey_probes_every_context_and_counts_what_has_no_owner() -> None:
    files = {
        "pnpm-workspace.yaml": "packages: ['a']\n",
        "a/package.json": "{}",
        "a/x.ts": "export const x = 1;\n",
        "b/package.json": "{}",
        "b/y.ts": "export const y = 1;\n",
        "s.py": "x = 1\n",
    }
    found = survey(TextTree(files))
    statuses = {name: item.status for name, item in found.probes.items() if name.startswith("javascript")}
    assert statuses == {"javascript:.": EMPTY, "javascript:a": VALID, "javascript:b": DETACHED}
    assert found.members["javascript:a"] == ["a/x.ts"]
    assert found.unowned == {"javascript": 1, "python": 1}
    answer = found.router().route("a/x.ts")
    assert answer is not None
    assert answer.id == "javascript:a"
    assert found.router().route("b/y.ts") is None
