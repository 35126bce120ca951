"""JavaScript: all that is known of it."""

import re
from collections.abc import Iterable

from cairn.languages.grammar import Grammar
from cairn.languages.imports import EVERYTHING, Binding, renamed
from cairn.languages.modules.javascript import JavaScript
from cairn.languages.record import Customs, HeadRules, Language, Naming
from cairn.languages.scoping import Scoping, binders, words

_DECLARED = re.compile(
    r"(?:abstract\s+|async\s+)*(?:class|const|enum|function|interface|let|module|namespace|type|var)[\s*]+[\w$\"']"
)
_DECORATOR = re.compile(r"@[\w.]+(?:\((?:[^()]|\([^()]*\))*\))?\s*")


def exported(name: str, head: str) -> bool:
    """Declarations must be exported by name; members are seen wherever their container is."""
    if name.startswith("#"):
        return False
    bare = _DECORATOR.sub("", head).strip()
    return not (_DECLARED.match(bare) or bare.startswith("private "))


FUNCTION_VALUE = """[
    (arrow_function body: (_) @body) (function_expression body: (_) @body) (generator_function body: (_) @body)]"""
_CALLED = "(call_expression) (member_expression)"
_COMPUTED = """
    (array) (await_expression) (binary_expression) (false) (new_expression) (null) (number) (object)
    (parenthesized_expression) (regex) (string) (subscript_expression) (template_string) (ternary_expression) (true)
    (unary_expression) (undefined)
"""
DATA_VALUE = f"[{_CALLED} {_COMPUTED} (identifier)]"


def _data(declaration: str, kind: str, extra: str) -> str:
    """Values at the top of a module, without those that only name what is required from another."""
    return f"""
        (program [
            ({declaration} (variable_declarator name: (identifier) @name !value)) @definition.{kind}
            ({declaration} (variable_declarator name: (identifier) @name
                value: [{_COMPUTED} (identifier) {extra}])) @definition.{kind}
            ({declaration} (variable_declarator name: (identifier) @name
                value: [{_CALLED}] @_value) (#not-match? @_value "^require[(]")) @definition.{kind}
            (export_statement ({declaration} (variable_declarator name: (identifier) @name
                !value)) @definition.{kind})
            (export_statement ({declaration} (variable_declarator name: (identifier) @name
                value: [{_CALLED} {_COMPUTED} (identifier) {extra}])) @definition.{kind})])
    """


def shared(extra: str = "") -> str:
    """The patterns of both languages; `extra` are kinds of values that only one has."""
    return (
        _data('lexical_declaration kind: "const"', "constant", extra)
        + _data('lexical_declaration kind: "let"', "variable", extra)
        + _data("variable_declaration", "variable", extra)
        + _SHARED
    )


