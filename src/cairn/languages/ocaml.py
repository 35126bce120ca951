"""OCaml."""

from cairn.languages.grammar import Grammar, without_underscore
from cairn.languages.imports import everything
from cairn.languages.record import Customs, Language

_NAME = "[(value_name) @name (parenthesized_operator (_) @name)]"
_BINDINGS = f"""[
    (value_definition (let_binding pattern: {_NAME} (parameter)) @definition.function)
    (value_definition (let_binding pattern: {_NAME} . body: [
        (fun_expression) (function_expression)]) @definition.function)
    (value_definition (let_binding pattern: {_NAME} . (_) @_value) @definition.constant
        (#not-match? @_value "^fun(ction)?\\\\b"))]"""
QUERY = f"""
    (structure {_BINDINGS})
    (value_specification {_NAME}) @definition.function
    (external {_NAME}) @definition.function
    (type_binding name: (type_constructor) @name) @definition.type
    (constructor_declaration (constructor_name) @name) @definition.constant
    (field_declaration (field_name) @name) @definition.field
    (module_binding (module_name) @name) @definition.module
    (module_type_definition (module_type_name) @name) @definition.interface
    (class_binding (class_name) @name) @definition.class
    (class_type_binding (class_type_name) @name) @definition.interface
    (method_definition (method_name) @name) @definition.method
    (method_specification (method_name) @name) @definition.method
    (instance_variable_definition (instance_variable_name) @name) @definition.field
    (application_expression function: (value_path (value_name) @name)) @call
    (infix_expression operator: (rel_operator) @_pipe right: (value_path (value_name) @name)
        (#eq? @_pipe "|>")) @call
    (infix_expression left: (value_path (value_name) @name) operator: (concat_operator) @_applied
        (#eq? @_applied "@@")) @call
    (method_invocation (method_name) @name) @call
    (open_module module: (_) @source) @import
    (open_module_signature module: (_) @source) @import
    (include_module module: (_) @source) @import
    (comment) @comment
"""


def grammar(function: str, query: str) -> Grammar:
    """What OCaml and its interfaces share."""
    return Grammar("tree-sitter-ocaml==0.26.0", function=function, exported=without_underscore, query=query)


LANGUAGE = Language(
    name="ocaml",
    grammar=grammar("language_ocaml", f"(compilation_unit {_BINDINGS})\n{QUERY}"),
    bindings=everything,
    customs=Customs(any_file=True),
)
