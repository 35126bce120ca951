"""From files in order to places: the best of each for a phrase, and the definitions that a long text means."""

from collections.abc import Callable, Iterator, Mapping, Sequence

from cairn.base.values import dataclass, field
from cairn.search.choice import best_row, looked_at, other_rows, symbol_of
from cairn.search.definitions import MeantDefinition, definitions_meant, in_turn
from cairn.search.mergedviews import MergedViews
from cairn.search.query import Query
from cairn.search.ranking import Ranked, Ranking, Statistics
from cairn.search.report import Report
from cairn.search.spot import ShownPlace, spot_of
from cairn.store import ChunkRow, FileAt, RowHead, SnapshotView, SymbolRow

Present = Callable[[Sequence[tuple[FileAt, str]]], Sequence[bool]]
"""Whether each of some files of the view, by their places and paths, may still be cited."""


def all_present(files: Sequence[tuple[FileAt, str]]) -> Sequence[bool]:
    """Where nothing is asked of the tree."""
    return [True] * len(files)


@dataclass(frozen=True, slots=True)
class SearchHit:
    """One place that answers a query."""

    row: ChunkRow
    score: float
    symbol: str
    """What the place defines, if anything."""
    contributions: Mapping[str, float] = field(default_factory=dict)
    """What each signal added to the score."""
    place: FileAt = field(default=(0, 0), compare=False)
    """Where the view that was asked holds the file; means nothing to any other view."""
    spot: ShownPlace = field(default=ShownPlace(0, 0, "", ""), compare=False)
    """The lines that are meant and shown."""
    others: tuple[RowHead, ...] = field(default=(), compare=False)
    """Further places of the file that answer nearly as well, where they were asked for."""
    parts: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Of a definition that a long text means: what each of its signals speaks for it, beside others of its file."""

    @property
    def path(self) -> str:
        """The path key of the file."""
        return self.row.path_key

    @property
    def file_hash(self) -> str:
        """The hash of the file's content in the snapshot."""
        return self.row.file_hash


def _batches(order: Sequence[Ranked], size: int, present: Present) -> Iterator[list[Ranked]]:
    """The files that are present, in batches, since few are left out."""
    for start in range(0, len(order), size):
        batch = order[start : start + size]
        there = present([(item.place, item.path_key) for item in batch])
        yield [item for item, is_there in zip(batch, there, strict=True) if is_there]


def best_places(
    view: SnapshotView | MergedViews,
    query: Query,
    ranking: Ranking,
    defined: Mapping[FileAt, list[SymbolRow]],
    limit: int,
    weights: Mapping[str, float],
    statistics: Statistics,
    present: Present,
    others: int,
) -> list[SearchHit]:
    """The best place of each of the best files."""
    found: list[SearchHit] = []
    terms = frozenset(query.terms)
    for known in _batches(ranking.order, limit, present):
        kinds = query.filters.kinds
        all_symbols = view.facts.symbols_at([item.place for item in known]) if kinds else {}
        chosen: list[tuple[Ranked, Sequence[SymbolRow]]] = []
        for item in known:
            symbols: Sequence[SymbolRow] = defined.get(item.place, [])
            if kinds and not symbols:
                symbols = [symbol for symbol in all_symbols[item.place] if symbol.kind in kinds]
                if not symbols:
                    continue
            chosen.append((item, symbols))
        del chosen[limit - len(found) :]
        heads = view.rows.heads({item.place: looked_at(ranking.rows_of(item), symbols) for item, symbols in chosen})
        rows = [
            (item.place, best_row(heads[item.place], ranking.rows_of(item), symbols, query, statistics.weights))
            for item, symbols in chosen
        ]
        for (item, symbols), (place, best), row in zip(chosen, rows, view.rows.chosen(rows), strict=True):
            symbol = symbol_of(row, symbols, query, statistics.weights)
            said = ranking.contributions(item, weights)
            own = view.facts.symbols_qualified(item.place, symbol) if symbol else ()
            spot = spot_of(row, symbol, own, terms)
            own_heads = heads[place]
            more = other_rows(own_heads, ranking.rows_of(item), best, others) if others else ()
            beside = tuple(own_heads[ordinal] for ordinal in more)
            found.append(SearchHit(row, round(item.score, 6), symbol, said, item.place, spot, beside))
        if len(found) == limit:
            break
    return found


@dataclass(frozen=True, slots=True)
class WantedDefinitions:
    """Which definitions may answer a long text, and how many of a file."""

    mode: str
    defined: Mapping[FileAt, list[SymbolRow]]
    most: int

    def of(self, query: Query, place: FileAt, symbols: Sequence[SymbolRow]) -> Sequence[SymbolRow] | None:
        """Those of a file that were asked for; None where all that have a body or members were."""
        if self.mode == "symbol":
            return self.defined[place]
        kinds = query.filters.kinds
        return [symbol for symbol in symbols if symbol.kind in kinds] if kinds else None


def places_meant(
    view: SnapshotView | MergedViews,
    query: Query,
    report: Report,
    ranking: Ranking,
    limit: int,
    weights: Mapping[str, float],
    statistics: Statistics,
    present: Present,
    wanted: WantedDefinitions,
) -> list[SearchHit]:
    """The best places for a long text: the best one of each file in their order, others by how much worse they are."""
    worth = dict(zip(query.terms, statistics.weights, strict=True))
    files: list[Ranked] = []
    meant: list[list[MeantDefinition]] = []
    heads: dict[FileAt, Mapping[int, RowHead]] = {}
    for batch in _batches(ranking.order, limit, present):
        symbols = view.facts.symbols_at([item.place for item in batch])
        heads |= view.rows.heads({item.place: range(len(ranking.rows_of(item))) for item in batch})
        for item in batch:
            own = wanted.of(query, item.place, symbols[item.place])
            if own is not None and not own:
                continue
            found = definitions_meant(
                report,
                worth,
                statistics.average_length,
                heads[item.place],
                ranking.rows_of(item),
                symbols[item.place],
                view.rows.text_of(item.place),
                own,
            )
            # A file is no place by itself where definitions are asked for.
            if found or own is None:
                files.append(item)
                meant.append(found)
        if len(files) >= limit:
            break
    del files[limit:], meant[limit:]
    turns = in_turn([item.score for item in files], meant, weights["place"], wanted.most)[:limit]
    rows = [
        (item.place, each.ordinal if each else best_row(heads[item.place], scores, [], query, statistics.weights))
        for item, scores, each in ((files[at], ranking.rows_of(files[at]), each) for at, each, _ in turns)
    ]
    hits = []
    for (at, each, added), row in zip(turns, view.rows.chosen(rows), strict=True):
        item = files[at]
        symbol = symbol_of(row, [], query, statistics.weights) if each is None else each.symbol.qualified_name
        spot = spot_of(row, symbol, () if each is None else (each.symbol,), frozenset(query.terms))
        said = ranking.contributions(item, weights) | ({"place": added} if added else {})
        parts = {} if each is None else each.parts
        hits.append(SearchHit(row, round(item.score + added, 6), symbol, said, item.place, spot, parts=parts))
    return hits
