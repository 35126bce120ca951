"""Files and changes as plain text: outlines, the map, what a change reaches, which tests see it, what nothing uses."""

from cairn.base.text import plural, printable
from cairn.questions.parameters import Values
from cairn.questions.plain_text import Passage, Plain, by_file, few, heading, lines_of, unsure, used
from cairn.questions.question import Document

_FEW = 20
_SIGNATURE = 100
_NAMES = 10


def outline(document: Document, _values: Values) -> Plain:
    """What a file defines, each with its lines and signature."""
    path = heading(document)
    rows = [
        Passage(
            path,
            (f"{'  ' * each['depth']}  {lines_of(each)} {used(each['signature'], _SIGNATURE)}",),
            level=each["depth"],
        )
        for each in document["symbols"]
    ]
    return Plain(tuple(rows), plural(len(rows), "definition"), "definitions")


def repo_map(document: Document, _values: Values) -> Plain:
    """The map, line by line."""
    rows = [Passage("", (line,)) for line in document["text"].splitlines()]
    left = document["files_left_out"]
    of = f" of {document['full_tokens']}" * ("budget" in document["limits_hit"])
    summary = f"{document['tokens']}{of} tokens" + f", {left} files left out" * bool(left)
    return Plain(tuple(rows), summary, "lines")


def impact(document: Document, _values: Values) -> Plain:
    """What was changed, who uses that, and the tests that see it."""
    above = [*_changed(document)]
    for each in document["symbols"][:_FEW]:
        line = f":{each['line']}" if each["line"] else ""
        used_still = f", still used {each['still_used']} times" if each["still_used"] else ""
        above.append(f"  {each['change']} {printable(each['path'])}{line} {printable(each['name'])}{used_still}")
    above += [f"  ... and {len(document['symbols']) - _FEW} more"] * (len(document["symbols"]) > _FEW)
    rows = [Passage(heading(each), (_user(each),)) for each in document["users"]]
    tests = [each["path"] for each in document["tests"]]
    below = [f"tests: {few(tests, _FEW)}"] if tests else []
    summary = f"{plural(len(document['symbols']), 'definition')} changed, {plural(len(rows), 'user')}"
    summary += f", {plural(len(document['tests']), 'test file')}"
    summary += f", {document['unresolved']} unresolved" if document["unresolved"] else ""
    return Plain(by_file(rows), summary, "users", tuple(above), tuple(below))


def _user(item: Document) -> str:
    far = f", {item['distance']} steps" if item["distance"] > 1 else ""
    return f"  {item['line']} {printable(item['name'])}  {item['role']} {printable(item['of'])}{far}{unsure(item)}"


def tests(document: Document, _values: Values) -> Plain:
    """Test files, the likeliest first, each with why."""
    rows = []
    for each in document["tests"]:
        why = "; ".join(" ".join(filter(None, (said["how"], printable(said["of"])))) for said in each["reasons"])
        names = few(each["names"], _NAMES)
        rows.append(Passage("", (heading(each), f"  {why}", *((f"  {names}",) if names else ()))))
    weak = f", {document['weak']} of little worth" if document["weak"] else ""
    summary = f"{plural(document['total'], 'test file')}{weak}"
    return Plain(tuple(rows), summary, "test files", tuple(_changed(document)))


def unused(document: Document, _values: Values) -> Plain:
    """Definitions that nothing uses."""
    rows = [
        Passage(heading(each), (f"  {each['line']} {printable(each['name'])} {each['kind']}",))
        for each in document["results"]
    ]
    summary = f"{plural(document['total'], 'definition')} that nothing uses"
    summary += f", {document['exported']} more that others may use" if document["exported"] else ""
    return Plain(by_file(rows), summary, "definitions")


def _changed(document: Document) -> list[str]:
    named = {"changed": document["changed_files"], "removed": document["removed_files"]}
    return [f"{what}: {few(files, _FEW)}" for what, files in named.items() if files]
