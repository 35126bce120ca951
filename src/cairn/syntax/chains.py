"""What an expression is, as far as a reader sees, in one short text: a chain.

    chain := head step*     head := a name as written | `""`, any value of the language itself
    step  := `.name` a member | `()` what calling it gives | `[]` one element
    or    := `: TYPE` a type as written

"?" is all else. No function here calls itself: a tree may be as deep as a file is long.
"""

from typing import Any

from cairn.syntax import kinds
from cairn.syntax import valuekinds as table

UNKNOWN, LITERAL = "?", '""'
MAX_CHAIN = 120
_MOST_NODES = 500
_MOST_VALUES = 8
_JOINTS = b".:\\"
_WORD = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$@#") | frozenset(range(128, 256))


def chain_of(node: Any, data: bytes) -> str:
    """The chain of an expression."""
    steps: list[bytes] = []
    before: list[Any] = []
    """What stands before each `?` further out."""
    signed = False
    for _ in range(_MOST_NODES):
        rule = table.CHAINS.get(node.type)
        if rule is None or (rule[0] == "path"):
            head = _path(data[node.start_byte : node.end_byte]) if rule else _head(node, data)
            if signed and (head != b'""' or steps):
                return UNKNOWN
            return _joined(head, steps)
        if not node.child_count:
            return UNKNOWN
        what, bases, names = rule
        base = field_of(node, bases)
        name = field_of(node, names)
        if what == "call":
            if name is None:
                base = base or first_named(node)
            kind = base.type if base is not None else ""
            if kind in table.COLLECTIONS:
                return _joined(b'""', steps)
            if not steps and (cast := _cast_call(node, base, data)):
                return cast
            last = node.children[-1]
            if last.type == "class_body":
                return UNKNOWN  # a type of its own
            element = last.type == "call_suffix" and data[last.end_byte - 1 : last.end_byte] == b"]"
            steps.append(b"[]" if element else b"()")
            if name is not None:
                said = _member(node, name, data)
                if base is None:
                    return _joined(said, steps)
                steps.append(b"." + said if said else b"?")
        elif what == "member":
            base = base or first_named(node)
            name = name or last_named(node)
            said = _member(node, name, data) if name is not None else b""
            steps.append(b"." + said if said else b"?")
        elif what == "index":
            base = base or first_named(node)
            asked = node.child_by_field_name("subscript")
            if asked is None or asked.type != "slice":
                steps.append(b"[]")
        elif what == "same":
            if base is None and node.type in table.SEQUENCES and only_in(node) is None:
                return _joined(b'""', steps)
            base = base or first_named(node)
        elif what == "last":
            base = last_named(node)
        elif what == "signed":
            base = base or next((child for child in node.named_children if not child.is_extra), None)
            sign = sign_of(node, data)
            if sign in table.NOT_SIGNS and node.children[-1].end_byte == (base.end_byte if base else 0):
                return _joined(b'""', steps)
            if sign == "<-":
                steps.append(b"[]")
            elif sign not in table.SAME_SIGNS and sign not in ("!", "&mut"):
                signed = True
        elif what == "assigned":
            if sign_of(node, data) not in ("", *table.PLAIN):
                return UNKNOWN
        elif what == "cast":
            inside = [child for child in node.named_children if not child.is_extra]
            name = name or (inside[-1] if len(inside) > 1 else None)
            if name is not None:
                return type_text(name, data) if not steps else UNKNOWN
            base = base or first_named(node)
        elif what == "beyond":
            before.append(base)
            base = last_named(node)
        else:
            said = _member(node, name, data) if name is not None else b""
            steps.append(b"." + said if said else b"[]" if not names else b"?")
            base = before.pop() if before else None
        if base is None or len(steps) > MAX_CHAIN or (steps and steps[-1] == b"?"):
            return UNKNOWN
        node = base
    return UNKNOWN


def chains_of(node: Any, data: bytes) -> list[str]:
    """The chains of all values that an expression may have."""
    found: list[str] = []
    todo = [node]
    for _ in range(_MOST_NODES):
        if not todo:
            return [*dict.fromkeys(found)]
        each = todo.pop()
        rule = table.CHAINS.get(each.type)
        if rule is not None and rule[0] in ("same", "last") and (inner := only_in(each)) is not None:
            todo.append(inner)
            continue
        if rule is not None and rule[0] == "assigned" and sign_of(each, data) in ("", *table.PLAIN):
            inner = field_of(each, rule[1])
            if inner is not None:
                todo.append(inner)
                continue
        either = _either(each, data)
        if either is not None:
            todo += reversed(either)
        else:
            found.append(chain_of(each, data))
        if len(found) + len(todo) > _MOST_VALUES:
            break
    return [UNKNOWN]


def type_text(node: Any, data: bytes) -> str:
    """`: TYPE`, as written."""
    written = b" ".join(data[node.start_byte : node.end_byte].split())
    written = written.removeprefix(b":").strip()
    said = b": " + written
    return said.decode("utf-8", "replace") if written and len(said) <= MAX_CHAIN else UNKNOWN


def path_of(written: bytes) -> str:
    """The chain of names with joints between them, without arguments of types."""
    return _joined(_path(written), [])


