"""Run one command, and turn every error into one sentence and an exit code."""

import argparse
import contextlib
import os

from cairn.base.errors import CairnError, CancelledError, ExitCode, OutputError, StorageError, UsageError
from cairn.base.incidents import incidents
from cairn.base.shortage import shortage_of
from cairn.base.steps import worded_hint
from cairn.base.text import json_text, printable
from cairn.daemon.client import ElsewhereError
from cairn.questions.asking import is_in_a_store, store_gone
from cairn.surfaces.cli.notes import command
from cairn.surfaces.cli.text import say

ANSWERED = (ExitCode.OK, ExitCode.NOTHING)
"""What a command ends with that has an answer: that nothing was found is one."""


def answered(arguments: list[str], parser: argparse.ArgumentParser) -> int:
    """Run a command in the surroundings of this thread; every error is told there, and what came up meanwhile."""
    with incidents() as heard:
        code = _run(arguments, parser)
    if heard:
        from cairn.surfaces.cli.notes import warn

        with contextlib.suppress(OutputError):
            warn(heard)
    return code


def _run(arguments: list[str], parser: argparse.ArgumentParser) -> int:
    as_json = "--json" in arguments[: arguments.index("--")] if "--" in arguments else "--json" in arguments
    options = argparse.Namespace()
    try:
        options = parser.parse_args(arguments)
        code: int = options.run(options)
        return code
    except ElsewhereError:
        raise
    except CairnError as error:
        return report(shortage_of(error) or error, as_json)
    except KeyboardInterrupt:
        return report(CancelledError("The command was interrupted."), as_json)
    except FileNotFoundError as error:
        if is_in_a_store(str(error.filename or ""), getattr(options, "shared_store", None)):
            return report(store_gone(), as_json)
        if error.filename is None:
            # What has no name is the folder that a command is run in.
            return report(
                UsageError("The current folder is not there any more.", hint="Change to one that is."), as_json
            )
        return report(StorageError(f"{error.filename} is not there."), as_json)
    except OSError as error:
        place = f" ({error.filename})" if error.filename else ""
        refused = StorageError(f"The system refused: {error.strerror}{place}.")
        return report(shortage_of(error) or refused, as_json)
    except Exception as error:
        if os.environ.get("CAIRN_DEBUG"):
            raise
        if (short := shortage_of(error)) is not None:
            return report(short, as_json)
        defect = CairnError(
            f"Unexpected {type(error).__name__}: {error}.",
            hint="This is a defect: run the command again with CAIRN_DEBUG=1 and report what it prints.",
        )
        return report(defect, as_json)


def report(error: CairnError, as_json: bool) -> int:
    """Say what went wrong; the exit code stands even when nobody listens."""
    with contextlib.suppress(OutputError):
        if as_json:
            say(json_text(error.envelope(command)))
        else:
            hint = f"\n  {printable(worded_hint(error.hint, command))}" if error.hint else ""
            say(f"cairn: {printable(error.message)}{hint}", error=True)
    return int(error.exit_code)
