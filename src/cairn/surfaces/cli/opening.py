"""`cairn open`: a place in the user's editor, by its number in the last list, by its path or by a name."""

import argparse
import os
import re
import subprocess
from typing import Any

from cairn.base.environment import child_environment
from cairn.base.errors import ExitCode, RefusedError, UsageError
from cairn.base.notes import NAMES_LIKE
from cairn.base.text import json_text, plural, printable
from cairn.base.values import dataclass
from cairn.config.user import cairn_home
from cairn.surfaces.cli import editors, lastlist
from cairn.surfaces.cli.arguments import add_json
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.here import seen_from
from cairn.surfaces.cli.moved import line_now
from cairn.surfaces.cli.numbers import keep_places, numbered
from cairn.surfaces.cli.text import say

_PLACE = re.compile(r"(?P<path>.+?)(?::(?P<line>[0-9]{1,9}))?(?::[0-9]*)?:?")
"""As compilers and greps write it: the column, and a colon behind it all, are left aside."""
_MANY = 20


@dataclass(frozen=True, slots=True)
class EditorTarget:
    """What is opened: a file, and a line where one is meant."""

    path: str
    line: int | None = None
    note: str = ""
    """What to know of the line."""


def add_to(commands: Any) -> None:
    """Add the command `open`."""
    parser = commands.add_parser(
        "open",
        help="open a result in your editor: by its number in the last list, by FILE:LINE or by a name",
        description="Open a place in your editor ($VISUAL, $EDITOR), at its line. A number means the last list that "
        "was shown in this terminal; FILE or FILE:LINE a file; anything else the definition of that name.",
        epilog="Example: cairn open 3",
        allow_abbrev=False,
    )
    parser.add_argument(
        "what", nargs="?", default="1", metavar="WHAT", help="a number (default 1), FILE:LINE or a name"
    )
    parser.add_argument("--print", action="store_true", dest="only_print", help="print the place and open nothing")
    add_json(parser)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Find what is meant and open it; the exit code."""
    target = _meant(options.what)
    if target is None:
        return ExitCode.REFUSED
    if options.json:
        say(json_text({"path": os.path.abspath(target.path), "line": target.line, "note": target.note or None}))
        return ExitCode.OK
    if options.only_print:
        say(printable(target.path) + (f":{target.line}" if target.line is not None else ""))
        if target.note:
            say(f"note: {target.note}", error=True)
        return ExitCode.OK
    return open_target(target)


def open_target(target: EditorTarget) -> int:
    """Open a place in the user's editor, and wait for it."""
    words = editors.chosen(os.environ, "`cairn open --print` prints the place.")
    if target.note:
        say(f"note: {target.note}", error=True)
    if target.line is not None and not editors.knows_lines(words):
        say(f"note: Cairn can't tell {printable(words[0])} which line to show: it is line {target.line}", error=True)
    command = editors.command(words, target.path, target.line)
    try:
        code = subprocess.run(command, env=child_environment(()), check=False).returncode
    except OSError as error:
        raise UsageError(
            f"The editor {words[0]} can't be started: {error.strerror}.", hint="Correct VISUAL or EDITOR."
        ) from error
    if code != 0:
        raise RefusedError(f"The editor {words[0]} ended with {code}.", hint="See what it said above.")
    return ExitCode.OK


def _meant(what: str) -> EditorTarget | None:
    """What is to be opened; None where several things have the name, which are listed instead."""
    if what.isdecimal():
        # With --open it is the list of this very process.
        shown = next(iter(lastlist.shown_here), None) or lastlist.last(cairn_home(), os.path.realpath("."))
        if shown is None:
            raise UsageError(
                "No list was shown in this terminal yet.", hint="Ask something first, for example `cairn search parse`."
            )
        return _of_list(shown, int(what))
    place = _PLACE.fullmatch(what)
    for path, line in ((what, None), (place["path"], place["line"]) if place is not None else (what, None)):
        if os.path.isfile(path):
            return EditorTarget(path, int(line) if line is not None else None)
    if os.path.isdir(what):
        raise UsageError(f"{what} is a folder.", hint="Name a file in it.")
    return _by_name(what)


def _of_list(shown: "lastlist.Shown", number: int) -> EditorTarget:
    places = shown["places"]
    if not 1 <= number <= len(places):
        raise UsageError(
            f"The last list has {plural(len(places), 'place')}, and no number {number}.",
            hint="Ask again to see them, or name a number of the list.",
        )
    path, line, text = places[number - 1]
    file = from_here(shown["root"], path)
    try:
        now = line_now(file, line, text)
    except OSError as error:
        raise UsageError(f"{file} can't be read any more: {error.strerror}.", hint="Ask again.") from error
    if now is None:
        return EditorTarget(file, line, f"the file has changed, and what was on line {line} is no longer in it")
    return EditorTarget(file, now, f"the file has changed: line {line} is line {now} now" if now != line else "")


def from_here(root: str, path: str) -> str:
    """A path of a codebase as one would type it, and as answers show it."""
    return seen_from(os.path.realpath("."), root, path)


def _by_name(name: str) -> EditorTarget | None:
    document = _definitions(name)
    found = [(from_here(document["root"], each["path"]), each["line"]) for each in document["results"]]
    if not found:
        like = next((each["names"] for each in document["notices"] if each["code"] == NAMES_LIKE), ())
        raise UsageError(
            f"{name} is neither a number nor a file, and nothing is called that here.",
            hint=f"Did you mean {' or '.join(like)}?" if like else f"Run `cairn search {name}` to see what is near.",
        )
    if len(found) == 1:
        return EditorTarget(*found[0])
    current().places.clear()
    for each in document["results"][:_MANY]:
        path = os.path.join(document["root"], each["path"])
        place = f"{printable(from_here(document['root'], each['path']))}:{each['line']}"
        say(f"{numbered(path, each['line'], each['name'])}{place}  {each['kind']}")
    keep_places(lambda: str(document["root"]), opens=True)
    say(f"{plural(len(found), 'definition')} of {printable(name)}: `cairn open 2` opens the second", error=True)
    return None


def _definitions(name: str) -> dict[str, Any]:
    """The document of `cairn symbol NAME`, from the daemon where one listens."""
    from cairn.surfaces.cli.through import document

    found = document(["symbol", "--json", "--", name])
    if found is not None:
        return found
    from cairn.questions.asking import Where, ask, values_of
    from cairn.questions.code import SYMBOL

    return ask(SYMBOL, values_of(SYMBOL, {"name": name}), current(), Where()).document()
