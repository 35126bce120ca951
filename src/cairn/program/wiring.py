"""What install, uninstall and doctor do; imported only when one of them runs."""

import argparse
import os
import shlex
import sys

from cairn.base.errors import CairnError, CancelledError, ExitCode, RefusedError, UsageError
from cairn.base.steps import worded_hint
from cairn.base.text import json_text, plural, printable
from cairn.base.values import replace
from cairn.config.user import cairn_home
from cairn.surfaces.agents import apply, backup
from cairn.surfaces.agents.clients import BY_NAME, CLIENTS, AgentClient, SettingsScope
from cairn.surfaces.agents.command import running_command
from cairn.surfaces.agents.diff import unified
from cairn.surfaces.agents.plan import InstallPlan, SettingsChange, plan_install, plan_uninstall
from cairn.surfaces.cli import notes
from cairn.surfaces.cli.text import say
from cairn.workspace.root import find_root

SCHEMA_VERSION = 1


def install(options: argparse.Namespace) -> int:
    """Wire coding agents up with the MCP server; the exit code."""
    scope = _scope(options.project)
    chosen = _named(options.clients) or [client for client in CLIENTS if scope.finds(client)]
    known = ", ".join(client.name for client in CLIENTS)
    if not chosen:
        raise UsageError(
            "No coding agent was found here.", hint=f"Name one, for example `cairn install codex`: {known}."
        )
    command = running_command()
    entry_only = options.no_instructions
    hooks = not (entry_only or options.no_hooks)
    plan = plan_install(scope, chosen, command, notes=not entry_only, hooks=hooks)
    if options.clients and not plan.changes and not plan.same:
        raise UsageError(f"{plan.skipped[0][1]}.", hint="Run `cairn install --help` to see what is understood.")
    document = {
        "schema_version": SCHEMA_VERSION,
        "command": list(command),
        "clients": [client.name for client in chosen],
        **_document(plan, scope, options),
    }
    lines = [f"{'found' if not options.clients else 'for'}: {', '.join(client.title for client in chosen)}"]
    lines += [f"left out: {printable(reason)}" for _, reason in plan.skipped]
    if not plan.changes:
        done = "already wired up, nothing to do"
        _answer(options, {**document, "written": False, "backup": None}, [*lines, *_kept(plan), done])
        return ExitCode.OK
    if not _agreed(options, plan, lines, "install"):
        _answer(options, {**document, "written": False, "backup": None}, ["nothing was written: this was a dry run"])
        return ExitCode.OK
    folder = apply.install(cairn_home(), scope.project or "", plan)
    last = [
        f"wrote {plural(len(plan.changes), 'file')}; what was there before is in {printable(folder)}",
        f"start the agents anew to let them see the server; `cairn uninstall{_where(scope)}` undoes all of it",
    ]
    _answer(options, {**document, "written": True, "backup": folder}, last)
    return ExitCode.OK


def uninstall(options: argparse.Namespace) -> int:
    """Undo what `install` did; the exit code."""
    home, scope = cairn_home(), _scope(options.project)
    chosen = _named(options.clients) or list(CLIENTS)
    records = backup.read(home)
    plan = plan_uninstall(scope, chosen, records, lambda record: backup.bytes_before(home, record))
    document = {"schema_version": SCHEMA_VERSION, **_document(plan, scope, options)}
    settled = {record.target for change in (*plan.changes, *plan.same) for record in change.undone}
    elsewhere = sorted({record.project for record in records if record.target not in settled and record.project})
    notes = [f"left as it is: {printable(reason)}" for _, reason in plan.skipped]
    notes += [
        f"still wired up, see: cairn uninstall --dry-run --project {printable(shlex.quote(path))}" for path in elsewhere
    ]
    if not plan.changes:
        if not options.dry_run and settled:
            apply.uninstall(home, plan)
        _answer(options, {**document, "written": False}, [*notes, "nothing to undo"])
        return ExitCode.OK
    if not _agreed(options, plan, [], "uninstall"):
        _answer(options, {**document, "written": False}, [*notes, "nothing was written: this was a dry run"])
        return ExitCode.OK
    apply.uninstall(home, plan)
    _answer(options, {**document, "written": True}, [*notes, f"undid {plural(len(plan.changes), 'file')}"])
    return ExitCode.OK


