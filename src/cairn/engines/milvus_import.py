"""Loading pymilvus without what it loads along.

With its import pymilvus reads a file `.env` from some folder above itself, and puts what stands there into the
environment of this process. Where a virtual environment lies in a tree, that file is the tree's: it could name a
server, or a folder of tools. So the environment is what it was before. It takes settings of its own from the
environment too, and fails to load where one of them is not to its taste: it sees none of those.

gRPC below it would go on with its work in every fork of this process, on files that are closed there, and abort it: the
parsers of the next index would die one after the other. It looks once, when it is loaded, whether it should.
"""

import os
from functools import cache

# A name that has a value, be it empty, is not taken from `.env` either.
_PLAIN = {
    "MILVUS_DEFAULT_CONNECTION": "",
    "MILVUS_URI": "",
    "MILVUS_CONN_ALIAS": "default",
    "MILVUS_CONN_TIMEOUT": "10.0",
    "PYTHON_DOTENV_DISABLED": "1",
    "GRPC_ENABLE_FORK_SUPPORT": "0",
}


@cache
def load_pymilvus() -> None:
    """To be called before anything is imported from pymilvus or gRPC."""
    before = dict(os.environ)
    os.environ.update(_PLAIN)
    try:
        import pymilvus  # noqa: F401
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)
