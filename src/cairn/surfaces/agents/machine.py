"""Checks of the machine: Python, packages, grammars, git, the model, and the kernel's limits on watching."""

import os
import subprocess
import sys
from collections.abc import Mapping, Sequence
from importlib.metadata import PackageNotFoundError, version

from cairn.base import system
from cairn.base.environment import child_environment
from cairn.base.errors import CairnError
from cairn.embed.settings import embedder_from, load_settings
from cairn.kernel.core import kernel
from cairn.languages.pins import GRAMMAR_PINS
from cairn.surfaces.agents.checks import DoctorCheck, failed, ok, warning
from cairn.syntax.grammar import is_usable

OLDEST_PYTHON = (3, 11)
PACKAGES = ("numpy", "tantivy", "tree-sitter", "watchfiles", "mcp")
FEW_WATCHES = 8192
FEW_INSTANCES = 16
_INOTIFY = "sys/fs/inotify"
_INSTALL = "pip install --force-reinstall cairn-index"


def check_python(found: tuple[int, ...] | None = None) -> DoctorCheck:
    """Whether this Python is new enough."""
    found = tuple(sys.version_info[:3]) if found is None else found
    said = ".".join(map(str, found))
    if found[:2] < OLDEST_PYTHON:
        return failed("python", f"Python {said} is too old.", "Install Cairn under Python 3.11 or newer.")
    return ok("python", f"Python {said} at {sys.executable}")


def check_packages(names: tuple[str, ...] = PACKAGES) -> DoctorCheck:
    """Whether the required packages are installed."""
    versions, missing = [], []
    for name in names:
        try:
            versions.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            missing.append(name)
    if missing:
        return failed("packages", f"Not installed: {', '.join(missing)}.", f"Run `pip install {' '.join(missing)}`.")
    return ok("packages", ", ".join(versions))


def check_grammars(pins: Mapping[str, str] = GRAMMAR_PINS) -> DoctorCheck:
    """Every pinned grammar is there in its version and loads."""
    broken = []
    for language, pin in pins.items():
        try:
            if not is_usable(language):
                broken.append(f"{pin} (unknown)")
        except (CairnError, ImportError, OSError, AttributeError, ValueError) as error:
            broken.append(f"{pin} ({error})")
    if broken:
        wanted = " ".join(sorted(set(pins.values())))
        return failed("grammars", f"Not usable: {'; '.join(broken)}", f"Run `pip install {wanted}`.")
    return ok("grammars", f"{len(pins)} of tree-sitter, all in their pinned versions")


def check_kernel() -> DoctorCheck:
    """Which kernel answers; one that is installed but can't be used is worth a word."""
    try:
        found = kernel()
    except CairnError as error:
        return failed("kernel", error.message, error.hint)
    if found.name == "native":
        return ok("kernel", f"the native core {found.version}")
    if found.unusable:
        return warning("kernel", f"the Python reference: {found.reason}", "Install cairn-native of this version anew.")
    return ok("kernel", f"the Python reference: {found.reason}")


def check_model(home: str, environ: Mapping[str, str]) -> DoctorCheck:
    """Whether the chosen model gives a vector for a word; the bundled one is first compared with its hash."""
    try:
        settings = load_settings(home, environ)
        # Without a home the bundled archive itself is read and hashed, not a copy that was prepared from it.
        embedder = embedder_from(settings, home, environ)
        if settings.provider == "static" and not settings.model:
            from cairn.embed.static import StaticEmbedder

            embedder = StaticEmbedder()
        vector = embedder.embed(["word"])[0]
    except CairnError as error:
        return failed("model", error.message, error.hint)
    except ImportError as error:
        return failed("model", f"The model's library can't be loaded: {error}.", f"Run `{_INSTALL}`.")
    if len(vector) != embedder.dimension or not float(vector @ vector) > 0:
        return failed("model", f"{embedder.identity} gives no vector for a word.", f"Run `{_INSTALL}`.")
    return ok("model", f"{_short(embedder.identity)}, {embedder.dimension} dimensions, embeds a word")


def check_git(path: str | None = None, roots: Sequence[str] = ()) -> DoctorCheck:
    """Whether git is there and answers; one that lies beneath a root is none of the user's."""
    try:
        done = subprocess.run(
            ("git", "--version"),
            capture_output=True,
            text=True,
            timeout=10,
            check=False,
            env=child_environment(roots, os.environ | ({"PATH": path} if path is not None else {})),
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        why = error.strerror if isinstance(error, OSError) else "it doesn't answer"
        return warning("git", f"git can't be started: {why}.", "Install git: without it a root is a plain folder.")
    if done.returncode:
        return warning("git", f"git fails: {done.stderr.strip()[:200]}", "Run `git --version` to see why.")
    return ok("git", done.stdout.strip())


def check_watching(needed: int, limits: Mapping[str, int] | None = None) -> DoctorCheck:
    """Whether the kernel has room for watching: one watch a folder, one instance a process that watches."""
    limits = _limits() if limits is None else limits
    if not limits:
        return warning(
            "inotify", "This system has no inotify.", "Nothing to do: changes are found by looking every 5 minutes."
        )
    watches, instances = limits["max_user_watches"], limits["max_user_instances"]
    said = f"{watches:,} watches and {instances:,} instances a user; what is indexed has at most {needed:,} folders"
    if watches < max(needed, FEW_WATCHES):
        wanted = max(2 * needed, 524_288)
        return warning("inotify", f"Too few: {said}.", f"Run `sudo sysctl fs.inotify.max_user_watches={wanted}`.")
    if instances < FEW_INSTANCES or not system.watcher_to_be_had():
        return warning(
            "inotify", f"No instance is left: {said}.", "Run `sudo sysctl fs.inotify.max_user_instances=512`."
        )
    return ok("inotify", said)


def _limits() -> dict[str, int]:
    found = {}
    for name in ("max_user_watches", "max_user_instances"):
        try:
            found[name] = int(system.proc(f"{_INOTIFY}/{name}"))
        except (OSError, ValueError):
            return {}
    return found


def _short(identity: str) -> str:
    """Shorten a hash of 64 digits to its first twelve."""
    name, mark, value = identity.partition("@sha256:")
    return f"{name}@sha256:{value[:12]}" if mark else name
