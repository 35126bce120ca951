"""Small trees, written as paths and texts."""

from cairn.graph.customs import Modules, Target

Files = dict[str, str]


def tree(*paths: str, **texts: str) -> Files:
    """Empty files, all at once."""
    return {path: "" for each in paths for path in each.split()} | texts


def modules_of(files: Files) -> Modules:
    return Modules(files, files.get)


def found(files: Files, language: str, importer: str, source: str) -> Target:
    return modules_of(files).resolve(language, importer, source)


def sure(paths: str, *rest: str) -> Target:
    return Target(tuple(paths.split()), True, rest)


def guess(paths: str, *rest: str) -> Target:
    return Target(tuple(paths.split()), False, rest)


NOTHING = Target((), False)
