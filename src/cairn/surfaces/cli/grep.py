"""`cairn search`, and `cairn grep` for those who type `grep` or `rg`: the same question, asked for lines alone."""

import argparse
import re
from typing import Any

from cairn.base import lazy
from cairn.base.errors import ExitCode, UsageError
from cairn.base.values import replace
from cairn.questions.parameters import Parameter, Values
from cairn.questions.search import SEARCH, lines_alone
from cairn.surfaces.cli.asked import add_command, run
from cairn.surfaces.cli.envelope import named
from cairn.surfaces.cli.text import say

_ALL_LINES = 1 << 30
_TAKEN = frozenset(
    (
        "query within at limit languages paths literal ignore_case word invert files_only max_count after before sort"
    ).split()
)
"""What `grep` takes of the question's parameters."""
_AS_RG: dict[str, dict[str, Any]] = {
    "query": {
        "help": "a regular expression in Python's syntax",
        "metavar": "PATTERN",
        "required": True,
        "in_words": False,
    },
    "within": {"help": "only these files, and what lies in these folders (default: the working folder)"},
    "limit": {"help": "how many lines (default: all)", "least": 1, "most": None, "most_with": None},
    "languages": {"flag": "--type", "short": "-t"},
    "paths": {"flag": "--glob", "short": "-g"},
    "literal": {"flag": "--fixed-strings", "short": "-F", "help": "PATTERN is plain text, not an expression"},
    "ignore_case": {"help": "ignore case"},
    "after": {"most": None},
    "before": {"most": None},
    "files_only": {"flag": "--files-with-matches", "help": "only the names of files with such lines"},
}
"""How they are called there, and what they are, where that differs."""
_PATTERN = "-e"
_AS_ALWAYS = (
    ("-n", "--line-number"),
    ("-H", "--with-filename"),
    ("-r", "--recursive"),
    ("-E", "--extended-regexp"),
    ("-I", "--no-binary"),
    ("-s", "--no-messages"),
    ("--hidden",),
)
"""What others have options for and happens here anyway."""
_NOT_HERE = {
    ("-L", "--files-without-match"): "`git grep -L` lists the files in which no line matches.",
    (
        "-P",
        "--pcre2",
        "--perl-regexp",
    ): "The expressions are Python's, which have most of it: leave -P out, or ask `rg -P`.",
    ("-a", "--text"): "What is binary isn't in the index: `rg -a` looks there.",
    ("-f", "--file"): "Give each pattern with an -e of its own, or ask `rg -f`.",
    ("-u", "--unrestricted", "--no-ignore"): "What is ignored isn't in the index: `rg -u` looks there.",
    ("-U", "--multiline"): "A match lies within one line: look for the part that stands in one.",
    ("-z", "--search-zip"): "What is compressed isn't in the index: `rg -z` looks there.",
}
"""What others have and nothing here does, and what to do instead."""
_ESCAPED = lazy.expression(r"\\.")
_SUMMARY = "every line that matches, as grep and rg show them"


def _as_rg(parameter: Parameter) -> Parameter:
    return replace(parameter, **_AS_RG.get(parameter.name, {}))


_OWN = {each.name: each for each in lines_alone("")}
GREP = replace(
    SEARCH,
    parameters=tuple(_as_rg(_OWN.get(each.name, each)) for each in SEARCH.parameters),
    subject="codebase",
    plain=None,
    example="cairn grep -w -C 2 'def \\w+_config' src/ tests/. PATTERN is the first argument, all others are PATHs. "
    "Exits 0 where a line is found, and 1 where none is",
)
_FIXED: Values = {each.name: None for each in SEARCH.parameters if each.name not in _TAKEN} | {"whole": True}


def add_to(commands: Any) -> None:
    """Add both commands."""
    add_command(commands, SEARCH, SEARCH.name, SEARCH.summary, {}, _add_forms)
    add_command(commands, GREP, "grep", _SUMMARY, _FIXED, _add_grep)


def _add_forms(parser: argparse.ArgumentParser, of: str = "of lines: ") -> None:
    """What the command line has for lines beyond the question: other forms of the same answer."""
    parser.add_argument("-c", "--count", dest="count", action="store_true", help=f"{of}how many there are in each file")
    parser.add_argument("-C", "--context", metavar="N", help=f"{of}so many lines before and after each")
    parser.add_argument(
        "--json-lines", action="store_true", help=f"{of}one JSON object per line, as `rg --json` prints"
    )
    parser.set_defaults(run=search)


