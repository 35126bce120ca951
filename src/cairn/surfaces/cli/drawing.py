"""Pictures of graphs: trees for a terminal, DOT and Mermaid for everything else."""

import re
from collections.abc import Iterable, Mapping, Sequence

from cairn.base.text import printable
from cairn.base.values import dataclass

_DOT_STYLE = {"proven": "solid", "likely": "dashed", "name": "dotted"}
_MERMAID_ARROW = {"proven": "-->", "likely": "-.->", "name": "-.->"}


@dataclass(frozen=True, slots=True)
class Dot:
    """A node of a picture."""

    id: str
    label: str
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Arrow:
    """A relation that is drawn, and how sure it is."""

    source: str
    target: str
    tier: str


@dataclass(frozen=True, slots=True)
class Twig:
    """A line of a tree: what leads to a node, and whether it was opened further up."""

    lead: str
    node: str
    behind: str
    again: bool


def dot(nodes: Iterable[Dot], arrows: Iterable[Arrow], about: str) -> str:
    """A graph for Graphviz."""
    lines = [f"// {printable(about)}", "digraph cairn {", "  rankdir=LR;", '  node [shape=box, fontname="monospace"];']
    lines += [f"  {_dot_id(node.id)} [label={_dot_label(node.label, node.detail)}];" for node in nodes]
    lines += [
        f"  {_dot_id(arrow.source)} -> {_dot_id(arrow.target)} [style={_DOT_STYLE.get(arrow.tier, 'solid')}];"
        for arrow in arrows
    ]
    return "\n".join([*lines, "}"])


def mermaid(nodes: Iterable[Dot], arrows: Iterable[Arrow], about: str) -> str:
    """A graph for Mermaid, as documents and pages show it."""
    names: dict[str, str] = {}
    lines = ["flowchart LR", f"  %% {_html(about)}"]
    for node in nodes:
        names[node.id] = f"n{len(names)}"
        text = "<br/>".join(_html(part) for part in (node.label, node.detail) if part)
        lines.append(f'  {names[node.id]}["{text}"]')
    lines += [
        f"  {names[arrow.source]} {_MERMAID_ARROW.get(arrow.tier, '-->')} {names[arrow.target]}" for arrow in arrows
    ]
    return "\n".join(lines)


def tree(roots: Sequence[str], children: Mapping[str, Sequence[tuple[str, str]]]) -> list[Twig]:
    """Lines of a tree; `children` are (id, what stands behind it). One that was shown already isn't opened again."""
    lines: list[Twig] = []
    shown: set[str] = set()
    waiting: list[tuple[str, str, str, str]] = [(root, "", "", "") for root in reversed(roots)]
    while waiting:
        node, lead, branch, behind = waiting.pop()
        below = children.get(node, ())
        again = node in shown and bool(below)
        shown.add(node)
        lines.append(Twig(lead + branch, node, behind, again))
        if again:
            continue
        inner = lead + {"├─ ": "│  ", "└─ ": "   "}.get(branch, "")
        waiting += [
            (child, inner, "└─ " if place == len(below) - 1 else "├─ ", text)
            for place, (child, text) in reversed(list(enumerate(below)))
        ]
    return lines


def cut(text: str, width: int) -> str:
    """A text that is safe to print, in a width at most."""
    safe = printable(text)
    return safe if len(safe) <= width else safe[: max(width - 1, 0)] + "…"


def _dot(text: str) -> str:
    return '"' + printable(text).replace("\\", "\\\\").replace('"', '\\"') + '"'


def _dot_id(text: str) -> str:
    """A backslash and what is escaped by one stay apart: two nodes are never one."""
    return _dot(text.replace("\\", "\\\\"))


def _dot_label(*parts: str) -> str:
    """Lines of a label, in which Graphviz reads entities as a page does."""
    return '"' + "\\n".join(_dot(part.replace("&", "&amp;"))[1:-1] for part in parts if part) + '"'


def _html(text: str) -> str:
    """Text that neither Mermaid nor a page takes for anything else."""
    return re.sub(r"[^\w./:, -]", lambda found: f"#{ord(found[0])};", printable(text))
