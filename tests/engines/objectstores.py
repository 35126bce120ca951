"""An object store in a process of its own, which tests may stop, kill and close to strangers."""

import os
import re
import signal
import subprocess
import sys
import urllib.request
from collections.abc import Mapping

BUCKET = "bucket"
_SERVE = """
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import make_server
server = make_server("127.0.0.1", 0, DomainDispatcherApplication(create_backend_app), threaded=True)
print(server.port, flush=True)
server.serve_forever()
"""


class ObjectStore:
    """S3 as moto serves it, in memory, with one bucket."""

    def __init__(self) -> None:
        self._process = subprocess.Popen(
            (sys.executable, "-c", _SERVE), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        assert self._process.stdout is not None
        self.uri = f"http://127.0.0.1:{int(self._process.stdout.readline())}"
        self._ask("PUT", f"/{BUCKET}")

    def environment(self) -> Mapping[str, str]:
        """What a user sets, so that LanceDB finds it."""
        return {
            "AWS_ENDPOINT": self.uri,
            "AWS_ALLOW_HTTP": "true",
            "AWS_REGION": "us-east-1",
            "AWS_ACCESS_KEY_ID": "somebody",
            "AWS_SECRET_ACCESS_KEY": "something",
        }

    def let_in_nobody(self) -> None:
        """From now on every call needs a key, and nobody has one."""
        self._ask("POST", "/moto-api/reset-auth", b"0")

    def let_in_everybody(self) -> None:
        self._ask("POST", "/moto-api/reset-auth", b"1000000")

    def lose(self, folder: str) -> int:
        """Remove all objects whose keys hold that text, and tell how many those were."""
        told = self._ask("GET", f"/{BUCKET}?list-type=2").decode()
        keys = [key for key in re.findall("<Key>([^<]*)</Key>", told) if folder in key]
        for key in keys:
            self._ask("DELETE", f"/{BUCKET}/{key}")
        return len(keys)

    def pause(self) -> None:
        os.kill(self._process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        os.kill(self._process.pid, signal.SIGCONT)

    def kill(self) -> None:
        """It forgets everything."""
        if self._process.poll() is None:
            self.resume()
            self._process.kill()
        self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()

    def _ask(self, method: str, path: str, data: bytes | None = None) -> bytes:
        # Nobody checks the signature, yet a bucket shows nothing to those who bring none.
        headers = {"Content-Type": "text/plain", "Authorization": "AWS somebody:something"}
        asked = urllib.request.Request(self.uri + path, data, headers, method=method)
        with urllib.request.urlopen(asked, timeout=60) as answer:
            told: bytes = answer.read()
        return told
