"""Every line that holds a text, over MCP: by file, counted, within a budget, page by page."""

import re
from pathlib import Path
from typing import Any

import pytest

from cairn.surfaces.mcp.service import ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME
from tests.surfaces.mcp.local import Local, index
from tests.trees import Repo, write

FILES, EACH = 12, 9
ALL = [f"src/part_{at:02}.py:{line}" for at in range(FILES) for line in range(2, EACH + 2)]


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    repo = Repo.create(tmp_path / "repo")
    for at in range(FILES):
        lines = [
            f"def part_{at}():",
            *(f"    walrus_{at} = {line}" for line in range(EACH)),
            f"    return walrus_{at - 1}",
        ]
        repo.write(f"src/part_{at:02}.py", "\n".join(lines[:-1]) + "\n")
    repo.commit()
    return repo.path


@pytest.fixture
def asked(local: Local, tree: Path) -> Local:
    index(tree)
    local.see(tree)
    return local


def told(local: Local, **given: Any) -> str:
    return text_of(BY_NAME["search_codebase"].call(local.service, ToolCall(local.access), given))


def lines_in(text: str) -> list[str]:
    found, path = [], ""
    for line in text.split("\n"):
        if re.match(r"src/\S+$", line):
            path = line
        elif hit := re.match(r"(\d+)(?: in \w+)?\t", line):
            found.append(f"{path}:{hit[1]}")
    return found


def following(text: str) -> str | None:
    hit = re.search(r"^\d+ more: continuation (\S+)$", text, re.MULTILINE)
    return hit[1] if hit else None


def pages(local: Local, **given: Any) -> list[str]:
    found = [told(local, **given)]
    while (token := following(found[-1])) is not None:
        found.append(told(local, **given, continuation=token))
    return found


@pytest.mark.slow
@pytest.mark.requirement("AGT.2")
@pytest.mark.parametrize("ask", [{"query": "walrus_", "literal": True}, {"query": "wal[r]us_[0-9]+", "regex": True}])
def test_every_line_comes_once_whatever_a_page_holds(asked: Local, ask: dict[str, Any]) -> None:
    whole = told(asked, **ask)
    assert lines_in(whole) == ALL
    assert f"{len(ALL)} lines in {FILES} files" in whole
    for given in ({"limit": 7}, {"limit": 1000 // 10}, {"budget_tokens": 130}, {"budget_tokens": 200, "limit": 11}):
        found = pages(asked, **ask, **given)
        assert [line for page in found for line in lines_in(page)] == ALL, given
        assert len(found) > 1
        most = 4 * given.get("budget_tokens", 4_000)
        assert all(len(page.encode()) <= most for page in found)
        assert f" of {len(ALL)} lines in {FILES} files" in found[0]


@pytest.mark.requirement("AGT.2")
def test_files_that_go_away_between_pages_neither_repeat_nor_skip_others(asked: Local, tree: Path) -> None:
    ask = {"query": "walrus_", "literal": True, "limit": 2 * EACH}
    first = told(asked, **ask)
    assert lines_in(first) == ALL[: 2 * EACH]
    write(tree, "src/part_00.py", "x = 1\n")
    (tree / "src/part_01.py").unlink()
    second = told(asked, **ask, continuation=following(first))
    assert lines_in(second) == ALL[2 * EACH : 4 * EACH]


@pytest.mark.requirement("AGT.2")
def test_files_and_counts_alone(asked: Local) -> None:
    files = told(asked, query="walrus_", literal=True, files_only=True)
    assert files.split("\n")[:-1] == [
        *(f"{EACH}\tsrc/part_{at:02}.py" for at in range(FILES)),
        f"{len(ALL)} lines in {FILES} files",
    ]
    assert told(asked, query="walrus_", literal=True, count_only=True).split("\n")[:-1] == [
        f"{len(ALL)} lines in {FILES} files"
    ]
    some = pages(asked, query="walrus_", literal=True, files_only=True, limit=5)
    named = [line.split("\t")[1] for page in some for line in page.split("\n") if "\t" in line]
    assert named == [f"src/part_{at:02}.py" for at in range(FILES)]
    everything = told(asked, query=".", regex=True, count_only=True)
    assert everything.startswith(f"{FILES * (EACH + 1)} lines in {FILES} files")
    assert "belongs to literal or regex" in told(asked, query="walrus", count_only=True)


@pytest.mark.requirement("AGT.2")
def test_filters_and_a_token_of_another_snapshot(asked: Local, tree: Path, tmp_path: Path) -> None:
    one = told(asked, query="walrus_", literal=True, include=["src/part_03.py"])
    assert lines_in(one) == [line for line in ALL if "part_03" in line]
    assert "no line holds it" in told(asked, query="walrus_", literal=True, languages=["go"])
    assert "function part_3" in told(asked, query="part_3", kinds=["function"])
    assert "nothing found" in told(asked, query="part_3", kinds=["class"])
    assert "Kinds are" in told(asked, query="part_3", kinds=["thing"])
    first = told(asked, query="walrus_", literal=True, limit=5)
    other = Repo.create(tmp_path / "other")
    other.write("a.py", "walrus_ = 1\n")
    other.commit()
    index(other.path)
    asked.see(other.path)
    strange = told(asked, query="walrus_", literal=True, limit=5, continuation=following(first))
    assert strange.startswith('{"status": "not_found"')
    assert "Ask again without `continuation`" in strange


def test_several_places_of_a_file_are_told_where_they_differ(asked: Local, tree: Path) -> None:
    body = "\n".join(f"    step_{at} = {at}" for at in range(60))
    one = f"def feed_the_walrus():\n{body}\n\n\n"
    write(tree, "src/zoo.py", one + one.replace("feed_the", "wash_the") + "def sleep():\n    pass\n")
    text = told(asked, query="walrus feeding and washing", include=["src/zoo.py"])
    assert len(re.findall(r"(?:feed|wash)_the_walrus", text)) >= 2
    assert re.search(r"^  also \d+(?:-\d+)? (?:feed|wash)_the_walrus", text, re.MULTILINE)
