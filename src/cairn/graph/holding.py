"""Which files may hold a name."""

import unicodedata

from cairn.store import Located, SnapshotView, buckets_in

_MOST_BUCKETS = 48


def files_with(view: SnapshotView, name: str) -> list[Located]:
    """Live files that may hold a name, in order of their paths."""
    found: dict[str, Located] = {}
    for form in forms_of(name):
        buckets = buckets_in(form)[:_MOST_BUCKETS]
        found |= {item.file.path_key: item for item in view.words.files_holding([(buckets,)] if buckets else [])}
    return [found[path] for path in sorted(found)]


def forms_of(name: str) -> list[bytes]:
    """Letters with accents may be written in several ways."""
    forms = (name, unicodedata.normalize("NFC", name), unicodedata.normalize("NFD", name))
    return [form.encode() for form in dict.fromkeys(forms)]
