"""Which program is run, for whom, and what becomes of what it writes."""

import os
import sys
from pathlib import Path

import pytest

from cairn.base.errors import ConfigError
from cairn.semantic.indexers import (
    INDEXERS,
    Indexer,
    IndexerCall,
    IndexerRequest,
    common_folder,
    indexer_for,
    indexer_named,
)
from cairn.semantic.job import JobFailureCode
from cairn.semantic.runner import RunLimits, ToolError
from cairn.semantic.scip.decode import Document
from cairn.semantic.scip.reader import read_index
from cairn.semantic.scip.symbols import parse_symbol
from cairn.semantic.scip.wire import ScipError
from cairn.semantic.scope import FULL, NOTHING, RefreshScope, scope_of
from cairn.semantic.settings import SemanticSettings, load_settings, parse_settings
from cairn.semantic.tools import find_tool, run_indexer, tool_environment, tool_version
from tests.semantic.recorded import PROJECTS, TOOLS, index_for_real, make_project, recorded, why_not_for_real
from tests.trees import write

NO_SETTINGS = SemanticSettings()


def _call(request: IndexerRequest) -> IndexerCall:
    return IndexerCall(("index", "--output", request.output), files={"wanted.txt": "here"})


FAKE = Indexer("scip-fake", ("fake",), _call, False, "fetch scip-fake")
BUILDS = Indexer("scip-fake", ("fake",), _call, True, "fetch scip-fake")


def tool(folder: Path, code: str, name: str = "scip-fake") -> Path:
    """A program of a few lines."""
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / name
    path.write_text(f"#!{sys.executable}\nimport os, sys\noutput = sys.argv[-1]\n{code}\n")
    path.chmod(0o700)
    return path


@pytest.fixture
def request_(tmp_path: Path) -> IndexerRequest:
    root, private = tmp_path / "root", tmp_path / "private"
    root.mkdir()
    private.mkdir()
    return IndexerRequest(str(root), str(root), "name", str(private))


def environ(*folders: Path) -> dict[str, str]:
    return {"PATH": os.pathsep.join(map(str, folders))}


def failed(indexer: Indexer, request: IndexerRequest, *folders: Path, limits: RunLimits | None = None) -> ToolError:
    with pytest.raises(ToolError) as told:
        run_indexer(indexer, request, NO_SETTINGS, environ(*folders), limits=limits)
    return told.value


@pytest.mark.requirement("JOB.4")
def test_a_missing_tool_is_told(request_: IndexerRequest, tmp_path: Path) -> None:
    told = failed(FAKE, request_, tmp_path)
    assert told.code is JobFailureCode.MISSING_TOOL
    assert told.message.endswith("To get it: fetch scip-fake")


def test_how_one_gets_each_tool_is_told() -> None:
    assert all(each.executable in each.install for each in INDEXERS)


@pytest.mark.slow
@pytest.mark.requirement("JOB.4")
@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("sys.exit('no luck')", JobFailureCode.TOOL_CRASHED),
        ("os.abort()", JobFailureCode.TOOL_CRASHED),
        ("pass", JobFailureCode.TOOL_CRASHED),
        ("open(output, 'w')", JobFailureCode.TOOL_CRASHED),
        ("import signal; signal.pause()", JobFailureCode.TOOL_TIMEOUT),
    ],
)
def test_a_tool_that_gives_nothing_is_told(
    request_: IndexerRequest, tmp_path: Path, code: str, expected: JobFailureCode
) -> None:
    tool(tmp_path / "bin", code)
    assert failed(FAKE, request_, tmp_path / "bin", limits=RunLimits(wall_s=2.0)).code is expected


@pytest.mark.requirement("JOB.4")
def test_garbage_is_a_parse_error(request_: IndexerRequest, tmp_path: Path) -> None:
    tool(tmp_path / "bin", "open(output, 'w').write('I am an index')")
    indexed = run_indexer(FAKE, request_, NO_SETTINGS, environ(tmp_path / "bin"))
    with pytest.raises(ScipError):
        read_index(indexed.output)


def test_a_good_tool_runs_in_the_context_with_its_files(request_: IndexerRequest, tmp_path: Path) -> None:
    tool(
        tmp_path / "bin",
        "wanted = open(os.path.dirname(output) + '/wanted.txt').read()\nopen(output, 'w').write(wanted + os.getcwd())",
    )
    indexed = run_indexer(FAKE, request_, NO_SETTINGS, environ(tmp_path / "bin"))
    assert Path(indexed.output).read_text() == "here" + request_.context_root
    assert (indexed.covers, indexed.prefix) == (FULL, "")


