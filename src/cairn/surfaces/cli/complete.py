"""`cairn complete names|files WORD`: what shells ask while somebody types. It never fails."""

import contextlib
import os
import sys

from cairn.base.errors import CairnError


def main(arguments: list[str]) -> int:
    """Print what is offered, one to a line; nothing where nothing can be known."""
    # Whoever types is not to be disturbed.
    with contextlib.suppress(CairnError, OSError, ValueError, LookupError):
        from cairn.codebase.offers import files_offered, names_offered

        kinds, typed = arguments[0].split("+"), arguments[1] if len(arguments) > 1 else ""
        home = os.path.realpath(os.environ.get("CAIRN_HOME") or os.path.expanduser("~/.cairn"))
        here, shared = os.path.realpath(os.getcwd()), os.environ.get("CAIRN_SHARED_STORE", "")
        found = names_offered(home, here, typed, shared) if "names" in kinds else []
        found += files_offered(home, here, typed, shared) if "files" in kinds else []
        sys.stdout.write("".join(f"{each}\n" for each in found if each.isprintable()))
        sys.stdout.flush()
    return 0
