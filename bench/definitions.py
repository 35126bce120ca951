"""Functions, types and methods of real projects, beside what universal-ctags and Python's ast find there."""

import ast
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from bench import corpora, projects
from bench.ctags import CALLABLE, KINDS, Tag, tags
from bench.indexed import indexed
from bench.peers import ctags

BAR = 0.98
OURS = frozenset({"class", "constructor", "enum", "function", "interface", "method", "struct", "trait", "type"})
"""Cairn's kinds that are compared."""
_CALLABLE = CALLABLE | {"constructor"}
_SHOWN = 3


@dataclass(frozen=True, slots=True)
class Project:
    name: str
    language: str
    fetch: Callable[[Path], Path]


PROJECTS = (
    Project("Django", "python", corpora.django),
    Project("rxjs", "typescript", projects.rxjs),
    Project("grpc", "go", projects.grpc),
    Project("regex", "rust", projects.regex),
    Project("uWSGI", "c", projects.uwsgi),
)


@dataclass(frozen=True, slots=True)
class Difference:
    """What only one side has at a line, and why as far as that can be seen."""

    tag: Tag
    cause: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two lists of definitions, matched by path, name and line."""

    wanted: int
    """What the oracle has."""
    found: int
    ours: int
    missed: tuple[Difference, ...]
    extra: tuple[Difference, ...]

    @property
    def share(self) -> float:
        return self.found / self.wanted if self.wanted else 1.0


def compare(ours: Sequence[Tag], oracle: Sequence[Tag], kinds: frozenset[str]) -> Comparison:
    """Hold definitions against an oracle's; `kinds` are those of the oracle's that count."""
    wanted = {_place(tag): tag for tag in oracle if tag.kind in kinds and not tag.anonymous}
    have = {_place(tag): tag for tag in ours if tag.kind in OURS}
    missed = [tag for place, tag in wanted.items() if place not in have]
    extra = [tag for place, tag in have.items() if place not in wanted]
    made = _made_by_macros(missed, extra)
    missed = [tag for tag in missed if (tag.path, tag.line) not in made]
    extra = [tag for tag in extra if (tag.path, tag.line) not in made]
    return Comparison(
        len(wanted),
        len(wanted) - len(missed),
        len(have),
        tuple(_explained(missed, ours, extra)),
        tuple(_explained(extra, oracle, missed)),
    )


def _made_by_macros(missed: Sequence[Tag], extra: Sequence[Tag]) -> set[tuple[str, int]]:
    """Places of `XS(name) {...}`: the oracle calls the function by the macro, Cairn by its name."""
    here = {(tag.path, tag.line) for tag in extra if tag.kind == "function"}
    return {(tag.path, tag.line) for tag in missed if tag.name.isupper() and tag.kind == "function"} & here


def python_tags(path: str, source: str) -> Iterator[Tag]:
    """What Python itself says is defined in a file; nothing where it can't read it."""
    try:
        tree = ast.parse(source)
    except (SyntaxError, ValueError):
        return
    around: list[tuple[ast.AST, str]] = [(tree, "")]
    while around:
        node, scope = around.pop()
        for child in ast.iter_child_nodes(node):
            inner = scope
            if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
                inner = "class" if isinstance(child, ast.ClassDef) else "function"
                yield Tag(path, child.name, child.lineno, inner, scope)
            around.append((child, inner))


def _explained(tags: Sequence[Tag], others: Sequence[Tag], unmatched: Iterable[Tag]) -> Iterator[Difference]:
    """Why the other side lacks them: what it has there instead, or what they are."""
    there = {_place(tag): tag.kind for tag in others}
    named = {(tag.path, tag.name) for tag in unmatched}
    often = Counter((tag.path, tag.name) for tag in tags)
    seen: Counter[tuple[str, str]] = Counter((tag.path, tag.name) for tag in others)
    for tag in tags:
        if _place(tag) in there:
            cause = f"another kind there: {there[_place(tag)]}"
        elif (tag.path, tag.name) in named:
            cause = "on another line there"
        elif tag.scope_kind in _CALLABLE:
            cause = f"{tag.kind} within a function"
        elif often[tag.path, tag.name] > 1 and tag.name.isupper():
            # `XS(name) {...}`: what follows in the brackets is the name of the function, not what stands before.
            cause = "named after the macro that makes it"
        elif seen[tag.path, tag.name]:
            cause = f"one more {tag.kind} of a name that it has"
        else:
            cause = f"{tag.kind} that it lacks"
        yield Difference(tag, cause)


