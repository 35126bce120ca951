"""Kinds of nodes and what they are for names, in all grammars; the native core takes these tables as they are."""

from itertools import product

NAMES = frozenset(
    """
    constant name instance_variable class_variable global_variable hash_key_symbol implicit_parameter variable
    constructor value_name constructor_name module_name type_constructor field_name class_name alias variable_name word
    varname tag_name shorthand_property_identifier_pattern type_variable operator_name module_id bareword function_name
    identifier_dollar_escaped
    """.split()
)
IMPORTS = frozenset(
    """
    import_statement import_from_statement future_import_statement import_declaration use_declaration
    extern_crate_declaration import preproc_include using_directive namespace_use_declaration import_or_export
    using_declaration import_header open_module require_clause library_import
    """.split()
)
TYPES = frozenset(
    """
    type type_annotation type_arguments type_argument_list template_argument_list user_type named_type generic_type
    extends_clause implements_clause class_heritage superclass super_interfaces extends_interfaces base_list
    delegation_specifier base_clause class_interface_clause base_class_clause inheritance_specifier type_list
    type_descriptor type_bound trait_bounds constraint type_constraint extends_type_clause asserts
    """.split()
)
TYPE_FIELDS = frozenset("type return_type result returns superclass superclasses interfaces trait bounds".split())
VALUES = frozenset(
    """
    arguments argument_list value_arguments block statement_block class_body declaration_list template_substitution
    compound_statement body_statement lambda_literal literal_value interpolation object
    """.split()
)
VALUE_FIELDS = frozenset("value body arguments right default_value parameters".split())
CONNECTORS = frozenset({".", "->", "::", "?.", "?->", "&.", "\\", "!!.", "optional_chain", ".?", "->*", ".*"})
SUFFIXES = frozenset(
    """
    navigation_suffix member_binding_expression unconditional_assignable_selector conditional_assignable_selector
    """.split()
)
NAVIGATIONS = SUFFIXES | {"navigation_expression"}
FLAT = frozenset({"token_tree", "ERROR"})
QUALIFIED_HEADS = frozenset({"singleton_method", "function_declaration", "property_declaration"})
MEMBER_FIELDS = frozenset({"attribute", "property", "field", "suffix", "method", "name"})
THROUGH: dict[str, frozenset[str]] = {
    kind: frozenset()
    for kind in """
    pattern_list tuple_pattern list_pattern list_splat_pattern dictionary_splat_pattern as_pattern_target tuple list
    expression_list parenthesized_expression array_pattern object_pattern rest_pattern left_assignment_list
    rest_assignment destructured_left_assignment destructured_parameter variable_list slice_pattern ref_pattern
    mut_pattern reference_pattern or_pattern struct_pattern multi_variable_declaration
    pointer_declarator reference_declarator parenthesized_declarator structured_binding_declarator
    list_literal splat_pattern case_pattern union_pattern class_pattern captured_pattern
    pointer_pattern variable_name type exceptions_variable parenthesized_pattern directly_assignable_expression
    non_null_expression pattern by_ref
    """.split()
} | {
    "pair_pattern": frozenset({"key"}),
    "dict_pattern": frozenset({"key"}),
    "assignment_pattern": frozenset({"right"}),
    "object_assignment_pattern": frozenset({"right"}),
    "tuple_struct_pattern": frozenset({"type"}),
    "struct_pattern": frozenset({"type"}),
    "typed_pattern": frozenset({"type"}),
    "case_class_pattern": frozenset({"type"}),
    "field_pattern": frozenset(),
    "match_pattern": frozenset({"condition"}),
    "array_declarator": frozenset({"size"}),
    "spread_parameter": frozenset(),
}
"""Patterns and declarators: the names in them, but for those in some fields, are what is bound or written."""
WRITES = frozenset(
    {
        ("assignment", "left"),
        ("assignment", "target"),
        ("augmented_assignment", "left"),
        ("named_expression", "name"),
        ("assignment_expression", "left"),
        ("augmented_assignment_expression", "left"),
        ("compound_assignment_expr", "left"),
        ("assignment_statement", "left"),
        ("assignment_statement", ""),
        ("update_expression", "argument"),
        ("update_expression", ""),
        ("inc_statement", ""),
        ("dec_statement", ""),
        ("for_statement", "left"),
        ("for_in_clause", "left"),
        ("operator_assignment", "left"),
        ("as_pattern", "alias"),
        ("delete_statement", ""),
        ("case_clause", ""),
        ("keyword_pattern", ""),
        ("for", "pattern"),
        ("exception_variable", ""),
        ("variable_assignment", "name"),
        ("for_in_statement", "left"),
        ("range_clause", "left"),
        ("receive_statement", "left"),
    }
)
STEPS = frozenset({"postfix_unary_expression", "prefix_unary_expression", "unary_expression", "postfix_expression"})
DECLARATIONS = ("_declaration", "_definition", "_item", "_signature", "_spec", "_elem", "_declarator")
KEYS = frozenset(
    {
        ("keyword_argument", "name"),
        ("pair_pattern", "key"),
        ("field_initializer", "field"),
        ("argument", "name"),
        ("element_value_pair", "key"),
        ("field_designator", ""),
        ("value_argument_label", ""),
        ("jsx_attribute", ""),
        ("type_binding", "name"),
        ("keyword_pattern", "key"),
        ("label", ""),
        *product(
            ("labeled_statement", "break_statement", "continue_statement", "goto_statement"),
            ("", "label"),
        ),
    }
)
"""Where a name is that of an argument, a key or a label."""
ONLY_DIRECT = frozenset({"catch_block", "parameter", "class_parameter", "variable_declaration"})
FROM_ITS_NAME = frozenset({"function_item", "function_declaration", "local_function_statement", "type_spec"})
NEVER_BARE = frozenset(
    """
    property_identifier private_property_identifier field_identifier statement_identifier instance_variable
    class_variable global_variable hash_key_symbol namespace_identifier
    """.split()
)
LABELS = frozenset({"lifetime", "label", "labeled_statement", "package_clause", "package_declaration"})
DECLARING = frozenset({"for_in_statement", "range_clause", "receive_statement"})
DECLARATORS = frozenset({"pointer_declarator", "reference_declarator", "parenthesized_declarator"})
HOLDERS = frozenset("class constructor enum function interface macro method module struct trait".split())
MEMBERS = frozenset({"field", "property"})
DEFINED = frozenset("class constructor enum function interface macro method module struct trait type".split())
UNBOUND = frozenset({"function_expression", "function_declaration", "generator_function"})
"""Functions of JavaScript whose `this` is whatever they are called on."""
CLASS_FIELDS = frozenset({"public_field_definition", "field_definition"})
STRINGS = frozenset({"string", "string_content"})
IN_ANNOTATIONS = frozenset(
    "type generic_type type_parameter subscript union_type binary_operator list tuple member_type".split()
)
"""What may stand between a type in quotes and the annotation that it is in."""
MACROS = frozenset({"preproc_def", "preproc_function_def"})
C_WORDS = frozenset(
    """
    L R U u u8 __VA_ARGS__ __VA_OPT__ _Bool _Generic alignas alignof asm auto bool break case catch char class const
    const_cast constexpr continue decltype default defined delete do double dynamic_cast else enum explicit extern false
    float for friend goto if inline int long mutable namespace new noexcept nullptr operator private protected public
    register reinterpret_cast restrict return short signed sizeof static static_assert static_cast struct switch
    template this throw true try typedef typename typeof union unsigned using virtual void volatile while
    """.split()
)
"""What is no name in the body of a macro."""
