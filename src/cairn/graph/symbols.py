"""Definitions by name: syntactic, so a name stands for everything that bears it."""

import hashlib
import re
import unicodedata
from collections.abc import Callable, Iterable, Iterator

from cairn.base.values import dataclass, field
from cairn.kernel.grams import buckets_in
from cairn.store import Located, SnapshotView, SymbolRow

_BYTES = 10


def symbol_id(path: str, qualified_name: str, ordinal: int = 0) -> str:
    """`ordinal` counts the definitions of one name in one container, as overloads are."""
    said = "\0".join((path, qualified_name, str(ordinal)))
    return "sym_" + hashlib.blake2b(said.encode("utf-8", "surrogatepass"), digest_size=_BYTES).hexdigest()


def ids_of(path: str, symbols: Iterable[SymbolRow]) -> Iterator[tuple[str, SymbolRow]]:
    """Every symbol of a file with its id, in order."""
    seen: dict[str, int] = {}
    for symbol in symbols:
        ordinal = seen.get(symbol.qualified_name, 0)
        seen[symbol.qualified_name] = ordinal + 1
        yield symbol_id(path, symbol.qualified_name, ordinal), symbol


MOST_BUCKETS = 48


def files_with(view: SnapshotView, name: str) -> list[Located]:
    """Live files that may hold a name, in order of their paths."""
    found: dict[str, Located] = {}
    for form in forms_of(name):
        buckets = buckets_in(form)[:MOST_BUCKETS]
        found |= {item.file.path_key: item for item in view.words.files_holding([(buckets,)] if buckets else [])}
    return [found[path] for path in sorted(found)]


def forms_of(name: str) -> list[bytes]:
    """Letters with accents may be written in several ways."""
    forms = (name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))
    return [form.encode() for form in dict.fromkeys(forms)]


_LOOKED_UP = 200_000
_READ = 1_500
"""Files that are read for the packages that they say they are of."""
_PACKAGE = re.compile(rb"^[ \t]*(?:package|namespace)[ \t]+([A-Za-z_][\w.\\:]*)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Definition:
    """Where something is defined."""

    path: str
    symbol: SymbolRow
    places: "tuple[Definition, ...]" = field(default=(), compare=False)
    """Where else the same thing is said, in what is shown: declarations, stubs, further parts."""


Key = tuple[str, str, int]
"""What tells definitions apart: several of one file may share their names."""


def key_of(item: Definition) -> Key:
    """What tells a definition from all others of a snapshot."""
    return item.path, item.symbol.qualified_name, item.symbol.start_line


def find_definitions(view: SnapshotView, name: str) -> list[Definition]:
    """Definitions of a name, exact case first; `owner.name` asks for those inside an owner: a type, else a module."""
    alike = [Definition(*row) for row in view.facts.symbols_with_paths([last_part(name)], _LOOKED_UP)]
    found = [item for item in alike if is_of_owner(name, item.symbol)]
    if not found:
        owner = _parts(name)[0]
        found = [item for item in alike if any(_ends_with(full, owner) for full in _containers(item))]
    if not found:
        # A package may be called otherwise than the folder that it is in.
        paths = list(dict.fromkeys(item.path for item in alike))[:_READ]
        said = {path: _packages(view.rows.whole_text_of(path) or b"") for path in paths}
        found = [
            item
            for item in alike
            for package in said.get(item.path, ())
            if _ends_with(_within(package, item), _parts(name)[0])
        ]
    found.sort(key=lambda item: (*standing(name)(item), item.path, item.symbol.name_line))
    return found


def standing(name: str) -> Callable[[Definition], tuple[bool, bool, bool]]:
    """What orders definitions of a name before their places do: exact case first, then what others can see."""
    wanted, last = asked_for(name), _parts(name)[1]
    return lambda item: (spelling(name, item) != wanted, item.symbol.name != last, not item.symbol.exported)


def last_part(name: str) -> str:
    """A name without its owners. Names in an index are text: what isn't can't be one of them."""
    return _parts(name)[1].encode("utf-8", "replace").decode()


def is_of_owner(name: str, symbol: SymbolRow) -> bool:
    """Whether a definition stands in the owner that a name asks for, if it asks for one."""
    owner = _parts(name)[0]
    return not owner or _ends_with(symbol.container, owner)


def _containers(item: Definition) -> Iterator[str]:
    """What a definition stands in with the file or the folder before it, as imports and packages name these."""
    stem = item.path.rpartition(".")[0]
    for module in (stem, stem.rpartition("/")[0]):
        yield _within(module.replace("/", "."), item)


def _within(module: str, item: Definition) -> str:
    return ".".join(filter(None, (module, item.symbol.container)))


def _packages(data: bytes) -> frozenset[str]:
    """The packages and namespaces that a file says it is of, dotted."""
    return frozenset(re.sub(r"\\|::", ".", said.decode()) for said in _PACKAGE.findall(data))


def asked_for(name: str) -> str:
    """A name as definitions write theirs."""
    return ".".join(filter(None, _parts(name)))


def spelling(name: str, item: Definition) -> str:
    """How a definition that was found by a name writes it, with as many owners as the name has."""
    owner = _parts(name)[0]
    if not is_of_owner(name, item.symbol):
        return f"{owner}.{item.symbol.name}"  # that of a module, which no definition spells
    owners = item.symbol.container.split(".")[-owner.count(".") - 1 :] if owner else ()
    return ".".join((*owners, item.symbol.name))


def _parts(name: str) -> tuple[str, str]:
    owner, _, last = re.sub(r"::|[#\\]", ".", name).rpartition(".")
    return owner, last


def _ends_with(container: str, owner: str) -> bool:
    have, want = container.casefold(), owner.casefold()
    return have == want or have.endswith(f".{want}")
