"""Carrying out a plan: all of it, or nothing."""

from cairn.errors import BusyError
from cairn.surfaces.agents import backup
from cairn.surfaces.agents.files import look, missing_folders, remove, write
from cairn.surfaces.agents.plan import Change, Plan


def install(home: str, project: str, plan: Plan) -> str:
    """Write the files of a plan; returns the folder of the backup."""
    with backup.exclusive(home):
        _require_unmoved(plan)
        kept = [
            backup.Kept(each.path, each.target, each.before, each.after or b"", tuple(missing_folders(each.target)))
            for each in plan.changes
        ]
        records = backup.keep(home, project, kept)
        try:
            _carry_out(plan)
        except BaseException:
            backup.forget(home, records)
            raise
        return backup.place_of(home, records[0])


def uninstall(home: str, plan: Plan) -> None:
    """Undo what a plan names, and forget the backups of it."""
    with backup.exclusive(home):
        _require_unmoved(plan)
        _carry_out(plan)
        backup.forget(home, [record for change in (*plan.changes, *plan.same) for record in change.undone])


def _carry_out(plan: Plan) -> None:
    done: list[tuple[Change, list[str]]] = []
    try:
        for change in plan.changes:
            done.append((change, missing_folders(change.target)))
            if change.after is None:
                remove(change.target, _folders(change))
            else:
                write(change.target, change.after, change.mode)
    except BaseException:
        for change, made in reversed(done):
            if change.before is None:
                remove(change.target, made)
            else:
                write(change.target, change.before, change.mode)
        raise


def _folders(change: Change) -> list[str]:
    """Folders that install made for a file, from the top down."""
    return sorted({folder for record in change.undone for folder in record.folders}, key=len)


def _require_unmoved(plan: Plan) -> None:
    for change in plan.changes:
        now = look(change.path)
        if (now.target, now.data) != (change.target, change.before):
            raise BusyError(
                f"{change.path} changed while the plan was looked at.",
                hint="Nothing was changed. Run the command again.",
            )
