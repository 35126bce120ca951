"""The file that a definition arrives in: where it stands there, and the imports that it brings."""

from collections.abc import Sequence
from typing import Any

from cairn.base.values import dataclass, field
from cairn.edit.source.changes import Changes
from cairn.edit.source.file import SourceFile
from cairn.edit.source.importing import statements, written
from cairn.edit.source.texts import FileText

_STRING = "expression_statement"
_HEADS = frozenset(
    {"import_statement", "import_from_statement", "future_import_statement", "comment", "hash_bang_line"}
)
_LATE = frozenset({"function_definition", "lambda", "function_declaration", "method_definition", "arrow_function"})


@dataclass(slots=True)
class Arrival:
    """What comes into a file, which may have to be made."""

    path: str
    source: SourceFile | None
    """The file as it is; None where it is made."""
    python: bool
    imports: list[str] = field(default_factory=list)
    """Statements that run with the file."""
    for_types: list[str] = field(default_factory=list)
    """Statements that stand below `if TYPE_CHECKING`."""
    future: str = ""
    """The statement of Python's future annotations, for a file that is made."""

    def write(self, changes: Changes, definition: str, before: int | None) -> None:
        """Put the definition and its imports in; `before` is where it must stand, if not at the end."""
        gap = "\n\n\n" if self.python else "\n\n"
        if self.source is None:
            head = "\n".join(each for each in (self.future, "\n".join(self._imports())) if each)
            changes.insert(self.path, 0, (head + gap if head else "") + definition)
            return
        data = self.source.data
        self.write_imports(changes)
        if before is not None:
            changes.insert(self.path, before, definition + gap[1:])
            return
        end = len(data.rstrip()) if data.strip() else len(data)
        if end == len(data):
            changes.insert(self.path, end, (gap if data.strip() else "") + definition)
        else:
            changes.replace(self.path, end, len(data), gap + definition)

    def write_imports(self, changes: Changes) -> None:
        """Put the imports in, behind those that are there."""
        assert self.source is not None
        data, lines, at = self.source.data, self._imports(), self._import_place()
        if lines:
            more = "\n".join(lines) + "\n"
            blank = "\n" if data.strip() and not self._has_imports() else ""
            first = "" if not at or data[:at].endswith(b"\n") else "\n"
            changes.insert(self.path, at, f"{first}{blank}{more}" if at else f"{more}{blank}")
        self._write_types(changes)

    def _imports(self) -> list[str]:
        lines = list(dict.fromkeys(self.imports))
        if self.for_types and not self._checking_block():
            lines += ["", "if TYPE_CHECKING:", *(f"    {each}" for each in dict.fromkeys(self.for_types))]
        return lines

    def _write_types(self, changes: Changes) -> None:
        """What stands below `if TYPE_CHECKING` joins what stands there already."""
        block = self._checking_block()
        if block is not None and self.source is not None:
            inner = block.child_by_field_name("consequence")
            last = inner.named_children[-1]
            indent = " " * last.start_point[1]
            for each in dict.fromkeys(self.for_types):
                changes.insert(self.path, last.end_byte, f"\n{indent}{each}")

    def needs_checking(self) -> bool:
        """Whether the name TYPE_CHECKING has to be imported."""
        return bool(self.for_types) and self._checking_block() is None

    def _checking_block(self) -> Any:
        for node in self._top():
            if node.type == "if_statement" and b"TYPE_CHECKING" in node.child_by_field_name("condition").text:
                return node
        return None

    def _top(self) -> Sequence[Any]:
        root = self.source.root if self.source is not None else None
        return root.named_children if root is not None else ()

    def _has_imports(self) -> bool:
        return self.source is not None and any(each.always and not each.exports for each in statements(self.source))

    def _import_place(self) -> int:
        """Behind the last import at the head of the file, else behind what must come first."""
        assert self.source is not None
        data, at, seen = self.source.data, 0, False
        for number, node in enumerate(self._top()):
            text = node.type == _STRING and node.named_children and "string" in node.named_children[0].type
            if node.type not in _HEADS and not (text and (number == 0 or not seen)):
                break
            if node.type == "comment" and seen:
                continue
            seen = seen or "import" in node.type
            stop = data.find(b"\n", node.end_byte)
            at = len(data) if stop < 0 else stop + 1
        return at

    def first_immediate(self, places: Sequence[int]) -> int | None:
        """The first statement at the top that runs one of some places when the file is loaded: where it begins."""
        for node in self._top():
            inside = [at for at in places if node.start_byte <= at < node.end_byte]
            if inside and "import" not in node.type and any(self._runs(at, node) for at in inside):
                text = self.source.text if self.source is not None else FileText(b"")
                return text.offset(node.start_point[0] + 1, 0)
        return None

    def _runs(self, at: int, top: Any) -> bool:
        node = self.source.node(at, at + 1) if self.source is not None else None
        while node is not None and node != top:
            above = node.parent
            if above is not None and above.type in _LATE and node.field == "body":
                return False
            node = above
        return not (top.type in _LATE and self._is_body(top, at))

    def _is_body(self, node: Any, at: int) -> bool:
        body = node.child_by_field_name("body")
        return body is not None and bool(body.start_byte <= at < body.end_byte)


def import_line(source: SourceFile, said: str, module: str, *, types: bool = False) -> str:
    """A statement that takes one name, as it stands in one, from a module, in the customs of a file."""
    return (
        f"from {module} import {said}" if source.language == "python" else written(source, [said], module, types=types)
    )
