"""What of a commit counts, decided as in a work tree of it, entry by entry: only settings are those of now.

What a blob is to an index (the sha256 of its text, or why it is left out) is a fact of its bytes. So a blob of which
that is known is not read: a commit costs as much as it differs from what is there.
"""

import os
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING

from cairn.base.errors import OutOfRootError, PathKeyError, SymlinkLoopError
from cairn.base.values import replace
from cairn.config.project import Config, IndexSettings, ignore_fingerprint
from cairn.config.user import cairn_home
from cairn.languages.files import OTHER, language_of
from cairn.workspace.deltas import Basis
from cairn.workspace.detector import Baseline, ChangeDetector, Detection, detection_of
from cairn.workspace.eligibility import Skip, SkipReason, content_reason, largest_size, size_reason
from cairn.workspace.entries import FileEntry, TreeScan
from cairn.workspace.git import Git, GitState
from cairn.workspace.ignore import CAIRNIGNORE, GITIGNORE, RuleChain, excludes_from, parse_ignore
from cairn.workspace.links import MAX_HOPS, Walked, aliases_of
from cairn.workspace.listing import left_out_by_name
from cairn.workspace.objects import CommittedFile, CommittedTree, texts_of
from cairn.workspace.pathkey import display, find_collisions, is_text, nfc, path_key, quoted
from cairn.workspace.reads import HEAD_BYTES, content_hash
from cairn.workspace.rulefiles import read_rules
from cairn.workspace.secrets import is_private_key

if TYPE_CHECKING:
    from cairn.workspace.lastlook import LastLook
    from cairn.workspace.root import Root
    from cairn.workspace.scan import Progress

_LFS = b"version https://git-lfs.github.com/spec/"
_LEFT_OUT = {
    "binary": Skip("", SkipReason.BINARY),
    "encoding": Skip("", SkipReason.ENCODING),
    "pointer": Skip("", SkipReason.UNSUPPORTED, "a pointer of git-lfs, whose content lies elsewhere"),
}
KEY = "key "
"""Before the sha256 of a private key, which rules can take in."""
Facts = dict[str, str]
"""By the id of a blob: the sha256 of its bytes, or why no index takes them in."""


def fact_of(data: bytes, file_hash: str = "") -> str:
    """What a blob with these bytes is to an index; of a text that an index has, the sha256 is known."""
    if data.startswith(_LFS):
        return "pointer"
    if not file_hash and (reason := content_reason(data)) is not None:
        return reason.value
    return (KEY if is_private_key(data) else "") + (file_hash or content_hash(data))


class CommitDetector(ChangeDetector):
    """Detects how a commit differs from what is known; a commit never changes, so a second look finds nothing."""

    def __init__(self, root: "Root", git: Git, commit: str) -> None:
        super().__init__(root)
        work_tree, self.commit = self.tree, commit
        self.facts: Facts = {}
        """What is known of blobs; those that a look has to read are added."""
        try:
            self.rules, _ = read_rules(work_tree, "", CAIRNIGNORE)
            self.committed = self.tree = CommittedTree(git, commit)
        finally:
            work_tree.close()

    def reload(self) -> Config:
        """The settings that were read when it was opened."""
        return self.config

    def moved(self, snapshot_id: str, *, noted: bool = False) -> Mapping[str, int]:
        """Nothing: a commit is what it was."""
        return {}

    def look_to_keep(self, *, has_company: bool) -> "LastLook | None":
        """Nothing that another process could rest on."""
        return None

    def confirm(self, snapshot_id: str, found: Detection) -> None:
        """Nothing has to be proven anew."""

    def detect(
        self, baseline: Baseline | None = None, *, verify: bool = False, progress: "Progress | None" = None
    ) -> Detection:
        """Compare the commit with a baseline."""
        scan = _Look(self, self.config.index).scan()
        state = GitState(self.commit, dirty=False, untracked_included=False)
        found = detection_of(baseline or Baseline(), scan, state, Basis.DIFF, self.config)
        texts = self.committed.texts
        texts.expect([entry.raw for entry in found.entries])
        heads = {entry.raw: texts[entry.raw].data[:HEAD_BYTES] for entry in found.entries if entry.language == OTHER}
        return replace(
            found,
            entries=tuple(
                replace(entry, language=language_of(entry.key, heads.get(entry.raw, b""))) for entry in found.entries
            ),
        )


