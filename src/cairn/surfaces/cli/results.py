"""Search results as JSON, as plain text for a pipe, and in colour for a terminal."""

import os
import re
import shutil
import sys
import time
from collections.abc import Sequence
from datetime import datetime

from cairn.engine import Answer
from cairn.search import Found, parse_query
from cairn.search.place import head_line
from cairn.store import Manifest
from cairn.store.versions import writable
from cairn.surfaces.cli.text import plural, printable, say
from cairn.syntax.tokens import tokens

_SNIPPET_LINES = 7
_WIDTH = 160
_LEAST_WIDTH = 40
_WORD = re.compile(r"\w+")
_PATH, _DIM, _BOLD, _WARN, _END = "\x1b[1;36m", "\x1b[2m", "\x1b[1m", "\x1b[33m", "\x1b[0m"


def document(answer: Answer, notes: Sequence[str], *, explain: bool) -> dict[str, object]:
    """The JSON answer."""
    manifest = answer.manifest
    return {
        "schema_version": writable("search_json"),
        "request_id": answer.request_id,
        "store_id": manifest.store_id,
        "snapshot_id": manifest.snapshot_id,
        "config_fingerprint": manifest.config_fingerprint,
        "ignore_fingerprint": manifest.ignore_fingerprint,
        "query_fingerprint": answer.query_fingerprint,
        "git": git_document(manifest),
        "degraded": manifest.degraded,
        "freshness": dict(answer.freshness),
        "warnings": [*notes, *answer.warnings],
        "limits_hit": list(answer.limits_hit),
        "timings_ms": dict(answer.timings_ms),
        "results": [result_document(item, answer.changed, explain=explain) for item in answer.results],
    }


def git_document(manifest: Manifest) -> dict[str, object]:
    return {
        "head": manifest.git.head_sha,
        "dirty": manifest.git.dirty,
        "untracked_included": manifest.git.untracked_included,
    }


def result_document(item: Found, changed: frozenset[str], *, explain: bool) -> dict[str, object]:
    row = item.row
    found: dict[str, object] = {
        "path": row.path_key,
        "start_line": row.start_line,
        "end_line": row.end_line,
        "kind": row.kind,
        "language": row.language,
        "symbol": item.symbol or None,
        "score": item.score,
        "text": row.text,
        "changed_since": row.path_key in changed,
    }
    if explain:
        found["explain"] = dict(item.contributions)
    return found


def show(answer: Answer, query: str, *, explain: bool) -> None:
    """Print an answer for people; without colours where nobody would see them."""
    colour = wants_colour()
    terms = frozenset(parse_query(query).terms)
    for item in answer.results:
        say("\n".join(lines_of(item, answer.changed, terms, colour=colour, explain=explain)))
    if not answer.results:
        say("nothing found")
    show_footer(footer_of(answer))


def show_footer(text: str) -> None:
    """What an answer says of itself: for people, so it stays out of a pipe."""
    say(_paint(text, _DIM, wants_colour()), error=not sys.stdout or not sys.stdout.isatty())


def lines_of(item: Found, changed: frozenset[str], terms: frozenset[str], *, colour: bool, explain: bool) -> list[str]:
    row = item.row
    shown = _snippet(row.text, terms, item.symbol)
    place = f"{printable(row.path_key)}:{row.start_line + _place_of(row.text, shown, item.symbol)}"
    head = _paint(place, _PATH, colour)
    if item.symbol:
        head += "  " + _paint(printable(item.symbol), _BOLD, colour)
    if row.path_key in changed:
        head += "  " + _paint("changed since", _WARN, colour)
    lines = [head]
    width = len(str(row.start_line + shown[-1][0]))
    before: int | None = None
    for offset, line in shown:
        if before is not None and offset > before + 1:
            lines.append(_paint(" " * (width + 1) + "…", _DIM, colour))
        before = offset
        number = _paint(f"{row.start_line + offset:>{width + 2}}", _DIM, colour)
        lines.append(f"{number}  {_marked(_fitted(line, width + 4), terms, colour)}".rstrip())
    if explain:
        lines.append(_paint(f"    {explained(item)}", _DIM, colour))
    lines.append("")
    return lines


