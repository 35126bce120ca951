"""How languages bind names: one value a language.

A binder is a node, and the field of it, that binds the name found there (through patterns and
declarators). Where it binds is one of:

    block      the nearest scope of any kind outside of the binder
    function   the nearest function
    own        the binder itself is the scope
    types      as block, but what is bound is a type parameter: local even in a class
    assigned   the nearest function that is no comprehension (Python's :=)
    declared   as block, or function where the declaration is said with `var` (JavaScript)
"""

from cairn.base.values import dataclass, field

Binders = dict[tuple[str, str], str]


@dataclass(frozen=True, slots=True)
class Scoping:
    """The rules of one language; a binder's field is "" for a child that is in none."""

    functions: frozenset[str]
    blocks: frozenset[str] = frozenset()
    spaces: frozenset[str] = frozenset()
    """Classes, modules, namespaces: what they bind is no local name."""
    binders: Binders = field(default_factory=dict)
    bodies: dict[str, frozenset[str]] = field(default_factory=dict)
    """Fields that stand inside of a function or class; all do where it isn't said."""
    outside: frozenset[tuple[str, str]] = frozenset()
    """Parts of a parameter or clause that are evaluated outside of the function."""
    prototypes: frozenset[str] = frozenset()
    """Heads of functions that are scopes of their own unless a body follows (C)."""
    opaque: frozenset[str] = frozenset()
    """Functions from which the variables of those around them can't be seen."""
    members_seen_within: bool = False
    """Whether a bare name in a method may be a member of its class."""
    called_apart: bool = False
    """Whether what is called is never a variable, so that no variable hides it."""
    hoisted: bool = False
    """Whether a name means the same before its declaration as after it."""
    constants_in_patterns: bool = False
    """Whether a capitalised name in a pattern is a constant and binds nothing (Rust)."""
    variables: str = ""
    """The node that marks a variable, where all variables of a function are local (PHP)."""
    templates: bool = False
    """Whether a `$name` in a string is code that the grammar leaves a text (Kotlin)."""
    cut_at: dict[str, str] = field(default_factory=dict)
    """Fields of a scope before which what its condition binds ends."""


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


def _binders(**places: str) -> Binders:
    """`block="node.field node"` and so on."""
    found: Binders = {}
    for where, nodes in places.items():
        for node in nodes.split():
            kind, _, name = node.partition(".")
            found[(kind, name)] = where
    return found


_PYTHON_BODY = _words("body parameters")
_PYTHON = Scoping(
    functions=_words(
        "function_definition lambda list_comprehension set_comprehension dictionary_comprehension generator_expression"
    ),
    spaces=_words("class_definition"),
    bodies={
        "function_definition": _PYTHON_BODY,
        "lambda": _PYTHON_BODY,
        "class_definition": _words("body"),
    },
    outside=frozenset(
        {
            ("default_parameter", "value"),
            ("typed_default_parameter", "value"),
            ("typed_default_parameter", "type"),
            ("typed_parameter", "type"),
            ("for_in_clause", "right"),
        }
    ),
    binders=_binders(
        block="""
            parameters lambda_parameters default_parameter.name typed_default_parameter.name typed_parameter
            assignment.left augmented_assignment.left for_statement.left for_in_clause.left as_pattern.alias
            case_clause keyword_pattern delete_statement function_definition.name class_definition.name
            type_alias_statement.left
        """,
        types="type_parameter function_definition.type_parameters class_definition.type_parameters",
        assigned="named_expression.name",
    ),
    hoisted=True,
)

_JAVASCRIPT = Scoping(
    functions=_words(
        """
        function_declaration function_expression generator_function generator_function_declaration arrow_function
        method_definition function_signature method_signature abstract_method_signature function_type constructor_type
        call_signature construct_signature class_static_block
        """
    ),
    blocks=_words(
        """
        statement_block for_statement for_in_statement catch_clause switch_body type_alias_declaration
        interface_declaration conditional_type index_signature
        """
    ),
    spaces=_words("class_declaration class abstract_class_declaration internal_module module"),
    binders=_binders(
        block="""
            formal_parameters required_parameter.pattern optional_parameter.pattern
            function_declaration.name generator_function_declaration.name class_declaration.name enum_declaration.name
            interface_declaration.name type_alias_declaration.name abstract_class_declaration.name
        """,
        own="arrow_function.parameter catch_clause.parameter function_expression.name class.name index_signature.name",
        types="type_parameter.name infer_type mapped_type_clause.name",
        declared="variable_declarator.name for_in_statement.left",
    ),
    hoisted=True,
)

_GO = Scoping(
    functions=_words("function_declaration method_declaration func_literal function_type method_elem"),
    blocks=_words(
        """
        block if_statement for_statement expression_switch_statement type_switch_statement select_statement
        expression_case type_case default_case communication_case type_spec
        """
    ),
    binders=_binders(
        block="""
            parameter_declaration.name variadic_parameter_declaration.name short_var_declaration.left var_spec.name
            const_spec.name range_clause.left receive_statement.left type_spec.name type_alias.name
        """,
        own="type_switch_statement.alias",
        types="type_parameter_declaration.name",
    ),
)

_RUST = Scoping(
    functions=_words("function_item closure_expression function_signature_item"),
    blocks=_words("block match_arm if_expression while_expression for_expression type_item"),
    spaces=_words("mod_item impl_item trait_item struct_item enum_item union_item"),
    binders=_binders(
        block="""
            parameter.pattern closure_parameters let_declaration.pattern let_condition.pattern function_item.name
            const_item.name static_item.name struct_item.name enum_item.name type_item.name
        """,
        own="for_expression.pattern match_arm.pattern",
        types="type_parameter.name const_parameter.name",
    ),
    opaque=_words("function_item mod_item impl_item trait_item"),
    constants_in_patterns=True,
    cut_at={"if_expression": "alternative"},
)

