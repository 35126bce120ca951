"""The file that is called after what it defines: it may follow a rename, with the imports that name it."""

import posixpath
import re
from collections.abc import Iterator

from cairn.edit.gate.thing import TOP, Thing
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.modulenames import ModuleNames
from cairn.edit.source.texts import FileText
from cairn.edit.source.values import FILE_TOO, SYNTACTIC, EditChoice, Spot
from cairn.graph.customs import family
from cairn.graph.resolve import Resolver

_FAMILIES = ("javascript",)
"""Languages whose custom it is and whose imports name files."""
_TEXT = re.compile(rb"([\"'`])([^\"'`\n]{1,300})\1")


def following(resolver: Resolver, sources: SourceFiles, thing: Thing, new: str) -> EditChoice | None:
    """The choice to have the file follow; None where it is not called so, or the new name is taken."""
    path = thing.definitions[0].path
    folder, file = posixpath.split(path)
    stem, dot, ending = file.partition(".")
    named = thing.reach == TOP and family(thing.family) in _FAMILIES and stem == thing.name
    to = posixpath.join(folder, f"{new}{dot}{ending}")
    if not named or sources.has(to) or any(item.path != path for item in thing.definitions):
        return None
    spots = tuple(_naming(resolver, sources, path, to, stem))
    return EditChoice(FILE_TOO, f"the file too: {path} becomes {to}", "medium", spots, {path: to})


def _naming(resolver: Resolver, sources: SourceFiles, path: str, to: str, stem: str) -> Iterator[Spot]:
    """Texts that name the file as a module: in imports and exports, `require`, mocks."""
    names = ModuleNames(resolver, sources, [to])
    for source in sources.holding(stem):
        if family(source.language) not in _FAMILIES:
            continue
        text = FileText(source.data)
        for match in _TEXT.finditer(source.data):
            said = match[2].decode("utf-8", "replace")
            if (
                stem in said
                and "/" in said
                and resolver.world.modules.resolve(source.language, source.path, said).paths == (path,)
            ):
                module = names.name_of(to, source.path, said, path)
                if module:
                    yield text.spot(source.path, *text.place(match.start(2)), said, SYNTACTIC, new=module)
