"""The map of a repository, within a budget: what it is made of, its ways in, and the files that matter most."""

import math
from collections.abc import Collection, Iterable, Mapping, Sequence

from cairn.base import lazy
from cairn.base.values import dataclass, replace
from cairn.graph.customs import Modules, is_header, is_stub
from cairn.graph.dependence import Homes, Import, dependence_of
from cairn.graph.entities import said_once
from cairn.graph.overview import Folded, Folder, Overview, aside, overview
from cairn.graph.scopes import FUNCTIONS
from cairn.graph.semantics import Semantics
from cairn.graph.standing import reached, standings
from cairn.graph.world import World
from cairn.kernel.tokens import token_cost, token_cost_of
from cairn.store import SymbolRow
from cairn.syntax.imported import EVERYTHING, unpacked

Api = Sequence[tuple[str, Sequence[str]]]
"""(file that stands for a package, names that it offers)"""
_ROWS, _NAMES, _LANGUAGES = 12, 40, 8
"""How much of each a small map shows; a larger one shows twice that, and so on until it has all."""
_STEPS = 32
_FEW_FOLDERS = 4


@dataclass(frozen=True, slots=True)
class Head:
    """The text above the files of a map."""

    text: str
    left_out: int
    """Rows, languages and names that there was no room for."""

    @property
    def tokens(self) -> int:
        """What the text costs of a budget."""
        return token_cost_of(len(self.text.encode()))


def whole_head(said: Overview, api: Api) -> Head:
    """The head of a map with nothing left out."""
    return _head(_sections(said, api, _STEPS), None)


def head_within(said: Overview, api: Api, room: int) -> Head:
    """As many rows of each part as fit into some tokens; where not even the first ones do, as many lines as do."""
    best = None
    for step in range(_STEPS):
        found = _head(_sections(said, api, step), None)
        if found.tokens > room:
            break
        best = found
        if not found.left_out:
            break
    return best or _head(_sections(said, api, 0), room)


def in_one_line(text: str) -> str:
    """A name that may hold anything, in a text whose lines mean something."""
    return text if text.isprintable() else "".join(each if each.isprintable() else ascii(each)[1:-1] for each in text)


def counted(number: int, noun: str) -> str:
    """A number with its noun, in the plural where it must be."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


@dataclass(frozen=True, slots=True)
class _Section:
    title: str
    rows: tuple[str, ...]
    further: int
    """Rows that aren't shown, whatever the room."""
    cut: int = 0
    """What the rows themselves leave out."""


def _sections(said: Overview, api: Api, step: int) -> list[_Section]:
    rows, names = _ROWS << step, _NAMES << step
    total = sum(share.lines for share in said.languages) or 1
    languages = said.languages[: _LANGUAGES << step]
    if not step:
        languages = tuple(share for share in languages if 100 * share.lines >= total)
    more = len(said.languages) - len(languages)
    shares = [f"{share.language} {_percent(share.lines, total)}" for share in languages]
    line = "languages: " + ", ".join([*shares, *([f"{more} more"] if more else [])])

    def section(title: str, found: Sequence[str], cut: int = 0) -> _Section:
        return _Section(title, tuple(found[:rows]), max(len(found) - rows, 0), cut)

    return [
        _Section("", (line,) if shares else (), 0, more),
        section("entry points:", [f"  {in_one_line(f'{each.path}  ({each.why})')}" for each in said.entry_points]),
        section("folders:", [f"{_folder(each)}, {counted(each.lines, 'line')}" for each in said.folders]),
        section("folded (map a folder to see it):", [_folded(each) for each in said.folded]),
        # The longest rows last: more room must not show fewer of the others.
        section(
            "public API:",
            [f"  {in_one_line(path)}: {_few(offered, names)}" for path, offered in api],
            sum(max(len(offered) - names, 0) for _, offered in api[:rows]),
        ),
    ]


def _head(sections: Sequence[_Section], room: int | None) -> Head:
    kept: list[str] = []
    size = 1
    left_out = 0

    def fits(*lines: str) -> bool:
        return room is None or token_cost_of(size + sum(len(line.encode()) + 1 for line in lines)) <= room

    for section in sections:
        left_out += section.cut
        shown = 0
        for row in section.rows:
            # A title without a line below it says nothing.
            lines = (section.title, row) if section.title and not shown else (row,)
            if not fits(*lines):
                break
            kept += lines
            size += sum(len(line.encode()) + 1 for line in lines)
            shown += 1
        missing = len(section.rows) - shown + section.further
        left_out += missing
        more = f"  ({missing} more)"
        if shown and missing and fits(more):
            kept.append(more)
            size += len(more) + 1
    return Head("\n".join((*kept, "")) + "\n" if kept else "", left_out)


def _folder(folder: Folder) -> str:
    return f"  {in_one_line(folder.path) or '.'}/  {counted(folder.files, 'file')}"


def _folded(each: Folded) -> str:
    folders = [f"{in_one_line(path) or '.'}/" for path in each.folders]
    return f"  {each.kind}  {counted(each.files, 'file')} in {_few(folders, _FEW_FOLDERS, 'folders')}"


