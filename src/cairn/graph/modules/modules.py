"""From an import as it is written to the files that it means: one question, a table of languages."""

from collections.abc import Callable, Iterable

from cairn.graph.modules import dotted
from cairn.graph.modules.golang import Go
from cairn.graph.modules.includes import Includes
from cairn.graph.modules.javascript import JavaScript
from cairn.graph.modules.jvm import Jvm
from cairn.graph.modules.php import Php
from cairn.graph.modules.python import Python
from cairn.graph.modules.relative import Dart, Relative, Terraform, styles
from cairn.graph.modules.ruby import Ruby
from cairn.graph.modules.rust import Rust
from cairn.graph.modules.target import NOWHERE, Resolver, Target
from cairn.graph.modules.tree import Tree

MAX_SOURCE = 1000
"""Characters; facts are cut long before, and no path or module name is longer."""

_MAKERS: dict[str, Callable[[Tree], Resolver]] = {
    "bash": Relative,
    "c": Includes,
    "cpp": Includes,
    "css": styles,
    "dart": Dart,
    "go": Go,
    "groovy": Jvm,
    "hcl": Terraform,
    "html": Relative,
    "java": Jvm,
    "javascript": JavaScript,
    "julia": Relative,
    "kotlin": Jvm,
    "make": Relative,
    "objective-c": Includes,
    "php": Php,
    "python": Python,
    "ruby": Ruby,
    "rust": Rust,
    "scala": Jvm,
    "tsx": JavaScript,
    "typescript": JavaScript,
    "zig": Relative,
    **dotted.MAKERS,
}


class Modules:
    """Resolves imports over the files of one snapshot; each is worked out once."""

    def __init__(self, paths: Iterable[str], read: Callable[[str], str | None]) -> None:
        self._tree = Tree(paths, read)
        self._resolvers: dict[Callable[[Tree], Resolver], Resolver] = {}
        self._known: dict[tuple[str, str, str], Target] = {}

    def resolve(self, language: str, importer: str, source: str) -> Target:
        """The files that `source` means in a file of that language."""
        key = (language, importer, source)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._resolve(language, importer, source)
        return found

    def _resolve(self, language: str, importer: str, source: str) -> Target:
        maker = _MAKERS.get(language)
        if maker is None or not source or len(source) > MAX_SOURCE:
            return NOWHERE
        resolver = self._resolvers.get(maker)
        if resolver is None:
            resolver = self._resolvers[maker] = maker(self._tree)
        return resolver.resolve(importer, source)
