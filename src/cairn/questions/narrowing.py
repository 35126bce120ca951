"""The part of a codebase that an answer keeps to: folders and files, named from where whoever asks stands."""

import os
from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol

from cairn.base.errors import RootNotFoundError, UsageError
from cairn.questions.parameters import Parameter, Values

if TYPE_CHECKING:
    from cairn.base.notes import Note
    from cairn.codebase.codebase import Codebase

WITHIN = "within"
_THERE = "Name a folder or a file that is there. Quotes around the words of a search keep them together."


class AsksFrom(Protocol):
    """Where whoever asks stands."""

    def at(self, path: str) -> str:
        """A path as it is meant from there."""
        ...


def within_of() -> Parameter:
    """The folders and files that an answer keeps to."""
    return Parameter(
        WITHIN, "strings", "only these files, and what lies in these folders", flag=None, metavar="PATH", in_tools=False
    )


def within_meant(values: Values, codebase: "Codebase", standing: AsksFrom) -> tuple[str, ...]:
    """The keys of what was named, from the root on; none where the root itself is among them."""
    if not values.get(WITHIN):
        return ()
    from cairn.workspace.pathkey import path_key

    root = codebase.root.path
    found: dict[str, None] = {}
    for name in values[WITHIN]:
        place = standing.at(name)
        inside = codebase.naming.inside(place)
        if inside is None:
            raise _missing(name, place)
        if inside.split("/")[0] == "..":
            raise _outside(name, root)
        found["" if inside == "." else path_key(inside)] = None
    return () if "" in found else tuple(found)


def why_empty(codebase: "Codebase", within: Sequence[str]) -> "tuple[Note, ...]":
    """Of the places that an answer without a finding keeps to, those that the index has nothing of, and why."""
    from cairn.workspace.leftout import left_out
    from cairn.workspace.wildmatch import within_matcher

    with codebase.view() as view:
        known = [path for path, _ in view.rows.languages()]
    unknown = [place for place in within if not any(map(within_matcher((place,)), known))]
    return left_out(codebase.root, unknown) if unknown else ()


def folder_around(names: Sequence[str], standing: AsksFrom, *, now: bool = True) -> str:
    """A folder of the codebase that paths lie in: git's or a tracked one around the first of them, else its own.

    An error where one of them isn't there `now` or lies elsewhere: before anything is indexed for it.
    """
    from cairn.config.user import cairn_home
    from cairn.lifecycle.registry import Registry
    from cairn.lifecycle.roots import effective_root

    places = [standing.at(name) for name in names]
    for name, place in zip(names, places, strict=True):
        if now and not os.path.exists(place):
            raise _missing(name, place)
    folder = os.path.realpath(places[0])
    while not os.path.isdir(folder):
        folder = os.path.dirname(folder)
    top = git_top(folder)
    if top is None:
        return effective_root(folder, Registry(cairn_home()).roots()) or folder
    for name, place in zip(names, places, strict=True):
        if os.path.commonpath((top, os.path.realpath(place))) != top:
            raise _outside(name, top)
    return folder


def codebase_around(standing: AsksFrom) -> str:
    """The folder of the codebase that the user stands in: where git knows none, a tracked one around is meant."""
    from cairn.config.user import cairn_home
    from cairn.lifecycle.registry import Registry
    from cairn.lifecycle.roots import effective_root

    here = os.path.realpath(standing.at("."))
    return "." if git_top(here) else effective_root(here, Registry(cairn_home()).roots()) or "."


def _missing(name: str, place: str) -> RootNotFoundError:
    from cairn.workspace.meant import path_meant
    from cairn.workspace.pathkey import quoted

    near = path_meant(name, place)
    hint = f"Did you mean {quoted(near)}?" if near else _THERE
    return RootNotFoundError(f"The path {quoted(name)} doesn't exist.", hint=hint)


def _outside(name: str, root: str) -> UsageError:
    from cairn.workspace.pathkey import quoted

    return UsageError(
        f"{quoted(name)} lies outside of the codebase {quoted(root)}.",
        hint="Name paths of one codebase, or run the command once for each.",
    )


def git_top(folder: str) -> str | None:
    """The root of the work tree of git that a folder lies in; None where there is none."""
    while not os.path.lexists(os.path.join(folder, ".git")):
        if folder == os.path.dirname(folder):
            return None
        folder = os.path.dirname(folder)
    return folder
