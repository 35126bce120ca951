"""Questions as commands: the parser is made from the declaration, and every command runs the same way."""

import argparse
import os
from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any

from cairn.base.errors import UsageError
from cairn.base.text import json_text, printable_lines
from cairn.base.values import dataclass
from cairn.questions.asking import values_of
from cairn.questions.narrowing import WITHIN, codebase_around
from cairn.questions.parameters import MOST_CHARS, Parameter, Values, helps_of, options_of
from cairn.questions.question import Question
from cairn.surfaces.cli.arguments import add_json, add_offline, add_path, add_store, words_and_paths
from cairn.surfaces.cli.console import current
from cairn.surfaces.cli.envelope import COLOURS, coloured, is_terminal
from cairn.surfaces.cli.here import as_opened, seen_from_here, with_both
from cairn.surfaces.cli.notes import spelling
from cairn.surfaces.cli.presented import OPEN
from cairn.surfaces.cli.text import say
from cairn.surfaces.cli.through import PIPED

if TYPE_CHECKING:
    from cairn.questions.asking import Answered

Fill = Callable[[argparse.ArgumentParser], None]
OPENED = ("search", "symbol", "refs")
"""Questions whose first answer may be opened at once."""
_FORMS = (
    "json",
    "json_lines",
    "count",
    "only_matching",
    "quiet",
    "heading",
    "no_heading",
    "dot",
    "mermaid",
    "plain",
    "names",
    "format",
)


def spell(parameter: Parameter) -> str:
    """How the command line spells a parameter."""
    return parameter.option


@dataclass(frozen=True, slots=True)
class Questions:
    """A module of commands for some questions."""

    questions: tuple[Question, ...]

    def add_to(self, commands: Any) -> None:
        """Add a parser for each command of each question."""
        for question in self.questions:
            named = {question.name: (question.summary, {})} if question.commands is None else question.commands
            for name, (summary, fixed) in named.items():
                add_command(commands, question, name, summary, fixed)


def add_command(
    commands: Any, question: Question, name: str, summary: str, fixed: Values, more: Fill | None = None
) -> None:
    """Add the parser of a command that asks a question; `more` adds what it can do besides."""
    first = "Brings the index up to date first." if question.creates else "What is indexed is brought up to date first."
    example = question.example
    if question.commands:
        example = example.replace(f"cairn {next(iter(question.commands))} ", f"cairn {name} ")
    parser = commands.add_parser(
        name,
        help=summary + ("; creates or updates the index first" if question.creates else ""),
        description=f"Show {summary}." + (f" {first}" if question.syncs else ""),
        epilog=f"Example: {example}" if example else None,
        allow_abbrev=False,
        # What a command adds may stand in the place of what all have: `-h` of grep is no help.
        conflict_handler="resolve" if more is not None else "error",
    )
    parser.intermixed = True
    parser.fill = partial(_fill, parser, question, fixed, more)


def _fill(parser: argparse.ArgumentParser, question: Question, fixed: Values, more: Fill | None) -> None:
    options, helps = options_of(question.parameters), helps_of(question.parameters)
    own = [each for each in question.parameters if each.flag is None]
    for parameter in own:
        _positional(parser, parameter)
    _add_subject(parser, question)
    for parameter in question.parameters:
        if parameter.flag is not None:
            _option(parser, parameter, options[parameter.name], helps[parameter.name], fixed)
    if question.pictures:
        parser.add_argument("--dot", action="store_true", help="print a graph for Graphviz")
        parser.add_argument("--mermaid", action="store_true", help="print a graph for Mermaid")
    if question.plain is not None and "plain" not in question.listings:
        parser.add_argument("--plain", action="store_true", help="print one compact text, the one that agents get")
    for name, text in question.listings.items():
        parser.add_argument(f"--{name}", action="store_true", help=text)
    if question.formats:
        how = f"print a report for a code host: {' or '.join(question.formats)}"
        parser.add_argument("--format", choices=tuple(question.formats), help=how)
    if question.name in OPENED:
        parser.add_argument(OPEN, action="store_true", help="open the first of them in your editor ($VISUAL, $EDITOR)")
    if question.syncs:
        parser.add_argument("--no-sync", action="store_true", help="only read: ask the snapshot as it is")
    if question.subject != "home":
        parser.add_argument("--from-root", action="store_true", help="print paths from the root of the codebase")
        parser.add_argument(
            "--color",
            choices=COLOURS,
            default=COLOURS[0],
            help="when to use colours; auto means on a terminal (default auto)",
        )
    add_offline(parser)
    add_json(parser)
    parser.set_defaults(run=partial(run, question, fixed))
    if more is not None:
        more(parser)