def _few(names: Sequence[str], most: int, noun: str = "names") -> str:
    shown = ", ".join(names[:most])
    return shown + (f", ... ({len(names)} {noun})" if len(names) > most else "")


def _percent(part: int, whole: int) -> str:
    return f"{100 * part // whole}%" if 100 * part >= whole else "<1%"


_SHOWN = frozenset(
    {"class", "function", "interface", "method", "struct", "enum", "trait", "type", "module", "macro", "table"}
)
_HEAD_SHARE = 0.4
"""How much of a budget the parts before the files may take."""
_ENTRIES = 12
_BODIES = (".c", ".cc", ".cpp", ".cxx", ".m", ".mm")
_GUARD = lazy.expression(r"""(?m)^if\s+__name__\s*==\s*['"]__main__['"]""")
_LEAST_ENTRY = 60
_TAKEN = 2
"""What is reached from what is installed counts so much more than what only other doors lead to."""


@dataclass(frozen=True, slots=True)
class MapEntry:
    """One file with the definitions that are worth showing."""

    path: str
    rank: float
    symbols: tuple[SymbolRow, ...]

    def text(self) -> str:
        """The lines of the map for this file."""
        lines = (f"{'  ' * (_depth(symbol.container) + 1)}{line_of(symbol)}" for symbol in self.symbols)
        return "\n".join([in_one_line(self.path), *lines, ""])


@dataclass(frozen=True, slots=True)
class Ground:
    """What a snapshot's map is made from, whatever the budget."""

    overview: Overview
    order: tuple[tuple[str, float], ...]
    """(path, rank) of every file that defines something: the code by its standing, then what lies beside it."""
    api: tuple[tuple[str, tuple[str, ...]], ...]
    """(file that stands for a package, names that it offers)"""
    sizes: Mapping[str, int]
    """The bytes that the entry of each file takes."""


@dataclass(frozen=True, slots=True)
class RepoMap:
    """What fits into a budget, and how much doesn't."""

    entries: tuple[MapEntry, ...]
    files_left_out: int
    tokens: int
    """What the parts and entries take."""
    snapshot_id: str
    budget_tokens: int
    definitions_left_out: int = 0
    """In files that are shown."""
    full_tokens: int = 0
    """The budget that would hold all of it."""
    head: str = ""
    """The parts before the files, as text."""
    head_left_out: int = 0
    """Rows and names of those parts that there was no room for."""
    overview: Overview | None = None
    api: tuple[tuple[str, tuple[str, ...]], ...] = ()

    def text(self) -> str:
        """The map as it is meant to be read: never more than the budget, with the last line about the rest."""
        return self.head + "".join(entry.text() for entry in self.entries) + self.rest

    @property
    def rest(self) -> str:
        """What is left out; empty where nothing is, or where the budget has no room for a word."""
        counts = (self.files_left_out, self.definitions_left_out, self.head_left_out)
        # Where there is little room, less is said.
        said = (_rest(*counts), _rest(self.files_left_out, 0, 0))
        fitting = (text for text in said if text and self.tokens + token_cost(text) <= self.budget_tokens)
        return next(fitting, "") if any(counts) else ""


def ground_of(world: World, gone: Collection[str] = (), semantics: Semantics | None = None) -> Ground:
    """Everything that a map of a snapshot rests on, without some files: made once for both."""
    view = world.view
    languages = {path: language for path, language in world.languages.items() if path not in gone}
    homes = Homes(languages)
    sizes: dict[str, int] = {}
    toplevel: dict[str, list[str]] = {}
    for path, name, kind, container, exported, length in view.facts.defined():
        if path in gone:
            continue
        shown = exported and kind in _SHOWN
        homes.add(path, name, at_top=not container, offered=bool(shown))
        if exported and not container:
            toplevel.setdefault(path, []).append(name)
        if shown:
            # Signatures of one function are one line, but functions of one name may be several: there is room for all.
            size = length + 3 + 2 * _depth(container)
            sizes[path] = sizes.get(path, len(in_one_line(path).encode()) + 1) + size
    modules = Modules(languages, world.text, world.view.aliases) if gone else world.modules
    imports = [item for item in view.facts.imports() if item[0] not in gone]
    calls = (item for item in view.facts.called() if item[0] not in gone) if gone else view.facts.called()
    known = semantics.leanings() if semantics is not None else {}
    links = dependence_of(languages, homes, modules, imports, calls, known)
    declared = _bodies(world, languages, sizes)
    ranks = standings(languages, links, declared)
    for stub in declared:
        if is_stub(stub, languages[stub]):
            # What only declares is a place of what defines, and no file of its own.
            del sizes[stub]
    files = [file for file in view.files() if file.path_key not in gone]
    found = overview(files, _mains(world, gone), world.text, links, ranks)
    if found.folded:
        sizes = {path: size for path, size in sizes.items() if not aside(path, languages[path])}
    taken = reached(found.installed, links)
    weighed = {path: ranks[path] * (_TAKEN if path in taken else 1) for path in sizes}
    order = sorted(((path, ranks[path]) for path in sizes), key=lambda item: (-weighed[item[0]], item[0]))
    return Ground(found, tuple(order), _api(languages, modules, found.fronts, imports, toplevel), sizes)


