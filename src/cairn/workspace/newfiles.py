"""Whether a sync would take in a file that no sync has seen yet, by its path alone."""

import os

from cairn.base.errors import CairnError
from cairn.config.project import CONFIG_NAME, IndexSettings
from cairn.workspace.beneath import Beneath
from cairn.workspace.ignore import CAIRNIGNORE, RuleChain, excludes_from
from cairn.workspace.listing import left_out_by_name, list_folder
from cairn.workspace.pathkey import is_text
from cairn.workspace.rulefiles import read_rules


def says_what_counts(path: str) -> bool:
    """Whether a file says what other files mean: rules and settings, which hold once they are saved."""
    name = path.rpartition("/")[2]
    return name.startswith(".git") or name in (CONFIG_NAME, CAIRNIGNORE)


def would_count(tree: Beneath, path: str, settings: IndexSettings, own_home: str) -> bool:
    """Whether the rules of the tree take in a path that may not be there yet.

    It goes down from the root as a walk does, as far as there are folders: the names of the rest decide.
    """
    includes = excludes_from(settings.include)
    try:
        chain = RuleChain(cairn=read_rules(tree, "", CAIRNIGNORE)[0], excludes=excludes_from(settings.exclude))
        folder, parts = "", path.split("/")
        for number, name in enumerate(parts):
            if name in ("", ".", "..", ".git") or not is_text(name):
                return False
            if os.path.isdir(os.path.join(tree.root, folder)):
                listing = list_folder(
                    tree, folder, chain, enter_nested=settings.submodules, includes=includes, own_home=own_home
                )
                if listing.nested and not settings.submodules:
                    return False
                chain = listing.chain
            folder = f"{folder}/{name}" if folder else name
            kind = "file" if number == len(parts) - 1 else "folder"
            if left_out_by_name(tree, folder, kind, chain, includes, own_home) is not None:
                return False
    except (CairnError, OSError):
        return False
    return not os.path.islink(os.path.join(tree.root, path))
