"""Synthetic trees: many source files of ordinary shape and size, the same for one seed."""

import random
import subprocess
from pathlib import Path

_WORDS = (
    "alpha beta gamma delta parse index lease segment node value tree query store cache writer reader plan token "
    "graph walk event batch merge frame scope state point chunk table field"
).split()
_KINDS = (
    ("py", "def {a}_{b}_{n}(x):\n    return {c}(x, {n})\n\n"),
    ("js", "export function {a}{n}(x) {{\n  return {b}.{c}(x, {n});\n}}\n"),
    ("go", "func {a}{n}(x int) int {{\n\treturn {b}.{c}(x, {n})\n}}\n"),
    ("md", "## {a} {b} {n}\n\nThe {c} of {a} and {b}.\n\n"),
)
_IGNORE = "*.pyc\n__pycache__/\nbuild/\n/dist\n*.log\n.venv\n!keep.log\nnode_modules/\n*.o\n*.tmp\n/docs/_build/\n"


def make_tree(root: Path, files: int, *, seed: int = 7, with_git: bool = True) -> None:
    """Write `files` files, ten to a folder, three folders deep, and commit them."""
    chance = random.Random(seed)
    root.mkdir(parents=True)
    for first in range(0, files, 10):
        folder = root / f"part{first // 1000}" / f"mod{first // 100 % 10}" / f"sub{first // 10 % 10}"
        folder.mkdir(parents=True)
        for number in range(first, min(first + 10, files)):
            suffix, template = chance.choice(_KINDS)
            pieces = (
                template.format(a=chance.choice(_WORDS), b=chance.choice(_WORDS), c=chance.choice(_WORDS), n=n)
                for n in range(chance.randint(10, 150))
            )
            (folder / f"{chance.choice(_WORDS)}_{number}.{suffix}").write_text("".join(pieces))
    (root / ".gitignore").write_text(_IGNORE)
    if with_git:
        git = ("git", "-c", "user.name=b", "-c", "user.email=b@example.invalid", "-C", str(root))
        subprocess.run((*git, "init", "-q"), check=True)
        subprocess.run((*git, "add", "-A"), check=True)
        subprocess.run((*git, "commit", "-q", "-m", "tree"), check=True)
