"""Documentation under test: what the pages say is what the code does."""

import ast
import itertools
import re
from dataclasses import fields
from pathlib import Path

import pytest

import cairn as package
from cairn.base.errors import CairnError, ConfigError, ExitCode
from cairn.config.project import ENGINES, MAX_CONFIG_BYTES, IndexSettings, QuerySettings, parse_config
from cairn.workspace.eligibility import SkipReason
from tests.base.test_errors import tree_of
from tests.conformance import ROOT
from tests.test_architecture import load, part_of
from tests.trees import Repo, cairn

DOCS = ROOT / "docs"
README = ROOT / "README.md"
PAGES = [*sorted(ROOT.glob("*.md")), *sorted(DOCS.glob("*.md"))]
SETTINGS = {"index": IndexSettings, "query": QuerySettings}
SUFFIXES = {"python": "py", "typescript": "ts", "markdown": "md", "yaml": "yaml"}


def page(name: str) -> str:
    return (DOCS / name).read_text(encoding="utf-8")


def table(text: str, heading: str) -> list[list[str]]:
    """The cells of the table whose first column has this heading, without their backquotes."""
    rows: list[list[str]] = []
    inside = False
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")] if line.startswith("|") else []
        if not cells:
            inside = False
        elif cells[0] == heading:
            inside = True
        elif inside and not set(cells[0]) <= set("-: "):
            rows.append([cell.replace("`", "") for cell in cells])
    return rows


def section(text: str, heading: str) -> str:
    """The part of a page from a heading to the next one of the same depth."""
    _, found, rest = text.partition(f"\n{heading}")
    assert found, f"no heading {heading!r}"
    return rest.split("\n## ", 1)[0]


def setting_rows(name: str) -> dict[str, list[str]]:
    text = section(page("configuration.md"), f"## `[{name}]`")
    return {row[0]: row for row in table(text, "key")}


def toml_value(value: object) -> str:
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return str(list(value))
    return f'"{value}"' if isinstance(value, str) else str(value)


def accepts(name: str, key: str, value: str) -> bool:
    try:
        parse_config(f"[{name}]\n{key} = {value}\n".encode())
    except ConfigError:
        return False
    return True


def code_blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.DOTALL | re.MULTILINE)


@pytest.mark.parametrize("name", ["errors.md", "configuration.md", "architecture.md"])
def test_the_page_exists(name: str) -> None:
    assert page(name).startswith("# ")


def test_every_error_stands_on_its_page_with_exit_code_and_retryable() -> None:
    told = {row[0]: (row[1], row[2]) for row in table(page("errors.md"), "code")}
    known = [each for each in tree_of(CairnError) if each.__module__ == "cairn.base.errors"]
    assert told == {each.code: (str(int(each.exit_code)), "yes" if each.retryable else "no") for each in known}


def test_every_exit_code_stands_on_the_page_of_errors() -> None:
    told = {int(row[0]): row[1] for row in table(page("errors.md"), "exit code")}
    assert sorted(told) == sorted(int(code) for code in ExitCode)
    for code in ExitCode:
        assert code.name.lower().replace("_", " ") in told[code]


def test_every_reason_for_a_skip_is_explained() -> None:
    told = [row[0] for row in table(page("what-counts.md"), "reason")]
    assert sorted(told) == sorted(reason.value for reason in SkipReason)


@pytest.mark.parametrize("name", SETTINGS)
def test_the_page_of_settings_lists_exactly_the_keys_that_exist(name: str) -> None:
    # The engine is a key of the section, but no part of what rows mean.
    beside = ["engine"] if name == "index" else []
    assert list(setting_rows(name)) == [field.name for field in fields(SETTINGS[name])] + beside
    assert all(accepts(name, key, f'"{engine}"') for key in beside for engine in ENGINES)
    assert all(not accepts(name, key, '"oracle"') for key in beside)


@pytest.mark.parametrize(("name", "key"), [(name, field.name) for name in SETTINGS for field in fields(SETTINGS[name])])
def test_the_default_on_the_page_is_the_default(name: str, key: str) -> None:
    default = getattr(SETTINGS[name](), key)
    told = setting_rows(name)[key][1]
    if default is None:
        assert key == "untracked"
        assert told == "in; out in a shared store"
    else:
        assert told == toml_value(default)


@pytest.mark.requirement("CFG.2")
@pytest.mark.parametrize(("name", "key"), [(name, field.name) for name in SETTINGS for field in fields(SETTINGS[name])])
def test_the_limits_on_the_page_are_the_limits(name: str, key: str) -> None:
    told = setting_rows(name)[key][2]
    if numbers := re.fullmatch(r"(\d+) to (\d+)", told):
        low, high = int(numbers[1]), int(numbers[2])
        assert accepts(name, key, str(low))
        assert accepts(name, key, str(high))
        assert not accepts(name, key, str(low - 1))
        assert not accepts(name, key, str(high + 1))
    elif patterns := re.fullmatch(r"at most (\d+) (?:patterns|names)", told):
        assert accepts(name, key, str(["x"] * int(patterns[1])))
        assert not accepts(name, key, str(["x"] * (int(patterns[1]) + 1)))
    else:
        choices = told.split(", ")
        assert len(choices) > 1
        assert all(accepts(name, key, choice) for choice in choices)
        assert not accepts(name, key, '"something else"')


