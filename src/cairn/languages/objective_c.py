"""Objective-C; a method is known by the first part of its selector."""

from cairn.languages.c import BUILTINS
from cairn.languages.grammar import Grammar, unless_said
from cairn.languages.imports import everything
from cairn.languages.modules.rules import Includes
from cairn.languages.record import NAME_LAST, Customs, HeadRules, Language

_FUNCTION = "(function_declarator declarator: (identifier) @name)"
_FUNCTIONS = f"[{_FUNCTION} (pointer_declarator declarator: {_FUNCTION})]"
_VARIABLE = "[(identifier) @name (pointer_declarator declarator: (identifier) @name)]"
_AT_TOP = "\n".join(
    f"""({parent} [
        (declaration declarator: {_FUNCTIONS}) @definition.function
        (declaration declarator: {_VARIABLE}) @definition.variable
        (declaration declarator: (init_declarator declarator: {_VARIABLE})) @definition.variable])"""
    for parent in ("translation_unit", "preproc_ifdef", "preproc_if")
)
_FIELD = """(struct_declaration (struct_declarator [
    (identifier) @name
    (pointer_declarator declarator: (identifier) @name)
    (block_pointer_declarator (identifier) @name)
    (function_declarator declarator: (parenthesized_declarator
        (block_pointer_declarator declarator: (identifier) @name)))]))"""

_GRAMMAR = Grammar(
    "tree-sitter-objc==3.0.2",
    bodies=frozenset({"body", "compound_statement"}),
    exported=unless_said("static"),
    query=f"""
        (class_interface . (identifier) @name superclass: (_)) @definition.class
        (class_interface . (identifier) @name !superclass) @scope
        (class_implementation . (identifier) @name !category) @definition.class
        (class_implementation . (identifier) @name category: (_)) @scope
        (protocol_declaration . (identifier) @name) @definition.interface
        (method_declaration (method_type) . (identifier) @name) @definition.method
        (method_definition (method_type) . (identifier) @name) @definition.method
        (property_declaration {_FIELD}) @definition.property
        (instance_variable {_FIELD}) @definition.field
        (function_definition declarator: {_FUNCTIONS}) @definition.function
        {_AT_TOP}
        (struct_specifier name: (type_identifier) @name body: (_)) @definition.struct
        (enum_specifier name: (type_identifier) @name body: (_)) @definition.enum
        (enumerator name: (identifier) @name) @definition.constant
        (type_definition type: (struct_specifier !name) declarator: (type_identifier) @name) @definition.struct
        (type_definition type: (enum_specifier !name) declarator: (type_identifier) @name) @definition.enum
        (type_definition type: (macro_type_specifier
            name: (identifier) @_macro type: (type_descriptor type: (type_identifier) @name))
            (#any-of? @_macro "NS_ENUM" "NS_OPTIONS" "NS_CLOSED_ENUM")) @definition.enum
        (type_definition
            type: [(primitive_type) (type_identifier) (sized_type_specifier)]
            declarator: [
                (type_identifier) @name
                (pointer_declarator declarator: (type_identifier) @name)
                (function_declarator declarator: (parenthesized_declarator [
                    (pointer_declarator declarator: (type_identifier) @name)
                    (block_pointer_declarator declarator: (type_identifier) @name)]))]) @definition.type
        (preproc_def name: (identifier) @name value: (_)) @definition.macro
        (preproc_function_def name: (identifier) @name) @definition.macro
        (message_expression receiver: (_) . method: (identifier) @name) @call
        (call_expression function: (identifier) @name) @call
        (preproc_include path: (_) @source) @import
        (module_import path: (_) @source) @import
        (comment) @comment
    """,
)


LANGUAGE = Language(
    name="objective-c",
    grammar=_GRAMMAR,
    bindings=everything,
    modules=Includes,
    kin="c",
    customs=Customs(
        selves=frozenset({"self"}),
        any_file=True,
        spread="top",
        overloads=True,
        passes_on=True,
        arrows=True,
        builtins=BUILTINS,
    ),
    heads=HeadRules(order=NAME_LAST),
)
