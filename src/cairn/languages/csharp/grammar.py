"""C#."""

import re

from cairn.languages.grammar import Grammar

_SEEN = re.compile(r"\b(?:public|protected|internal)\b")
_HIDDEN = re.compile(r"\b(?:private|file)\b")
_TYPE = re.compile(r"\b(?:class|delegate|enum|interface|namespace|record|struct)\b")
_BODILESS_METHOD = re.compile(r"[^=(]*\(.*\)[^)]*;$", re.DOTALL)
_ENUM_MEMBER = re.compile(r"\w+(?:\s*=.*)?$", re.DOTALL)
_ATTRIBUTES = re.compile(r"^(?:\[(?:[^\[\]]|\[[^\]]*\])*\]\s*)+")


def _exported(_name: str, head: str) -> bool:
    """Types are internal, class members private and interface members public unless they say otherwise."""
    bare = _ATTRIBUTES.sub("", head.strip())
    if _SEEN.search(bare):
        return True
    if _HIDDEN.search(bare):
        return False
    in_interface = _BODILESS_METHOD.match(bare) or bare.startswith("event ") or not re.search(r"[;()]", bare)
    return bool(_TYPE.search(bare) or _ENUM_MEMBER.match(bare) or in_interface)


GRAMMAR = Grammar(
    package="tree-sitter-c-sharp",
    version="0.23.5",
    bodies=frozenset({"body", "accessors", "value"}),
    exported=_exported,
    query="""
        (namespace_declaration name: [(identifier) (qualified_name)] @name) @definition.module
        (class_declaration name: (identifier) @name) @definition.class
        (record_declaration name: (identifier) @name) @definition.class
        (record_declaration (parameter_list (parameter name: (identifier) @name) @definition.property))
        (struct_declaration name: (identifier) @name) @definition.struct
        (interface_declaration name: (identifier) @name) @definition.interface
        (enum_declaration name: (identifier) @name) @definition.enum
        (enum_member_declaration name: (identifier) @name) @definition.constant
        (delegate_declaration name: (identifier) @name) @definition.type
        (constructor_declaration name: (identifier) @name) @definition.constructor
        (method_declaration name: (identifier) @name) @definition.method
        (local_function_statement name: (identifier) @name) @definition.function
        (property_declaration name: (identifier) @name) @definition.property
        (indexer_declaration "this" @name) @definition.property
        (event_declaration name: (identifier) @name) @definition.property
        (event_field_declaration (variable_declaration
            (variable_declarator name: (identifier) @name))) @definition.property
        (field_declaration (modifier "const") (variable_declaration
            (variable_declarator name: (identifier) @name))) @definition.constant
        (field_declaration (variable_declaration
            (variable_declarator name: (identifier) @name))) @definition.field
        (invocation_expression function: [
            (identifier) @name
            (generic_name (identifier) @name)
            (member_access_expression name: [(identifier) @name (generic_name (identifier) @name)])
            (conditional_access_expression (member_binding_expression
                name: [(identifier) @name (generic_name (identifier) @name)]))]) @call
        (object_creation_expression type: [
            (identifier) @name
            (generic_name (identifier) @name)
            (qualified_name name: [(identifier) @name (generic_name (identifier) @name)])]) @call
        (using_directive !name [(identifier) (qualified_name)] @source) @import
        (using_directive name: (identifier) (qualified_name) @source) @import
        (comment) @comment
    """,
)
