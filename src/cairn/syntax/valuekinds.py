"""Kinds of nodes and what they are for values, in all grammars; the native core takes these tables as they are.

A rule of `CHAINS` is what a node is, the fields of what it is made from, and those of a name; a field may be missing in
a grammar, then it is the first of the node's named children, or the last. What a node is:

    member    a name asked of something          call      something called or made, or a name asked and called
    index     one element of something           same      nothing but what is in it
    last      what stands last in it             signed    the same, unless its sign says otherwise
    assigned  what is assigned in it             cast      a value of the type in the second fields
    path      names with joints between them     beyond    what stands behind a `?`
    bound     a name, or an element, asked of what stands before that `?`
"""

Rule = tuple[str, tuple[str, ...], tuple[str, ...]]


def _rules(text: str) -> dict[str, Rule]:
    found: dict[str, Rule] = {}
    for line in text.strip().splitlines():
        what, kinds, *fields = line.split()
        base, name = (*(tuple(each.strip("-").split("|")) for each in fields), (), ())[:2]
        found |= dict.fromkeys(kinds.split("|"), (what, tuple(filter(None, base)), name))
    return found


CHAINS: dict[str, Rule] = _rules(
    """
    member attribute object attribute
    member member_expression object property
    member selector_expression operand field
    member field_expression value|argument field
    member field_access object field
    member member_access_expression|nullsafe_member_access_expression object|expression name
    member scoped_property_access_expression scope name
    member class_constant_access_expression
    member navigation_expression target suffix
    member scope_resolution scope name
    call method_invocation|member_call_expression|nullsafe_member_call_expression object name
    call scoped_call_expression scope name
    call call function|receiver method
    call call_expression|invocation_expression|function_call_expression function
    call new_expression constructor|type
    call object_creation_expression|composite_literal|type_conversion_expression type
    call struct_expression name
    index subscript value
    index subscript_expression object|argument
    index index_expression operand
    index element_access_expression expression
    index array_access array
    index element_reference object
    same parenthesized_expression|await|await_expression|non_null_expression|clone_expression|satisfies_expression
    same as_pattern_target|directly_assignable_expression|parenthesized_statements|in|by_ref
    same array_element_initializer|expression_list|argument_list|tuple_expression
    same slice_expression operand
    same reference_expression value
    same try_expression expr
    last block|else_clause|then|else
    signed unary_expression|pointer_expression|unary_operator|unary_op_expression|unary operand|argument
    signed prefix_unary_expression|postfix_unary_expression|not_operator argument
    signed prefix_expression|postfix_expression target
    assigned assignment|assignment_expression right|result
    assigned named_expression value
    cast as_expression left|expr right|name
    cast cast_expression|type_cast_expression value type
    cast type_assertion_expression operand type
    cast compound_literal_expression value type
    path scoped_identifier|scoped_type_identifier|qualified_identifier|qualified_name|qualified_type|nested_identifier
    path generic_name|generic_type|template_function|template_type|template_method|user_type|dotted_name|named_type
    path nested_type_identifier|generic_type_with_turbofish|generic_function
    beyond conditional_access_expression condition
    bound member_binding_expression - name
    bound element_binding_expression
    """
)
HEADS = frozenset(
    "this self super base this_expression self_expression super_expression relative_scope variable_name".split()
)
"""Heads of chains that are no names: words of the language, and what marks variables."""
LITERALS = frozenset(
    """
    string integer float number true false none null nil list dictionary set tuple lambda array regex template_string
    function_expression arrow_function function generator_function list_comprehension dictionary_comprehension
    set_comprehension generator_expression comparison_operator concatenated_string closure_expression array_expression
    lambda_expression anonymous_function array_creation_expression encapsed_string heredoc nowdoc
    string_array symbol_array hash simple_symbol func_literal interpolated_string_expression
    implicit_array_creation_expression typeof_expression sizeof_expression boolean undefined initializer_list
    right_assignment_list rational complex character chained_string equality_expression
    is_expression instanceof_expression is_pattern_expression check_expression
    """.split()
)
OBJECTS = frozenset({"object_literal"})
"""What ends like a literal and may have members of the project."""
COLLECTIONS = frozenset("array_type slice_type map_type array_literal dictionary_literal".split())
"""Types of the language that are made like others."""
NOTHING = frozenset("null nil None true false NULL nullptr undefined".split())
"""Values that some grammars take for names."""
SAME_SIGNS = frozenset({"*", "&", "&&", "!!"})
NOT_SIGNS = frozenset({"!", "not"})
COMPARING = frozenset("== != <= >= === !== <=> in instanceof is".split())
"""Signs of questions; not `<` and `>`, which may stand around arguments of types that the grammar doesn't know."""
PLAIN = frozenset({"=", ":=", "||=", "&&=", "??="})
"""Signs of assignments whose value is what stands behind them."""
EITHER = frozenset(
    """
    conditional_expression ternary_expression conditional boolean_operator binary_expression binary
    nil_coalescing_expression if_expression if
    """.split()
)
"""What has one value or another."""
EITHER_SIGNS = frozenset("or and || && ?? ?:".split())
ONE = ("consequence", "body", "if_true", "left", "value")
OTHER = ("alternative", "if_false", "right", "if_nil")

