"""What a definition needs where it goes: every name means there what it meant, by imports that it brings."""

import builtins
import re
from collections.abc import Iterator, Sequence
from typing import Any

from cairn.edit.gate.table import table_of
from cairn.edit.moving.arrival import Arrival, import_line
from cairn.edit.moving.clash import require_unused
from cairn.edit.moving.extent import declaration, is_type
from cairn.edit.moving.needs import Need, bound_line, is_rebound, takes_everything
from cairn.edit.moving.transfer import Transfer
from cairn.edit.moving.whereabouts import Cut, led_on
from cairn.edit.source.importing import ImportedName, ImportStatement, inner_module, statements

FUTURE = "from __future__ import annotations"


class Bringing:
    """Finds the imports, and changes the definition where it names modules from where it stands."""

    def __init__(self, transfer: Transfer, arrival: Arrival) -> None:
        self._transfer = transfer
        self._arrival = arrival
        self.loaded: set[str] = set()
        """Files that the new module loads when it is loaded."""

    def definition(self, needs: Sequence[Need]) -> str:
        """The definition as it is written in its new module."""
        transfer = self._transfer
        data, extent = transfer.source.data, transfer.extent
        cuts = [cut for need in needs for cut in self._bring(need)]
        cuts += self._inner_imports()
        cuts += led_on(transfer)
        if not transfer.python and not any(node.type == "export_statement" for node in extent.nodes):
            cuts += [(node.start_byte, node.start_byte, "export ") for node in extent.nodes]
        parts, done = [], extent.start
        for begin, end, new in sorted(cuts):
            parts += [data[done:begin], new.encode()]
            done = end
        text = b"".join((*parts, data[done : extent.end])).decode("utf-8", "replace").rstrip()
        ending = "\r\n" if transfer.there is not None and b"\r\n" in transfer.there.data else "\n"
        return text.replace("\r\n", "\n").replace("\n", ending) + ending

    def _bring(self, need: Need) -> Iterator[Cut]:
        transfer, name = self._transfer, need.name
        taken = bound_line(transfer.there, name) if transfer.there is not None else 0
        unknown = not need.line and (hasattr(builtins, name) or not takes_everything(transfer.source))
        if need.written:
            what = f"{name} of {transfer.source.path}"
            transfer.reasons.append(f"it gives {what} another value, which it could not from another module")
        elif name in table_of(transfer.source.language).of_module:
            return  # It is asked about.
        elif need.taken is not None:
            yield from self._taken(need, *need.taken, taken)
        elif taken:
            if not self._is_same(need, transfer.source.path, name):
                transfer.reasons.append(f"{transfer.to}:{taken} gives {name} another meaning than it has for it")
        elif not unknown:
            self._from_old(need)
        elif transfer.python and not hasattr(builtins, name):
            transfer.doubt("unknown_name", f"Nothing tells what {name} is, which it uses: is it known there too?")

    def _taken(self, need: Need, statement: ImportStatement, name: ImportedName, taken: int) -> Iterator[Cut]:
        """A name that the old module imports."""
        transfer, source = self._transfer, self._transfer.source
        origin = transfer.names.file_of(source.path, statement.module)
        if transfer.names.file_of(source.path, inner_module(statement, name)) == transfer.to and name.name != "default":
            if statement.plain or not name.name or origin != transfer.to:
                # The old module knows the new one by this name: what it asks of it stands there itself.
                for at in need.places:
                    after = at + len(need.name.encode())
                    if source.data[after : after + 1] == b".":
                        yield at, after + 1, ""
                return
        if origin == transfer.to:
            if name.name != name.local:
                said = f"{name.name} of {transfer.to} by another name"
                transfer.reasons.append(f"it uses {name.local}, which is {said}")
        elif not taken:
            self._import_like(statement, name, origin)
        elif not self._is_same(need, origin or statement.module, name.name, for_types=statement.types or name.types):
            transfer.reasons.append(f"{transfer.to}:{taken} gives {need.name} another meaning than it has for it")

    def _is_same(self, need: Need, module: str, name: str, *, for_types: bool = False) -> bool:
        """Whether the new module has the same name from the same module, by its file or as it is written."""
        transfer = self._transfer
        return transfer.there is not None and any(
            (transfer.names.file_of(transfer.to, each.module) or each.module) == module
            for each in statements(transfer.there)
            for other in each.names
            if (other.local, other.name) == (need.name, name)
            and not each.late
            and (for_types or need.types or not (each.types or other.types))
        )

    def _import_like(self, statement: ImportStatement, name: ImportedName, origin: str) -> None:
        """Import in the new module what the old one imports."""
        transfer = self._transfer
        module = statement.module
        if module.startswith("."):
            module = self._module_from_there(statement, name, origin)
            if not module:
                transfer.reasons.append(f"{transfer.to} has no name for the module {statement.module}")
                return
        data = transfer.source.data
        said = data[name.start : name.end].decode("utf-8", "replace")
        if statement.plain:
            line = f"import {said}"
        elif not transfer.python and name.name in ("", "default"):
            quote = data[statement.module_start - 1 : statement.module_start].decode()
            end = ";" if data[: statement.end].endswith(b";") else ""
            line = f"import {'type ' if statement.types else ''}{said} from {quote}{module}{quote}{end}"
        else:
            line = import_line(transfer.source, said, module, types=statement.types)
        for_types = statement.types or name.types
        if not for_types:
            require_unused(transfer, name.local)
        (self._arrival.for_types if transfer.python and for_types else self._arrival.imports).append(line)
        if origin and not for_types:
            self.loaded.add(origin)

    def _module_from_there(self, statement: ImportStatement, name: ImportedName, origin: str) -> str:
        """What the new module calls a module that the old one names from where it stands."""
        names, to = self._transfer.names, self._transfer.to
        if origin:
            return names.name_of(origin, to, statement.module, origin)
        # `from . import module`, in a folder that is no package.
        inner = names.file_of(self._transfer.source.path, inner_module(statement, name))
        said = names.name_of(inner, to, f"{statement.module}x") if inner else ""
        folder = said.rpartition(".")[0]
        return f"{folder}." if said.startswith(".") and not folder.strip(".") else folder

    def _from_old(self, need: Need) -> None:
        """Import in the new module what the old one defines."""
        transfer, source = self._transfer, self._transfer.source
        module = transfer.names.name_of(source.path, transfer.to, transfer.custom(transfer.there))
        if not module:
            transfer.reasons.append(f"{transfer.to} has no name for {source.path}, of which it needs {need.name}")
            return
        exported = self._export(need.name) if not transfer.python else None
        if not transfer.python and exported is None:
            transfer.reasons.append(f"{source.path} can't export {need.name}, which it needs")
            return
        if transfer.python and is_rebound(source, need.name):
            transfer.doubt("rebound_name", f"{need.name} gets other values in {source.path}: is its first one meant?")
        types = exported is not None and is_type(exported)
        line = import_line(source, need.name, module, types=types)
        if transfer.python and need.types and self._is_unevaluated():
            self._arrival.for_types.append(line)  # It is not needed to load the module, and makes no circle.
            return
        require_unused(transfer, need.name)
        self._arrival.imports.append(line)
        if not types:
            self.loaded.add(source.path)

    def _is_unevaluated(self) -> bool:
        """Whether nobody evaluates annotations, neither in the old module nor in the new one."""
        files = [self._transfer.source, *([self._transfer.there] if self._transfer.there is not None else ())]
        return all(FUTURE.encode() in each.data for each in files)

    def _export(self, name: str) -> Any:
        """JavaScript: have the old module export a name; its statement, None where it has none of its own."""
        source = self._transfer.source
        listed = re.search(rb"export\s*(?:type\s*)?\{[^}]*(?<![\w$])%s\s*[,}]" % re.escape(name.encode()), source.data)
        for node in source.root.named_children if source.root is not None else ():
            inner = declaration(node)
            declared = [inner, *(inner.named_children if inner is not None else ())]
            fields = [each.child_by_field_name("name") for each in declared if each is not None]
            if any(each is not None and each.text == name.encode() for each in fields):
                if node.type != "export_statement" and listed is None:
                    # As a change of its first word: what is put in before the statement stands before that.
                    word = node.text.split(maxsplit=1)[0]
                    end = node.start_byte + len(word)
                    self._transfer.changes.replace(source.path, node.start_byte, end, f"export {word.decode()}")
                return node
        return None

    def _inner_imports(self) -> Iterator[Cut]:
        """Imports in the definition's own functions."""
        for each in statements(self._transfer.source):
            if self._transfer.extent.holds(each.start) and each.module.startswith(".") and each.names:
                origin = self._transfer.names.file_of(self._transfer.source.path, each.module)
                module = self._module_from_there(each, each.names[0], origin)
                if not module:
                    self._transfer.reasons.append(f"{self._transfer.to} has no name for the module {each.module}")
                elif module != each.module:
                    yield each.module_start, each.module_end, module