@pytest.mark.requirement("SEC.1")
def test_a_tool_that_may_run_the_repositorys_code_needs_the_users_trust(
    request_: IndexerRequest, tmp_path: Path
) -> None:
    marker = tmp_path / "ran"
    tool(tmp_path / "bin", f"open({str(marker)!r}, 'w'); open(output, 'w').write('x')")
    # All that a repository can say about itself.
    write(Path(request_.root), ".cairn.toml", f'[semantic]\ntrusted_roots = ["{request_.root}"]\n')
    assert failed(BUILDS, request_, tmp_path / "bin").code is JobFailureCode.UNTRUSTED_ROOT
    assert not marker.exists()
    for other in (str(tmp_path), f"{request_.root}/inner", f"{request_.root}s"):
        with pytest.raises(ToolError, match="trusted"):
            run_indexer(BUILDS, request_, SemanticSettings((other,)), environ(tmp_path / "bin"))
    run_indexer(BUILDS, request_, SemanticSettings((request_.root,)), environ(tmp_path / "bin"))
    assert marker.exists()


@pytest.mark.requirement("SEC.1")
def test_a_tool_in_the_tree_is_never_found(
    request_: IndexerRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = Path(request_.root)
    inside = tool(root / "bin", "pass")
    monkeypatch.chdir(root)
    linked = tmp_path / "linked"
    linked.symlink_to(root / "bin")
    links = tmp_path / "links"
    links.mkdir()
    (links / "scip-fake").symlink_to(inside)
    for folder in (".", "bin", "", str(root / "bin"), str(root), str(linked), str(links)):
        assert find_tool(FAKE, str(root), NO_SETTINGS, {"PATH": folder}) is None
    good = tool(tmp_path / "good", "pass")
    path = os.pathsep.join(("bin", str(root / "bin"), str(links), str(good.parent)))
    assert find_tool(FAKE, str(root), NO_SETTINGS, {"PATH": path}) == str(good)


@pytest.mark.requirement("SEC.1")
def test_what_a_tool_starts_is_not_looked_for_in_the_tree_either(request_: IndexerRequest, tmp_path: Path) -> None:
    root = Path(request_.root)
    given = {"PATH": f".:{root}/bin:/usr/bin", "CAIRN_EMBED_KEY": "secret", "LANG": "C.UTF-8", "NODE_OPTIONS": "-r ./a"}
    made = tool_environment(str(root), str(tmp_path), RunLimits(memory_bytes=4 << 30), NO_SETTINGS, given)
    assert made["PATH"] == "/usr/bin"
    assert "CAIRN_EMBED_KEY" not in made
    assert made["LANG"] == "C.UTF-8"
    assert made["NODE_OPTIONS"] == "--max-old-space-size=3072", "an option may load code"
    assert made["TMPDIR"] == str(tmp_path)


def test_the_users_folders_come_first(request_: IndexerRequest, tmp_path: Path) -> None:
    on_path, own = tool(tmp_path / "bin", "pass"), tool(tmp_path / "own", "pass")
    settings = SemanticSettings(tool_folders=(str(own.parent),))
    assert find_tool(FAKE, request_.root, settings, environ(on_path.parent)) == str(own)


@pytest.mark.parametrize(
    ("code", "version"), [("print('v1.2.3')", "v1.2.3"), ("print('x'); print('tool 4')", "tool 4"), ("sys.exit(1)", "")]
)
def test_a_version_is_what_the_tool_says(tmp_path: Path, code: str, version: str) -> None:
    program = tool(tmp_path / "bin", code)
    assert (
        tool_version(str(program), FAKE, str(tmp_path / "root"), str(tmp_path), NO_SETTINGS, environ(program.parent))
        == version
    )


@pytest.mark.requirement("SEC.1")
def test_tools_that_build_are_known_as_such() -> None:
    builds = {indexer.name for indexer in INDEXERS if indexer.runs_repository_code}
    assert builds == {"scip-go", "scip-java", "scip-dotnet", "scip-clang", "rust-analyzer-scip"}


def test_every_indexer_is_found_by_name_and_family(request_: IndexerRequest) -> None:
    for indexer in INDEXERS:
        assert indexer_named(indexer.name) is indexer
        assert [indexer_for(family) for family in indexer.families] == [indexer]
        assert any(request_.output in word for word in indexer.call(request_).arguments)
    assert indexer_for("cobol") is None
    assert indexer_named("rust-analyzer-scip") is indexer_for("rust")


@pytest.mark.parametrize(
    ("scope", "folder"),
    [
        (FULL, ""),
        (NOTHING, ""),
        (scope_of(["a.py"]), ""),
        (scope_of(["pkg/a.py"]), "pkg"),
        (scope_of(["pkg/deep/a.py", "pkg/b.py"]), "pkg"),
        (scope_of(["pkg/a.py"], ["pkgs"]), ""),
        (scope_of(packages=["pkg/deep"]), "pkg/deep"),
        (scope_of(["pkg/a.py"], changed_since=0.0), ""),
    ],
)
def test_a_scope_is_narrowed_to_the_folder_of_all_of_it(
    request_: IndexerRequest, scope: RefreshScope, folder: str
) -> None:
    assert common_folder(scope) == folder
    python = indexer_named("scip-python")
    assert python is not None
    call = python.call(IndexerRequest(request_.root, request_.context_root, "n", request_.folder, scope))
    assert call.prefix == folder
    assert call.covers == (scope_of(packages=[folder]) if folder else FULL)


def test_settings_are_the_users_file_and_variables(tmp_path: Path) -> None:
    assert load_settings(str(tmp_path), {}) == NO_SETTINGS
    (tmp_path / "config.toml").write_text('[embed]\nprovider = "static"\n[semantic]\ntrusted_roots = ["/a/../b"]\n')
    told = load_settings(str(tmp_path), {"CAIRN_TRUSTED_ROOTS": "/c::/b", "CAIRN_TOOL_FOLDERS": "/t"})
    assert told == SemanticSettings(("/b", "/c"), ("/t",))
    assert (told.workers, told.time_limit_s) == (1, None)
    assert told.trusts("/c/")
    assert not told.trusts("/c/d")


@pytest.mark.parametrize(
    "text",
    [
        'semantic = "x"',
        "[semantic]\ntrusted_roots = true",
        "[semantic]\ntrusted_roots = ['relative']",
        "[semantic]\ntrusted_roots = [1]",
        "[semantic]\ncommand = 'rm'",
        "[semantic]\nworkers = 0",
        "[semantic]\nworkers = 17",
        "[semantic]\nworkers = true",
        "[semantic]\ntime_limit_s = '5'",
        "[semantic",
        "[semantic]\n#" + "x" * 70_000,
    ],
)
def test_settings_that_make_no_sense_are_refused(text: str) -> None:
    with pytest.raises(ConfigError):
        parse_settings(text.encode(), {})


@pytest.mark.parametrize(
    ("variable", "value"),
    [
        ("CAIRN_TOOL_FOLDERS", "bin"),
        ("CAIRN_SEMANTIC_WORKERS", "many"),
        ("CAIRN_SEMANTIC_WORKERS", "-1"),
        ("CAIRN_SEMANTIC_TIME_LIMIT_S", "86401"),
    ],
)
def test_a_variable_that_makes_no_sense_is_refused(variable: str, value: str) -> None:
    with pytest.raises(ConfigError, match=variable):
        parse_settings(None, {variable: value})


def test_a_variable_comes_before_the_file() -> None:
    text = b"[semantic]\nworkers = 2\ntime_limit_s = 60\n"
    told = parse_settings(text, {"CAIRN_SEMANTIC_WORKERS": "3"})
    assert (told.workers, told.time_limit_s) == (3, 60)


for_real = pytest.mark.skipif(bool(why_not_for_real()), reason=why_not_for_real() or "they can be run")


@for_real
@pytest.mark.requirement("SCIP.1")
@pytest.mark.parametrize("name", PROJECTS)
def test_the_real_tools_write_what_was_recorded_and_leave_the_tree_alone(tmp_path: Path, name: str) -> None:
    project, private = make_project(tmp_path / "project", name), tmp_path / "private"
    private.mkdir()
    before = sorted(project.rglob("*"))
    now = list(read_index(str(index_for_real(project, name, private))).documents())
    assert sorted(project.rglob("*")) == before
    then = list(read_index(str(recorded(name))).documents())
    assert [_own(each) for each in now] == [_own(each) for each in then]


def _own(document: Document) -> object:
    """What doesn't depend on the version of a language's own library."""
    occurrences = [each for each in document.occurrences if each.local or parse_symbol(each.symbol).package == "shop"]
    return document.path, document.encoding, occurrences


@for_real
def test_scip_python_is_narrowed_to_a_folder(tmp_path: Path) -> None:
    project, private = make_project(tmp_path / "project", "scip-python"), tmp_path / "private"
    private.mkdir()
    write(project, "other.py", "import shop.goods\n")
    python = indexer_named("scip-python")
    assert python is not None
    request = IndexerRequest(str(project), str(project), "shop", str(private), scope_of(["shop/till.py"]))
    indexed = run_indexer(python, request, SemanticSettings(tool_folders=(str(TOOLS),)), os.environ)
    paths = {f"{indexed.prefix}/{each.path}" for each in read_index(indexed.output).documents()}
    assert paths == set(PROJECTS["scip-python"])
    assert indexed.covers == scope_of(packages=["shop"])


@for_real
@pytest.mark.requirement("SEC.1")
def test_scip_python_runs_nothing_that_lies_in_the_tree(tmp_path: Path) -> None:
    project, private = make_project(tmp_path / "project", "scip-python"), tmp_path / "private"
    private.mkdir()
    for module in ("os", "json", "sys", "sitecustomize", "usercustomize", "setup", "conftest"):
        write(project, f"{module}.py", f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    write(project, "pyrightconfig.json", '{"venvPath": ".", "venv": "venv"}')
    tool(project / "venv" / "bin", f"open({str(tmp_path / 'ran')!r}, 'w')", "python")
    index_for_real(project, "scip-python", private)
    assert not (tmp_path / "ran").exists()


@for_real
def test_a_javascript_folder_without_a_configuration_is_indexed_and_gets_none(tmp_path: Path) -> None:
    project, private = tmp_path / "project", tmp_path / "private"
    private.mkdir()
    write(project, "a.js", 'import { f } from "./lib/b";\nf(1);\n')
    write(project, "lib/b.js", "export function f(x) { return x; }\n")
    documents = {
        each.path: each for each in read_index(str(index_for_real(project, "scip-typescript", private))).documents()
    }
    assert set(documents) == {"a.js", "lib/b.js"}
    assert any(parse_symbol(each.symbol).name == "f" for each in documents["a.js"].occurrences)
    assert not (project / "tsconfig.json").exists()


@for_real
@pytest.mark.parametrize("name", PROJECTS)
def test_the_real_tools_say_their_version(tmp_path: Path, name: str) -> None:
    indexer = indexer_named(name)
    assert indexer is not None
    settings = SemanticSettings(tool_folders=(str(TOOLS),))
    program = find_tool(indexer, str(tmp_path / "root"), settings, os.environ)
    assert program is not None
    assert tool_version(program, indexer, str(tmp_path / "root"), str(tmp_path), settings, os.environ)[0].isdigit()


def test_what_is_meant_for_our_own_interpreter_is_nothing_to_a_tool(tmp_path: Path) -> None:
    misleading = {"PYTHONPATH": "/elsewhere", "PYTHONHOME": "/home", "NODE_PATH": "/modules", "CAIRN_EMBED_KEY": "k"}
    given = {"PATH": "/usr/bin", "LANG": "C", **misleading}
    told = tool_environment(str(tmp_path), str(tmp_path), RunLimits(), NO_SETTINGS, given)
    assert misleading.keys().isdisjoint(told)
    assert told["LANG"] == "C"


@pytest.mark.requirement("SEC.1")
def test_python_that_a_tool_starts_imports_nothing_of_the_tree(request_: IndexerRequest, tmp_path: Path) -> None:
    write(Path(request_.root), "json.py", f"open({str(tmp_path / 'ran')!r}, 'w')\n")
    start = f"import subprocess\nsubprocess.run(({sys.executable!r}, '-c', 'import json; json.dumps'), check=True)\n"
    tool(tmp_path / "bin", start + "open(output, 'w').write('x')")
    run_indexer(FAKE, request_, NO_SETTINGS, environ(tmp_path / "bin"))
    assert not (tmp_path / "ran").exists()
