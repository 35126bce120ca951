"""A search that no daemon answered starts one for the next: where a person sits at a terminal and wants it.

The answer is there already, so nobody waits: the daemon begins in a process of its own. Nothing in here is an error of
the search.
"""

import contextlib
import os
import sys
from collections.abc import Mapping

from cairn import __version__
from cairn.base.errors import CairnError
from cairn.base.text import plural, printable
from cairn.codebase.settings import changed, user_file
from cairn.config.daemon import DaemonSettings, daemon_settings
from cairn.config.lines import with_value
from cairn.config.user import cairn_home, read_user_config
from cairn.daemon.folder import DaemonFolder, RunningDaemon
from cairn.daemon.process import begin
from cairn.surfaces.cli.arguments import SHARED_STORE
from cairn.surfaces.cli.text import say

_MACHINES = "CI CONTINUOUS_INTEGRATION GITHUB_ACTIONS GITLAB_CI BUILDKITE JENKINS_URL TEAMCITY_VERSION TF_BUILD".split()
"""Variables by which a service says that nobody sits here."""
_DIRECT = ("--offline", "--shared-store", "--help", "-h")
"""Who asks so gets no answer from a daemon anyway."""
_NOT_SET = ("", "0", "false")
_MEANT = {"": True, "y": True, "yes": True, "n": False, "no": False}


def is_attended(environ: Mapping[str, str]) -> bool:
    """Whether a person sits at a terminal, who may be asked."""
    streams = (sys.stdin, sys.stdout, sys.stderr)
    return (
        all(stream is not None and stream.isatty() for stream in streams)
        and environ.get("TERM") != "dumb"
        and all(environ.get(name, "").lower() in _NOT_SET for name in _MACHINES)
    )


def make_ready(options: set[str]) -> None:
    """Start the daemon for the next search if the user wants that, who is asked once."""
    if not is_attended(os.environ) or not options.isdisjoint(_DIRECT) or SHARED_STORE in os.environ:
        return
    place = DaemonFolder(cairn_home())
    with contextlib.suppress(CairnError, OSError):
        running = place.running()
        if running is not None and not is_to_be_replaced(running):
            return
        settings = daemon_settings(read_user_config(place.home))
        start = settings.start if settings.start != "ask" else _asked(settings)
        if start == "auto":
            begin(place, settings.idle_minutes * 60)


def is_to_be_replaced(running: RunningDaemon) -> bool:
    """Whether a daemon was left behind by an older version; one that the user started stays."""
    return running.by_itself and running.ready and _numbers(running.version) < _numbers(__version__)


def _numbers(version: str) -> list[int]:
    return [int(part) for part in version.split(".") if part.isdecimal()]


def _asked(settings: DaemonSettings) -> str:
    """Ask, and remember the answer."""
    question = (
        "Keep the index ready in the background, so that the next searches answer at once?\n"
        f"The process ends after {plural(settings.idle_minutes, 'minute')} without a question. [Y/n] "
    )
    agreed = _agreed(question)
    if agreed is None:
        say("That is neither yes nor no: the next search asks again.", error=True)
        return "ask"
    start = "auto" if agreed else "off"
    try:
        changed(user_file(), lambda text: with_value(text, "daemon", "start", start))
    except (CairnError, OSError) as error:
        cause = error.message if isinstance(error, CairnError) else error.strerror
        say(f"warning: the answer can't be remembered: {printable(cause or '')}", error=True)
    began = "The daemon starts now; `cairn stop` ends it. " if start == "auto" else ""
    say(f"{began}`cairn config set daemon.start {'off' if start == 'auto' else 'auto'}` changes your mind.", error=True)
    return start


def _agreed(question: str) -> bool | None:
    """Whether the user says yes; None for what is neither yes nor no."""
    import termios

    with contextlib.suppress(OSError, termios.error):
        # What was typed while the search ran is no answer to this.
        termios.tcflush(sys.stdin.fileno(), termios.TCIFLUSH)
    try:
        sys.stderr.write(question)
        sys.stderr.flush()
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        line = ""
    if not line.endswith("\n"):
        sys.stderr.write("\n")
        return False  # the end of input is no consent, and Ctrl-C a no
    return _MEANT.get(line.strip().lower())