class _Look:
    """One look at a commit's tree, from the top down."""

    def __init__(self, detector: CommitDetector, settings: IndexSettings) -> None:
        self._tree, self._facts, self._settings = detector.committed, detector.facts, settings
        self._read = partial(texts_of, Git(detector.root.path), detector.commit)
        self._home = cairn_home()
        self._includes = excludes_from(settings.include)
        self._skips: dict[str, Skip] = {}
        self._rule_files = [] if detector.rules is None else [detector.rules]
        named = [file for file in self._tree.files.values() if file.raw.rpartition("/")[2] == GITIGNORE]
        self._ignores = {file.raw: data for file, data in self._read([each for each in named if each.kind == "file"])}
        self._chains: dict[str, RuleChain | None] = {}
        self._chains[""] = self._inside("", RuleChain(cairn=detector.rules, excludes=excludes_from(settings.exclude)))

    def scan(self) -> TreeScan:
        """The files that count, and why others don't."""
        found: dict[str, list[CommittedFile]] = {"file": [], "link": []}
        for file in self._tree.files.values():
            chain = self._chain(file.raw.rpartition("/")[0])
            if chain is not None and (skip := self._left_out(file, chain)) is not None:
                self._skips[file.raw] = skip
            elif chain is not None:
                found[file.kind].append(file)
        self._learn(found["file"])
        files = {file.raw: entry for file in found["file"] if (entry := self._entry(file)) is not None}
        walked = {raw for raw, chain in self._chains.items() if chain is not None}
        links = [file.raw for file in found["link"]]
        aliases, skipped = aliases_of(links, Walked(self._resolver(found["link"]), files, walked, self._skips))
        entries = sorted(files.values(), key=lambda entry: (entry.key, entry.raw))
        skips = sorted((*self._skips.values(), *skipped), key=lambda skip: (skip.path, skip.reason))
        return TreeScan(
            files=tuple(entries),
            skips=tuple(skips),
            failures=(),
            collisions=find_collisions((entry.key, entry.raw) for entry in entries),
            ignore_fingerprint=ignore_fingerprint({nfc(file.key): file.data for file in self._rule_files}),
            notes=(),
            hashed=0,
            aliases=tuple(sorted(aliases, key=lambda alias: alias.key)),
        )

    def _chain(self, folder: str) -> RuleChain | None:
        """The rules in force inside a folder; None for one that is left out."""
        if folder not in self._chains:
            outer = self._chain(folder.rpartition("/")[0])
            skip = None if outer is None else self._by_name(folder, "folder", outer)
            if skip is not None:
                self._skips[folder] = skip
            self._chains[folder] = None if outer is None or skip is not None else self._inside(folder, outer)
        return self._chains[folder]

    def _inside(self, folder: str, outer: RuleChain) -> RuleChain:
        data = self._ignores.get(f"{folder}/{GITIGNORE}" if folder else GITIGNORE)
        if data is None:
            return outer
        rules = parse_ignore(folder, GITIGNORE, data)
        self._rule_files.append(rules)
        return outer.under(rules)

    def _by_name(self, raw: str, kind: str, chain: RuleChain) -> Skip | None:
        shown = display(raw) + ("/" if kind == "folder" else "")
        if not is_text(raw.rpartition("/")[2]):
            return Skip(shown, SkipReason.ENCODING, "the name is not valid UTF-8")
        return left_out_by_name(self._tree, raw, kind, chain, self._includes, self._home)

    def _left_out(self, file: CommittedFile, chain: RuleChain) -> Skip | None:
        if file.kind == "submodule":
            skip = self._by_name(file.raw, "folder", chain)
            return skip or Skip(display(file.raw) + "/", SkipReason.SUBMODULE)
        if (skip := self._by_name(file.raw, file.kind, chain)) is not None:
            return skip
        try:
            path_key(file.raw)
        except PathKeyError as error:
            return Skip(display(file.raw), SkipReason.OUT_OF_ROOT, str(error))
        if file.kind == "file" and file.size > largest_size(self._settings):
            return Skip(display(file.raw), size_reason(file.size, self._settings), f"{file.size} bytes")
        return None

    def _learn(self, files: Sequence[CommittedFile]) -> None:
        unknown = {file.oid: file for file in files if file.oid not in self._facts}
        for file, data in self._read(list(unknown.values())):
            self._facts[file.oid] = fact_of(data)

    def _entry(self, file: CommittedFile) -> FileEntry | None:
        fact = self._facts[file.oid]
        if (skip := _LEFT_OUT.get(fact)) is not None:
            self._skips[file.raw] = replace(skip, path=display(file.raw))
            return None
        chain = self._chains[file.raw.rpartition("/")[0]]
        if fact.startswith(KEY) and not (chain is not None and chain.asks_for(file.raw)):
            self._skips[file.raw] = Skip(display(file.raw), SkipReason.SECRET, "a private key")
            return None
        key = nfc(file.raw)
        return FileEntry(key, file.raw, (0, 0, file.size, 0), fact.removeprefix(KEY), 0, language_of(key))

    def _resolver(self, links: Sequence[CommittedFile]) -> Callable[[str], str]:
        """Where links of the commit lead within it, as `links.resolve` tells it of a tree on disk."""
        targets = {file.raw: os.fsdecode(data) for file, data in self._read(links)}
        folders = set(self._chains)
        for raw in self._tree.files:
            while raw := raw.rpartition("/")[0]:
                folders.add(raw)

        def resolve(raw: str) -> str:
            here, todo, hops = "", raw.split("/")[::-1], 0
            while todo:
                part = todo.pop()
                if here not in folders:
                    raise NotADirectoryError(here)
                if part in ("", "."):
                    continue
                if part == "..":
                    if not here:
                        raise OutOfRootError(f"{quoted(raw)} leads out of the root.")
                    here = here.rpartition("/")[0]
                    continue
                path = f"{here}/{part}" if here else part
                if path not in targets:
                    here = path
                    continue
                hops += 1
                if hops > MAX_HOPS:
                    raise SymlinkLoopError(f"{quoted(raw)} takes more than {MAX_HOPS} hops.")
                if targets[path].startswith("/"):
                    raise OutOfRootError(f"{quoted(raw)} leads out of the root.")
                todo.extend(targets[path].split("/")[::-1])
            if here not in folders and here not in self._tree.files:
                raise FileNotFoundError(2, os.strerror(2), here)
            return here

        return resolve
