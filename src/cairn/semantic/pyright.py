"""A project's own settings for pyright, which scip-python reads, and how it is kept from leaving files out by them.

It looks for them in the folder that it runs in, and above. There is no option to name others, so where they choose
files it runs in a private folder that holds links to the files that the index has, and settings of ours: the project's,
without those that choose.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cairn.semantic.contexts.listings import relaxed_json, safe_toml

OURS = "scip-pyrightconfig.json"
"""What it reads before all else."""
_FILES = (OURS, "pyrightconfig.json")
_PROJECT = "pyproject.toml"
_CHOOSE = frozenset({"include", "exclude", "ignore"})


def settings_beside(folder: str) -> Mapping[str, Any] | None:
    """The settings to run with in place of a project's, where these choose files; None where they don't."""
    found = next(_settings_above(folder), {})
    return {key: value for key, value in found.items() if key not in _CHOOSE} if _CHOOSE & found.keys() else None


def links_into(folder: str, files: Iterable[str], settings: Mapping[str, Any]) -> dict[str, str]:
    """Files beneath a folder as links: names from it on, with where they lead; and the environment that is named.

    Only files are links, since the tool looks through those of folders.
    """
    named = settings.get("venv")
    apart = [named] if isinstance(named, str) and not os.path.isabs(named) and ".." not in named.split("/") else []
    return {name: os.path.join(folder, name) for name in (*files, *apart) if name}


def _settings_above(folder: str) -> Iterator[Mapping[str, Any]]:
    """The settings of a folder and of those above it, as the tool looks for them: its own files first."""
    folders = [folder]
    while (above := os.path.dirname(folders[-1])) != folders[-1]:
        folders.append(above)
    for each in folders:
        for name in _FILES:
            if (text := _text(os.path.join(each, name))) is not None:
                yield _read(relaxed_json, text)
    for each in folders:
        if (text := _text(os.path.join(each, _PROJECT))) is not None:
            yield _read(lambda text: safe_toml(text).get("tool", {}).get("pyright", {}), text)


def _text(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8") as file:
            return file.read()
    except (OSError, UnicodeError):
        return None


def _read(parse: Any, text: str) -> Mapping[str, Any]:
    try:
        found = parse(text)
    except (ValueError, AttributeError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def settings_text(settings: Mapping[str, Any]) -> str:
    """Settings as a file has them."""
    return json.dumps(dict(settings), default=str)
