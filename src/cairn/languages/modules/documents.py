"""Configuration files as they are found in the wild; a broken one says nothing."""

import json
import re
from collections.abc import Iterator
from typing import Any

MAX_DOCUMENT = 1_000_000
"""Characters; nobody writes a longer one by hand, and parsing it would take its time."""
# An open comment or string runs to the end, so that no text is looked at twice.
_COMMENT = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|//[^\n]*|/\*.*?(?:\*/|\Z)', re.DOTALL)
_COMMA = re.compile(r'("(?:[^"\\]|\\.)*+(?:"|\Z))|,(?=\s*[}\]])', re.DOTALL)
_SECTION = re.compile(r"\s*\[+\s*([\w.\"' -]+?)\s*\]")
_SETTING = re.compile(r"\s*([\w-]+)\s*=\s*(?:\"([^\"]*)\"|'([^']*)')")


def json_object(text: str | None) -> dict[str, Any]:
    """The object that a JSON text holds, comments and trailing commas allowed; else an empty one."""
    if text is None or len(text) > MAX_DOCUMENT:
        return {}
    bare = _COMMA.sub(_kept, _COMMENT.sub(_kept, text.removeprefix("\ufeff")))
    try:
        found = json.loads(bare)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def _kept(match: re.Match[str]) -> str:
    return match[1] or " "


def toml_texts(text: str | None) -> Iterator[tuple[str, str, str]]:
    """Section, key and value of the plain texts of a TOML file.

    A whole parser takes quadratic time over hostile keys, and more than this is not asked for.
    """
    if text is None or len(text) > MAX_DOCUMENT:
        return
    section = ""
    for line in text.splitlines():
        if header := _SECTION.match(line):
            section = header[1]
        elif setting := _SETTING.match(line):
            yield section, setting[1], setting[2] if setting[2] is not None else setting[3]


def texts(value: object) -> list[str]:
    """The texts of a value that should be a text or a list of texts."""
    if isinstance(value, str):
        return [value]
    return [each for each in value if isinstance(each, str)] if isinstance(value, list) else []


def mapping(value: object) -> dict[str, Any]:
    """A value that should be an object."""
    return value if isinstance(value, dict) else {}
