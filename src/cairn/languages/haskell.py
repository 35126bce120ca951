"""Haskell."""

import re
from collections.abc import Iterable

from cairn.languages.grammar import Grammar
from cairn.languages.imports import EVERYTHING, Binding
from cairn.languages.modules.rules import Dotted
from cairn.languages.modules.tree import Tree
from cairn.languages.record import Customs, Language

_NAME = "[(variable) @name (prefix_id (operator) @name)]"
_EQUATIONS = f"""[
    (signature name: {_NAME}) @definition.function
    (function name: {_NAME}) @definition.function
    (function (infix operator: [(operator) @name (infix_id (variable) @name)])) @definition.function
    (bind name: {_NAME}) @definition.function]"""
_HEAD = """[
    (name) @name
    (apply constructor: (name) @name)
    (apply constructor: (apply constructor: (name) @name))
    (qualified id: (name) @name)]"""

_GRAMMAR = Grammar(
    "tree-sitter-haskell==0.24.1",
    clauses=True,
    bodies=frozenset({"constructors", "newtype_constructor", "declarations", "match"}),
    query=f"""
        (header module: (module) @name) @definition.module
        (data_type name: (name) @name) @definition.type
        (newtype name: (name) @name) @definition.type
        (type_synonym name: (name) @name) @definition.type
        (type_family name: (name) @name) @definition.type
        (data_family name: (name) @name) @definition.type
        (data_constructor constructor: (prefix name: (constructor) @name) @definition.constant)
        (data_constructor constructor: (record name: (constructor) @name) @definition.constant)
        (newtype_constructor name: (constructor) @name) @definition.constant
        (gadt_constructor name: (constructor) @name) @definition.constant
        (pattern_synonym (signature synonym: (constructor) @name)) @definition.constant
        (foreign_import signature: (signature name: (variable) @name)) @definition.function
        (field name: (field_name (variable) @name)) @definition.field
        (class name: (name) @name) @definition.class
        (instance patterns: (type_patterns . [{_HEAD} (parens {_HEAD})])) @scope
        (declarations {_EQUATIONS})
        (class_declarations {_EQUATIONS})
        (instance_declarations {_EQUATIONS})
        (apply function: [(variable) @name (qualified id: (variable) @name)]) @call
        (infix left_operand: [(variable) @name (qualified id: (variable) @name)] operator: (operator) @_applied
            (#any-of? @_applied "$" "<$>" "." "$!")) @call
        (infix operator: (infix_id [(variable) @name (qualified id: (variable) @name)])) @call
        (import module: (module) @source) @import
        (comment) @comment
        (haddock) @comment
    """,
)


def _bindings(statement: str, source: str, _before: str) -> Iterable[Binding]:
    alias = re.search(r"\bas\s+([\w.]+)", statement)
    listed = re.search(r"\(([^()]*(?:\([^()]*\)[^()]*)*)\)\s*$", statement)
    found = [Binding("", alias[1] if alias else source)]
    if "qualified" in statement:
        return found
    if listed is None or "hiding" in statement:
        return [*found, Binding(EVERYTHING, EVERYTHING)]
    names = re.findall(r"[^\W\d][\w']*", re.sub(r"\([^()]*\)", "", listed[1]))
    return [*found, *(Binding(name, name) for name in names)]


def _modules(tree: Tree) -> Dotted:
    return Dotted(tree, ".", (".hs", ".lhs", ".hsc"), ("src", "lib", "app", "test", "tests"), True)


LANGUAGE = Language(
    name="haskell", grammar=_GRAMMAR, bindings=_bindings, modules=_modules, customs=Customs(any_file=True)
)
