"""YAML: the keys of the first two levels of each document."""

from cairn.languages.grammar import Grammar
from cairn.languages.record import DATA, Language

_PAIR = "(block_mapping_pair key: (flow_node [(plain_scalar) (double_quote_scalar) (single_quote_scalar)] @name))"

_GRAMMAR = Grammar(
    "tree-sitter-yaml==0.7.2",
    bodies=frozenset(),
    query=f"""
        (document (block_node (block_mapping {_PAIR} @definition.key)))
        (document (block_node (block_mapping (block_mapping_pair
            value: (block_node (block_mapping {_PAIR} @definition.key))))))
        (comment) @comment
    """,
)

LANGUAGE = Language(name="yaml", grammar=_GRAMMAR, content=DATA)
