"""A Milvus server in a process of its own, which tests may stop, kill and start again."""

import os
import signal
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path

_SERVE = """
import base64, sys
import grpc
_, folder, port, token, refusal = sys.argv

class Door(grpc.ServerInterceptor):
    def intercept_service(self, go_on, call):
        if dict(call.invocation_metadata).get("authorization") == base64.b64encode(token.encode()).decode():
            return go_on(call)
        refused = lambda _, context: context.abort(grpc.StatusCode[refusal], "please check who asks")
        return grpc.unary_unary_rpc_method_handler(refused)

if token:
    make = grpc.server
    grpc.server = lambda *arguments, **options: make(*arguments, interceptors=[Door()], **options)
from milvus_lite.adapter.grpc.server import start_server_in_thread
server, database, port = start_server_in_thread(folder, port=int(port))
print(port, flush=True)
server.wait_for_termination()
"""


@dataclass
class Server:
    folder: Path
    port: int = 0
    token: str = ""
    """Whoever comes without it is refused, as a server does whose administrator has set up users."""
    refusal: str = "UNAUTHENTICATED"
    process: subprocess.Popen[str] | None = field(default=None, repr=False)

    @property
    def uri(self) -> str:
        return f"http://127.0.0.1:{self.port}"

    def start(self) -> "Server":
        """Serve what is in the folder, at the same port as before."""
        self.process = subprocess.Popen(
            (sys.executable, "-c", _SERVE, str(self.folder), str(self.port), self.token, self.refusal),
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        assert self.process.stdout is not None
        self.port = int(self.process.stdout.readline())
        return self

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGCONT)
            self.process.kill()
            self.process.wait()
            if self.process.stdout is not None:
                self.process.stdout.close()
            self.process = None

    def pause(self) -> None:
        """Take calls, and answer none of them."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGSTOP)

    def resume(self) -> None:
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGCONT)
