"""The module that a definition leaves: its lines go, and with them what only they used."""

import posixpath
import re
from collections.abc import Sequence
from typing import Any

from cairn.edit.moving.arrival import Arrival, import_line
from cairn.edit.moving.loading import effect_line
from cairn.edit.moving.mending import whole_lines
from cairn.edit.moving.needs import Need
from cairn.edit.moving.transfer import Transfer
from cairn.edit.source.importing import EVERYTHING, ImportedName, ImportStatement, inner_module, statements, without
from cairn.edit.source.values import Spot
from cairn.edit.source.words import words_in

LIST = "__all__"
_NEXT = re.compile(rb"\s*,[ \t]*")
_LAST = re.compile(rb",?\s*\Z")
_LIST = re.compile(rb"^__all__\s*(?::[^=]+)?=\s*[\[(]", re.M)


class Departure:
    """Changes the old module."""

    def __init__(self, transfer: Transfer) -> None:
        self._transfer = transfer
        self._source = transfer.source
        self._begin = transfer.extent.start
        """Where the definition goes from, with the blank lines that go with it."""

    def leave(self, spots: Sequence[Spot], needs: Sequence[Need]) -> bool:
        """Take the definition out; True if the module still uses it, and imports it. The places mean it."""
        transfer, source = self._transfer, self._source
        text, stays = source.text, False
        words = (word for word in words_in(source, transfer.name) if word.listed == LIST)
        listed = {text.offset(word.line, word.column) for word in words}
        for at in listed:
            self._unlist(source.node(at, at + 1))
        for spot in spots:
            at = text.offset(spot.line, spot.column)
            if transfer.extent.holds(at) or at in listed:
                continue
            node: Any = source.node(at, at + len(spot.text.encode()))
            if node is not None and node.parent is not None and node.parent.type == "export_specifier":
                self._unexport(node.parent)
            else:
                stays = True
        self._cut()
        if stays:
            self._import_back()
        self._drop_unused(needs, stays)
        return stays

    def _cut(self) -> None:
        data, start, end = self._source.data, self._transfer.extent.start, self._transfer.extent.end
        rest = data[end:]
        if rest.strip():
            end += len(rest) - len(rest.lstrip(b"\r\n"))
        else:
            before = data[:start].rstrip()
            start, end = (
                (len(before) + len(data[len(before) : start].splitlines(keepends=True)[0]) if before else 0),
                len(data),
            )
        self._begin = start
        self._transfer.changes.replace(self._source.path, start, end, "")

    def _import_back(self) -> None:
        transfer, source = self._transfer, self._source
        module = transfer.names.name_of(transfer.to, source.path, transfer.custom(source))
        if not module:
            transfer.reasons.append(f"{source.path} has no name for {transfer.to}, of which it needs {transfer.name}")
            return
        back = Arrival(source.path, source, transfer.python)
        back.imports.append(import_line(source, transfer.name, module, types=transfer.is_type))
        back.write_imports(transfer.changes)

    def _unlist(self, node: Any) -> None:
        """Take the name out of `__all__`, and into that of the new module, if it has one."""
        transfer, data = self._transfer, self._source.data
        while node.type != "string":
            node = node.parent
        start, end = node.start_byte, node.end_byte
        if (behind := _NEXT.match(data, end)) is not None:
            start, end = whole_lines(data, start, behind.end())
        elif (before := _LAST.search(data, 0, start)) is not None:
            start = before.start()
        transfer.changes.replace(self._source.path, start, end, "")
        there = transfer.there.data if transfer.there is not None else b""
        if (found := _LIST.search(there)) is not None:
            empty = re.match(rb"\s*[\])]", there[found.end() :]) is not None
            transfer.changes.insert(transfer.to, found.end(), f'"{transfer.name}"' + ("" if empty else ", "))

    def _unexport(self, specifier: Any) -> None:
        """Take the name out of `export { name }`."""
        transfer, data, clause = self._transfer, self._source.data, specifier.parent
        said = specifier.said
        if said != transfer.name:
            transfer.reasons.append(f"{self._source.path} exports it by another name: {said}")
            return
        names = tuple(
            ImportedName("", "", each.start_byte, each.end_byte)
            for each in clause.named_children
            if each.type == "export_specifier"
        )
        if len(names) == 1:
            start, end = whole_lines(data, clause.parent.start_byte, clause.parent.end_byte)
            transfer.changes.replace(self._source.path, start, end, "")
            return
        own = [each for each in names if each.start == specifier.start_byte]
        whole = ImportStatement(clause.start_byte, clause.end_byte, "", 0, names)
        transfer.changes.replace(self._source.path, whole.start, whole.end, without(data, whole, own))

    def _drop_unused(self, needs: Sequence[Need], stays: bool) -> None:
        """Imports that nothing here, and nobody through this module, can use any more."""
        if posixpath.basename(self._source.path).startswith(("__init__.", "index.")):
            return
        gone: dict[int, list[ImportedName]] = {}
        for need in needs:
            if need.taken is not None and self._is_unused(need, need.taken[1]):
                gone.setdefault(need.taken[0].start, []).append(need.taken[1])
        lines: list[tuple[int, int]] = []
        for start, names in sorted(gone.items()):
            own = [each for each in statements(self._source) if each.start == start]
            every = [name for each in own for name in each.names]
            if len(names) < len(every):
                if len(own) == 1:
                    text = without(self._source.data, own[0], names)
                    self._transfer.changes.replace(self._source.path, start, own[0].end, text)
            elif not self._is_in_block(own[0]):
                begin, end = whole_lines(self._source.data, start, own[0].end)
                lines[-1:] = [(lines[-1][0], end)] if lines and lines[-1][1] == begin else [*lines[-1:], (begin, end)]
        for begin, end in lines:
            # Where another import comes in, the blank lines part that from what follows.
            behind = end if stays else self._behind_blanks(begin, end)
            behind = min(behind, self._begin) if begin < self._begin else behind
            self._transfer.changes.replace(self._source.path, begin, behind, "")

    def _behind_blanks(self, begin: int, end: int) -> int:
        """Where lines end that go, with the blank ones behind them if others stand before them."""
        data = self._source.data
        blank = not begin or data[:begin].endswith((b"\n\n", b"\n\r\n"))
        rest = data[end:]
        return end + (len(rest) - len(rest.lstrip(b"\r\n"))) * (blank and data[:end].endswith(b"\n"))

    def _is_in_block(self, statement: ImportStatement) -> bool:
        node = self._source.node(statement.start, statement.end)
        return node is not None and node.parent is not None and node.parent.type == "block"

    def _is_unused(self, need: Need, name: ImportedName) -> bool:
        transfer, text = self._transfer, self._source.text
        if need.taken is not None and need.taken[0].plain and "." in need.taken[0].module and name.local != need.name:
            return False
        if need.taken is not None and self._does_something(*need.taken):
            return False
        places = (text.offset(word.line, word.column) for word in words_in(self._source, need.name))
        if any(not transfer.extent.holds(at) and not name.start <= at < name.end for at in places):
            return False
        for path, _, _ in transfer.resolver.importers.get(self._source.path, ()):
            importer = transfer.sources.of(path)
            taking = (said for said in statements(importer) if any(each.name == EVERYTHING for each in said.names))
            whole = any(transfer.names.file_of(path, said.module) == self._source.path for said in taking)
            if whole or words_in(importer, need.name):
                return False
        return True

    def _does_something(self, statement: ImportStatement, name: ImportedName) -> bool:
        """Whether an import has effects beside the name that it gives: whoever loads this module relies on them."""
        transfer = self._transfer
        for module in (statement.module, inner_module(statement, name)):
            path = transfer.names.file_of(self._source.path, module)
            if path and transfer.sources.has(path) and path != transfer.to:
                if effect_line(transfer.resolver, transfer.sources, transfer.sources.of(path)):
                    return True
        return False
