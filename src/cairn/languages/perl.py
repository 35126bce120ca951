"""Perl."""

import re

from cairn.languages.grammar import Grammar
from cairn.languages.imports import everything
from cairn.languages.modules.rules import Dotted
from cairn.languages.modules.tree import Tree
from cairn.languages.record import Customs, Language

_LEXICAL = re.compile(r"\s*(?:my|state)\b")


def _public(name: str, head: str) -> bool:
    return not name.startswith("_") and _LEXICAL.match(head) is None


_DECLARED = "(variable_declaration variable: [(scalar (varname) @name) (array (varname) @name) (hash (varname) @name)])"

_GRAMMAR = Grammar(
    "tree-sitter-perl==2.0.3",
    exported=_public,
    query=f"""
        (package_statement name: (package) @name) @definition.module
        (class_statement name: (package) @name) @definition.class
        (role_statement name: (package) @name) @definition.trait
        (subroutine_declaration_statement name: (bareword) @name) @definition.function
        (method_declaration_statement name: (bareword) @name) @definition.method
        (source_file (expression_statement (assignment_expression left: {_DECLARED})) @definition.variable)
        (source_file (expression_statement {_DECLARED}) @definition.variable)
        (use_statement module: (package) @_module (list_expression . (autoquoted_bareword) @name)
            (#eq? @_module "constant")) @definition.constant
        (use_statement module: (package) @_module (anonymous_hash_expression (list_expression
            (autoquoted_bareword) @name @definition.constant)) (#eq? @_module "constant"))
        (function_call_expression function: (function) @name) @call
        (ambiguous_function_call_expression function: (function) @name) @call
        (method_call_expression method: (method) @name) @call
        (use_statement module: (package) @source
            (#not-match? @source "^(strict|warnings|utf8|feature|constant|vars|lib|parent|base)$")) @import
        (use_statement module: (package) @_module [
            (string_literal (string_content) @source)
            (list_expression (string_literal (string_content) @source))]
            (#any-of? @_module "parent" "base")) @import
        (require_expression (bareword) @source) @import
        (comment) @comment
        (pod) @comment
    """,
)


def _modules(tree: Tree) -> Dotted:
    return Dotted(tree, "::", (".pm",), ("lib",), True)


_BUILTINS = frozenset(
    (
        "bless close defined delete die each eval exists join keys length map open print printf push ref "
        "return shift sort split sprintf substr uc values warn"
    ).split()
)

LANGUAGE = Language(
    name="perl",
    grammar=_GRAMMAR,
    bindings=everything,
    modules=_modules,
    customs=Customs(any_file=True, passes_on=True, arrows=True, builtins=_BUILTINS),
)
