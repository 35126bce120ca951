"""The static model: one vector per token, a text is the normalised sum over its tokens.

A model is one `.npz`: `q` (int8, tokens x dimensions), `scale` (float16 per token) and `tokenizer`
(the bytes of a `tokenizers` JSON with a WordPiece vocabulary). The bundled one is pinned by hash
here; docs/model.md is its card and tells how to train another one.
"""

from __future__ import annotations

import hashlib
import io
import json
import os
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

from cairn.base import lazy
from cairn.base.errors import ConfigError, CorruptStoreError
from cairn.base.values import dataclass
from cairn.embed.prepared import keep_prepared, read_prepared
from cairn.engines import Vectors
from cairn.kernel.wordpiece import PieceSums, WordPieces, piece_sums, summed

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
else:
    np = lazy.module("numpy")

MODEL_NAME = "code-static-32k-128d-int8"
MODEL_SHA256 = "36c392421af704697d95a56504629827127e5cc1e0983a4c4f117b40c32590fe"
MODEL_TOKENS = 32_000
MODEL_DIMENSION = 128
PREPARED_SHA256 = "16599d18f3cdc3793cf9a176510272d5247fdb78d37fed133df09b40d2bb48ac"
MODEL_PATH = os.path.join(os.path.dirname(os.path.abspath(__file__)), "models", f"{MODEL_NAME}.npz")

IDENTITY = f"{MODEL_NAME}@sha256:{MODEL_SHA256}"
_PREPARED_NAME = f"{MODEL_NAME}-{MODEL_SHA256[:16]}.bin"
_SPECIAL = ("[PAD]", "[UNK]")
_MAX_MODEL_BYTES = 512 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class _Model:
    table: npt.NDArray[np.int8]
    scale: npt.NDArray[np.float32]
    words: WordPieces


class StaticEmbedder:
    """Vectors from the bundled model, or from one of the user's own.

    Only the start of a text counts, up to `wordpiece.MAX_CHARS`. A text has the same vector, bit for
    bit, in every batch. The model is loaded and verified with the first text. It is
    `Inheritable`: nothing but memory that never changes.
    """

    def __init__(self, path: str | None = None, *, home: str | None = None) -> None:
        """`path`: another model than the bundled one; `home`: where a form that loads faster may be kept."""
        self._home = home
        self._model: _Model | None = None
        self._sums: PieceSums | None = None
        if path is None:
            self.identity = IDENTITY
            self.dimension = MODEL_DIMENSION
        else:
            data = _read_own(path)
            self._model = _parse_own(path, data)
            name = os.path.splitext(os.path.basename(path))[0]
            self.identity = f"{name}@sha256:{hashlib.sha256(data).hexdigest()}"
            self.dimension = int(self._model.table.shape[1])

    def load(self) -> None:
        """Prepare for many texts."""
        if self._sums is None:
            model = self._loaded()
            self._sums = piece_sums(model.words, model.table, model.scale)

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._sums is not None:
            return self._sums.embed(texts)
        model = self._loaded()
        return summed(texts, model.words, self.dimension, partial(_products, model))

    def _loaded(self) -> _Model:
        if self._model is None:
            self._model = _bundled.get(MODEL_PATH) or _bundled.setdefault(MODEL_PATH, _load_bundled(self._home))
        return self._model


def _products(model: _Model, tokens: npt.NDArray[np.int64]) -> Vectors:
    parts = model.table.take(tokens, axis=0).astype(np.float32)
    parts *= model.scale.take(tokens)[:, None]
    return parts


_bundled: dict[str, _Model] = {}
"""One for all codebases of a process: its hash is pinned, and nothing changes it."""


def _load_bundled(home: str | None) -> _Model:
    data = read_prepared(home, _PREPARED_NAME, PREPARED_SHA256) if home is not None else None
    if data is None:
        data = prepare(_read_bundled())
        if home is not None:
            keep_prepared(home, _PREPARED_NAME, data, PREPARED_SHA256)
    table_bytes = MODEL_TOKENS * MODEL_DIMENSION
    table = np.frombuffer(data, np.int8, table_bytes).reshape(MODEL_TOKENS, MODEL_DIMENSION)
    scale = np.frombuffer(data, np.float16, MODEL_TOKENS, table_bytes)
    words = data[table_bytes + scale.nbytes :].decode().split("\n")
    return _model(table, scale, words)


def prepare(archive: bytes) -> bytes:
    """A model's table, scales and vocabulary, one behind the other."""
    table, scale, words = _unpack(archive)
    return table.tobytes() + scale.tobytes() + "\n".join(words).encode()


def _read_bundled() -> bytes:
    hint = "Install Cairn again: pip install --force-reinstall cairn-index"
    try:
        with open(MODEL_PATH, "rb") as file:
            data = file.read()
    except OSError as error:
        raise CorruptStoreError(f"The bundled model can't be read: {error.strerror}.", hint=hint) from error
    if hashlib.sha256(data).hexdigest() != MODEL_SHA256:
        raise CorruptStoreError(
            f"The bundled model {MODEL_NAME} is damaged: its hash is not the pinned one.", hint=hint
        )
    return data


def _read_own(path: str) -> bytes:
    hint = "Give the path of a model that was made with `make model`, or remove the setting to use the bundled one."
    try:
        with open(path, "rb") as file:
            data = file.read(_MAX_MODEL_BYTES + 1)
    except OSError as error:
        raise ConfigError(f"The model {json.dumps(path)} can't be read: {error.strerror}.", hint=hint) from error
    if len(data) > _MAX_MODEL_BYTES:
        raise ConfigError(f"The model {json.dumps(path)} has more than {_MAX_MODEL_BYTES} bytes.", hint=hint)
    return data


def _parse_own(path: str, data: bytes) -> _Model:
    import zipfile

    try:
        return _model(*_unpack(data))
    except (ValueError, KeyError, TypeError, AttributeError, EOFError, OSError, zipfile.BadZipFile) as error:
        raise ConfigError(
            f"The file {json.dumps(path)} is no static model: {error}.",
            hint="A model is an .npz with q, scale and tokenizer; `make model` writes one.",
        ) from error


def _unpack(archive: bytes) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16], list[str]]:
    with np.load(io.BytesIO(archive), allow_pickle=False) as parts:
        table, scale, tokenizer = parts["q"], parts["scale"], json.loads(parts["tokenizer"].tobytes())
    vocabulary: dict[str, int] = tokenizer["model"]["vocab"]
    words = sorted(vocabulary, key=vocabulary.__getitem__)
    if table.ndim != 2 or table.dtype != np.int8 or scale.shape != table.shape[:1] or scale.dtype != np.float16:
        raise ValueError("q must be int8 of tokens x dimensions, scale one float16 per token")
    if [vocabulary[word] for word in words] != list(range(len(table))):
        raise ValueError("the vocabulary doesn't number the rows of q")
    if not np.isfinite(scale).all():
        raise ValueError("a scale is not finite")
    return table, scale, words


def _model(table: npt.NDArray[np.int8], scale: npt.NDArray[np.float16], words: list[str]) -> _Model:
    vocabulary = dict(zip(words, range(len(words)), strict=True))
    special = [vocabulary[word] for word in _SPECIAL if word in vocabulary]
    return _Model(table, scale.astype(np.float32), WordPieces(vocabulary, special))
