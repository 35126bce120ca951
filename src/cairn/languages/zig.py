"""Zig."""

import re

from cairn.languages.grammar import Grammar
from cairn.languages.modules.rules import Relative
from cairn.languages.record import Language

_PUBLIC = re.compile(r"\s*(?:pub|export)\b")


def _public(name: str, head: str) -> bool:
    """Said so, or a field, which starts with its name."""
    return _PUBLIC.match(head) is not None or head.lstrip().startswith(name)


_TYPES = "\n".join(
    f"(variable_declaration . (identifier) @name ({node}) .) @definition.{kind}"
    for node, kind in (
        ("struct_declaration", "struct"),
        ("union_declaration", "struct"),
        ("opaque_declaration", "struct"),
        ("enum_declaration", "enum"),
        ("error_set_declaration", "enum"),
    )
)
# What only gives another name to a part of a module is no definition; types have patterns of their own.
_NO_CONSTANT = "^(@import|@This|@cImport|(packed |extern )?(struct|enum|union|opaque|error)|[a-zA-Z_.]+$)"
_CONSTANT = f'. (identifier) @name (_) @_value . (#not-match? @_value "{_NO_CONSTANT}")'
_CONSTANTS = "\n".join(
    f"""({parent} (variable_declaration "const" {_CONSTANT}) @definition.constant)
        ({parent} (variable_declaration "var" . (identifier) @name) @definition.variable)"""
    for parent in ("source_file", "struct_declaration", "enum_declaration", "union_declaration")
)

_GRAMMAR = Grammar(
    "tree-sitter-zig==1.1.2",
    exported=_public,
    query=f"""
        (function_declaration name: (identifier) @name) @definition.function
        {_TYPES}
        {_CONSTANTS}
        (struct_declaration (container_field name: (identifier) @name) @definition.field)
        (union_declaration (container_field name: (identifier) @name) @definition.field)
        (enum_declaration (container_field name: (identifier) @name) @definition.constant)
        (variable_declaration (error_set_declaration (identifier) @name @definition.constant))
        (test_declaration (string (string_content) @name)) @definition.function
        (call_expression function: [
            (identifier) @name (field_expression member: (identifier) @name)]) @call
        (builtin_function (builtin_identifier) @_builtin (arguments (string (string_content) @source))
            (#any-of? @_builtin "@import" "@cInclude" "@embedFile")) @import
        (comment) @comment
    """,
)


LANGUAGE = Language(name="zig", grammar=_GRAMMAR, modules=Relative)
