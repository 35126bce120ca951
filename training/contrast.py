"""Training: a text's vector shall be nearer to its code than to all other code of the batch.

InfoNCE over sums of token vectors, with the gradient written out: the model is one table, so numpy
is all it takes. A batch is made of blocks of pairs from one code base, because that is what search is
like: the wrong answers are neighbours of the right one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from training.bags import Bags, Floats, Numbers, matrix, sum_of

_WARM_UP = 0.05
_LAST_RATE = 0.02
_BETAS = (0.9, 0.99)


@dataclass(frozen=True, slots=True)
class Recipe:
    """How to train; the defaults are those of the bundled model."""

    epochs: float = 1.0
    batch: int = 2048
    block: int = 64
    rate: float = 3e-3
    temperature: float = 0.1
    backward: float = 0.5
    """The weight of finding the text from the code, beside the code from the text."""
    drop: float = 0.1
    """The share of the code's tokens that is hidden in each step."""
    seed: int = 0


DEFAULT = Recipe()


@dataclass(frozen=True, slots=True)
class Examples:
    """Encoded pairs: row i of both bags belongs together."""

    texts: Bags
    codes: Bags
    groups: Numbers
    same: Numbers
    """Equal numbers for equal texts: their codes are not wrong answers to each other."""

    def frequencies(self, tokens: int) -> npt.NDArray[np.float64]:
        """How often each token occurs."""
        return sum_of(self.texts, tokens) + sum_of(self.codes, tokens)

    def usable(self) -> Numbers:
        return np.flatnonzero((self.texts.sizes() >= 2) & (self.codes.sizes() >= 6))


def train(
    table: Floats, examples: Examples, rows: Numbers, recipe: Recipe, tell: Callable[[str], None] = lambda _: None
) -> Floats:
    """A trained copy of the table."""
    random = np.random.default_rng(recipe.seed)
    table = table / np.linalg.norm(table, axis=1).mean()
    batch = min(recipe.batch, len(rows))
    steps = max(1, int(len(rows) // batch * recipe.epochs))
    first, second = np.zeros_like(table), np.zeros_like(table)
    order, at, smooth = _blocks(examples, rows, recipe, random), 0, 0.0
    for step in range(steps):
        if at + batch > len(order):
            order, at = _blocks(examples, rows, recipe, random), 0
        loss, gradient = _step(table, examples, order[at : at + batch], recipe, random)
        at += batch
        rate = recipe.rate * min(1, (step + 1) / (_WARM_UP * steps + 1)) * max(_LAST_RATE, 1 - step / steps)
        first += (1 - _BETAS[0]) * (gradient - first)
        second += (1 - _BETAS[1]) * (gradient * gradient - second)
        # Adam, with the bias of its first steps taken out.
        pace = np.float32(rate / (1 - _BETAS[0] ** (step + 1)))
        spread = np.sqrt(second / np.float32(1 - _BETAS[1] ** (step + 1))) + np.float32(1e-8)
        table -= pace * first / spread
        smooth = loss if step == 0 else 0.95 * smooth + 0.05 * loss
        if (step + 1) % 50 == 0 or step + 1 == steps:
            tell(f"step {step + 1} of {steps}, loss {smooth:.3f}")
    return table


def mean_reciprocal_rank(table: Floats, examples: Examples, rows: Numbers) -> float:
    """How high a text finds its own code among those of all the rows: 1 is always first, 0 without rows."""
    if not len(rows):
        return 0.0
    texts, codes = (_vectors(table, bags, rows)[0] for bags in (examples.texts, examples.codes))
    scores = texts @ codes.T
    ranks = (scores >= scores.diagonal()[:, None]).sum(axis=1)
    return float((1 / ranks).mean())


def _blocks(examples: Examples, rows: Numbers, recipe: Recipe, random: np.random.Generator) -> Numbers:
    """The rows in an order where blocks of one code base stand together, blocks shuffled."""
    mixed = random.permutation(rows)
    mixed = mixed[np.argsort(examples.groups[mixed], kind="stable")]
    whole = len(mixed) // recipe.block * recipe.block
    blocks = mixed[:whole].reshape(-1, recipe.block)
    return np.concatenate([blocks[random.permutation(len(blocks))].reshape(-1), mixed[whole:]])


def _vectors(
    table: Floats, bags: Bags, rows: Numbers, keep: npt.NDArray[np.bool_] | None = None
) -> tuple[Floats, Floats, Floats, Numbers]:
    counts, used = matrix(bags, rows, keep)
    sums = counts @ table[used]
    lengths = np.maximum(np.linalg.norm(sums, axis=1, keepdims=True), np.float32(1e-6))
    return sums / lengths, lengths, counts, used


def _step(
    table: Floats, examples: Examples, rows: Numbers, recipe: Recipe, random: np.random.Generator
) -> tuple[float, Floats]:
    keep = random.random(int(examples.codes.sizes()[rows].sum())) >= recipe.drop
    texts = _vectors(table, examples.texts, rows)
    codes = _vectors(table, examples.codes, rows, keep)
    scores = texts[0] @ codes[0].T / np.float32(recipe.temperature)
    alike = examples.same[rows][:, None] == examples.same[rows][None, :]
    np.fill_diagonal(alike, val=False)
    scores[alike] = -1e4
    loss = 0.0
    slope = np.zeros_like(scores)
    for weight, axis in ((1.0, 1), (recipe.backward, 0)):
        chances = _softmax(scores, axis)
        loss -= weight * float(np.log(np.maximum(chances.diagonal(), 1e-30)).mean())
        np.fill_diagonal(chances, chances.diagonal() - 1)
        slope += np.float32(weight / len(rows)) * chances
    slope /= np.float32(recipe.temperature)
    gradient = np.zeros_like(table)
    for (vectors, lengths, counts, used), towards in ((texts, slope @ codes[0]), (codes, slope.T @ texts[0])):
        # What would only make a vector longer doesn't change its direction.
        across = (towards - vectors * (vectors * towards).sum(axis=1, keepdims=True)) / lengths
        gradient[used] += counts.T @ across
    return loss, gradient


def _softmax(scores: Floats, axis: int) -> Floats:
    raised: Floats = np.exp(scores - scores.max(axis=axis, keepdims=True))
    raised /= raised.sum(axis=axis, keepdims=True)
    return raised
