"""Started as a script by `runner`: sets limits, runs a tool, and kills the tool's process group if the worker dies.

Without this process, the indexer of a killed worker would go on for minutes. It imports nothing of Cairn, because it
has to start fast, and isolated from the folder that it runs in.

    launch.py <pipe> <memory bytes> <file bytes> <program> [<argument> ...]

Exit status: the tool's; 127 with a word on the pipe when it could not be started; 128 + n for signal n.
"""

import os
import resource
import select
import signal
import sys

_LOOK_MS = 50


def main() -> None:
    """Set the limits, start the tool, and wait for its end or for the worker's."""
    pipe, memory, size = (int(word) for word in sys.argv[1:4])
    command = sys.argv[4:]
    os.set_inheritable(pipe, False)
    # Data, not address space: node, Java and Go reserve far more than they ever use.
    _limit(resource.RLIMIT_DATA, memory)
    _limit(resource.RLIMIT_FSIZE, size)
    _limit(resource.RLIMIT_CORE, 0)
    pid = os.fork()
    if pid == 0:
        try:
            os.execv(command[0], command)  # noqa: S606 - by argument list
        except OSError as error:
            os.write(pipe, (error.strerror or "unknown error").encode())
        os._exit(127)
    code = os.waitstatus_to_exitcode(_waited(pid, pipe))
    os._exit(code if code >= 0 else 128 - code)


def _waited(pid: int, pipe: int) -> int:
    """The tool's status; if the worker dies before, everything in the process group is killed."""
    waiting = select.poll()
    # Only the worker's death closes the other end.
    waiting.register(pipe, 0)
    if hasattr(os, "pidfd_open"):
        tool = os.pidfd_open(pid)
        waiting.register(tool, select.POLLIN)
        if all(ready != tool for ready, _ in waiting.poll()):
            os.killpg(0, signal.SIGKILL)
        return os.waitpid(pid, 0)[1]
    # Elsewhere than on Linux nothing but a look tells both.
    while True:
        done, status = os.waitpid(pid, os.WNOHANG)
        if done:
            return status
        if waiting.poll(_LOOK_MS):
            os.killpg(0, signal.SIGKILL)


def _limit(what: int, value: int) -> None:
    _, hard = resource.getrlimit(what)
    if hard != resource.RLIM_INFINITY:
        value = min(value, hard)
    resource.setrlimit(what, (value, value))


if __name__ == "__main__":
    main()
