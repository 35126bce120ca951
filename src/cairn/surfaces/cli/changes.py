"""Answers about changes: what they reach, and which tests see them."""

import sys
from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from cairn.base.text import plural, printable
from cairn.surfaces.cli.drawing import Arrow, Dot, cut
from cairn.surfaces.cli.envelope import BOLD, DIM, PATH, is_terminal, paint
from cairn.surfaces.cli.here import opened
from cairn.surfaces.cli.knowledge import Shown, painted_tier, since, width
from cairn.surfaces.cli.relations import SURE, column

if TYPE_CHECKING:
    from cairn.codebase.bodies import Answer
    from cairn.graph.impact import ChangedSymbol, Impact, Reached
    from cairn.graph.testing import ReachingTest, Reason
    from cairn.graph.unused import UnusedDefinitions
    from cairn.questions.parameters import Values

_MOST_ON_SCREEN = 20
_REASONS_SHOWN, _NAMES_SHOWN, _LEAST = 3, 5, 20


def impact(answer: "Answer[Impact]", values: "Values") -> Shown:
    """What a change reaches, in lines."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        if not value.changed_files and not value.removed_files:
            yield "nothing that is indexed differs"
        telling = {item.path for item in value.symbols}
        sections: tuple[tuple[str, list[tuple[str, str, str]]], ...] = (
            ("changed symbols", [_changed(item) for item in value.symbols]),
            ("other changed files", [(path, "", "") for path in value.changed_files if path not in telling]),
            ("used by", [_reached(answer, each, colour) for each in value.users]),
            (
                "files that import them",
                [(file.path, "", _away(answer, file.path, file, colour)) for file in value.dependants],
            ),
            (
                "tests that reach them",
                [(test.path, because(test.reasons[0]), since(answer, test.path).strip()) for test in value.tests],
            ),
            ("files that are gone", [(path, "", "") for path in value.removed_files]),
        )
        most = _MOST_ON_SCREEN if is_terminal() else sys.maxsize
        for title, rows in sections:
            if rows:
                yield paint(f"{title} ({len(rows)})", BOLD, colour)
            shown = [(opened(place), printable(name), behind) for place, name, behind in rows[:most]]
            first = min(max((len(place) for place, _, _ in shown), default=0), column())
            for place, name, behind in shown:
                yield f"  {place:<{first}}  {name}{'  ' if name and behind else ''}{behind}".rstrip()
            if len(rows) > most:
                yield paint(f"  and {len(rows) - most} more: --json has all of them", DIM, colour)

    return Shown(answer, lines, _summary_of(value), *_impact_picture(value))


def _summary_of(value: "Impact", asked_for: str = "`cairn tests --weak`") -> str:
    """How many tests see a change, and what is not known of that; `asked_for` is how the others are listed."""
    changed = len(value.changed_files) + len(value.removed_files)
    summary = f"{plural(value.all_tests, 'test file')} for {plural(changed, 'changed file')}"
    if value.weak_tests and asked_for:
        summary += f", {len(value.weak_tests):,} more for which little speaks: {asked_for}"
    if value.unresolved:
        summary += f", {plural(value.unresolved, 'use')} not resolved"
    return summary


def tests(answer: "Answer[Impact]", values: "Values") -> Shown:
    """Tests that see a change, in lines."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        if not value.changed_files and not value.removed_files:
            yield "nothing that is indexed differs"
        left = min(max((len(opened(test.path)) for test in value.tests), default=0), 2 * column())
        for test in value.tests:
            path = paint(opened(test.path), PATH, colour) + " " * (left - len(opened(test.path)))
            why = "; ".join(because(reason) for reason in test.reasons[:_REASONS_SHOWN])
            yield f"{path}  {cut(why, max(width() - left - 2, _LEAST))}{since(answer, test.path)}"
            if test.names:
                more = ", ..." if len(test.names) > _NAMES_SHOWN else ""
                names = f"{', '.join(map(printable, test.names[:_NAMES_SHOWN]))}{more}"
                yield paint(f"    {cut(names, width() - 4)}", DIM, colour)

    summary = _summary_of(value, "" if values["weak"] else "--weak")
    plain = [opened(test.path) for test in value.tests]
    names = [line for test in value.tests for line in _runnable(test)]
    return Shown(answer, lines, summary, listings={"plain": plain, "names": names})


