"""What `cairn config` does; imported only when it runs."""

import argparse
import contextlib
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from cairn.base.environment import child_environment
from cairn.base.errors import CairnError, CancelledError, ConfigError, ExitCode, RefusedError, UsageError
from cairn.base.text import json_text, printable
from cairn.codebase.settings import (
    DEFAULT,
    ENVIRONMENT,
    ConfigSource,
    InForce,
    changed,
    in_force,
    project_file,
    user_file,
    variables_set,
)
from cairn.config.declared import SETTINGS, Setting, setting_named
from cairn.config.lines import toml, with_value, without_value
from cairn.config.names import PROJECT_FILE, USER_FILE, ConfigFile
from cairn.surfaces.cli import editors
from cairn.surfaces.cli.envelope import BOLD, DIM, paint, wants_colour
from cairn.surfaces.cli.text import say
from cairn.workspace.root import find_root

SCHEMA_VERSION = 1
_OPTIONS = {"query.limit": "--limit", "query.mode": "--mode"}
"""Options of commands that go before all sources of a setting."""
"""What is tried where no variable names an editor."""


def show(options: argparse.Namespace) -> int:
    """All settings; the exit code."""
    user, project = user_file(), _project(options)
    settings = in_force(user, project, os.environ)
    variables = variables_set(os.environ)
    if options.json:
        document = {
            "schema_version": SCHEMA_VERSION,
            "files": {"user": _file(user), "project": _file(project)},
            "settings": [_document(each) for each in settings],
            "environment": [{"name": each.name, "value": each.value, "read": bool(each.meaning)} for each in variables],
        }
        say(json_text(document))
        return ExitCode.OK
    colour = wants_colour()
    lines = [_place("yours", user), _place("the codebase's", project)]
    for section in dict.fromkeys(each.setting.section for each in settings):
        some = [each for each in settings if each.setting.section == section]
        alone = "" if any(each.setting.in_project_file for each in some) else "  yours alone: no codebase can set it"
        lines += ["", paint(f"[{section}]", BOLD, colour) + paint(alone, DIM, colour)]
        lines += [_line(each, colour) for each in some]
    if variables:
        lines += ["", paint("environment", BOLD, colour)]
        for each in variables:
            said = each.meaning or "nothing reads it" + f"; perhaps {each.perhaps} is meant" * bool(each.perhaps)
            lines.append(f"  {printable(each.name)} = {printable(each.value)}  {paint(printable(said), DIM, colour)}")
    say("\n".join(lines))
    return ExitCode.OK


def get(options: argparse.Namespace) -> int:
    """One setting, or those of a section; the exit code."""
    settings = in_force(user_file(), _project(options), os.environ)
    some = [each for each in settings if each.setting.section == options.key]
    if some:
        lines = [f"{each.setting.key} = {printable(_value(each.value))}" for each in some]
        say(json_text({"settings": [_document(each) for each in some]}) if options.json else "\n".join(lines))
        return ExitCode.OK
    setting = setting_named(options.key)
    found = next(each for each in settings if each.setting is setting)
    if options.json:
        say(json_text(_document(found)))
        return ExitCode.OK
    say(printable(_value(found.value)))
    ways = [f"{_from(found)}; {setting.help}"]
    if setting.variable and found.source != ENVIRONMENT:
        ways.append(f"{setting.variable} goes before the files")
    if setting.key in _OPTIONS:
        ways.append(f"{_OPTIONS[setting.key]} goes before all, for one command")
    say("\n".join(ways), error=True)
    return ExitCode.OK


def set(options: argparse.Namespace) -> int:  # the name of the action
    """Give settings values; the exit code."""
    wanted = list(_wanted(options.key, options.values))
    file = _target(options)
    for setting, _ in wanted:
        _require_allowed_in(setting, file.file)

    def change(text: str) -> str:
        for setting, value in wanted:
            text = with_value(text, setting.section, setting.name, value)
        return text

    _checked(lambda: changed(file, change))
    return _report(options, file, [setting for setting, _ in wanted])


