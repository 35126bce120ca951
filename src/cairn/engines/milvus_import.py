"""Loading pymilvus without what it loads along.

With its import pymilvus reads a file `.env` from some folder above itself, and puts what stands there into the
environment of this process. Where a virtual environment lies in a tree, that file is the tree's: it could name a
server, or a folder of tools. So the environment is what it was before.
"""

import os
from functools import cache


@cache
def load_pymilvus() -> None:
    """To be called before anything is imported from pymilvus."""
    before = dict(os.environ)
    try:
        import pymilvus  # noqa: F401
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)
