"""The worked example of docs/semantic.md, run as it stands there."""

import re
import shlex
from pathlib import Path

import pytest

from tests.conformance import ROOT
from tests.semantic.fakes import Project, project_in
from tests.semantic.recorded import TOOLS, why_not_for_real

PAGE = (ROOT / "docs" / "semantic.md").read_text(encoding="utf-8")
EXAMPLE = PAGE.partition("## A worked example\n")[2].partition("\n## ")[0]


def blocks(language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", EXAMPLE, re.DOTALL | re.MULTILINE)


def files() -> dict[str, str]:
    named = (block.partition("\n") for block in blocks("python"))
    return {"pyproject.toml": "[project]\n"} | {first.removeprefix("# "): text for first, _, text in named}


def comparable(text: str) -> list[str]:
    """Without what differs from run to run: ids, times and the folder."""
    text = re.sub(r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b", "ID", text)
    text = re.sub(r"\b\d{4}-\d\d-\d\dT[\d:.]+Z", "TIME", text)
    text = re.sub(r"\b(native|python) kernel$", "KERNEL", text, flags=re.MULTILINE)
    return re.sub(r"^/\S+$", "FOLDER", text, flags=re.MULTILINE).split("\n")


def played(project: Project, block: str) -> str:
    said = ""
    for command in re.findall(r"^\$ cairn (.*)$", block, re.MULTILINE):
        said += f"$ cairn {command}\n{project.cairn(*shlex.split(command)).stdout}"
    return said


@pytest.mark.slow
@pytest.mark.parametrize("tool", ["fake", "real"])
def test_the_worked_example_is_what_the_commands_print(
    tool: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if tool == "real" and (why := why_not_for_real()):
        pytest.skip(why)
    project = project_in(tmp_path, monkeypatch, files(), index=False)
    if tool == "real":
        monkeypatch.setenv("CAIRN_TOOL_FOLDERS", str(TOOLS))
    first, second = blocks("console")
    assert comparable(played(project, first)) == comparable(first)
    before, after = re.findall(r"`(return \d)` becomes `(return \d)`", EXAMPLE)[0]
    project.write("shop/goods.py", files()["shop/goods.py"].replace(before, after))
    assert comparable(played(project, second)) == comparable(second)
    assert set(project.served()) == set(files()) - {"pyproject.toml"}
