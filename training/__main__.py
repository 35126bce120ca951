"""`python -m training TREE... --out MODEL.npz`: mine, train, quantise, write."""

import argparse
import sys
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from cairn.base.errors import CairnError
from cairn.embed.static import MODEL_PATH
from training.bags import Numbers, pack
from training.contrast import DEFAULT, Examples, Recipe, mean_reciprocal_rank, train
from training.model_file import first_table, read_model, reduce, write_model
from training.pairs import Pair, mine
from training.vocabulary import find_vocabulary, pieces_of, size_of

FEWEST_PAIRS = 16
HELD_OUT = 20
"""One file in so many is kept aside to see whether training helps."""
MOST_HELD_OUT = 5000


@dataclass(frozen=True, slots=True)
class Plan:
    """What is to be made."""

    trees: tuple[str, ...]
    out: str
    base: str | None
    """The model to go on from; None starts from nothing."""
    tokens: int = 32_000
    width: int = 256
    dimension: int = 128
    recipe: Recipe = DEFAULT


@dataclass(frozen=True, slots=True)
class Outcome:
    """What was made, and how well pairs that it has not seen are found before and after."""

    pairs: int
    before: float
    after: float


def make_model(plan: Plan, tell: Callable[[str], None] = lambda _: None) -> Outcome:
    """Train a model and write it."""
    pairs = mine(plan.trees)
    tell(f"{len(pairs)} pairs of text and code")
    if plan.base is not None:
        table, tokenizer = read_model(plan.base)
        examples = _encode(pairs, tokenizer)
    else:
        tokenizer = find_vocabulary([text for pair in pairs for text in (pair.text, pair.code)], plan.tokens)
        examples = _encode(pairs, tokenizer)
        table = first_table(examples.frequencies(size_of(tokenizer)), plan.width, plan.recipe.seed)
    seen, aside = _split(pairs, examples.usable())
    if len(seen) < FEWEST_PAIRS:
        raise SystemExit(f"Only {len(seen)} usable pairs were found; give more code, with comments in it.")
    before = mean_reciprocal_rank(table, examples, aside)
    table = reduce(train(table, examples, seen, plan.recipe, tell), plan.dimension)
    after = mean_reciprocal_rank(table, examples, aside)
    write_model(plan.out, table, tokenizer)
    return Outcome(len(pairs), before, after)


def _encode(pairs: Sequence[Pair], tokenizer: bytes) -> Examples:
    pieces = pieces_of(tokenizer)
    return Examples(
        pack([pair.text for pair in pairs], pieces),
        pack([pair.code for pair in pairs], pieces),
        _numbered([pair.group for pair in pairs]),
        _numbered([pair.text for pair in pairs]),
    )


def _numbered(names: list[str]) -> Numbers:
    known: dict[str, int] = {}
    return np.array([known.setdefault(name, len(known)) for name in names], np.int64)


def _split(pairs: Sequence[Pair], usable: Numbers) -> tuple[Numbers, Numbers]:
    """The rows to learn from, and those kept aside: whole files, so that no definition is on both sides."""
    origins = [f"{pairs[row].group.partition(':')[0]}:{pairs[row].file}" for row in usable]
    files = sorted(set(origins), key=lambda each: (zlib.crc32(each.encode("utf-8", "surrogatepass")), each))
    chosen = set(files[: max(1, len(files) // HELD_OUT)]) if len(files) > 1 else set()
    aside = np.array([origin in chosen for origin in origins], np.bool_)
    return usable[~aside], usable[aside][:MOST_HELD_OUT]


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m training", description=__doc__)
    parser.add_argument("trees", nargs="+", help="code to learn from: one folder for each code base")
    parser.add_argument("--out", required=True, help="the .npz to write")
    parser.add_argument("--base", default=MODEL_PATH, help="the model to go on from; default: the bundled one")
    parser.add_argument("--from-scratch", action="store_true", help="a new vocabulary and table; takes a lot of code")
    parser.add_argument("--tokens", type=int, default=32_000, help="from scratch: the size of the vocabulary")
    parser.add_argument("--width", type=int, default=256, help="from scratch: the dimensions to train")
    parser.add_argument("--dimension", type=int, default=128, help="the dimensions to keep")
    parser.add_argument("--epochs", type=float, default=DEFAULT.epochs)
    parser.add_argument("--batch", type=int, default=DEFAULT.batch)
    parser.add_argument("--rate", type=float, default=None, help="the learning rate; default: 3e-3, a tenth on a base")
    parser.add_argument("--seed", type=int, default=0)
    options = parser.parse_args()
    base = None if options.from_scratch else options.base
    # A model that is good already shall learn the words of a code base, not forget all others.
    rate = options.rate or (DEFAULT.rate if base is None else DEFAULT.rate / 10)
    recipe = Recipe(epochs=options.epochs, batch=options.batch, rate=rate, seed=options.seed)
    plan = Plan(tuple(options.trees), options.out, base, options.tokens, options.width, options.dimension, recipe)
    try:
        outcome = make_model(plan, print)
    except CairnError as error:
        sys.exit(f"{error.message} {error.hint}")
    print(
        f"mean reciprocal rank of pairs from files kept aside: {outcome.before:.3f} before, {outcome.after:.3f} after"
    )
    print(f"wrote {plan.out}")


if __name__ == "__main__":
    main()