def test_the_size_limit_of_the_file_is_told() -> None:
    assert f"at most {MAX_CONFIG_BYTES // 1024} KiB" in page("configuration.md")


def test_every_example_of_a_config_is_valid() -> None:
    blocks = [block for path in PAGES for block in code_blocks(path.read_text(encoding="utf-8"), "toml")]
    assert blocks
    for block in blocks:
        parse_config(block.encode())


@pytest.mark.slow
def test_every_environment_variable_is_told() -> None:
    used = {
        node.value
        for module in load(Path(package.__file__).parent).values()
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and re.fullmatch("CAIRN_[A-Z_]+", node.value)
    }
    assert {row[0] for row in table(page("configuration.md"), "variable")} == used


@pytest.mark.slow
def test_every_room_of_the_house_is_on_the_page_of_architecture() -> None:
    told = page("architecture.md")
    for part in {part_of(name) for name in load(Path(package.__file__).parent)} - {"cairn", "__main__", "surfaces"}:
        assert f"`{part.replace('.', '/')}`" in told


@pytest.mark.parametrize("target", ["install", "demo", "test"])
def test_the_readme_names_the_way_in(target: str) -> None:
    assert f"make {target}" in README.read_text(encoding="utf-8")


def test_every_make_target_that_is_named_exists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    targets = set(re.findall(r"^([a-z-]+):", makefile, re.MULTILINE))
    for path in PAGES:
        text = path.read_text(encoding="utf-8")
        named = re.findall(r"(?:^ {4}|`)make ([a-z-]+)", text, re.MULTILINE)
        assert set(named) <= targets, path.name


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_relative_links_lead_to_files_that_exist(path: Path) -> None:
    text = re.sub(r"^```.*?^```$", "", path.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    for target in re.findall(r"\]\(([^)\s]+)\)", text):
        if not re.match(r"[a-z]+:|#", target):
            assert (path.parent / target.partition("#")[0]).exists(), target


def dry_run_example() -> list[str]:
    """What the page says that `cairn index --dry-run` prints."""
    lines = iter(page("what-counts.md").splitlines())
    for line in lines:
        if re.match(r" {4}\$ \S*cairn index --dry-run \S+$", line):
            break
    shown = [line[4:] for line in itertools.takewhile(lambda line: not line or line.startswith("    "), lines)]
    return "\n".join(shown).rstrip().splitlines()


def build_example(repo: Repo, example: list[str]) -> None:
    """A tree of which the example could be true: its rules, what they hide, and as many files."""
    text = "\n".join(example)
    for rule_file, number, rule in re.findall(r"\[(\S+):(\d+): (\S+)\]$", text, re.MULTILINE):
        path = repo.path / rule_file
        rules = path.read_text().splitlines() if path.exists() else []
        rules += ["# a comment"] * (int(number) - len(rules) - 1)
        repo.write(rule_file, "\n".join([*rules, rule]) + "\n")
    for name in re.findall(r"^ +- (\S+)", text, re.MULTILINE):
        repo.write(f"{name}x" if name.endswith("/") else name)
    ignore_files = len(list(repo.path.rglob(".gitignore")))
    for count, language in re.findall(r"^ +(\d+)  (\w+)$", text.partition("would skip")[0], re.MULTILINE):
        for number in range(int(count) - (ignore_files if language == "ignore" else 0)):
            repo.write(f"src/{language}/f{number}.{SUFFIXES[language]}")
    repo.commit()
    repo.write("src/python/f0.py", "y = 2\n")


def comparable(lines: list[str]) -> list[str]:
    """Without what differs from tree to tree: its place, its head and its size."""
    first = re.sub(r"^\S+( +at )\S+,", r"\1,", lines[0])
    return [first, *(re.sub(r"^(would index .*), .*", r"\1", line) for line in lines[1:])]


@pytest.mark.slow
def test_the_example_of_a_dry_run_is_what_the_command_prints(repo: Repo) -> None:
    example = dry_run_example()
    build_example(repo, example)
    printed = cairn("index", "--dry-run", str(repo.path)).stdout.splitlines()
    assert comparable(printed) == comparable(example)


def test_every_page_stands_in_the_index_by_task() -> None:
    told = page("README.md")
    assert [path.name for path in sorted(DOCS.glob("*.md")) if f"]({path.name})" not in told] == ["README.md"]
