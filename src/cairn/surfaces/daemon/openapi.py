"""The description of the API, made from the table that also checks what it is asked."""

from collections.abc import Iterable
from typing import Any

from cairn import __version__
from cairn.surfaces.daemon.parameters import Parameter

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {
        "error": {
            "type": "object",
            "required": ["code", "message", "hint", "retryable", "retry_after_ms"],
            "properties": {
                "code": {"type": "string"},
                "message": {"type": "string"},
                "hint": {"type": "string"},
                "retryable": {"type": "boolean"},
                "retry_after_ms": {"type": ["integer", "null"]},
            },
        }
    },
}
_STATUSES = {
    "400": "what was asked makes no sense",
    "401": "the token is missing or wrong",
    "403": "refused",
    "404": "not indexed, or not there",
    "409": "has to be indexed anew",
    "429": "this client asks too much at once",
    "500": "a defect, or a damaged store",
    "503": "busy, or being indexed",
    "504": "the deadline has passed",
}


def describe(operations: Iterable[tuple[str, str, str, tuple[Parameter, ...]]]) -> dict[str, Any]:
    """OpenAPI 3.1 over (path, name, text, parameters) of each operation."""
    return {
        "openapi": "3.1.0",
        "info": {"title": "Cairn", "version": __version__, "description": "A code index that never lies."},
        "components": {
            "schemas": {"Error": _ERROR},
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{"token": []}, {}],
        "paths": {path: {"get": _operation(name, text, parameters)} for path, name, text, parameters in operations},
    }


def _operation(name: str, text: str, parameters: tuple[Parameter, ...]) -> dict[str, Any]:
    failed = {"content": {"application/json": {"schema": {"$ref": "#/components/schemas/Error"}}}}
    return {
        "operationId": name,
        "summary": text,
        "parameters": [
            {
                "name": each.name,
                "in": "query",
                "required": each.required,
                "description": each.text,
                "schema": each.schema(),
            }
            for each in parameters
        ],
        "responses": {
            "200": {
                "description": "the same document as `--json` of the command line",
                "content": {"application/json": {"schema": {"type": "object"}}},
            },
            **{status: {"description": told, **failed} for status, told in _STATUSES.items()},
        },
    }
