"""`read_file`: lines of an indexed file as it is now."""

from cairn.errors import UsageError
from cairn.surfaces.mcp.arguments import Argument
from cairn.surfaces.mcp.service import Answer, Call, Service

_MOST_LINES = 10_000_000
ARGUMENTS = (
    Argument("path", "string", "the file: an absolute path, or one from the root", required=True),
    Argument("start_line", "integer", "the first line, from 1", default=1, least=1, most=_MOST_LINES),
    Argument("end_line", "integer", "the last line; the end of the file when left out", least=1, most=_MOST_LINES),
    Argument("max_bytes", "integer", "how much text at most", default=64_000, least=1_000, most=1_000_000),
)


def read_file(
    service: Service, call: Call, *, path: str, start_line: int, end_line: int | None, max_bytes: int
) -> Answer:
    with service.ready(call, path) as ready:
        file = ready.codebase.read_file(ready.file())
    lines = file.text.split("\n")
    if not lines[-1]:
        lines.pop()
    last = len(lines) if end_line is None else min(end_line, len(lines))
    if start_line > max(len(lines), 1) or (end_line is not None and end_line < start_line):
        raise UsageError(
            f"{file.path} has {len(lines)} lines: there are no lines {start_line} to {end_line or len(lines)}.",
            hint=f"Give lines from 1 to {len(lines)}.",
        )
    kept: list[str] = []
    room = max_bytes
    for line in lines[start_line - 1 : last]:
        room -= len(line.encode()) + 1
        if room < 0 and kept:
            break
        kept.append(line if room >= 0 else line.encode()[:max_bytes].decode("utf-8", "ignore"))
    end = start_line + len(kept) - 1
    found = ready.basis(file.snapshot_id, (), debug=call.debug) | {
        "file": file.path,
        "startLine": start_line,
        "endLine": end,
        "totalLines": len(lines),
        "text": "\n".join(kept),
    }
    if file.changed:
        found["changedSince"] = True
    if end < last or room < 0:
        found["truncated"] = True
    if end < last:
        args = {"path": path, "start_line": end + 1, **({"end_line": end_line} if end_line is not None else {})}
        found["nextAction"] = {"tool": "read_file", "args": args}
    return found