def unset(options: argparse.Namespace) -> int:
    """Take a setting out of a file; the exit code."""
    setting, file = setting_named(options.key), _target(options)
    _require_allowed_in(setting, file.file)
    if not changed(file, lambda text: without_value(text, setting.section, setting.name)):
        raise UsageError(
            f"{setting.key} is not set in {file.file.place}.", hint="Run `cairn config` to see what is set where."
        )
    return _report(options, file, [setting])


def edit(options: argparse.Namespace) -> int:
    """Open a file in an editor until it is right or given up; the exit code."""
    file = _target(options)
    editor = editors.chosen(os.environ, "`cairn config set KEY VALUE` needs none.")
    with tempfile.TemporaryDirectory(prefix="cairn-config-") as folder:
        place = os.path.join(folder, file.file.name)
        with open(place, "wb") as draft:
            draft.write(file.data if file.data is not None else _template(file).encode())
        before = _bytes(place)
        while True:
            _opened(editor, place)
            after = _bytes(place)
            if after == before and (file.data is None or after == file.data):
                say("nothing was changed")
                return ExitCode.OK
            try:
                file.write(_text(after))
            except CairnError as error:
                if not _again(error):
                    raise _kept(error, after) from error
                continue
            break
    return _report(options, file, [])


def _wanted(key: str, values: Sequence[str]) -> Iterator[tuple[Setting, Any]]:
    """Settings with their values: KEY VALUE, or any number of KEY=VALUE."""
    pairs = [key, *values]
    if "=" in key:
        for pair in pairs:
            name, there, value = pair.partition("=")
            if not there:
                raise UsageError(f"{pair} is no KEY=VALUE.", hint="Give each setting as KEY=VALUE, without blanks.")
            setting = setting_named(name.strip())
            yield setting, setting.read([value])
        return
    setting = setting_named(key)
    if not values:
        raise UsageError(f"{key} needs a value.", hint=f"Run `cairn config set {key} VALUE`.")
    yield setting, setting.read(list(values))


def _require_allowed_in(setting: Setting, file: ConfigFile) -> None:
    """UsageError for a setting that the other file has, with the reason where it is one of trust."""
    if setting.is_in(file):
        return
    if file is PROJECT_FILE:
        raise UsageError(
            f"{setting.key} can't be set by a codebase: a repository must not decide what Cairn contacts or runs.",
            hint=f"Leave --project out to set it for yourself, in {USER_FILE.place}.",
        )
    raise UsageError(
        f"{setting.key} is a setting of a codebase, not one of yours.",
        hint=f"Add --project to set it in {PROJECT_FILE.place}.",
    )


def _checked(write: Callable[[], object]) -> None:
    try:
        write()
    except ConfigError as error:
        # The file as it is stays right: what would have come of it is not.
        raise ConfigError(
            f"Nothing was written: {error.message}",
            hint="Give a value that is allowed. What belongs together is set at once: `cairn config set KEY=VALUE "
            "KEY=VALUE`.",
        ) from error


def _report(options: argparse.Namespace, file: ConfigSource, settings: Sequence[Setting]) -> int:
    now = user_file(), _project(options)
    found = [each for each in in_force(*now, os.environ) if each.setting in settings]
    if options.json:
        say(json_text({"file": file.path, "settings": [_document(each) for each in found]}))
        return ExitCode.OK
    say(f"wrote {printable(file.path)}")
    for each in found:
        say(f"  {each.setting.key} = {printable(_value(each.value))}  ({_from(each)})")
    if any(each.setting.section == "index" for each in found):
        say("  the index is made anew by `cairn index --reindex`, where one is there")
    return ExitCode.OK


def _project(options: argparse.Namespace) -> ConfigSource | None:
    """The codebase's file; None where one stands in none and named none."""
    try:
        return project_file(find_root(options.root or ".").path)
    except ConfigError:
        raise
    except CairnError:
        if options.root is not None:
            raise
        return None


