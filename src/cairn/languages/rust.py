"""Rust: all that is known of it."""

import re
from collections.abc import Iterable

from cairn.languages.grammar import Grammar
from cairn.languages.imports import EVERYTHING, Binding
from cairn.languages.modules.rust import Rust
from cairn.languages.record import BEHIND_COLON, NAME_FIRST, Customs, HeadRules, Language
from cairn.languages.scoping import Scoping, binders, words

_PUBLIC = re.compile(r"\bpub\b|\bmacro_export\b")


def _public(name: str, head: str) -> bool:
    """Said so, or a variant: a name on its own that is as visible as its enum."""
    return _PUBLIC.search(head) is not None or (name[:1].isupper() and head.lstrip().startswith(name))


GRAMMAR = Grammar(
    "tree-sitter-rust==0.24.2",
    exported=_public,
    query="""
        (function_item name: (identifier) @name) @definition.function
        (function_signature_item name: (identifier) @name) @definition.function
        (struct_item name: (type_identifier) @name) @definition.struct
        (union_item name: (type_identifier) @name) @definition.struct
        (enum_item name: (type_identifier) @name) @definition.enum
        (enum_variant name: (identifier) @name) @definition.constant
        (field_declaration name: (field_identifier) @name) @definition.field
        (trait_item name: (type_identifier) @name) @definition.trait
        (mod_item name: (identifier) @name body: (_)) @definition.module
        (type_item name: (type_identifier) @name) @definition.type
        (associated_type name: (type_identifier) @name) @definition.type
        (const_item name: (identifier) @name) @definition.constant
        (static_item name: (identifier) @name) @definition.variable
        (macro_definition name: (identifier) @name) @definition.macro
        (impl_item type: [
            (type_identifier) @name
            (scoped_type_identifier name: (type_identifier) @name)
            (generic_type type: [
                (type_identifier) @name (scoped_type_identifier name: (type_identifier) @name)])
            (reference_type type: [
                (type_identifier) @name (generic_type type: (type_identifier) @name)])
            (dynamic_type trait: (type_identifier) @name)
            (primitive_type) @name]) @scope
        (call_expression function: [
            (identifier) @name
            (scoped_identifier name: (identifier) @name)
            (field_expression field: (field_identifier) @name)
            (generic_function function: [
                (identifier) @name
                (scoped_identifier name: (identifier) @name)
                (field_expression field: (field_identifier) @name)])]) @call
        (macro_invocation macro: [
            (identifier) @name (scoped_identifier name: (identifier) @name)]) @call
        (use_declaration argument: (_) @source) @import
        (extern_crate_declaration name: (identifier) @source) @import
        (mod_item name: (identifier) @source !body) @import
        (line_comment) @comment
        (block_comment) @comment
        (attribute_item) @attribute
        (trait_item body: (declaration_list "{" @shows))
        (impl_item trait: (_) body: (declaration_list "{" @shows))
    """,
)


def bindings(_statement: str, source: str, _before: str) -> Iterable[Binding]:
    """Leaves of a use tree: `a::{b, c::d as e}` asks `a` for `b` and `c.d`, which is `e` here."""
    text = re.sub(r"//[^\n]*|/\*.*?\*/|\s+(?=[^\w]|$)|(?<=[^\w])\s+", "", source, flags=re.DOTALL)
    prefix, brace, _ = text.partition("{")
    if not brace:
        path, _, alias = text.partition(" as ")
        last = path.rpartition("::")[2]
        if last == EVERYTHING:
            return [Binding(EVERYTHING, EVERYTHING)]
        return [] if alias.strip() == "_" else [Binding("", alias.strip() or last)]
    found: list[Binding] = []
    stack: list[str] = []
    for piece, sign in re.findall(r"([^{},]*)([{},]|$)", text[len(prefix) :]):
        inner = "::".join(filter(None, (part.removesuffix("::") for part in (*stack[1:], piece))))
        if sign == "{":
            stack.append(piece)
            continue
        if piece:
            path, _, alias = inner.partition(" as ")
            path = path.removesuffix("::self") if path != "self" else ""
            last = path.rpartition("::")[2] or prefix.removesuffix("::").rpartition("::")[2]
            if last == EVERYTHING:
                found.append(Binding(path.replace("::", "."), EVERYTHING))
            elif alias.strip() != "_":
                found.append(Binding(path.replace("::", "."), alias.strip() or last))
        if sign == "}" and stack:
            stack.pop()
    return found