_SHARED = f"""
    (function_declaration name: (identifier) @name) @definition.function
    (generator_function_declaration name: (identifier) @name) @definition.function
    (lexical_declaration (variable_declarator name: (identifier) @name
        value: {FUNCTION_VALUE})) @definition.function
    (variable_declaration (variable_declarator name: (identifier) @name
        value: {FUNCTION_VALUE})) @definition.function
    (lexical_declaration (variable_declarator name: (identifier) @name value: (class))) @definition.class
    (export_statement "default" @name value: (class)) @definition.class
    (export_statement "default" @name value: {FUNCTION_VALUE}) @definition.function
    (export_statement "default" @name value: (object)) @definition.constant

    (class_body (method_definition name: (property_identifier) @name
        (#eq? @name "constructor")) @definition.constructor)
    (method_definition ["get" "set"] name: [
        (property_identifier) (private_property_identifier)] @name) @definition.property
    (method_definition name: [(property_identifier) (private_property_identifier)] @name) @definition.method
    (variable_declarator value: (object (pair key: (property_identifier) @name
        value: {FUNCTION_VALUE}) @definition.method))
    (assignment_expression right: (object (pair key: (property_identifier) @name
        value: {FUNCTION_VALUE}) @definition.method))
    (export_statement value: (object (pair key: (property_identifier) @name
        value: {FUNCTION_VALUE}) @definition.method))

    (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
        right: {FUNCTION_VALUE} (#eq? @_module "exports"))) @definition.function
    (expression_statement (assignment_expression
        left: (member_expression
            object: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
            property: (property_identifier) @name)
        right: {FUNCTION_VALUE} (#eq? @_module "module") (#eq? @_exports "exports"))) @definition.function
    (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
        right: {FUNCTION_VALUE} (#eq? @_module "module") (#eq? @name "exports"))) @definition.function
    (program (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @_module property: (property_identifier) @name)
        right: [{_COMPUTED}] (#eq? @_module "exports"))) @definition.constant)
    (expression_statement (assignment_expression
        left: (member_expression
            object: (member_expression object: (identifier) @container property: (property_identifier) @_prototype)
            property: (property_identifier) @name)
        right: {FUNCTION_VALUE} (#eq? @_prototype "prototype"))) @definition.method
    (expression_statement (assignment_expression
        left: (member_expression object: (this) property: (property_identifier) @name)
        right: {FUNCTION_VALUE})) @definition.method
    (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @container property: (property_identifier) @name)
        right: {FUNCTION_VALUE}
        (#not-any-of? @container "exports" "module"))) @definition.method

    (call_expression function: [
        (identifier) @name
        (member_expression property: [(property_identifier) (private_property_identifier)] @name)]) @call
    (new_expression constructor: [
        (identifier) @name (member_expression property: (property_identifier) @name)]) @call
    (export_statement !source (export_clause (export_specifier name: (identifier) @exported)))
    (export_statement "default" value: (identifier) @exported)
    (program (expression_statement (assignment_expression
        left: (member_expression object: (identifier) @_module property: (property_identifier) @_exports)
        right: [
            (identifier) @exported
            (object (shorthand_property_identifier) @exported)
            (object (pair value: (identifier) @exported))]
        (#eq? @_module "module") (#eq? @_exports "exports"))))
    (program (expression_statement (assignment_expression
        left: (member_expression object: [
            (identifier) @_module
            (member_expression object: (identifier) @_module property: (property_identifier) @_exports)])
        right: (identifier) @exported
        (#any-of? @_module "exports" "module") (#any-of? @_exports "exports"))))

    (import_statement source: (string) @source) @import
    (export_statement source: (string) @source) @import
    (call_expression function: (import) arguments: (arguments . (string) @source)) @import
    (call_expression function: (identifier) @_require arguments: (arguments . (string) @source)
        (#eq? @_require "require")) @import
    (comment) @comment
"""

JSX = """
    (jsx_opening_element name: [
        (identifier) @name (member_expression property: (property_identifier) @name)]
        (#match? @name "^[A-Z]")) @call
    (jsx_self_closing_element name: [
        (identifier) @name (member_expression property: (property_identifier) @name)]
        (#match? @name "^[A-Z]")) @call
"""

GRAMMAR = Grammar(
    "tree-sitter-javascript==0.25.0",
    wrappers=frozenset({"export_statement"}),
    exported=exported,
    query=f"""
        (class_declaration name: (identifier) @name) @definition.class
        (class_body (field_definition
            property: [(property_identifier) (private_property_identifier)] @name
            value: {FUNCTION_VALUE}) @definition.method)
        (class_body (field_definition
            property: [(property_identifier) (private_property_identifier)] @name
            value: {DATA_VALUE}) @definition.field)
        (class_body (field_definition
            property: [(property_identifier) (private_property_identifier)] @name !value) @definition.field)
        {shared()}
        {JSX}
    """,
)

_WORD = re.compile(r"[^\W\d][\w$]*")


