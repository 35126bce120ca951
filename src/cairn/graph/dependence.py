"""Which files lean on which: what an import or a lone name surely means counts, what only bears a name doesn't."""

import math
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import groupby

from cairn.base.values import dataclass
from cairn.graph.customs import Modules, Target, customs_of, family, is_header
from cairn.graph.semantics import Leanings
from cairn.graph.toplevel import inside_of
from cairn.syntax.imported import EVERYTHING, Binding, unpacked

_PROVEN, _LIKELY = 1.0, 0.5


@dataclass(frozen=True, slots=True)
class ImportOrigin:
    """The files that a name of an import comes from; none where it comes from outside of the tree."""

    paths: frozenset[str]
    weight: float


Import = tuple[str, str, str, str]
"""Path, kind, what is asked for and what is bound, as written."""
Call = tuple[str, str, str]
"""Path, name and what it is asked of."""


class Homes:
    """Which files define a name, and which offer it."""

    def __init__(self, languages: Mapping[str, str]) -> None:
        self._languages = languages
        self._own: set[tuple[str, str]] = set()
        self._top: dict[tuple[str, str], set[str]] = {}
        self._any: dict[tuple[str, str], set[str]] = {}
        self.names: set[str] = set()
        self._lone: dict[tuple[str, str, bool], frozenset[str]] = {}

    def add(self, path: str, name: str, *, at_top: bool, offered: bool) -> None:
        """Note that a file defines a name, and whether others may use it."""
        self._own.add((path, name))
        if offered:
            key = (family(self._languages[path]), name)
            self._any.setdefault(key, set()).add(path)
            self.names.add(name)
            if at_top:
                self._top.setdefault(key, set()).add(path)

    def defines(self, path: str, name: str) -> bool:
        """Whether a file defines a name."""
        return (path, name) in self._own

    def of(self, language: str, name: str, *, at_top: bool = False) -> set[str]:
        """The files of a language's kin that offer a name."""
        return (self._top if at_top else self._any).get((family(language), name)) or set()

    def lone(self, language: str, name: str, *, at_top: bool) -> frozenset[str]:
        """The only file that offers a name, with what declares it; nothing where there are several."""
        key = (family(language), name, at_top)
        known = self._lone.get(key)
        if known is None:
            found = self.of(language, name, at_top=at_top)
            bodies = {path for path in found if not is_header(path) and not path.endswith((".pyi", ".d.ts"))}
            known = self._lone[key] = frozenset(found) if len(bodies or found) == 1 else frozenset()
        return known


def dependence_of(
    languages: Mapping[str, str],
    homes: Homes,
    modules: Modules,
    imports: Iterable[Import],
    calls: Iterable[Call],
    known: Leanings,
) -> dict[tuple[str, str], float]:
    """How strongly files lean on others, (user, owner) -> weight; of whose uses are `known`, no call is guessed."""
    found: dict[tuple[str, str], float] = {}

    def vote(path: str, owners: frozenset[str], weight: float) -> None:
        for owner in owners:
            if owner != path:
                found[path, owner] = found.get((path, owner), 0.0) + weight / len(owners)

    bound: dict[str, dict[str, ImportOrigin]] = {}
    starred: dict[str, set[str]] = {}
    for path, own in groupby(imports, key=lambda item: item[0]):
        given = bound.setdefault(path, {})
        for binding, each in _bound_by(languages[path], path, own, homes, modules):
            vote(path, each.paths, each.weight * math.log(2))
            if binding.local == EVERYTHING:
                starred.setdefault(path, set()).update(each.paths)
            elif each.paths or binding.local not in given:
                given[binding.local] = each
    meant = _meaning(languages, homes, bound, starred)
    names = homes.names
    counts = Counter([call for call in calls if call[1] in names and call[0] not in known])
    for (path, name, receiver), times in counts.items():
        home = meant(path, name, receiver)
        if home is not None:
            vote(path, home.paths, home.weight * math.log1p(times))
    for path, used in known.items():
        for owners, times in used if path in languages else ():
            vote(path, owners & languages.keys(), _PROVEN * math.log1p(times))
    return found