def stem(source: str) -> str:
    """The part of a path that all leaves of its tree share."""
    return source.partition("{")[0].partition(" as ")[0].strip().removesuffix("::*").removesuffix("::")


SCOPING = Scoping(
    functions=words("function_item closure_expression function_signature_item"),
    blocks=words("block match_arm if_expression while_expression for_expression type_item"),
    spaces=words("mod_item impl_item trait_item struct_item enum_item union_item"),
    binders=binders(
        block="""
            parameter.pattern closure_parameters let_declaration.pattern let_condition.pattern function_item.name
            const_item.name static_item.name struct_item.name enum_item.name type_item.name
        """,
        own="for_expression.pattern match_arm.pattern",
        types="type_parameter.name const_parameter.name",
    ),
    opaque=words("function_item mod_item impl_item trait_item"),
    constants_in_patterns=True,
    cut_at={"if_expression": "alternative"},
)

_PASSING = words(
    "unwrap expect unwrap_or unwrap_or_default unwrap_or_else as_ref as_mut as_deref borrow borrow_mut clone cloned "
    "to_owned lock read write get_mut into_inner"
)
_OWN = words(
    "map map_or map_or_else map_err and and_then or or_else xor filter flatten zip unzip ok ok_or ok_or_else err iter "
    "iter_mut into_iter take replace insert get_or_insert get_or_insert_with is_some is_some_and is_none is_ok is_err "
    "inspect copied as_deref_mut as_slice transpose expect_err unwrap_err unwrap_unchecked try_lock try_read try_write "
    "try_borrow try_borrow_mut is_poisoned get set swap update as_ptr take_if cmp partial_cmp eq ne hash fmt to_string "
    "default into try_into from leak downcast deref deref_mut clone_from"
)
_ARGUMENTS = r"<(?:->|[^<>]|<(?:->|[^<>]|<[^<>]*>)*>)*>"
_IMPLS = re.compile(
    rf"^[ \t]*(?:unsafe[ \t]+)?impl\b\s*(?:{_ARGUMENTS})?\s*(?P<bases>[\w:]+)\s*(?:{_ARGUMENTS})?\s+for\s+"
    r"(?:&\s*)?(?:'\w+\s+)?(?:(?:mut|dyn)\s+)*(?P<type>[\w:]+)",
    re.MULTILINE,
)

LANGUAGE = Language(
    name="rust",
    grammar=GRAMMAR,
    scoping=SCOPING,
    bindings=bindings,
    modules=Rust,
    customs=Customs(
        apart=re.compile(r"\s*(?:pub\S*\s+)?(?:unsafe\s+)?(?:impl\b(?!.*\sfor\s)|(?P<promise>impl|trait)\b)"),
        selves=frozenset({"Self", "self"}),
        parents=frozenset(),
        values_apart=True,
        types_apart=True,
        scattered=True,
        overloads=True,
        paths_to_names=True,
        namespaces=True,
        uncalled_fields=True,
        joint="::",
        stem=stem,
        macros_apart=True,
    ),
    heads=HeadRules(
        order=NAME_FIRST,
        transparent="Box|Rc|Arc",
        awaited="Option|Result|Ref|RefMut|MutexGuard|Mutex|RwLock|RefCell|Cell|Box|Rc|Arc",
        awaited_own=_OWN | _PASSING,
        passing=_PASSING,
        returns_said=True,
        called_values=False,
        bases=BEHIND_COLON,
        joins=_IMPLS,
    ),
)
