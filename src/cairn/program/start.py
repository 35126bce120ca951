"""The `cairn` command."""

import sys

__all__ = ["main"]

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence


def main(argv: "Sequence[str] | None" = None) -> int:
    """Run a command. Everything is imported in here, so that an early Ctrl-C is answered too."""
    try:
        from cairn.base.keypress import now, pressed

        pressed(None if argv is None else now())
        words = list(sys.argv[1:] if argv is None else argv)
        if argv is None and _has_limited_memory():
            from cairn.program.limited import run_limited

            return run_limited(lambda: _answered(words), words)
    except KeyboardInterrupt:
        return _interrupted()
    return _answered(words)


def _answered(words: list[str]) -> int:
    try:
        return _run(words)
    except KeyboardInterrupt:
        return _interrupted()


def _interrupted() -> int:
    sys.stderr.write("cairn: The command was interrupted.\n")
    return 12


def _has_limited_memory() -> bool:
    import resource

    return resource.getrlimit(resource.RLIMIT_AS)[0] != resource.RLIM_INFINITY


def _run(words: list[str]) -> int:
    if words[:2] == ["session", "nudge"]:
        from cairn.program.nudge import main as nudge

        return nudge()
    if words[:1] == ["complete"]:
        from cairn.surfaces.cli.complete import main as complete

        return complete(words[1:])
    from cairn.surfaces.cli.through import ask, options

    code = ask(words)
    if code is None:
        from cairn.program.command import main as run

        code = run(words)
        if words[:1] == ["search"] and code in (0, 1) and sys.stdin is not None and sys.stdin.isatty():
            from cairn.program.readiness import make_ready

            make_ready(options(words))
    if code == 0 and "--open" in words and "--open" in options(words):
        from cairn.program.command import main as run

        return run(["open"])
    return code
