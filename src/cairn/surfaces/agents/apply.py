"""Carrying out a plan: all of it, or nothing."""

from cairn.base.errors import BusyError, UnknownOutcomeError
from cairn.surfaces.agents import backup
from cairn.surfaces.agents.files import look, missing_folders, remove, remove_folders, write
from cairn.surfaces.agents.plan import InstallPlan, SettingsChange


def install(home: str, project: str, plan: InstallPlan) -> str:
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
        except UnknownOutcomeError:
            raise  # what was there before is still needed
        except BaseException:
            backup.forget(home, records)
            raise
        return backup.place_of(home, records[0])


def uninstall(home: str, plan: InstallPlan) -> None:
    """Undo what a plan names, and forget the backups of it."""
    with backup.exclusive(home):
        _require_unmoved(plan)
        _carry_out(plan)
        backup.forget(home, [record for change in (*plan.changes, *plan.same) for record in change.undone])


def _carry_out(plan: InstallPlan) -> None:
    done: list[tuple[SettingsChange, list[str]]] = []
    try:
        for change in plan.changes:
            made = missing_folders(change.target)
            if change.after is None:
                remove(change.target, _folders(change))
            else:
                try:
                    write(change.target, change.after, change.mode)
                except BaseException:
                    # The file itself is as it was: it is replaced as a whole or not at all.
                    remove_folders(made)
                    raise
            done.append((change, made))
    except BaseException as error:
        if stuck := [change.path for change, made in reversed(done) if not _put_back(change, made)]:
            raise UnknownOutcomeError(
                f"The work broke off ({error}) and could not be taken back in {', '.join(stuck)}.",
                hint="Make room or mend the rights, then run `cairn uninstall --dry-run` to see what is left.",
            ) from error
        raise


def _put_back(change: SettingsChange, made: list[str]) -> bool:
    try:
        if change.before is None:
            remove(change.target, made)
        else:
            write(change.target, change.before, change.mode)
    except OSError:
        return False
    return True


def _folders(change: SettingsChange) -> list[str]:
    """Folders that install made for a file, from the top down."""
    return sorted({folder for record in change.undone for folder in record.folders}, key=len)


def _require_unmoved(plan: InstallPlan) -> None:
    for change in plan.changes:
        now = look(change.path)
        if (now.target, now.data) != (change.target, change.before):
            raise BusyError(
                f"{change.path} changed while the plan was looked at.",
                hint="Nothing was changed. Run the command again.",
            )
