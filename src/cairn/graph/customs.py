"""What the record of its language lets a name or an import mean, and what kinds of names there are."""

from collections.abc import Callable, Iterable
from functools import cache, cached_property

from cairn.base.values import replace
from cairn.languages.modules.tree import NOWHERE, ModuleRules, Target, Tree
from cairn.languages.record import Customs
from cairn.languages.registry import record_of
from cairn.workspace.links import link_names

__all__ = ["Modules", "Target"]

MAX_SOURCE = 1000
"""Characters; facts are cut long before, and no path or module name is longer."""


class Modules:
    """Resolves imports over the files of one snapshot; each is worked out once.

    What no path of a file answers is looked for by the names that links give to files.
    """

    def __init__(
        self, paths: Iterable[str], read: Callable[[str], str | None], links: Iterable[tuple[str, str]] = ()
    ) -> None:
        self._paths = tuple(paths)
        self._read = read
        self._links = tuple(links)
        self._own = _TreeRules(Tree(self._paths, read))
        self._known: dict[tuple[str, str, str], Target] = {}

    def resolve(self, language: str, importer: str, source: str) -> Target:
        """The files that `source` means in a file of that language."""
        key = (language, importer, source)
        found = self._known.get(key)
        if found is None:
            found = self._known[key] = self._resolve(language, importer, source)
        return found

    def _resolve(self, language: str, importer: str, source: str) -> Target:
        maker = record_of(language).modules
        if maker is None or not source or len(source) > MAX_SOURCE:
            return NOWHERE
        found = self._own.resolve(maker, importer, source)
        if found.paths or not self._links:
            return found
        real, linked = self._linked
        found = linked.resolve(maker, importer, source)
        return replace(found, paths=tuple(dict.fromkeys(real.get(path, path) for path in found.paths)))

    @cached_property
    def _linked(self) -> tuple[dict[str, str], "_TreeRules"]:
        """The real paths of files by the names that links give them, and the rules over all names."""
        own = frozenset(self._paths)
        real = {name: path for path in self._paths for name in link_names(path, self._links) if name not in own}
        return real, _TreeRules(Tree((*self._paths, *real), lambda path: self._read(real.get(path, path))))


class _TreeRules:
    """The rules of all languages over one tree, each made with its first use."""

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._made: dict[Callable[[Tree], ModuleRules], ModuleRules] = {}

    def resolve(self, maker: Callable[[Tree], ModuleRules], importer: str, source: str) -> Target:
        rules = self._made.get(maker)
        if rules is None:
            rules = self._made[maker] = maker(self._tree)
        return rules.resolve(importer, source)


FIELDS = frozenset({"constant", "field", "property", "variable"})
_HEADERS = (".h", ".hh", ".hpp", ".hxx", ".h++", ".inl")


@cache
def customs_of(language: str) -> Customs:
    """The customs of a language, by its name."""
    return record_of(language).customs


@cache
def family(language: str) -> str:
    """Languages that call each other's names."""
    return record_of(language).family


@cache
def calls_apart(language: str) -> bool:
    """Whether a variable hides no method of its name: what is called is never a variable."""
    scoping = record_of(language).scoping
    return scoping is not None and scoping.called_apart


@cache
def called_by_name(language: str) -> bool:
    """Whether naming a function calls it, since parentheses may be left out."""
    return calls_apart(language) and not record_of(language).heads.called_values


def is_stub(path: str, language: str) -> bool:
    """Whether a file only declares what one beside it may define."""
    return any(path.endswith(ending) for ending, _ in customs_of(language).stubs)


def is_header(path: str) -> bool:
    """Whether a file is a header of C or C++."""
    return path.endswith(_HEADERS)


@cache
def hides_alike(language: str) -> bool:
    """Whether a local of which nothing is known leaves of its members the name alone, whatever leads to them."""
    return family(language) != "c" and language not in ("php", "rust")