def _place(tag: Tag) -> tuple[str, str, int]:
    return tag.path, tag.name, tag.line


def causes(differences: Iterable[Difference]) -> list[tuple[str, int, Tag]]:
    """How many of each cause, the most frequent first, with one of them."""
    first: dict[str, Tag] = {}
    counts: Counter[str] = Counter()
    for each in differences:
        counts[each.cause] += 1
        first.setdefault(each.cause, each.tag)
    return [(cause, count, first[cause]) for cause, count in counts.most_common()]


def section(work: Path) -> str:
    program = ctags(work)
    measured: list[tuple[Project, str, Comparison]] = []
    for project in PROJECTS:
        root = project.fetch(work)
        ours, paths = _ours(work, root, project.language)
        told = tags(program, root, paths)
        measured.append((project, "ctags", compare(ours, told, KINDS[project.language])))
        if project.language == "python":
            read = [tag for path in paths for tag in python_tags(path, _text(root / path))]
            measured.append((project, "ast", compare(ours, read, frozenset({"class", "function"}))))
    _write(work / "definitions.txt", measured)
    return "\n".join([_ABOUT, "", *_table(measured), "", "What only one side has:", "", *_reasons(measured)])


def _ours(work: Path, root: Path, language: str) -> tuple[list[Tag], list[str]]:
    with indexed(work, root) as view:
        paths = sorted(path for path, spoken in view.rows.languages() if spoken == language)
        chosen = set(paths)
        symbols = [(path, symbol) for path, symbol in view.facts.all_symbols() if path in chosen]
    kinds = {(path, symbol.qualified_name): symbol.kind for path, symbol in symbols}
    return [
        Tag(path, symbol.name, symbol.name_line, symbol.kind, kinds.get((path, symbol.container), ""))
        for path, symbol in symbols
    ], paths


def _text(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace")


def _table(measured: Sequence[tuple[Project, str, Comparison]]) -> list[str]:
    lines = [
        "| project | language | oracle | it has | found, same line | share | bar | | only Cairn's |",
        "| --- | --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for project, oracle, each in measured:
        verdict = "holds" if each.share >= BAR else "MISSES"
        lines.append(
            f"| {project.name} | {project.language} | {oracle} | {each.wanted:,} | {each.found:,} "
            f"| {each.share:.1%} | {BAR:.0%} | {verdict} | {len(each.extra):,} of {each.ours:,} |"
        )
    return lines


def _reasons(measured: Sequence[tuple[Project, str, Comparison]]) -> list[str]:
    lines = ["| project | oracle | missing here | only here |", "| --- | --- | --- | --- |"]
    for project, oracle, each in measured:
        missed, extra = (_summary(causes(found)) for found in (each.missed, each.extra))
        lines.append(f"| {project.name} | {oracle} | {missed} | {extra} |")
    return lines


def _summary(found: Sequence[tuple[str, int, Tag]]) -> str:
    told = [f"{count:,} {cause}" for cause, count, _ in found[:_SHOWN]]
    rest = sum(count for _, count, _ in found[_SHOWN:])
    return "; ".join([*told, *([f"{rest:,} others"] if rest else [])])


def _write(path: Path, measured: Sequence[tuple[Project, str, Comparison]]) -> None:
    """Every difference, for whoever wants to look at one."""
    lines = []
    for project, oracle, each in measured:
        for side, differences in (("missing", each.missed), ("only ours", each.extra)):
            for difference in sorted(differences, key=lambda item: (item.cause, item.tag.path, item.tag.line)):
                tag = difference.tag
                lines.append(
                    f"{project.name}/{oracle}\t{side}\t{difference.cause}\t{tag.path}:{tag.line}\t{tag.kind} {tag.name}"
                )
    path.write_text("\n".join(lines) + "\n", encoding="utf-8", errors="replace")


_ABOUT = """Functions, types and methods, matched by path, name and line, in the files that Cairn holds. Names that
ctags makes up for what has none are left out. What differs, as far as it is not a miss:

- Overloads and members without a body count for Cairn and not for ctags (TypeScript), nor do functions that are
  values of constants, and ctags loses many members of classes there; `new` in an interface and accessors are methods
  for ctags, a signature without a name and properties for Cairn.
- Types and interfaces within functions are found by Cairn alone (Go).
- A function that a macro makes, as `XS(name) {...}`, is called `XS` by ctags and by its own name by Cairn (C), which
  counts as found. Where `#if` and `#else` cut a
  statement in half, a grammar sees braces that don't match.
- A file that Python can't read has definitions for Cairn and none for `ast`."""
