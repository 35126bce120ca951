"""The file that is called after what it defines: it may follow a rename, with the imports that name it."""

import posixpath
import re
from collections.abc import Callable, Iterator, Mapping

from cairn.edit.gate.case import Case
from cairn.edit.gate.thing import TOP, Thing
from cairn.edit.source.files import SourceFiles
from cairn.edit.source.modulenames import ModuleNames
from cairn.edit.source.values import FILE_TOO, SYNTACTIC, Construct, EditChoice, Spot
from cairn.graph.customs import family
from cairn.graph.resolve import Resolver

_NAMED_IN_IMPORTS = ("javascript", "ruby")
"""Languages whose imports name files."""
_WORDS = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_SAME, _SNAKE = (lambda name: name), (lambda name: _WORDS.sub("_", name).lower())
_CUSTOMS: Mapping[str, Callable[[str], str]] = {
    **dict.fromkeys(("javascript", "java", "csharp", "kotlin", "scala", "swift", "php"), _SAME),
    "ruby": _SNAKE,
}
"""How a language calls the file of a type, or of what else stands at its top."""
_COMPILED = re.compile(r"\bpublic\b")
_TEXT = re.compile(rb"([\"'`])([^\"'`\n]{1,300})\1")


def following(resolver: Resolver, sources: SourceFiles, thing: Thing, new: str) -> EditChoice | None:
    """The choice to have the file follow; None where it is not called so, or the new name is taken."""
    path = thing.definitions[0].path
    folder, file = posixpath.split(path)
    stem, dot, ending = file.partition(".")
    called = family(thing.family)
    to = posixpath.join(folder, f"{_CUSTOMS[called](new)}{dot}{ending}") if called in _CUSTOMS else path
    if not _is_called_after(thing) or sources.has(to) or any(item.path != path for item in thing.definitions):
        return None
    imported = called in _NAMED_IN_IMPORTS
    if not imported and any(file.encode() in source.data for source in sources.holding(stem)):
        return None  # Whoever names the file, as a list of what is built, would miss it.
    spots = tuple(_naming(resolver, sources, path, to, stem)) if imported else ()
    return EditChoice(FILE_TOO, f"the file too: {path} becomes {to}", "medium", spots, {path: to})


def wanted(case: Case) -> Iterator[Construct]:
    """Java: a public type has to stand in a file of its name."""
    thing, first = case.thing, case.thing.definitions[0]
    if thing.family == "java" and _is_called_after(thing) and _COMPILED.search(first.symbol.signature):
        why = f"the language wants the file of {thing.name} to be called like it: take the file too"
        yield case.head(first, "file_name", why, first.symbol.signature)


def _is_called_after(thing: Thing) -> bool:
    stem = posixpath.basename(thing.definitions[0].path).partition(".")[0]
    custom = _CUSTOMS.get(family(thing.family))
    return thing.reach == TOP and custom is not None and stem == custom(thing.name)


def _naming(resolver: Resolver, sources: SourceFiles, path: str, to: str, stem: str) -> Iterator[Spot]:
    """Texts that name the file as a module: in imports and exports, `require`, mocks."""
    names = ModuleNames(resolver, sources, [to])
    for source in sources.holding(stem):
        if family(source.language) not in _NAMED_IN_IMPORTS:
            continue
        text = source.text
        for match in _TEXT.finditer(source.data):
            said = match[2].decode("utf-8", "replace")
            if (
                stem in said
                and ("/" in said or source.language == "ruby")
                and resolver.world.modules.resolve(source.language, source.path, said).paths == (path,)
            ):
                module = (
                    names.name_of(to, source.path, said, path) if source.language != "ruby" else _led(said, stem, to)
                )
                if module:
                    yield text.spot(source.path, *text.place(match.start(2)), said, SYNTACTIC, new=module)


def _led(said: str, stem: str, to: str) -> str:
    """Ruby: the same way to the file's new name."""
    before, _, after = said.rpartition(stem)
    return before + posixpath.basename(to).partition(".")[0] + after
