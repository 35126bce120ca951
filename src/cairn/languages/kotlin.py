"""Kotlin."""

import re

from cairn.base.values import replace
from cairn.languages.grammar import Grammar
from cairn.languages.imports import last_part
from cairn.languages.java import CUSTOMS, unless_hidden_by
from cairn.languages.modules.rules import Jvm
from cairn.languages.record import BEHIND_COLON, NAME_FIRST, HeadRules, Language, Naming
from cairn.languages.scoping import Scoping, binders, words

_GRAMMAR = Grammar(
    "tree-sitter-kotlin==1.1.0",
    bodies=frozenset({"function_body", "class_body", "enum_class_body", "getter"}),
    exported=unless_hidden_by("private"),
    query="""
        (class_declaration (modifiers (class_modifier "enum")) name: (identifier) @name) @definition.enum
        (class_declaration "interface" name: (identifier) @name) @definition.interface
        (class_declaration "class" name: (identifier) @name) @definition.class
        (object_declaration name: (identifier) @name) @definition.class
        (companion_object name: (identifier) @name) @definition.class
        (type_alias type: (identifier) @name) @definition.type
        (enum_entry . (modifiers)? . (identifier) @name) @definition.constant
        (enum_entry (class_body (function_declaration name: (identifier) @name) @definition.method))
        (function_declaration
            [(user_type . (identifier) @container) (nullable_type (user_type . (identifier) @container))]
            "." name: (identifier) @name) @definition.method
        (function_declaration name: (identifier) @name) @definition.function
        (secondary_constructor "constructor" @name) @definition.constructor
        (class_parameter ["val" "var"] . (identifier) @name) @definition.property
        (source_file (property_declaration (modifiers (property_modifier "const"))
            (variable_declaration . (identifier) @name)) @definition.constant)
        (class_body (property_declaration (modifiers (property_modifier "const"))
            (variable_declaration . (identifier) @name)) @definition.constant)
        (source_file (property_declaration
            [(user_type . (identifier) @container) (nullable_type (user_type . (identifier) @container))]
            . (variable_declaration . (identifier) @name)) @definition.property)
        (source_file (property_declaration (variable_declaration . (identifier) @name)) @definition.variable)
        (class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.property)
        (enum_class_body (property_declaration (variable_declaration . (identifier) @name)) @definition.property)
        (call_expression . (identifier) @name) @call
        (call_expression . (navigation_expression (identifier) @name .)) @call
        (delegation_specifier (constructor_invocation (user_type (identifier) @name))) @call
        (callable_reference (identifier) @name .) @call
        (import (qualified_identifier) @source) @import
        (line_comment) @comment
        (block_comment) @comment
    """,
)

_SCOPING = Scoping(
    functions=words(
        """
        function_declaration lambda_literal anonymous_function getter setter secondary_constructor
        anonymous_initializer
        """
    ),
    blocks=words("block for_statement catch_block when_expression when_entry"),
    spaces=words("class_declaration object_declaration companion_object object_literal enum_entry"),
    binders=binders(
        block="""
            parameter parameter_with_optional_type variable_declaration class_parameter function_declaration.name
            class_declaration.name
        """,
        own="catch_block",
        types="type_parameter",
    ),
    templates=True,
    members_seen_within=True,
)

_OTHER_THIS = re.compile(
    r"\bobject\b|\b(?:apply|with|run|build\w*)\b[^\n]*\{|\bfun\s+(?:<[^>\n]*>\s*)?[\w<>?]+\.\w+\s*\("
)

LANGUAGE = Language(
    name="kotlin",
    grammar=_GRAMMAR,
    scoping=_SCOPING,
    bindings=last_part,
    modules=Jvm,
    kin="java",
    customs=replace(CUSTOMS, other_this=_OTHER_THIS, other_members=_OTHER_THIS, types_apart=True),
    heads=HeadRules(order=NAME_FIRST, bases=BEHIND_COLON),
    naming=Naming(dollar_found=True),
)
