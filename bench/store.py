"""The snapshot store: publishing one file, opening views, reading one file."""

import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from time import perf_counter

from bench.measure import Row, by_turns, milliseconds
from cairn.embed import HashingEmbedder
from cairn.indexing import terms_of
from cairn.indexing.prepare import row_of
from cairn.store import FileRow, GitInfo, Identity, Store, Transaction, TreeFacts, pack
from cairn.syntax.lines import chunk_lines

OPENINGS = 101
ROUNDS = 9
_EMBEDDER = HashingEmbedder()
_GIT = GitInfo(None, False, True)


def run(work: Path) -> list[Row]:
    """Measure on synthetic stores."""
    with tempfile.TemporaryDirectory(dir=work) as folder:
        home = Path(folder)
        empty = _store(home, "empty")
        small = _store(home, "small")
        large = _store(home, "large")
        _publish(empty, {"first.py": _text(0)})
        _publish(small, {f"m{n // 100}/f{n}.py": _text(n) for n in range(500)})
        _publish(large, {f"m{n // 100}/f{n}.py": _text(n) for n in range(5000)})
        result: list[Row] = []
        for what, path in (("open a view", ""), ("open a view and read one file", "m0/f1.py")):
            timings = by_turns({"large": _opening(large, path), "small": _opening(small, path)}, OPENINGS)
            ours, theirs = timings["large"].middle, timings["small"].middle
            result.append(
                Row(f"{what}, 5,000 files", milliseconds(ours), f"500 files: {milliseconds(theirs)}", ours / theirs, 2)
            )
        rows = _rows(large)
        into_empty, into_large = _publish_one(empty, large)
        result.append(
            Row(
                f"publish of one file into {rows:,} rows",
                milliseconds(into_large),
                f"into an empty store: {milliseconds(into_empty)}",
                into_large / into_empty,
                1.5,
            )
        )
        many = _store(home, "many")
        for number in range(20):
            _publish(many, {f"f{number}.py": _text(number)})
        opened = by_turns({"many": _opening(many, "")}, OPENINGS)["many"].middle
        result.append(Row("open a view of 20 segments, stamps valid", milliseconds(opened), "50 ms", opened / 0.05, 1))
        return result


def _publish_one(empty: Store, large: Store) -> tuple[float, float]:
    """Medians over rounds in which both stores take turns."""
    seconds: dict[int, list[float]] = {0: [], 1: []}
    for number in range(ROUNDS):
        for place, store in enumerate((empty, large)):
            with _transaction(store) as transaction:
                started = perf_counter()
                _add(transaction, "one.py", _text(10_000 + number))
                with store.writer() as lease:
                    transaction.publish(lease, _facts(transaction))
                seconds[place].append(perf_counter() - started)
            store.compact(terms_of)
    return median(seconds[0]), median(seconds[1])


def _opening(store: Store, path: str) -> Callable[[], None]:
    def run() -> None:
        with store.view() as view:
            if path and not view.rows.of(path):
                raise RuntimeError(f"{path} is not in the view")

    return run


def _store(home: Path, name: str) -> Store:
    return Store.create(str(home), Identity(f"/bench/{name}", name, "0" * 64, "flat", _EMBEDDER.dimension))


def _publish(store: Store, files: dict[str, str]) -> None:
    with _transaction(store) as transaction, store.writer() as lease:
        for path, text in files.items():
            _add(transaction, path, text)
        transaction.publish(lease, _facts(transaction))


@contextmanager
def _transaction(store: Store) -> Iterator[Transaction]:
    from cairn.base.ulid import new_ulid

    parent = store.active()
    live: dict[str, int] = {}
    if parent is not None:
        with store.view() as view:
            live = {file.path_key: file.chunks for file in view.files()}
    with Transaction(store.layout, store.identity, parent, live, cause="sync", txn_id=new_ulid()) as transaction:
        yield transaction


def _add(transaction: Transaction, path: str, text: str) -> None:
    data = text.encode()
    chunks = chunk_lines(data, 300, 2000)
    rows = [row_of(path, number, chunk, "0" * 64, "python") for number, chunk in enumerate(chunks)]
    vectors = _EMBEDDER.embed([row.text for row in rows])
    packed = pack(FileRow(path, "0" * 64, len(data), "python", len(rows)), data, rows)
    transaction.add_file(packed, [terms_of(row) for row in rows], vectors)


def _facts(transaction: Transaction) -> TreeFacts:
    return TreeFacts("0" * 64, _GIT, transaction.live_paths)


def _rows(store: Store) -> int:
    with store.view() as view:
        return view.manifest.counts.chunks_live


def _text(seed: int) -> str:
    return "".join(f"def name_{seed}_{n}(value):\n    return value + {n} * {seed}\n\n" for n in range(55))
