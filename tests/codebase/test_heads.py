"""A hover shows the source's own lines, whole ones."""

from cairn.codebase.heads import doc_of, head_of

PARAMETERS = "".join(f"    parameter_{each}: dict[str, int] = None,\n" for each in range(9))
DOC = [f"Line {each} of what is said of it, with some words more." for each in range(14)]
PYTHON = f'''import os


@wraps(os)
def run(
    command,
{PARAMETERS}) -> None:
    """Run something.

    {
    """
    """.join(DOC)
}
    """
    return None
'''
GO = """package x

// Run does it.
//
// And more.
func Run(
\tn int,
) int {
\treturn n
}
"""


def row(text: str, line: int, doc: str, start: int, end: int) -> dict[str, object]:
    signature = " ".join(text.split())[:300]
    return {"signature": signature, "line": line, "start_line": start, "end_line": end, "doc": doc[:600]} | {
        "qualified_name": "run"
    }


def test_a_head_is_whole_lines_and_a_text_keeps_its_own() -> None:
    lines = PYTHON.split("\n")
    head = "\n".join(lines[4:16])
    found = row(head, 5, " ".join(["Run something.", *DOC]), 4, len(lines))
    assert head_of(lines, found) == head
    said = doc_of(lines, found)
    assert said[:3] == ["Run something.", "", DOC[0]]
    assert said[-1] == "..."
    assert said[-2] in DOC
    long = ["def run(", *(f"    number_{each}: int," for each in range(40)), "):"]
    assert head_of(long, row("\n".join(long), 1, "", 1, 42)).split("\n") == [*long[:12], "..."]


def test_comments_above_are_kept_without_their_signs() -> None:
    lines = GO.split("\n")
    found = row("func Run( n int, ) int", 6, "Run does it. And more.", 6, 10)
    assert head_of(lines, found) == "func Run(\n\tn int,\n) int {"
    assert doc_of(lines, found) == ["Run does it.", "", "And more."]


def test_what_is_not_found_in_the_source_is_told_as_the_index_has_it() -> None:
    found = row("class Other(" + "Base, " * 100, 1, "word " * 200, 1, 3)
    assert head_of(["x"], found).endswith("Base, ...")
    assert doc_of(["x"], found)[0].endswith("word ...")
    exported = row("class Stone", 1, "", 1, 1)
    assert head_of(["export default class Stone {"], exported) == "export default class Stone {"
