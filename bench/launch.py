"""Start a command from a small process and say what it used: `python -I -S bench/launch.py COMMAND...`.

The kernel counts what a child had before its exec, which is its parent's memory, into the child's
peak. This process is small, so what it starts is measured for itself.
"""

import json
import os
import sys
import time


def main() -> None:
    nothing = os.open(os.devnull, os.O_RDWR)
    streams = [(os.POSIX_SPAWN_DUP2, nothing, 0), (os.POSIX_SPAWN_DUP2, nothing, 1)]
    started = time.perf_counter()
    child = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=streams)
    _, status, used = os.wait4(child, 0)
    told = {
        "wall": time.perf_counter() - started,
        "cpu": used.ru_utime + used.ru_stime,
        "peak": used.ru_maxrss * 1024,
        "status": os.waitstatus_to_exitcode(status),
    }
    print(json.dumps(told))


if __name__ == "__main__":
    main()
