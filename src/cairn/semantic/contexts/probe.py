"""Whether the files of a context can be understood at all: a few of them are parsed."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from cairn.semantic.contexts.families import families
from cairn.semantic.contexts.values import DETACHED, EMPTY, FAILED, VALID, Context, Probe
from cairn.syntax import language_of
from cairn.syntax.grammar import grammars
from cairn.syntax.parse import grammar_for

MAX_SAMPLES = 5
_MAX_LOOKS = 40
"""How many files are opened for samples: blank and huge ones are none."""
_TOLERATED = 0.1
_UNREAL = frozenset({"ERROR", "comment", "line_comment", "block_comment"})

Read = Callable[[str], bytes | None]


def probe_all(contexts: Iterable[Context], members: Mapping[str, Iterable[str]], read: Read) -> dict[str, Probe]:
    """A probe of every context, by its id."""
    return {context.id: probe(context, members.get(context.id, ()), read) for context in contexts}


def probe(context: Context, files: Iterable[str], read: Read) -> Probe:
    """Parse the first files of a context, the shortest path first.

    One file that can be parsed is enough: a broken one may be a test's input, and a context that counts as failed has
    no semantic facts at all.
    """
    if context.detached:
        return Probe(DETACHED)
    samples: list[str] = []
    valid: list[str] = []
    for path, root in _samples(files, read):
        samples.append(path)
        if _is_understood(context, root):
            valid.append(path)
    return Probe(VALID if valid else FAILED if samples else EMPTY, tuple(samples), tuple(valid))


def is_valid(context: Context, files: Iterable[str], read: Read) -> bool:
    """Whether a probe would succeed; it stops at the first file that can be parsed."""
    return not context.detached and any(_is_understood(context, root) for _, root in _samples(files, read))


def _is_understood(context: Context, root: Any) -> bool:
    tolerated = 0.0 if families()[context.family].data else _TOLERATED
    errors = _errors_in(root) if root.has_error else 0
    real = any(child.is_named and child.type not in _UNREAL for child in root.children)
    return real and (not errors or errors < root.descendant_count * tolerated)


def _samples(files: Iterable[str], read: Read) -> Iterator[tuple[str, Any]]:
    """At most five files with the roots of their trees. What has no grammar can't tell anything."""
    known = grammars()
    fit = [path for path in files if language_of(path) in known]
    found = 0
    for path in sorted(fit, key=lambda path: (len(path), path))[:_MAX_LOOKS]:
        data = read(path)
        if not data or not data.strip():
            continue
        loaded = grammar_for(path, language_of(path), data)
        if loaded is None:
            continue
        yield path, loaded.parser.parse(data).root_node
        found += 1
        if found == MAX_SAMPLES:
            return


def _errors_in(root: Any) -> int:
    """Nodes that are errors: missing ones, and what an ERROR holds directly without making sense of it."""
    count, todo = 0, [root]
    while todo:
        node = todo.pop()
        if node.is_error:
            count += 1 + sum(not child.child_count for child in node.children)
        elif node.is_missing:
            count += 1
        todo += [child for child in node.children if child.has_error]
    return count
