"""What commands that edit share: the options that answer a question, a plan in words, and what comes next."""

import argparse
import shlex
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, Any

from cairn.base.text import plural, printable
from cairn.codebase import goingon
from cairn.edit.source.values import DOCS_TOO
from cairn.questions.choosing import DIFF, EXCEPT, ONLY, TAKE
from cairn.surfaces.cli.text import say

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.codebase.goingon import GoOn

_SHOWN = 20
_KINDS = 3
"""Constructs of a kind that are shown where there are many."""
Document = dict[str, Any]


def add_choosing(parser: argparse.ArgumentParser) -> None:
    """The options by which a user answers what an edit asks; whoever answers has it written, unless with `--diff`."""
    parser.add_argument("--take", metavar=TAKE.metavar, default="", help=f"write what is open too: {TAKE.help}")
    for each, name in ((ONLY, "only"), (EXCEPT, "excluded")):
        how: dict[str, Any] = {"nargs": "+", "action": "extend", "default": [], "metavar": each.metavar}
        parser.add_argument(each.option, dest=name, help=f"write {each.help}", **how)
    parser.add_argument("--diff", action="store_true", help=f"only {DIFF.help}, whatever is taken")


def is_chosen(options: argparse.Namespace) -> bool:
    """Whether the user has said what to take."""
    return bool(options.take or options.only or options.excluded)


def choosing_of(options: argparse.Namespace, codebase: "Codebase") -> dict[str, Any]:
    """What the user takes, as the keywords of `plan` and `decide`: places are from the root on."""
    from cairn.graph.targets import place_of
    from cairn.questions.asking import place_meant, target_meant
    from cairn.questions.question import Asked
    from cairn.surfaces.cli.console import current

    asked = Asked(codebase, current())

    def meant(place: str) -> str:
        return place_meant(place, asked) if place_of(place) is None else target_meant(place, asked)

    return {"take": options.take, "only": [*map(meant, options.only)], "except_": [*map(meant, options.excluded)]}


def commands(typed: Sequence[str], to: int | None = None) -> "Callable[[GoOn], str]":
    """How this door says what comes next. `typed` are the words of the command, as `cairn rename PLACE NEW`, and `to`
    says which of them is the new name, where there is one."""

    def word(step: "GoOn") -> str:
        if step.do == goingon.APPLY:
            return shlex.join([*typed[:2], "--apply", step.value])
        if step.do == goingon.TAKE:
            return shlex.join([*typed, "--take", step.value])
        if step.do == goingon.ANOTHER_NAME and to is not None:
            return shlex.join([*typed[:to], "ANOTHER_NAME", *typed[to + 1 :]])
        fixed = {
            goingon.USES: ["cairn", "refs", step.value],
            goingon.DEFINITIONS: ["cairn", "symbol", step.value],
            goingon.IMPORTERS: ["cairn", "imports", step.value],
            goingon.REFRESH: ["cairn", "refresh", "--wait"],
        }
        if step.do == goingon.INSTALL:
            there = f"get it from {step.value}, then" if step.value.startswith("https:") else f"{step.value} &&"
            return f"{there} cairn refresh --wait"
        return shlex.join(fixed.get(step.do, typed))

    return word


def show(document: Document) -> None:
    """Print a plan, as people read it: what it would do or asks, and the commands that go on."""
    say("\n".join(map(printable, _lines(document))))


def show_written(title: str, places: int, files: int, edit_id: str) -> None:
    """Print that an edit was written, and the command that takes it back."""
    say(f"{printable(title)}: {plural(places, 'place')} in {plural(files, 'file')} written")
    say(f"undo it with: cairn rename --undo {edit_id}")


def _lines(document: Document) -> Iterator[str]:
    yield f"{document['title']}: {'decided' if document['decided'] else document['status']}; nothing is written yet"
    if document["diff"] is not None:
        yield from document["diff"].split("\n")
    if document["status"] == "refused":
        yield from (f"  {reason}" for reason in document["reasons"])
    else:
        yield from _question(document) if document["status"] in ("needs_decision", "blocked") else ()
        yield from _mentions(document)
        yield from _proof(document)
    yield from _next(document)


def _question(document: Document) -> Iterator[str]:
    """What is open, by file and with its code; what reads names at run time, by what it does."""
    name = document["target"]["name"]
    if document["edits"]:
        yield f"proven: {plural(len(document['edits']), 'place')} in {plural(document['files'], 'file')}"
    opened, constructs = document["open"], document["constructs"]
    if opened:
        yield f"open, {plural(len(opened), 'place')}: is this {name} too?"
        shown = sorted(opened, key=lambda each: (each["path"], each["line"], each["column"]))[:_SHOWN]
        for path, group in groupby(shown, lambda each: str(each["path"])):
            yield f"  {path}"
            yield from (f"    {each['line']:>5}  {each['text']}{_by(each)}" for each in group)
        yield from _more(len(opened) - len(shown))
    if constructs:
        reads = (
            "reads names at run time: may one of these mean" if document["new_name"] else "unseen: do these still fit"
        )
        yield f"{reads} {name}? The answer is kept until the place changes."
        kinds = sorted(constructs, key=lambda each: str(each["why"]))
        for why, some in groupby(kinds, lambda each: str(each["why"])):
            found = list(some)
            yield f"  {why}, {plural(len(found), 'place')}"
            yield from (f"    {each['path']}:{each['line']}  {each['text']}" for each in found[:_KINDS])
            yield from _more(len(found) - _KINDS, "  ")
    shown_already = {each["why"] for each in opened} | {each["kind"] for each in constructs}
    for doubt in document["witness"]["checklist"]:
        if doubt["code"] not in shown_already:
            yield f"  {doubt['question']} Needed: {doubt['needed']}."


def _by(place: Document) -> str:
    return f"   ({place['changed_by']})" if place["changed_by"] else ""


def _more(count: int, indent: str = "") -> Iterator[str]:
    if count > 0:
        yield f"{indent}  and {count} more: use --json"


def _mentions(document: Document) -> Iterator[str]:
    found = document["mentions"]
    unless = ", unless docs is taken" if any(each["choice"] == DOCS_TOO for each in document["candidates"]) else ""
    if found:
        yield f"{plural(len(found), 'mention')} in comments, strings and prose stay as they are{unless}:"
        yield from (f"  {each['path']}:{each['line']} ({each['tier']}) {each['text']}" for each in found[:_SHOWN])
        yield from _more(len(found) - _SHOWN)


def _proof(document: Document) -> Iterator[str]:
    proof = document["proof"]
    if proof["by"] == "syntax":
        lacks = f"{proof['indexer']} is not installed" if proof["install"] else "there are no facts of an indexer"
        yield f"proven by syntax alone: {lacks}"


def _next(document: Document) -> Iterator[str]:
    steps = document["next"]
    yield "to go on:"
    for each in steps:
        count = f", {plural(each['places'], 'place')} in {plural(each['files'], 'file')}" if each["places"] else ""
        yield f"  {each['call']}"
        yield f"      {each['why']}{count}{', as you chose before' * each['chosen_before']}"
    if any(each["do"] == goingon.TAKE for each in steps):
        yield "  --diff shows it first; --only PLACE... and --except PLACE... choose among the places"