def explained(item: Found) -> str:
    parts = sorted(item.contributions.items(), key=lambda part: -abs(part[1]))
    return f"= {item.score:.3f}:  " + "  ".join(f"{name} {value:+.2f}" for name, value in parts)


def _place_of(text: str, shown: list[tuple[int, str]], symbol: str) -> int:
    """The line to open: the head of what is named, else the first that is shown."""
    head = head_line(text.split("\n"), symbol)
    return shown[0][0] if head is None else head


def _snippet(text: str, terms: frozenset[str], symbol: str) -> list[tuple[int, str]]:
    """(offset, line) of what to show: the head of the definition, and where most of the query is found."""
    lines = text.split("\n")
    while len(lines) > 1 and not lines[-1].strip():
        lines.pop()
    if len(lines) <= _SNIPPET_LINES:
        return list(enumerate(lines))
    head = head_line(lines, symbol)
    if head is None:
        head = next((at for at, line in enumerate(lines) if line.strip()), 0)
    hits = [len(terms.intersection(tokens(line[:_WIDTH]))) for line in lines]
    rest = _SNIPPET_LINES - 1
    sums = [sum(hits[at : at + rest]) for at in range(len(lines) - rest + 1)]
    best = max(range(len(sums)), key=lambda at: (sums[at], -abs(at - head)))
    # Another place must say clearly more than what follows the head.
    if sums[best] <= sum(hits[head : head + _SNIPPET_LINES]) + 1:
        return [(at, lines[at]) for at in range(head, min(head + _SNIPPET_LINES, len(lines)))]
    return sorted({(head, lines[head]), *((at, lines[at]) for at in range(best, best + rest))})


def _fitted(line: str, margin: int) -> str:
    width = min(_WIDTH, max(_LEAST_WIDTH, shutil.get_terminal_size((_WIDTH, 24)).columns - margin))
    text = printable(line.removesuffix("\r").expandtabs(4))
    return text if len(text) <= width else text[: width - 1] + "…"


def _marked(text: str, terms: frozenset[str], colour: bool) -> str:
    """The words of the query stand out."""
    if not colour:
        return text
    return _WORD.sub(lambda word: _paint(word[0], _BOLD, bool(terms.intersection(tokens(word[0])))), text)


def footer_of(answer: Answer) -> str:
    manifest = answer.manifest
    state = "the tree was just synced" if answer.freshness.get("synced") else "not synced"
    if answer.changed:
        state += f", {plural(len(answer.changed), 'cited file')} changed since"
    parts = [
        plural(len(answer.results), "result"),
        f"snapshot {manifest.snapshot_id}, {age_of(manifest.created_at)}",
        state,
    ]
    if manifest.degraded:
        parts.append("degraded")
    if answer.limits_hit:
        parts.append("cut short: " + ", ".join(answer.limits_hit))
    parts.append(f"{answer.timings_ms['total']:.0f} ms")
    return " · ".join(parts)


def age_of(created_at: str) -> str:
    seconds = max(0.0, time.time() - datetime.fromisoformat(created_at).timestamp())
    for size, unit in ((86_400, "day"), (3_600, "hour"), (60, "minute")):
        if seconds >= size:
            return f"{plural(int(seconds // size), unit)} old"
    return f"{plural(int(seconds), 'second')} old"


def wants_colour() -> bool:
    if os.environ.get("NO_COLOR"):
        return False
    return sys.stdout is not None and sys.stdout.isatty() and os.environ.get("TERM") != "dumb"


def _paint(text: str, code: str, colour: bool) -> str:
    return f"{code}{text}{_END}" if colour and text else text
