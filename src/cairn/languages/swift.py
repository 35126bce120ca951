"""Swift: all that is known of it."""

import re

from cairn.languages.grammar import Grammar
from cairn.languages.imports import everything
from cairn.languages.java import unless_hidden_by
from cairn.languages.modules.tree import NOWHERE, Target, Tree, nearest, parent, under
from cairn.languages.record import BEHIND_COLON, NAME_FIRST, OBJECT_MEMBERS, Customs, HeadRules, Language
from cairn.languages.scoping import Scoping, binders, words

_PROPERTY = "property_declaration name: (pattern bound_identifier: (simple_identifier) @name)"

GRAMMAR = Grammar(
    "tree-sitter-swift==0.7.4",
    bodies=frozenset({"body", "computed_value"}),
    exported=unless_hidden_by("(?:private|fileprivate)"),
    query=f"""
        (class_declaration "class" name: (type_identifier) @name) @definition.class
        (class_declaration "actor" name: (type_identifier) @name) @definition.class
        (class_declaration "struct" name: (type_identifier) @name) @definition.struct
        (class_declaration "enum" name: (type_identifier) @name) @definition.enum
        (class_declaration "extension" name: (user_type (type_identifier) @name .)) @scope
        (protocol_declaration name: (type_identifier) @name) @definition.interface
        (protocol_function_declaration name: (simple_identifier) @name) @definition.method
        (protocol_property_declaration name: (pattern
            bound_identifier: (simple_identifier) @name)) @definition.property
        (typealias_declaration name: (type_identifier) @name) @definition.type
        (associatedtype_declaration name: (type_identifier) @name) @definition.type
        (enum_entry name: (simple_identifier) @name) @definition.constant
        (function_declaration name: (simple_identifier) @name) @definition.function
        (init_declaration "init" @name) @definition.constructor
        (subscript_declaration "subscript" @name) @definition.property
        (macro_declaration (simple_identifier) @name) @definition.macro
        (source_file ({_PROPERTY}) @definition.variable)
        (class_body ({_PROPERTY}) @definition.property)
        (enum_class_body ({_PROPERTY}) @definition.property)
        (call_expression . (simple_identifier) @name) @call
        (call_expression . (navigation_expression
            suffix: (navigation_suffix suffix: (simple_identifier) @name))) @call
        (import_declaration (identifier) @source) @import
        (comment) @comment
        (multiline_comment) @comment
    """,
)

SCOPING = Scoping(
    functions=words(
        "function_declaration init_declaration lambda_literal computed_getter computed_setter subscript_declaration"
    ),
    blocks=words("statements if_statement while_statement for_statement catch_block switch_entry"),
    spaces=words("class_declaration protocol_declaration"),
    binders=binders(
        block="""
            parameter.name lambda_parameter.name property_declaration.name guard_statement.bound_identifier
            switch_pattern function_declaration.name
        """,
        own="for_statement.item catch_block.error if_statement.bound_identifier while_statement.bound_identifier",
        types="type_parameter",
    ),
    members_seen_within=True,
)

BUILTINS = frozenset("abs assert fatalError max min precondition print type zip".split())


class Swift:
    """A module is a target: all files below its folder in a package."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._known: dict[str, tuple[str, ...]] = {}

    def resolve(self, importer: str, source: str) -> Target:
        name, *rest = source.split(".")
        if not name or "/" in name:
            return NOWHERE
        folders = [
            folder
            for kind in ("Sources", "Source", "src", "Tests")
            for folder in self._tree.folders_ending(f"{kind}/{name}")
            if under(parent(parent(folder)), "Package.swift") in self._tree.files and self._files(folder)
        ]
        ordered = nearest(importer, (f"{folder}/" for folder in folders))
        if not ordered:
            return NOWHERE
        return Target(self._files(ordered[0].rstrip("/")), len(ordered) == 1, tuple(rest))

    def _files(self, folder: str) -> tuple[str, ...]:
        if folder not in self._known:
            self._known[folder] = self._tree.beneath(folder, ".swift")
        return self._known[folder]


_EXTENSIONS = re.compile(
    r"^[ \t]*(?:(?:public|private|internal|fileprivate|open|@\w+)[ \t]+)*extension[ \t]+(?P<type>[\w.]+)\s*:\s*"
    r"(?P<bases>[^{]*?)\s*(?:\bwhere\b[^{]*)?\{",
    re.MULTILINE,
)

LANGUAGE = Language(
    name="swift",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=everything,
    modules=Swift,
    customs=Customs(
        apart=re.compile(
            r"\s*(?:\w+\s+)*(?:extension\s+[\w.]+\s*(?P<promise>:)?|(?:class|struct|enum|actor)\s+(?!func\b|var\b)\w)"
        ),
        selves=frozenset({"Self", "self"}),
        sees_members=True,
        sees_package=True,
        any_file=True,
        scattered=True,
        reopened=True,
        overloads=True,
        builtins=BUILTINS,
        members=OBJECT_MEMBERS,
    ),
    heads=HeadRules(order=NAME_FIRST, transparent="Optional", bases=BEHIND_COLON, joins=_EXTENSIONS),
)