def unused(answer: "Answer[UnusedDefinitions]", _values: "Values") -> Shown:
    """Definitions that nothing uses, in lines."""
    value = answer.value

    def lines(colour: bool) -> Iterable[str]:
        path = ""
        for item in value.items:
            if item.path != path:
                path = item.path
                yield paint(opened(path), PATH, colour) + since(answer, path)
            tier = "  exported" if item.exported else ""
            yield f"{item.line:>6}  {printable(item.name)}  {item.kind}{paint(tier, DIM, colour)}"
        if not value.items:
            yield "nothing that is unused was found"

    summary = plural(value.total, "unused definition")
    if value.total == len([item for item in value.items if not item.exported]) and value.exported:
        summary += f", {value.exported:,} more that others may use: --exported"
    plain = [f"{opened(item.path)}:{item.line}: {printable(item.name)}" for item in value.items]
    return Shown(answer, lines, summary, listings={"plain": plain})


def _runnable(test: "ReachingTest") -> list[str]:
    """A file's tests as a runner takes them; the file alone where none of them is known."""
    path = opened(test.path)
    return ["::".join((path, *printable(name).split("."))) for name in test.names] or [path]


def _changed(item: "ChangedSymbol") -> tuple[str, str, str]:
    place = f"{item.path}:{item.line}" if item.line else item.path
    times = "once" if item.uses == 1 else f"{item.uses} times"
    still = f", still used {times}" if item.uses else ""
    name = "outside of definitions" if item.kind == "file" else item.name
    former = f" from {printable(item.former)}" if item.former else ""
    return place, name, "" if item.change == "named" else f"{item.change}{former}{still}"


def _reached(answer: "Answer[Impact]", each: "Reached", colour: bool) -> tuple[str, str, str]:
    reason = each.role if each.reason == "changed" else f"{each.role}, {each.reason}"
    behind = ", ".join(filter(None, (reason, _away(answer, each.node.path, each, colour))))
    return f"{each.node.path}:{each.node.line}", each.node.name, behind


class _Far(Protocol):
    @property
    def distance(self) -> int: ...
    @property
    def tier(self) -> str: ...


def _away(answer: "Answer[Impact]", path: str, far: _Far, colour: bool) -> str:
    steps = "" if far.distance <= 1 else f"{far.distance} steps away"
    unsure = "" if far.tier in SURE else painted_tier(far.tier, far.tier, colour)
    return ", ".join(filter(None, (steps, unsure, since(answer, path).strip())))


def because(reason: "Reason") -> str:
    """A reason to run a test, in words."""
    of = printable(reason.of)
    if reason.how == "uses":
        how = (
            f"uses {of}"
            if reason.distance == 1
            else f"reaches it through {plural(reason.distance - 1, 'use')}, by {of}"
        )
        return how if reason.tier in SURE else f"{how} ({reason.tier})"
    if reason.how == "imports":
        return f"imports {of}" if reason.distance == 1 else f"imports it over {plural(reason.distance - 1, 'file')}"
    if reason.how == "together":
        return f"was changed together with it in {plural(reason.count, 'commit')}"
    if reason.how == "named after":
        return f"is named after {of}"
    return {"changed": "was changed itself", "package": "is of its package"}.get(reason.how, "uses a name of it")


def _impact_picture(value: "Impact") -> tuple[tuple[Dot, ...], tuple[Arrow, ...]]:
    """Files and who imports them, what was changed or removed in them, and who calls that."""
    files = (*value.changed_files, *value.removed_files, *(file.path for file in value.dependants))
    dots = {path: Dot(path, path, "gone" if path in value.removed_files else "") for path in files}
    for node in value.nodes:
        dots[node.id] = Dot(
            node.id, node.name, f"{node.path}:{node.line}" if node.line else f"removed from {node.path}"
        )
    drawn = {(node.path, node.name) for node in value.nodes}
    for item in value.symbols:
        if not item.line and item.kind != "file" and (item.path, item.name) not in drawn:
            dots[f"{item.path} {item.name}"] = Dot(f"{item.path} {item.name}", item.name, f"removed from {item.path}")
    arrows = [Arrow(file.path, file.imports, file.tier) for file in value.dependants]
    arrows += [Arrow(call.source, call.target, call.tier) for call in value.links]
    return tuple(dots.values()), tuple(each for each in arrows if each.source in dots and each.target in dots)
