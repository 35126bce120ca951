"""A remote in an object store: s3://, gs:// or az://."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from cairn.base import deadline
from cairn.base.errors import CairnError, EngineMissingError, RefusedError, UsageError
from cairn.team.remote import BLOCK, PATIENCE, LackingError, Span, unreachable

_DENIED = re.compile(r"\b40[13] (Forbidden|Unauthorized)|AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch")
"""What a bucket that lists nothing to strangers says of it in the words of its library."""
_MISSING = re.compile(r"NoSuchBucket|ContainerNotFound|specified (bucket|container) does not exist")


class BucketRemote:
    """A folder of an object store, asked by `obstore`."""

    lists = True

    def __init__(self, address: str, timeout_s: float) -> None:
        try:
            import obstore
            from obstore.store import from_url
        except ImportError as error:
            raise EngineMissingError(
                f"The remote {address} needs obstore, which is not installed.",
                hint="Run `pip install 'cairn-index[team]'`.",
            ) from error
        self.address = address
        self._obstore = obstore
        seconds = f"{max(1, round(timeout_s))}s"
        options: dict[str, Any] = {"timeout": f"{max(60, round(timeout_s) * PATIENCE)}s", "connect_timeout": seconds}
        if os.environ.get("AWS_ALLOW_HTTP", "").lower() == "true":
            options["allow_http"] = True
        try:
            self._store = from_url(address, client_options=options, retry_config={"max_retries": 2})
        except Exception as error:
            raise self._failed(error) from error

    def names(self, prefix: str) -> dict[str, float]:
        now, found = time.time(), {}
        try:
            for some in self._obstore.list(self._store, prefix):
                for each in some:
                    found[each["path"]] = now - each["last_modified"].timestamp()
        except Exception as error:
            raise self._failed(error) from error
        return found

    def has(self, name: str) -> bool:
        try:
            self._obstore.head(self._store, name)
        except FileNotFoundError:
            return False
        except Exception as error:
            raise self._failed(error) from error
        return True

    def read(self, name: str) -> Iterator[bytes]:
        try:
            for block in self._obstore.get(self._store, name).stream(min_chunk_size=BLOCK):
                yield bytes(block)
        except FileNotFoundError as error:
            raise LackingError(name) from error
        except Exception as error:
            raise self._failed(error) from error

    def pieces(self, name: str, spans: Sequence[Span]) -> list[bytes]:
        starts, ends = zip(*spans, strict=True) if spans else ((), ())
        try:
            # Whoever asks has put together what lies near: what is between the others is not wanted.
            found = self._obstore.get_ranges(self._store, name, starts=starts, ends=ends, coalesce=0)
            return [bytes(piece) for piece in found]
        except FileNotFoundError as error:
            raise LackingError(name) from error
        except Exception as error:
            raise self._failed(error) from error

    def write(self, name: str, blocks: Iterable[bytes]) -> int:
        size = 0

        def counted() -> Iterator[bytes]:
            nonlocal size
            for block in blocks:
                deadline.check()
                size += len(block)
                if block:
                    yield block

        try:
            self._obstore.put(self._store, name, counted())
        except CairnError:
            raise
        except Exception as error:
            raise self._failed(error) from error
        return size

    def move(self, name: str, to: str) -> None:
        try:
            self._obstore.rename(self._store, name, to)
        except FileNotFoundError as error:
            raise LackingError(name) from error
        except Exception as error:
            raise self._failed(error) from error

    def remove(self, name: str) -> None:
        try:
            self._obstore.delete(self._store, name)
        except FileNotFoundError:
            return
        except Exception as error:
            raise self._failed(error) from error

    def _failed(self, error: Exception) -> CairnError:
        kind = type(error).__name__
        if kind in ("PermissionDeniedError", "UnauthenticatedError") or _DENIED.search(str(error)):
            return RefusedError(
                f"The remote {self.address} rejects our credentials.",
                hint="Correct those in the environment, AWS_ACCESS_KEY_ID and the like.",
            )
        if _MISSING.search(str(error)):
            return UsageError(
                f"There is no bucket for the remote {self.address}.", hint="Make it, or correct the address."
            )
        return unreachable(self.address, kind if kind != "GenericError" else "no answer, or none that is understood")
