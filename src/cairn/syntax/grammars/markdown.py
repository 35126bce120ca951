"""Markdown: headings with what stands under them."""

from cairn.syntax.grammar import Grammar

GRAMMARS = (
    Grammar(
        language="markdown",
        package="tree-sitter-markdown",
        version="0.5.4",
        bodies=frozenset(),
        query="""
            (section . (atx_heading heading_content: (inline) @name)) @definition.heading
            (setext_heading heading_content: (paragraph (inline) @name)) @definition.heading
        """,
    ),
)
