"""TOML: tables and their keys; the elements of arrays of tables only guide the chunks."""

from cairn.languages.grammar import Grammar
from cairn.languages.record import DATA, Language

_KEY = "[(bare_key) (dotted_key) (quoted_key)] @name"

_GRAMMAR = Grammar(
    "tree-sitter-toml==0.7.0",
    query=f"""
        (table . {_KEY}) @definition.key
        (table (pair . {_KEY}) @definition.key)
        (document (pair . {_KEY}) @definition.key)
        (table_array_element . {_KEY}) @scope
        (comment) @comment
    """,
)

LANGUAGE = Language(name="toml", grammar=_GRAMMAR, content=DATA)
