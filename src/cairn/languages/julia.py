"""Julia."""

from cairn.languages.grammar import Grammar, without_underscore
from cairn.languages.imports import everything
from cairn.languages.modules.rules import Relative
from cairn.languages.record import Customs, Language

_NAME = """[
    (identifier) @name
    (field_expression (identifier) @name .)
    (field_expression (quote_expression (parenthesized_expression (operator) @name)))
    (field_expression (quote_expression (operator) @name))
    (parametrized_type_expression . (identifier) @name)
    (operator) @name]"""
_CALLED = f"(call_expression . {_NAME})"
_HEAD = f"""[
    {_CALLED}
    (typed_expression . {_CALLED})
    (where_expression . {_CALLED})
    (where_expression . (typed_expression . {_CALLED}))
    (where_expression . (where_expression . {_CALLED}))]"""
_TYPE = """(type_head [
    (identifier) @name
    (parametrized_type_expression . (identifier) @name)
    (binary_expression . (identifier) @name)
    (binary_expression . (parametrized_type_expression . (identifier) @name))])"""
_SHORT = "\n".join(
    f"({parent} (assignment . {_HEAD}) @definition.function)"
    for parent in ("source_file", "module_definition", "struct_definition", "macro_argument_list")
)
_VALUES = "\n".join(
    f"""({parent} (assignment . (identifier) @name) @definition.variable)
        ({parent} (const_statement (assignment . [
            (identifier) @name (typed_expression . (identifier) @name)])) @definition.constant)
        ({parent} (string_literal) @comment)"""
    for parent in ("source_file", "module_definition")
)

_GRAMMAR = Grammar(
    "tree-sitter-julia==0.23.1",
    wrappers=frozenset({"macrocall_expression", "macro_argument_list"}),
    exported=without_underscore,
    query=f"""
        (module_definition name: (identifier) @name) @definition.module
        (function_definition (signature {_HEAD})) @definition.function
        (function_definition (signature . (identifier) @name)) @definition.function
        (macro_definition (signature (call_expression . (identifier) @name))) @definition.macro
        (struct_definition {_TYPE}) @definition.struct
        (abstract_definition {_TYPE}) @definition.type
        (primitive_definition {_TYPE}) @definition.type
        (struct_definition (type_head) [
            (identifier) @name @definition.field
            (typed_expression . (identifier) @name) @definition.field
            (assignment . (typed_expression . (identifier) @name)) @definition.field])
        {_SHORT}
        {_VALUES}
        (call_expression . [(identifier) @name (field_expression (identifier) @name .)]) @call
        (broadcast_call_expression . [(identifier) @name (field_expression (identifier) @name .)]) @call
        (macrocall_expression (macro_identifier (identifier) @name)) @call
        (using_statement [(identifier) (scoped_identifier) (import_path)] @source) @import
        (import_statement [(identifier) (scoped_identifier) (import_path)] @source) @import
        (selected_import . (_) @source) @import
        (call_expression . (identifier) @_included
            (argument_list (string_literal (content) @source)) (#eq? @_included "include")) @import
        (line_comment) @comment
        (block_comment) @comment
    """,
)


_BUILTINS = frozenset(
    "print println length push! map filter string parse isempty error throw get open close sum".split()
)

LANGUAGE = Language(
    name="julia",
    grammar=_GRAMMAR,
    bindings=everything,
    modules=Relative,
    customs=Customs(any_file=True, overloads=True, passes_on=True, builtins=_BUILTINS),
)
