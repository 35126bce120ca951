"""Notes as HTTP tells them: a parameter is one of the address.

Documents come from the command line with its sentences; they are made anew from the values beside them.
"""

import json

from cairn.base.notes import note_from
from cairn.base.text import json_text
from cairn.questions.wording import Spelling, worded

# Programs compare the warning about notes as it stands, so it names no parameter.
SPELLING = Spelling(
    {
        "limit": "limit",
        "nodes": "nodes",
        "fan_out": "fan_out",
        "depth": "depth",
        "budget_tokens": "budget",
        "paths": "glob",
    }
)


def reworded(text: str) -> str:
    """A JSON answer with its warnings in the words of this surface."""
    if '"lift"' not in text and '"notices": [{' not in text:
        return text
    document = json.loads(text)
    if "notices" in document:
        document["warnings"] = [worded(note_from(each), SPELLING) for each in document["notices"]]
    notice = (document.get("budget") or {}).get("notice")
    if notice is not None:
        document["budget"]["hint"] = worded(note_from(notice), SPELLING)
    return json_text(document) + "\n"
