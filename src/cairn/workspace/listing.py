"""One folder: which of its entries are candidates, folders to enter, links, or skips."""

import os
import stat

from cairn.base.errors import CairnError
from cairn.base.notes import Note
from cairn.base.values import dataclass, field
from cairn.workspace.beneath import Beneath
from cairn.workspace.eligibility import Skip, SkipReason, is_media
from cairn.workspace.exchange import ASIDE
from cairn.workspace.ignore import CAIRNIGNORE, GITIGNORE, IgnoreFile, RuleChain
from cairn.workspace.pathkey import display, is_text
from cairn.workspace.reads import NotRegularError, Stamp, TooLargeError, read_stable
from cairn.workspace.rulefiles import read_rules
from cairn.workspace.secrets import is_secret, is_secret_folder

_MAX_GITFILE_BYTES = 65_536


@dataclass(frozen=True, slots=True)
class FolderListing:
    """A folder's entries by raw root-relative path, decided under `chain`."""

    has_git: bool
    """There is a `.git` entry; whether it makes the folder a repository can change beneath it."""
    nested: bool
    chain: RuleChain
    ignore: IgnoreFile | None = None
    ignore_path: str = ""
    ignore_stamp: Stamp | None = None
    folders: tuple[str, ...] = ()
    files: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    skips: dict[str, Skip] = field(default_factory=dict)
    notes: tuple[Note, ...] = ()
    odd_attributes: bool = False


def list_folder(
    tree: Beneath, raw: str, outer: RuleChain, *, enter_nested: bool, includes: IgnoreFile | None, own_home: str
) -> FolderListing:
    """Read a folder and decide about every entry by its name and kind alone."""
    entries = _entries(tree, raw)
    names = {name for name, _ in entries}
    has_git = bool(raw) and ".git" in names
    nested = has_git and is_repository(tree, raw)
    if nested and not enter_nested:
        return FolderListing(has_git=True, nested=True, chain=outer)
    chain = outer.fresh() if nested else outer
    prefix = f"{raw}/" if raw else ""
    rules: IgnoreFile | None = None
    rules_stamp: Stamp | None = None
    notes: list[Note] = []
    if (GITIGNORE, "file") in entries:
        rules, rules_stamp = read_rules(tree, raw, GITIGNORE)
        if rules is not None:
            chain = chain.under(rules)
    for name, kind in entries:
        if kind != "file" and (name == GITIGNORE or (name == CAIRNIGNORE and not raw)):
            notes.append(Note("rules_unread", {"path": display(prefix + name)}))
    folders: list[str] = []
    files: list[str] = []
    links: list[str] = []
    skips: dict[str, Skip] = {}
    for name, kind in entries:
        # Git's own data is no part of the work tree at any depth.
        if name == ".git":
            continue
        path = prefix + name
        if not is_text(name):
            skips[path] = _skip(path, kind, SkipReason.ENCODING, "the name is not valid UTF-8")
            continue
        skip = left_out_by_name(tree, path, kind, chain, includes, own_home)
        if skip is not None:
            skips[path] = skip
        else:
            {"folder": folders, "link": links}.get(kind, files).append(path)
    return FolderListing(
        has_git=has_git,
        nested=nested,
        chain=chain,
        ignore=rules,
        ignore_path=prefix + GITIGNORE if rules is not None else "",
        ignore_stamp=rules_stamp,
        folders=tuple(folders),
        files=tuple(files),
        links=tuple(links),
        skips=skips,
        notes=tuple(notes),
        odd_attributes=any(name == ".gitattributes" and kind != "file" for name, kind in entries),
    )


def left_out_by_name(
    tree: Beneath, path: str, kind: str, chain: RuleChain, includes: IgnoreFile | None, own_home: str
) -> Skip | None:
    """Why an entry is left out whatever it holds; `chain` is that of its folder. None where nothing says so."""
    folder, _, name = path.rpartition("/")
    decision = chain.decide(name.encode(), path.encode(), kind == "folder")
    if decision.ignored:
        return _skip(path, kind, SkipReason.IGNORED, decision.why)
    if ASIDE.fullmatch(name):
        return _skip(path, kind, SkipReason.IGNORED, "left by an edit of Cairn's own that was interrupted")
    if kind == "folder":
        if is_secret_folder(name) and not decision.asked_for:
            return _skip(path, kind, SkipReason.SECRET)
        is_own = own_home and f"{tree.root}/{path}" == own_home
        return _skip(path, kind, SkipReason.IGNORED, "Cairn's own home") if is_own else None
    if kind == "other":
        return _skip(path, kind, SkipReason.SPECIAL_FILE)
    if is_secret(name, (folder or tree.root).rpartition("/")[2]) and not decision.asked_for:
        return _skip(path, kind, SkipReason.SECRET)
    if kind == "link":
        return None
    if is_media(name) and (includes is None or includes.decide(name.encode(), path.encode(), False) is None):
        return _skip(path, kind, SkipReason.UNSUPPORTED)
    return None


def _skip(path: str, kind: str, reason: SkipReason, detail: str = "") -> Skip:
    return Skip(display(path) + "/" if kind == "folder" else display(path), reason, detail)


def _entries(tree: Beneath, raw: str) -> list[tuple[str, str]]:
    """(name, kind) in byte order; kinds are file, folder, link and other."""
    fd = tree.open_folder(raw, follow=False)
    try:
        with os.scandir(fd) as found:
            return sorted([(entry.name, _kind(entry)) for entry in found])
    finally:
        os.close(fd)


def _kind(entry: os.DirEntry[str]) -> str:
    if entry.is_file(follow_symlinks=False):
        return "file"
    if entry.is_symlink():
        return "link"
    if entry.is_dir(follow_symlinks=False):
        return "folder"
    return "other"


def is_repository(tree: Beneath, raw: str) -> bool:
    """Whether a folder's `.git` makes it a repository: git's own folder, or a file that points to one."""
    path = f"{raw}/.git"
    try:
        kind = os.stat(path, dir_fd=tree.fd).st_mode
        if stat.S_ISDIR(kind):
            for part in ("HEAD", "objects", "refs"):
                os.stat(f"{path}/{part}", dir_fd=tree.fd)
            return True
        return stat.S_ISREG(kind) and read_stable(tree, path, _MAX_GITFILE_BYTES).data.startswith(b"gitdir:")
    except (FileNotFoundError, NotADirectoryError, PermissionError, TooLargeError, NotRegularError, CairnError):
        return False
