"""A relay before a server: as far away as one wants, and losing as many questions."""

import contextlib
import select
import socket
import socketserver
import threading
import time
from typing import Self


class Relay:
    """Passes on what goes to a port of this machine, later by the way there and back; counts what it passes on."""

    def __init__(self, port: int, *, connect_s: float = 0.0, turn_s: float = 0.0, loses_each: int = 0) -> None:
        """A connection takes `connect_s` more, and each question `turn_s`; each so manieth ends its connection."""
        self._to = ("127.0.0.1", port)
        self._connect_s, self._turn_s, self.loses_each = connect_s, turn_s, loses_each
        self._guard = threading.Lock()
        self.questions = self.came_bytes = self.lost = 0
        relay = self

        class Way(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                with contextlib.suppress(OSError):
                    relay._pass_on(self.request)

        class Ways(socketserver.ThreadingTCPServer):
            daemon_threads = True

        self._ways = Ways(("127.0.0.1", 0), Way)
        self.port: int = self._ways.server_address[1]
        self._thread = threading.Thread(target=self._ways.serve_forever, daemon=True)

    @property
    def uri(self) -> str:
        """Where it is asked."""
        return f"http://127.0.0.1:{self.port}"

    def forget(self) -> None:
        """Count from here on."""
        self.questions = self.came_bytes = self.lost = 0

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ways.shutdown()
        self._ways.server_close()
        self._thread.join()

    def _pass_on(self, here: socket.socket) -> None:
        time.sleep(self._connect_s)
        with socket.create_connection(self._to) as there:
            other = {here: there, there: here}
            asking = False
            while True:
                for end in select.select(list(other), (), ())[0]:
                    data = end.recv(1 << 16)
                    if not data:
                        return
                    if end is here and not asking:
                        if self._is_lost():
                            return
                        time.sleep(self._turn_s)
                    asking = end is here
                    if end is there:
                        with self._guard:
                            self.came_bytes += len(data)
                    other[end].sendall(data)

    def _is_lost(self) -> bool:
        with self._guard:
            self.questions += 1
            is_lost = bool(self.loses_each) and self.questions % self.loses_each == 0
            self.lost += is_lost
        return is_lost
