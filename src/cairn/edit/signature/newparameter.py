"""A parameter that a user wants to add, as he wrote it: the grammar decides what a default is, and nothing else."""

from typing import Any

from cairn.base.errors import UsageError
from cairn.base.values import dataclass
from cairn.edit.gate.newname import keywords
from cairn.edit.signature.brackets import entry_nodes
from cairn.edit.signature.given import evaluated
from cairn.edit.source.written import within
from cairn.languages.registry import record_of
from cairn.syntax.grammar import load

_FORM = "Write it as 'name = default' or 'name: type = default'."
_NAMES = "A name is letters, digits and underscores, no digit first, and no word of the language's own: `{}_` will do."
_LITERALS = {"number": "number", "string": "string", "template_string": "string", "true": "boolean", "false": "boolean"}
_NO_EXPRESSION = frozenset("list_splat expression_list sequence_expression".split())
_BINDING = frozenset("lambda_parameters required_parameter optional_parameter formal_parameters pattern_list".split())
_NOWHERE = frozenset(
    "yield await yield_expression await_expression named_expression assignment_expression "
    "augmented_assignment_expression update_expression".split()
)
"""What a default may not do, wherever in it: wait, or give a name around it another value."""


@dataclass(frozen=True, slots=True)
class NewParameter:
    """A parameter with a default, by its parts."""

    name: str
    type: str
    default: str
    implied: str = ""
    """The type that a default tells which is written out, in TypeScript."""
    names: tuple[str, ...] = ()
    """What the type and the default use of what is around them."""
    valued: tuple[str, ...] = ()
    """What of these the default uses."""

    def written(self, *, python: bool, declares: bool) -> str:
        """Its text in a list, by the language's custom; what only declares a function in TypeScript has no defaults."""
        if python:
            return f"{self.name}: {self.type} = {self.default}" if self.type else f"{self.name}={self.default}"
        if declares:
            return f"{self.name}?: {self.type or self.implied}"
        return f"{self.name}: {self.type} = {self.default}" if self.type else f"{self.name} = {self.default}"


def new_parameter(text: str, language: str) -> NewParameter:
    """A parameter from `name: type = default`; UsageError for anything else."""
    text, python = text.strip(), language == "python"
    if "\n" in text or "\r" in text:
        raise UsageError("A parameter stands on one line.", hint=_FORM)
    node = _parsed(text, language)
    if node is None and (word := text.partition("=")[0].partition(":")[0].strip()) in keywords(language):
        raise UsageError(f"{word} is a keyword of {language}, and so no name.", hint=_NAMES.format(word))
    if node is None:
        raise UsageError(f"{text or 'Nothing'} is not one parameter with one expression as its default.", hint=_FORM)
    name = node.child_by_field_name("name" if python else "pattern") or node.child_by_field_name("left")
    value = node.child_by_field_name("value") or node.child_by_field_name("right")
    kind = node.child_by_field_name("type")
    if (
        name is None
        or name.type != "identifier"
        or value is None
        or name.start_byte != node.start_byte
        or _is_optional(node)
    ):
        raise UsageError(f"{text} has no default, or is more than a name with one.", hint=_FORM)
    if value.type in _NO_EXPRESSION or any(each.type in _NOWHERE for each in evaluated(value)):
        raise UsageError(f"{_text(value)} can't be a default.", hint=_FORM)
    naming = record_of(language).naming
    if _text(name) in naming.values or _text(name) in naming.reserved:
        raise UsageError(
            f"{_text(name)} can't be the name of a parameter in {language}.", hint=_NAMES.format(_text(name))
        )
    said = _text(kind).removeprefix(":").strip() if kind is not None else ""
    valued = tuple(dict.fromkeys(_names(value)))
    used = tuple(dict.fromkeys((*valued, *(_names(kind) if kind is not None else ()))))
    return NewParameter(_text(name), said, _text(value), _LITERALS.get(value.type, ""), used, valued)


def _names(node: Any) -> list[str]:
    """The names that a text uses and doesn't bind itself."""
    used, bound = [], set()
    for each in within(node):
        holder = each.parent
        if each.type not in ("identifier", "type_identifier") or holder is None:
            continue
        if holder.child_by_field_name("attribute") == each or holder.type in ("nested_type_identifier", "pair_pattern"):
            continue
        if holder.type == "keyword_argument" and holder.child_by_field_name("name") == each:
            continue
        if holder.type in _BINDING or (holder.child_by_field_name("left") == each and holder.type == "for_in_clause"):
            bound.add(_text(each))
        used.append(_text(each))
    return [name for name in used if name not in bound]


def _parsed(text: str, language: str) -> Any:
    """The node of the one parameter that a text is; None where it is anything else."""
    loaded = load(language)
    if loaded is None:
        return None
    head, tail = (b"def f(", b"): pass\n") if language == "python" else (b"function f(", b") {}\n")
    data = head + text.encode() + tail
    root = loaded.parser.parse(data).root_node
    if root.has_error or len(root.children) != 1:
        return None
    given = root.children[0].child_by_field_name("parameters")
    nodes = entry_nodes(given) if given is not None else []
    if len(nodes) != 1 or (nodes[0].start_byte, nodes[0].end_byte) != (len(head), len(data) - len(tail)):
        return None
    return nodes[0] if not any(each.type == "comment" for each in within(nodes[0])) else None


def _is_optional(node: Any) -> bool:
    """`name?: type = default`, which says twice that it may be left out: TypeScript takes only one."""
    return bool(node.type == "optional_parameter")


def _text(node: Any) -> str:
    return (node.text or b"").decode("utf-8", "replace")
