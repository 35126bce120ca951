"""Python."""

from cairn.languages.grammar import Grammar, without_underscore

GRAMMAR = Grammar(
    package="tree-sitter-python",
    version="0.25.0",
    wrappers=frozenset({"decorated_definition"}),
    exported=without_underscore,
    query="""
        (class_definition name: (identifier) @name
            body: (block . (expression_statement (string) @doc))?) @definition.class
        (function_definition name: (identifier) @name
            body: (block . (expression_statement (string) @doc))?) @definition.function
        (module (expression_statement (assignment left: (identifier) @name)) @definition.variable)
        (module (type_alias_statement left: (type (identifier) @name)) @definition.type)
        (class_definition body: (block
            (expression_statement (assignment left: (identifier) @name)) @definition.field))
        (call function: [(identifier) @name (attribute attribute: (identifier) @name)]) @call
        (import_statement name: (dotted_name) @source) @import
        (import_statement name: (aliased_import name: (dotted_name) @source)) @import
        (import_from_statement module_name: (_) @source) @import
        (module . (expression_statement (string) @comment))
        (comment) @comment
    """,
)
