"""The steps of hints as calls of Python; what has no call there stays in plain words."""

from cairn.base.steps import NextStep

CALLS = {
    "index": "call workspace.sync()",
    "index_first": "call workspace.sync()",
    "index_folder": "call cairn.open({0!r})",
    "reindex": "call workspace.sync(reindex=True)",
    "stores": "call workspace.ask('stores')",
    "status": "call workspace.ask('status')",
    "contexts": "call workspace.ask('contexts')",
    "refresh": "call workspace.refresh()",
    "jobs": "call workspace.jobs()",
    "job": "call workspace.ask('jobs', job={0!r})",
    "edits": "call workspace.rename.edits()",
    "move": "call workspace.move.plan_move()",
    "rename": "call workspace.rename.plan()",
    "undo": "call workspace.rename.undo({0!r})",
    "recover": "call workspace.rename.recover()",
}
OPENING = {
    **CALLS,
    "index": "open it with sync=True",
    "index_first": "open it with sync=True",
    "reindex": "open it and call sync(reindex=True)",
}
"""Before there is a workspace that could be called."""


def call(step: NextStep) -> str:
    """The step as a call."""
    return _worded(step, CALLS)


def opening_call(step: NextStep) -> str:
    """The step as a call of somebody whose workspace could not be opened."""
    return _worded(step, OPENING)


def _worded(step: NextStep, calls: dict[str, str]) -> str:
    known = calls.get(step.action)
    return step.phrase() if known is None else known.format(step.argument)