def _target(options: argparse.Namespace) -> ConfigSource:
    return project_file(find_root(options.root or ".").path) if options.project else user_file()


def _document(each: InForce) -> dict[str, object]:
    setting = each.setting
    return {
        "key": setting.key,
        "value": each.value,
        "source": each.source,
        "help": setting.help,
        "variable": setting.variable or None,
        "option": _OPTIONS.get(setting.key),
        "files": [name for name, there in _files(setting) if there],
    }


def _files(setting: Setting) -> tuple[tuple[str, bool], ...]:
    return ("user", setting.in_user_file), ("project", setting.in_project_file)


def _file(file: ConfigSource | None) -> dict[str, object] | None:
    return None if file is None else {"path": file.path, "exists": file.data is not None}


def _place(whose: str, file: ConfigSource | None) -> str:
    if file is None:
        return f"{whose}: you stand in no codebase"
    return f"{whose}: {printable(file.path)}" + (" (not there yet)" if file.data is None else "")


def _line(each: InForce, colour: bool) -> str:
    said = f"{each.setting.name} = {printable(_value(each.value))}"
    source = each.setting.help if each.source == DEFAULT else f"{_from(each)}; {each.setting.help}"
    shown = said if each.source == DEFAULT else paint(said, BOLD, colour)
    return f"  {shown}{' ' * max(2, 34 - len(said))}{paint(source, DIM, colour)}"


def _from(each: InForce) -> str:
    if each.source == ENVIRONMENT:
        return f"from {each.setting.variable}"
    return {DEFAULT: "the default", "user": "from your file", "project": "from the codebase's file"}[each.source]


def _value(value: Any) -> str:
    return "unset" if value is None else toml(value)


def _template(file: ConfigSource) -> str:
    """What a new file begins with: all that can be said in it, commented out."""
    lines = ["# Settings of Cairn. Remove the '#' before a line to set it; docs/configuration.md tells of each.", ""]
    settings = [each for each in SETTINGS.values() if each.is_in(file.file)]
    for section in dict.fromkeys(each.section for each in settings):
        lines.append(f"# [{section}]")
        lines += [f"# {each.name} =  # {each.help}" for each in settings if each.section == section]
        lines.append("")
    return "\n".join(lines)


def _opened(editor: list[str], place: str) -> None:
    try:
        done = subprocess.run([*editor, place], check=False, env=child_environment(()))
    except OSError as error:
        raise RefusedError(
            f"{editor[0]} could not be started: {error.strerror}.", hint="Set EDITOR to the command that starts yours."
        ) from error
    if done.returncode:
        raise CancelledError(
            f"{editor[0]} ended with {done.returncode}, so nothing was changed.", hint="Run `cairn config edit` again."
        )


def _bytes(place: str) -> bytes:
    with open(place, "rb") as file:
        return file.read()


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise ConfigError("What was written is not valid UTF-8.", hint="Save it as UTF-8.") from error


def _again(error: CairnError) -> bool:
    """Whether to open the editor once more, where somebody can be asked."""
    if not (sys.stdin and sys.stdin.isatty() and sys.stderr and sys.stderr.isatty()):
        return False
    say(f"cairn: {printable(error.message)}", error=True)
    with contextlib.suppress(EOFError):
        sys.stderr.write("Edit it again? [Y/n] ")
        sys.stderr.flush()
        return sys.stdin.readline().strip().lower() not in ("n", "no")
    return False


def _kept(error: CairnError, draft: bytes) -> CairnError:
    """The error of an edit that was not taken, which says where it is kept."""
    handle, place = tempfile.mkstemp(prefix="cairn-config-", suffix=".toml")
    with os.fdopen(handle, "wb") as file:
        file.write(draft)
    return ConfigError(f"Nothing was written: {error.message}", hint=f"What you wrote is kept in {place}.")
