"""What a new name would collide with: looked for before anything is written, and rather once too often."""

from collections.abc import Callable, Iterable, Iterator

from cairn.edit.account import Source
from cairn.edit.group import Group
from cairn.edit.words import CODE, words_in
from cairn.semantic.contexts.families import family_of

_MODULES = ("/", ":")


def conflicts(
    group: Group,
    new: str,
    language: str,
    edited: frozenset[str],
    holding_new: Callable[[], Iterable[Source]],
) -> Iterator[str]:
    """Why something can't be called so; nothing when it can. `holding_new`: files that may hold the new name."""
    if group.symbol.endswith(_MODULES) and not group.home:
        yield f"{group.name} is a module: rename its file instead"
        return
    for symbol in group.outside:
        yield f"it overrides {symbol.rpartition(' ')[2]}, which is not in this tree"
    family = family_of(language)
    for source in holding_new():
        spoken = family_of(source.language)
        if spoken is None or spoken is not family:
            continue
        if group.home and source.path != group.home:
            continue
        for word in words_in(source.path, source.language, source.data, new):
            if word.kind != CODE:
                continue
            defines = word.use is not None and word.use.role == "definition" and not word.use.local
            if source.path in edited or (defines and group.member):
                yield f"{source.path}:{word.line} uses {new} already"
                break
