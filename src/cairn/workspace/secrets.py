"""What is a secret: by its name, by its inode, by its content.

A name tells at once, before a file is opened. A hard link gives a secret another name, so a file with several links is
one if any name of its inode beneath the root is. A private key tells itself by its first line. A `!` rule of the root's
`.cairnignore` that names the file (or the folder) itself takes it back, whatever made it a secret.
"""

import os
import re
from collections.abc import Collection

from cairn.base import lazy
from cairn.base.errors import RefusedError
from cairn.workspace.beneath import Beneath
from cairn.workspace.ignore import CAIRNIGNORE, IgnoreFile
from cairn.workspace.livefiles import real_path
from cairn.workspace.rulefiles import read_rules

Inode = tuple[int, int]
"""(device, number)"""

_NAME = lazy.expression(
    r"""\.env.* | .*\.env (?:\..*)?
    | (?: id_(?:rsa|dsa|ecdsa|ed25519) (?!\.pub$) (?:\..*)? | id_[^.]+
        | \.netrc | _netrc | \.npmrc | \.pypirc | \.pgpass | \.htpasswd | \.vault-token
        | service[-_]account.*\.json | secrets\.(?:json|y.*ml) | (?:.*[-_.])?credentials (?:\.(?:json|ini|csv))?
        | .*\.tfstate (?:\..*)? | (?:terraform|.*\.auto)\.tfvars (?:\.json)?
        | .*\.(?:pem|key|p12|pfx|crt|cer|der|pk8|p8|jks|keystore|kdbx|ppk|gpg|pgp|ovpn)
      )
      (?: ~ | \.bak | \.old | \.orig | \.save )*
    """,
    re.VERBOSE | re.IGNORECASE | re.DOTALL,
)
_FOLDER = lazy.expression(r"\.ssh|\.aws|\.gnupg|\.env.*", re.IGNORECASE | re.DOTALL)
_IN_FOLDER = {".kube": "config", ".docker": "config.json"}
"""Names that are secrets in a folder of a certain name only."""
_PRIVATE_KEY = lazy.expression(
    rb"(?:\xef\xbb\xbf)?\s*(?:-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----"
    rb"|---- BEGIN SSH2 [A-Z0-9 ]*PRIVATE KEY ----|PuTTY-User-Key-File-\d)"
)


def is_secret(name: str, folder: str = "") -> bool:
    """Whether a file of this name, or a copy, is taken for a key or credentials; `folder` is its folder's name."""
    return _NAME.fullmatch(name) is not None or _IN_FOLDER.get(folder.lower()) == name.lower()


def is_secret_folder(name: str) -> bool:
    """Whether everything in a folder of this name is taken for a secret."""
    return _FOLDER.fullmatch(name) is not None


def is_private_key(data: bytes) -> bool:
    """Whether a content begins as a private key does, in PEM, OpenSSH, PGP or PuTTY's format."""
    return _PRIVATE_KEY.match(data) is not None


def require_no_secret(tree: Beneath, key: str, data: bytes) -> None:
    """RefusedError if a file with these bytes is a secret: by its content, or by any name or link that leads to it.

    Every door asks this for the very bytes that it would give.
    """
    if _is_secret_file(tree, key, data):
        raise RefusedError(
            f"{key} is a secret, which nobody is given.", hint="A line with ! in .cairnignore takes it into the index."
        )


def require_no_former_secret(tree: Beneath, key: str, data: bytes) -> None:
    """The same for what a commit has at a path: no file of the tree has these bytes, so no inode tells of them."""
    rules, _ = read_rules(tree, "", CAIRNIGNORE)
    if _by_name(tree, key, rules) or (is_private_key(data) and not _asked_for(rules, key, is_folder=False)):
        raise RefusedError(
            f"{key} is a secret, which nobody is given.", hint="A line with ! in .cairnignore takes it into the index."
        )


def _is_secret_file(tree: Beneath, key: str, data: bytes) -> bool:
    rules, _ = read_rules(tree, "", CAIRNIGNORE)
    if _by_name(tree, key, rules):
        return True
    if _asked_for(rules, key, is_folder=False):
        return False
    try:
        real = real_path(tree.root, key)
    except FileNotFoundError:
        if key not in tree.over:
            raise
        return is_private_key(data)  # it is in no file yet, so it has no other name
    if is_private_key(data) or (real != key and _by_name(tree, real, rules)):
        return True
    found = os.stat(real, dir_fd=tree.fd, follow_symlinks=False)
    inode = found.st_dev, found.st_ino
    return found.st_nlink > 1 and inode in secret_inodes(tree, {inode}, rules)


def secret_inodes(tree: Beneath, wanted: Collection[Inode], rules: IgnoreFile | None) -> dict[Inode, str]:
    """Those inodes that have the name of a secret somewhere beneath the root, and that name.

    Ignored folders are looked into as well: what a rule leaves out of the index is no less a secret for it. Only names
    are read, and this only where a file with several links is to be given.
    """
    numbers = {number for _, number in wanted}
    found: dict[Inode, str] = {}
    todo = [("", False)]
    while todo:
        raw, inside = todo.pop()
        prefix = f"{raw}/" if raw else ""
        parent = (raw or tree.root).rpartition("/")[2]
        for entry in _entries(tree, raw):
            path = prefix + entry.name
            if entry.is_dir(follow_symlinks=False):
                if entry.name != ".git":
                    todo.append((path, inside or _is_secret_folder(entry.name, path, rules)))
            elif entry.inode() in numbers and (inside or is_secret(entry.name, parent)):
                stat = entry.stat(follow_symlinks=False)
                if (stat.st_dev, stat.st_ino) in wanted and not _asked_for(rules, path, is_folder=False):
                    found[stat.st_dev, stat.st_ino] = path
    return found


def _entries(tree: Beneath, raw: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(os.path.join(tree.root, raw)) as entries:
            return list(entries)
    except OSError:
        # A folder that can't be listed holds no name that anybody could open.
        return []


def _by_name(tree: Beneath, key: str, rules: IgnoreFile | None) -> bool:
    *folders, name = key.split("/")
    for end, folder in enumerate(folders, 1):
        if _is_secret_folder(folder, "/".join(folders[:end]), rules):
            return True
    parent = folders[-1] if folders else tree.root.rpartition("/")[2]
    return is_secret(name, parent) and not _asked_for(rules, key, is_folder=False)


def _is_secret_folder(name: str, path: str, rules: IgnoreFile | None) -> bool:
    return is_secret_folder(name) and not _asked_for(rules, path, is_folder=True)


def _asked_for(rules: IgnoreFile | None, path: str, *, is_folder: bool) -> bool:
    if rules is None:
        return False
    written = os.fsencode(path)
    rule = rules.decide(written.rpartition(b"/")[2], written, is_folder)
    return rule is not None and rule.negated
