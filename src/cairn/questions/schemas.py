"""What the documents of the API hold, as JSON schemas: `path:s line:i` says it in short.

Types are s(tring), i(nteger), n(umber), b(oolean), o(bject); `*` before a name means that it may be
missing, `?` after a type that it may be null. A test holds the documents against them.
"""

from typing import Any

Schema = dict[str, Any]
_TYPES = {"s": "string", "i": "integer", "n": "number", "b": "boolean", "o": "object"}


def fields(said: str, **more: Schema) -> Schema:
    """An object with these fields."""
    required, properties = list(more), dict(more)
    for word in said.split():
        name, _, kind = word.partition(":")
        if not name.startswith("*"):
            required.append(name)
        found = _TYPES[kind.rstrip("?")]
        properties[name.lstrip("*")] = {"type": [found, "null"] if kind.endswith("?") else found}
    return {"type": "object", "required": sorted(required), "properties": properties}


def listed(items: Schema) -> Schema:
    """The schema of a list."""
    return {"type": "array", "items": items}


def _plus(first: Schema, second: Schema) -> Schema:
    return {
        "type": "object",
        "required": sorted({*first["required"], *second["required"]}),
        "properties": {**first["properties"], **second["properties"]},
    }


_TEXTS = listed({"type": "string"})
_NOTICES = listed(fields("code:s *lift:o"))
_NUMBERS: Schema = {"type": "object", "additionalProperties": {"type": "number"}}
_GIT = fields("head:s? dirty:b *untracked_included:b")
_ERROR = fields("code:s message:s hint:s")
_NO_ERROR: Schema = {"anyOf": [_ERROR, {"type": "null"}]}
ENVELOPE = fields("", error=fields("code:s message:s hint:s retryable:b retry_after_ms:i?"))
_FRESHNESS = fields("synced:b checked:s moved:b?")
_BASIS = fields(
    "schema_version:i request_id:s root:s store_id:s snapshot_id:s config_fingerprint:s ignore_fingerprint:s "
    "degraded:b",
    git=_GIT,
    freshness=_FRESHNESS,
    warnings=_TEXTS,
    notices=_NOTICES,
    limits_hit=_TEXTS,
    timings_ms=_NUMBERS,
)
"""What every answer about one codebase says of itself."""
_HEAD = fields(
    "schema_version:i root:s? snapshot_id:s? freshness:o?",
    warnings=_TEXTS,
    notices=_NOTICES,
    limits_hit=_TEXTS,
    timings_ms=_NUMBERS,
)
"""What every document of a question begins with; null or empty where it rests on no snapshot."""
_SEVERAL = _plus(
    _HEAD,
    fields("request_id:s *store_id:s *config_fingerprint:s *ignore_fingerprint:s *degraded:b *git:o *codebases:o"),
)
"""The same for one codebase or several: several have one row each in `codebases`."""
_SEVERAL["properties"]["codebases"] = listed(
    _plus(
        fields("root:s snapshot_id:s? freshness:o? *error:o", timings_ms=_NUMBERS, limits_hit=_TEXTS),
        fields("", warnings=_TEXTS, notices=_NOTICES),
    )
)
_NODE = fields("id:s path:s name:s kind:s line:i end_line:i signature:s depth:i changed_since:b?")

