"""Markdown: headings with what stands under them."""

from cairn.languages.grammar import Grammar
from cairn.languages.record import PROSE, Language

_GRAMMAR = Grammar(
    "tree-sitter-markdown==0.5.4",
    bodies=frozenset(),
    query="""
        (section . (atx_heading heading_content: (inline) @name)) @definition.heading
        (setext_heading heading_content: (paragraph (inline) @name)) @definition.heading
    """,
)

LANGUAGE = Language(name="markdown", grammar=_GRAMMAR, content=PROSE)
