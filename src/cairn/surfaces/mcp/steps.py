"""The steps of hints as calls of tools; what agents have no tool for stays in plain words."""

from cairn.base.steps import NextStep

CALLS = {
    "help": "look at the schema of the tool",
    "index": "call manage_index with action=sync",
    "index_first": "call manage_index with action=create",
    "index_folder": "call manage_index with action=create, path={0}",
    "reindex": "call manage_index with action=reindex",
    "clear": "call manage_index with action=clear",
    "status": "call manage_index with action=status",
    "stores": "call list_codebases",
    "rename": "call rename_symbol with action=plan",
    "open_session": "call session_open",
}


def call(step: NextStep) -> str:
    """The step as a call."""
    known = CALLS.get(step.action)
    return step.phrase() if known is None else known.format(step.argument)
