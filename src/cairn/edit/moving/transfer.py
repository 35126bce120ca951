"""A definition on its way from one module to another, and what speaks against that."""

from collections.abc import Iterator

from cairn.base.values import dataclass, field
from cairn.edit.moving.extent import Extent, is_type
from cairn.edit.source.changes import Changes
from cairn.edit.source.file import SourceFile
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.importing import statements
from cairn.edit.source.modulenames import ModuleNames
from cairn.edit.source.values import Doubt
from cairn.graph.customs import family
from cairn.graph.resolve import Resolver


@dataclass(slots=True)
class Transfer:
    """What everything about one move works with, and what it finds out."""

    resolver: Resolver
    sources: SourceFiles
    names: ModuleNames
    changes: Changes
    name: str
    source: SourceFile
    extent: Extent
    to: str
    """The file that it comes to."""
    there: SourceFile | None
    """That file as it is; None where it is made."""
    reasons: list[str] = field(default_factory=list)
    """Why it can't be done."""
    doubts: list[Doubt] = field(default_factory=list)

    @property
    def python(self) -> bool:
        """Whether it is Python, not JavaScript."""
        return self.source.language == "python"

    @property
    def is_type(self) -> bool:
        """Whether it is gone when a script runs: then imports of it are for types alone."""
        return not self.python and all(map(is_type, self.extent.nodes))

    def doubt(self, code: str, question: str) -> None:
        """Ask the user something."""
        self.doubts.append(Doubt(code, question, "what the code relies on", "read the definition"))

    def custom(self, source: SourceFile | None) -> str:
        """The name of some module of the tree as a file writes such names; or as the old module does, or others."""
        near = (*([source] if source is not None else ()), self.source)
        for file in (*near, *self._others()):
            for each in statements(file):
                known = bool(self.names.file_of(file.path, each.module))
                if (known and file in near) or (each.module.startswith(".") and (known or self.python)):
                    return each.module
        return ""

    def _others(self) -> Iterator[SourceFile]:
        """Files of scripts whose imports tell whether names of modules have endings here."""
        if not self.python:
            near = dict.fromkeys(path for path, _, _ in self.resolver.importers.get(self.source.path, ()))
            others = (path for path, language in sorted(self.resolver.world.languages.items()) if _is_script(language))
            yield from (self.sources.of(path) for path in (*near, *others) if self.sources.has(path))


def _is_script(language: str) -> bool:
    return family(language) == "javascript"