def _add_subject(parser: argparse.ArgumentParser, question: Question) -> None:
    if question.subject == "home":
        return
    if question.subject in ("codebase", "several") and not _narrows(question):
        add_path(parser)
    else:
        add_store(parser)
    # None tells a path that was named from one that wasn't.
    parser.set_defaults(path=None)
    if question.subject == "several":
        parser.add_argument(
            "--root", dest="roots", action="append", default=[], metavar="PATH", help="a codebase to ask (repeatable)"
        )
        parser.add_argument("--all", action="store_true", help="ask every codebase that is indexed")
    if question.subject == "changes":
        parser.add_argument("--root", metavar="PATH", default=None, help="the codebase (default: that of the files)")


def _positional(parser: argparse.ArgumentParser, parameter: Parameter) -> None:
    how: dict[str, Any] = {"metavar": parameter.metavar or parameter.name.upper(), "help": parameter.help}
    if parameter.kind == "strings" or not parameter.required:
        how["nargs"] = "*" if parameter.kind == "strings" or parameter.in_words else "?"
    # The declaration says what is missing, in the words of every door; the help still shows it as needed.
    parser.add_argument(f"given_{parameter.name}", **how).required = False


def _option(parser: argparse.ArgumentParser, parameter: Parameter, option: str, text: str, fixed: Values) -> None:
    dest = f"given_{parameter.name}"
    for flag, value, said in parameter.switches:
        parser.add_argument(flag, dest=dest, action="store_const", const=value, help=said)
    if parameter.switches or parameter.name in fixed:
        return
    names = [parameter.short] * bool(parameter.short) + [option]
    if parameter.kind == "boolean":
        parser.add_argument(*names, dest=dest, action="store_true", default=None, help=text)
        return
    how: dict[str, Any] = {"dest": dest, "default": None, "help": text}
    if parameter.kind == "strings":
        how |= {"action": "append", "help": f"{text} (repeatable)"}
    # What is allowed is checked by the declaration: only the help lists it here.
    listed = f"{{{','.join(parameter.choices)}}}" if parameter.choices else parameter.name.upper()
    how["metavar"] = parameter.metavar or listed
    parser.add_argument(*names, **how)


def run(question: Question, fixed: Values, options: argparse.Namespace) -> int:
    """Check what was typed, ask, and show the answer as it is wanted."""
    from cairn.surfaces.cli.numbers import keep_places
    from cairn.surfaces.cli.views import shown

    wanted = [name for name in _FORMS if getattr(options, name, False)]
    if len(wanted) > 1:
        one, other = (f"--{name.replace('_', '-')}" for name in wanted[:2])
        raise UsageError(f"{one} and {other} exclude each other.", hint="Leave one of them out.")
    opens = getattr(options, "open", False)
    if opens and wanted:
        raise UsageError(f"--open and --{wanted[0]} exclude each other.", hint="Leave one of them out.")
    current().places.clear()
    answered = answer(question, fixed, options)
    with seen_from_here(root_of(answered, options)), coloured(getattr(options, "color", COLOURS[0])):
        if options.json:
            say(json_text(with_both(answered.document(spelling(question, json=True)))))
        elif wanted == ["format"]:
            say(question.formats[options.format](answered.document(spelling(question))))
        elif wanted == ["plain"] and "plain" not in question.listings:
            _say_plain(question, answered)
        else:
            shown(answered, wanted[0] if wanted else "text")
            keep_places(lambda: answered.root, opens=opens)
    return int(answered.answer.exit_code)


def root_of(answered: "Answered", options: argparse.Namespace) -> str | None:
    """The root that paths of an answer are counted from; None where they are to be shown so."""
    found = answered.answer
    if getattr(options, "from_root", True) or found.codebases or found.snapshot is None:
        return None
    return str(found.root or found.snapshot.canonical_root)


def _say_plain(question: Question, answered: "Answered") -> None:
    document = as_opened(answered.document(spelling(question)))
    assert question.plain is not None
    text = question.plain(document, answered.values).text()
    say(printable_lines(text) if is_terminal() else text)
    for sentence in document["warnings"]:
        say(f"warning: {sentence}", error=True)


def answer(question: Question, fixed: Values, options: argparse.Namespace) -> "Answered":
    """Check what was typed, and ask."""
    return answer_to(question, typed(question, fixed, options), options)


def answer_to(question: Question, values: Values, options: argparse.Namespace) -> "Answered":
    """Ask for what was typed and checked."""
    from cairn.questions.asking import ask

    where = _where(question, values, options)
    sync = question.syncs and not options.no_sync
    return ask(question, values, current(), where, sync=sync, offline=options.offline)


def typed(question: Question, fixed: Values, options: argparse.Namespace) -> Values:
    """What was typed, checked; UsageError for what makes no sense."""
    for each in question.parameters:
        if each.form is not None:
            _tell_from_path(each, options)
        elif each.in_words:
            _tell_words_from_paths(question, each, options)
    given = {
        each.name: each.meant(value) if isinstance(value, str) else value
        for each in question.parameters
        if (value := getattr(options, f"given_{each.name}", None)) not in (None, [])
    }
    return values_of(question, _as_piped(question, fixed | given), spell, sized=False)


