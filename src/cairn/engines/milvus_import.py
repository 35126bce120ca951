"""Importing pymilvus without its side effects.

On import, pymilvus reads a file `.env` from a folder above itself and adds it to this process's environment. If a
virtual environment lies in a tree, that file belongs to the tree: it could name a server, or a folder of tools. So
the environment is restored afterwards. pymilvus also takes settings of its own from the environment and fails to load
if one of them is invalid, so they are hidden from it.

gRPC, which it uses, would go on working in every fork of this process, on files that are closed there, and abort the
fork: the parsers of the next index would die one after the other. It checks once, when loaded, whether it should.
"""

import os
from functools import cache

# A variable that is set, even to nothing, is not taken from `.env`.
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
    """Import pymilvus; call this before anything else imports pymilvus or gRPC."""
    before = dict(os.environ)
    os.environ.update(_PLAIN)
    try:
        import pymilvus  # noqa: F401
    finally:
        for name in os.environ.keys() - before.keys():
            del os.environ[name]
        os.environ.update(before)
