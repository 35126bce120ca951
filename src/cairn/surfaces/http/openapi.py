"""The description of the API, made from the tables that also check what it is asked."""

from collections.abc import Iterable
from typing import Any

from cairn import __version__
from cairn.base.values import dataclass
from cairn.questions.fields import schema_of
from cairn.questions.head import ErrorDocument
from cairn.questions.parameters import Parameter, Schema

JSON = "application/json"
NOTHING = ""
"""The media type of an answer without a body."""
_STATUSES = {
    "400": "what was asked makes no sense",
    "401": "the token is missing or wrong",
    "403": "refused; also another Host or Origin",
    "404": "not indexed, or not there",
    "405": "another method is needed",
    "408": "the request was not whole in time",
    "409": "has to be indexed anew",
    "429": "this client asks too much at once",
    "500": "a defect, or a damaged store",
    "503": "busy, or being indexed",
    "504": "the deadline has passed",
}
_FAILED = {JSON: {"schema": {"$ref": "#/components/schemas/Error"}}}


@dataclass(frozen=True, slots=True)
class Operation:
    """One thing that can be asked for."""

    path: str
    text: str
    parameters: tuple[Parameter, ...] = ()
    answer: Schema | None = None
    """None: not JSON, or of a form that others describe."""
    media_type: str = JSON
    method: str = "get"
    body: Schema | None = None
    foreign: bool = False
    """Whether it has errors of its own, beside the daemon's."""

    @property
    def name(self) -> str:
        """The last part of its path, which its id is."""
        return self.path.rpartition("/")[2].removesuffix(".json")


def describe(operations: Iterable[Operation]) -> dict[str, Any]:
    """OpenAPI 3.1 over everything that can be asked for."""
    paths: dict[str, dict[str, Any]] = {}
    for each in operations:
        paths.setdefault(each.path, {})[each.method] = _described(each)
    return {
        "openapi": "3.1.0",
        "info": {"title": "Cairn", "version": __version__, "description": "A code index that never lies."},
        "components": {
            "schemas": {"Error": schema_of(ErrorDocument)},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
        "paths": paths,
    }


def _described(operation: Operation) -> dict[str, Any]:
    found: dict[str, Any] = {
        "operationId": operation.name,
        "summary": operation.text,
        "parameters": [
            {
                "name": each.query_name,
                "in": "query",
                "required": each.required,
                "description": each.explained,
                "schema": each.schema(),
            }
            for each in operation.parameters
        ],
        "responses": {
            **_succeeded(operation),
            **{status: {"description": said, "content": _FAILED} for status, said in _STATUSES.items()},
        },
    }
    if operation.foreign:
        found["responses"]["default"] = {"description": "as the protocol says"}
    if operation.body is not None:
        found["requestBody"] = {"required": True, "content": {JSON: {"schema": operation.body}}}
    return found


def _succeeded(operation: Operation) -> dict[str, Any]:
    if operation.media_type == NOTHING:
        return {"204": {"description": operation.text}}
    content = {operation.media_type: {} if operation.answer is None else {"schema": operation.answer}}
    return {"200": {"description": operation.text, "content": content}}
