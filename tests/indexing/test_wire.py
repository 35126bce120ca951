"""What a worker sends is what the parent gets."""

from dataclasses import fields

import pytest

from cairn.base.errors import IncompatibleError
from cairn.base.notes import Lift, Note
from cairn.indexing import worker
from cairn.indexing.prepare import ChunkLimits, FileSource, Prepared, prepare
from cairn.store.packed import facts_in
from cairn.workspace.reads import content_hash

CODE = b'"""Leases."""\nimport os\n\n\nclass Lease:\n    def take(self):\n        return os.getpid(self)\n'


def prepared(path: str, data: bytes, language: str) -> Prepared:
    return prepare(FileSource(path, language, content_hash(data), data), ChunkLimits(300, 100))


def test_files_arrive_as_they_were() -> None:
    files = [
        prepared("src/lease.py", CODE, "python"),
        prepared("größe/日本.txt", "größe\n".encode() * 100, "text"),
        prepared("empty", b"", "other"),
    ]
    notes = [Note("cache_locked"), Note("lines_cut", {"limit": 3}, Lift("limit", 9))]
    found, said = worker.accept(worker.answer(files, notes))
    assert said == notes
    assert found == files
    first = facts_in(found[0].packed)
    assert first.symbols
    assert first.occurrences
    assert first.edges
    for one, other in zip(found, files, strict=True):
        for part in fields(Prepared):
            assert type(getattr(one, part.name)) is type(getattr(other, part.name))
        for mine, theirs in (
            (one.packed.edges, other.packed.edges),
            (one.terms, other.terms),
        ):
            assert [type(item) for item in mine] == [type(item) for item in theirs]


def test_every_part_of_a_prepared_file_travels() -> None:
    values = {part.name: part.name.encode() for part in fields(Prepared) if part.type in (bytes, "bytes")}
    assert values
    whole = prepared("a.py", CODE, "python")
    sent = Prepared(**{part.name: values.get(part.name, getattr(whole, part.name)) for part in fields(Prepared)})
    (found,), _ = worker.accept(worker.answer([sent]))
    assert {name: getattr(found, name) for name in values} == values


def test_an_error_of_a_worker_is_raised_by_its_parent() -> None:
    with pytest.raises(IncompatibleError, match="needed") as caught:
        worker.accept(worker.refusal(IncompatibleError("Another version is needed.", hint="Run `pip`.")))
    assert caught.value.hint == "Run `pip`."