_JAVA = Scoping(
    functions=_words(
        """
        method_declaration constructor_declaration compact_constructor_declaration lambda_expression static_initializer
        """
    ),
    blocks=_words(
        """
        block for_statement enhanced_for_statement try_with_resources_statement catch_clause constructor_body
        switch_block_statement_group switch_rule
        """
    ),
    spaces=_words(
        """
        class_declaration interface_declaration enum_declaration record_declaration annotation_type_declaration
        class_body
        """
    ),
    binders=_binders(
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

_KOTLIN = Scoping(
    functions=_words(
        """
        function_declaration lambda_literal anonymous_function getter setter secondary_constructor
        anonymous_initializer
        """
    ),
    blocks=_words("block for_statement catch_block when_expression when_entry"),
    spaces=_words("class_declaration object_declaration companion_object object_literal enum_entry"),
    binders=_binders(
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

_CSHARP = Scoping(
    functions=_words(
        """
        method_declaration constructor_declaration local_function_statement lambda_expression
        anonymous_method_expression accessor_declaration operator_declaration conversion_operator_declaration
        indexer_declaration delegate_declaration destructor_declaration
        """
    ),
    blocks=_words(
        """
        block for_statement foreach_statement using_statement catch_clause switch_section switch_expression_arm
        query_expression
        """
    ),
    spaces=_words(
        """
        class_declaration struct_declaration interface_declaration record_declaration enum_declaration
        namespace_declaration
        """
    ),
    binders=_binders(
        block="""
            parameter.name variable_declarator.name tuple_pattern.name catch_declaration.name declaration_pattern.name
            declaration_expression.name var_pattern.name recursive_pattern.name from_clause.name let_clause
            local_function_statement.name method_declaration.name property_declaration.name
        """,
        own="foreach_statement.left lambda_expression.parameters",
        types="type_parameter.name",
    ),
    members_seen_within=True,
)

_C = Scoping(
    functions=_words("function_definition lambda_expression"),
    blocks=_words(
        """
        compound_statement for_statement for_range_loop if_statement while_statement switch_statement catch_clause
        template_declaration preproc_function_def requires_expression
        """
    ),
    spaces=_words("class_specifier struct_specifier union_specifier namespace_definition"),
    binders=_binders(
        block="""
            parameter_declaration.declarator optional_parameter_declaration.declarator
            variadic_parameter_declaration.declarator init_declarator.declarator declaration.declarator
            field_declaration.declarator preproc_params lambda_capture_initializer.left
        """,
        own="for_range_loop.declarator",
        types="""
            type_parameter_declaration optional_type_parameter_declaration.name variadic_type_parameter_declaration
        """,
    ),
    prototypes=_words("function_declarator abstract_function_declarator"),
    members_seen_within=True,
)

_RUBY = Scoping(
    functions=_words("method singleton_method block do_block lambda"),
    spaces=_words("class module singleton_class"),
    binders=_binders(
        block="""
            method_parameters block_parameters lambda_parameters optional_parameter.name splat_parameter.name
            keyword_parameter.name hash_splat_parameter.name block_parameter.name assignment.left
            operator_assignment.left for.pattern exception_variable as_pattern.name
        """,
    ),
    opaque=_words("method singleton_method class module singleton_class"),
    called_apart=True,
    hoisted=True,
)

_PHP = Scoping(
    functions=_words("function_definition method_declaration anonymous_function arrow_function"),
    spaces=_words("class_declaration interface_declaration trait_declaration enum_declaration"),
    opaque=_words("function_definition method_declaration anonymous_function class_declaration"),
    variables="variable_name",
    hoisted=True,
)

_LUA = Scoping(
    functions=_words("function_declaration function_definition"),
    blocks=_words("block for_statement"),
    binders=_binders(block="parameters.name variable_declaration for_numeric_clause.name for_generic_clause"),
)

_SCALA = Scoping(
    functions=_words("function_definition function_declaration lambda_expression"),
    blocks=_words("block indented_block case_clause for_expression"),
    spaces=_words("class_definition object_definition trait_definition enum_definition"),
    binders=_binders(
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

_SWIFT = Scoping(
    functions=_words(
        "function_declaration init_declaration lambda_literal computed_getter computed_setter subscript_declaration"
    ),
    blocks=_words("statements if_statement while_statement for_statement catch_block switch_entry"),
    spaces=_words("class_declaration protocol_declaration"),
    binders=_binders(
        block="""
            parameter.name lambda_parameter.name property_declaration.name guard_statement.bound_identifier
            switch_pattern function_declaration.name
        """,
        own="for_statement.item catch_block.error if_statement.bound_identifier while_statement.bound_identifier",
        types="type_parameter",
    ),
    members_seen_within=True,
)

SCOPINGS: dict[str, Scoping] = {
    "python": _PYTHON,
    "javascript": _JAVASCRIPT,
    "typescript": _JAVASCRIPT,
    "tsx": _JAVASCRIPT,
    "go": _GO,
    "rust": _RUST,
    "java": _JAVA,
    "kotlin": _KOTLIN,
    "csharp": _CSHARP,
    "c": _C,
    "cpp": _C,
    "ruby": _RUBY,
    "php": _PHP,
    "lua": _LUA,
    "scala": _SCALA,
    "swift": _SWIFT,
}
NONE = Scoping(functions=frozenset())
