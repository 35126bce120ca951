"""The `cairn` command."""

import sys

__all__ = ["main"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run a command. Everything is imported in here, so that an early Ctrl-C is answered too."""
    import resource

    if argv is None and resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY:
        from cairn.program.limited import run_limited

        return run_limited(lambda: main(sys.argv[1:]), sys.argv[1:])
    try:
        if (sys.argv[1:] if argv is None else argv)[:2] == ["session", "nudge"]:
            from cairn.program.nudge import main as nudge

            return nudge()
        from cairn.surfaces.cli.through import ask

        code = ask(list(sys.argv[1:] if argv is None else argv))
        if code is not None:
            return code
        from cairn.program.command import main as run

        return run(argv)
    except KeyboardInterrupt:
        sys.stderr.write("cairn: The command was interrupted.\n")
        return 12