def _as_piped(question: Question, given: Values) -> Values:
    """What was given, with the text of standard input in the place of words that are `-`.

    Where a text is looked for as it stands, `-` is one.
    """
    name = next((each.name for each in question.parameters if each.in_words and given.get(each.name) == PIPED), None)
    if name is None or (question.single is not None and question.single(given)):
        return given
    # A character takes four bytes at most: the declaration tells of more characters than it takes.
    text = current().given(4 * MOST_CHARS + 4).decode("utf-8-sig", "replace")
    if not text.strip():
        raise UsageError("Standard input is empty.", hint="Pipe the text into the command, or redirect a file to it.")
    return given | {name: text}


def _tell_from_path(parameter: Parameter, options: argparse.Namespace) -> None:
    """A value and a path may stand in any order, since the value has a form of its own.

    A bare word that names nothing here was meant as a value: what is wrong with it is told as that of a value.
    """
    dest = f"given_{parameter.name}"
    words = [word for word in (getattr(options, dest), options.path) if word is not None]
    own = [word for word in words if parameter.form is not None and parameter.form(word)]
    own = own or [word for word in words if "/" not in word and not os.path.lexists(current().at(word))]
    paths = [word for word in words if word not in own]
    if len(own) > 1 or len(paths) > 1:
        raise UsageError(f"More than one {parameter.name} or path is named.", hint="Name one of each.")
    setattr(options, dest, next(iter(own), None))
    options.path = next(iter(paths), None)


def _tell_words_from_paths(question: Question, parameter: Parameter, options: argparse.Namespace) -> None:
    """Words without quotes are one query, and what follows them are paths; see `words_and_paths`.

    Where a place is asked by, there is no query beside it: all are paths.
    """
    dest, paths = f"given_{parameter.name}", f"given_{WITHIN}"
    words = [*getattr(options, dest), *getattr(options, paths)]
    here = current()
    query, within = words_and_paths(words, lambda word: os.path.lexists(here.at(word)))
    if getattr(options, "given_related", None) is not None:
        query, within = [], words
    setattr(options, dest, " ".join(query) if query else None)
    setattr(options, paths, within)


def _narrows(question: Question) -> bool:
    """Whether the answer keeps to the paths that are named."""
    return any(each.name == WITHIN for each in question.parameters)


def _where(question: Question, values: Values, options: argparse.Namespace) -> Any:
    from cairn.questions.asking import Where, folder_of
    from cairn.questions.narrowing import folder_around

    shared: str | None = getattr(options, "shared_store", None)
    if question.subject == "several":
        return _one_or_several(question, values, options, shared)
    if question.subject == "codebase":
        within = values.get(WITHIN)
        is_now = values.get("at") is None
        return Where(folder_around(within, current(), now=is_now) if within else path_of(options), shared_store=shared)
    if question.subject == "home":
        return Where()
    named = _files(question, values)
    root = getattr(options, "root", None)
    if root is None:
        is_folder = question.subject == "changes" and named and os.path.isdir(current().at(named[0]))
        around = folder_around(named[:1], current()) if is_folder else None
        root = around or (folder_of(named[0], current()) if named else codebase_around(current()))
    return Where(root, shared_store=shared)


def _one_or_several(question: Question, values: Values, options: argparse.Namespace, shared: str | None) -> Any:
    from cairn.questions.asking import Where
    from cairn.questions.narrowing import folder_around

    if values[WITHIN] and (options.roots or options.all):
        raise UsageError("A path stands beside --root or --all.", hint="Name every codebase with --root.")
    if options.roots and options.all:
        raise UsageError("--root and --all exclude each other.", hint="Use --all alone to ask every codebase.")
    is_now = values.get("at") is None
    path = folder_around(values[WITHIN], current(), now=is_now) if values[WITHIN] else codebase_around(current())
    where = Where(path, tuple(options.roots), options.all, shared)
    if where.is_several and (name := question.only_one(values)):
        raise UsageError(
            f"{question.parameter(name).option} asks one codebase.", hint="Name one with --root or as PATH."
        )
    return where


def path_of(options: argparse.Namespace) -> str:
    """The folder that was named; the codebase that the user stands in if none was."""
    return codebase_around(current()) if options.path is None else str(options.path)


def _files(question: Question, values: Values) -> list[str]:
    """The files that a question is about, as they were typed."""
    from cairn.graph.targets import place_of

    found: list[str] = []
    for each in question.parameters:
        value = values[each.name]
        if not each.is_path or value is None:
            continue
        for text in (value,) if isinstance(value, str) else value:
            place = place_of(text) if each.name == "place" else None
            found.append(text if place is None else place.path)
    return found
