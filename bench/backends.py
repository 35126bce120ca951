"""Servers to measure against, in processes of their own: an object store (moto, in memory) and Milvus Lite over TCP."""

import contextlib
import subprocess
import sys
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from bench.relay import Relay

BUCKET = "bucket"
_MOTO = """
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
print(server.port, flush=True)
server.serve_forever()
"""
_MILVUS = """
import sys
from milvus_lite.adapter.grpc.server import start_server_in_thread
server, database, port = start_server_in_thread(sys.argv[1], port=0)
print(port, flush=True)
server.wait_for_termination()
"""
_PATIENCE_S = 60.0


@contextlib.contextmanager
def object_store(turn_s: float) -> Iterator[tuple[Relay, dict[str, str]]]:
    """An object store with a bucket behind a relay, and the environment in which it is found."""
    with _serving(_MOTO) as port, Relay(port, turn_s=turn_s) as relay:
        headers = {"Authorization": "AWS a:b"}
        made = urllib.request.Request(f"{relay.uri}/{BUCKET}", headers=headers, method="PUT")
        urllib.request.urlopen(made, timeout=_PATIENCE_S).close()
        yield (
            relay,
            {
                "AWS_ENDPOINT": relay.uri,
                "AWS_ALLOW_HTTP": "true",
                "AWS_REGION": "us-east-1",
                "AWS_ACCESS_KEY_ID": "somebody",
                "AWS_SECRET_ACCESS_KEY": "something",
            },
        )


@contextlib.contextmanager
def milvus(folder: Path, turn_s: float) -> Iterator[Relay]:
    """Milvus Lite at an address, behind a relay."""
    with _serving(_MILVUS, str(folder)) as port, Relay(port, turn_s=turn_s) as relay:
        yield relay


@contextlib.contextmanager
def _serving(program: str, *arguments: str) -> Iterator[int]:
    process = subprocess.Popen(
        (sys.executable, "-c", program, *arguments), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    )
    try:
        assert process.stdout is not None
        yield int(process.stdout.readline())
    finally:
        process.kill()
        process.wait()
