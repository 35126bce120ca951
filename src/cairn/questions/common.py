"""Parameters that many questions share."""

from typing import Any

from cairn.base.errors import UsageError
from cairn.config.project import MAX_BUDGET_TOKENS
from cairn.questions.parameters import Parameter, Values

NAME_HELP = "a name, owner.name, id or FILE:LINE[:COLUMN]"
MOST_PLACES = 2_000
MOST_STEPS = 10
ALL_ROLES = "all"


AT = Parameter("at", "string", "as of this commit", metavar="REV")
"""The commit that is asked in place of the tree as it is."""

REMOTE = Parameter("remote", "string", "the snapshot of this remote, without an index", metavar="NAME")
"""The remote of the user's that is asked in place of an index."""


def name_of(metavar: str = "NAME|FILE:LINE") -> Parameter:
    """What is asked about, by its name or by a place where it stands."""
    return Parameter("name", "string", NAME_HELP, required=True, flag=None, metavar=metavar)


def file_of() -> Parameter:
    """A file of the codebase."""
    return Parameter("file", "string", "a file of the codebase", required=True, flag=None, metavar="FILE", is_path=True)


def limit_of(default: int = 50, most: int = MOST_PLACES) -> Parameter:
    """How many places the answer holds."""
    return Parameter(
        "limit", "integer", "how many", default, least=1, most=most, flag="--limit", short="-k", metavar="N"
    )


FILES = ("paths", "not_paths", "no_tests")
"""The parameters by which an answer keeps to some files."""
FILES_OF_TOOLS = {"paths": "include", "not_paths": "exclude"}


def files_of() -> tuple[Parameter, ...]:
    """Which files the answer keeps to."""
    return (
        Parameter("paths", "strings", "only these globs", flag="--path", metavar="GLOB", http="glob"),
        Parameter("not_paths", "strings", "none of these globs", flag="--not-path", metavar="GLOB", http="not_glob"),
        Parameter("no_tests", "boolean", "without tests", default=False),
    )


def wanted_of(values: Values, within: tuple[str, ...] = ()) -> Any:
    """What the answer keeps to, by these, by where it is looked for, and by the role of a use."""
    from cairn.graph.wanted import Wanted
    from cairn.workspace.wildmatch import split_globs

    role = values.get("role", ALL_ROLES)
    paths, others = split_globs(values["paths"])
    others += tuple(values["not_paths"])
    return Wanted("" if role == ALL_ROLES else role, paths, others, values["no_tests"], within)


def require_tests(values: Values, spell: Any) -> None:
    """UsageError where only tests are asked for, and none of them."""
    if values["role"] == "tests" and values["no_tests"]:
        raise UsageError(f"{spell('no_tests')} leaves nothing of {spell('role')}=tests.", hint="Leave one of them out.")


def depth_of(default: int) -> Parameter:
    """How many steps are followed."""
    return Parameter("depth", "integer", "how many steps", default, least=1, most=MOST_STEPS, metavar="N")


def budget_of(default: int | None = None, help: str = "as much as fits into so many tokens") -> Parameter:
    """How large the answer may be."""
    return Parameter(
        "budget_tokens",
        "integer",
        help,
        default,
        least=1,
        most=MAX_BUDGET_TOKENS,
        flag="--budget",
        metavar="TOKENS",
        http="budget",
    )