def _add_grep(parser: Any) -> None:
    _add_forms(parser, "")
    parser.add_argument(
        _PATTERN,
        "--regexp",
        dest="patterns",
        action="append",
        metavar="PATTERN",
        help="a pattern, in place of the first argument (repeatable)",
    )
    parser.attached = (_PATTERN,)
    parser.add_argument("-o", "--only-matching", action="store_true", help="only what matches, each on its own line")
    parser.add_argument("-x", "--line-regexp", action="store_true", help="only lines that match as a whole")
    for name, sign, what in (("--include", "", "only these files"), ("--exclude", "!", "none of these files")):
        parser.add_argument(
            name,
            *((f"{name}-dir",) if sign else ()),
            dest="given_paths",
            action="append",
            type=lambda glob, sign=sign: f"{sign}{glob}",
            metavar="GLOB",
            help=f"{what}, as `-g '{sign}GLOB'`",
        )
    parser.add_argument("-S", "--smart-case", action="store_true", help="ignore case unless PATTERN has a capital")
    parser.numbered = "-C"
    parser.add_argument("-h", "--no-filename", action="store_true", help="lines without the names of their files")
    parser.set_defaults(help=parser.format_help)
    for names in _NOT_HERE:
        parser.add_argument(*names, dest="not_here", action="append_const", const=names, help=argparse.SUPPRESS)
    for names in _AS_ALWAYS:
        parser.add_argument(*names, action="store_true", help="accepted, but changes nothing")
    parser.add_argument("-q", "--quiet", action="store_true", help="print nothing: the exit code tells")
    parser.add_argument("--heading", action="store_true", help="a file's name above its lines, as on a terminal")
    parser.add_argument("--no-heading", action="store_true", help="a file's name before each line, as in a pipe")
    parser.set_defaults(run=grep)


def search(options: argparse.Namespace) -> int:
    """Ask for places or for lines; the exit code."""
    if options.given_literal or options.given_regex:
        _take_forms(options)
    elif options.count or options.json_lines or options.context is not None:
        name = "-c" if options.count else "--json-lines" if options.json_lines else "-C"
        raise UsageError(f"{name} belongs to --literal or --regex.", hint="`cairn grep` looks for lines.")
    return run(SEARCH, {}, options)


def grep(options: argparse.Namespace) -> int:
    """Ask for lines; the exit code."""
    if options.not_here:
        names = options.not_here[0]
        raise UsageError(f"grep has no option {' or '.join(names)} here.", hint=_NOT_HERE[names])
    if options.no_filename and options.given_query is None and not options.patterns:
        say(options.help().rstrip("\n"))
        return ExitCode.OK
    if options.only_matching and options.given_invert:
        raise UsageError("-o and -v exclude each other.", hint="Leave one of them out.")
    _take_forms(options)
    _take_patterns(options)
    if options.given_max_count == "0" and not options.json:
        return ExitCode.NOTHING
    options.given_within = options.given_within or ["."]
    options.given_limit = options.given_limit or str(_ALL_LINES)
    fixed = _FIXED | {"regex": not options.given_literal, "all_matches": getattr(options, "given_all_matches", None)}
    with named(not options.no_filename):
        return run(GREP, fixed, options)


def _take_patterns(options: argparse.Namespace) -> None:
    """Patterns of options, any of which may match: then all other arguments are paths."""
    if options.patterns:
        first = [options.given_query] if options.given_query is not None else []
        options.given_within = [*first, *(options.given_within or ())]
        patterns = options.patterns
        if options.given_literal and len(patterns) > 1:
            patterns, options.given_literal = map(re.escape, patterns), None
        options.given_query = "|".join(patterns)
    if options.line_regexp and options.given_query is not None:
        whole = re.escape(options.given_query) if options.given_literal else options.given_query
        options.given_query, options.given_literal = f"^(?:{whole})$", None
    if options.given_query == "":
        # As with all others: every line has nothing in it.
        options.given_query, options.given_literal = "^", None
    if options.smart_case:
        pattern = options.given_query or ""
        plain = pattern if options.given_literal else _ESCAPED.sub("", pattern)
        options.given_ignore_case = options.given_ignore_case or plain == plain.lower() or None


def _take_forms(options: argparse.Namespace) -> None:
    """Options of the command line, as the parameters that they stand for."""
    for name in ("given_before", "given_after"):
        if options.context is not None and getattr(options, name) is None:
            setattr(options, name, options.context)
    if options.count:
        if options.given_files_only:
            raise UsageError("-c and -l exclude each other.", hint="Leave one of them out.")
        options.given_files_only = True
    if options.json_lines or options.color == "always" or getattr(options, "only_matching", False):
        options.given_all_matches = True
