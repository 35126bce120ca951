"""What a change reaches, written for the review of that change: Markdown for a comment, SARIF for a code host.

Names and paths come from the repository, so both forms treat them as data: a code span that nothing inside can end, an
address that is percent-encoded, a string of JSON.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from itertools import groupby
from typing import Any

from cairn.base.text import json_text, plural, printable
from cairn.questions.question import Document

_BROKEN = "removed, still used"
_MOST_IN_A_COMMENT = 30
"""Rows of one section: a comment of 65,536 characters is refused by the hosts, and nobody reads as many."""
_SPAN = 200
_RULES = {
    "removed-still-used": ("warning", "A definition was removed or renamed, and is still used here."),
    "uses-what-changed": ("note", "This calls or uses a definition that the change touches."),
    "test-to-run": ("note", "This test reaches what the change touches."),
}


def markdown(document: Document) -> str:
    """A comment for the review of a change: what breaks, who calls it, which tests to run."""
    broken, users = _apart(document)
    tests = document["tests"]
    lines = [
        "### What this change reaches",
        "",
        ", ".join(
            (
                plural(len(document["symbols"]), "changed definition"),
                plural(len(users) + len(broken), "user"),
                plural(len(tests), "test file"),
            )
        )
        + ".",
    ]
    lines += _section("Removed but still used", [_use(each) for each in broken], opened=True)
    lines += _section("Changed", list(dict.fromkeys(map(_changed, document["symbols"]))))
    lines += _section("Who uses it", list(_by_file(users)))
    lines += _section("Tests to run, the likeliest first", [_test(each) for each in tests])
    if not any(document[each] for each in ("symbols", "changed_files", "removed_files")):
        lines += ["", "Nothing that is indexed differs."]
    lines += ["", *(f"> {printable(sentence)}" for sentence in document["warnings"])]
    lines += ["", f"<sub>Cairn, snapshot {_code(document['snapshot_id'])}</sub>"]
    return "\n".join(lines)


def sarif(document: Document) -> str:
    """The same as a log of SARIF 2.1.0, which code hosts show beside the lines of a change."""
    broken, users = _apart(document)
    results = [
        *(_result("removed-still-used", each, f"{each['name']} uses {each['of']}, which is gone") for each in broken),
        *(_result("uses-what-changed", each, f"{each['name']} uses {each['of']}, which changed") for each in users),
        *(_result("test-to-run", each, f"reaches the change: {_why(each)}") for each in document["tests"]),
    ]
    rules = [
        {"id": name, "shortDescription": {"text": text}, "defaultConfiguration": {"level": level}}
        for name, (level, text) in _RULES.items()
    ]
    notifications = [{"level": "warning", "message": {"text": sentence}} for sentence in document["warnings"]]
    run = {
        "tool": {"driver": {"name": "Cairn", "rules": rules}},
        "columnKind": "unicodeCodePoints",
        "originalUriBaseIds": {"SRCROOT": {"description": {"text": "the root of the codebase"}}},
        "invocations": [{"executionSuccessful": True, "toolExecutionNotifications": notifications}],
        "results": results,
        "properties": {"snapshot": document["snapshot_id"], "limits_hit": document["limits_hit"]},
    }
    schema = "https://json.schemastore.org/sarif-2.1.0.json"
    return json_text({"$schema": schema, "version": "2.1.0", "runs": [run]})


def _apart(document: Document) -> tuple[list[Document], list[Document]]:
    """Users of what is gone, who break, and all others, the nearest first."""
    broken = [each for each in document["users"] if each["reason"] == _BROKEN and each["distance"] == 1]
    others = [each for each in document["users"] if each not in broken]
    return broken, sorted(others, key=lambda each: each["distance"])


def _section(title: str, rows: Sequence[str], *, opened: bool = False) -> Iterable[str]:
    if not rows:
        return
    yield from ("", f"<details{' open' * opened}><summary>{title} ({len(rows)})</summary>", "")
    yield from (f"- {row}" for row in rows[:_MOST_IN_A_COMMENT])
    if len(rows) > _MOST_IN_A_COMMENT:
        yield f"- and {len(rows) - _MOST_IN_A_COMMENT} more, left out of this report"
    yield from ("", "</details>")


def _use(item: Document) -> str:
    return f"{_code(item['name'])} at {_place(item)} uses {_code(item['of'])}"


def _changed(item: Document) -> str:
    was = f", was {_code(item['former'])}" if item["former"] else ""
    used = f", still used {plural(item['still_used'], 'time')}" if item["still_used"] else ""
    return f"{item['change']} {_code(item['name'])} at {_place(item)}{was}{used}"


def _by_file(users: Sequence[Document]) -> Iterable[str]:
    """One row a file, with the names that use something there; as near as its nearest."""
    order = {path: at for at, path in reversed([*enumerate(each["path"] for each in users)])}
    for path, items in groupby(sorted(users, key=lambda each: order[each["path"]]), lambda each: each["path"]):
        rows = list(items)
        names = list(dict.fromkeys(each["name"] for each in rows))
        more = f" and {len(names) - 5} more" if len(names) > 5 else ""
        steps = f", {rows[0]['distance']} steps away" if rows[0]["distance"] > 1 else ""
        yield f"{_code(path)}: {', '.join(map(_code, names[:5]))}{more}{steps}"


def _test(item: Document) -> str:
    return f"{_code(item['path'])}: {_why(item, _code)}"


def _why(item: Document, spelled: Any = printable) -> str:
    reason: Mapping[str, str] = item["reasons"][0] if item["reasons"] else {"how": item["how"], "of": ""}
    return f"{reason['how']} {spelled(reason['of'])}" if reason["of"] else reason["how"]


def _place(item: Document) -> str:
    line = f":{item['line']}" if item.get("line") else ""
    return _code(f"{item['path']}{line}")


def _code(text: str) -> str:
    """A code span: its fence is longer than any run of backticks inside."""
    shown = printable(text)[:_SPAN]
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", shown)), default=0))
    return f"{fence} {shown} {fence}" if "`" in shown else f"`{shown}`"


def _result(rule: str, item: Document, text: str) -> Document:
    from urllib.parse import quote

    level, _ = _RULES[rule]
    physical: Document = {"artifactLocation": {"uri": quote(item["path"]), "uriBaseId": "SRCROOT"}}
    if item.get("line"):
        physical["region"] = {"startLine": item["line"]}
    return {
        "ruleId": rule,
        "level": level,
        "message": {"text": printable(text)},
        "locations": [{"physicalLocation": physical}],
    }