def doctor(options: argparse.Namespace) -> int:
    """Check what agents and the index need, and say what is wrong; the exit code."""
    from cairn.surfaces.agents.checks import CheckLevel
    from cairn.surfaces.agents.doctor import examine

    scopes = [_scope(None)]
    try:
        scopes.append(_scope(options.path))
    except CairnError:
        if options.path != ".":
            raise
    command = running_command()
    checks = []
    for found in examine(cairn_home(), scopes, command, command, options.path):
        check = replace(found, action=worded_hint(found.action, notes.command))
        checks.append(check)
        if not options.json:
            action = f"  -> {printable(check.action)}" if check.action else ""
            say(f"{check.level.value:<8} {check.code}: {printable(check.message)}{action}")
    bad = any(check.level is CheckLevel.FAILED for check in checks)
    if options.json:
        said = [
            {"code": check.code, "level": check.level.value, "message": check.message, "action": check.action}
            for check in checks
        ]
        say(json_text({"schema_version": SCHEMA_VERSION, "healthy": not bad, "checks": said}))
    return ExitCode.REFUSED if bad else ExitCode.OK


def _scope(project: str | None) -> SettingsScope:
    root = find_root(project).path if project is not None else None
    return SettingsScope(os.path.expanduser("~"), os.environ, root)


def _where(scope: SettingsScope) -> str:
    return f" --project {shlex.quote(scope.project)}" if scope.project is not None else ""


def _named(names: list[str]) -> list[AgentClient]:
    unknown = [name for name in names if name not in BY_NAME]
    if unknown:
        known = ", ".join(BY_NAME)
        raise UsageError(f"{unknown[0]} is not a client that is known.", hint=f"Known are: {known}.")
    return [BY_NAME[name] for name in dict.fromkeys(names)]


def _agreed(options: argparse.Namespace, plan: InstallPlan, lines: list[str], what: str) -> bool:
    """Show the plan and ask; False for a dry run. Refused where nobody can answer."""
    if not options.json:
        for change in plan.changes:
            lines = [*lines, *map(_visible, unified(change)), ""]
        say("\n".join(lines + _kept(plan)))
    if options.dry_run:
        return False
    if options.yes:
        return True
    if options.json or not (sys.stdin and sys.stdin.isatty() and sys.stdout and sys.stdout.isatty()):
        raise RefusedError(
            f"Nothing was written: {plural(len(plan.changes), 'file')} would change and nobody can be asked here.",
            hint="Run the command again with --yes to write them, or with --dry-run to see the diff.",
        )
    try:
        answer = input(f"Change {plural(len(plan.changes), 'file')}? [y/N] ")
    except EOFError:
        answer = ""
    if answer.strip().lower() not in ("y", "yes"):
        raise CancelledError("Nothing was written.", hint=f"Run `cairn {what}` again when you want it.")
    return True


def _visible(line: str) -> str:
    """A line of a settings file: a tab is harmless on a terminal."""
    return "\t".join(map(printable, line.split("\t")))


def _kept(plan: InstallPlan) -> list[str]:
    return [f"as it should be: {printable(change.path)}" for change in plan.same]


def _document(plan: InstallPlan, scope: SettingsScope, options: argparse.Namespace) -> dict[str, object]:
    return {
        "scope": "user" if scope.project is None else "project",
        "project": scope.project,
        "dry_run": options.dry_run,
        "changes": [_change(change) for change in plan.changes],
        "unchanged": [change.path for change in plan.same],
        "skipped": [{"client": name, "reason": reason} for name, reason in plan.skipped],
    }


def _change(change: SettingsChange) -> dict[str, object]:
    return {
        "path": change.path,
        "target": change.target,
        "action": change.action,
        "clients": list(change.clients),
        "diff": "\n".join(unified(change)),
    }


def _answer(options: argparse.Namespace, document: dict[str, object], lines: list[str]) -> None:
    say(json_text(document) if options.json else "\n".join(lines))
