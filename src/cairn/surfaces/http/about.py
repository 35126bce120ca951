"""What the page tells about a name: what it is, what changing it reaches, and the history of its file."""

import os
import re
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Any, TypedDict

from cairn.base import lazy
from cairn.daemon.host import HouseHost
from cairn.daemon.syncs import DaemonState
from cairn.graph.targets import Place, place_of
from cairn.questions.asking import Where, ask, target_meant, values_of
from cairn.questions.code import REFERENCES, SYMBOL
from cairn.questions.common import MOST_PLACES, depth_of, limit_of, name_of
from cairn.questions.fields import filled, joined, plain, schema_of
from cairn.questions.parameters import Parameter, Values
from cairn.questions.question import Asked, Document, Question
from cairn.surfaces.http.answers import spelling
from cairn.surfaces.http.endpoints import ROOT, SYNC, Endpoint, query_name
from cairn.surfaces.http.served import Look

if TYPE_CHECKING:
    from cairn.codebase.codebase import Codebase
    from cairn.readcache.answers import SourceState

SCHEMA_VERSION = 1
_WORD = re.compile(rb"[A-Za-z_$\x80-\xff][\w$\x80-\xff]*")
_FILE = Parameter("file", "string", "a file of the codebase, from its root on", required=True)
_HEAD = Parameter("head", "string", "the commit that an earlier page began at")
_OFFSET = Parameter("offset", "integer", "how many commits of the file to skip", 0, least=0, most=1_000_000)
_COMMITS = Parameter("limit", "integer", "how many commits", 30, least=1, most=1_000)
_BACK = Parameter("back", "integer", "among how many of the last commits to look", 5_000, least=1, most=10_000_000)


class _About(TypedDict):
    word: str
    text: str | None
    local: bool
    place_moved: bool
    namesakes: int


class _Commit(TypedDict):
    id: str
    at: str
    author: str
    subject: str
    path: str
    change: str


class _History(TypedDict):
    schema_version: int
    root: str
    path: str
    snapshot_id: str | None
    changed_since: bool | None
    head: str | None
    commits: list[_Commit]
    more: bool
    looked_back: int | None


def about(house: DaemonState, given: Mapping[str, Any]) -> Document:
    """What a name, or the name at a place, is: of the index, else of the scope that binds it.

    Where the file of the place is not as the snapshot has it, or nothing bears the name, the tree is looked at first.
    """
    name, root, synced = given["name"], given["root"], bool(given.get("sync"))
    place = place_of(name)
    before = _source(house, root, place)
    moved = before is not None and (before.changed or not before.indexed)
    found = _asked(house, SYMBOL, given, sync=synced or moved)
    if not (found["results"] or place or synced):
        found = _asked(house, SYMBOL, given, sync=True)
    after = _source(house, root, place) if moved else before
    local = place is not None and not found["results"]
    uses = _asked(house, REFERENCES, given, sync=False) if local else {"notices": [], "definitions": []}
    local = any(each["code"] == "local" for each in uses["notices"])
    word = _word(after, place) or (found["results"][0]["name"] if found["results"] else name)
    is_unknown = place is not None and not (found["results"] or local) and word != name
    alike = _asked(house, SYMBOL, {"name": word, "root": root, "limit": 1}, sync=False)["total"] if is_unknown else 0
    # A heading may be called like the thing that it tells of.
    found["results"].sort(key=lambda row: row["kind"] == "heading")
    return {
        **found,
        **({"results": uses["definitions"], "total": len(uses["definitions"])} if local else {}),
        "word": word,
        "text": _line(after, place),
        "local": local,
        "place_moved": after is not None and after.changed,
        "namesakes": alike,
    }


def _asked(house: DaemonState, question: Question, given: Mapping[str, Any], *, sync: bool) -> Document:
    own = {each: given[each] for each in ("name", "limit") if each in given}
    values = values_of(question, own, query_name)
    return ask(question, values, HouseHost(house, given["root"]), Where(given["root"]), sync=sync).document(
        spelling(question)
    )


def _source(house: DaemonState, root: str, place: Place | None) -> "SourceState | None":
    if place is None:
        return None
    with _opened(house, root) as codebase:
        codebase.require_readable()
        return codebase.source(os.path.join(codebase.root_path, place.path))


def _opened(house: DaemonState, root: str) -> "AbstractContextManager[Codebase]":
    return house.pool.using(root)


def _word(source: "SourceState | None", place: Place | None) -> str:
    """What is written at a place."""
    line = _line(source, place)
    if line is None or place is None or place.column is None:
        return ""
    words = _WORD.finditer(line.encode())
    found = next((each for each in words if each.start() < (place.column or 0) <= each.end()), None)
    return found[0].decode("utf-8", "replace") if found is not None else ""


def _line(source: "SourceState | None", place: Place | None) -> str | None:
    """The line of a place as it is now."""
    lines = source.source.data.split(b"\n") if source is not None else []
    if place is None or not 0 < place.line <= len(lines):
        return None
    return lines[place.line - 1].decode("utf-8", "replace")


def history(house: DaemonState, given: Mapping[str, Any]) -> _History:
    """The commits that changed a file, the latest first, a page at a time."""
    from cairn.workspace.filehistory import FileHistory, history_of

    limit, offset, back = (int(given.get(each.name, each.default)) for each in (_COMMITS, _OFFSET, _BACK))
    with _opened(house, given["root"]) as codebase:
        codebase.require_readable()
        source = codebase.source(os.path.join(codebase.root_path, given["file"]))
        git = codebase.detector.git
        path = source.source.path
        found = FileHistory(None, (), more=False, looked_back=None)
        if git is not None:
            found = history_of(git, path, limit, offset, back, given.get("head"))
        return filled(
            _History,
            found,
            schema_version=SCHEMA_VERSION,
            root=codebase.root_path,
            path=path,
            snapshot_id=source.snapshot_id,
            changed_since=source.changed,
            commits=plain(found.commits),
        )


def _reach(asked: Asked, values: Values) -> Any:
    from cairn.graph.calls import Limits

    limits = Limits(values["depth"], values["nodes"], values["fan_out"], 0)
    insight, target = asked.codebase.insight, target_meant(values["name"], asked)
    git = asked.codebase.detector.git
    return insight.tests(git, None, [target], limits, values["limit"], weak=values["weak"], synced=asked.synced)


REACH = Question(
    "reach",
    "what changing one definition reaches: users over steps, files that depend on it, and tests",
    (
        name_of(),
        depth_of(2),
        Parameter("nodes", "integer", "how many definitions", 500, least=1, most=MOST_PLACES),
        Parameter("fan_out", "integer", "how many users of each", 100, least=1, most=500),
        Parameter("weak", "boolean", "also tests for which little speaks", default=False),
        limit_of(100),
    ),
    _reach,
    lazy.function("cairn.questions.graph_documents", "impact"),
)
ENDPOINTS = (Endpoint(REACH),)
LOOKS = (
    Look(
        "/v1/about",
        "What a name is, or the name at a place: of the index, else of the scope that binds it.",
        (name_of(), limit_of(), ROOT, SYNC),
        lambda d, given: about(d.house, given),
        joined(SYMBOL.schema, schema_of(_About)),
    ),
    Look(
        "/v1/history",
        "The commits that changed a file, the latest first, under whatever name it had.",
        (_FILE, _COMMITS, _OFFSET, _HEAD, _BACK, ROOT),
        lambda d, given: history(d.house, given),
        schema_of(_History),
    ),
)
