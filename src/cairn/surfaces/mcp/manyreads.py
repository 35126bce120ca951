"""Several files or ranges in one call of `read_file`: each as if it were read alone, in one answer of one size."""

import os
from collections.abc import Callable, Sequence

from cairn.base.errors import CairnError
from cairn.questions.parameters import Values
from cairn.surfaces.mcp.arguments import FORMAT, MAX_BYTES
from cairn.surfaces.mcp.service import Answer
from cairn.surfaces.mcp.size import BODY

_LEAST_BYTES = 1_000
"""With less room than that a file is not begun."""


def several(read: Callable[[Values], Answer], files: Sequence[str], given: Values) -> Answer:
    """Read one after the other; what can't be read is told in its place, and the first error where nothing can."""
    found: list[tuple[str, Answer]] = []
    failures: dict[str, CairnError] = {}
    room, parent, left_out = given[MAX_BYTES.name], given["parent"], list[str]()
    for at, path in enumerate(files):
        if room < _LEAST_BYTES and found:
            left_out = list(files[at:])
            break
        sequence = None if given["sequence"] is None else given["sequence"] + at
        one = {"path": path, MAX_BYTES.name: max(room, _LEAST_BYTES), "parent": parent, "sequence": sequence}
        try:
            answer = read(given | one)
        except CairnError as error:
            failures[path] = error
            continue
        found.append((path, answer))
        # In a tree each stands behind the one before it.
        parent = answer.get("entry") if parent is not None else None
        room -= len(str(answer.get(BODY, answer.get("text", ""))).encode("utf-8", "replace"))
    if not found:
        raise next(iter(failures.values()))
    if given[FORMAT.name] != "text":
        errors = [{"path": path, "message": error.message, "hint": str(error.hint)} for path, error in failures.items()]
        more: Answer = {"leftOut": left_out} if left_out else {}
        return {"status": "ok", "files": [*(answer for _, answer in found), *errors]} | more
    return _text(found, failures, left_out)


def _text(found: Sequence[tuple[str, Answer]], failures: dict[str, CairnError], left_out: Sequence[str]) -> Answer:
    """Each with what is to be known of it below, and what they all rest on once."""
    first = found[0][1]
    bodies = []
    warnings: dict[str, None] = {}
    root = next((each["codebaseRoot"] for _, each in found if "codebaseRoot" in each), None)
    for path, answer in found:
        # What is unchanged doesn't say which file it is; here there are several.
        where = f"{path}: " if "codebaseRoot" not in answer else ""
        foreign = f", in {answer['codebaseRoot']}" if answer.get("codebaseRoot", root) != root else ""
        bodies.append(where + answer[BODY] + foreign)
        warnings |= dict.fromkeys(answer.get("warnings", ()))
    bodies += [f"{path}: {error.message} {error.hint}".rstrip() for path, error in failures.items()]
    if left_out:
        bodies.append(f"left out for want of room: {', '.join(map(os.fspath, left_out))}; ask for these files alone")
    head = {name: value for name, value in first.items() if name not in ("entry", "warnings")}
    if root is not None:
        head["codebaseRoot"] = root
    return head | {BODY: "\n".join(bodies)} | ({"warnings": list(warnings)} if warnings else {})
