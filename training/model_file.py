"""The model as a file: what `cairn.embed.static` reads."""

import io
import os

import numpy as np
import numpy.typing as npt

from cairn.base import durable
from training.bags import Floats

_LEVELS = 127


def first_table(counts: npt.NDArray[np.float64], width: int, seed: int) -> Floats:
    """Where training from nothing starts: directions at random, frequent tokens short.

    Random directions are nearly at right angles, so this already matches equal words; training adds
    which different words mean the same.
    """
    table = np.random.default_rng(seed).standard_normal((len(counts), width), np.float32)
    share = (counts + 1) / (counts + 1).sum()
    return np.asarray(table * (1e-3 / (1e-3 + share))[:, None], np.float32)


def reduce(table: Floats, dimension: int) -> Floats:
    """The directions that matter most, where fewer are wanted than were trained."""
    if dimension >= table.shape[1]:
        return table
    _, axes = np.linalg.eigh(table.T.astype(np.float64) @ table.astype(np.float64))
    return np.asarray(table @ axes[:, ::-1][:, :dimension], np.float32)


def quantise(table: Floats) -> tuple[npt.NDArray[np.int8], npt.NDArray[np.float16]]:
    """int8 rows and what a step of each is worth."""
    scale = (np.abs(table).max(axis=1) / _LEVELS).astype(np.float16)
    # A row that is too small for a scale of its own is nothing.
    steps = np.divide(table, scale[:, None], out=np.zeros_like(table), where=scale[:, None] > 0)
    return np.clip(np.rint(steps), -_LEVELS, _LEVELS).astype(np.int8), scale


def write_model(path: str, table: Floats, tokenizer: bytes) -> None:
    rows, scale = quantise(table)
    buffer = io.BytesIO()
    np.savez_compressed(buffer, q=rows, scale=scale, tokenizer=np.frombuffer(tokenizer, np.uint8))
    durable.write_file(os.path.abspath(path), buffer.getvalue(), 0o644)


def read_model(path: str) -> tuple[Floats, bytes]:
    """The table of a model, to train on from there, and its tokenizer."""
    with np.load(path, allow_pickle=False) as parts:
        table = parts["q"].astype(np.float32) * parts["scale"].astype(np.float32)[:, None]
        return table, parts["tokenizer"].tobytes()
