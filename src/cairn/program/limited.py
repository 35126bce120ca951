"""A command beneath a limit of memory, in a process of its own.

Libraries in native code end the process where they get no memory, with words of theirs. Then this one, which waits for
it, tells the shortage instead.
"""

import os
import signal
import sys
from collections.abc import Callable, Sequence

_NATIVE = (b"OpenBLAS", b"memory allocation of", b"stack backtrace", b"thread '", b"terminate called")
"""How the last words of native code begin; they are held back until it is known that they weren't the last."""
_OF_LIBRARIES = (signal.SIGABRT, signal.SIGSEGV, signal.SIGBUS, signal.SIGILL, signal.SIGTRAP)


def run_limited(run: Callable[[], int], arguments: Sequence[str]) -> int:
    """Run something in a child and return its exit code; that of a shortage if native code ended it."""
    words, said = os.pipe()
    done, mark = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(words)
        os.close(done)
        os.dup2(said, 2)
        _be(run, mark)
    os.close(said)
    os.close(mark)
    # An interrupt reaches both, and the child answers it; what ends this process ends the child.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.signal(signal.SIGTERM, lambda number, _: os.kill(pid, number))
    held = _forwarded(words)
    _, status = os.waitpid(pid, 0)
    code = os.waitstatus_to_exitcode(status)
    if os.read(done, 1) or (code < 0 and -code not in _OF_LIBRARIES):
        os.write(2, held)
        return code if code >= 0 else 128 - code
    from cairn.base.shortage import shortage_of
    from cairn.surfaces.cli.report import report

    short = shortage_of(MemoryError())
    assert short is not None
    return report(short, "--json" in arguments)


def _be(run: Callable[[], int], mark: int) -> None:
    code: int = 1
    try:
        code = run()
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001
        sys.excepthook(*sys.exc_info())
    finally:
        for stream in (sys.stdout, sys.stderr):
            if stream is not None:
                stream.flush()
        os.write(mark, b".")
        os._exit(code)


def _forwarded(words: int) -> bytes:
    """Pass on what the child says; what may be the last words of native code is handed back instead."""
    held = b""
    with open(words, "rb") as lines:
        for line in lines:
            if held or line.startswith(_NATIVE):
                held += line
            else:
                os.write(2, line)
    return held
