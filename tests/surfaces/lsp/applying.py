"""What a client does with an edit: a reading of the protocol of its own, which knows nothing of the server's."""

import re
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.parse import unquote, urlsplit

_WIDTH = {"utf-8": 1, "utf-16": 2, "utf-32": 4}


def path_of(uri: str) -> Path:
    return Path(unquote(urlsplit(uri).path))


def applied(text: str, edits: list[dict[str, Any]], encoding: str) -> str:
    """A document after some edits, all of which are of the text before."""
    spans = sorted((_offset(text, each["range"], encoding), each["newText"]) for each in edits)
    assert all(one[0][1] <= other[0][0] for one, other in pairwise(spans)), "edits overlap"
    for (start, end), new in reversed(spans):
        text = text[:start] + new + text[end:]
    return text


def under(text: str, span: dict[str, Any], encoding: str) -> str:
    """What stands in a range."""
    start, end = _offset(text, span, encoding)
    return text[start:end]


def position(text: str, before: str, encoding: str) -> dict[str, int]:
    """Where a text begins for the first time."""
    lines = re.split(r"\r\n|\n|\r", text[: text.index(before)])
    return {"line": len(lines) - 1, "character": len(_coded(lines[-1], encoding)) // _WIDTH[encoding]}


def applied_on_disk(edit: dict[str, Any], encoding: str) -> None:
    """Do what an edit says with files, as a client that has none of them open."""
    for each in edit.get("documentChanges") or [
        {"textDocument": {"uri": uri}, "edits": found} for uri, found in edit["changes"].items()
    ]:
        if each.get("kind") == "rename":
            path_of(each["oldUri"]).rename(path_of(each["newUri"]))
            continue
        path = path_of(each["textDocument"]["uri"])
        data = path.read_bytes()
        mark = b"\xef\xbb\xbf" if data.startswith(b"\xef\xbb\xbf") else b""
        path.write_bytes(mark + applied(data[len(mark) :].decode(), each["edits"], encoding).encode())


def _offset(text: str, span: dict[str, Any], encoding: str) -> tuple[int, int]:
    starts = [0, *(found.end() for found in re.finditer(r"\r\n|\n|\r", text))]
    found = []
    for side in ("start", "end"):
        line, character = span[side]["line"], span[side]["character"]
        rest = re.split(r"[\r\n]", text[starts[line] :], maxsplit=1)[0]
        coded = _coded(rest, encoding)
        assert 0 <= character * _WIDTH[encoding] <= len(coded), "past the end of the line"
        before = coded[: character * _WIDTH[encoding]].decode(_codec(encoding))
        found.append(starts[line] + len(before))
    return found[0], found[1]


def _coded(text: str, encoding: str) -> bytes:
    return text.encode(_codec(encoding))


def _codec(encoding: str) -> str:
    return encoding if encoding == "utf-8" else f"{encoding}-le"
