"""SQL, mostly as PostgreSQL, MySQL and SQLite write it."""

from cairn.languages.grammar import Grammar
from cairn.languages.record import Language

_NAMED = "(object_reference name: (identifier) @name)"

_GRAMMAR = Grammar(
    "tree-sitter-sql==0.3.11",
    query=f"""
        (create_table {_NAMED}) @definition.table
        (create_view {_NAMED}) @definition.table
        (create_materialized_view {_NAMED}) @definition.table
        (create_function (keyword_function) . {_NAMED}) @definition.function
        (create_trigger (keyword_trigger) . {_NAMED}) @definition.function
        (create_type (keyword_type) . {_NAMED}) @definition.type
        (create_sequence (keyword_sequence) . {_NAMED}) @definition.variable
        (create_index column: (identifier) @name) @definition.key
        (create_schema (identifier) @name) @definition.module
        (create_database (identifier) @name) @definition.module
        (column_definition name: (identifier) @name) @definition.field
        (alter_table {_NAMED}) @scope
        (invocation {_NAMED}) @call
        (comment) @comment
        (marginalia) @comment
    """,
)

LANGUAGE = Language(name="sql", grammar=_GRAMMAR)
