"""What a shell offers of the codebase that one stands in: names and files."""

import os

from cairn.base import lazy
from cairn.lifecycle.nearby import store_around
from cairn.store import offers
from cairn.store.layout import Layout, open_layout

_UPWARDS = lazy.expression(r"(?:\./)*(?:\.\./)+")


def names_offered(home: str, folder: str, typed: str, shared_store: str = "") -> list[str]:
    """Names that begin with what was typed; of `Owner.mem` those of that owner's members."""
    _, layout = _place(home, folder, shared_store)
    return offers.names_offered(layout, typed) if layout is not None else []


def files_offered(home: str, folder: str, typed: str, shared_store: str = "") -> list[str]:
    """Files that begin with what was typed, from `folder` on, and folders up to their first slash."""
    root, layout = _place(home, folder, shared_store)
    upwards = _UPWARDS.match(typed)
    lead = upwards.group() if upwards is not None else ""
    at, rest = os.path.relpath(os.path.join(folder, lead), root), typed[len(lead) :]
    # What lies outside of the codebase is left to the shell.
    if layout is None or at.split("/")[0] == ".." or ".." in rest.split("/") or typed.startswith("/"):
        return []
    found = offers.files_offered(layout, "" if at == "." else f"{at}/", rest)
    return [lead + each for each in found]


def languages_offered(home: str, folder: str) -> dict[str, frozenset[str]]:
    """The languages of a codebase's files, each with the globs that their names fit."""
    _, layout = store_around(home, folder)
    found: dict[str, set[str]] = {}
    for path, language in offers.languages_offered(layout) if layout is not None else ():
        name = path.rpartition("/")[2]
        suffix = os.path.splitext(name)[1]
        found.setdefault(language, set()).add(f"*{suffix}" if suffix else name)
    return {language: frozenset(ends) for language, ends in found.items()}


def _place(home: str, folder: str, shared_store: str) -> tuple[str, Layout | None]:
    if shared_store:
        return folder, open_layout(os.path.abspath(shared_store))
    return store_around(home, folder)
