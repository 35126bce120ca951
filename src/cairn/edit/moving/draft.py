"""The draft of a move: a definition at the top of a module goes to another one, and everybody takes it from there."""

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator

from cairn.base.errors import RefusedError
from cairn.base.values import replace
from cairn.edit.gate.account import IN_TEXT, account
from cairn.edit.gate.case import Case, WrittenName
from cairn.edit.gate.draft import EditInputs, Settled, asking, questions, resolver_of, unfit
from cairn.edit.gate.outside import outside_of
from cairn.edit.gate.readers import Readers
from cairn.edit.gate.thing import TOP, Thing, thing_at
from cairn.edit.gate.verdict import check_mutation_gate
from cairn.edit.moving.arrival import Arrival
from cairn.edit.moving.bringing import FUTURE, Bringing
from cairn.edit.moving.circle import Circle, circle_of
from cairn.edit.moving.clash import require_unused
from cairn.edit.moving.departure import LIST, Departure
from cairn.edit.moving.extent import extent_of
from cairn.edit.moving.loading import effect_line, newly_loading, no_longer_loading, registered
from cairn.edit.moving.mending import UNMENDED, Mending
from cairn.edit.moving.needs import bound_line, is_rebound, needs_of
from cairn.edit.moving.patched import replaced_names
from cairn.edit.moving.transfer import Transfer
from cairn.edit.moving.whereabouts import keepers, require_importable
from cairn.edit.source.changes import Changes
from cairn.edit.source.files import SourceFiles, name_at
from cairn.edit.source.importing import statements
from cairn.edit.source.modulenames import ModuleNames
from cairn.edit.source.texts import FileText
from cairn.edit.source.values import (
    ALL_TOO,
    DOCS_TOO,
    OK,
    OK_SYNTACTIC,
    PROVEN_ONLY,
    REFUSED,
    SEMANTIC,
    WRITTEN,
    Construct,
    EditChoice,
    EditDraft,
    EditRequest,
    OpenPlace,
    RenameTarget,
    Spot,
)
from cairn.edit.source.words import Word, words_in
from cairn.graph.customs import family
from cairn.graph.resolve import Resolver
from cairn.languages.files import language_of
from cairn.semantic.contexts.families import family_of
from cairn.workspace.exchange import NOT_THERE

_FAMILIES = ("python", "javascript")
_COMMON_JS = re.compile(rb"^\s*(?:module\.)?exports\b", re.M)


def move_draft(inputs: EditInputs, request: EditRequest, settled: Settled) -> EditDraft:
    """What a requested move would do; the request's `to_file` is the path of a file, which need not be there."""
    view, known, unindexed = inputs
    sources, to = SourceFiles(view), str(request.arguments["to_file"])
    source = sources.of(request.path)
    name, at = name_at(source, request.line, request.column)
    target = RenameTarget(name, "", "", "", request.path, request.line, at)
    resolver, title = resolver_of(view), f"move {name} to {to}"
    thing = thing_at(resolver, request.path, request.line, at + 1, name)
    try:
        if thing is None:
            raise RefusedError(f"nothing in the tree defines {name} as it is used at {request.path}:{request.line}")
        move = _Move(resolver, sources, thing, to)
    except RefusedError as error:
        return EditDraft(REFUSED, target, "", reasons=(str(error).rstrip("."),), title=title)
    answered = frozenset(settled({each.settles for each in move.constructs}))
    constructs = tuple(each for each in move.constructs if each.settles not in answered)
    whole = EditDraft(
        OK if any(spot.provenance == SEMANTIC for spot in move.account.spots) else OK_SYNTACTIC,
        replace(target, kind=thing.kind, symbol=thing.symbol),
        "",
        move.spots,
        move.hashes(),
        tuple(move.opened),
        move.account.mentions,
        constructs=constructs,
        title=title,
    )
    if move.transfer.reasons:
        return replace(whole, status=REFUSED, reasons=tuple(dict.fromkeys(move.transfer.reasons)))
    asked = questions(constructs, f"may that be {name}")
    doubts = (*unindexed.doubts(name, family_of(source.language)), *asked, *move.transfer.doubts)
    gate = check_mutation_gate(unfit(known, sources, whole.opened), opened=whole.opened, doubts=doubts)
    docs = tuple(move.documented())
    if gate.status == OK:
        return replace(whole, candidates=docs)
    said = [whole.target.symbol, to, sorted({each.why for each in whole.opened}), sorted(each.code for each in doubts)]
    return asking(whole, gate, (*move.choices(), *docs), said)


