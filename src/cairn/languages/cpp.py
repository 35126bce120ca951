"""C++, and headers that are C++."""

from cairn.base.values import replace
from cairn.languages.c import LANGUAGE as C
from cairn.languages.c import NOT_NAMES, SCOPING, TYPEDEFS
from cairn.languages.grammar import Grammar
from cairn.languages.imports import everything
from cairn.languages.modules.rules import Includes
from cairn.languages.record import BEHIND_COLON, NAME_LAST, HeadRules, Language
from cairn.languages.scoping import words

_NAMES = "[(identifier) (field_identifier) (operator_name) (destructor_name)] @name"
_FUNCTION = f"(function_declarator declarator: {_NAMES})"
_FUNCTIONS = f"""[
    {_FUNCTION}
    (pointer_declarator declarator: {_FUNCTION})
    (pointer_declarator declarator: (pointer_declarator declarator: {_FUNCTION}))
    (reference_declarator {_FUNCTION})]"""
_SCOPE = "[(namespace_identifier) @container (template_type name: (type_identifier) @container)]"
_MEMBER = f"""(function_declarator declarator: [
    (qualified_identifier scope: {_SCOPE} name: {_NAMES})
    (qualified_identifier name: (qualified_identifier scope: {_SCOPE} name: {_NAMES}))
    (qualified_identifier name: (qualified_identifier name: (qualified_identifier scope: {_SCOPE} name: {_NAMES})))])"""
_MEMBERS = f"[{_MEMBER} (pointer_declarator declarator: {_MEMBER}) (reference_declarator {_MEMBER})]"
_CONSTRUCTOR = "(function_declarator declarator: (identifier) @name)"
_VARIABLES = """[
    (identifier) @name
    (array_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (identifier) @name)
    (pointer_declarator declarator: (pointer_declarator declarator: (identifier) @name))
    (reference_declarator (identifier) @name)]"""
_AT_TOP = "\n".join(
    f"""({parent} [
        (declaration declarator: {_FUNCTIONS}) @definition.function
        (declaration declarator: {_VARIABLES}) @definition.variable
        (declaration declarator: (init_declarator declarator: {_VARIABLES})) @definition.variable])"""
    for parent in (
        "translation_unit",
        "declaration_list",
        "template_declaration",
        "preproc_ifdef",
        "preproc_if",
        "preproc_else",
    )
)
_TYPE_NAMES = """[
    (type_identifier) @name
    (template_type name: (type_identifier) @name)
    (qualified_identifier name: (type_identifier) @name)]"""

_GRAMMAR = Grammar(
    "tree-sitter-cpp==0.23.4",
    wrappers=frozenset({"template_declaration"}),
    reserved=NOT_NAMES,
    query=f"""
        (class_specifier name: {_TYPE_NAMES} body: (_)) @definition.class
        (struct_specifier name: {_TYPE_NAMES} body: (_)) @definition.struct
        (union_specifier name: (type_identifier) @name body: (_)) @definition.struct
        (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
        (enumerator name: (identifier) @name) @definition.constant
        (namespace_definition name: [
            (namespace_identifier) @name (nested_namespace_specifier) @name]) @definition.module
        (field_declaration_list [
            (function_definition !type declarator: {_CONSTRUCTOR}) @definition.constructor
            (declaration !type declarator: {_CONSTRUCTOR}) @definition.constructor
            (template_declaration (function_definition !type
                declarator: {_CONSTRUCTOR}) @definition.constructor)
            (template_declaration (declaration !type declarator: {_CONSTRUCTOR}) @definition.constructor)])
        (field_declaration_list (declaration
            declarator: (function_declarator declarator: (destructor_name) @name)) @definition.method)
        (function_definition
            declarator: (function_declarator declarator: (qualified_identifier
                scope: {_SCOPE} name: (identifier) @name)) (#eq? @container @name)) @definition.constructor
        (function_definition type: (class_specifier !body) declarator: (identifier) @name) @definition.class
        (function_definition type: (struct_specifier !body) declarator: (identifier) @name) @definition.struct
        (function_definition declarator: {_MEMBERS}) @definition.method
        (function_definition declarator: {_FUNCTIONS}) @definition.function
        (function_definition (operator_cast) @name) @definition.method
        {_AT_TOP}
        (field_declaration declarator: {_FUNCTIONS}) @definition.method
        (field_declaration declarator: [
            (field_identifier) @name
            (pointer_declarator declarator: (field_identifier) @name)
            (pointer_declarator declarator: (pointer_declarator declarator: (field_identifier) @name))
            (reference_declarator (field_identifier) @name)
            (array_declarator declarator: (field_identifier) @name)
            (function_declarator declarator: (parenthesized_declarator
                (pointer_declarator declarator: (field_identifier) @name)))]) @definition.field
        (alias_declaration name: (type_identifier) @name) @definition.type
        (concept_definition name: (identifier) @name) @definition.type
        {TYPEDEFS}
        (type_definition
            type: [(primitive_type) (sized_type_specifier) (type_identifier) (qualified_identifier) (template_type)]
            declarator: [
                (type_identifier) @name
                (pointer_declarator declarator: (type_identifier) @name)
                (array_declarator declarator: (type_identifier) @name)]) @definition.type
        (type_definition declarator: (function_declarator declarator: (parenthesized_declarator
            (pointer_declarator declarator: (type_identifier) @name)))) @definition.type
        (preproc_def name: (identifier) @name value: (_)) @definition.macro
        (preproc_function_def name: (identifier) @name) @definition.macro
        (call_expression function: [
            (identifier) @name
            (field_expression field: (field_identifier) @name)
            (field_expression field: (template_method name: (field_identifier) @name))
            (template_function name: (identifier) @name)
            (qualified_identifier name: [
                (identifier) @name
                (template_function name: (identifier) @name)
                (qualified_identifier name: [
                    (identifier) @name
                    (template_function name: (identifier) @name)
                    (qualified_identifier name: (identifier) @name)])])]) @call
        (new_expression type: [
            (type_identifier) @name
            (template_type name: (type_identifier) @name)
            (qualified_identifier name: [
                (type_identifier) @name (template_type name: (type_identifier) @name)])]) @call
        (preproc_include path: [(string_literal) @source (system_lib_string) @source]) @import
        (class_specifier body: (field_declaration_list "{{" @hides))
        (namespace_definition !name body: (declaration_list "{{" @hides))
        ((access_specifier) @hides (#any-of? @hides "private" "protected"))
        ((access_specifier) @shows (#eq? @shows "public"))
        (comment) @comment
    """,
)


_HOLDERS = "unique_ptr|shared_ptr|weak_ptr|optional|reference_wrapper"

LANGUAGE = Language(
    name="cpp",
    grammar=_GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Includes,
    kin="c",
    customs=replace(C.customs, sees_members=True, spread="around", scattered=True, reopened=True, template_heads=True),
    heads=HeadRules(
        order=NAME_LAST,
        transparent=_HOLDERS,
        awaited=_HOLDERS,
        # Whether `.` or `->` stands before a name isn't kept.
        awaited_own=words(
            "reset release get swap get_deleter use_count unique expired lock owner_before owner_equal value "
            "value_or has_value emplace and_then transform or_else begin end"
        ),
        returns_said=True,
        closed_values=True,
        bases=BEHIND_COLON,
    ),
)
