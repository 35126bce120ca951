"""Java: all that is known of it."""

import re
from collections.abc import Callable, Sequence

from cairn.base.values import replace
from cairn.languages.grammar import Exported, Grammar
from cairn.languages.imports import last_part
from cairn.languages.modules.rules import Jvm, source_package
from cairn.languages.record import NAME_LAST, OBJECT_MEMBERS, Customs, HeadRules, Language, Naming
from cairn.languages.scoping import Scoping, binders, words

_WORD = re.compile(r"\w+")


def unless_hidden_by(word: str) -> Exported:
    """Exported unless a word stands before the name itself; one before a parameter or a setter isn't meant."""
    pattern = re.compile(rf"\b{word}\b([^()]*)")
    return lambda name, head: not any(name in _WORD.findall(rest[1]) for rest in pattern.finditer(head))


GRAMMAR = Grammar(
    "tree-sitter-java==0.23.5",
    exported=unless_hidden_by("private"),
    query="""
        (class_declaration name: (identifier) @name) @definition.class
        (record_declaration name: (identifier) @name) @definition.class
        (record_declaration parameters: (formal_parameters
            (formal_parameter name: (identifier) @name) @definition.field))
        (interface_declaration name: (identifier) @name) @definition.interface
        (annotation_type_declaration name: (identifier) @name) @definition.interface
        (annotation_type_element_declaration name: (identifier) @name) @definition.method
        (enum_declaration name: (identifier) @name) @definition.enum
        (enum_constant name: (identifier) @name) @definition.constant
        (module_declaration name: [(identifier) (scoped_identifier)] @name) @definition.module
        (method_declaration name: (identifier) @name) @definition.method
        (constructor_declaration name: (identifier) @name) @definition.constructor
        (compact_constructor_declaration name: (identifier) @name) @definition.constructor
        (field_declaration (modifiers "static" "final")
            declarator: (variable_declarator name: (identifier) @name)) @definition.constant
        (field_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.field
        (constant_declaration declarator: (variable_declarator name: (identifier) @name)) @definition.constant
        (method_invocation name: (identifier) @name) @call
        (object_creation_expression type: [
            (type_identifier) @name
            (scoped_type_identifier (type_identifier) @name .)
            (generic_type [(type_identifier) @name (scoped_type_identifier (type_identifier) @name .)])]) @call
        (method_reference (identifier) @name .) @call
        (explicit_constructor_invocation constructor: _ @name) @call
        (import_declaration [(scoped_identifier) (identifier)] @source) @import
        (line_comment) @comment
        (block_comment) @comment
    """,
)

SCOPING = Scoping(
    functions=words(
        """
        method_declaration constructor_declaration compact_constructor_declaration lambda_expression static_initializer
        """
    ),
    blocks=words(
        """
        block for_statement enhanced_for_statement try_with_resources_statement catch_clause constructor_body
        switch_block_statement_group switch_rule
        """
    ),
    spaces=words(
        """
        class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration
        class_body
        """
    ),
    binders=binders(
        block="""
            formal_parameter.name variable_declarator.name inferred_parameters catch_formal_parameter.name resource.name
            instanceof_expression.name type_pattern record_pattern_component method_declaration.name
            class_declaration.name interface_declaration.name enum_declaration.name record_declaration.name
        """,
        own="enhanced_for_statement.name lambda_expression.parameters",
        types="type_parameter",
    ),
    called_apart=True,
    members_seen_within=True,
)

OTHER_THIS = re.compile(r"\bnew\s+[\w.]+\s*(?:<[^;{}]*>)?\s*\([^;{}]*\)\s*\{")

CUSTOMS = Customs(
    sees_members=True,
    sees_package=True,
    package=source_package,
    overloads=True,
    paths_to_names=True,
    members=OBJECT_MEMBERS,
)
"""Those of the languages that share Java's packages and objects."""


def _of_package(path: str, qualified: str, _said: Callable[[], str], parts: Sequence[str]) -> bool:
    """A type beside others in a file of its package, whose folder says which that is."""
    folder = f"/{path}".rpartition("/")[0]
    return "." not in qualified and folder.endswith("/" + "/".join(parts[:-1]))


LANGUAGE = Language(
    name="java",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=last_part,
    modules=Jvm,
    customs=replace(
        CUSTOMS,
        makers=frozenset({"super", "this"}),
        of_package=_of_package,
        uncalled_fields=True,
        other_this=OTHER_THIS,
        other_members=OTHER_THIS,
    ),
    heads=HeadRules(order=NAME_LAST, returns_said=True, closed_values=True),
    naming=Naming(
        dollar=True,
        reserved=frozenset({"goto", "const", "_", "strictfp", "record", "var", "yield", "sealed", "permits"}),
        proves_locals=True,
        corners=("in_a_class", "label", "flowing"),
    ),
)
