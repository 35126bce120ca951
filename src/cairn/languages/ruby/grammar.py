"""Ruby."""

import re

from cairn.languages.grammar import Grammar

_HIDDEN = re.compile(r"\s*(?:private|protected|private_class_method|private_constant)\b")
_METHOD_NAME = "[(identifier) (constant) (setter) (operator)] @name"


def _exported(_name: str, head: str) -> bool:
    return _HIDDEN.match(head) is None


GRAMMAR = Grammar(
    package="tree-sitter-ruby",
    version="0.23.1",
    wrappers=frozenset({"argument_list", "call"}),
    exported=_exported,
    query=f"""
        (class name: (constant) @name) @definition.class
        (class name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.class
        (module name: (constant) @name) @definition.module
        (module name: (scope_resolution scope: (_) @container name: (constant) @name)) @definition.module
        (assignment left: (constant) @name right: (call receiver: (constant) @_maker method: (identifier) @_new)
            (#any-of? @_maker "Struct" "Class" "Module" "Data")
            (#any-of? @_new "new" "define")) @definition.class
        (assignment left: (constant) @name) @definition.constant
        (method name: (identifier) @name (#eq? @name "initialize")) @definition.constructor
        (program (method name: {_METHOD_NAME}) @definition.function)
        (method name: {_METHOD_NAME}) @definition.method
        (singleton_method name: {_METHOD_NAME}) @definition.method
        (alias name: (identifier) @name) @definition.method
        (call method: (identifier) @_attr arguments: (argument_list (simple_symbol) @name)
            (#any-of? @_attr "attr_accessor" "attr_reader" "attr_writer" "class_attribute" "mattr_accessor"
                "cattr_accessor")) @definition.property
        (call method: (identifier) @_relation arguments: (argument_list . (simple_symbol) @name)
            (#any-of? @_relation "belongs_to" "has_and_belongs_to_many" "has_many"
                "has_one")) @definition.property
        (call method: (identifier) @_define arguments: (argument_list . (simple_symbol) @name)
            (#any-of? @_define "alias_method" "define_method" "scope" "task")) @definition.method
        (call method: (identifier) @_task arguments: (argument_list . (pair
            key: [(hash_key_symbol) (simple_symbol)] @name)) (#eq? @_task "task")) @definition.method
        (call method: [(identifier) (constant)] @name) @call
        (call receiver: [(constant) @name (scope_resolution name: (constant) @name)]
            method: (identifier) @_new (#eq? @_new "new")) @call
        (call method: (identifier) @_require arguments: (argument_list . (string (string_content) @source))
            (#any-of? @_require "load" "require" "require_relative")) @import
        (call method: (identifier) @_autoload arguments: (argument_list (string (string_content) @source))
            (#eq? @_autoload "autoload")) @import
        (body_statement (identifier) @hides (#any-of? @hides "private" "protected"))
        (body_statement (identifier) @shows (#eq? @shows "public"))
        (comment) @comment
    """,
)
