"""The page in a real browser on a real tree: from a key press to drawn results, and what the first load weighs."""

import json
import os
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median, quantiles
from typing import Any

from bench.corpora import django
from bench.processes import MissingError, cairn, run

_QUERIES = ("queryset filter", "csrf token", "session expiry", "get_object_or_404", "template loader", "migrations")
_ROUNDS = 2
_BROWSERS = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PAUSE_MS = 140
_START = """() => {
    const found = { times: [], pressed: 0 };
    window.cairnBench = found;
    document.getElementById("query").addEventListener("keydown", () => { found.pressed = performance.now(); });
    new MutationObserver(() => {
        const pressed = found.pressed;
        const asked = new URLSearchParams(location.hash.split("?")[1]).get("q");
        // The answer of a former key may still come in: only that of the whole query counts.
        if (!pressed || asked !== document.getElementById("query").value) return;
        if (!document.querySelector("#results .hit")) return;
        found.pressed = 0;
        // What runs behind the next frame runs when it is drawn.
        requestAnimationFrame(() => setTimeout(() => found.times.push(performance.now() - pressed)));
    }).observe(document.getElementById("results"), { childList: true });
}"""
_ABOUT = """A headless Chromium types {count} queries into the page over Django's source distribution, a key every
{pause} ms, {rounds} times; each time is from the key's event until the frame with the changed results is drawn, for
every key that was answered before the next one came. What is first loaded is all that was fetched of the page itself
before anything was asked for, uncompressed."""


def section(work: Path) -> str:
    """The figures as text."""
    root = django(work)
    home = work / "homes" / "page"
    run(*cairn(home, "index", str(root)))
    return told(home, root)


def told(home: Path, root: Path) -> str:
    """The same of a codebase that is indexed."""
    with _page_of(home) as address, _browser() as browser:
        times, loaded = _typed(browser, address, root)
    slow = quantiles(times, n=20)[-1]
    about = _ABOUT.format(count=len(_QUERIES), pause=_PAUSE_MS, rounds=_ROUNDS)
    rows = [
        ("key press to drawn results, p50", f"{median(times):.0f} ms of {len(times)} answered keys"),
        ("key press to drawn results, p95", f"{slow:.0f} ms"),
        ("first load", f"{loaded / 1000:.0f} kB"),
    ]
    lines = "\n".join(f"| {name} | {value} |" for name, value in rows)
    return f"{about}\n\n| what | measured |\n| --- | --- |\n{lines}"


def _typed(browser: Any, address: str, root: Path) -> tuple[list[float], int]:
    page = browser.new_page()
    sizes: list[int] = []
    page.on("response", lambda answer: sizes.append(len(answer.body())) if "/v1/" not in answer.url else None)
    page.goto(address)
    page.wait_for_selector("#search-view")
    page.wait_for_timeout(500)
    loaded = sum(sizes)
    page.evaluate("(root) => { location.hash = `#/search?in=${encodeURIComponent(root)}`; }", str(root))
    page.wait_for_timeout(300)
    page.evaluate(_START)
    for _ in range(_ROUNDS):
        for query in _QUERIES:
            page.locator("#query").fill("")
            page.wait_for_timeout(600)
            page.locator("#query").press_sequentially(query, delay=_PAUSE_MS)
            page.wait_for_timeout(600)
    return [float(each) for each in page.evaluate("window.cairnBench.times")], loaded


@contextmanager
def _page_of(home: Path) -> Iterator[str]:
    command, surroundings = cairn(home, "serve", "--json", "--http", "127.0.0.1:0")
    process = subprocess.Popen(command, env=surroundings, stdout=subprocess.PIPE)
    try:
        assert process.stdout is not None
        yield str(json.loads(process.stdout.readline())["page"])
    finally:
        process.terminate()
        process.wait()


@contextmanager
def _browser() -> Iterator[Any]:
    program = next((found for name in _BROWSERS if (found := shutil.which(name))), None)
    try:
        from playwright.sync_api import sync_playwright
    except ImportError as error:
        raise MissingError("Playwright is not installed (make install-browser)") from error
    if program is None:
        raise MissingError("there is no Chromium")
    with sync_playwright() as driver:
        alone = ["--no-sandbox"] if os.geteuid() == 0 else []
        browser = driver.chromium.launch(executable_path=program, args=alone)
        try:
            yield browser
        finally:
            browser.close()
