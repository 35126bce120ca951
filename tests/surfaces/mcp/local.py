"""The tools in this very process, for what needs no transport: the same gates, the same answers, much faster."""

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jsonschema

from cairn.codebase.codebase import Codebase
from cairn.config.user import cairn_home
from cairn.surfaces.mcp.access import access_to
from cairn.surfaces.mcp.server import OUTPUT
from cairn.surfaces.mcp.service import Service, ToolCall
from cairn.surfaces.mcp.size import text_of
from cairn.surfaces.mcp.tools import BY_NAME
from tests.surfaces.mcp.client import GATES, Answer


class Local:
    def __init__(self, *roots: Path, **settings: Any) -> None:
        self.service = Service(cairn_home(), **settings)
        self.see(*roots)

    def see(self, *roots: Path) -> None:
        self.access = access_to([str(root) for root in roots])

    def call(self, name: str, /, **arguments: Any) -> Answer:
        if any(each.name == "format" for each in BY_NAME[name].arguments):
            arguments = {"format": "compact", **arguments}
        answer = BY_NAME[name].call(self.service, ToolCall(self.access), arguments)
        told: Answer = json.loads(text_of(answer))
        jsonschema.Draft202012Validator(OUTPUT).validate(told)
        if "reason" in told and told["status"] != "ok":
            assert (told["status"], told["reason"]) in GATES
        return told

    def close(self) -> None:
        self.service.close()


def index(*roots: Path) -> None:
    """As `manage_index create` does, in this process."""
    for root in roots:
        with Codebase(str(root)) as codebase:
            codebase.index()


def paths_of(answer: Answer) -> Sequence[str]:
    return [item["path"] for item in answer["results"]]
