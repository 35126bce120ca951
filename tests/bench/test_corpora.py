import json
import struct
from pathlib import Path

import numpy as np
from bench.corpora import questions, victim
from bench.peers import write_model

from cairn.embed.static import MODEL_DIMENSION, MODEL_TOKENS


def test_questions_come_from_the_tree_and_are_the_same_each_time(tmp_path: Path) -> None:
    for number in range(30):
        text = f"def function_{number}(value):\n    return transform_{number}(value, other, {number})\n"
        (tmp_path / f"module_{number}.py").write_text(text)
    asked = questions(tmp_path)
    assert asked == questions(tmp_path)
    assert len(asked.symbol) == len(set(asked.symbol)) == 20
    assert len(asked.literal) == 10
    texts = "".join(path.read_text() for path in tmp_path.iterdir())
    assert all(f"def {name}(" in texts for name in asked.symbol)
    assert all(line in texts for line in asked.literal)


def test_the_edited_file_is_one_of_the_tree(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"{number}.py").write_text("#" * number)
    assert victim(tmp_path) == tmp_path / "6.py"


def test_the_peers_model_is_the_bundled_one(tmp_path: Path) -> None:
    write_model(tmp_path)
    data = (tmp_path / "model.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    told = json.loads(data[8 : 8 + length])["embeddings"]
    assert told["shape"] == [MODEL_TOKENS, MODEL_DIMENSION]
    vectors = np.frombuffer(data[8 + length :], dtype=np.float32)
    assert len(vectors) == MODEL_TOKENS * MODEL_DIMENSION
    assert np.isfinite(vectors).all()
    vocabulary = json.loads((tmp_path / "tokenizer.json").read_bytes())["model"]["vocab"]
    assert len(vocabulary) == MODEL_TOKENS