def _bodies(world: World, languages: Mapping[str, str], sizes: Mapping[str, int]) -> dict[str, str]:
    """Files that declare what one beside them defines: stubs, and headers of the same name."""
    found: dict[str, str] = {}
    for path in sizes:
        if is_stub(path, languages[path]):
            beside: Iterable[str] = world.stubs.get(path, ())
        elif is_header(path):
            stem = path.rpartition(".")[0]
            beside = (stem + ending for ending in _BODIES)
        else:
            continue
        found.update((path, body) for body in list(filter(sizes.__contains__, beside))[:1])
    return found


def _mains(world: World, gone: Collection[str]) -> dict[str, str]:
    """Files that are run: they define a `main`, which the system calls though others need not see it, or ask for it."""
    found = {
        item.path: "defines main"
        for item in world.namesakes("main")
        if item.symbol.kind in FUNCTIONS and not is_header(item.path)
        # Java and its kin have it in a class.
        if not item.symbol.container or "static" in item.symbol.signature.split("(")[0].split()
    }
    guarded = [path for path in world.view.occurrences.named("__name__") if path not in gone]
    return found | {path: "runs when started" for path in guarded if _GUARD.search(world.text(path) or "")}


def repo_map(world: World, ground: Ground, budget_tokens: int) -> RepoMap:
    """Files by their standing, ties by path, after what the repository is made of."""
    whole = whole_head(ground.overview, ground.api)
    full = whole.tokens + sum(map(token_cost_of, ground.sizes.values()))
    full = max(full, math.ceil(whole.tokens / _HEAD_SHARE))
    room = budget_tokens
    if full > room:
        # What is said about the rest must fit too.
        room -= token_cost(_rest(len(ground.order), full, full))
    share = int(budget_tokens * _HEAD_SHARE)
    head = head_within(ground.overview, ground.api, min(share, room) if room > 0 else share)
    spent = head.tokens
    entries: list[MapEntry] = []
    missing = 0
    for path, rank in ground.order:
        entry = MapEntry(path, rank, _in_order(said_once(world, path)))
        # One large file must not crowd out the others.
        most = room - spent if full <= budget_tokens else min(room - spent, max(room // _ENTRIES, _LEAST_ENTRY))
        kept = entry if token_cost(entry.text()) <= most else _shortened(entry, most)
        if not kept.symbols:
            break
        entries.append(kept)
        spent += token_cost(kept.text())
        missing += len(entry.symbols) - len(kept.symbols)
    return RepoMap(
        tuple(entries),
        len(ground.order) - len(entries),
        spent,
        world.snapshot_id,
        budget_tokens,
        missing,
        full,
        head.text,
        head.left_out,
        ground.overview,
        ground.api,
    )


def line_of(symbol: SymbolRow) -> str:
    """A definition in one line."""
    return symbol.signature or symbol.name


def _api(
    languages: Mapping[str, str],
    modules: Modules,
    fronts: Sequence[str],
    imports: Iterable[Import],
    toplevel: Mapping[str, Sequence[str]],
) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """What the files that stand for a package offer: their own and what they pass on."""
    passed: dict[str, list[str]] = {path: [] for path in fronts}
    for path, kind, source, names in imports:
        if path not in passed or (kind != "reexport" and languages[path] != "python"):
            continue
        paths = modules.resolve(languages[path], path, source).paths
        for binding in unpacked(names) if paths else ():
            if binding.local == EVERYTHING:
                passed[path] += (name for each in paths for name in toplevel.get(each, ()))
            elif binding.name:
                passed[path].append(binding.local)
    said = ((path, dict.fromkeys((*toplevel.get(path, ()), *passed[path]))) for path in fronts)
    kept = ((path, tuple(name for name in names if not name.startswith("_"))) for path, names in said)
    return tuple((path, names) for path, names in kept if names)


def _in_order(symbols: Sequence[SymbolRow]) -> tuple[SymbolRow, ...]:
    shown = (symbol for symbol in symbols if symbol.exported and symbol.kind in _SHOWN)
    return tuple(sorted(shown, key=lambda symbol: symbol.start_line))


def _rest(files: int, definitions: int, head: int) -> str:
    parts = [
        f"{counted(files, 'more file')}" if files else "",
        f"{counted(definitions, 'more name')} in these" if definitions else "",
        f"{counted(head, 'more row')} above" if head else "",
    ]
    said = ", ".join(filter(None, parts))
    return f"({said})\n" if said else ""


def _shortened(entry: MapEntry, budget: int) -> MapEntry:
    """As many definitions as fit, types before members."""
    kept: list[SymbolRow] = []
    for symbol in sorted(entry.symbols, key=lambda symbol: (bool(symbol.container), symbol.start_line)):
        if token_cost(replace(entry, symbols=(*kept, symbol)).text()) > budget:
            break
        kept.append(symbol)
    return replace(entry, symbols=_in_order(kept))


def _depth(container: str) -> int:
    return container.count(".") + 1 if container else 0
