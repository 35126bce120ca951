"""What a text costs a model to read: one estimate for every budget."""

BYTES_PER_TOKEN = 4


def token_cost(text: str) -> int:
    """Tokens of a text: its bytes in UTF-8 over four, rounded up.

    Tokenizers differ from model to model; code in English takes somewhat more than four bytes a token in
    those of today, so the estimate errs on the side of the budget. What stands in pieces never costs less
    than the whole.
    """
    return token_cost_of(len(text.encode("utf-8", "surrogatepass")))


def token_cost_of(size: int) -> int:
    """Tokens of a text of so many bytes."""
    return -(-size // BYTES_PER_TOKEN)
