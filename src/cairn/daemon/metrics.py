"""Counters for `/metrics`, in the text format of Prometheus, and the memory that a daemon gives back."""

import bisect
import gc
import threading
import time
from collections import Counter
from collections.abc import Iterable, Mapping

from cairn.base import system

# The C library keeps an arena for every few threads and gives back little by itself; a sync takes tens of megabytes
# for a moment, each time in another thread.
_ARENAS = 2
_COLLECTIONS = (5_000, 10, 10)


def settle() -> None:
    """Limit the arenas; call it once, before there are threads. It does nothing without glibc."""
    system.limit_arenas(_ARENAS)
    # A command hardly ever collects garbage; a daemon must. What is loaded by now will never be garbage.
    gc.set_threshold(*_COLLECTIONS)
    gc.freeze()


def give_back() -> None:
    """Give free memory back to the system; call it after work that needed much."""
    system.trim_memory()


METRICS = "text/plain; version=0.0.4"
_BOUNDS_S = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)


class Metrics:
    """Counts requests and how long they took, by path."""

    def __init__(self) -> None:
        self.started = time.time()
        self._guard = threading.Lock()
        self._requests: Counter[tuple[str, int]] = Counter()
        self._buckets: dict[str, list[int]] = {}
        self._seconds: Counter[str] = Counter()

    def count(self, path: str, status: int, seconds: float) -> None:
        """Take in one answered request."""
        with self._guard:
            self._requests[path, status] += 1
            buckets = self._buckets.setdefault(path, [0] * (len(_BOUNDS_S) + 1))
            buckets[bisect.bisect_left(_BOUNDS_S, seconds)] += 1
            self._seconds[path] += seconds  # type: ignore[assignment]

    def text(self, gauges: Mapping[str, float], counters: Mapping[str, float]) -> str:
        """All counters, and the given gauges, as text."""
        with self._guard:
            requests, buckets = dict(self._requests), {path: list(row) for path, row in self._buckets.items()}
            seconds = dict(self._seconds)
        lines = ["# TYPE cairn_requests_total counter"]
        for (path, status), number in sorted(requests.items()):
            lines.append(f'cairn_requests_total{{path="{path}",status="{status}"}} {number}')
        lines.append("# TYPE cairn_request_seconds histogram")
        for path, row in sorted(buckets.items()):
            lines += _histogram(path, row, seconds[path])
        for kind, values in (("gauge", gauges), ("counter", counters)):
            for name, value in sorted(values.items()):
                lines += [f"# TYPE cairn_{name} {kind}", f"cairn_{name} {value:.15g}"]
        return "\n".join([*lines, ""])


def _histogram(path: str, row: list[int], seconds: float) -> Iterable[str]:
    total = 0
    for bound, number in zip((*_BOUNDS_S, None), row, strict=True):
        total += number
        limit = "+Inf" if bound is None else f"{bound:g}"
        yield f'cairn_request_seconds_bucket{{path="{path}",le="{limit}"}} {total}'
    yield f'cairn_request_seconds_sum{{path="{path}"}} {seconds:.6f}'
    yield f'cairn_request_seconds_count{{path="{path}"}} {total}'


def resident_bytes() -> int:
    """The resident memory of this process; 0 if the kernel doesn't say."""
    return system.memory_pages(1)
