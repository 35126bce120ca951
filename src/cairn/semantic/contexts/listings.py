"""What manifests say about packages: texts to `PackageListing`s, nothing is run.

A reader raises ValueError for a text that it can't make sense of.
"""

import json
import posixpath
import re
import tomllib
from collections.abc import Iterable
from typing import Any

from cairn.semantic.contexts.values import PackageListing

# An unclosed comment extends to the end, so that a hostile text is scanned only once.
_STRING = r'"(?:\\.|[^"\\])*(?:"|\Z)'
_COMMENT = re.compile(rf"({_STRING})|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL)
_LAST_COMMA = re.compile(rf"({_STRING})|,(?=\s*[}}\]])")

_ENDLESS_KEY = re.compile(r"""(?<![\w-])(?:(?:[\w-]++|"[^"\n]*+"|'[^'\n]*+')[ \t]*+\.[ \t]*+){64}""")


def silent(_: str) -> PackageListing:
    """For manifests that mark a root and say nothing about others."""
    return PackageListing()


def any_json(text: str) -> PackageListing:
    """A JSON manifest that says nothing about packages."""
    relaxed_json(text)
    return PackageListing()


def extended(text: str) -> tuple[str, ...]:
    """What a configuration of TypeScript or Pyright builds upon, as it names that."""
    found = _object(relaxed_json(text)).get("extends", [])
    return (found,) if isinstance(found, str) else _texts(found)


def any_toml(text: str) -> PackageListing:
    """A TOML manifest that says nothing about packages."""
    safe_toml(text)
    return PackageListing()


def package_json(text: str) -> PackageListing:
    """npm's and yarn's `workspaces`: a list, or an object with `packages`."""
    said = _object(json.loads(text))
    found = said.get("workspaces")
    if isinstance(found, dict):
        found = found.get("packages", [])
    return PackageListing() if found is None else PackageListing(_texts(found), workspace=True)


def lerna(text: str) -> PackageListing:
    """The `packages` of lerna.json."""
    found = _object(relaxed_json(text)).get("packages")
    return PackageListing(None if found is None else _texts(found))


def rush(text: str) -> PackageListing:
    """The project folders of rush.json."""
    projects = _object(relaxed_json(text)).get("projects", [])
    if not isinstance(projects, list):
        raise ValueError("`projects` is no list")
    return PackageListing(_texts([_object(item).get("projectFolder") for item in projects]))


def deno(text: str) -> PackageListing:
    """The `workspace` of deno.json: a list, or an object with `members`."""
    found = _object(relaxed_json(text)).get("workspace")
    if isinstance(found, dict):
        found = found.get("members", [])
    return PackageListing() if found is None else PackageListing(_texts(found), workspace=True)


_PNPM_ITEM = re.compile(r"\s*-\s+(.+)")
_YAML_COMMENT = re.compile(r"(?:^|\s)#.*")


def pnpm(text: str) -> PackageListing:
    """The one list of pnpm-workspace.yaml that matters; its other keys are left alone."""
    lines = [_YAML_COMMENT.sub("", line).rstrip() for line in text.splitlines()]
    start = next((number for number, line in enumerate(lines) if line.startswith("packages:")), None)
    if start is None:
        if any(line and not re.match(r"[\w'\"-]+\s*:|\s|-{3}|\.{3}", line) for line in lines):
            raise ValueError("it is no mapping")
        return PackageListing()
    rest = lines[start].removeprefix("packages:").strip()
    if rest:
        flow = " ".join((rest, *lines[start + 1 :])).partition("]")
        if not rest.startswith("[") or not flow[1]:
            raise ValueError("`packages` is no list")
        return PackageListing(tuple(_plain(item) for item in flow[0][1:].split(",") if item.strip()))
    found = []
    for line in lines[start + 1 :]:
        item = _PNPM_ITEM.fullmatch(line)
        if item is not None:
            found.append(_plain(item[1]))
        elif line and not line.startswith((" ", "\t")):
            break
        elif line:
            raise ValueError(f"{line.strip()!r} is no item of a list")
    return PackageListing(tuple(found))


def _plain(item: str) -> str:
    """A scalar of YAML that is a pattern: quoted, or as it stands."""
    text = item.strip()
    if text[:1] in ("'", '"'):
        if len(text) < 2 or text[-1] != text[0]:
            raise ValueError(f"{text!r} is not closed")
        return text[1:-1]
    if text[:1] in ("&", "{", "[", "|", ">", "!"):
        raise ValueError(f"{text!r} is no plain text")
    return text


def pyproject(text: str) -> PackageListing:
    """uv's workspace; all else that pyproject.toml may hold says nothing about other packages."""
    found = _at(safe_toml(text), "tool", "uv", "workspace")
    if found is None:
        return PackageListing()
    return PackageListing(_texts(found.get("members", [])) + _without(found.get("exclude", [])), workspace=True)


def cargo(text: str) -> PackageListing:
    """Members, and dependencies by path, which Cargo adds by itself if they lie in the workspace."""
    said = safe_toml(text)
    workspace = _at(said, "workspace")
    tables = [said, *(_object(target) for target in (_at(said, "target") or {}).values())]
    depended = [
        dependency["path"]
        for table in (*tables, workspace or {})
        for kind in ("dependencies", "dev-dependencies", "build-dependencies")
        for dependency in (_at(table, kind) or {}).values()
        if isinstance(dependency, dict) and isinstance(dependency.get("path"), str)
    ]
    if workspace is None:
        return PackageListing(tuple(depended))
    listed = _texts(workspace.get("members", [])) + tuple(depended)
    return PackageListing(listed + _without(workspace.get("exclude", [])), workspace=True)


_GO_USE = re.compile(r"^use[ \t]*(?:\(([^()]*)\)|([^\s(]+))", re.MULTILINE)


def go_work(text: str) -> PackageListing:
    """The folders after `use` in go.work."""
    bare = re.sub(r"//[^\n]*", "", text)
    if not re.search(r"^(?:go|use|toolchain)\b", bare, re.MULTILINE):
        raise ValueError("it has neither `go` nor `use`")
    used = [word for block, single in _GO_USE.findall(bare) for word in (block or single).split()]
    return PackageListing(tuple(word.strip('"`') for word in used))


_GRADLE_COMMENT = re.compile(
    r"('(?:\\.|[^'\\\n])*(?:'|\n|\Z)|\"(?:\\.|[^\"\\\n])*(?:\"|\n|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)", re.DOTALL
)
_PLAIN_TEXT = r"(?:'[^'$\\\n]*'|\"[^\"$\\\n]*\")"
_INCLUDE = re.compile(
    rf"\binclude(Flat)?\b[ \t]*(?:\(\s*({_PLAIN_TEXT}(?:\s*,\s*{_PLAIN_TEXT})*)\s*,?\s*\)"
    rf"|({_PLAIN_TEXT}(?:\s*,\s*{_PLAIN_TEXT})*)(?=[ \t]*(?:[;\n}}]|$)))?"
)
_MOVED = re.compile(
    rf"\bproject\s*\(\s*({_PLAIN_TEXT})\s*\)\s*\.\s*projectDir\s*=\s*"
    rf"(?:new\s+File\s*\(\s*(?:settingsDir|rootDir)\s*,|file\s*\()\s*({_PLAIN_TEXT})\s*\)"
)


def gradle(text: str) -> PackageListing:
    """Projects that are included by plain texts; others can't be known without running the script."""
    bare = _GRADLE_COMMENT.sub(lambda match: match[1] or "", text)
    moved = {_project(name): place.strip("'\"") for name, place in _MOVED.findall(bare)}
    found: list[str] = []
    computed = len(moved) < len(re.findall(r"\bprojectDir\s*=", bare))
    for match in _INCLUDE.finditer(bare):
        texts = re.findall(_PLAIN_TEXT, match[2] or match[3] or "")
        computed = computed or not texts
        found += [moved.get(name, f"../{name}" if match[1] else name) for name in map(_project, texts)]
    note = "some of its projects are computed, which only running it would tell" if computed else ""
    return PackageListing(tuple(found), note=note)


def _project(text: str) -> str:
    return text.strip("'\"").strip(":").replace(":", "/")


def pom(text: str) -> PackageListing:
    """Maven's modules: folders, or files of any name in one."""
    if "<project" not in text:
        raise ValueError("it has no <project>")
    bare = re.sub(r"<!--.*?(?:-->|\Z)", "", text, flags=re.DOTALL)
    modules = [module.strip() for module in re.findall(r"<module>([^<]*)</module>", bare)]
    folders = [posixpath.dirname(module) or "." if module.endswith(".xml") else module for module in modules]
    return PackageListing(tuple(folders)) if folders else PackageListing()


def solution(text: str) -> PackageListing:
    """The projects of a Visual Studio solution."""
    if "Microsoft Visual Studio Solution File" not in text:
        raise ValueError("it has not the head of a solution")
    return _projects(re.findall(r'^Project\("[^"\n]*"\)\s*=\s*"[^"\n]*",\s*"([^"\n]+proj)"', text, re.MULTILINE))


def solution_xml(text: str) -> PackageListing:
    """The projects of a solution in the newer XML format."""
    if "<Solution" not in text:
        raise ValueError("it has no <Solution>")
    return _projects(re.findall(r'<Project\b[^<>]*\bPath="([^"]+proj)"', text))


def _projects(files: Iterable[str]) -> PackageListing:
    return PackageListing(tuple(posixpath.dirname(file.replace("\\", "/")) or "." for file in files))


def safe_toml(text: str) -> dict[str, Any]:
    """TOML; the standard reader takes a time that grows with the square of a key's parts."""
    if _ENDLESS_KEY.search(text):
        raise ValueError("it has a key of more than 64 parts")
    return tomllib.loads(text)


def relaxed_json(text: str) -> Any:
    """JSON as these tools read it: with comments, and commas before a closing bracket."""
    bare = _COMMENT.sub(lambda match: match[1] or " ", text)
    return json.loads(_LAST_COMMA.sub(lambda match: match[1] or "", bare))


def _object(value: Any) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise ValueError("an object is expected")
    return value


def _at(table: dict[str, Any], *keys: str) -> dict[str, Any] | None:
    for key in keys:
        if key not in table:
            return None
        table = _object(table[key])
    return table


def _texts(values: Any) -> tuple[str, ...]:
    if not isinstance(values, list) or not all(isinstance(item, str) for item in values):
        raise ValueError("a list of texts is expected")
    return tuple(values)


def _without(values: Any) -> tuple[str, ...]:
    """What is taken out, with everything beneath it."""
    return tuple(f"!{item.rstrip('/')}/**" for item in _texts(values))
