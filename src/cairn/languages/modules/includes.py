"""C, C++ and Objective-C: includes beside the file, then below the folders that compilers are given."""

from cairn.languages.modules.target import NOWHERE, Target
from cairn.languages.modules.tree import Tree, ancestors, join, name_of, nearest, parent, under

_ROOTS = ("", "include", "src", "inc", "lib")
# Quotes and angle brackets look the same here, so a file of such a name may or may not be meant.
_STANDARD = frozenset(
    "assert.h complex.h ctype.h errno.h fcntl.h fenv.h float.h inttypes.h limits.h locale.h math.h memory.h setjmp.h"
    " signal.h stdalign.h stdarg.h stdatomic.h stdbool.h stddef.h stdint.h stdio.h stdlib.h string.h strings.h"
    " tgmath.h threads.h time.h uchar.h unistd.h wchar.h wctype.h pthread.h poll.h sched.h semaphore.h syslog.h"
    " termios.h utime.h windows.h".split()
)


class Includes:
    """Headers, beside the file that includes them or by the end of their path."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree

    def resolve(self, importer: str, source: str) -> Target:
        folder = parent(importer)
        asked = source.replace("\\", "/")
        beside = join(folder, asked) if not asked.startswith("/") else None
        if beside is not None and beside in self._tree.files:
            return Target((beside,), asked not in _STANDARD)
        plain = join("", asked)
        if not plain or ".." in asked.split("/"):
            return NOWHERE
        found = self._tree.ending(plain)
        if len(found) == 1:
            return Target(found, not _may_be_foreign(plain))
        near = self._near(folder, plain)
        paths = dict.fromkeys((*near, *nearest(importer, found)))
        if not paths and plain.count("/") == 1:
            # A framework's headers are asked for by its name, which need be no folder.
            paths = dict.fromkeys(nearest(importer, self._tree.ending(name_of(plain))))
        return Target(tuple(paths), False) if paths else NOWHERE

    def _near(self, folder: str, plain: str) -> list[str]:
        tried = (under(under(above, root), plain) for above in ancestors(folder) for root in _ROOTS)
        return [path for path in tried if path in self._tree.files]


def _may_be_foreign(plain: str) -> bool:
    return plain in _STANDARD or plain.startswith("sys/") or "." not in plain