def _bound_by(
    language: str, path: str, imports: Iterable[Import], homes: Homes, modules: Modules
) -> Iterator[tuple[Binding, ImportOrigin]]:
    """Each name that a file's imports bind, with where it comes from."""
    for _, _, source, names in imports:
        for binding in unpacked(names) or (Binding("", ""),):
            target = modules.resolve(language, path, _asked(language, source, binding))
            owners = frozenset(target.paths)
            if owners and binding.name not in ("", EVERYTHING) and not customs_of(language).paths_to_names:
                owners = _owners(language, path, source, binding.name, target, homes, modules)
            yield binding, ImportOrigin(owners, _PROVEN if target.certain else _LIKELY)


def _owners(
    language: str, path: str, source: str, name: str, target: Target, homes: Homes, modules: Modules
) -> frozenset[str]:
    """The files that define what is asked of a module: itself, one below it, or one that it passes on."""
    asked, having = frozenset(target.paths), homes.of(language, name, at_top=True)
    if asked & having:
        return asked & having
    if language == "python":
        inner = modules.resolve(language, path, inside_of(language, source, name))
        if inner.paths and not inner.rest:
            return frozenset(inner.paths)
    below = tuple(f"{each.rpartition('/')[0]}/" for each in asked if _is_front(language, each))
    passed = frozenset(each for each in having if each.startswith(below)) if below else frozenset()
    return passed if len(passed) == 1 else asked


def _meaning(
    languages: Mapping[str, str],
    homes: Homes,
    bound: Mapping[str, Mapping[str, ImportOrigin]],
    starred: Mapping[str, set[str]],
) -> Callable[[str, str, str], ImportOrigin | None]:
    nowhere: Mapping[str, ImportOrigin] = {}

    def bare(path: str, language: str, name: str) -> ImportOrigin | None:
        if homes.defines(path, name):
            return None
        known = bound.get(path, nowhere).get(name)
        if known is not None:
            return known
        offered = homes.of(language, name, at_top=True)
        if customs_of(language).sees_package:
            package = customs_of(language).package
            beside = {each for each in offered if package(each) == package(path)}
            if beside:
                return ImportOrigin(frozenset(beside), _PROVEN)
        given = starred.get(path, set()) & offered
        if given:
            return ImportOrigin(frozenset(given), _PROVEN if len(given) == 1 else _LIKELY)
        if not customs_of(language).any_file or name in customs_of(language).builtins:
            return None
        return ImportOrigin(homes.lone(language, name, at_top=not customs_of(language).any_member), _LIKELY)

    def asked_of(path: str, language: str, name: str, receiver: str) -> ImportOrigin | None:
        names = bound.get(path, nowhere)
        known = names.get(receiver) or names.get(receiver.partition(".")[0])
        if known is not None:
            if not known.paths:
                return None
            inside = known.paths & homes.of(language, name)
            if inside:
                return ImportOrigin(inside, known.weight)
        if homes.defines(path, name) or name in customs_of(language).members:
            return None
        return ImportOrigin(homes.lone(language, name, at_top=False), _LIKELY)

    def meaning(path: str, name: str, receiver: str) -> ImportOrigin | None:
        language = languages[path]
        return asked_of(path, language, name, receiver) if receiver else bare(path, language, name)

    return meaning


def _asked(language: str, source: str, binding: Binding) -> str:
    """What an import asks for: where it names a definition, the path to that."""
    if not customs_of(language).paths_to_names:
        return source
    customs = customs_of(language)
    inner = () if binding.name == EVERYTHING else binding.name.removesuffix(f".{EVERYTHING}").split(".")
    return customs.joint.join(filter(None, (customs.stem(source), *inner)))


def _is_front(language: str, path: str) -> bool:
    name = path.rpartition("/")[2]
    front = customs_of(language).front
    return front != "" and name.startswith(front)
