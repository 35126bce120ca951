"""Texts by lines, and what changed between two of them."""

from difflib import SequenceMatcher

from cairn.base.values import dataclass

MAX_BYTES = 2 * 1024 * 1024
MAX_LINES = 12_000
_MAX_WORK = 4_000_000
"""The largest product of differing lines; comparing more would take too long."""
_CONTEXT = 3
_BYTES_SHARE = 0.9
_LINES_SHARE = 0.85


@dataclass(frozen=True, slots=True)
class Diff:
    """A unified diff, and how many lines it changes."""

    text: str
    changed: int
    """The larger of the lines added and removed."""


def split(text: str) -> list[str]:
    """Lines with their ends, which are newlines alone, as everywhere in the index."""
    lines = text.split("\n")
    last = lines.pop()
    return [f"{line}\n" for line in lines] + ([last] if last else [])


def slice_of(lines: list[str], start: int, end: int) -> list[str]:
    """The lines from `start` to `end`, both counted from 1 and included."""
    return lines[start - 1 : end]


def useful_diff(path: str, before: list[str], after: list[str]) -> Diff | None:
    """A unified diff between lines if it is clearly shorter than the new text; else None."""
    largest = max(len("".join(lines).encode()) for lines in (before, after))
    if largest > MAX_BYTES or max(len(before), len(after)) > MAX_LINES:
        return None
    hunks = _hunks(before, after)
    if not hunks:
        return None
    lines = [f"--- a/{path}\n", f"+++ b/{path}\n"]
    added = removed = 0
    for hunk in hunks:
        body = list(_body(hunk, before, after))
        added += sum(line.startswith("+") for line in body)
        removed += sum(line.startswith("-") for line in body)
        lines += [_heading(hunk), *body]
    text = "".join(line if line.endswith("\n") else f"{line}\n\\ No newline at end of file\n" for line in lines)
    small = len(text.encode()) < largest * _BYTES_SHARE and len(lines) <= max(len(before), len(after)) * _LINES_SHARE
    return Diff(text, max(added, removed)) if small else None


_Opcode = tuple[str, int, int, int, int]


def _hunks(before: list[str], after: list[str]) -> list[list[_Opcode]]:
    """Groups of changes with context lines; empty if nothing differs or the comparison takes too long."""
    same = min(len(before), len(after))
    head = next((at for at in range(same) if before[at] != after[at]), same)
    tail = next((at for at in range(same - head) if before[-1 - at] != after[-1 - at]), same - head)
    old, new = before[head : len(before) - tail], after[head : len(after) - tail]
    if (not old and not new) or len(old) * len(new) > _MAX_WORK:
        return []
    codes: list[_Opcode] = [
        (tag, i1 + head, i2 + head, j1 + head, j2 + head)
        for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    ]
    if head:
        codes.insert(0, ("equal", 0, head, 0, head))
    if tail:
        codes.append(("equal", len(before) - tail, len(before), len(after) - tail, len(after)))
    return _grouped(codes)


def _grouped(codes: list[_Opcode]) -> list[list[_Opcode]]:
    """Changes that are near each other stand in one hunk."""
    groups: list[list[_Opcode]] = []
    group: list[_Opcode] = []
    for at, (tag, i1, i2, j1, j2) in enumerate(codes):
        if tag != "equal":
            group.append((tag, i1, i2, j1, j2))
            continue
        first, last = at == 0, at == len(codes) - 1
        if first:
            i1, j1 = max(i1, i2 - _CONTEXT), max(j1, j2 - _CONTEXT)
        if last:
            i2, j2 = min(i2, i1 + _CONTEXT), min(j2, j1 + _CONTEXT)
        if not first and not last and i2 - i1 > 2 * _CONTEXT:
            group.append((tag, i1, i1 + _CONTEXT, j1, j1 + _CONTEXT))
            groups.append(group)
            group = []
            i1, j1 = i2 - _CONTEXT, j2 - _CONTEXT
        group.append((tag, i1, i2, j1, j2))
    if any(tag != "equal" for tag, *_ in group):
        groups.append(group)
    return groups


def _heading(hunk: list[_Opcode]) -> str:
    old = _span(hunk[0][1], hunk[-1][2])
    return f"@@ -{old} +{_span(hunk[0][3], hunk[-1][4])} @@\n"


def _span(start: int, end: int) -> str:
    length = end - start
    first = start + 1 if length else start
    return f"{first}" if length == 1 else f"{first},{length}"


def _body(hunk: list[_Opcode], before: list[str], after: list[str]) -> list[str]:
    lines = []
    for tag, i1, i2, j1, j2 in hunk:
        if tag == "equal":
            lines += [f" {line}" for line in before[i1:i2]]
            continue
        lines += [f"-{line}" for line in before[i1:i2]]
        lines += [f"+{line}" for line in after[j1:j2]]
    return lines
