"""The man page of `cairn`, made from the commands as they are declared."""

import argparse

from cairn import __version__
from cairn.surfaces.cli.parser import Parser


def manual(parser: Parser) -> str:
    """The page in the language of man(7)."""
    lines = [f'.TH CAIRN 1 "" "cairn {__version__}" "User Commands"', ".SH NAME", r"cairn \- a code index"]
    lines += [".SH SYNOPSIS", ".B cairn", "[COMMAND] [OPTIONS]", ".SH DESCRIPTION", _text(parser.description or "")]
    lines += ["Without a command it tells where one stands and what to do next.", ".SH COMMANDS"]
    below = next(action for action in parser._actions if isinstance(action, argparse._SubParsersAction))
    for title, actions in parser.groups:
        lines.append(f".SS {_text(title)}")
        for action in actions:
            lines += _command(below.choices[action.dest], action.help or "")
    lines += [".SH FILES", ".TP", r"\fI~/.cairn/config.toml\fR", "your own settings: see cairn config"]
    lines += [".TP", r"\fI.cairn.toml\fR", "settings of a codebase"]
    return "\n".join(lines) + "\n"


def _command(parser: Parser, text: str) -> list[str]:
    parser.complete()
    lines = [".TP", rf"\fB{_text(parser.prog)}\fR", _text(text) + "."]
    options = [action for action in parser._actions if action.option_strings and action.help != argparse.SUPPRESS]
    if options:
        lines.append(".RS")
        for action in options:
            value = f" {action.metavar or action.dest.upper()}" if action.nargs != 0 else ""
            lines += [
                ".TP",
                rf"\fB{_text(', '.join(action.option_strings))}\fR{_text(value)}",
                _text(action.help or ""),
            ]
        lines.append(".RE")
    if parser.epilog:
        lines += [".IP", _text(parser.epilog)]
    return lines


def _text(text: str) -> str:
    """A text in which nothing is taken for a request or an escape."""
    safe = text.replace("%%", "%").replace("\\", r"\e").replace("-", r"\-")
    return rf"\&{safe}" if safe.startswith((".", "'")) else safe