def bindings(statement: str, _source: str, before: str) -> Iterable[Binding]:
    """What an `import`, an `export ... from` or a `require` binds."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/", " ", statement, flags=re.DOTALL)
    text = re.split(r"""\bfrom\s*["'`]|["'`]""", text, maxsplit=1)[0]
    text = re.sub(r"^\s*(?:import|export)\b\s*(?:type\b(?!\s*,|\s*$)|typeof\b)?", "", text)
    if statement.lstrip().startswith(("require", "import(", "import (")):
        match = re.search(r"(?:const|let|var|,)\s*(\{[^{}]*\}|[\w$]+)\s*(?::[^=]+)?=\s*(?:await\s+)?$", before)
        # `require("x").name` asks for a part; what is called or taken of that is no part any more.
        taken = re.match(r"(?:require|import)\s*\([^()]*\)\s*([.\[(][^;,\n]*)?", statement.lstrip())
        further = (taken[1] or "").strip() if taken else ""
        if match is None or (further and not re.fullmatch(r"\.\s*[\w$]+", further)):
            return []
        if further:
            return [] if match[1].startswith("{") else [Binding(further[1:].strip(), match[1])]
        if not match[1].startswith("{"):
            return [Binding("", match[1])]
        return [renamed(part.split("=")[0], ":") for part in match[1].strip("{}").split(",") if part.strip()]
    found = [
        renamed(re.sub(r"^\s*type\s+(?!as\b)", "", part))
        for group in re.findall(r"\{([^{}]*)\}", text)
        for part in group.split(",")
        if part.strip()
    ]
    outside = re.sub(r"\{[^{}]*\}", "", text)
    for part in filter(None, (part.strip() for part in outside.split(","))):
        space = re.match(r"\*\s*(?:as\s+([\w$]+))?", part)
        equals = re.match(r"([\w$]+)\s*=\s*require", part)
        if space:
            found.append(Binding("", space[1]) if space[1] else Binding(EVERYTHING, EVERYTHING))
        elif equals:
            found.append(Binding("", equals[1]))
        elif _WORD.fullmatch(part):
            found.append(Binding("default", part))
    return found


SCOPING = Scoping(
    functions=words(
        """
        function_declaration function_expression generator_function generator_function_declaration arrow_function
        method_definition function_signature method_signature abstract_method_signature function_type constructor_type
        call_signature construct_signature class_static_block
        """
    ),
    blocks=words(
        """
        statement_block for_statement for_in_statement catch_clause switch_body type_alias_declaration
        interface_declaration conditional_type index_signature
        """
    ),
    spaces=words("class_declaration class abstract_class_declaration internal_module module"),
    binders=binders(
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

VALUES = frozenset({"true", "false", "null", "undefined", "this", "super"})
RESERVED = frozenset(
    (
        "enum package public private protected interface implements static yield let await eval arguments async of get "
        "set NaN Infinity constructor prototype default"
    ).split()
)
LASTING = ("with", "hoisted", "defaulted", "called_by_itself")
OTHER_THIS = re.compile(
    r"\b(?:function|static|class)\b|(?<![\w$])(?!(?:if|for|while|switch|catch|with)\b)[\w$\]]+\s*\([^()]*\)\s*\{"
)
_MEMBERS = (
    "add all allSettled any apply assign at bind call catch charAt charCodeAt clear concat create data "
    "defineProperty delete endsWith entries error every exec fill filter finally find findIndex flat flatMap "
    "forEach freeze from get getTime has hasOwnProperty includes indexOf info isArray join json keys lastIndexOf "
    "length log map match message name now of on off once emit padEnd padStart parse pop push race random reduce "
    "reduceRight reject removeListener repeat replace replaceAll resolve reverse round search set shift size "
    "slice some sort splice split startsWith status stringify substr substring test text then toFixed toISOString "
    "toJSON toLocaleString toLowerCase toString toUpperCase trim trimEnd trimStart type unshift url value valueOf "
    "values warn write end close open read"
)
MEMBERS = frozenset(_MEMBERS.split())

LANGUAGE = Language(
    name="javascript",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=JavaScript,
    customs=Customs(
        constructors=frozenset({"constructor"}),
        explained=True,
        namespaces=True,
        statics_apart=True,
        decorators=True,
        stubs=((".d.ts", (".js", ".jsx", ".mjs", ".cjs", ".ts", ".tsx")), (".d.mts", (".mjs",)), (".d.cts", (".cjs",))),
        default_export=True,
        front="index.",
        other_this=OTHER_THIS,
        other_members=OTHER_THIS,
        members=MEMBERS,
    ),
    heads=HeadRules(awaited_own=words("then catch finally")),
    naming=Naming(
        dollar=True,
        values=VALUES,
        reserved=RESERVED,
        capital_tells=True,
        proves_locals=True,
        corners=("of_an_element",),
        lasting=LASTING,
    ),
    ambiguity="script",
)
