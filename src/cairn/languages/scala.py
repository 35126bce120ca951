"""Scala 2 and 3."""

import re
from collections.abc import Iterable

from cairn.languages.grammar import Grammar
from cairn.languages.imports import EVERYTHING, Binding, last_part, renamed
from cairn.languages.java import CUSTOMS, unless_hidden_by
from cairn.languages.modules.rules import Jvm
from cairn.languages.record import NAME_FIRST, HeadRules, Language, Naming
from cairn.languages.scoping import Scoping, binders, words


def _values(body: str, val_kind: str, var_kind: str) -> str:
    return f"""
        ({body} [
            (val_definition pattern: (identifier) @name) @definition.{val_kind}
            (val_declaration name: (identifier) @name) @definition.{val_kind}
            (var_definition pattern: (identifier) @name) @definition.{var_kind}
            (var_declaration name: (identifier) @name) @definition.{var_kind}])
    """


_GRAMMAR = Grammar(
    "tree-sitter-scala==0.26.3",
    exported=unless_hidden_by(r"private(?:\[this\])?(?!\[)"),
    query=f"""
        (package_object name: (identifier) @name) @definition.module
        (class_definition name: (identifier) @name) @definition.class
        (object_definition name: (identifier) @name) @definition.class
        (trait_definition name: (identifier) @name) @definition.trait
        (enum_definition name: (identifier) @name) @definition.enum
        (simple_enum_case name: (identifier) @name) @definition.constant
        (full_enum_case name: (identifier) @name) @definition.constant
        (type_definition name: (type_identifier) @name) @definition.type
        (given_definition name: (identifier) @name) @definition.constant
        (extension_definition parameters: (parameters (parameter type: [
            (type_identifier) @name (generic_type type: (type_identifier) @name)]))) @scope
        (function_definition name: (identifier) @name (#eq? @name "this")) @definition.constructor
        (function_definition name: (identifier) @name) @definition.function
        (function_declaration name: (identifier) @name) @definition.function
        (function_definition name: (operator_identifier) @name) @definition.function
        (class_definition "case" class_parameters: (class_parameters
            (class_parameter name: (identifier) @name) @definition.property))
        (class_parameter ["val" "var"] name: (identifier) @name) @definition.property
        {_values("template_body", "property", "property")}
        {_values("with_template_body", "property", "property")}
        {_values("compilation_unit", "constant", "variable")}
        (call_expression function: [
            (identifier) @name
            (field_expression field: (identifier) @name)
            (generic_function function: [
                (identifier) @name (field_expression field: (identifier) @name)])]) @call
        (instance_expression [
            (type_identifier) @name (generic_type type: (type_identifier) @name)]) @call
        (infix_expression operator: (identifier) @name) @call
        (import_declaration . (identifier) @source ("." . (identifier) @source)*) @import
        (comment) @comment
        (block_comment) @comment
    """,
)

_SCOPING = Scoping(
    functions=words("function_definition function_declaration lambda_expression"),
    blocks=words("block indented_block case_clause for_expression"),
    spaces=words("class_definition object_definition trait_definition enum_definition"),
    binders=binders(
        block="""
            parameter.name binding.name val_definition.pattern var_definition.pattern function_definition.name
            enumerator class_parameter.name
        """,
        own="case_clause.pattern lambda_expression.parameters",
        types="type_parameters.name",
    ),
    members_seen_within=True,
    constants_in_patterns=True,
)


def _bindings(statement: str, source: str, before: str) -> Iterable[Binding]:
    group = re.search(r"\{([^{}]*)\}", statement)
    if group is None:
        return last_part(statement, source, before)
    parts = (re.sub(r"\s*(?:=>|\bas\b)\s*", " as ", part) for part in group[1].split(",") if part.strip())
    return [Binding(EVERYTHING, EVERYTHING) if part.strip() in "*_" else renamed(part) for part in parts]


LANGUAGE = Language(
    name="scala",
    grammar=_GRAMMAR,
    scoping=_SCOPING,
    bindings=_bindings,
    modules=Jvm,
    kin="java",
    customs=CUSTOMS,
    heads=HeadRules(order=NAME_FIRST, square=True, many_star=True),
    naming=Naming(dollar_found=True),
)
