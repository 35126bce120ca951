"""Pictures are read back by small readers: whatever a name holds, the graph that comes out is the one that went in."""

import re
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cairn.base.text import printable
from cairn.surfaces.cli.drawing import Arrow, Dot, Twig, cut, dot, mermaid, tree

EVIL = 'a"b\\ \x1b[31m\n]; "x" -> "y"; %%{ <script>&lt;#59;\u202e'
Read = tuple[list[str], dict[str, str], list[tuple[str, str, str]]]


def read_dot(text: str) -> Read:
    """Comments, labels by id, and (source, target, style) of a graph in the words that Graphviz knows."""
    tokens = list(_dot_tokens(text))
    comments = [value for kind, value in tokens if kind == "comment"]
    words = [value for kind, value in tokens if kind != "comment"]
    assert words[:3] == ["digraph", "cairn", "{"]
    assert words[-1] == "}"
    labels: dict[str, str] = {}
    arrows = []
    for statement in _split(words[3:-1], ";"):
        if statement[1:2] == ["="] or statement[0] == "node":
            continue
        named, attribute = statement[: statement.index("[")], statement[statement.index("[") + 1 : -1]
        assert len(attribute) == 3
        assert attribute[1] == "="
        if len(named) == 1:
            assert attribute[0] == "label"
            labels[named[0]] = attribute[2]
        else:
            source, arrow, target = named
            assert (arrow, attribute[0]) == ("->", "style")
            arrows.append((source, target, attribute[2]))
    return comments, labels, arrows


def _dot_tokens(text: str) -> Iterator[tuple[str, str]]:
    pattern = re.compile(r'\s+|//(?P<comment>[^\n]*)|"(?P<text>(?:\\.|[^"\\])*)"|(?P<word>->|\w+|[{}\[\]=;,])')
    at = 0
    while at < len(text):
        match = pattern.match(text, at)
        assert match is not None, text[at : at + 40]
        at = match.end()
        if match.lastgroup is not None:
            yield match.lastgroup, match[match.lastgroup]


def _split(words: list[str], end: str) -> Iterator[list[str]]:
    held: list[str] = []
    for word in words:
        if word == end:
            yield held
            held = []
        else:
            held.append(word)
    assert not held


def shown_in_dot(text: str) -> str:
    """What Graphviz shows of an escaped label."""
    plain = re.sub(r"\\(.)", lambda found: "\n" if found[1] == "n" else found[1], text)
    assert not re.search(r"&(?!amp;)", plain)
    return plain.replace("&amp;", "&")


def read_mermaid(text: str) -> Read:
    first, *lines = text.split("\n")
    assert first == "flowchart LR"
    comments, labels, arrows = [], {}, []
    for line in lines:
        if line.startswith("  %% "):
            comments.append(line[5:])
        elif (node := re.fullmatch(r'  (n\d+)\["([^"\]\[{}%<>]*(?:<br/>[^"\]\[{}%<>]*)?)"\]', line)) is not None:
            labels[node[1]] = node[2]
        else:
            arrow = re.fullmatch(r"  (n\d+) (-->|-\.->) (n\d+)", line)
            assert arrow is not None, line
            arrows.append((arrow[1], arrow[3], arrow[2]))
    return comments, labels, arrows


def shown_in_mermaid(text: str) -> str:
    return re.sub(r"#(\d+);", lambda found: chr(int(found[1])), text.replace("<br/>", "\n"))


@pytest.mark.slow
@pytest.mark.requirement("SRCH.5")
@given(st.lists(st.tuples(st.text(min_size=1), st.text()), min_size=1, max_size=4))
def test_any_name_comes_back_from_both_pictures(names: list[tuple[str, str]]) -> None:
    nodes = [Dot(f"id{place}", label, detail) for place, (label, detail) in enumerate(names)]
    arrows = [Arrow(node.id, nodes[0].id, "likely") for node in nodes]
    wanted = ["\n".join(printable(part) for part in pair if part) for pair in names]
    _, labels, drawn = read_dot(dot(nodes, arrows, "snapshot X"))
    assert list(map(shown_in_dot, labels.values())) == wanted
    assert drawn == [(node.id, "id0", "dashed") for node in nodes]
    _, labels, drawn = read_mermaid(mermaid(nodes, arrows, "snapshot X"))
    assert list(map(shown_in_mermaid, labels.values())) == wanted
    assert drawn == [(f"n{place}", "n0", "-.->") for place in range(len(nodes))]


def test_hostile_ids_and_remarks_stay_what_they_are() -> None:
    nodes, arrows = [Dot(EVIL, EVIL), Dot("b\\", "b\\")], [Arrow(EVIL, "b\\", "proven")]
    comments, labels, drawn = read_dot(dot(nodes, arrows, EVIL))
    assert [comment.strip() for comment in comments] == [printable(EVIL)]
    first, second = labels
    assert [(source, target) for source, target, _ in drawn] == [(first, second)]
    assert shown_in_dot(labels[second]) == "b\\"
    comments, labels, drawn = read_mermaid(mermaid(nodes, arrows, EVIL))
    assert [shown_in_mermaid(comment) for comment in comments] == [printable(EVIL)]
    assert not set('{}<>%"') & set(comments[0])
    assert drawn == [("n0", "n1", "-->")]


def test_a_line_break_and_the_signs_for_one_are_two_nodes() -> None:
    nodes = [Dot("a\nb", "x"), Dot("a\\nb", "y")]
    assert len(read_dot(dot(nodes, [Arrow("a\nb", "a\\nb", "proven")], ""))[1]) == 2


@pytest.mark.parametrize(
    ("tier", "style", "line"),
    [
        ("proven", "solid", "-->"),
        ("likely", "dashed", "-.->"),
        ("name", "dotted", "-.->"),
    ],
)
def test_an_arrow_shows_how_sure_it_is(tier: str, style: str, line: str) -> None:
    nodes, arrows = [Dot("a", "a"), Dot("b", "b")], [Arrow("a", "b", tier)]
    assert read_dot(dot(nodes, arrows, ""))[2] == [("a", "b", style)]
    assert read_mermaid(mermaid(nodes, arrows, ""))[2] == [("n0", "n1", line)]


def test_an_empty_graph_is_a_picture_too() -> None:
    assert read_dot(dot((), (), "x"))[1:] == ({}, [])
    assert read_mermaid(mermaid((), (), "x"))[1:] == ({}, [])


def test_a_tree_opens_every_node_once_and_says_where_it_was() -> None:
    children = {"a": [("b", "1"), ("c", "2")], "b": [("c", "3")], "c": [("d", ""), ("a", "4")]}
    assert tree(["a"], children) == [
        Twig("", "a", "", False),
        Twig("├─ ", "b", "1", False),
        Twig("│  └─ ", "c", "3", False),
        Twig("│     ├─ ", "d", "", False),
        Twig("│     └─ ", "a", "4", True),
        Twig("└─ ", "c", "2", True),
    ]


def test_a_leaf_that_comes_again_hides_nothing() -> None:
    assert [twig.again for twig in tree(["a", "b"], {"a": [("x", "")], "b": [("x", "")]})] == [False] * 4


def test_a_tree_may_be_deeper_than_python_calls() -> None:
    children = {str(at): [(str(at + 1), "")] for at in range(5_000)}
    assert len(tree(["0"], children)) == 5_001


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_a_cut_text_is_never_wider_than_it_may_be_and_says_that_it_was_cut(text: str, width: int) -> None:
    shown, whole = cut(text, width), printable(text)
    assert len(shown) <= width
    assert shown == whole if len(whole) <= width else shown == whole[: width - 1] + "…"