class _Move:
    """One definition on its way, found out at once."""

    def __init__(self, resolver: Resolver, sources: SourceFiles, thing: Thing, to: str) -> None:
        source = sources.of(thing.definitions[0].path)
        _require_movable(thing, source.path, source.language, to)
        if source.language != "python" and _COMMON_JS.search(source.data):
            raise RefusedError(f"{source.path} exports by assignments to `exports`, which can't be moved yet")
        there = sources.of(to) if sources.has(to) else None
        self._thing, self._sources = thing, sources
        self._made = [] if there is not None else [to, *_packages(sources, to)]
        names, changes = ModuleNames(resolver, sources, self._made), Changes(sources)
        if source.language == "python":
            require_importable(names, to, made=there is None)
        extent = extent_of(source, thing)
        self.transfer = Transfer(resolver, sources, names, changes, thing.name, source, extent, to, there)
        self.account = account(thing, sources.holding(thing.name))
        self.opened = [replace(each, choice="") for each in self.account.opened if each.choice != IN_TEXT]
        self.constructs: list[Construct] = []
        self._write()
        self._look_for_readers(resolver)
        self.spots = (*changes.spots(), *self._empty_packages())

    def _write(self) -> None:
        transfer = self.transfer
        by_path: dict[str, list[Spot]] = {}
        for spot in self.account.spots:
            by_path.setdefault(spot.path, []).append(spot)
        needs = needs_of(transfer.source, transfer.extent, transfer.name)
        arrival = Arrival(transfer.to, transfer.there, transfer.python)
        bringing = Bringing(transfer, arrival)
        definition = bringing.definition(needs)
        mending = self._mend(by_path)
        self.opened += replaced_names(transfer, [need.name for need in needs if need.line])
        stays = Departure(transfer).leave(by_path.pop(transfer.source.path, []), needs)
        self._look_for_values()
        self._look_for_conditions()
        own = by_path.get(transfer.to, [])
        self._require_free(own)
        self._look_to_the_future(arrival)
        if transfer.python and arrival.needs_checking():
            arrival.imports.insert(0, "from typing import TYPE_CHECKING")
        text = FileText(transfer.there.data) if transfer.there is not None else None
        places = [text.offset(spot.line, spot.column) for spot in own] if text is not None else []
        arrival.write(transfer.changes, definition, arrival.first_immediate(places))
        self._look_for_loading({path for path in by_path if path != transfer.to}, bringing.loaded, stays=stays)
        loading = {*mending.found.loading, *([transfer.source.path] if stays and not transfer.is_type else ())}
        circle = circle_of(transfer.resolver, transfer.to, bringing.loaded, loading)
        if circle is not None:
            self._say_circle(circle, transfer.source.path)

    def _mend(self, by_path: dict[str, list[Spot]]) -> Mending:
        transfer = self.transfer
        way = (transfer.name, transfer.source.path, transfer.to)
        mending = Mending(transfer.resolver, transfer.names, transfer.changes, *way)
        for path, spots in by_path.items():
            if path != transfer.source.path:
                mending.mend(self._sources.of(path), spots)
        if self._is_given_with_all():
            for importer, _, _ in transfer.resolver.importers.get(transfer.source.path, ()):
                mending.mend_star(self._sources.of(importer))
        self.opened += [*self._texts(), *mending.found.opened]
        transfer.reasons += mending.found.reasons
        return mending

    def _is_given_with_all(self) -> bool:
        """Whether those who take all names of the old module get this one."""
        words = words_in(self.transfer.source, self.transfer.name)
        lists = b"__all__" in self.transfer.source.data and self.transfer.python
        return any(word.listed == LIST for word in words) or (not lists and not self.transfer.name.startswith("_"))

    def _require_free(self, own: Collection[Spot]) -> None:
        transfer = self.transfer
        known = {(spot.line, spot.column) for spot in own}
        line = bound_line(transfer.there, transfer.name, known) if transfer.there is not None else 0
        if line:
            transfer.reasons.append(f"{transfer.to}:{line} has a {transfer.name} already")
        else:
            require_unused(transfer, transfer.name, self._thing.uses)

    def _look_for_values(self) -> None:
        """Whoever imports a name has the value that it has then: later ones would reach only its own module."""
        transfer = self.transfer
        if is_rebound(transfer.source, transfer.name) and len(self._thing.definitions) == 1:
            transfer.reasons.append(f"{transfer.source.path} gives {transfer.name} more than one value")
        for (path, line, _), use in self._thing.uses.items():
            if use.role == "write" and path != transfer.source.path:
                transfer.doubt("rebound_name", f"{path}:{line} gives it another value: who has to see that?")

    def _look_for_conditions(self) -> None:
        """A module that is not loaded everywhere says so at its top."""
        transfer = self.transfer
        for node in transfer.source.root.named_children if transfer.source.root is not None else ():
            ends = node.type == "if_statement" and re.search(rb"^\s+(?:raise\b|sys\.exit)", node.text or b"", re.M)
            if node.type in ("assert_statement", "raise_statement", "throw_statement") or ends:
                line = node.start_point[0] + 1
                transfer.doubt(
                    "conditional_module", f"{transfer.source.path}:{line} ends loading it: is that so there?"
                )
                return

    def _look_for_loading(self, users: set[str], loaded: set[str], *, stays: bool) -> None:
        """Whoever loaded the old module for the definition alone had all that happens there; now it is the new one."""
        transfer = self.transfer
        there = effect_line(transfer.resolver, self._sources, transfer.there) if transfer.there is not None else 0
        path = newly_loading(transfer, users | ({transfer.source.path} if stays else set())) if there else ""
        if path:
            said = f"{path} would load {transfer.to} too, where line {there} does something"
            transfer.doubt("load_effects", f"{said}: may that happen?")
        line = effect_line(transfer.resolver, self._sources, transfer.source, transfer.extent.nodes)
        path = no_longer_loading(transfer, users, loaded) if line else ""
        if path:
            said = f"{path} would no longer load {transfer.source.path}, where line {line} does something"
            transfer.doubt("load_effects", f"{said}: does that still happen?")

    def _look_to_the_future(self, arrival: Arrival) -> None:
        """Annotations that are never evaluated in the old module would be in the new one."""
        transfer = self.transfer
        has = any(each.module == "__future__" for each in statements(transfer.source))
        if not has or FUTURE.encode() not in transfer.source.data:
            return
        if transfer.there is None:
            arrival.future = FUTURE
        elif FUTURE.encode() not in transfer.there.data and any(
            b"->" in (node.text or b"") or re.search(rb"\w\s*:\s*\w", node.text or b"")
            for node in transfer.extent.nodes
        ):
            transfer.doubt("future_annotations", f"{transfer.to} lacks `{FUTURE}`: can its annotations be evaluated?")

    def _look_for_readers(self, resolver: Resolver) -> None:
        """What reads names while the program runs may look for it in its old module."""
        thing = self._thing
        case = Case(resolver, self._sources, thing)
        for each in Readers(case).found():
            if isinstance(each, WrittenName):
                if any(word[:2] == (each.line, each.column) and word.listed == LIST for word in self._words(each.path)):
                    continue  # Whoever lists it has it still; its old and its new module were seen to.
                shown = self._sources.of(each.path).text.shown(each.line)
                self.opened.append(OpenPlace(each.path, each.line, each.column, UNMENDED, shown))
            else:
                self.constructs.append(each)
        self.constructs += outside_of(case)
        if self.transfer.python:
            # Whoever may register it does so by its name, too: that is one question.
            kept = [*registered(self.transfer, thing.definitions[0]), *keepers(self.transfer, thing.definitions[0])]
            asked = {(each.path, each.line) for each in kept}
            others = (
                each for each in self.constructs if each.kind != "decorated" or (each.path, each.line) not in asked
            )
            self.constructs = [*others, *kept]
        self.constructs = list(dict.fromkeys(self.constructs))

    def _words(self, path: str) -> list[Word]:
        return words_in(self._sources.of(path), self.transfer.name)

    def _say_circle(self, circle: Circle, old: str) -> None:
        """Python can't load modules that take names of each other; JavaScript can, if these are used later."""
        way = " imports ".join(circle.way)
        out = f"move what it uses of {old} first, or both to a module of their own"
        if self.transfer.python and circle.fresh:
            self.transfer.reasons.append(f"that makes an import cycle: {way}; {out}")
        else:
            said = "That makes an import cycle" if circle.fresh else "It takes part in an import cycle"
            self.transfer.doubt("import_cycle", f"{said}: {way}. Can they still be loaded, in any order?")

    def _texts(self) -> Iterator[OpenPlace]:
        return (each for each in self.account.opened if each.choice == IN_TEXT)

    def _empty_packages(self) -> Iterator[Spot]:
        text = FileText(b"")
        return (text.spot(path, 1, 0, "", WRITTEN, new="") for path in self._made[1:])

    def hashes(self) -> dict[str, str]:
        """The files that the draft relies on, and those that it makes."""
        transfer = self.transfer
        used = {transfer.source.path, transfer.to, *self.account.code_files, *(spot.path for spot in self.spots)}
        used |= {spot.path for choice in (*self.choices(), *self.documented()) for spot in choice.spots}
        used |= {each.path for each in self.opened} | {each.path for each in self.constructs}
        return self._sources.hashes(used) | dict.fromkeys(self._made, NOT_THERE)

    def choices(self) -> Iterator[EditChoice]:
        """What can be chosen: the move by itself, and with the texts that name the old module."""
        yield EditChoice(PROVEN_ONLY, "the move, with everything that is proven", "medium", self.spots)
        texts = ((each.path, each.line, each.column) for each in self.opened if each.choice == IN_TEXT)
        more = tuple(dict.fromkeys(self._requalified(texts)))
        if more:
            yield EditChoice(ALL_TOO, "these, and the texts that give its full name", "high", (*self.spots, *more))

    def documented(self) -> Iterator[EditChoice]:
        """Prose that gives the full name."""
        found = tuple(self._requalified((each.path, each.line, each.column) for each in self.account.mentions))
        if found:
            yield EditChoice(DOCS_TOO, "comments and documents that give its full name", "low", found)

    def _requalified(self, places: Iterable[tuple[str, int, int]]) -> Iterator[Spot]:
        """`package.old.name` as `package.new.name`, where it stands in texts and nothing else is changed."""
        transfer = self.transfer
        old, new = (transfer.names.dotted(path) for path in (transfer.source.path, transfer.to))
        taken = [(spot, FileText(self._data(spot.path)).offset(spot.line, spot.column)) for spot in self.spots]
        for path, line, column in places if transfer.python else ():
            data = self._data(path)
            text = FileText(data)
            at = text.offset(line, column)
            said = re.search(rb"(?<![\w.])%s(?=[.:]\Z)" % re.escape(old.encode()), data[max(0, at - 200) : at])
            start = at - 1 - len(old.encode())
            inside = any(
                each.path == path and begin <= start < begin + len(each.text.encode()) for each, begin in taken
            )
            if said is not None and not inside:
                yield text.spot(path, *text.place(start), old, WRITTEN, new=new)

    def _data(self, path: str) -> bytes:
        return self._sources.of(path).data if self._sources.has(path) else b""


def _require_movable(thing: Thing, path: str, language: str, to: str) -> None:
    if family(language) not in _FAMILIES:
        raise RefusedError("only definitions of Python, TypeScript and JavaScript can be moved")
    if family(language_of(to)) != family(language):
        raise RefusedError(f"{to} is no file of {family(language)}")
    if thing.reach != TOP or thing.definitions[0].symbol.container:
        raise RefusedError(f"{thing.name} doesn't stand at the top of its module")
    others = sorted({item.path for item in thing.definitions} - {path})
    if others:
        raise RefusedError(f"{thing.name} is defined in several files: {path}, {', '.join(others)}")
    if to == path:
        raise RefusedError(f"{thing.name} stands there already")


def _packages(sources: SourceFiles, to: str) -> Iterator[str]:
    """What Python needs in new folders of a package."""
    folder = posixpath.dirname(to)
    while to.endswith(".py") and folder and not any(sources.beside(folder, re.compile(""))):
        above = posixpath.dirname(folder)
        if sources.has(posixpath.join(above, "__init__.py")) or (
            above and not any(sources.beside(above, re.compile("")))
        ):
            yield f"{folder}/__init__.py"
        folder = above
