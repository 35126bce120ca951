"""`cairn contexts`: which files are understood together, why others aren't, and how far their facts hold."""

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any

from cairn.base.text import plural, printable
from cairn.questions.parameters import Values
from cairn.questions.semantic_documents import TIERS
from cairn.surfaces.cli.joblines import last_refresh
from cairn.surfaces.cli.knowledge import Shown, since

if TYPE_CHECKING:
    from cairn.codebase.bodies import CodeAnswer
    from cairn.semantic.contexts import Context, Survey
    from cairn.semantic.contexttable import KnownContext
    from cairn.semantic.filestatus import FileStatus


def contexts(answer: "CodeAnswer[Any]", values: Values) -> Shown:
    """Contexts one below the other; or one file, with its flags."""
    if values["file"] is not None:
        return _file(answer)
    value, known = answer.value.survey, answer.value.known

    def lines(_colour: bool) -> Iterable[str]:
        # An ambient family without a file is no news.
        listed = [each for each in value.contexts if each.manifests or value.members[each.id]]
        rows = [_row(each, value, known.get(each.id)) for each in listed]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)] if rows else []
        for row in rows:
            yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
        for family, count in value.unowned.items():
            yield f"{plural(count, f'{family} file')} without a context"

    return Shown(answer, lines, plural(len(value.contexts), "context"))


def _row(context: "Context", found: "Survey", known: "KnownContext | None") -> tuple[str, ...]:
    return (
        printable(context.id),
        TIERS[context.tier],
        found.probes[context.id].status,
        plural(len(found.members[context.id]), "file"),
        # No tool gives facts of an ambient family.
        *((_counts(found.states[context.id]) if context.manifests else "",) if found.states else ()),
        printable(", ".join(context.manifests)),
        last_refresh(known),
    )


def _counts(states: Mapping[str, int]) -> str:
    return ", ".join(f"{count:,} {name}" for name, count in states.items() if count)


def _file(answer: "CodeAnswer[FileStatus]") -> Shown:
    value = answer.value

    def lines(_colour: bool) -> Iterable[str]:
        if value.context is None:
            yield f"{printable(value.path)}  no context{since(answer, value.path)}"
            return
        state = f"{value.state.freshness}, {value.state.certainty}"
        yield f"{printable(value.path)}  {printable(value.context)} ({value.probe})  {state}{since(answer, value.path)}"
        if value.job_id:
            yield f"    facts by {printable(value.tool or 'an unknown tool')}, job {value.job_id}"
        for flag in value.flags:
            yield f"{flag.line:>6}  {flag.kind}  {printable(flag.what)}"

    return Shown(answer, lines, plural(len(value.flags), "flag"))
