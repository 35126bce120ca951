"""Record what every command that reads prints: `python -m tests.golden.record FOLDER`.

Whatever `cairn` is importable is asked, so that two versions can be compared:
`PYTHONPATH=other/src python -m tests.golden.record /tmp/other`, then `diff -r`. What differs from run to run (ids,
times, sizes, paths, fingerprints) is written as a word for it; scores keep three digits.
"""

import contextlib
import importlib
import json
import os
import pkgutil
import re
import runpy
import shlex
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.golden import tree
from tests.golden.commands import COMMANDS

KEPT = Path(__file__).parent / "kept"
_NO_JSON = ("--dot", "--mermaid")
_VOLATILE = {"timings_ms", "elapsed_ms", "bytes", "size_bytes", "pid", "age_s", "age_seconds", "version", "kernel"}
_WORDS = (
    (r"\b[0-7][0-9A-HJKMNP-TV-Z]{25}\b", "<id>"),
    (r"\b[0-9a-f]{12,64}\b", "<hash>"),
    (r"__[0-9a-f]{16}", "__<hash>"),
    (r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|\+00:00)", "<time>"),
    (r"\b\d+(\.\d+)? (seconds?|minutes?|ms|s)\b", "<duration>"),
    (r"\b\d+(\.\d+)? (bytes|B|KB|MB|GB)\b", "<size>"),
    (r"\bpid \d+\b", "pid <pid>"),
    (r"\b(native|python) kernel\b", "<kernel> kernel"),
)


def record(folder: Path) -> None:
    """Ask everything about a new repository, and write one file for each kind of question."""
    place = Path(tempfile.mkdtemp(prefix="golden-")).resolve()
    try:
        environment = _environment(place)
        os.environ.clear()
        os.environ.update(environment)
        _prepare(place)
        os.chdir(place / "project")
        folder.mkdir(parents=True, exist_ok=True)
        for name, lines in COMMANDS.items():
            asked = [_asked(shlex.split(line), place) for line in lines.strip().splitlines()]
            (folder / f"{name}.txt").write_text("".join(asked), encoding="utf-8")
    finally:
        shutil.rmtree(place)


def _environment(place: Path) -> dict[str, str]:
    """Nothing of this machine but git: tools that stand on the path would be told of."""
    tools = place / "tools"
    tools.mkdir()
    (tools / "git").symlink_to(str(shutil.which("git")))
    kept = {name: os.environ[name] for name in ("PYTHONPATH", "VIRTUAL_ENV", "CAIRN_KERNEL") if name in os.environ}
    return kept | {
        "PATH": str(tools),
        "HOME": str(place / "home"),
        "CAIRN_HOME": str(place / "home" / ".cairn"),
        "GIT_CONFIG_NOSYSTEM": "1",
        "LC_ALL": "C.UTF-8",
        "TZ": "UTC",
        "COLUMNS": "100",
        "NO_COLOR": "1",
    }


def _prepare(place: Path) -> None:
    (place / "home").mkdir()
    tree.make(place / "project")
    for name in ("other", "unindexed"):
        tree.write(place / name, tree.OTHER)
    for name in ("project", "other"):
        subprocess.run((sys.executable, "-m", "cairn", "index", str(place / name)), check=True, capture_output=True)


def _asked(arguments: list[str], place: Path) -> str:
    forms = [arguments] if set(arguments) & set(_NO_JSON) else [arguments, [*arguments, "--json"]]
    return "".join(_block(form, place) for form in forms)


def _block(arguments: list[str], place: Path) -> str:
    code, out, err = _run(arguments, place)
    text = f"$ cairn {shlex.join(arguments)}\n{_readable(out)}"
    text += "".join(f"! {line}\n" for line in err.splitlines())
    return f"{normal(text, place)}= {code}\n\n"


def _run(arguments: list[str], place: Path) -> tuple[int, str, str]:
    """Run a command in a child that has this process's modules; a process of its own would import for longer."""
    out, err = place / "out", place / "err"
    child = os.fork()
    if not child:
        _answer(arguments, out, err)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status), out.read_text(encoding="utf-8"), err.read_text(encoding="utf-8")


def _answer(arguments: list[str], out: Path, err: Path) -> None:
    code = 1
    try:
        for number, path in ((1, out), (2, err)):
            os.dup2(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
        sys.argv = ["cairn", *arguments]
        runpy.run_module("cairn", run_name="__main__", alter_sys=True)
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else int(ended.code is not None)
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(code)


def _readable(out: str) -> str:
    try:
        document = json.loads(out)
    except ValueError:
        return out
    return json.dumps(_steady(document), indent=1, ensure_ascii=False) + "\n"


def _steady(value: object) -> object:
    """A document without the numbers that no two runs share."""
    if isinstance(value, dict):
        return {
            key: f"<{key}>" if key in _VOLATILE and each is not None else _steady(each) for key, each in value.items()
        }
    if isinstance(value, list):
        return [_steady(each) for each in value]
    return round(value, 3) if isinstance(value, float) else value


def normal(text: str, place: Path) -> str:
    text = text.replace(str(place), "<place>")
    for pattern, word in _WORDS:
        text = re.sub(pattern, word, text)
    return text


def _load() -> None:
    """Import the whole package, so that no child has to."""
    import cairn

    for module in pkgutil.walk_packages(cairn.__path__, "cairn."):
        if not module.name.endswith("__main__"):
            with contextlib.suppress(ImportError):
                importlib.import_module(module.name)


if __name__ == "__main__":
    _load()
    record(Path(sys.argv[1] if len(sys.argv) > 1 else KEPT).resolve())
