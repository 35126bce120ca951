"""What an index is of: a root, and everything that decides what its rows mean."""

import json

from cairn.base.values import as_dict
from cairn.config.project import Artifacts, Config, config_fingerprint
from cairn.embed import Embedder
from cairn.languages.pins import GRAMMAR_PINS
from cairn.store import Identity
from cairn.store.versions import VERSIONS
from cairn.syntax.versions import CHUNKER_VERSION, FACTS_VERSION, TOKENS_VERSION, VECTOR_RECIPE
from cairn.workspace.root import Root, store_id

_ROW_FORMATS = ("chunk_rows",)
"""Formats that decide what rows mean; those of manifests and answers may change without a reindex."""


def parts_of(config: Config, embedder: Embedder, engine: str) -> dict[str, str]:
    """What the fingerprint is made of, by names that people can compare."""
    provider, _, _ = embedder.identity.partition(":")
    settings = as_dict(config.index)
    return {
        "embeddingProvider": provider if ":" in embedder.identity and "@sha256" not in provider else "local",
        "embeddingModel": embedder.identity,
        "embeddingDimension": str(embedder.dimension),
        "vectorStoreProvider": engine,
        "schemaVersion": ",".join(f"{name} {VERSIONS[name].writable}" for name in _ROW_FORMATS),
        "chunker": f"{CHUNKER_VERSION} {TOKENS_VERSION} {FACTS_VERSION} {VECTOR_RECIPE}",
        **{f"index.{name}": json.dumps(value, default=str) for name, value in sorted(settings.items())},
    }


def identity_of(root: Root, config: Config, embedder: Embedder, engine: str = "flat") -> Identity:
    """Who a codebase is: its root, and all settings that its index depends on."""
    artifacts = Artifacts(
        model=f"{embedder.identity} {VECTOR_RECIPE}",
        dimension=embedder.dimension,
        engine=engine,
        grammars=GRAMMAR_PINS,
        chunker_version=f"{CHUNKER_VERSION} {TOKENS_VERSION} {FACTS_VERSION}",
        schema_versions={name: VERSIONS[name].writable for name in _ROW_FORMATS},
    )
    fingerprint = config_fingerprint(config, artifacts)
    return Identity(root.path, store_id(root.path, fingerprint), fingerprint, engine, embedder.dimension)
