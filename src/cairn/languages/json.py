"""JSON: the keys of the first two levels."""

from cairn.languages.grammar import Grammar
from cairn.languages.record import DATA, Language

_GRAMMAR = Grammar(
    "tree-sitter-json==0.24.8",
    bodies=frozenset(),
    query="""
        (document (object (pair key: (string (string_content) @name)) @definition.key))
        (document (object (pair value: (object
            (pair key: (string (string_content) @name)) @definition.key))))
        (comment) @comment
    """,
)

LANGUAGE = Language(name="json", grammar=_GRAMMAR, content=DATA)
