"""What an index is of: a root, and everything that decides what its rows mean."""

from cairn.config import Artifacts, Config, config_fingerprint
from cairn.embed import Embedder
from cairn.store import Identity
from cairn.store.versions import VERSIONS
from cairn.syntax.pins import GRAMMAR_PINS
from cairn.syntax.versions import CHUNKER_VERSION, FACTS_VERSION, TOKENS_VERSION, VECTOR_RECIPE
from cairn.workspace import Root, store_id

ENGINE = "flat"
_ROW_FORMATS = ("chunk_rows",)
"""Formats that decide what rows mean; those of manifests and answers may change without a reindex."""


def identity_of(root: Root, config: Config, embedder: Embedder) -> Identity:
    artifacts = Artifacts(
        model=f"{embedder.identity} {VECTOR_RECIPE}",
        dimension=embedder.dimension,
        engine=ENGINE,
        grammars=GRAMMAR_PINS,
        chunker_version=f"{CHUNKER_VERSION} {TOKENS_VERSION} {FACTS_VERSION}",
        schema_versions={name: VERSIONS[name].writable for name in _ROW_FORMATS},
    )
    fingerprint = config_fingerprint(config, artifacts)
    return Identity(root.path, store_id(root.path, fingerprint), fingerprint, ENGINE, embedder.dimension)