TARGETS = ("left", "name", "pattern", "property", "target", "declarator", "item", "parameter")
VALUES = ("right", "value", "result", "default_value", "collection")
ASSIGNS = frozenset(
    """
    assignment assignment_expression assignment_statement short_var_declaration named_expression
    reference_assignment_expression variable_declarator init_declarator var_spec const_spec let_declaration
    let_condition const_item static_item public_field_definition field_definition property_declaration
    property_element static_variable_declaration resource augmented_assignment_expression operator_assignment
    augmented_assignment compound_assignment_expr declaration_pattern
    """.split()
)
SHARES_TYPE = frozenset({"variable_declarator", "init_declarator", "property_element"})
"""What may have its type from the node around it."""
UPDATES = frozenset(
    """
    update_expression inc_statement dec_statement postfix_unary_expression prefix_unary_expression unary_expression
    """.split()
)
LOOPS = frozenset(
    """
    for_statement for_in_clause for_in_statement range_clause for_expression enhanced_for_statement foreach_statement
    for_range_loop for
    """.split()
)
PARAMETERS = frozenset("parameter formal_parameter parameter_declaration required_parameter optional_parameter".split())
CLOSURES = frozenset("closure_expression lambda_expression func_literal arrow_function function_expression".split())
"""Functions without a head of their own, whose parameters no definition tells."""
CATCHES = frozenset("catch_formal_parameter catch_declaration catch_clause catch_block rescue except_clause".split())
TESTS = frozenset("if_statement elif_clause if_expression guard_statement if elsif".split())
BOTH_SIGNS = frozenset({"and", "&&"})
IS_TESTS = frozenset({"is_a?", "kind_of?", "instance_of?"})
"""Ruby's methods that tell whether a value is of a type."""
RETURNS = frozenset("return_statement return_expression return control_transfer_statement co_return_statement".split())
YIELDS = frozenset("yield yield_expression yield_statement".split())
BODIES = frozenset("arrow_function function_body arrow_expression_clause function_item method singleton_method".split())
"""What may have a body that is one expression, or ends in one."""
PATHS = frozenset("type_identifier scoped_type_identifier".split())
UNTYPED = frozenset("var auto let val _ final".split())
"""Words that stand for a type that isn't written."""
BLOCKS_OF_CALLERS = frozenset("block do_block lambda_literal".split())
"""Functions whose `return` ends the one around them."""
SPACES = frozenset("class enum interface module struct trait".split())

WRAPS = frozenset(
    """
    as_pattern_target parenthesized_expression directly_assignable_expression by_ref parenthesized_pattern pattern
    exception_variable parenthesized_declarator
    """.split()
)
DECLARATORS = frozenset(
    """
    mut_pattern ref_pattern reference_pattern reference_declarator pointer_declarator array_declarator
    """.split()
)
"""Patterns that are nothing but what is in them."""
LISTS = frozenset(
    """
    pattern_list tuple_pattern list_pattern expression_list left_assignment_list array_pattern tuple list_literal
    structured_binding_declarator multi_variable_declaration tuple_expression destructured_left_assignment list
    """.split()
)
SEQUENCES = frozenset(
    "expression_list right_assignment_list tuple_expression tuple list array array_expression argument_list".split()
)
SPREADS = frozenset("list_splat spread_element splat_argument splat list_splat_pattern rest_assignment".split())
OPENED = frozenset({"Some", "Ok"})
"""Constructors of patterns whose value is as good as what is in them (Rust)."""
NO_VALUES = ("_statement", "_declaration", "_item", "_definition", "comment", "return_expression", "return")
"""How kinds end of what is no value at the end of a function's body."""
