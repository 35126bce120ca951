"""TOML: tables and their keys; the elements of arrays of tables only guide the chunks."""

from cairn.syntax.grammar import Grammar

_KEY = "[(bare_key) (dotted_key) (quoted_key)] @name"

GRAMMARS = (
    Grammar(
        language="toml",
        package="tree-sitter-toml",
        version="0.7.0",
        query=f"""
            (table . {_KEY}) @definition.key
            (table (pair . {_KEY}) @definition.key)
            (document (pair . {_KEY}) @definition.key)
            (table_array_element . {_KEY}) @scope
            (comment) @comment
        """,
    ),
)
