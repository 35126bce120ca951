"""What mends something, as a value: each surface words it as the command, tool, request or call that does it there.

A hint is a sentence with such steps in it. As a text it names them in plain words, which are true everywhere; a surface
that has a call for a step says that one instead.
"""

from collections.abc import Callable, Sequence

from cairn.base.values import dataclass

PHRASES = {
    "help": "read docs/reference.md",
    "index": "index the codebase",
    "index_first": "index the codebase",
    "index_folder": "index {0}",
    "index_shared": "index with a shared store in a folder",
    "preview": "look at what would be indexed",
    "preview_folder": "look at what would be indexed of {0}",
    "reindex": "index the codebase anew",
    "index_degraded": "index and accept a degraded snapshot",
    "migrate": "move the index to the engine {0}",
    "repair": "repair the store",
    "upgrade": "upgrade the store",
    "compact": "compact the store",
    "clear": "clear the index",
    "clear_all": "clear also what answers",
    "collect": "collect what nothing refers to",
    "collect_stores": "collect stores that nobody uses",
    "stores": "look at the stores",
    "status": "look at the status",
    "settings": "look at the settings",
    "edit_settings": "edit the file of the settings",
    "contexts": "look at the contexts",
    "refresh": "refresh the facts",
    "jobs": "look at the jobs",
    "job": "look at the job {0}",
    "edits": "look at the edits",
    "move": "plan the move again",
    "rename": "plan the rename again",
    "importers": "look at what imports {0}",
    "undo": "undo the edit {0}",
    "recover": "recover the edit",
    "recover_with": "recover the edit with the engine {0}",
    "open_session": "open a session",
    "add_remote": "add a remote",
    "push_askable": "push one that can be asked",
    "push_askable_again": "push it anew as one that can be asked",
}
"""Every step, in plain words; {0} is what it is done with."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """Something that the user can do next."""

    action: str
    argument: str = ""
    """What it is done with; of several words each stands on a line of its own."""

    def phrase(self) -> str:
        """The step in plain words."""
        return PHRASES[self.action].format(self.argument)


WordStep = Callable[[NextStep], str]
"""How a surface says a step: as a phrase that can begin a sentence once its first letter is a capital one."""


class Advice(str):
    """A sentence with steps in it; as a text it is the one in plain words."""

    parts: tuple[str | NextStep, ...]

    def __new__(cls, *parts: str | NextStep) -> "Advice":
        """The sentence of some parts, one after the other."""
        made = super().__new__(cls, _joined(parts, NextStep.phrase))
        made.parts = parts
        return made


def worded_hint(hint: str, word: WordStep) -> str:
    """A hint in the words of a surface; one without steps as it is."""
    return _joined(hint.parts, word) if isinstance(hint, Advice) else hint


def hint_document(hint: str) -> object:
    """A hint as JSON that `hint_from` reads, for whoever keeps it."""
    if not isinstance(hint, Advice):
        return hint
    return [part if isinstance(part, str) else [part.action, part.argument] for part in hint.parts]


def hint_from(document: object) -> str:
    """The hint that `document` was made of."""
    if isinstance(document, str):
        return document
    parts: Sequence[str | list[str]] = document if isinstance(document, list) else []
    return Advice(*(part if isinstance(part, str) else NextStep(*part) for part in parts))


def _joined(parts: Sequence[str | NextStep], word: WordStep) -> str:
    """A step that begins a sentence begins with a capital letter."""
    text = ""
    for part in parts:
        if isinstance(part, str):
            text += part
            continue
        said = word(part)
        text += said[:1].upper() + said[1:] if not text or text.endswith(". ") else said
    return text
