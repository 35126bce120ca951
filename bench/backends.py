"""Servers to measure against, in processes of their own: an object store and Milvus Lite over TCP.

The object store is MinIO where `make install-minio` has built it, and moto otherwise, which is written in Python.
"""

import contextlib
import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path

from bench.relay import Relay

BUCKET = "bucket"
MINIO = Path(__file__).resolve().parent.parent / "build" / "minio" / "minio"
_KEY, _SECRET = "somebody", "something"
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
    with minio() if MINIO.exists() else _moto() as port, Relay(port, connect_s=turn_s, turn_s=turn_s) as relay:
        surroundings = {
            "AWS_ENDPOINT": relay.uri,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": _KEY,
            "AWS_SECRET_ACCESS_KEY": _SECRET,
        }
        yield relay, surroundings


@contextlib.contextmanager
def minio() -> Iterator[int]:
    """The port of MinIO with a bucket, which is a folder to it."""
    with tempfile.TemporaryDirectory() as folder, socket.create_server(("127.0.0.1", 0)) as free:
        os.mkdir(os.path.join(folder, BUCKET))
        port = free.getsockname()[1]
        free.close()
        process = subprocess.Popen(
            (str(MINIO), "server", folder, "--address", f"127.0.0.1:{port}", "--quiet"),
            env=os.environ | {"MINIO_ROOT_USER": _KEY, "MINIO_ROOT_PASSWORD": _SECRET},
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            _await_answer(f"http://127.0.0.1:{port}/minio/health/live")
            yield port
        finally:
            process.kill()
            process.wait()


@contextlib.contextmanager
def milvus(folder: Path, turn_s: float) -> Iterator[Relay]:
    """Milvus Lite at an address, behind a relay."""
    with _serving(_MILVUS, str(folder)) as port, Relay(port, connect_s=turn_s, turn_s=turn_s) as relay:
        yield relay


@contextlib.contextmanager
def _moto() -> Iterator[int]:
    with _serving(_MOTO) as port:
        headers = {"Authorization": "AWS a:b"}
        made = urllib.request.Request(f"http://127.0.0.1:{port}/{BUCKET}", headers=headers, method="PUT")
        urllib.request.urlopen(made, timeout=_PATIENCE_S).close()
        yield port


@contextlib.contextmanager
def _serving(program: str, *arguments: str) -> Iterator[int]:
    command = (sys.executable, "-c", program, *arguments)
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        try:
            assert process.stdout is not None
            yield int(process.stdout.readline())
        finally:
            process.kill()


def _await_answer(uri: str) -> None:
    ends = time.monotonic() + _PATIENCE_S
    while True:
        try:
            urllib.request.urlopen(uri, timeout=_PATIENCE_S).close()
        except OSError:
            if time.monotonic() > ends:
                raise
            time.sleep(0.1)
        else:
            return
