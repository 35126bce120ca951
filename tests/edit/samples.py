"""A small project with facts that a test marks itself, indexed and ready to be renamed in."""

from collections.abc import Callable, Mapping, Sequence

from cairn.codebase.codebase import Codebase
from cairn.codebase.renames import Renaming
from cairn.edit.editor import Editor, Planned
from cairn.edit.journal import Journal
from cairn.edit.plans import Plans
from cairn.edit.source.values import RENAME, EditDraft, EditRequest
from cairn.store import SemanticFlag
from tests.semantic.facts import marked, publish
from tests.trees import Repo

CONTEXT = "python:."
Words = dict[str, str]
"""What an index says of some words of a file: `word`, `word@nth`, and with `!` before where it is defined."""
Rename = Callable[..., EditDraft]
HEAD = "scip-python python x 0 "
TAKE = HEAD + "lease/take()."
LEASE = "def take(key):\n    return key\n\n\ndef both(key):\n    return take(key), take(2)\n"
USER = "from lease import take\r\n\r\n\r\ndef use():\r\n    é = 1; return take(é)\r\n"
README = "Call `take` to take a lease.\n"
FILES = {"pyproject.toml": '[project]\nname = "x"\n', "lease.py": LEASE, "user.py": USER, "README.md": README}
MARKS: Mapping[str, Mapping[str, str]] = {
    "lease.py": {"!take": TAKE, "take@2": TAKE, "take@3": TAKE},
    "user.py": {"take@1": TAKE, "take@2": TAKE},
}
UNTYPED = "def later(thing):\n    return thing.take()\n"
PLACE = ("lease.py", 1, 5)
"""Where `take` is defined."""


def tell(
    codebase: Codebase,
    marks: Mapping[str, Mapping[str, str]] = MARKS,
    *,
    flags: Mapping[str, Sequence[SemanticFlag]] | None = None,
    overrides: Sequence[tuple[str, str]] = (),
) -> None:
    """Publish facts of the files as the snapshot has them."""
    with codebase.view() as view:
        files = {
            path: list(marked((view.rows.whole_text_of(path) or b"").decode(), words)) for path, words in marks.items()
        }
    publish(codebase, CONTEXT, files, flags=flags, overrides=overrides)


def project(
    repo: Repo,
    more: Mapping[str, str] | None = None,
    marks: Mapping[str, Mapping[str, str]] = MARKS,
    *,
    flags: Mapping[str, Sequence[SemanticFlag]] | None = None,
    overrides: Sequence[tuple[str, str]] = (),
) -> Codebase:
    """The small project, with other files or contents beside, as an open codebase with facts."""
    for path, text in {**FILES, **(more or {})}.items():
        repo.write(path, text)
    repo.commit()
    codebase = Codebase(str(repo.path))
    codebase.index()
    tell(codebase, marks, flags=flags, overrides=overrides)
    return codebase


def asked(new_name: str, place: tuple[str, int, int] = PLACE) -> EditRequest:
    """The request to rename what stands at a place."""
    return EditRequest(RENAME, *place, {"new_name": new_name})


def editor(codebase: Codebase, clock: Callable[[], float]) -> Editor:
    """What `Renaming` works with, at a time of the test's own."""
    renaming = Renaming(codebase)
    layout, tree = codebase.store().layout, codebase.detector.tree
    return Editor(tree, Plans(layout, clock=clock), Journal(layout, tree), renaming._ground, renaming._head)


def places(planned: Planned) -> list[str]:
    return [f"{spot.path}:{spot.line}:{spot.column + 1}" for spot in planned.spots]


def contents(repo: Repo) -> dict[str, bytes]:
    files = (path for path in repo.path.rglob("*") if path.is_file() and ".git" not in path.parts)
    return {str(path.relative_to(repo.path)): path.read_bytes() for path in files}


def full(symbol: str) -> str:
    return symbol if symbol.startswith(("local ", "scip-")) else HEAD + symbol


def why(found: EditDraft) -> set[str]:
    """What keeps it from passing."""
    return {each.code for each in found.witness.checklist} if found.witness is not None else set()


def lines(found: EditDraft) -> list[tuple[str, int]]:
    return [(spot.path, spot.line) for spot in found.spots]
