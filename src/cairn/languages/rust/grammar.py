"""Rust."""

import re

from cairn.languages.grammar import Grammar

_PUBLIC = re.compile(r"\bpub\b|\bmacro_export\b")


def _public(name: str, head: str) -> bool:
    """Said so, or a variant: a name on its own that is as visible as its enum."""
    return _PUBLIC.search(head) is not None or (name[:1].isupper() and head.lstrip().startswith(name))


GRAMMAR = Grammar(
    package="tree-sitter-rust",
    version="0.24.2",
    exported=_public,
    query="""
        (function_item name: (identifier) @name) @definition.function
        (function_signature_item name: (identifier) @name) @definition.function
        (struct_item name: (type_identifier) @name) @definition.struct
        (union_item name: (type_identifier) @name) @definition.struct
        (enum_item name: (type_identifier) @name) @definition.enum
        (enum_variant name: (identifier) @name) @definition.constant
        (field_declaration name: (field_identifier) @name) @definition.field
        (trait_item name: (type_identifier) @name) @definition.trait
        (mod_item name: (identifier) @name body: (_)) @definition.module
        (type_item name: (type_identifier) @name) @definition.type
        (associated_type name: (type_identifier) @name) @definition.type
        (const_item name: (identifier) @name) @definition.constant
        (static_item name: (identifier) @name) @definition.variable
        (macro_definition name: (identifier) @name) @definition.macro
        (impl_item type: [
            (type_identifier) @name
            (scoped_type_identifier name: (type_identifier) @name)
            (generic_type type: [
                (type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
            (reference_type type: [
                (type_identifier) @name (generic_type type: (type_identifier) @name)])
            (dynamic_type trait: (type_identifier) @name)
            (primitive_type) @name]) @scope
        (call_expression function: [
            (identifier) @name
            (scoped_identifier name: (identifier) @name)
            (field_expression field: (field_identifier) @name)
            (generic_function function: [
                (identifier) @name
                (scoped_identifier name: (identifier) @name)
                (field_expression field: (field_identifier) @name)])]) @call
        (macro_invocation macro: [
            (identifier) @name (scoped_identifier name: (identifier) @name)]) @call
        (use_declaration argument: (_) @source) @import
        (extern_crate_declaration name: (identifier) @source) @import
        (mod_item name: (identifier) @source !body) @import
        (line_comment) @comment
        (block_comment) @comment
        (attribute_item) @attribute
        (trait_item body: (declaration_list "{" @shows))
        (impl_item trait: (_) body: (declaration_list "{" @shows))
    """,
)
