"""Lua."""

import re
from collections.abc import Iterable

from cairn.languages.grammar import Grammar
from cairn.languages.imports import Binding
from cairn.languages.modules.rules import Dotted
from cairn.languages.modules.tree import Tree
from cairn.languages.record import Customs, Language
from cairn.languages.scoping import Scoping, binders, words

_LOCAL = re.compile(r"\s*local\b(?!\s+\w+\s*=\s*(?:\{|setmetatable))")


def _reachable(_name: str, head: str) -> bool:
    """All but locals; a local table is what a module gives back."""
    return _LOCAL.match(head) is None


_VALUES = "[(table_constructor) (string) (number) (true) (false) (nil)]"
_MADE = '(function_call name: (identifier) @_made (#eq? @_made "setmetatable"))'
_LEFT = """[
    (identifier) @name
    (dot_index_expression table: [
        (identifier) @container (dot_index_expression) @container] field: (identifier) @name)]"""

_GRAMMAR = Grammar(
    "tree-sitter-lua==0.5.0",
    wrappers=frozenset({"variable_declaration"}),
    exported=_reachable,
    query=f"""
        (function_declaration name: {_LEFT}) @definition.function
        (function_declaration name: (method_index_expression
            table: [(identifier) @container (dot_index_expression) @container]
            method: (identifier) @name)) @definition.method
        (assignment_statement
            (variable_list . name: {_LEFT})
            (expression_list . value: (function_definition))) @definition.function
        (chunk (assignment_statement
            (variable_list name: {_LEFT})
            (expression_list . value: {_VALUES})) @definition.variable)
        (chunk (assignment_statement
            (variable_list . name: {_LEFT})
            (expression_list . value: {_MADE})) @definition.variable)
        (chunk (variable_declaration (assignment_statement
            (variable_list name: (identifier) @name)
            (expression_list . value: {_VALUES})) @definition.variable))
        (chunk (variable_declaration (assignment_statement
            (variable_list . name: (identifier) @name)
            (expression_list . value: {_MADE})) @definition.variable))
        (table_constructor (field name: (identifier) @name value: (function_definition)) @definition.function)
        (function_call name: [
            (identifier) @name
            (dot_index_expression field: (identifier) @name)
            (method_index_expression method: (identifier) @name)] (#not-eq? @name "require")) @call
        (function_call name: (identifier) @_required
            arguments: (arguments . (string content: (string_content) @source))
            (#eq? @_required "require")) @import
        (comment) @comment
    """,
)

_SCOPING = Scoping(
    functions=words("function_declaration function_definition"),
    blocks=words("block for_statement"),
    binders=binders(block="parameters.name variable_declaration for_numeric_clause.name for_generic_clause"),
)


def _bindings(_statement: str, _source: str, before: str) -> Iterable[Binding]:
    match = re.search(r"(\w+)\s*=\s*$", before)
    return [Binding("", match[1])] if match else []


def _modules(tree: Tree) -> Dotted:
    return Dotted(tree, ".", (".lua", "/init.lua"), ("", "lua", "src", "lib"), False)


_BUILTINS = frozenset(
    (
        "assert error getmetatable ipairs next pairs pcall print rawget rawset require select setmetatable "
        "tonumber tostring type unpack"
    ).split()
)

LANGUAGE = Language(
    name="lua",
    grammar=_GRAMMAR,
    scoping=_SCOPING,
    bindings=_bindings,
    modules=_modules,
    customs=Customs(any_file=True, passes_on=True, builtins=_BUILTINS),
)