SEARCH = _plus(
    _SEVERAL,
    fields(
        "query_fingerprint:s degraded:b *budget:o",
        results=listed(
            fields(
                "path:s start_line:i end_line:i kind:s language:s? symbol:s? score:n text:s changed_since:b? "
                "*root:s *snapshot_id:s *explain:o *chunk:o *form:s *tokens:i *column:i *match:s *text_column:i *cut:b"
            )
        ),
    ),
)
SYMBOL = _plus(
    _SEVERAL,
    fields(
        "name:s total:i otherwise:o *semantic:i",
        results=listed(
            fields(
                "path:s line:i start_line:i end_line:i name:s qualified_name:s kind:s signature:s layer:s "
                "changed_since:b? *id:s *root:s *snapshot_id:s *container:s? *exported:b *doc:s?"
            )
        ),
    ),
)
REFS = _plus(
    _SEVERAL,
    fields(
        "total:i unresolved:i elsewhere:i complete:b *name:s *definitions:o *tiers:o *layers:o",
        results=listed(
            fields(
                "path:s line:i column:i name:s role:s within:s? tier:s layer:s target:s? text:s changed_since:b? "
                "*root:s *snapshot_id:s"
            )
        ),
    ),
)
REFS["properties"]["definitions"] = listed(
    fields(
        "path:s line:i name:s kind:s *start_line:i *end_line:i *qualified_name:s *signature:s *container:s? "
        "*exported:b *doc:s? *layer:s *changed_since:b? *root:s"
    )
)
CALLGRAPH = _plus(
    _BASIS,
    fields(
        "direction:s unresolved:i notesTruncated:b totalNoteCount:i returnedNoteCount:i",
        roots=_TEXTS,
        nodes=listed(_NODE),
        edges=listed({"type": "object"}),
        notes=listed(fields("file:s type:s *symbolId:s? startLine:i? detail:s")),
    ),
)
OUTLINE = _plus(
    _BASIS,
    fields(
        "path:s language:s? status:s changed_since:b? left_out:i full_tokens:i",
        suggestions=listed({}),
        symbols=listed(
            fields(
                "id:s parent:s? depth:i name:s qualified_name:s kind:s signature:s start_line:i end_line:i exported:b"
            )
        ),
    ),
)
MAP = _plus(
    _BASIS,
    fields(
        "budget_tokens:i tokens:i full_tokens:i files_left_out:i definitions_left_out:i head_left_out:i text:s",
        languages=listed(fields("language:s files:i lines:i")),
        folders=listed(fields("path:s files:i lines:i language:s?")),
        entry_points=listed({}),
        tests=listed({}),
        public_api=listed({}),
        hubs=listed(fields("path:s rank:n changed_since:b?", symbols=listed({}))),
    ),
)
IMPORTS = _plus(
    _BASIS,
    fields(
        "path:s changed_since:b? unresolved:i",
        outgoing=listed(fields("source:s line:i names:s tier:s", paths=_TEXTS)),
        incoming=listed({"type": "object"}),
    ),
)
IMPACT = _plus(
    _BASIS,
    fields(
        "unresolved:i",
        changed_files=_TEXTS,
        removed_files=_TEXTS,
        symbols=listed(fields("path:s line:i name:s kind:s change:s still_called:i")),
        callers=listed(_plus(_NODE, fields("distance:i tier:s reason:s"))),
        dependants=listed(fields("path:s distance:i tier:s imports:s changed_since:b?")),
        tests=listed({}),
    ),
)
SLICE = _plus(
    _BASIS,
    fields(
        "path:s name:s status:s changed_since:b? function:s? start_line:i? end_line:i?",
        steps=listed(fields("line:i column:i kind:s text:s", **{"from": listed({})})),
    ),
)
_SURVEY = fields(
    "unowned:o",
    contexts=listed(
        fields(
            "id:s family:s root:s tier:s status:s workspace:s? files:i enabled:b *states:o config_hash:s "
            "refreshed_at:s? tool:s? tool_version:s?",
            manifests=_TEXTS,
            excludes=_TEXTS,
            samples=_TEXTS,
        )
    ),
    faults=listed({}),
)
_OF_FILE = fields(
    "path:s context:s? probe:s? state:s certainty:s? tool:s? job_id:s? changed_since:b?",
    flags=listed(fields("line:i kind:s what:s")),
)
CONTEXTS = _BASIS | {"anyOf": [_SURVEY, _OF_FILE]}
"""All contexts, or one file's."""
JOBS = _plus(_HEAD, fields("root:s", jobs=listed({"type": "object"})))
STATUS = _plus(
    _HEAD,
    fields(
        "schema_version:i root:s state:s indexing:o? last_error:o? completion_proof:s store_id:s? snapshot_id:s? "
        "created_at:s? cause:s? *engine:s? *address:s? *failed_files:i git:o? counts:o? semantic:o? "
        "skipped:o degraded:b writing:b read_mode:s reads:o",
        notes=_TEXTS,
        tree=fields("new:i changed:i deleted:i") | {"type": ["object", "null"]},
    ),
)
STATUS["properties"] |= {"interrupted_edits": {}, "edit_faults": {}, "recovered": {}}
HEALTH = _plus(_HEAD, fields("schema_version:i healthy:b", checks=listed(fields("code:s level:s message:s action:s?"))))
AUDIT = _plus(_HEAD, fields("schema_version:i snapshot_id:s", drift=listed(fields("code:s message:s action:s"))))
STORES = _plus(
    _HEAD,
    fields(
        "schema_version:i",
        stores=listed(
            fields(
                "store_id:s canonical_root:s config_fingerprint:s created_at:s? last_used_at:s? size_bytes:i "
                "active_snapshot_id:s? engine:s address:s? root_gone:b empty:b"
            )
        ),
    ),
)
_CODEBASE = fields(
    "root:s state:s snapshot_id:s? files:i chunks:i updated_at:s progress_pct:n? phase:s? present:b "
    "syncing:b watched:b",
    last_error=_NO_ERROR,
)
CODEBASES = fields("schema_version:i", codebases=listed(_CODEBASE))
FILE = fields(
    "schema_version:i root:s path:s snapshot_id:s? indexed:b changed_since:b? language:s? bytes:i truncated:b text:s"
)
SNAPSHOTS = fields(
    "schema_version:i root:s active:s? total:i",
    snapshots=listed(
        fields(
            "snapshot_id:s parent_snapshot_id:s? created_at:s cause:s files:i chunks:i tombstones:i degraded:b",
            git=_GIT,
            segments=listed(fields("segment_id:s rows:i files:i size_bytes:i")),
        )
    ),
)
READS = fields("schema_version:i", codebases=listed(fields("root:s sessions:i modes:o bytes_saved:i tokens_saved:i")))
PING = fields("version:s pid:i")
STOPPING = fields("stopping:b")