def stepped(chain: str, step: str) -> str:
    """A chain with one more step; unknown where that can't be said."""
    if chain == UNKNOWN or chain.startswith(":") or len((chain + step).encode()) > MAX_CHAIN:
        return UNKNOWN
    return chain + step


def sign_of(node: Any, data: bytes) -> str:
    """The operator of a node; empty where there is none."""
    sign = node.child_by_field_name("operator") or node.child_by_field_name("operation")
    if sign is None:
        sign = next(
            (child for child in node.children if not child.is_named and child.type not in ("(", ")", "[", "]")), None
        )
    return data[sign.start_byte : sign.end_byte].decode("utf-8", "replace") if sign is not None else ""


def field_of(node: Any, names: tuple[str, ...]) -> Any:
    """What a node has in the first of some fields that it has."""
    for name in names:
        found = node.child_by_field_name(name)
        if found is not None:
            return found
    return None


def first_named(node: Any) -> Any:
    """The first child of a node that is more than a sign."""
    return next((child for child in node.named_children if not child.is_extra), None)


def last_named(node: Any) -> Any:
    """The last child of a node that is more than a sign."""
    return next((child for child in reversed(node.named_children) if not child.is_extra), None)


def only_in(node: Any) -> Any:
    """The only thing in a node; None where there are several, or a comma says that it is one of several."""
    inside = [child for child in node.named_children if not child.is_extra]
    return inside[0] if len(inside) == 1 and not any(child.type == "," for child in node.children) else None


def _joined(head: bytes, steps: list[bytes]) -> str:
    whole = head + b"".join(reversed(steps))
    return whole.decode("utf-8", "replace") if head and len(whole) <= MAX_CHAIN else UNKNOWN


def _is_name(text: bytes) -> bool:
    core = text[:-1] if text[-1:] in (b"?", b"!") else text
    return bool(core) and not core[:1].isdigit() and _WORD.issuperset(core)


def _head(node: Any, data: bytes) -> bytes:
    """A name or a literal; empty for all else."""
    kind = node.type
    written: bytes = data[node.start_byte : node.end_byte]
    if kind in table.HEADS or (not node.child_count and (kind.endswith("identifier") or kind in kinds.NAMES)):
        if written.decode("utf-8", "replace") in table.NOTHING:
            return b'""'
        return written if _is_name(written) else b""
    if kind in table.LITERALS or (kind.endswith("_literal") and kind not in table.OBJECTS):
        return b'""'
    if kind in table.EITHER and sign_of(node, data) in table.COMPARING:
        return b'""'
    return b""


def _path(written: bytes) -> bytes:
    """Names with dots between them, without arguments of types; empty where it is none."""
    if written[:1] == b"<":
        return b""
    names: list[bytes] = []
    word = bytearray()
    depth = 0
    for byte in written:
        if byte in b"<[":
            depth += 1
        elif byte in b">]":
            depth -= 1
        elif depth == 0 and byte in _JOINTS:
            names.append(bytes(word))
            word.clear()
        elif depth == 0 and byte not in b" \t\r\n":
            word.append(byte)
    names = [name for name in (*names, bytes(word)) if name]
    return b".".join(names) if names and all(map(_is_name, names)) else b""


def _member(node: Any, name: Any, data: bytes) -> bytes:
    """The name of a member; empty where it is none."""
    if name.type == "navigation_suffix":
        name = last_named(name)
        if name is None:
            return b""
    written: bytes = data[name.start_byte : name.end_byte]
    if name.type == "variable_name":
        return written[1:] if node.type.startswith("scoped_property") and _is_name(written[1:]) else b""
    if table.CHAINS.get(name.type, ("",))[0] == "path":
        written = _path(written)
        return written if b"." not in written else b""
    return written if not name.named_child_count and _is_name(written) else b""


def _cast_call(node: Any, base: Any, data: bytes) -> str:
    """The type that a call is given: `static_cast<T>(x)`, Python's `cast(T, x)`, Go's `new(T)`; empty for others."""
    if base is None:
        return ""
    said = data[base.start_byte : base.end_byte]
    if base.type == "template_function" and said.partition(b"<")[0].endswith(b"_cast"):
        given = base.child_by_field_name("arguments")
        return type_text(first_named(given), data) if given is not None and first_named(given) is not None else ""
    if node.type == "call" and said in (b"cast", b"typing.cast"):
        given = node.child_by_field_name("arguments")
        return type_text(given.named_children[0], data) if given is not None and given.named_child_count == 2 else ""
    if node.type == "call_expression" and said == b"new":
        given = node.child_by_field_name("arguments")
        return type_text(given.named_children[0], data) if given is not None and given.named_child_count == 1 else ""
    return ""


def _either(node: Any, data: bytes) -> list[Any] | None:
    if node.type not in table.EITHER:
        return None
    one, other = field_of(node, table.ONE), field_of(node, table.OTHER)
    if node.type in ("binary_expression", "binary") and sign_of(node, data) not in table.EITHER_SIGNS:
        return None
    if other is None and one is None:
        inside = [child for child in node.named_children if not child.is_extra]
        # The condition stands between them, or before them.
        first = 1 if node.type == "if_expression" else 0
        return [inside[first], inside[2]] if len(inside) == 3 else None
    if node.type == "if_expression" and other is None:
        return None
    if one is None:
        one = node.child_by_field_name("condition")
    return [one, other] if one is not None and other is not None else None
