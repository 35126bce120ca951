"""How editors are told a line: each family has a custom of its own."""

import os
import shlex
import shutil
import sys
from collections.abc import Callable, Mapping, Sequence

from cairn.base.errors import UsageError

VARIABLES = ("VISUAL", "EDITOR")
_USUAL = ("sensible-editor", "editor", "vi", "nano")
"""What is tried where the user names none."""
_HINT = "Name your editor in VISUAL or EDITOR, for example `export EDITOR=nano`."
Custom = Callable[[str, int], list[str]]


def _plus(file: str, line: int) -> list[str]:
    return [f"+{line}", file]


def _goto(file: str, line: int) -> list[str]:
    return ["--goto", f"{file}:{line}"]


def _colon(file: str, line: int) -> list[str]:
    return [f"{file}:{line}"]


def _long(file: str, line: int) -> list[str]:
    return ["--line", str(line), file]


def _short(file: str, line: int) -> list[str]:
    return ["-l", str(line), file]


def _file_only(file: str, _line: int) -> list[str]:
    return [file]


_FAMILIES: Mapping[Custom, str] = {
    _plus: "vi vim nvim gvim mvim view vimx nvi ex vis neovide emacs emacsclient mg zile nano pico rnano kak micro joe "
    "jed ne mcedit gedit pluma xed bbedit sensible-editor",
    _goto: "code code-insiders code-oss codium vscodium cursor windsurf positron",
    _colon: "hx helix subl sublime_text zed zeditor lapce atom geany",
    _long: "idea pycharm webstorm goland clion phpstorm rubymine rider rustrover datagrip studio kate kwrite",
    _short: "mate",
}
_CUSTOMS = {name: custom for custom, names in _FAMILIES.items() for name in names.split()}


def command(words: Sequence[str], file: str, line: int | None) -> list[str]:
    """The command that opens a file at a line; an editor whose custom isn't known gets the file alone."""
    if file.startswith("-"):
        file = f"./{file}"
    return [*words, *([file] if line is None else _custom(words[0])(file, line))]


def knows_lines(words: Sequence[str]) -> bool:
    """Whether an editor can be told a line."""
    return _custom(words[0]) is not _file_only


def _custom(program: str) -> Custom:
    """By the program's name, or by that of what it is a link to: `editor`, `vim.basic`, `idea.sh`, `idea64`."""
    real = os.path.realpath(shutil.which(program) or program)
    for path in (program, real):
        name = os.path.basename(path).lower().partition(".")[0].removesuffix("64")
        if name in _CUSTOMS:
            return _CUSTOMS[name]
    return _file_only


def chosen(environ: Mapping[str, str], otherwise: str) -> list[str]:
    """The words of the user's editor; UsageError where there is none.

    One that the user didn't name runs in a terminal; where there is none, `otherwise` says what can be done without it.
    """
    for name in VARIABLES:
        text = environ.get(name, "").strip()
        if text:
            try:
                return shlex.split(text)
            except ValueError as error:
                raise UsageError(f"{name} can't be read: {text}.", hint=_HINT) from error
    found = next((program for program in _USUAL if shutil.which(program)), None)
    if found is None:
        raise UsageError("No editor is known.", hint=_HINT)
    if not all(stream is not None and stream.isatty() for stream in (sys.stdin, sys.stdout)):
        raise UsageError(f"There is no terminal that {found} could run in.", hint=f"{otherwise} {_HINT}")
    return [found]
